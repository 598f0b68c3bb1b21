"""The laps of a schedule, tile by tile: each lap is planned among the laps before it.

With p the tile of an earlier lap at the points in time t and t + 1, a step from A to B on turn t is taken only if B is
neither p(t) nor p(t + 1), A is not p(t + 1), and a gate's plates are held at both times. In its own lap the player
moves before that echo and later, as an echo, behind it; under these conditions it makes no difference, so every echo
walks as its lap was walked.
"""

from __future__ import annotations

from dataclasses import dataclass

from blockloom.scripted.chamber import SIDE, TILES, Chamber, spread
from blockloom.scripted.schedule import HOPELESS, HORIZON, Path, Schedule, Scheduler, Times

_MOMENTS = 2 * HORIZON
_ALCOVE_PEACE = 3
"""Points in time up to which nobody enters the alcove of a later lap."""
_PLATE_PEACE = 3
"""Points in time before a meeting at which an earlier lap stays off a plate that a later one will hold."""
_PLANS = 8
_MORE_TURNS = 2
_MOST_LATE = 12
_VISIT, _PASS, _HOLD = range(3)


@dataclass(frozen=True)
class Goal:
    """Something that a lap does on its way."""

    kind: int
    tile: int
    gate: int = -1


class Missed(Exception):
    """A lap cannot do what is planned: it comes so many turns late to a gate's meeting, or that is too short (0)."""

    def __init__(self, gate: int = -1, late: int = 0) -> None:
        super().__init__(gate, late)
        self.gate = gate
        self.late = late


def plan_laps(scheduler: Scheduler, schedule: Schedule) -> list[Path] | None:
    """The paths of the laps to come, or None. The scheduler knows the chamber and what was walked."""
    chamber = scheduler.chamber
    delay, widen = [0] * len(chamber.gates), [0] * len(chamber.gates)
    for _ in range(_PLANS):
        times = scheduler.times(schedule, delay, widen)
        if times.cost >= HOPELESS:
            return None
        paths = list(scheduler.paths)
        try:
            for lap in range(len(paths), chamber.laps):
                paths.append(LapPlan(chamber, schedule, times, paths, lap).path())
        except Missed as missed:
            if missed.gate < 0:
                return None
            if missed.late > 0:
                delay[missed.gate] += missed.late
            else:
                widen[missed.gate] += _MORE_TURNS
            continue
        return paths[len(scheduler.paths) :]
    return None


