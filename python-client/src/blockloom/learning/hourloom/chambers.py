"""What observations tell of a chamber, and what was seen in it so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom.learning.hourloom.grids import (
    FAR,
    SIDE,
    TILES,
    Bits,
    Bools,
    Ints,
    beside,
    distances,
    pack,
    single,
    tiles_of,
    unpack,
)

LAPS, GATES, ECHOES, SPARKS = 6, 5, 5, 6
LONGEST = 96
"""More than the turns of any lap."""

# Where the scalars stand in the observation.
SAND, LAP_BUDGET, TURN, LAP, NUM_LAPS, HAS_KEYSTONE, SEALED, CHAMBER, MULTIPLIER = range(9)

Observation = Mapping[str, npt.NDArray[Any]]


@dataclass
class Position:
    """Where n rows stand; int64 arrays with one value a row unless a shape is given.

    Attributes:
        rows: Their places among the chambers.
        player: The player's tile.
        sand: Grains left.
        budget: Grains at the start of the lap.
        turn: Turns played in the lap.
        lap: Laps finished in the chamber.
        laps: Laps of the chamber.
        has_keystone: Bool.
        chamber: Number of the chamber.
        sparks: Tiles with a spark, ``(n, 6)``, -1 where there are fewer.
        echo: Tiles of the echoes, ``(n, 5)``.
        left: Inputs that each echo has left, ``(n, 5)``; 0 when it is gone.
    """

    rows: Ints
    player: Ints
    sand: Ints
    budget: Ints
    turn: Ints
    lap: Ints
    laps: Ints
    has_keystone: Bools
    chamber: Ints
    sparks: Ints
    echo: Ints
    left: Ints

    def of(self, which: Ints) -> Position:
        """Some of the rows."""
        return Position(*(array[which] for array in vars(self).values()))


def position(obs: Observation, rows: Ints) -> Position:
    """The position that `rows` of an observation show."""
    scalars, echoes = obs["scalars"][rows].astype(np.int64), obs["echoes"][rows].astype(np.int64)
    planes = obs["planes"][rows]
    return Position(
        rows=rows,
        player=planes[:, 20].reshape(-1, TILES).argmax(axis=1).astype(np.int64),
        sand=scalars[:, SAND],
        budget=scalars[:, LAP_BUDGET],
        turn=scalars[:, TURN],
        lap=scalars[:, LAP],
        laps=scalars[:, NUM_LAPS],
        has_keystone=scalars[:, HAS_KEYSTONE] > 0,
        chamber=scalars[:, CHAMBER],
        sparks=tiles_of(planes[:, 16] > 0, SPARKS),
        echo=echoes[:, :, 1] * SIDE + echoes[:, :, 2],
        left=echoes[:, :, 0] * echoes[:, :, 3],
    )


class Chambers:
    """The chambers of n rows, and the ways that were walked in them.

    Everything comes from observations. A row that is seen for the first time in the middle of a chamber is taken up
    with echoes of which only the place is known.
    """

    def __init__(self, n: int) -> None:
        self.floor: Bits = np.zeros((n, SIDE), np.uint16)
        """Tiles that are neither wall nor gate nor exit."""
        self.lit: Bits = np.zeros((n, 4, SIDE), np.uint16)
        """Flux tiles that are lit on turns with each remainder by 4."""
        self.exit: Ints = np.full(n, -1, np.int64)
        self.gate: Ints = np.full((n, GATES), -1, np.int64)
        self.plate: Ints = np.full((n, GATES, 2), -1, np.int64)
        self.keystone: Ints = np.full((n, LAPS), -1, np.int64)
        self.alcove: Ints = np.full((n, LAPS), -1, np.int64)
        self.passer: Ints = np.full((n, GATES), -1, np.int64)
        """The lap whose keystone is behind the gate."""
        self.depth: Ints = np.zeros((n, GATES), np.int64)
        """Steps from the gate to that keystone."""
        self.approach: Ints = np.zeros((n, GATES), np.int64)
        """Steps from the alcove of that lap to the gate."""
        self.leaving: Ints = np.zeros((n, GATES), np.int64)
        """Steps from the gate to the exit."""
        self.to_plate: npt.NDArray[np.int8] = np.full((n, 2 * GATES, TILES), FAR, np.int8)
        """Steps to each plate, were all gates open."""
        self.from_alcove: Ints = np.full((n, LAPS, 2 * GATES), FAR, np.int64)
        """Steps from each alcove to each plate."""
        self.path: npt.NDArray[np.int8] = np.full((n, LAPS, LONGEST + 2), -1, np.int8)
        """The tile at the start of each turn of each lap that was seen; -1: not seen."""
        self.length: Ints = np.zeros((n, LAPS), np.int64)
        """Turns of each finished lap."""
        self._last: Ints = np.full((n, 3), -1, np.int64)  # chamber, lap, turn

    def see(self, obs: Observation, rows: Ints) -> Position:
        """Takes note of what `rows` show."""
        seen = position(obs, rows)
        chamber, last_lap, last_turn = self._last[rows].T
        same = (chamber == seen.chamber) & (last_lap >= 0)
        first = (seen.lap == 0) & (seen.turn == 0)
        finished = same & ~first & (seen.lap == last_lap + 1)
        follows = finished | (
            same & (seen.lap == last_lap) & (seen.turn - last_turn >= 0) & (seen.turn <= last_turn + 1)
        )
        done, was, end = rows[finished], last_lap[finished], last_turn[finished] + 1
        self.path[done, was, end] = self.exit[done]
        self.length[done, was] = end
        live = obs["scalars"][rows, SEALED] == 0
        fresh = live & (first | ~follows)
        if fresh.any():
            self._enter(obs, seen, fresh)
        self.path[rows[live], seen.lap[live], seen.turn[live]] = seen.player[live]
        self._last[rows] = np.stack([seen.chamber, seen.lap, seen.turn], axis=1)
        return seen

    def _enter(self, obs: Observation, seen: Position, which: Bools) -> None:
        rows, lap, turn = seen.rows[which], seen.lap[which], seen.turn[which]
        planes = obs["planes"][rows]
        gates = planes[:, 6 : 6 + GATES]
        self.exit[rows] = tiles_of(planes[:, 2] > 0, 1)[:, 0]
        for gate in range(GATES):
            self.gate[rows, gate] = tiles_of(gates[:, gate] == 2, 1)[:, 0]
            self.plate[rows, gate] = tiles_of(gates[:, gate] == 1, 2)
        shut = (planes[:, 0] > 0) | (planes[:, 1] > 0) | (planes[:, 2] > 0) | (gates == 2).any(axis=1)
        self.floor[rows] = pack(~shut)
        now, then, flux = planes[:, 13] > 0, planes[:, 14] > 0, planes[:, 15] > 0
        phase = np.where(now, np.where(then, 2, 3), np.where(then, 1, 0)) - turn[:, None, None]
        for remainder in range(4):
            self.lit[rows, remainder] = pack(flux & ((phase + remainder) % 4 >= 2))
        self._find_goals(rows, lap, planes)
        self._find_passers(rows)
        self._find_ways(rows)
        # Of echoes whose way was not seen only the place is known.
        echo, left = seen.echo[which], seen.left[which]
        self.path[rows] = -1
        self.path[rows, :ECHOES] = np.where(left > 0, echo, -1)[:, :, None]
        self.length[rows] = 0
        self.length[rows, :ECHOES] = np.where(left > 0, turn[:, None] + left, 0)

    def _find_goals(self, rows: Ints, lap: Ints, planes: npt.NDArray[Any]) -> None:
        self.keystone[rows] = self.alcove[rows] = -1
        self.keystone[rows, lap] = tiles_of(planes[:, 17] > 0, 1)[:, 0]
        self.alcove[rows, lap] = tiles_of(planes[:, 20] > 0, 1)[:, 0]
        for ahead in range(1, LAPS):
            later = np.flatnonzero(lap + ahead < LAPS)
            self.keystone[rows[later], lap[later] + ahead] = tiles_of(planes[later, 18] == ahead, 1)[:, 0]
            self.alcove[rows[later], lap[later] + ahead] = tiles_of(planes[later, 19] == ahead, 1)[:, 0]

    def _find_passers(self, rows: Ints) -> None:
        """Finds out which keystone is behind which gate, and how long the ways there are."""
        floor, keystone, here = self.floor[rows], self.keystone[rows], np.arange(len(rows))
        before_exit = beside(single(self.exit[rows])) & floor
        main = distances(before_exit, floor)
        gated = (keystone >= 0) & (np.take_along_axis(main, np.maximum(keystone, 0), axis=1) == FAR)
        for gate in range(GATES):
            steps = distances(single(self.gate[rows, gate]), floor)
            to_key = np.take_along_axis(steps, np.maximum(keystone, 0), axis=1)
            behind = gated & (to_key < FAR)
            known = behind.any(axis=1)
            lap = behind.argmax(axis=1)
            alcove = self.alcove[rows, lap]
            self.passer[rows, gate] = np.where(known, lap, -1)
            self.depth[rows, gate] = np.where(known, to_key[here, lap], 0)
            self.approach[rows, gate] = np.where(known & (alcove >= 0), steps[here, np.maximum(alcove, 0)], 0)
            self.leaving[rows, gate] = np.where(unpack(before_exit), steps, FAR).min(axis=1) + 1

    def _find_ways(self, rows: Ints) -> None:
        opened = self.floor[rows] | np.bitwise_or.reduce(single(self.gate[rows]), axis=1)
        plates = single(self.plate[rows].reshape(len(rows), -1))
        for plate in range(2 * GATES):
            steps = distances(plates[:, plate], opened)
            self.to_plate[rows, plate] = steps
            there = np.take_along_axis(steps, np.maximum(self.alcove[rows], 0), axis=1)
            self.from_alcove[rows, :, plate] = np.where(self.alcove[rows] < 0, FAR, there)

    def echo_tiles(self, at: Position, turns: int) -> Ints:
        """Where each echo will be at the start of the turns to come: ``(n, 5, turns)``, -1 when it is gone.

        An echo repeats what was seen in its lap; one that was held up since then goes on from where it is now.
        """
        time = np.minimum(at.turn[:, None] + np.arange(turns), LONGEST + 1)
        index = np.broadcast_to(time[:, None], (len(time), ECHOES, turns))
        path = np.take_along_axis(self.path[at.rows][:, :ECHOES], index, axis=2).astype(np.int64)
        row, column = path // SIDE, path % SIDE
        row = np.clip(row + (at.echo // SIDE - row[:, :, 0])[:, :, None], 0, SIDE - 1)
        column = np.clip(column + (at.echo % SIDE - column[:, :, 0])[:, :, None], 0, SIDE - 1)
        alive = np.arange(turns) < at.left[:, :, None]
        tiles: Ints = np.where(alive & (path >= 0), row * SIDE + column, -1)
        return tiles

    def held(self, at: Position, turns: int) -> Bools:
        """When each plate was stood on in the laps so far: ``(n, 5, 2, turns)``, by turns of a lap.

        Of the lap under way that is the part that was seen. A plate that is not there counts as held where its gate's
        other plate is there.
        """
        plate = self.plate[at.rows]
        held = np.zeros((*plate.shape, turns), np.bool_)
        time = np.arange(turns)
        for k in range(LAPS):
            path = self.path[at.rows, k, :turns]
            current, before = at.lap == k, (at.lap > k)[:, None] & (time < self.length[at.rows, k][:, None])
            known = np.logical_and(path >= 0, current[:, None] | before)
            held |= known[:, None, None, :] & (path[:, None, None, :] == plate[:, :, :, None])
        missing = np.logical_and(plate < 0, plate[:, :, :1] >= 0)
        return np.logical_or(held, missing[:, :, :, None])
