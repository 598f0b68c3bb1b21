"""Measures Blockloom and its rivals side by side: `npm run bench`, or `npm run bench -- --quick` for two minutes.

The full form writes docs/benchmarks.md and docs/images/benchmarks.png; the quick one only prints. Jumanji's Tetris
takes part where jumanji is installed, in this Python or in the one that BLOCKLOOM_JUMANJI_PYTHON names.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import chart
import numpy as np
from echoes import echo_contestants
from engines import Engines, compiler, reference_contestants
from figures import Contestant, Figures, run_interleaved
from pure_stackcraft import agrees_with_server
from report import Run, write
from rollouts import pure_python_contestant, rollout_contestants, servers
from verdicts import verdicts

from blockloom._node import find_node

DOCS = Path(__file__).parents[2] / "docs"
GAMES = ("Stackcraft-v1", "BlockPuzzle8-v1", "LumenBlocks-v1", "BlockPuzzle10-v1", "Hourloom-v1")
RIVAL_ROWS = 1024


def main() -> None:
    args = _arguments()
    figures, notes = Figures(), list[str](args.note)
    load_before = _load()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "echo" not in args.skip:
            run_interleaved(echo_contestants(folder), figures, repeats=args.repeats, seconds=args.seconds, say=_say)
        for game in args.games:
            _measure_game(game, args, folder, figures)
    if compiler() is None:
        notes.append("No C compiler was found, so the C references did not take part.")
    if _jumanji_python() is None:
        notes.append("Jumanji is not installed, so its Tetris did not take part.")
    run = Run(_machine(), f"Load average {load_before} before and {_load()} after", args.repeats, args.seconds, notes)
    out = args.out or (None if args.quick else DOCS)
    why_no_chart = chart.draw(figures, out / "images" / "benchmarks.png") if out else None
    if why_no_chart:
        _say(why_no_chart)
    text = write(run, figures, verdicts(figures), chart=out is not None and why_no_chart is None)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "benchmarks.md").write_text(text, encoding="utf-8")
    print(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two games, few sizes; prints and writes nothing")
    parser.add_argument("--games", nargs="+", choices=GAMES)
    parser.add_argument("--rows", nargs="+", type=int)
    parser.add_argument("--transports", nargs="+", choices=("stdio", "grpc", "unix"))
    parser.add_argument("--encodings", nargs="+", choices=("packed", "dense"))
    parser.add_argument("--skip", nargs="+", choices=("echo", "engines", "rivals"), default=[])
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--seconds", type=float, help="of one figure")
    parser.add_argument("--note", action="append", default=[], help="what else to say about the run")
    parser.add_argument("--out", type=Path, help="the folder to write to")
    args = parser.parse_args()
    quick = args.quick
    args.games = args.games or (GAMES[:2] if quick else GAMES)
    args.rows = args.rows or ([1, 1024, 4096] if quick else [1, 4, 16, 64, 256, 1024, 4096, 16384])
    args.transports = args.transports or (["stdio", "unix"] if quick else ["stdio", "grpc", "unix"])
    args.encodings = args.encodings or (["packed"] if quick else ["packed", "dense"])
    args.repeats = args.repeats or 3
    args.seconds = args.seconds or (0.3 if quick else 0.4)
    return args


def _measure_game(game: str, args: argparse.Namespace, folder: Path, figures: Figures) -> None:
    engines = Engines(game)
    with servers(folder) as addresses:
        contestants: list[Contestant] = []
        if "engines" not in args.skip:
            contestants += reference_contestants(game, engines, folder)
            contestants += engines.contestants()
        contestants += rollout_contestants(game, addresses, args.transports, args.encodings, args.rows)
        if game == "Stackcraft-v1" and "rivals" not in args.skip:
            _say(f"pure Python agrees with the server over {agrees_with_server(400)} steps")
            contestants += [pure_python_contestant(RIVAL_ROWS), *_jumanji_contestants()]
        run_interleaved(contestants, figures, repeats=args.repeats, seconds=args.seconds, say=_say)
    engines.close()


def _jumanji_python() -> str | None:
    """A Python that has jumanji."""
    here = sys.executable if importlib.util.find_spec("jumanji") else None
    return os.environ.get("BLOCKLOOM_JUMANJI_PYTHON") or here


def _jumanji_contestants() -> list[Contestant]:
    python = _jumanji_python()
    if python is None:
        return []
    measured: list[list[tuple[float, float]]] = [[], []]

    def run(form: int, seconds: float) -> tuple[float, float]:
        """Takes both forms from one process, for starting it takes longer than measuring."""
        if not measured[form]:
            command = [python, str(Path(__file__).with_name("jumanji_tetris.py")), str(RIVAL_ROWS), str(seconds)]
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            for form_measured, line in zip(measured, lines, strict=True):
                steps, elapsed = map(float, line.split())
                form_measured.append((steps, elapsed))
        return measured[form].pop()

    return [
        Contestant(("jumanji", "stepped", str(RIVAL_ROWS)), lambda seconds: run(0, seconds)),
        Contestant(("jumanji", "scanned", str(RIVAL_ROWS)), lambda seconds: run(1, seconds)),
    ]


def _machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    node = subprocess.run(
        [find_node(os.environ.get("BLOCKLOOM_NODE", ""), os.environ.get("PATH", "")), "--version"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    versions = f"Node {node}, Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{model}, {os.cpu_count()} cores, {platform.system()}; {versions}"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
