"""Afterstates of environments, of positions, and of Stackcraft's functions in Python."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv, Cell, Position, SearchValue, afterstates_of, stackcraft
from blockloom.errors import BlockloomError
from blockloom.learning import tray

FULL = os.environ.get("BLOCKLOOM_FULL") == "1"
PLACEMENT_GAMES = ["Stackcraft-v1", "LumenBlocks-v1", "BlockPuzzle8-v1", "BlockPuzzle10-v1"]
FIGURES = ("streak", "combo", "idle", "new_sets", "score")


def equal(first: blockloom.Afterstates, second: blockloom.Afterstates) -> bool:
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("row_offsets", "actions", "boards", "lines", "rewards", "sequences", "values")
    ) and all(np.array_equal(first.figures[name], second.figures[name]) for name in first.figures)


def position_of(game: str, observation: dict[str, Any]) -> Position:
    """What a player sees, as a position."""
    if game == "Stackcraft-v1":
        return Position(game, observation["board"], piece=observation["current"])
    figures = {name: int(observation[name][0]) for name in FIGURES if name in observation}
    return Position(f"blockloom/{game}", observation["board"], tray=observation["tray_piece"], figures=figures)


@pytest.mark.parametrize("game", PLACEMENT_GAMES)
def test_afterstates_are_what_steps_lead_to(game: str) -> None:
    """A row for each action; a board that a step leads to shows no more than the piece in place of the old one."""
    probe = BlockloomEnv(game)
    actions = probe.game_spec.num_actions
    envs = BlockloomVectorEnv(game, actions, autoreset_mode="disabled")
    rng = np.random.default_rng(3)
    for steps in (0, 5, 11):
        observation, info = probe.reset(seed=steps)
        envs.reset(seed=[steps] * actions)
        for _ in range(steps):
            action = blockloom.sample(info["action_mask"], rng)
            observation, _, over, _, info = probe.step(action)
            envs.step(np.full(actions, action))
            assert not over
        after = probe.afterstates()
        stepped, rewards, _, _, _ = envs.step(np.arange(actions))
        placed = np.flatnonzero(probe.action_masks())
        placed = placed[placed < (40 if game == "Stackcraft-v1" else 3 * observation["board"].size)]
        assert after.actions.tolist() == placed.tolist()
        assert after.row_offsets.tolist() == [0, len(placed)]
        np.testing.assert_array_equal(after.boards, stepped["board"][placed])
        np.testing.assert_array_equal(after.rewards, rewards[placed])
        of_position = afterstates_of(position_of(game, observation))
        if game == "LumenBlocks-v1":  # a position does not say the hue of its pieces
            assert ((of_position.boards != after.boards) <= (after.boards != 0)).all()
            of_position.boards[:] = after.boards * (of_position.boards != 0)
        assert equal(after, of_position)
    probe.close()
    envs.close()


@pytest.mark.parametrize("game", PLACEMENT_GAMES)
def test_a_vectors_rows_are_single_environments_in_one_reply(game: str) -> None:
    envs = BlockloomVectorEnv(game, 4, num_workers=2, batch_size=2)
    envs.reset(seed=9)
    envs.step(envs.action_masks().argmax(axis=1))
    together = envs.afterstates()
    chosen = envs.afterstates(rows=[1, 3], beam_width=3)
    for row in range(4):
        env = BlockloomEnv(game)
        env.reset(seed=9 + row)
        env.step(int(env.action_masks().argmax()))
        alone, span = env.afterstates(), slice(together.row_offsets[row], together.row_offsets[row + 1])
        np.testing.assert_array_equal(together.boards[span], alone.boards)
        np.testing.assert_array_equal(together.actions[span], alone.actions)
        if row % 2:
            part = chosen.sequences[chosen.row_offsets[row // 2] : chosen.row_offsets[row // 2 + 1]]
            np.testing.assert_array_equal(part, env.afterstates(beam_width=3).sequences)
        env.close()
    envs.close()


def test_a_beam_over_a_position_is_the_environments(server: str | None) -> None:
    env = BlockloomEnv("BlockPuzzle8-v1", server=server)
    observation, _ = env.reset(seed=2)
    of_position = afterstates_of(position_of("BlockPuzzle8-v1", observation), beam_width=5, depth=2, server=server)
    assert equal(of_position, env.afterstates(beam_width=5, depth=2))
    assert of_position.sequences.shape == (5, 3)
    assert (of_position.sequences >= 0).sum(axis=1).tolist() == [2] * 5
    env.close()


@pytest.mark.parametrize("game", tray.GAMES)
def test_a_learned_value_orders_the_search_as_python_reckons_it(game: str, server: str | None) -> None:
    value = tray.new_value(game)
    rng = np.random.default_rng(5)
    value.weights[:] = rng.normal(0, 1, value.weights.size)
    envs = BlockloomVectorEnv(game, 6, server=server)
    observation, info = envs.reset(seed=4)
    agent = tray.TrayAgent(game, value, beam_width=3)
    for _ in range(7):
        found = envs.afterstates(beam_width=9, value=SearchValue(value.weights, 60, 250))
        indices = value.indices(found.boards, tray.contexts(game, found.figures))
        np.testing.assert_allclose(found.learned, value.values(indices), atol=1e-3)
        ranks = found.rewards + 2.5 * found.values + 0.6 * found.learned
        best, rows = tray.best_of_rows(found, ranks)
        first = envs.afterstates(beam_width=9, value=SearchValue(value.weights, 60, 250), most=1)
        np.testing.assert_array_equal(rows, np.arange(6))
        np.testing.assert_array_equal(first.row_offsets, np.arange(7))
        np.testing.assert_allclose(ranks[best], ranks[found.row_offsets[:-1]], atol=1e-3)
        np.testing.assert_array_equal(first.sequences, found.sequences[found.row_offsets[:-1]])
        observation, _, _, _, info = envs.step(agent.act(envs, observation, info))
    others = SearchValue((value.weights[::-1]).copy())
    assert not np.array_equal(envs.afterstates(beam_width=9, value=others).learned, found.learned)
    assert envs.afterstates(beam_width=9).learned.size == 0
    with pytest.raises(BlockloomError, match="learned_weights has 4 bytes"):
        envs.afterstates(beam_width=9, value=SearchValue(value.weights[:1]))
    envs.close()


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (Position("Stackcraft-v1", np.zeros((20, 9), int), piece=1), "180 cells; expected 200"),
        (Position("Stackcraft-v1", np.ones((20, 10), int), piece=1), "Row 0 of the board is full"),
        (Position("Stackcraft-v1", np.zeros((20, 10), int)), "piece is missing"),
        (Position("Stackcraft-v1", np.zeros((20, 10), int), piece=8), "piece is 8; allowed: 1 to 7"),
        (Position("Stackcraft-v1", np.zeros((20, 10)), piece=1), "board is float64"),
        (Position("Stackcraft-v1", np.full((20, 10), -1), piece=1), "board is int64"),
        (Position("LumenBlocks-v1", np.zeros((8, 8), int), tray=[1, 2]), "tray must be three integers"),
        (Position("LumenBlocks-v1", np.zeros((8, 8), int), tray=[1, 2, 3], figures={"fame": 1}), "no such figure"),
        (Position("Stackcraft-v1", np.zeros((20, 10), int), piece=1, config={"cells": "round"}), "cells"),
    ],
)
def test_a_position_that_cannot_be(position: Position, message: str) -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match=message):
        afterstates_of(position)


def test_a_game_without_placements_has_none() -> None:
    env = BlockloomEnv("Hourloom-v1")
    env.reset(seed=1)
    with pytest.raises(blockloom.BlockloomError) as caught:
        env.afterstates()
    assert caught.value.code == "UNIMPLEMENTED"
    env.close()


def random_board(rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Columns of random heights with random holes, now and then rows that lack one cell; no row is full."""
    heights = rng.integers(0, rng.choice([3, 8, 18, 21]), size=10)
    filled = (20 - np.arange(20))[:, None] <= heights
    filled &= rng.random((20, 10)) < rng.choice([0.6, 0.9, 1.0])
    nearly = rng.random(20) < rng.choice([0.0, 0.3])
    filled[nearly] = np.arange(10) != rng.integers(0, 10)
    full = np.flatnonzero(filled.all(axis=1))
    filled[full, rng.integers(0, 10, size=len(full))] = False
    board: npt.NDArray[np.uint8] = (filled * rng.integers(1, 8, size=(20, 10))).astype(np.uint8)
    return board


