"""Draws the learning curve of a training: ``python -m blockloom.learning.plot --curve weights.json --out curve.png``.

Needs matplotlib, which Blockloom itself does not.
"""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path
from typing import Any


def draw(curves: list[Path], out: Path, title: str, lines: dict[str, float]) -> None:
    """Writes a PNG of score against steps; `lines` are scores to compare with, by name."""
    importlib.import_module("matplotlib").use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for path in curves:
        curve = json.loads(path.read_text(encoding="utf-8"))["curve"]
        points = [(point["steps"] / 1e6, point["score"]) for point in curve if point["score"] == point["score"]]
        axes.plot(*zip(*points, strict=True), label=path.stem)
    for number, (name, score) in enumerate(lines.items()):
        axes.axhline(score, linestyle="--", linewidth=1, color=f"C{number + len(curves)}", label=name)
    axes.set(xlabel="steps (millions)", ylabel="mean score in training", title=title, ylim=(0, None))
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)
    figure.savefig(out, dpi=110)


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m blockloom.learning.plot", description=__doc__)
    parser.add_argument("--curve", type=Path, action="append", required=True, help="JSON file of a training")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--title", default="")
    parser.add_argument("--line", action="append", default=[], help="NAME=SCORE, drawn across")
    given = parser.parse_args(argv)
    lines = {name: float(score) for name, score in (line.split("=") for line in given.line)}
    draw(given.curve, given.out, given.title, lines)


if __name__ == "__main__":
    main()
