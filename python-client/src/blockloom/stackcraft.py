"""Stackcraft's placements on boards that stand alone, without a server: for heuristics and search.

for action in stackcraft.legal_actions(observation["board"], observation["current"]):
    board, lines, reward = stackcraft.place(observation["board"], observation["current"], action)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ROWS = 20
COLUMNS = 10
POINTS = (0, 100, 300, 500, 800)
"""By the number of rows that a placement clears."""

_ORIENTATION_ZERO = ("####", "##/##", ".#./###", ".##/##.", "##./.##", "#../###", "..#/###")


@dataclass(frozen=True)
class Placement:
    """A legal action, and where it lands."""

    action: int
    """``rotation * 10 + x``."""
    name: str
    """``r{rotation}x{x}``."""
    row: int
    """The board row of the piece's topmost cells; row 0 is the top."""
    col: int
    """The board column of its leftmost cells."""
    cells: tuple[tuple[int, int], ...]
    """The four cells as (row, column), from the top, then from the left."""


class Placed(NamedTuple):
    """What a placement leads to."""

    board: npt.NDArray[np.uint8]
    """``(20, 10)``: after placing and clearing."""
    lines: int
    reward: int
    """Points."""


@dataclass(frozen=True)
class _Shape:
    cells: npt.NDArray[np.int64]
    """``[4, 2]``: (row, column)."""
    height: int
    width: int


def _turns(drawing: str) -> list[_Shape]:
    """The different clockwise turns of a shape."""
    grid = np.array([[mark == "#" for mark in line] for line in drawing.split("/")])
    turns: list[npt.NDArray[np.bool_]] = []
    for quarter in range(4):
        turned = np.rot90(grid, -quarter)
        if not any(np.array_equal(turned, other) for other in turns):
            turns.append(turned)
    return [_Shape(np.argwhere(turn), *turn.shape) for turn in turns]


_SHAPES = [[], *map(_turns, _ORIENTATION_ZERO)]


def legal_actions(board: npt.ArrayLike, piece: int) -> list[Placement]:
    """The legal actions of a piece, by rotation, then column; none: the game is over.

    Args:
        board: ``(20, 10)``, row 0 at the top; not 0 where filled.
        piece: 1 to 7 for I, O, T, S, Z, J, L, as in the observation.

    Raises:
        ValueError: The board has another shape, or there is no such piece.
    """
    filled = _filled(board)
    legal = []
    for rotation, shape in enumerate(_shapes(piece)):
        for x in range(COLUMNS - shape.width + 1):
            y = _landing(filled, shape, x)
            if y is not None:
                cells = tuple((int(row) + y, int(col) + x) for row, col in shape.cells)
                legal.append(Placement(rotation * COLUMNS + x, f"r{rotation}x{x}", y, x, cells))
    return legal


def place(board: npt.ArrayLike, piece: int, action: Placement | int | str) -> Placed:
    """What a placement leads to; the board itself is left alone.

    Args:
        board: ``(20, 10)``.
        piece: 1 to 7.
        action: What `legal_actions` gave for this board and piece; of that only the cells are looked at. Or an action
            number or name, whose landing is found first.

    Raises:
        ValueError: A cell of the placement is filled or off the board, or the action is not legal.
    """
    if not isinstance(action, Placement):
        wanted = action
        found = [one for one in legal_actions(board, piece) if wanted in (one.action, one.name)]
        if not found:
            raise ValueError(f"action {action!r} is not legal for piece {piece} on this board")
        action = found[0]
    _shapes(piece)
    filled = _filled(board)
    for row, col in action.cells:
        if not (0 <= row < ROWS and 0 <= col < COLUMNS):
            raise ValueError(f"row {row} column {col} is off the board")
        if filled[row, col]:
            raise ValueError(f"row {row} column {col} is filled")
    after = np.array(board, np.uint8)
    for row, col in action.cells:
        after[row, col] = piece
    rest = after[~(after != 0).all(axis=1)]
    lines = ROWS - len(rest)
    after = np.concatenate([np.zeros((lines, COLUMNS), np.uint8), rest])
    return Placed(after, lines, POINTS[min(lines, len(POINTS) - 1)])


def _landing(filled: npt.NDArray[np.bool_], shape: _Shape, x: int) -> int | None:
    """The row where a shape comes to rest when it is let fall from row 0; None where it cannot enter."""
    rows, cols = shape.cells[:, 0], shape.cells[:, 1] + x
    if filled[rows, cols].any():
        return None
    y = 0
    while y + shape.height < ROWS and not filled[rows + y + 1, cols].any():
        y += 1
    return y


def _filled(board: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    array: npt.NDArray[Any] = np.asarray(board)
    if array.shape != (ROWS, COLUMNS):
        raise ValueError(f"board has the shape {array.shape}; allowed: ({ROWS}, {COLUMNS})")
    filled: npt.NDArray[np.bool_] = array != 0
    return filled


def _shapes(piece: int) -> list[_Shape]:
    if not 1 <= piece < len(_SHAPES):
        raise ValueError(f"piece is {piece}; allowed: 1 to {len(_SHAPES) - 1}")
    return _SHAPES[int(piece)]
