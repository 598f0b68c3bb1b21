"""An evaluation as text."""

from __future__ import annotations

from collections.abc import Sequence

from blockloom.evaluation.results import QUANTILES, Comparison, Evaluation, Played


def as_text(evaluation: Evaluation) -> str:
    """The figures of each agent, and of each pair on equal seeds."""
    games = len(evaluation.seeds)
    settings = "".join(f", {name}={value}" for name, value in evaluation.config.items())
    lines = [
        f"{evaluation.game_id}{settings}: {evaluation.outcome} of {_count(games, 'game')}, seeds "
        f"{_seeds(evaluation.seeds)}, at most {_count(evaluation.cap, 'step')} each",
        "",
        *_table(
            [
                ["agent", "mean", "95 % interval", *_quantile_titles(), "truncated", "illegal", "steps/s"],
                *(_figures(played, evaluation.outcome) for played in evaluation.played),
            ]
        ),
    ]
    pairs = evaluation.comparisons
    if pairs:
        head = ["on equal seeds", "difference", "95 % interval", "wins", "ties", "losses"]
        lines += ["", *_table([head, *map(_pair, pairs)])]
    return "\n".join(lines)


def number(value: float) -> str:
    """With commas; digits behind the point where there are few before it."""
    if float(value).is_integer() and abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.1f}" if abs(value) >= 100 else f"{value:,.2f}"


def _quantile_titles() -> list[str]:
    titles = [f"{percent} %" for percent in QUANTILES]
    return [*titles[:2], "median", *titles[2:]]


def _figures(played: Played, outcome: str) -> list[str]:
    figures = played.summary(outcome)
    cuts = [number(figures.quantiles[percent]) for percent in QUANTILES]
    return [
        played.agent,
        number(figures.mean),
        f"{number(figures.low)} to {number(figures.high)}",
        *cuts[:2],
        number(figures.median),
        *cuts[2:],
        f"{played.truncated:.1%}",
        f"{played.illegal:,}",
        f"{played.steps_per_second:,.0f}",
    ]


def _pair(pair: Comparison) -> list[str]:
    return [
        f"{pair.first} - {pair.second}",
        f"{'+' if pair.difference > 0 else ''}{number(pair.difference)}",
        f"{number(pair.low)} to {number(pair.high)}",
        f"{pair.wins:,}",
        f"{pair.ties:,}",
        f"{pair.losses:,}",
    ]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _seeds(seeds: Sequence[int]) -> str:
    if list(seeds) == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]}:{seeds[0] + len(seeds)}"
    return f"from {min(seeds)} to {max(seeds)}"
