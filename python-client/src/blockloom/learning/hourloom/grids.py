"""Sets of tiles as bits.

A set of tiles is uint16 ``(..., 9)``: bit c of word r is the tile in row r and column c, whose number is 9 r + c.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

SIDE = 9
TILES = SIDE * SIDE
FAR = 99
"""The distance of what cannot be reached."""

Bits: TypeAlias = npt.NDArray[np.uint16]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]

_COLUMN = (1 << np.arange(SIDE)).astype(np.uint16)


def pack(planes: npt.NDArray[Any]) -> Bits:
    """Sets from bool ``(..., 9, 9)``."""
    bits: Bits = (planes * _COLUMN).sum(axis=-1, dtype=np.uint16)
    return bits


def unpack(bits: Bits) -> Bools:
    """Bool ``(..., 81)`` from sets."""
    planes: Bools = ((bits[..., None] & _COLUMN) != 0).reshape(*bits.shape[:-1], TILES)
    return planes


def single(tiles: Ints) -> Bits:
    """Sets of one tile each; the empty set where the tile is negative."""
    flat = tiles.reshape(-1)
    bits = np.zeros((len(flat), SIDE), np.uint16)
    where = np.flatnonzero(flat >= 0)
    known = flat[where]
    bits[where, known // SIDE] = _COLUMN[known % SIDE]
    return bits.reshape(*tiles.shape, SIDE)


def has(bits: Bits, tiles: Ints) -> Bools:
    """Bool ``(..., n, k)``: whether sets ``(..., n, 9)`` have tiles ``(n, k)``; False where the tile is negative."""
    index = np.maximum(tiles, 0)
    words = bits[..., np.arange(len(tiles))[:, None], index // SIDE]
    found: Bools = np.logical_and((words & _COLUMN[index % SIDE]) != 0, tiles >= 0)
    return found


def has_one(bits: Bits, tiles: Ints) -> Bools:
    """Bool ``(..., n)``: whether sets ``(..., n, 9)`` have the tile of their row ``(n,)``."""
    found: Bools = has(bits, tiles[:, None])[..., 0]
    return found


def beside(bits: Bits) -> Bits:
    """The tiles beside those of sets ``(n, 9)``; bits past column 8 are for the caller to drop."""
    near: Bits = np.left_shift(bits, np.uint16(1))
    near |= np.right_shift(bits, np.uint16(1))
    near[:, 1:] |= bits[:, :-1]
    near[:, :-1] |= bits[:, 1:]
    return near


def distances(sources: Bits, floor: Bits) -> Ints:
    """Steps from sources ``(n, 9)`` to every tile over floors ``(n, 9)``: ``(n, 81)``, `FAR` where there is no way."""
    steps = np.full((len(sources), TILES), FAR, np.int64)
    steps[unpack(sources)] = 0
    free: Bits = floor & ~sources
    edge = sources
    for step in range(1, TILES):
        edge = beside(edge) & free
        if not edge.any():
            break
        free = np.bitwise_and(free, ~edge)
        steps[unpack(edge)] = step
    return steps


def tiles_of(planes: npt.NDArray[Any], most: int) -> Ints:
    """The first `most` tiles that are set in bool ``(n, 9, 9)``, ascending; -1 where there are fewer."""
    flat = planes.reshape(len(planes), TILES)
    found = np.full((len(planes), most), -1, np.int64)
    row, tile = np.nonzero(flat)
    rank = np.cumsum(flat, axis=1)[row, tile] - 1
    fits = rank < most
    found[row[fits], rank[fits]] = tile[fits]
    return found
