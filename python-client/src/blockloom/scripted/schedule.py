"""Who does what in which order in a chamber, and when by plain distances.

A gate is passed at a meeting: earlier laps stand on its plates from the turn on which the passer steps in until it is
back on the gate. A lap that was walked already stands where it stood; a meeting that counts on it fits into that time.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from blockloom.scripted.chamber import Chamber, Gate

HORIZON = 72
"""The most turns of a lap."""
HOPELESS = 10_000
"""The cost of a schedule that cannot be kept."""
_SLACK = 2
_COMFORTABLE = 56
_STEPS_A_GATE = 12

Path = list[int]
"""The tile of a lap at each point in time."""


@dataclass(frozen=True)
class Schedule:
    """A plan without times."""

    order: tuple[int, ...]
    """The gates in the order of their meetings."""
    holders: tuple[tuple[int, ...], ...]
    """Of each gate, the laps that hold its plates."""
    keystone_last: tuple[bool, ...]
    """Of each lap, whether a keystone in the open is taken last."""


@dataclass
class Times:
    """The turns on which the meetings of each gate start and end, and what it costs."""

    start: list[int]
    end: list[int]
    cost: int


class Scheduler:
    """Draws schedules of a chamber.

    Args:
        chamber: The chamber.
        paths: What was walked in earlier laps.
        chance: What draws.
    """

    def __init__(self, chamber: Chamber, paths: list[Path], chance: random.Random) -> None:
        self.chamber = chamber
        self.paths = paths
        self.first = len(paths)
        self._chance = chance
        self.stays = {
            (lap, plate): stays(path, plate)
            for lap, path in enumerate(paths)
            for g in chamber.gates
            for plate in g.plates
        }
        self._choices = [[self._able(gate, plate) for plate in gate.plates] for gate in chamber.gates]

    @property
    def possible(self) -> bool:
        """Whether every plate has somebody who can hold it."""
        return all(laps for gate in self._choices for laps in gate)

    def _able(self, gate: Gate, plate: int) -> list[int]:
        """The laps that can hold a plate of a gate."""
        needed = 2 * gate.depth + 1
        past = [lap for lap in range(self.first) if any(b - a >= needed for a, b in self.stays[lap, plate])]
        return past + list(range(self.first, gate.passer))

    def draw(self) -> tuple[Schedule, int]:
        """A schedule by a short climb from a random start, and its cost."""
        chance = self._chance
        count = len(self.chamber.gates)
        order = list(range(count))
        chance.shuffle(order)
        holders = [self._draw_holders(gate) for gate in range(count)]
        last = [chance.random() < 0.5 for _ in range(self.chamber.laps)]
        best = Schedule(tuple(order), tuple(holders), tuple(last))
        cost = self.times(best).cost
        for _ in range(_STEPS_A_GATE * count):
            other = self._change(best)
            its = self.times(other).cost
            if its <= cost:
                best, cost = other, its
        return best, cost

    def _draw_holders(self, gate: int) -> tuple[int, ...]:
        chosen: list[int] = []
        for laps in self._choices[gate]:
            free = [lap for lap in laps if lap not in chosen] or laps
            chosen.append(self._chance.choice(free))
        return tuple(chosen)

    def _change(self, old: Schedule) -> Schedule:
        chance, count = self._chance, len(self.chamber.gates)
        kind = chance.randrange(5 if count > 1 else 3)
        if kind >= 3:
            order = list(old.order)
            a, b = chance.randrange(count), chance.randrange(count)
            order[a], order[b] = order[b], order[a]
            return Schedule(tuple(order), old.holders, old.keystone_last)
        if kind >= 1 and count:
            gate = chance.randrange(count)
            holders = list(old.holders[gate])
            which = chance.randrange(len(holders))
            free = [lap for lap in self._choices[gate][which] if lap not in holders]
            if free:
                holders[which] = chance.choice(free)
            return Schedule(
                old.order, (*old.holders[:gate], tuple(holders), *old.holders[gate + 1 :]), old.keystone_last
            )
        lap = chance.randrange(self.chamber.laps)
        last = list(old.keystone_last)
        last[lap] = not last[lap]
        return Schedule(old.order, old.holders, tuple(last))

    def times(self, plan: Schedule, delay: list[int] | None = None, widen: list[int] | None = None) -> Times:
        """When the meetings are, if everybody walks the shortest way and nobody is in the way.

        Args:
            plan: The schedule.
            delay: Turns by which the meeting of each gate is put off.
            widen: Turns by which it lasts longer.
        """
        chamber, first = self.chamber, self.first
        count = len(chamber.gates)
        delay, widen = delay or [0] * count, widen or [0] * count
        time = [0] * chamber.laps
        place = [chamber.alcoves.get(lap, 0) for lap in range(chamber.laps)]
        open_laps = [lap for lap in range(first, chamber.laps) if lap not in chamber.passed]
        for lap in open_laps:
            if not plan.keystone_last[lap]:
                self._walk(time, place, lap, chamber.keystones[lap])
        times = Times([0] * count, [0] * count, 0)
        for number in plan.order:
            gate = chamber.gates[number]
            length = 2 * gate.depth + 1 + widen[number]
            begin = self._meet(gate, plan.holders[number], time, place, delay[number], length)
            if begin < 0:
                times.cost += HOPELESS
                begin = 0
            times.start[number], times.end[number] = begin, begin + length
            time[gate.passer], place[gate.passer] = begin + length, gate.tile
            for lap, plate in zip(plan.holders[number], gate.plates, strict=True):
                if lap >= first:
                    time[lap], place[lap] = begin + length, plate
        for lap in range(first, chamber.laps):
            if lap in open_laps and plan.keystone_last[lap]:
                self._walk(time, place, lap, chamber.keystones[lap])
            turns = time[lap] + chamber.steps[chamber.exit][place[lap]]
            times.cost += turns + 8 * max(0, turns - _COMFORTABLE) + HOPELESS * (turns > HORIZON)
        return times

    def _walk(self, time: list[int], place: list[int], lap: int, to: int) -> None:
        time[lap] += self.chamber.steps[to][place[lap]]
        place[lap] = to

    def _meet(
        self, gate: Gate, holders: tuple[int, ...], time: list[int], place: list[int], delay: int, length: int
    ) -> int:
        """The first turn on which all can be there for so long; -1: there is none."""
        steps = self.chamber.steps
        latest = time[gate.passer] + steps[gate.tile][place[gate.passer]] - 1
        kept: list[list[tuple[int, int]]] = []
        for lap, plate in zip(holders, gate.plates, strict=True):
            if lap >= self.first:
                latest = max(latest, time[lap] + steps[plate][place[lap]])
            else:
                kept.append(self.stays[lap, plate])
        begin = latest + _SLACK + delay
        if not kept:
            return begin
        # A lap that was walked does not come later, so there is no time to make way.
        begin = latest + delay
        for a, b in kept[0]:
            spans = [(a, b)] if len(kept) == 1 else [(max(a, c), min(b, d)) for c, d in kept[1]]
            for low, high in spans:
                if max(begin, low) + length <= high:
                    return max(begin, low)
        return -1


def stays(path: Path, tile: int) -> list[tuple[int, int]]:
    """From when to when a path stands on a tile: the first and the last point in time of each stay."""
    found: list[tuple[int, int]] = []
    for moment, here in enumerate(path):
        if here == tile:
            if found and found[-1][1] == moment - 1:
                found[-1] = (found[-1][0], moment)
            else:
                found.append((moment, moment))
    return found
