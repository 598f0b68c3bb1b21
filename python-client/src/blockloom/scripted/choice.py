"""Which of many plans a lap is walked by.

The sandglasses of later laps are not shown, and neither is the plan that they are made for. But a sandglass tells how
many turns that plan takes for its lap. So plans are drawn much as a chamber draws its own, those that agree with the
sandglasses seen so far stand for the chamber's own, and the plan is taken that would be in time by most of them.
"""

from __future__ import annotations

import random
from dataclasses import replace

from blockloom.scripted.chamber import Chamber
from blockloom.scripted.plan import plan_laps
from blockloom.scripted.schedule import HOPELESS, Path, Schedule, Scheduler

_DRAWS = 40
"""Schedules that are drawn for each gate in a round."""
_ROUNDS = 4
_ENOUGH = 5
"""Plans that take as long as the chamber's own, after which no further round is needed."""


def budget_for(turns: int) -> int:
    """The sandglass of a lap whose plan takes so many turns."""
    return turns + 4 + (turns + 3) // 4


class Choice:
    """The plan of one chamber, lap after lap."""

    def __init__(self) -> None:
        self.walked: list[Path] = []
        """The paths of the laps so far, the one in hand included; fewer where nothing was found."""
        self._ahead: list[Path] = []
        self._guesses: list[list[int]] | None = None
        """The turns of every lap by plans that the chamber may have been made for."""

    def plan(self, chamber: Chamber, budget: int) -> None:
        """Adds a path for the lap that starts, with those after it in mind, to those that were walked."""
        plans = self._draw(chamber, budget)
        if self._ahead:
            plans.append(self._ahead)
        if self._guesses is None:
            self._guesses = [turns_of(paths) for paths in plans]
        first = len(self.walked)
        self._guesses = [each for each in self._guesses if budget_for(each[first]) == budget] or self._guesses
        able = [paths for paths in plans if len(paths[0]) - 1 <= budget]
        if not able:
            # The chamber cannot be sealed any more, as far as is seen: this lap alone.
            lap = replace(chamber, laps=first + 1, gates=tuple(gate for gate in chamber.gates if gate.passer == first))
            able = [paths for paths in self._draw(lap, budget) if len(paths[0]) - 1 <= budget]
        if able:
            best = max(able, key=self._worth)
            self.walked, self._ahead = [*self.walked, best[0]], best[1:]

    def _draw(self, chamber: Chamber, budget: int) -> list[list[Path]]:
        """Plans for the lap that starts and all after it."""
        scheduler = Scheduler(chamber, self.walked, random.Random(0))
        found: dict[Schedule, list[Path] | None] = {}
        plans: list[list[Path]] = []
        for _ in range(_ROUNDS if scheduler.possible else 0):
            for _ in range(_DRAWS * max(1, len(chamber.gates))):
                schedule, cost = scheduler.draw()
                if cost < HOPELESS and schedule not in found:
                    found[schedule] = plan_laps(scheduler, schedule)
            plans = [paths for paths in found.values() if paths is not None]
            if self.walked or sum(budget_for(len(paths[0]) - 1) == budget for paths in plans) >= _ENOUGH:
                break
        return plans

    def _worth(self, paths: list[Path]) -> tuple[int, int]:
        """By how many of the guesses every lap would be in time; among equals, the fewest turns."""
        turns, first = turns_of(paths), len(self.walked)
        in_time = 0
        for guess in self._guesses or []:
            in_time += all(mine <= budget_for(its) for mine, its in zip(turns, guess[first:], strict=False))
        return in_time, -sum(turns)


def turns_of(paths: list[Path]) -> list[int]:
    """How many turns each lap takes."""
    return [len(path) - 1 for path in paths]
