"""What the gates of a chamber need from the laps to come, and what they have already."""

from __future__ import annotations

import numpy as np

from blockloom.learning.hourloom.chambers import GATES, LAPS, LONGEST, Chambers, Position
from blockloom.learning.hourloom.grids import FAR, Bools, Floats, Ints

_LATEST, _LATE = 24, 32


def windows(held: Bools, since: Ints, need: Ints) -> tuple[Ints, Ints]:
    """The longest run of True along the last axis from `since` on, and where the first of length `need` begins.

    One that is not there begins at the end of the axis.
    """
    length = held.shape[-1]
    time = np.arange(length, dtype=np.int16)
    shut = np.where(held & (time >= since[..., None]), np.int16(-1), time)
    run = time - np.maximum.accumulate(shut, axis=-1)
    enough = run >= need[..., None]
    start = np.where(enough.any(axis=-1), enough.argmax(axis=-1) - need + 1, length)
    return run.max(axis=-1).astype(np.int64), start.astype(np.int64)


def surplus(budget: Ints) -> Ints:
    """The grains that a lap's budget holds beyond the t turns that it was made for: 4 and t / 4, rounded up."""
    turns = np.arange(LONGEST)
    more: Ints = budget - np.searchsorted(turns + 4 + (turns + 3) // 4, budget)
    return more


class Needs:
    """Of n rows and their gates, ``(n, 5)``; of plates, ``(n, 5, 2)``. Times are turns of a lap.

    A lap passes a gate on the way to its keystone and back, 2 depth + 1 turns later; meanwhile an echo has to stand on
    each plate.

    Attributes:
        wanted: Whether a later lap has to pass.
        ahead: In how many laps.
        two: Whether the gate has two plates.
        since: The turn from which the passer can be there.
        need: For how many turns in a row all plates have to be held.
        held: Bool ``(n, 5, 2, span)``: when each plate is held by what was walked so far.
        served: Whether what was walked so far is enough.
        start: Since when it is; `span` where it is not.
        covered: The longest time for which a plate is held from `since` on.
        covered_since: Since when it is held for long enough; `span` where it is not.
        ready: From which turn on it is of use to hold a plate: not before the passer or who holds the other plate.
        depth: Steps from the gate to the keystone behind it.
        span: How many turns are looked at.
    """

    def __init__(self, chambers: Chambers, at: Position) -> None:
        rows = at.rows
        passer = chambers.passer[rows]
        self.ahead: Ints = passer - at.lap[:, None]
        self.wanted: Bools = self.ahead > 0
        self.two: Bools = chambers.plate[rows, :, 1] >= 0
        self.depth: Ints = chambers.depth[rows]
        self.since: Ints = np.maximum(chambers.approach[rows] - 1, 0)
        self.need: Ints = 2 * self.depth + 2
        self.span = max(int((at.turn + at.sand).max()), int(chambers.length[rows].max())) + 2
        self.held: Bools = chambers.held(at, self.span)
        window, self.start = windows(np.all(self.held, axis=2), self.since, self.need)
        self.served: Bools = window >= self.need
        twice = np.repeat(self.since[:, :, None], 2, axis=2), np.repeat(self.need[:, :, None], 2, axis=2)
        self.covered, self.covered_since = windows(self.held, *twice)
        self.ready: Ints = self._ready(chambers, at, passer)

    def _ready(self, chambers: Chambers, at: Position, passer: Ints) -> Ints:
        lap = np.arange(LAPS)
        between = (lap > at.lap[:, None, None]) & (lap < passer[:, :, None])  # [n, 5, laps]
        walk = chambers.from_alcove[at.rows].transpose(0, 2, 1).reshape(-1, GATES, 2, LAPS)
        soonest = np.where(between[:, :, None], walk, FAR).min(axis=3)
        start = self.covered_since
        other = np.where(start < self.span, start, np.where(soonest < FAR, soonest, 0))[:, :, ::-1]
        ready: Ints = np.maximum(self.since[:, :, None], np.where(self.two[:, :, None], other, 0))
        return ready

    def potential(self) -> Floats:
        """How much is done for the gates of later laps, ``(n,)``: 1 for each one served, 0.5 for one plate of two.

        A gate that opens later than its passer could be there counts less.
        """
        worth = 1 - np.minimum(self.start - self.since, _LATEST) / _LATE
        covered = self.covered >= self.need[:, :, None]
        late = np.minimum(self.covered_since - self.since[:, :, None], _LATEST) / _LATE
        half = np.where(covered & self.two[:, :, None], 0.5 - late / 2, 0).max(axis=2)
        done = np.where(self.served, worth, half)
        potential: Floats = np.where(self.wanted, done, 0).sum(axis=1).astype(np.float32)
        return potential

    def after(self, there: Ints, until: Ints) -> tuple[Ints, Ints]:
        """For how long a gate will stand open for its passer after each stay, and since when for long enough.

        Args:
            there: The turns on which stays on the plates begin, ``(n, 5, 2, k)``.
            until: The last turns of these stays.
        """
        time = np.arange(self.span)
        mine = (time >= there[..., None]) & (time <= until[..., None])
        held = (self.held[:, :, :, None] | mine) & self.held[:, :, ::-1, None]
        since, need = (np.broadcast_to(a[:, :, None, None], there.shape) for a in (self.since, self.need))
        return windows(held, since, need)