def test_stackcrafts_functions_are_the_servers_on_random_boards() -> None:
    rng = np.random.default_rng(20)
    count = 10_000 if FULL else 400
    seen_lines, over = set(), 0
    for i in range(count):
        board, piece = random_board(rng), 1 + i % 7
        before = board.copy()
        served = afterstates_of(Position("Stackcraft-v1", board, piece=piece))
        legal = stackcraft.legal_actions(board, piece)
        assert [one.action for one in legal] == served.actions.tolist()
        for one, expected, lines, reward in zip(legal, served.boards, served.lines, served.rewards, strict=True):
            placed = stackcraft.place(board, piece, one)
            np.testing.assert_array_equal(placed.board, expected, strict=True)
            assert (placed.lines, placed.reward) == (lines, reward)
            seen_lines.add(placed.lines)
        over += not legal
        np.testing.assert_array_equal(board, before)
    assert seen_lines == {0, 1, 2, 3, 4}
    assert 0 < over < count / 2


def test_landings_are_the_servers() -> None:
    env = BlockloomEnv("Stackcraft-v1")
    rng = np.random.default_rng(4)
    observation, info = env.reset(seed=4)
    for _ in range(12):
        legal = stackcraft.legal_actions(observation["board"], observation["current"])
        answer = env._remote._env_call("getActionMask", rows=[0]).get_action_mask
        assert answer is not None
        served = answer.masks[0].legal
        assert [(one.action, one.name) for one in legal] == [(one.action, one.name) for one in served]
        assert [Cell(one.row, one.col) for one in legal] == [one.landing for one in served]
        assert [[Cell(*cell) for cell in one.cells] for one in legal] == [one.cells for one in served]
        observation, _, _, _, info = env.step(blockloom.sample(info["action_mask"], rng))
    env.close()


