"""Values of boards as sums of table entries, learned by temporal differences.

Each pattern of cells has a table with an entry for every way to fill it, and is laid on the board in all eight
symmetries (Jaskowski, "Mastering 2048 with delayed temporal coherence learning", describes the method for that game).
Step sizes are those of temporal coherence learning (Beal and Smith): an entry whose errors cancel out learns slowly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from blockloom.learning.shapes import SHAPES, anchor_counts, row_bits

Indices = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Pattern = list[tuple[int, int]]
_SMALL = np.float32(1e-9)


def block(height: int, width: int, row: int, col: int) -> Pattern:
    """The cells of a block."""
    return [(row + r, col + c) for r, c in product(range(height), range(width))]


def patterns(size: int) -> list[Pattern]:
    """One of each set of patterns that are images of each other."""

    def blocks(height: int, width: int) -> list[Pattern]:
        rows, cols = (size - height) // 2 + 1, (size - width) // 2 + 1
        return [block(height, width, row, col) for row, col in product(range(rows), range(cols))]

    if size == 8:
        return [*blocks(3, 4), *blocks(2, 8)]
    return [*blocks(3, 4), *blocks(1, 10), *blocks(2, 6)]


def _images(size: int, pattern: Pattern) -> list[list[int]]:
    """The cell numbers of a pattern in the eight symmetries of the square."""
    grid = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(side, turns) for side in (grid, grid.T) for turns in range(4)]
    return [[int(image[row, col]) for row, col in pattern] for image in turned]


class TupleValue:
    """A sum of table entries for a board of 8x8 or 10x10 and some figures.

    Args:
        size: Rows and columns of the board.
        contexts: How many values each of the further figures can take; each has a table by figure and filled cells.
    """

    def __init__(self, size: int, contexts: Sequence[int]) -> None:
        self.size = size
        self.cells = size * size
        tables: list[int] = []
        columns: list[list[int]] = []
        starts: list[int] = []
        for pattern in patterns(size):
            start = sum(tables)
            tables.append(1 << len(pattern))
            images = _images(size, pattern)
            columns += images
            starts += [start] * len(images)
        self._powers = np.zeros((self.cells, len(columns)), np.float32)
        for column, cells in enumerate(columns):
            self._powers[cells, column] = 2.0 ** np.arange(len(cells))
        shapes = len(SHAPES[size])
        starts += [sum(tables) + shape * (self.cells + 1) for shape in range(shapes)]
        tables += [self.cells + 1] * shapes
        for context in contexts:
            starts.append(sum(tables))
            tables.append(context * (self.cells + 1))
        self._starts = np.array(starts, np.int32)
        total = sum(tables)
        self.weights = np.zeros(total, np.float32)
        """float32: all tables, one behind the other."""
        self._errors = np.zeros(total, np.float32)
        self._sizes = np.zeros(total, np.float32)

    @property
    def active(self) -> int:
        """How many entries a board has."""
        return len(self._starts)

    def indices(self, boards: npt.NDArray[np.uint8], contexts: Sequence[npt.NDArray[np.int32]]) -> Indices:
        """int32 ``(n, active)``: the entries of boards ``(n, size, size)`` and of one array of each context."""
        n = len(boards)
        flat = (boards.reshape(n, self.cells) != 0).astype(np.float32)
        filled = flat.sum(axis=1).astype(np.int32)
        cut = self._powers.shape[1]
        shapes = len(SHAPES[self.size])
        found = np.empty((n, self.active), np.int32)
        # Exact: no sum passes 2 to the power of 16.
        found[:, :cut] = flat @ self._powers
        found[:, cut : cut + shapes] = anchor_counts(row_bits(boards), self.size)
        for i, context in enumerate(contexts):
            found[:, cut + shapes + i] = context * (self.cells + 1) + filled
        found += self._starts
        return found

    def values(self, indices: Indices) -> Floats:
        """float64 ``(n,)``."""
        values: Floats = self.weights[indices].sum(axis=1, dtype=np.float64)
        return values

    def learn(self, indices: Indices, error: float, rate: float) -> None:
        """Moves the value of a board by `rate` times its error, if no entry's errors ever cancelled out.

        Args:
            indices: int32 ``(active,)``: the board's entries.
            error: What the value should have been, less what it is.
            rate: From 0 to 1.
        """
        # An entry that comes up twice is assigned the same twice.
        errors, sizes = self._errors[indices], self._sizes[indices]
        coherence = np.abs(errors)
        coherence /= np.maximum(sizes, _SMALL)
        coherence[sizes == 0] = 1
        coherence *= np.float32(rate * error / self.active)
        self.weights[indices] += coherence
        self._errors[indices] = errors + np.float32(error)
        self._sizes[indices] = sizes + np.float32(abs(error))
