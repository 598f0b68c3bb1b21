"""`blockloom.learning.placements`: boards worked out here, beside those that the server works out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import blockloom
from blockloom.learning.placements import NUM_PATTERNS, count_patterns, place, placement_features
from blockloom.learning.shapes import anchor_counts, row_bits

GAMES = ["LumenBlocks-v1", "BlockPuzzle8-v1", "BlockPuzzle10-v1"]


@pytest.mark.parametrize("game", GAMES)
def test_boards_and_lines_are_those_of_the_server(game: str) -> None:
    envs = blockloom.BlockloomVectorEnv(game, 16, autoreset_mode="same_step")
    obs, infos = envs.reset(seed=3)
    rng = np.random.default_rng(0)
    size = envs.single_observation_space["board"].shape[-1]  # type: ignore[index]
    cleared = 0
    for _ in range(40):
        position, action, features = placement_features(obs, infos["action_mask"])
        assert np.array_equal(np.argwhere(infos["action_mask"]), np.stack([position, action], axis=1))
        assert np.isfinite(features).all()
        places = action < 3 * size * size
        boards, lines, cells = (array[places] for array in place(obs, position, action))
        after = envs.afterstates()
        assert np.array_equal(boards, row_bits(after.boards))
        assert np.array_equal(lines, after.lines)
        assert np.array_equal(cells, obs["tray"].sum(axis=(2, 3))[position[places], action[places] // size**2])
        cleared += int(lines.sum())
        obs, _, _, _, infos = envs.step(blockloom.sample(infos["action_mask"], rng))
    assert cleared > 0
    envs.close()


def test_what_places_nothing_leaves_the_board() -> None:
    envs = blockloom.BlockloomVectorEnv("BlockPuzzle10-v1", 1)
    obs, infos = envs.reset(seed=3)
    assert infos["action_mask"][0, 300] == 1
    position, action, features = placement_features(obs, infos["action_mask"])
    boards, lines, cells = place(obs, position, action)
    assert action[-1] == 300
    assert (boards[-1].any(), lines[-1], cells[-1]) == (False, 0, 0)
    assert features[-1, -2:].tolist() == [1, 0]
    assert not features[:-1, -2:].any()
    envs.close()


def drawn(*lines: str) -> Any:
    return row_bits(np.array([[[cell == "#" for cell in line] for line in lines]], np.uint8))


def test_patterns_are_counted_whichever_way_round() -> None:
    board = drawn("#..", "##.", "...")
    turned = drawn(".##", ".#.", "...")
    mirrored = drawn("..#", ".##", "...")
    other = drawn("...", "##.", "#..")[:, ::-1]
    counts = [count_patterns(rows, 3).tolist() for rows in (board, turned, mirrored, other)]
    assert counts == [counts[0]] * 4
    assert sum(counts[0][0]) == 9
    assert NUM_PATTERNS == 102
    assert count_patterns(drawn("#..", ".#.", "..#"), 3).tolist() != counts[0]
    # Of an empty board of 4 by 4: a corner sees 5 filled cells, an edge 3, the middle none.
    assert sorted(count_patterns(drawn(*["...."] * 4), 4)[0].tolist())[-3:] == [4, 4, 8]


def test_room_for_what_is_left() -> None:
    board = np.ones((1, 8, 8), np.uint8)
    board[0, 0, :3] = board[0, 7, 4:] = board[0, 3, 5] = 0
    board[0, 2, 7] = board[0, 5, 0] = board[0, 4, 3] = board[0, 1, 4] = board[0, 6, 6] = 0
    bars = {2: 2, 3: 4}  # cells: 1 + index in the catalogue
    tray = np.zeros((1, 3, 5, 5), np.uint8)
    tray[0, 0, 0, :3] = tray[0, 1, 0, :2] = tray[0, 2, 0, :3] = 1
    obs = {"board": board, "tray": tray, "tray_piece": np.array([[bars[3], bars[2], bars[3]]])}
    mask = np.zeros((1, 192), np.int8)
    mask[0, 0] = 1  # the first bar of three goes to the top left, and clears that row and two columns
    counts = anchor_counts(place(obs, np.array([0]), np.array([0]))[0], 8)[0]
    features = placement_features(obs, mask)[2][0]
    rooms = sorted(np.log1p([counts[bars[2] - 1], counts[bars[3] - 1]]) / 2)
    start = NUM_PATTERNS + 37 + 5
    assert features[start : start + 4].tolist() == [0, 0, 1, 0]  # two pieces are left
    assert np.allclose(features[start + 4 : start + 6], rooms, atol=1e-3)
    assert features[start - 5 : start].tolist() == [0, 0, 0, 1, 0]  # three lines