def test_a_piece_lands_and_clears() -> None:
    board = np.zeros((20, 10), np.uint8)
    board[18:, :6] = 3
    board[19, 4] = 0
    bar = stackcraft.place(board, 1, "r0x6")
    assert (bar.lines, bar.reward) == (0, 0)
    assert bar.board[19, 6:].tolist() == [1, 1, 1, 1]
    second = stackcraft.place(bar.board, 1, 6)
    assert (second.lines, second.reward) == (1, 100)
    assert second.board[18].tolist() == [0] * 10
    assert second.board[19].tolist() == bar.board[19].tolist()
    assert board[19, 6:].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("piece", "action", "message"),
    [
        (0, 0, "piece is 0; allowed: 1 to 7"),
        (8, 0, "piece is 8"),
        (2, "r1x0", "'r1x0' is not legal"),
        (1, 7, "action 7 is not legal"),
        (1, stackcraft.Placement(0, "r0x0", 19, 0, ((19, 0), (19, 1), (19, 2), (19, 3))), "row 19 column 0 is filled"),
        (1, stackcraft.Placement(0, "r0x0", 20, 0, ((20, 0), (20, 1), (20, 2), (20, 3))), "row 20 column 0 is off"),
    ],
)
def test_placements_that_cannot_be(piece: int, action: Any, message: str) -> None:
    board = np.zeros((20, 10), np.uint8)
    board[19, 0] = 1
    with pytest.raises(ValueError, match=message):
        stackcraft.place(board, piece, action)
    with pytest.raises(ValueError, match=r"shape \(10, 20\)"):
        stackcraft.legal_actions(board.T, 1)
