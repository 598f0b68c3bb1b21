from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from blockloom import BlockloomEnv
from blockloom.rendering import CELL, render_rgb


def colours(picture: np.ndarray[Any, Any]) -> set[tuple[int, ...]]:
    return {tuple(map(int, colour)) for colour in picture.reshape(-1, 3)}


def test_stackcraft_shows_its_board_and_both_pieces() -> None:
    env = BlockloomEnv("Stackcraft-v1", render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert (first.dtype, first.ndim, first.shape[2]) == (np.uint8, 3, 3)
    env.step(0)
    second = env.render()
    assert first.shape == second.shape
    assert (first != second).any()
    first[:] = 0
    assert (env.render() == second).all()
    env.close()


def test_each_piece_has_its_own_colour() -> None:
    board = np.zeros((20, 10), np.uint8)
    blank = colours(render_rgb({"board": board, "current": np.int64(0), "next": np.int64(0)}))
    for piece in range(1, 8):
        seen = colours(render_rgb({"board": board, "current": np.int64(piece), "next": np.int64(0)}))
        assert len(seen - blank) == 1
        board[19, piece] = piece
        blank |= seen - blank
    assert len(blank) == 3 + 7


def test_a_tray_game_shows_its_shapes_in_their_hues() -> None:
    tray = np.zeros((3, 5, 5), np.uint8)
    observation: dict[str, Any] = {"board": np.zeros((8, 8), np.uint8), "tray": tray}
    empty = render_rgb(observation)
    tray[1, 0, :4] = 1
    with_bar = render_rgb(observation)
    changed = np.argwhere((empty != with_bar).any(axis=2))
    assert changed[:, 0].min() > 8 * CELL
    assert np.ptp(changed, axis=0).tolist() == [CELL - 2, 4 * CELL - 2]
    observation["tray_hue"] = np.array([0, 1, 0])
    first = colours(render_rgb(observation))
    observation["tray_hue"] = np.array([0, 5, 0])
    assert len(first ^ colours(render_rgb(observation))) == 2


def test_hourloom_shows_walls_and_bodies() -> None:
    planes = np.zeros((27, 9, 9), np.uint8)
    planes[0] = 1
    planes[0, :7, :7] = 0
    base = render_rgb({"planes": planes})
    assert base.shape == (9 * CELL + 16, 9 * CELL + 16, 3)
    for plane in (1, 2, 16, 17, 20, 21, 25):
        changed = planes.copy()
        changed[plane, 2, 3] = 1
        where = np.argwhere((render_rgb({"planes": changed}) != base).any(axis=2))
        assert where.min(axis=0)[0] >= 8 + 2 * CELL
        assert where.max(axis=0)[0] < 8 + 3 * CELL
        assert where.min(axis=0)[1] >= 8 + 3 * CELL
        assert where.max(axis=0)[1] < 8 + 4 * CELL


def test_without_a_render_mode_it_says_so() -> None:
    env = BlockloomEnv("Stackcraft-v1")
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    env.close()
