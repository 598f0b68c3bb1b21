from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv, baselines
from blockloom.agents import PolicyAgent
from blockloom.baselines import first_best
from blockloom.errors import InvalidArgumentError
from blockloom.learning.shapes import SHAPES

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


# What a piece of so many cells weighs in a deal of the 8x8 games.
WEIGHT_8 = {1: 4, 2: 4, 3: 4, 4: 3, 5: 2, 6: 2, 9: 1}
# The same for the families of the 10x10 game, by the score from which it holds: single, bars, squares, corners.
FAMILIES_10 = [
    (0, {"single": 3, "bar2": 4, "bar3": 4, "bar4": 2, "bar5": 1, "square2": 4, "square3": 0.5, "small": 4, "big": 1}),
    (
        300,
        {"single": 2, "bar2": 3, "bar3": 3, "bar4": 3, "bar5": 2, "square2": 3, "square3": 1.5, "small": 3, "big": 2.5},
    ),
    (
        1500,
        {"single": 1, "bar2": 2, "bar3": 3, "bar4": 3, "bar5": 3, "square2": 3, "square3": 2, "small": 2, "big": 3.5},
    ),
]


def family(lines: list[str]) -> str:
    cells, height, width = sum(line.count("#") for line in lines), len(lines), len(lines[0])
    if cells == 1:
        return "single"
    if 1 in (height, width):
        return f"bar{cells}"
    if cells == height * width:
        return f"square{height}"
    return "small" if cells == 3 else "big"


def deal_weight(size: int, shape: str, score: float) -> float:
    lines = shape.split("/")
    if size == 8:
        return WEIGHT_8[shape.count("#")]
    name = family(lines)
    turns = {"single": 1, "square2": 1, "square3": 1, "small": 4, "big": 4}.get(name, 2)
    return [table for least, table in FAMILIES_10 if score >= least][-1][name] / turns


def plain_tray_choice(observation: dict[str, Any], after: blockloom.Afterstates, row: int) -> int:
    """The tray player's choice, one cell at a time."""

    def fits(board: npt.NDArray[Any], lines: list[str], top: int, left: int) -> bool:
        return all(
            mark == "." or (top + r < len(board) and left + c < len(board) and board[top + r, left + c] == 0)
            for r, line in enumerate(lines)
            for c, mark in enumerate(line)
        )

    best: tuple[float, float] | None = None
    choice = 0
    entries = range(after.row_offsets[row], after.row_offsets[row + 1])
    most = max(after.rewards[entry] for entry in entries)
    for entry in entries:
        if after.rewards[entry] < most:
            continue
        board = after.boards[entry]
        score = observation["score"][row, 0] + after.rewards[entry]
        left = sum(
            deal_weight(len(board), shape, score)
            * sum(fits(board, shape.split("/"), r, c) for r in range(len(board)) for c in range(len(board)))
            for shape in SHAPES[len(board)]
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


def test_ties_go_to_the_next_key_and_then_to_the_first() -> None:
    offsets = np.array([0, 3, 3, 6], np.int32)
    points, left = np.array([5, 7, 7, -2, -2, -3]), np.array([9, 1, 2, 4, 4, 8])
    assert first_best([points, left], offsets).tolist() == [2, 3]
    assert first_best([points], offsets, only_first=False).tolist() == [1, 2, 3, 4]
    assert first_best([points[:0]], np.zeros(3, np.int32)).tolist() == []


def test_a_baseline_that_does_not_exist() -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match="allowed: random, greedy for Stackcraft-v1"):
        baselines.make("Hourloom-v1", "greedy")
    with pytest.raises(blockloom.InvalidArgumentError, match="no baseline 'clever'"):
        baselines.make("Stackcraft-v1", "clever")


@pytest.mark.parametrize("actions", [np.array([np.nan, 1.0]), np.array([1.7, 2.0]), np.array(["a", "b"])], ids=str)
def test_a_policy_that_gives_no_integers_is_told(actions: Any) -> None:
    agent = PolicyAgent(lambda envs, obs, info: actions)
    with pytest.raises(InvalidArgumentError, match="allowed: integers, one for each row"):
        agent.act(cast(Any, None), {}, {})
