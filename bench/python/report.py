"""Writes the figures of a run as Markdown: ratios first, then what they are made of."""

from __future__ import annotations

from dataclasses import dataclass

from figures import Figures, Key
from verdicts import TRANSPORTS, Verdict, rate_text

MODES = (("lock-step", "lock-step"), ("two", "two in flight"))
NAMES = {"stdio": "stdio", "grpc": "gRPC, TCP", "unix": "gRPC, unix socket"}


@dataclass
class Run:
    """How a run was made."""

    machine: str
    load: str
    repeats: int
    seconds: float
    notes: list[str]


def write(run: Run, figures: Figures, found: list[Verdict], *, chart: bool) -> str:
    """The whole document."""
    parts = [
        "# Benchmarks",
        "Written by `npm run bench`. Each figure is the median of the repeats, with the least and the greatest.",
        f"{run.machine}. {run.load}. {run.repeats} repeats of {run.seconds:g} s, all contestants of a game in turn.",
        *(f"- {note}" for note in run.notes),
        "## What it shows",
        _table(
            ["what", "at least", "found", ""],
            [[one.what, one.wanted, one.found, "reached" if one.reached else "**not reached**"] for one in found],
        ),
    ]
    if chart:
        parts.append("![Env-steps a second over batch sizes](images/benchmarks.png)")
    parts += ["## Engines alone", _ENGINES_NOTE, _engines(figures)]
    parts += ["## Transports with no game in them", _TRANSPORTS_NOTE, _transports(figures)]
    parts += ["## End to end", _ROLLOUTS_NOTE, *_rollouts(figures)]
    return "\n\n".join(part for part in parts if part) + "\n"


_ENGINES_NOTE = (
    "Steps a second of processor time with 1,024 rows in turn, including the choice of a legal action, finished games "
    "started again, and mask and observation written, packed or packed and dense. The C references in `bench/c` play "
    "the same games, move for move: their digest of all that is seen is compared with the engine's before the run."
)
_TRANSPORTS_NOTE = (
    "Round trips a second of a short request and an answer of so many bytes, between Python and Node; `pinned` is on "
    "one core with blocking reads and writes."
)
_ROLLOUTS_NOTE = (
    "Env-steps a second of random masked play in Python, with dense arrays and masks handed out and the actions "
    "chosen by `blockloom.sample`. Steps that only reset a row are not counted."
)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _engines(figures: Figures) -> str:
    rows = []
    for key in figures.rates:
        if key[0] == "engine":
            rows.append([key[1], f"TypeScript, {key[2]}", rate_text(figures.rate(key))])
        elif key[0] == "C":
            rows.append([key[1], f"C, `{key[2]}`, packed", rate_text(figures.rate(key))])
        elif key[0] == "bags":
            rows.append([key[1], "bags of seven pieces", rate_text(figures.rate(key))])
    return _table(["game", "what", "a second"], rows)


def _transports(figures: Figures) -> str:
    keys = [key for key in figures.rates if key[0] == "echo"]
    sizes = sorted({int(key[2]) for key in keys})
    rows = []
    for transport in dict.fromkeys(key[1] for key in keys):
        row = [NAMES.get(transport, transport)]
        for size in sizes:
            spread = figures.rate(("echo", transport, str(size)))
            text = rate_text(spread)
            row.append(text if size < 1024 else f"{text}, {spread.middle * size / 1e6:,.0f} MB/s")
        rows.append(row)
    return _table(["transport", *(f"{size:,} bytes" for size in sizes)], rows)


def _rollouts(figures: Figures) -> list[str]:
    parts = []
    for game in dict.fromkeys(key[1] for key in figures.rates if key[0] == "lock-step"):
        sizes = sorted({int(key[4]) for key in figures.rates if key[:2] == ("lock-step", game)})
        encodings = [
            e for e in ("packed", "dense") if any(key[1:2] == (game,) and e in key for key in _rolled(figures))
        ]
        rows = []
        for mode, mode_name in MODES:
            for transport in TRANSPORTS:
                for encoding in encodings:
                    keys = [(mode, game, transport, encoding, str(size)) for size in sizes]
                    if figures.has(*keys):
                        cells = [rate_text(figures.rate(key)) for key in keys]
                        rows.append([f"{NAMES[transport]}, {encoding}, {mode_name}", *cells])
        parts += [f"### {game}", _table(["", *(f"{size:,} rows" for size in sizes)], rows), _singles(figures, game)]
    return parts


def _rolled(figures: Figures) -> list[Key]:
    return [key for key in figures.rates if key[0] == "lock-step"]


def _singles(figures: Figures, game: str) -> str:
    keys = [key for key in figures.rates if key[:2] == ("single", game)]
    rows = [[f"{NAMES.get(key[2], key[2])}, {key[3]}", rate_text(figures.rate(key))] for key in keys]
    rivals = [key for key in figures.rates if key[0] in ("pure Python", "jumanji") and game == "Stackcraft-v1"]
    rows += [[f"{key[0]}, {key[1]}, {int(key[2]):,} rows", rate_text(figures.rate(key))] for key in rivals]
    return _table(["one environment", "steps a second"], rows) if rows else ""
