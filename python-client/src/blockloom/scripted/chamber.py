"""A chamber as an observation at the start of a lap shows it.

A set of tiles is an int: bit 9 r + c is the tile in row r and column c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

SIDE = 9
TILES = SIDE * SIDE
FAR = 255
LAP, TURN = 3, 2
LAP_BUDGET, LAPS, SEALED, CHAMBER = 1, 4, 6, 7
"""Places in ``scalars``."""

_FULL = (1 << TILES) - 1
_WEST_EDGE = sum(1 << (SIDE * row) for row in range(SIDE))
_NOT_WEST = _FULL & ~_WEST_EDGE
_NOT_EAST = _FULL & ~(_WEST_EDGE << (SIDE - 1))


def spread(tiles: int) -> int:
    """The tiles and those beside them."""
    beside = ((tiles & _NOT_EAST) << 1) | ((tiles & _NOT_WEST) >> 1)
    return tiles | beside | (tiles >> SIDE) | ((tiles << SIDE) & _FULL)


def tiles_in(tiles: int) -> Iterator[int]:
    """The tiles of a set, ascending."""
    while tiles:
        lowest = tiles & -tiles
        yield lowest.bit_length() - 1
        tiles ^= lowest


def pack(plane: npt.NDArray[Any]) -> int:
    """The set of the tiles that are not 0 in ``(9, 9)``."""
    return int.from_bytes(np.packbits(plane.reshape(-1) != 0, bitorder="little").tobytes(), "little")


def measure(start: int, ground: int) -> list[int]:
    """Steps from a tile to every tile of the ground and beside it, as ends of a walk; `FAR` elsewhere."""
    steps = [FAR] * TILES
    front, seen, distance = 1 << start, 0, 0
    while True:
        reached = front & ~seen
        if not reached:
            return steps
        seen |= reached
        for tile in tiles_in(reached):
            steps[tile] = distance
        front = spread(reached & ground if distance else reached)
        distance += 1


@dataclass(frozen=True)
class Gate:
    """A gate, and the lap whose keystone lies behind it."""

    tile: int
    plates: tuple[int, ...]
    passer: int
    keystone: int
    inside: int
    """The set of the gate and what lies behind it."""
    depth: int
    """Steps from the gate to the keystone."""


@dataclass(frozen=True)
class Chamber:
    """What stands still in a chamber. What was of earlier laps alone is not there."""

    laps: int
    walk: int
    """The set of tiles that every lap may walk on, without the exit."""
    exit: int
    gates: tuple[Gate, ...]
    """Those that the lap in hand or a later one passes, by passer."""
    alcoves: dict[int, int]
    keystones: dict[int, int]
    lit: tuple[int, int, int, int]
    """The sets of flux that is lit, by turn modulo 4."""

    @cached_property
    def passed(self) -> dict[int, int]:
        """The number of the gate that a lap passes."""
        return {gate.passer: number for number, gate in enumerate(self.gates)}

    @cached_property
    def steps(self) -> dict[int, list[int]]:
        """Steps from the exit, every gate, plate and keystone to every tile."""
        stations = {self.exit, *self.keystones.values()}
        for gate in self.gates:
            stations |= {gate.tile, *gate.plates}
        return {tile: measure(tile, self.walk) for tile in stations}


def read_chamber(planes: npt.NDArray[Any], scalars: npt.NDArray[Any]) -> Chamber:
    """The chamber of an observation at the start of a lap: ``(27, 9, 9)`` and ``(14,)``."""
    lap, laps = int(scalars[LAP]), int(scalars[LAPS])
    exit_tile = next(tiles_in(pack(planes[2])))
    alcoves = {lap: next(tiles_in(pack(planes[20])))}
    keystones = {lap: next(tiles_in(pack(planes[17])))}
    for later in range(lap + 1, laps):
        alcoves[later] = next(tiles_in(pack(planes[19] == later - lap)))
        keystones[later] = next(tiles_in(pack(planes[18] == later - lap)))
    doors = pack(planes[3]) | pack(planes[4])
    floor = _FULL & ~pack(planes[0]) & ~pack(planes[1]) & ~doors
    main = flood(1 << alcoves[lap], floor)
    gates = []
    for number in range(5):
        own = planes[6 + number]
        if not (own == 2).any():
            continue
        tile, inside = next(tiles_in(pack(own == 2))), 0
        inside = flood(spread(1 << tile) & floor & ~main, floor) | 1 << tile
        for passer, keystone in keystones.items():
            if inside >> keystone & 1:
                depth = measure(tile, inside)[keystone]
                gates.append(Gate(tile, tuple(tiles_in(pack(own == 1))), passer, keystone, inside, depth))
    return Chamber(
        laps=laps,
        walk=main & ~(1 << exit_tile),
        exit=exit_tile,
        gates=tuple(sorted(gates, key=lambda gate: gate.passer)),
        alcoves=alcoves,
        keystones=keystones,
        lit=_lit(planes, int(scalars[TURN])),
    )


def flood(tiles: int, floor: int) -> int:
    """What can be reached from the tiles."""
    while True:
        more = spread(tiles) & floor
        if more == tiles:
            return tiles
        tiles = more


def _lit(planes: npt.NDArray[Any], turn: int) -> tuple[int, int, int, int]:
    """Two turns lit, two turns calm, from what is lit now and next."""
    now, soon, flux = pack(planes[13]), pack(planes[14]), pack(planes[15])
    shown = (now, soon, flux & ~now, flux & ~soon)
    first, second, third, fourth = (shown[(moment - turn) % 4] for moment in range(4))
    return first, second, third, fourth
