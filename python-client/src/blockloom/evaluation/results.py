"""Figures of what was played: means with intervals, quantiles, and agents compared on equal seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom.evaluation.episodes import Counts

QUANTILES = (5, 25, 75, 95)
"""In percent; the median has a name of its own."""

_RESAMPLES = 10_000
_MOST_DRAWS = 2_000_000


def interval(values: npt.NDArray[Any], *, resamples: int = _RESAMPLES) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean: percentiles of the means of samples drawn from the values.

    The generator is fixed, so that the same values always have the same interval.

    Args:
        values: ``(n,)`` numbers, n at least 1.
        resamples: How many samples are drawn.

    Returns:
        Its two ends.
    """
    rng = np.random.default_rng(0)
    part = max(1, _MOST_DRAWS // len(values))
    sizes = [min(part, resamples - first) for first in range(0, resamples, part)]
    means = np.concatenate([rng.choice(values, (size, len(values))).mean(axis=1) for size in sizes])
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


@dataclass(frozen=True)
class Summary:
    """Figures of one number a game."""

    mean: float
    low: float
    """The lower end of the 95 % bootstrap interval of the mean."""
    high: float
    """Its upper end."""
    median: float
    quantiles: dict[int, float]
    """By percent, for each of 5, 25, 75 and 95."""

    def to_json(self) -> dict[str, Any]:
        """The same for `json.dumps`."""
        ends = {"mean": self.mean, "low": self.low, "high": self.high, "median": self.median}
        return {**ends, "quantiles": {str(percent): value for percent, value in self.quantiles.items()}}


def summary(values: npt.NDArray[Any]) -> Summary:
    """The figures of ``(n,)`` numbers."""
    low, high = interval(values)
    cuts = np.quantile(values, [percent / 100 for percent in QUANTILES])
    return Summary(
        mean=float(values.mean()),
        low=low,
        high=high,
        median=float(np.median(values)),
        quantiles={percent: float(cut) for percent, cut in zip(QUANTILES, cuts, strict=True)},
    )


@dataclass(frozen=True)
class Played:
    """What an agent did with every seed."""

    agent: str
    outcomes: dict[str, Counts]
    """int64 ``(seeds,)``: the game's outcomes by name, ``steps``, ``truncated`` (0 or 1), and ``illegal``."""
    seconds: float
    """By the clock, for playing and thinking."""

    @property
    def truncated(self) -> float:
        """The share of games that reached the cap."""
        return float(self.outcomes["truncated"].mean())

    @property
    def illegal(self) -> int:
        """How many actions were refused."""
        return int(self.outcomes["illegal"].sum())

    @property
    def steps_per_second(self) -> float:
        """Steps of all games by the clock."""
        return float(self.outcomes["steps"].sum()) / max(self.seconds, 1e-9)

    def summary(self, outcome: str) -> Summary:
        """The figures of an outcome, or of ``steps``."""
        return summary(self.outcomes[outcome])

    def to_json(self) -> dict[str, Any]:
        """The same for `json.dumps`, with the result of every seed."""
        figures = [name for name in self.outcomes if name not in ("truncated", "illegal")]
        return {
            "agent": self.agent,
            "outcomes": {name: self.summary(name).to_json() for name in figures},
            "truncated": self.truncated,
            "illegal": self.illegal,
            "seconds": round(self.seconds, 3),
            "steps_per_second": round(self.steps_per_second, 1),
            "by_seed": {name: values.tolist() for name, values in self.outcomes.items()},
        }


@dataclass(frozen=True)
class Comparison:
    """Two agents on equal seeds: the first one's outcome minus the second one's."""

    first: str
    second: str
    difference: float
    """The mean over the seeds."""
    low: float
    """The lower end of the 95 % bootstrap interval of the difference."""
    high: float
    """Its upper end."""
    wins: int
    """Seeds on which the first has more."""
    ties: int
    losses: int

    def to_json(self) -> dict[str, Any]:
        """The same for `json.dumps`."""
        return dict(vars(self))


def compare(first: Played, second: Played, outcome: str) -> Comparison:
    """Compares two agents that played the same seeds."""
    differences = first.outcomes[outcome] - second.outcomes[outcome]
    low, high = interval(differences)
    return Comparison(
        first=first.agent,
        second=second.agent,
        difference=float(differences.mean()),
        low=low,
        high=high,
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
    )


@dataclass(frozen=True)
class Evaluation:
    """What agents reach in a game."""

    game_id: str
    seeds: tuple[int, ...]
    cap: int
    """Most steps of a game."""
    outcome: str
    """What the agents are compared by."""
    config: dict[str, Any]
    """The game's own settings, where they are not the defaults."""
    played: tuple[Played, ...]
    """One for each agent."""

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every agent with every later one."""
        pairs = [(a, b) for i, a in enumerate(self.played) for b in self.played[i + 1 :]]
        return tuple(compare(first, second, self.outcome) for first, second in pairs)

    def text(self) -> str:
        """Tables for people."""
        from blockloom.evaluation.tables import as_text

        return as_text(self)

    def to_json(self) -> dict[str, Any]:
        """All figures, and the result of every seed, for `json.dumps`."""
        return {
            "game": self.game_id,
            "outcome": self.outcome,
            "cap": self.cap,
            "config": self.config,
            "seeds": list(self.seeds),
            "agents": [played.to_json() for played in self.played],
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
        }
