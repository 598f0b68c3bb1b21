"""Which tiles can be stood on when, and the ways that lead there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blockloom.learning.hourloom.grids import SIDE, TILES, Bits, Bools, Ints, beside, has_one

WAIT = 4
# [4] what N, E, S, W add to the tile
_STEP = (-SIDE, 1, SIDE, -1)


@dataclass
class Times:
    """What holds in the turns to come, of n rows: index 0 is the turn that is about to be played.

    Attributes:
        sand: Grains left, ``(n,)``.
        enter: Sets ``(turns, n, 9)`` that may be entered on a turn, without the exit.
        stay: Sets on which one may wait.
        leave: Sets that one may leave.
        exit: Sets: the exit, on turns when nobody stands there.
    """

    sand: Ints
    enter: Bits
    stay: Bits
    leave: Bits
    exit: Bits

    @property
    def turns(self) -> int:
        """How many turns are looked ahead."""
        return len(self.enter)

    def of(self, rows: Ints) -> Times:
        """The same for some of the rows."""
        return Times(self.sand[rows], self.enter[:, rows], self.stay[:, rows], self.leave[:, rows], self.exit[:, rows])

    def forward(self, start: Bits, must_move: Bools) -> tuple[Bits, Bits]:
        """Where one can be: sets ``(turns + 1, n, 9)`` off the exit, and on the exit.

        Rows in `must_move` do not wait on the first turn.
        """
        there = np.zeros((self.turns + 1, *start.shape), np.uint16)
        out = np.zeros_like(there)
        there[0] = start
        for turn in range(self.turns):
            now = there[turn]
            near = beside(now & self.leave[turn])
            stay = now & self.stay[turn]
            if turn == 0:
                stay[must_move] = 0
            there[turn + 1] = stay | (near & self.enter[turn])
            out[turn + 1] = near & self.exit[turn]
        return there, out

    def to_exit(self) -> Bits:
        """Sets ``(turns + 1, n, 9)`` from which the exit is reached before the sand is spent."""
        good = np.zeros((self.turns + 1, len(self.sand), SIDE), np.uint16)
        for turn in range(self.turns - 1, -1, -1):
            out = np.where((turn < self.sand)[:, None], self.exit[turn], np.uint16(0))
            good[turn] = self._before(turn, good[turn + 1], out)
        return good

    def to_keystone(self, keystone: Bits, after: Bits) -> Bits:
        """Sets from which the keystone ``(n, 9)`` is reached where `after`, the sets from `to_exit`, has it."""
        good = np.zeros_like(after)
        good[self.turns] = after[self.turns] & keystone
        nowhere = np.zeros_like(keystone)
        for turn in range(self.turns - 1, -1, -1):
            before = self._before(turn, good[turn + 1], nowhere)
            good[turn] = (before & ~keystone) | (after[turn] & keystone)
        return good

    def _before(self, turn: int, good: Bits, out: Bits) -> Bits:
        target = (good & self.enter[turn]) | out
        before: Bits = (beside(target) & self.leave[turn]) | (good & self.stay[turn])
        return before

    def trace(self, there: Bits, target: Ints, arrival: Ints, to_exit: Bools) -> npt.NDArray[np.int8]:
        """Inputs ``(n, turns)`` that lead to each target ``(n,)`` at its time of arrival; -1 from then on.

        Args:
            there: Sets from `forward`.
            target: Tiles.
            arrival: Turns from now.
            to_exit: Whether the target is the exit.
        """
        inputs = np.full((len(target), self.turns), -1, np.int8)
        at = target.copy()
        for turn in range(int(arrival.max(initial=0)) - 1, -1, -1):
            going = turn < arrival
            stays = has_one(there[turn] & self.stay[turn], at) & ~(to_exit & (turn == arrival - 1))
            chosen = np.where(going & stays, WAIT, -1)
            leaving = there[turn] & self.leave[turn]
            for direction, step in enumerate(_STEP):
                origin = _origin(at, direction)
                fits = going & (chosen < 0) & has_one(leaving, origin)
                chosen[fits] = direction
                at = np.where(fits, at - step, at)
            inputs[going, turn] = chosen[going]
        return inputs


def _origin(tile: Ints, direction: int) -> Ints:
    """The tile from which a step leads to each tile; -1 over the edge."""
    origin = tile - _STEP[direction]
    inside = (origin >= 0) & (origin < TILES)
    if direction % 2 == 1:
        inside &= origin // SIDE == tile // SIDE
    found: Ints = np.where(inside, origin, -1)
    return found