class LapPlan:
    """The search for one lap: breadth first over sets of tiles, one set for each number of goals behind it."""

    def __init__(self, chamber: Chamber, schedule: Schedule, times: Times, paths: list[Path], lap: int) -> None:
        self._chamber = chamber
        self._times = times
        self._lap = lap
        self._crowd = [0] * (_MOMENTS + 2)
        for path in paths:
            for moment, tile in enumerate(path):
                self._crowd[moment] |= 1 << tile
        self._goals = list(self._list_goals(schedule))
        self._yielded = self._yield_tiles(schedule)
        self._ground = self._lay_ground()
        self._reach = [[0] * (_MOMENTS + 2) for _ in range(len(self._goals) + 1)]

    def _list_goals(self, schedule: Schedule) -> list[Goal]:
        chamber, lap = self._chamber, self._lap
        goals = []
        for number in schedule.order:
            gate = chamber.gates[number]
            if gate.passer == lap:
                goals.append(Goal(_PASS, gate.keystone, number))
            for holder, plate in zip(schedule.holders[number], gate.plates, strict=True):
                if holder == lap:
                    goals.append(Goal(_HOLD, plate, number))
        if lap not in chamber.passed:
            keystone = Goal(_VISIT, chamber.keystones[lap])
            goals.insert(len(goals) if schedule.keystone_last[lap] else 0, keystone)
        return goals

    def _lay_ground(self) -> list[int]:
        chamber = self._chamber
        ground = [chamber.walk] * (len(self._goals) + 1)
        for layer, goal in enumerate(self._goals):
            place = 1 << goal.tile
            if goal.kind == _PASS:
                place |= chamber.gates[goal.gate].inside
            ground[layer] |= place
            ground[layer + 1] |= place
        ground[-1] |= 1 << chamber.exit
        return ground

    def _yield_tiles(self, schedule: Schedule) -> list[int]:
        """Leaves the alcoves of later laps free at first, and the plates that later laps hold around their meetings."""
        chamber = self._chamber
        yielded = [0] * (_MOMENTS + 2)
        for later in range(self._lap + 1, chamber.laps):
            for moment in range(1, _ALCOVE_PEACE + 1):
                yielded[moment] |= 1 << chamber.alcoves[later]
        for number, gate in enumerate(chamber.gates):
            for holder, plate in zip(schedule.holders[number], gate.plates, strict=True):
                if holder > self._lap:
                    start, end = self._times.start[number], self._times.end[number]
                    for moment in range(max(0, start - _PLATE_PEACE), min(end, _MOMENTS) + 1):
                        yielded[moment] |= 1 << plate
        return yielded

    def path(self) -> Path:
        """The shortest path through all goals; raises `Missed`."""
        turns = self._search()
        return self._trace(turns)

    def _blocked(self, turn: int) -> tuple[int, int]:
        """The tiles that cannot be left or stayed on, and those that cannot be entered, on a turn."""
        crowd = self._crowd
        shut = crowd[turn] | crowd[turn + 1] | self._chamber.lit[turn & 3] | self._yielded[turn + 1]
        number = self._chamber.passed.get(self._lap)
        if number is not None:
            gate = self._chamber.gates[number]
            held = crowd[turn] & crowd[turn + 1]
            if not all(held >> plate & 1 for plate in gate.plates):
                shut |= 1 << gate.tile
        return crowd[turn + 1], shut

    def _advance(self, layer: int, turn: int, pressed: int, shut: int) -> None:
        tiles = self._reach[layer][turn] & ~pressed
        self._reach[layer][turn + 1] |= spread(tiles) & self._ground[layer] & ~shut

    def _search(self) -> int:
        reach, goals = self._reach, self._goals
        reach[0][0] = 1 << self._chamber.alcoves[self._lap]
        lowest, last = 0, len(goals)
        for turn in range(HORIZON):
            pressed, shut = self._blocked(turn)
            for layer in range(lowest, last + 1):
                if layer < last and self._at_goal(layer, turn):
                    lowest = layer + 1
                elif reach[layer][turn]:
                    self._advance(layer, turn, pressed, shut)
            if reach[last][turn + 1] >> self._chamber.exit & 1:
                return turn + 1
        raise self._missed(last, HORIZON - 1)

    def _at_goal(self, layer: int, turn: int) -> bool:
        """Passes tiles that reach their goal on to the next layer; whether this layer is over."""
        goal, reach = self._goals[layer], self._reach
        there = reach[layer][turn] & 1 << goal.tile
        if goal.kind != _HOLD:
            reach[layer + 1][turn] |= there
            if goal.kind == _PASS and self._is_missed(layer, turn):
                raise self._missed(layer, turn)
            return False
        start, end = self._times.start[goal.gate], self._times.end[goal.gate]
        if turn != start:
            return False
        if not there:
            raise self._missed(layer, turn)
        if any(crowd & there for crowd in self._crowd[start : end + 1]):
            raise Missed
        reach[layer + 1][end] |= there
        return True

    def _is_missed(self, layer: int, turn: int) -> bool:
        """Whether a passer has missed its meeting: not been to the keystone, or not come out again."""
        gate = self._goals[layer].gate
        tiles, end = self._reach[layer + 1][turn], self._times.end[gate]
        if turn == end:
            return not tiles
        return turn == end + 2 and not tiles & ~self._chamber.gates[gate].inside

    def _missed(self, wanted: int, turn: int) -> Missed:
        """What kept the lap from a layer: the gate it waits for or is shut in by, or the way to its plate."""
        goals, reach, layer = self._goals, self._reach, wanted
        while layer > 0 and not reach[layer][turn]:
            layer -= 1
        if layer > 0 and goals[layer - 1].kind == _PASS:
            gate = goals[layer - 1].gate
            if not reach[layer][turn] & ~self._chamber.gates[gate].inside:
                return Missed(gate)
        if layer == len(goals) or goals[layer].kind == _VISIT:
            return Missed(-1 if layer == len(goals) else goals[layer].gate)
        late = self._late(layer, turn)
        return Missed() if late is None else Missed(goals[layer].gate, late)

    def _late(self, layer: int, turn: int) -> int | None:
        """How many turns late the lap comes to a gate or a plate; 0 or less: in time; None: not soon."""
        goal, reach = self._goals[layer], self._reach
        if goal.kind == _HOLD:
            for late in range(1, _MOST_LATE + 1):
                self._advance(layer, turn + late - 1, *self._blocked(turn + late - 1))
                if reach[layer][turn + late] >> goal.tile & 1:
                    return late
            return None
        gate = self._chamber.gates[goal.gate]
        front = spread(1 << gate.tile) & ~gate.inside
        for moment in range(turn + _MOST_LATE + 1):
            if reach[layer][moment] & front:
                return moment - self._times.start[goal.gate]
            if moment >= turn:
                self._advance(layer, moment, *self._blocked(moment))
        return None

    def _trace(self, turns: int) -> Path:
        """Walks back from the exit; waiting is preferred, so a lap goes where it is needed and waits there."""
        reach, goals = self._reach, self._goals
        path = [0] * (turns + 1)
        layer, moment, tile = len(goals), turns, self._chamber.exit
        path[moment] = tile
        while True:
            if layer > 0 and tile == goals[layer - 1].tile:
                goal = goals[layer - 1]
                hold = goal.kind == _HOLD
                if moment == self._times.end[goal.gate] if hold else reach[layer - 1][moment] >> tile & 1:
                    since = self._times.start[goal.gate] if hold else moment
                    while moment > since:
                        moment -= 1
                        path[moment] = tile
                    layer -= 1
                    continue
            if moment == 0:
                return path
            tile = self._before(layer, moment, tile)
            moment -= 1
            path[moment] = tile

    def _before(self, layer: int, moment: int, tile: int) -> int:
        """The tile that the lap was on a turn earlier."""
        able = self._reach[layer][moment - 1] & ~self._crowd[moment]
        if able >> tile & 1:
            return tile
        for step in (-SIDE, 1, SIDE, -1):
            other = tile + step
            if 0 <= other < TILES and able >> other & 1 and spread(1 << tile) >> other & 1:
                return other
        raise Missed
