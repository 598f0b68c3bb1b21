"""Pictures of observations, drawn with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]

CELL = 16
_MARGIN = 8
_BACKGROUND: Colour = (24, 26, 32)
_EMPTY: Colour = (44, 48, 58)
_GRID: Colour = (32, 35, 43)

# Index 0 is an empty cell; more values than colours start over after it.
_TETROMINOES: tuple[Colour, ...] = (
    _EMPTY, (64, 196, 216), (232, 204, 72), (170, 100, 214), (104, 196, 96),
    (222, 84, 84), (84, 118, 222), (232, 150, 62),
)  # fmt: skip
_HUES: tuple[Colour, ...] = (
    _EMPTY, (235, 176, 72), (152, 106, 216), (94, 186, 168), (220, 96, 120), (90, 140, 226),
)  # fmt: skip
_ONE_COLOUR: tuple[Colour, ...] = (_EMPTY, (94, 160, 226))

# Orientation zero of the seven pieces, by their number on the board.
_PIECES = ("", "####", "##/##", ".#./###", ".##/##.", "##./.##", "#../###", "..#/###")

# Hourloom: planes drawn over one another, in this order, by their index.
_PLANE_COLOURS: tuple[tuple[int, Colour], ...] = (
    (15, (84, 62, 96)), (14, (134, 84, 60)), (13, (206, 92, 52)), (11, (92, 98, 120)), (12, (142, 152, 190)),
    (19, (58, 76, 88)), (18, (110, 98, 54)), (2, (86, 158, 104)), (3, (150, 118, 72)), (4, (176, 96, 72)),
    (5, (120, 142, 92)), (16, (238, 226, 140)), (17, (246, 200, 60)), (1, (108, 112, 122)),
)  # fmt: skip
_ECHO_COLOUR: Colour = (112, 176, 214)
_PLAYER_COLOUR: Colour = (240, 240, 240)
_PADDING_PLANE, _PLAYER_PLANE, _ECHO_PLANES = 0, 20, range(21, 26)


def render_rgb(observation: Mapping[str, npt.NDArray[Any]]) -> Picture:
    """A picture of one row's observation: uint8 ``(height, width, 3)``.

    It shows what the observation holds, by the names in it: a chamber for ``planes``; else the ``board``, with the
    shapes of ``tray`` beneath it, or the ``current`` and ``next`` pieces at its side.
    """
    if "planes" in observation:
        return _framed(_chamber(observation["planes"]))
    board = observation["board"]
    if "tray" in observation:
        hues = observation.get("tray_hue")
        palette = _ONE_COLOUR if hues is None else _HUES
        shapes = [
            shape * (1 if hues is None else max(int(hues[slot]), 1)) for slot, shape in enumerate(observation["tray"])
        ]
        tray = np.concatenate([_pad(_cells(shape, palette), 0, _MARGIN) for shape in shapes], axis=1)
        return _framed(_stack(_cells(board, palette), tray))
    if "current" in observation and "next" in observation:
        pieces = [_cells(_piece(int(observation[name])), _TETROMINOES) for name in ("current", "next")]
        return _framed(_beside(_cells(board, _TETROMINOES), _stack(*pieces)))
    return _framed(_cells(board, _TETROMINOES))


def _cells(values: npt.NDArray[Any], palette: tuple[Colour, ...]) -> Picture:
    """A grid of coloured squares with thin lines between them."""
    numbers = np.asarray(values, np.int64)
    numbers = np.where(numbers > 0, (numbers - 1) % (len(palette) - 1) + 1, 0)
    return _squares(np.array(palette, np.uint8)[numbers])


def _squares(colours: Picture) -> Picture:
    picture = colours.repeat(CELL, axis=0).repeat(CELL, axis=1)
    picture[CELL - 1 :: CELL] = _GRID
    picture[:, CELL - 1 :: CELL] = _GRID
    return picture


def _chamber(planes: npt.NDArray[Any]) -> Picture:
    colours = np.empty((*planes.shape[1:], 3), np.uint8)
    colours[:] = _EMPTY
    for plane, colour in _PLANE_COLOURS:
        colours[planes[plane] > 0] = colour
    colours[planes[_PADDING_PLANE] > 0] = _BACKGROUND
    picture = _squares(colours)
    for plane in _ECHO_PLANES:
        _bodies(picture, planes[plane], _ECHO_COLOUR)
    _bodies(picture, planes[_PLAYER_PLANE], _PLAYER_COLOUR)
    return picture


def _bodies(picture: Picture, where: npt.NDArray[Any], colour: Colour) -> None:
    """Draws a disc in each cell that holds a body."""
    y, x = np.mgrid[:CELL, :CELL] - (CELL - 2) / 2
    disc = y * y + x * x <= (CELL * 0.36) ** 2
    for row, col in np.argwhere(where > 0):
        picture[row * CELL : (row + 1) * CELL, col * CELL : (col + 1) * CELL][disc] = colour


def _piece(number: int) -> npt.NDArray[np.int64]:
    cells = np.zeros((2, 4), np.int64)
    for row, line in enumerate(_PIECES[number].split("/") if 0 < number < len(_PIECES) else ()):
        for col, mark in enumerate(line):
            cells[row, col] = number if mark == "#" else 0
    return cells


def _pad(picture: Picture, below: int, right: int) -> Picture:
    padded = np.empty((picture.shape[0] + below, picture.shape[1] + right, 3), np.uint8)
    padded[:] = _BACKGROUND
    padded[: picture.shape[0], : picture.shape[1]] = picture
    return padded


def _stack(*pictures: Picture) -> Picture:
    width = max(picture.shape[1] for picture in pictures)
    return np.concatenate([_pad(picture, _MARGIN, width - picture.shape[1]) for picture in pictures])


def _beside(left: Picture, right: Picture) -> Picture:
    height = max(left.shape[0], right.shape[0])
    pictures = [_pad(picture, height - picture.shape[0], _MARGIN) for picture in (left, right)]
    return np.concatenate(pictures, axis=1)


def _framed(picture: Picture) -> Picture:
    framed = np.empty((picture.shape[0] + 2 * _MARGIN, picture.shape[1] + 2 * _MARGIN, 3), np.uint8)
    framed[:] = _BACKGROUND
    framed[_MARGIN : _MARGIN + picture.shape[0], _MARGIN : _MARGIN + picture.shape[1]] = picture
    return framed
