from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv, baselines
from blockloom.baselines import count_anchors, first_best

PLACEMENT_GAMES = ["Stackcraft-v1", "LumenBlocks-v1", "BlockPuzzle8-v1", "BlockPuzzle10-v1"]
TRAY_GAMES = PLACEMENT_GAMES[1:]


def scores(game: str, policy: baselines.Policy, *, rows: int, cap: int, seed: int) -> dict[str, Any]:
    """The outcomes of each row's first episode, of at most `cap` steps."""
    envs = BlockloomVectorEnv(game, rows, max_episode_steps=cap)
    observation, info = envs.reset(seed=seed)
    ends = {name: np.full(rows, -1) for name in envs.game_spec.outcome_names}
    running = np.ones(rows, bool)
    while running.any():
        observation, _, terminations, truncations, info = envs.step(policy(envs, observation, info))
        over = running & (terminations | truncations)
        for name, values in ends.items():
            values[over] = info[name][over]
        running &= ~over
    envs.close()
    return ends


def test_stackcrafts_heuristic_reaches_the_published_figures() -> None:
    """Seeds 30000 to 30199, at most 200 pieces: 76.53 lines and 8,306.5 points on average."""
    ends = scores("Stackcraft-v1", baselines.make("Stackcraft-v1"), rows=200, cap=200, seed=30000)
    assert ends["lines"].sum() == 15306
    assert ends["score"].sum() == 1661300


@pytest.mark.parametrize("game", PLACEMENT_GAMES)
def test_greedy_beats_random(game: str) -> None:
    greedy, chance = (
        scores(game, baselines.make(game, name, seed=1), rows=16, cap=120, seed=5) for name in ("greedy", "random")
    )
    assert greedy["score"].mean() > 2 * chance["score"].mean()


@pytest.mark.parametrize("game", [*PLACEMENT_GAMES, "Hourloom-v1"])
def test_baselines_pick_legal_actions_in_every_autoreset_mode(game: str) -> None:
    for mode in ("next_step", "same_step", "disabled"):
        for name in ("random", None):
            envs = BlockloomVectorEnv(game, 5, autoreset_mode=mode, max_episode_steps=9)
            policy = baselines.make(game, name, seed=3)
            observation, info = envs.reset(seed=11)
            for _ in range(25):
                actions = policy(envs, observation, info)
                assert (actions.shape, actions.dtype) == ((5,), np.int64)
                assert info["action_mask"][np.arange(5), actions].all()
                observation, _, terminations, truncations, info = envs.step(actions)
                over = terminations | truncations
                if mode == "disabled" and over.any():
                    observation, info = envs.reset(options={"reset_mask": over})
            envs.close()


@pytest.mark.parametrize("game", PLACEMENT_GAMES)
def test_a_single_environment_gets_the_actions_of_a_vectors_row(game: str) -> None:
    env, envs = BlockloomEnv(game), BlockloomVectorEnv(game, 1)
    policy = baselines.make(f"blockloom/{game}")
    observation, info = env.reset(seed=4)
    observations, infos = envs.reset(seed=4)
    for _ in range(12):
        action, actions = policy(env, observation, info), policy(envs, observations, infos)
        assert type(action) is int
        assert [action] == actions.tolist()
        observation, _, _, _, info = env.step(action)
        observations, _, _, _, infos = envs.step(actions)
    env.close()
    envs.close()


def plain_tray_choice(observation: dict[str, Any], after: blockloom.Afterstates, row: int) -> int:
    """The tray player's choice, one cell at a time."""

    def fits(board: npt.NDArray[Any], shape: npt.NDArray[Any], top: int, left: int) -> bool:
        cells = [(top + int(r), left + int(c)) for r, c in np.argwhere(shape)]
        return all(r < len(board) and c < len(board) and board[r, c] == 0 for r, c in cells)

    best: tuple[float, int] | None = None
    choice = 0
    for entry in range(after.row_offsets[row], after.row_offsets[row + 1]):
        board, slot = after.boards[entry], after.actions[entry] // after.boards[entry].size
        left = sum(
            fits(board, observation["tray"][row, other], r, c)
            for other in range(3)
            if other != slot and observation["tray_piece"][row, other] > 0
            for r in range(len(board))
            for c in range(len(board))
        )
        if best is None or (after.rewards[entry], left) > best:
            best, choice = (after.rewards[entry], left), int(after.actions[entry])
    return choice


@pytest.mark.parametrize("game", TRAY_GAMES)
def test_the_tray_player_is_the_plain_one(game: str) -> None:
    envs = BlockloomVectorEnv(game, 2, autoreset_mode="same_step")
    policy, chance = baselines.make(game), baselines.make(game, "random", seed=2)
    observation, info = envs.reset(seed=8)
    for step in range(3):
        actions = policy(envs, observation, info)
        after = envs.afterstates()
        assert actions.tolist() == [plain_tray_choice(observation, after, row) for row in range(2)]
        observation, _, _, _, info = envs.step(actions if step % 2 else chance(envs, observation, info))
    envs.close()


def test_without_a_placement_the_ten_by_ten_player_takes_a_new_set_and_does_not_end_the_game() -> None:
    env = BlockloomEnv("BlockPuzzle10-v1")
    policy = baselines.make("BlockPuzzle10-v1")
    rng = np.random.default_rng(1)
    taken = set()
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            places = info["action_mask"][:300].any()
            chance = blockloom.sample(info["action_mask"][:300], rng)
            action = chance if places else policy(env, observation, info)
            assert places or action == 300
            taken.add(action)
            observation, _, over, _, info = env.step(action)
    assert 300 in taken
    env.close()


def test_places_of_shapes_on_boards() -> None:
    boards = np.zeros((2, 10, 10), np.uint8)
    boards[1, 0, 0] = boards[1, 9, 9] = 3
    corner = np.zeros((5, 5), np.uint8)
    corner[:2, :2] = [[1, 1], [1, 0]]
    assert count_anchors(boards, corner).tolist() == [81, 80]
    bar = np.zeros((5, 5), np.uint8)
    bar[:5, 0] = 1
    assert count_anchors(boards[:, :8, :8], bar).tolist() == [32, 31]


def test_ties_go_to_the_next_key_and_then_to_the_first() -> None:
    offsets = np.array([0, 3, 3, 6], np.int32)
    points, left = np.array([5, 7, 7, -2, -2, -3]), np.array([9, 1, 2, 4, 4, 8])
    assert first_best([points, left], offsets).tolist() == [2, 3]
    assert first_best([points], offsets, only_first=False).tolist() == [1, 2, 3, 4]
    assert first_best([points[:0]], np.zeros(3, np.int32)).tolist() == []


def test_a_baseline_that_does_not_exist() -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match="allowed: random, and greedy for Stackcraft-v1"):
        baselines.make("Hourloom-v1", "greedy")
    with pytest.raises(blockloom.InvalidArgumentError, match="no baseline 'clever'"):
        baselines.make("Stackcraft-v1", "clever")
