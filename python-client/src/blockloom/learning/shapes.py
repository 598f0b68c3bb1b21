"""The pieces of the tray games, as features of a board: where each one would fit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_BARS = ["#", "##", "#/#", "###", "#/#/#", "####", "#/#/#/#", "#####", "#/#/#/#/#"]
_SQUARES = ["##/##", "###/###/###"]
_BLOCKS = ["###/###", "##/##/##"]
_CORNERS = ["##/#.", "##/.#", "#./##", ".#/##", "###/#../#..", "###/..#/..#", "#../#../###", "..#/..#/###"]
_L = ["#./#./##", "###/#..", "##/.#/.#", "..#/###", ".#/.#/##", "#../###", "##/#./#.", "###/..#"]
_TSZ = ["###/.#.", ".#/##/.#", ".#./###", "#./##/#.", ".##/##.", "#./##/.#", "##./.##", ".#/##/#."]

SHAPES = {8: [*_BARS, *_SQUARES, *_BLOCKS, *_CORNERS, *_L, *_TSZ], 10: [*_BARS, *_SQUARES, *_CORNERS]}
"""The catalogue by board size, in the games' order: rows from the top, ``/`` between them."""

Rows = npt.NDArray[np.uint16]


def row_bits(boards: npt.NDArray[np.uint8]) -> Rows:
    """uint16 ``(n, size)``: the filled columns of each row, bit c for column c."""
    powers = (2.0 ** np.arange(boards.shape[2])).astype(np.float32)
    filled: Rows = ((boards != 0).astype(np.float32) @ powers).astype(np.uint16)
    return filled


def anchor_counts(filled: Rows, size: int) -> npt.NDArray[np.int32]:
    """int32 ``(n, shapes)``: at how many places each piece of the catalogue fits."""
    empty = ~filled & np.uint16((1 << size) - 1)
    runs = [empty]
    for length in range(1, 5):
        runs.append(runs[-1] & (empty >> np.uint16(length)))
    counts = np.empty((len(filled), len(SHAPES[size])), np.int32)
    for number, shape in enumerate(SHAPES[size]):
        lines = shape.split("/")
        height = size - len(lines) + 1
        fits: Rows | None = None
        for row, line in enumerate(lines):
            # Every row of every shape is one run of cells.
            run = runs[line.count("#") - 1][:, row : row + height] >> np.uint16(line.index("#"))
            fits = run if fits is None else fits & run
        assert fits is not None
        counts[:, number] = np.bitwise_count(fits).sum(axis=1)
    return counts
