"""The ratios and rates that Blockloom is held to, from the figures of one run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from figures import Figures, Key, Spread

TRAYS = ("BlockPuzzle8-v1", "LumenBlocks-v1", "BlockPuzzle10-v1")
STACKCRAFT = "Stackcraft-v1"
TRANSPORTS = ("stdio", "grpc", "unix")


@dataclass
class Verdict:
    """One thing that was to be shown."""

    what: str
    wanted: str
    found: str
    reached: bool


def ratio_text(spread: Spread) -> str:
    digits = 0 if spread.middle >= 20 else 2
    return f"{spread.middle:.{digits}f} ({spread.low:.{digits}f} to {spread.high:.{digits}f})"


def rate_text(spread: Spread) -> str:
    """Figures a second in thousands or millions."""
    unit, name = (1e6, "M") if spread.middle >= 1e6 else (1e3, "k")
    digits = 2 if spread.middle / unit < 100 else 0
    low, middle, high = (f"{value / unit:.{digits}f}" for value in (spread.low, spread.middle, spread.high))
    return f"{middle} {name} ({low} to {high})"


def verdicts(figures: Figures) -> list[Verdict]:
    """All that the run can tell, in a fixed order."""
    return [
        *_engines(figures),
        *_bags(figures),
        *_end_to_end(figures, "two", "4096", {STACKCRAFT: 1.8e6}, 3e6),
        *_end_to_end(figures, "lock-step", "1024", {STACKCRAFT: 1.2e6}, 1.5e6),
        *_single(figures),
        *_rivals(figures),
        *_scaling(figures),
    ]


def best_of(figures: Figures, mode: str, game: str, rows: str, encoding: str = "packed") -> Key | None:
    """The fastest transport."""
    return figures.best([(mode, game, transport, encoding, rows) for transport in TRANSPORTS])


def _engines(figures: Figures) -> Iterator[Verdict]:
    for game, wanted in ((STACKCRAFT, 0.5), ("BlockPuzzle8-v1", 0.4)):
        engine, reference = ("engine", game, "packed"), ("C", game, "-O2")
        if figures.has(engine, reference):
            ratio = figures.ratio(engine, reference)
            rates = f"{rate_text(figures.rate(engine))} and {rate_text(figures.rate(reference))} steps/s"
            yield Verdict(
                f"{game}: engine against the C reference",
                f"{wanted}",
                f"{ratio_text(ratio)}: {rates}",
                ratio.middle >= wanted,
            )


def _bags(figures: Figures) -> Iterator[Verdict]:
    engine, bags = ("engine", STACKCRAFT, "packed"), ("bags", STACKCRAFT)
    if figures.has(engine, bags):
        rate, each = figures.rate(engine), figures.rate(bags)
        microseconds = Spread(1e6 / each.middle, 1e6 / each.high, 1e6 / each.low)
        yield Verdict(f"{STACKCRAFT}: engine, exact stream", "2.5 M steps/s", rate_text(rate), rate.middle >= 2.5e6)
        yield Verdict(
            f"{STACKCRAFT}: one bag, amortised", "at most 1.5 us", ratio_text(microseconds), microseconds.middle <= 1.5
        )


def _end_to_end(
    figures: Figures, mode: str, rows: str, wanted: dict[str, float], tray_wanted: float
) -> Iterator[Verdict]:
    name = {"two": "two in flight", "lock-step": "lock-step"}[mode]
    for game in (STACKCRAFT, *TRAYS):
        key, engine = best_of(figures, mode, game, rows), ("engine", game, "packed")
        if key is None:
            continue
        least = wanted.get(game, tray_wanted)
        rate = figures.rate(key)
        yield Verdict(
            f"{game}: end to end, {int(rows):,} rows, {name}",
            f"{least / 1e6:.1f} M steps/s",
            f"{rate_text(rate)} over {key[2]}",
            rate.middle >= least,
        )
        if mode == "two" and figures.has(engine):
            ratio = figures.ratio(key, engine)
            yield Verdict(
                f"{game}: the same, against the engine with packing alone",
                "0.55",
                ratio_text(ratio),
                ratio.middle >= 0.55,
            )


def _single(figures: Figures) -> Iterator[Verdict]:
    for game in (STACKCRAFT, "BlockPuzzle8-v1"):
        key, echo = ("single", game, "stdio pinned", "packed"), ("echo", "stdio pinned", "64")
        if not figures.has(key, echo):
            continue
        rate, bare = figures.rate(key), figures.rate(echo)
        ratio = Spread(rate.middle / bare.middle, rate.low / bare.high, rate.high / bare.low)
        yield Verdict(
            f"{game}: one environment over stdio, pinned", "50 k steps/s", rate_text(rate), rate.middle >= 5e4
        )
        yield Verdict(
            f"{game}: the same, against a bare line's round trip ({rate_text(bare)}/s)",
            "0.5",
            ratio_text(ratio),
            ratio.middle >= 0.5,
        )


def _rivals(figures: Figures) -> Iterator[Verdict]:
    rivals = (
        ("pure Python under SyncVectorEnv", ("pure Python", STACKCRAFT, "1024"), 40),
        ("Jumanji's Tetris stepped from Python", ("jumanji", "stepped", "1024"), 4),
        ("Jumanji's Tetris in a loop inside XLA", ("jumanji", "scanned", "1024"), 4),
    )
    key = best_of(figures, "lock-step", STACKCRAFT, "1024")
    for name, rival, wanted in rivals:
        if key is not None and figures.has(rival):
            ratio = figures.ratio(key, rival)
            found = f"{ratio_text(ratio)}: {rate_text(figures.rate(rival))} steps/s there"
            yield Verdict(
                f"{STACKCRAFT}, 1,024 rows, lock-step, against {name}", f"{wanted} times", found, ratio.middle >= wanted
            )


def _scaling(figures: Figures) -> Iterator[Verdict]:
    for game in (STACKCRAFT, *TRAYS, "Hourloom-v1"):
        for transport in TRANSPORTS:
            keys = [("lock-step", game, transport, "packed", str(rows)) for rows in (256, 1024, 4096, 16384)]
            if figures.has(*keys):
                costs = [1e9 / figures.rate(key).middle for key in keys]
                # A tenth more is within what repeats differ by.
                falling = all(later <= 1.1 * earlier for earlier, later in itertools.pairwise(costs))
                found = ", ".join(f"{cost:.0f}" for cost in costs)
                yield Verdict(
                    f"{game} over {transport}: ns a step at 256, 1,024, 4,096 and 16,384 rows",
                    "falling or flat",
                    found,
                    falling,
                )
