"""The scripted player of Hourloom."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from blockloom import BlockloomEnv, BlockloomVectorEnv, baselines
from blockloom.agents import Agent
from blockloom.evaluation import play_episodes
from blockloom.scripted import Scripted
from blockloom.scripted.chamber import FAR, measure, pack, read_chamber, spread, tiles_in
from blockloom.scripted.choice import budget_for
from blockloom.scripted.schedule import stays

SEALED, SAND, BUDGET, TURN = 6, 0, 1, 2


def play(chamber: int, seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """Which rows seal their first chamber, and how many of their laps lost grains to anything but time."""
    envs = BlockloomVectorEnv("Hourloom-v1", seeds, config={"start_chamber": chamber}, max_episode_steps=400)
    policy = baselines.make("Hourloom-v1", "scripted")
    assert isinstance(policy, Agent)
    obs, info = envs.reset(seed=0)
    sealed, running, lost = np.zeros(seeds, bool), np.ones(seeds, bool), np.zeros(seeds, int)
    while running.any():
        actions = policy.act(None, obs, info, running)  # type: ignore[arg-type] # it needs nothing but what is seen
        assert info["action_mask"][np.arange(seeds), actions][running].all()
        obs, _, terminations, truncations, info = envs.step(actions)
        assert not info["illegal_action"][running].any()
        scalars = obs["scalars"]
        in_lap = running & (scalars[:, SEALED] == 0) & ~terminations
        lost += in_lap & (scalars[:, SAND] != scalars[:, BUDGET] - scalars[:, TURN])
        sealed |= running & (scalars[:, SEALED] == 1)
        running &= ~(sealed | terminations | truncations)
    envs.close()
    return sealed, lost


def test_it_seals_chamber_1_without_a_refusal_and_without_losing_a_grain() -> None:
    sealed, lost = play(1, 50)
    assert sealed.all()
    assert lost.sum() == 0


@pytest.mark.parametrize(("chamber", "least"), [(2, 8), (3, 8), (5, 3)])
def test_it_seals_later_chambers(chamber: int, least: int) -> None:
    sealed, lost = play(chamber, 8 if chamber < 5 else 4)
    assert sealed.sum() >= least
    assert lost[sealed].sum() == 0


def test_it_descends_and_goes_on() -> None:
    result = play_episodes(Scripted(), "Hourloom-v1", range(3), cap=200, num_envs=2)
    assert result["chamber"].min() >= 2
    assert result["illegal"].sum() == 0


def test_a_single_environment_gets_the_actions_of_a_vectors_row() -> None:
    env, envs = BlockloomEnv("Hourloom-v1"), BlockloomVectorEnv("Hourloom-v1", 1)
    one, many = Scripted(), Scripted()
    observation, info = env.reset(seed=9)
    observations, infos = envs.reset(seed=9)
    for _ in range(60):
        action, actions = one(env, observation, info), many(envs, observations, infos)
        assert type(action) is int
        assert actions.tolist() == [action]
        assert many.act(envs, observations, infos, np.zeros(1, bool)).tolist() == [0]  # nobody asks: nothing moves on
        observation, _, _, _, info = env.step(action)
        observations, _, _, _, infos = envs.step(actions)
    env.close()
    envs.close()


def test_it_is_legal_wherever_it_takes_over() -> None:
    envs = BlockloomVectorEnv("Hourloom-v1", 6, autoreset_mode="same_step", max_episode_steps=40)
    script, chance = Scripted(), baselines.make("Hourloom-v1", "random", seed=1)
    obs, info = envs.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(150):
        planned, drawn = script(envs, obs, info), chance(envs, obs, info)
        assert info["action_mask"][np.arange(6), planned].all()
        # Every third row or so does something else, and is still asked at every step.
        obs, _, _, _, info = envs.step(np.where(rng.random(6) < 0.3, drawn, planned))
    envs.close()


def test_a_row_that_is_reset_is_planned_anew() -> None:
    envs = BlockloomVectorEnv("Hourloom-v1", 2)
    script = Scripted()
    obs, info = envs.reset(seed=0)
    for _ in range(7):
        obs, _, _, _, info = envs.step(script(envs, obs, info))
    obs, info = envs.reset(seed=[30, None], options={"reset_mask": np.array([True, False])})
    sealed = np.zeros(2, bool)
    for _ in range(100):
        obs, _, terminations, _, info = envs.step(script(envs, obs, info))
        assert not terminations.any()
        sealed |= obs["scalars"][:, SEALED] == 1
    assert sealed.all()
    envs.close()


def test_sets_of_tiles() -> None:
    plane = np.zeros((9, 9), np.uint8)
    plane[0, 8] = plane[8, 0] = plane[4, 4] = 1
    tiles = pack(plane)
    assert list(tiles_in(tiles)) == [8, 40, 72]
    assert list(tiles_in(spread(tiles))) == [7, 8, 17, 31, 39, 40, 41, 49, 63, 72, 73]
    steps = measure(0, pack(np.eye(9, dtype=np.uint8)) | 1 << 1)
    assert (steps[0], steps[1], steps[10], steps[11], steps[20], steps[80]) == (0, 1, 2, 3, FAR, FAR)


def test_a_chamber_as_it_is_seen() -> None:
    env = BlockloomEnv("Hourloom-v1", config={"start_chamber": 6})
    obs, _ = env.reset(seed=7)
    chamber = read_chamber(obs["planes"], obs["scalars"])
    env.close()
    planes: Any = obs["planes"]
    assert (chamber.laps, len(chamber.gates)) == (5, 4)
    assert sorted(len(gate.plates) for gate in chamber.gates) == [1, 1, 2, 2]
    assert planes[2].reshape(-1)[chamber.exit] == 1
    for gate in chamber.gates:
        assert gate.passer >= 1
        assert chamber.keystones[gate.passer] == gate.keystone
        assert gate.inside >> gate.keystone & 1
        assert not gate.inside & chamber.walk
    lit = [list(tiles_in(tiles)) for tiles in chamber.lit]
    assert lit[0] == list(np.flatnonzero(planes[13]))
    assert lit[1] == list(np.flatnonzero(planes[14]))
    assert sorted(lit[0] + lit[2]) == sorted(lit[1] + lit[3]) == list(np.flatnonzero(planes[15]))


def test_times_on_a_plate_and_sandglasses() -> None:
    assert stays([3, 4, 4, 4, 5, 4, 4], 4) == [(1, 3), (5, 6)]
    assert stays([3, 5], 4) == []
    assert [budget_for(turns) for turns in (2, 4, 5, 72)] == [7, 9, 11, 94]
