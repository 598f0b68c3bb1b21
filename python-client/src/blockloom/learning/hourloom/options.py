"""What can be undertaken next in a lap, and how it would be played.

An option is a way to a target, planned over the turns to come around the echoes, whose ways are known, and perhaps a
stay there. Which option is taken is for a policy to learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blockloom.learning.hourloom.chambers import ECHOES, GATES, LAPS, SPARKS, Chambers, Position
from blockloom.learning.hourloom.grids import SIDE, Bits, Bools, Ints, has, has_one, single
from blockloom.learning.hourloom.needs import Needs
from blockloom.learning.hourloom.times import WAIT, Times

PLATES = 2 * GATES
# Targets, and the options in the same order, but that each plate has HOLDS options.
KEYSTONE, EXIT, SPARK, GATE, PLATE = 0, 1, 2, 2 + SPARKS, 2 + SPARKS + GATES
TARGETS = PLATE + PLATES
MARGINS = (0, 2, 5)
HOLDS = len(MARGINS) + 1
"""To stay on a plate for as long as its passer needs and so many turns more, or for as long as there is time."""
OPTIONS = PLATE + HOLDS * PLATES
TARGET_OF = np.concatenate([np.arange(PLATE), np.repeat(np.arange(PLATE, TARGETS), HOLDS)])
"""``[OPTIONS]`` the target of each option."""
_PEACE = 3
"""Turns at the start of a lap in which nobody steps onto the alcove of a later lap."""


@dataclass
class Options:
    """The options of n rows. Times count from now.

    Attributes:
        possible: Bool ``(n, OPTIONS)``. Where a row's lap can still be finished, only what leaves it so is possible.
        target: Tiles ``(n, TARGETS)``, -1 for a target that is not there.
        arrival: When each option reaches its target, ``(n, OPTIONS)``.
        end: When it is over: later than the arrival for a stay.
        last: The last time at which each target is a place from which the lap can be finished, ``(n, TARGETS)``.
        doomed: Bool ``(n,)``: no way is known in which the lap can be finished.
        patience: For how many turns the player could wait where it is and still finish the lap, ``(n,)``.
    """

    possible: Bools
    target: Ints
    arrival: Ints
    end: Ints
    last: Ints
    doomed: Bools
    patience: Ints
    _times: Times
    _there: Bits

    def inputs(self, rows: Ints, option: Ints) -> npt.NDArray[np.int8]:
        """The inputs ``(len(rows), turns)`` of one option for each of some rows, -1 behind the end."""
        arrival, end = self.arrival[rows, option][:, None], self.end[rows, option][:, None]
        target = self.target[rows, TARGET_OF[option]]
        inputs = self._times.of(rows).trace(self._there[:, rows], target, arrival[:, 0], option == EXIT)
        turn = np.arange(inputs.shape[1])
        inputs[(turn >= arrival) & (turn < end)] = WAIT
        return inputs


def survey(chambers: Chambers, at: Position, needs: Needs) -> Options:
    """The options of rows in which a lap is running."""
    target = _targets(chambers, at, needs)
    times = _times(chambers, at)
    there, out = times.forward(single(at.player), (chambers.gate[at.rows] == at.player[:, None]).any(axis=1))
    to_exit = times.to_exit()
    to_key = times.to_keystone(single(target[:, KEYSTONE]), to_exit)
    good = np.where(at.has_keystone[:, None], to_exit, to_key)
    doomed = np.logical_not(has_one(good[0], at.player))

    in_time = np.arange(times.turns + 1)[:, None] <= times.sand
    safe = has(np.where(doomed[:, None], there, good), target)
    safe[:, :, EXIT] = has_one(out, target[:, EXIT]) & at.has_keystone
    can = has(there, target)
    can[:, :, EXIT] = safe[:, :, EXIT]
    safe = np.logical_and(safe, in_time[:, :, None])
    can = can & safe
    arrival = can.argmax(axis=0)
    reached: Bools = np.any(can, axis=0)
    # Only a stay makes sense where one already is.
    reached[:, :PLATE] &= arrival[:, :PLATE] > 0
    end, held = _holds(at, needs, times, target, safe, arrival, reached & ~doomed[:, None])

    arrival_of = arrival[:, TARGET_OF]
    return Options(
        possible=np.concatenate([reached[:, :PLATE], held], axis=1),
        target=target,
        arrival=arrival_of,
        end=np.concatenate([arrival_of[:, :PLATE], end], axis=1),
        last=times.turns - safe[::-1].argmax(axis=0),
        doomed=doomed,
        patience=np.logical_and.accumulate(has_one(good, at.player), axis=0).sum(axis=0),
        _times=times,
        _there=there,
    )


def _targets(chambers: Chambers, at: Position, needs: Needs) -> Ints:
    target = np.full((len(at.rows), TARGETS), -1, np.int64)
    target[:, KEYSTONE] = np.where(at.has_keystone, -1, chambers.keystone[at.rows, at.lap])
    target[:, EXIT] = chambers.exit[at.rows]
    target[:, SPARK:GATE] = at.sparks
    target[:, GATE:PLATE] = chambers.gate[at.rows]
    # Only a gate that a later lap has to pass is worth holding.
    target[:, PLATE:] = np.where(needs.wanted[:, :, None], chambers.plate[at.rows], -1).reshape(-1, PLATES)
    return target


def _times(chambers: Chambers, at: Position) -> Times:
    """What holds in the turns to come, so that the same inputs lead the same way when an echo repeats them.

    In its own lap the player moves before the echoes, later its echo moves after them. The ways agree where nobody
    enters a tile that an echo holds before or after the turn, nobody lets an echo in where it stood, and gates are
    held before and after. In the last lap, which nothing repeats, the last two need not be.
    """
    turns, n = int(at.sand.max(initial=1)), len(at.rows)
    tiles = chambers.echo_tiles(at, turns + 1)
    bodies = np.zeros((turns + 1, n, SIDE), np.uint16)
    for k in range(ECHOES):
        bodies |= single(tiles[:, k].T)
    now, after = bodies[:-1], bodies[1:]
    last = (at.lap == at.laps - 1)[:, None]
    lit = chambers.lit[at.rows, (at.turn + np.arange(turns)[:, None]) % 4]
    later = single(np.where(np.arange(LAPS) > at.lap[:, None], chambers.alcove[at.rows], -1))
    early = (at.turn + 1 + np.arange(turns)[:, None]) <= _PEACE
    yielded = np.where(early[:, :, None], np.bitwise_or.reduce(later, axis=1), np.uint16(0))
    opened = _opened(chambers, at, now, after, last)
    return Times(
        sand=at.sand,
        enter=(chambers.floor[at.rows] | opened) & ~(now | after | lit | yielded),
        stay=~(after | lit),
        leave=~np.where(last, np.uint16(0), after),
        exit=single(chambers.exit[at.rows]) & ~now,
    )


def _opened(chambers: Chambers, at: Position, now: Bits, after: Bits, last: Bools) -> Bits:
    """The gates that stand open on each turn."""
    plates = chambers.plate[at.rows].reshape(-1, PLATES)
    shape = len(now), len(plates), GATES, 2
    held = (has(now, plates) | (plates < 0)).reshape(shape).all(axis=3)
    held &= (has(after, plates) | (plates < 0)).reshape(shape).all(axis=3) | last
    opened = np.zeros_like(now)
    for gate in range(GATES):
        opened |= np.where(held[:, :, gate, None], single(chambers.gate[at.rows, gate]), np.uint16(0))
    return opened


def _holds(
    at: Position, needs: Needs, times: Times, target: Ints, safe: Bools, arrival: Ints, reached: Bools
) -> tuple[Ints, Bools]:
    """Until when each plate would be held, ``(n, HOLDS * PLATES)``, and whether that can be."""
    n, turns = len(at.rows), times.turns
    there = arrival[:, PLATE:]
    time = np.arange(turns + 1)[:, None, None]
    broken = np.ones((turns + 1, n, PLATES), np.bool_)
    broken[:turns] = ~has(times.stay, target[:, PLATE:]) & (time[:turns] >= there)
    good = safe[:, :, PLATE:] & (time >= there) & (time <= broken.argmax(axis=0))
    first = np.maximum(needs.ready.reshape(n, PLATES) - at.turn[:, None], there)
    need = first + 2 * np.repeat(needs.depth, 2, axis=1) + 1
    end = np.zeros((n, PLATES, HOLDS), np.int64)
    can = np.zeros((n, PLATES, HOLDS), np.bool_)
    for number, margin in enumerate(MARGINS):
        enough = good & (time >= need + margin)
        end[:, :, number] = enough.argmax(axis=0)
        can[:, :, number] = enough.any(axis=0)
    end[:, :, -1] = turns - good[::-1].argmax(axis=0)
    can[:, :, -1] = good.any(axis=0)
    can &= reached[:, PLATE:, None] & (end > 0)
    for number in range(HOLDS - 1):  # the same stay is offered once
        for other in range(number + 1, HOLDS):
            can[:, :, number] &= ~(can[:, :, other] & (end[:, :, number] == end[:, :, other]))
    return end.reshape(n, -1), can.reshape(n, -1)
