"""What is measured: contestants, each with figures from several repeats."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

Key: TypeAlias = tuple[str, ...]
"""What names a contestant, such as ``("engine", "Stackcraft-v1", "packed")``."""

Measure: TypeAlias = Callable[[float], tuple[float, float]]
"""Works for so many seconds; returns how much was done, and the seconds that it took."""


@dataclass
class Contestant:
    """Something whose speed is measured."""

    key: Key
    measure: Measure


@dataclass
class Spread:
    """A median with the least and the greatest of several figures."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        return cls(statistics.median(values), min(values), max(values))


@dataclass
class Figures:
    """Figures a second by contestant, one of each repeat, in the order of the repeats."""

    rates: dict[Key, list[float]] = field(default_factory=dict)

    def add(self, key: Key, rate: float) -> None:
        self.rates.setdefault(key, []).append(rate)

    def has(self, *keys: Key) -> bool:
        return all(key in self.rates for key in keys)

    def rate(self, key: Key) -> Spread:
        return Spread.of(self.rates[key])

    def ratio(self, key: Key, other: Key) -> Spread:
        """How many times as fast a contestant is as another, repeat by repeat: they ran side by side."""
        return Spread.of([a / b for a, b in zip(self.rates[key], self.rates[other], strict=True)])

    def best(self, keys: list[Key]) -> Key | None:
        """The contestant with the highest median of those that ran."""
        return max((key for key in keys if key in self.rates), key=lambda key: self.rate(key).middle, default=None)


def run_interleaved(
    contestants: list[Contestant], figures: Figures, *, repeats: int, seconds: float, say: Callable[[str], None]
) -> None:
    """Measures all contestants in turn, as often as there are repeats."""
    for repeat in range(repeats):
        for contestant in contestants:
            amount, elapsed = contestant.measure(seconds)
            figures.add(contestant.key, amount / elapsed)
            say(f"{repeat + 1}/{repeats} {' '.join(contestant.key):<58} {amount / elapsed:>14,.0f}/s")
