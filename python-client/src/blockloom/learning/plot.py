"""Draws the learning curve of a training: ``python -m blockloom.learning.plot --curve weights.json --out curve.png``.

Needs matplotlib: ``pip install "blockloom[report]"``. The scores of agents are drawn by ``python -m blockloom evaluate
--chart FILE.png``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any


def draw(curves: list[Path], out: Path, title: str, lines: dict[str, float]) -> None:
    """Writes a PNG of score against steps; `lines` are scores to compare with, by name."""
    try:
        importlib.import_module("matplotlib").use("Agg")
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError(
            "curves are drawn by matplotlib, which is not installed: pip install 'blockloom[report]'"
        ) from error
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


def main(argv: list[str] | None = None) -> int:
    """The command line; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m blockloom.learning.plot", description=__doc__)
    parser.add_argument("--curve", type=Path, action="append", required=True, help="JSON file of a training")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--title", default="")
    parser.add_argument("--line", type=_line, action="append", default=[], help="NAME=SCORE, drawn across")
    given = parser.parse_args(argv)
    try:
        draw(given.curve, given.out, given.title, dict(given.line))
    except (ImportError, OSError, ValueError, KeyError) as error:
        print(f"blockloom: the curves cannot be drawn: {error}", file=sys.stderr)
        return 2
    return 0


def _line(text: str) -> tuple[str, float]:
    name, _, score = text.rpartition("=")
    try:
        return name, float(score)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: NAME=SCORE") from None


if __name__ == "__main__":
    sys.exit(main())
