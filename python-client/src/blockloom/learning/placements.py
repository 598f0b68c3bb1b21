"""What the placements of a tray game lead to, worked out from board, tray and mask, with no question to the server."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom.learning.shapes import Rows, anchor_counts, row_bits

Arrays = dict[str, npt.NDArray[Any]]


def place(
    obs: Arrays, position: npt.NDArray[np.int64], action: npt.NDArray[np.int64]
) -> tuple[Rows, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Places pieces and clears full rows and columns.

    Args:
        obs: ``board`` ``(n, height, width)`` and ``tray`` ``(n, 3, 5, 5)`` of n positions; not zero where filled.
        position: ``(k,)``: the position in which each placement is made.
        action: ``(k,)``: legal actions there; one that places nothing (new set, end of the game) leaves the board.

    Returns:
        uint16 ``(k, height)``: the filled columns of each row afterwards, bit c for column c; int64 ``(k,)`` lines
        cleared and cells placed.
    """
    n, height, width = obs["board"].shape
    size = obs["tray"].shape[-1]
    slot, cell = np.divmod(action, height * width)
    places = slot < 3
    row, col = np.divmod(np.where(places, cell, 0), width)
    pieces = row_bits(obs["tray"].reshape(-1, size, size)).reshape(n, 3, size)
    piece = np.where(places[:, None], pieces[position, np.minimum(slot, 2)], np.uint16(0))
    after = np.zeros((len(action), height + size), np.uint16)
    after[:, :height] = row_bits(obs["board"])[position]
    covered = row[:, None] + np.arange(size)
    after[np.arange(len(action))[:, None], covered] |= piece << col[:, None].astype(np.uint16)
    after = after[:, :height]
    full_rows = after == (1 << width) - 1
    full_columns = np.bitwise_and.reduce(after, axis=1)
    lines = full_rows.sum(axis=1) + np.bitwise_count(full_columns)
    cleared: Rows = np.where(full_rows, np.uint16(0), after & ~full_columns[:, None])
    return cleared, lines, np.bitwise_count(piece).sum(axis=1, dtype=np.int64)


def _patterns_up_to_symmetry() -> tuple[npt.NDArray[np.int64], int]:
    """``(512,)``: a number for each pattern of 3 by 3 cells, equal where turning or mirroring makes them equal."""
    cells = (np.arange(512)[:, None] >> np.arange(9) & 1).reshape(512, 3, 3)
    views = [np.rot90(one, turns, axes=(1, 2)) for one in (cells, cells[:, :, ::-1]) for turns in range(4)]
    least = np.min([view.reshape(512, 9) @ (1 << np.arange(9)) for view in views], axis=0)
    kinds, number = np.unique(least, return_inverse=True)
    return number.astype(np.int64), len(kinds)


_PATTERN, NUM_PATTERNS = _patterns_up_to_symmetry()


def count_patterns(rows: Rows, width: int) -> npt.NDArray[np.int64]:
    """How often each pattern of 3 by 3 cells is on a board, whichever way round, the walls being filled cells.

    Args:
        rows: uint16 ``(n, height)``, as from `place`.
        width: Columns of the board.

    Returns:
        int64 ``(n, NUM_PATTERNS)``.
    """
    walled = np.full((len(rows), rows.shape[1] + 2), (1 << (width + 2)) - 1, np.uint16)
    walled[:, 1:-1] = rows << np.uint16(1) | np.uint16(1 | 1 << (width + 1))
    threes = np.stack([walled >> np.uint16(col) & np.uint16(7) for col in range(width)], axis=2)
    index = threes[:, :-2] | threes[:, 1:-1] << np.uint16(3) | threes[:, 2:] << np.uint16(6)
    number = _PATTERN[index.reshape(len(rows), rows.shape[1] * width)] + np.arange(len(rows))[:, None] * NUM_PATTERNS
    return np.bincount(number.reshape(-1), minlength=len(rows) * NUM_PATTERNS).reshape(len(rows), NUM_PATTERNS)


def placement_features(
    obs: Arrays, mask: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float16]]:
    """Describes what each legal action leaves: numbers of about 1, for a small network.

    These are, of the board afterwards, the `count_patterns` and the logarithms of how many places each piece of the
    catalogue has; the room for the pieces left in the tray; how many lines were cleared, pieces are left, and cells
    were placed; and which action it is, if it places nothing.

    Args:
        obs: ``board``, ``tray`` and ``tray_piece`` of n positions.
        mask: ``(n, num_actions)``, not zero where legal.

    Returns:
        int64 ``(k,)`` position and ``(k,)`` action, in ascending order, and float16 ``(k, features)``.
    """
    _, height, width = obs["board"].shape
    placements = 3 * height * width
    position, action = np.nonzero(mask)
    after, lines, cells = place(obs, position, action)
    counts = anchor_counts(after, width)
    left = obs["tray_piece"][position]
    placed = np.flatnonzero(action < placements)
    left[placed, action[placed] // (height * width)] = 0
    room = np.log1p(np.take_along_axis(counts, np.maximum(left - 1, 0), axis=1)) / 2
    room = np.sort(np.where(left > 0, room, np.inf), axis=1)[:, :2]
    features = [
        count_patterns(after, width) / 8,
        np.log1p(counts) / 2,
        np.minimum(lines, 4)[:, None] == np.arange(5),
        (left > 0).sum(axis=1)[:, None] == np.arange(4),
        np.where(np.isinf(room), 0, room),
        room == 0,
        cells[:, None] / 5,
        action[:, None] == np.arange(placements, mask.shape[1]),
    ]
    return position, action, np.concatenate(features, axis=1, dtype=np.float16, casting="unsafe")
