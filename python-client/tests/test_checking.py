"""The audit of masks: honest environments pass, and every kind of lie is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import blockloom
from blockloom import BlockloomEnv, MaskCheckError, check_masks
from blockloom._audited import episode_seed

Info = dict[str, Any]
Lie = Callable[[Any, Info], None]


class LyingEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Changes what an environment says."""

    def __init__(self, env: gymnasium.Env[Any, Any], lie: Lie) -> None:
        super().__init__(env)
        self.lie = lie

    def reset(self, **keywords: Any) -> tuple[Any, Info]:
        observation, info = self.env.reset(**keywords)
        self.lie(observation, info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Info]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.lie(observation, info)
        return observation, reward, terminated, truncated, info


class LyingVector(gymnasium.vector.VectorWrapper):
    """Changes what a vector says."""

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any], lie: Lie) -> None:
        super().__init__(env)
        self.lie = lie

    def reset(self, **keywords: Any) -> tuple[Any, Info]:
        observation, infos = self.env.reset(**keywords)
        self.lie(observation, infos)
        return observation, infos

    def step(self, actions: Any) -> Any:
        observation, rewards, terminations, truncations, infos = self.env.step(actions)
        self.lie(observation, infos)
        return observation, rewards, terminations, truncations, infos


@pytest.mark.parametrize("game", blockloom.GAME_IDS)
def test_honest_environments_pass(game: str) -> None:
    env = gymnasium.make(f"blockloom/{game}", mask_in_obs=True)
    report = check_masks(env, states=12, seed=-5)
    actions = env.unwrapped.action_space.n  # type: ignore[attr-defined]
    assert (report.game_id, report.states) == (game, 12)
    assert report.actions == 12 * actions == report.legal + report.refusals.total()
    assert report.legal > 0
    assert report.ends > 0
    assert "12 positions" in str(report)
    env.close()


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("policy", ["refuse", "reject", "terminate"])
def test_honest_vectors_pass(mode: str, policy: str) -> None:
    envs = gymnasium.make_vec(
        "blockloom/Stackcraft-v1",
        4,
        autoreset_mode=mode,
        illegal_action=policy,
        max_episode_steps=9,
        mask_in_obs=True,
        num_workers=2,
    )
    report = check_masks(envs, states=30)
    assert report.states == 30
    assert report.ends > 20
    envs.close()


def test_other_wrappers_and_their_time_limit(server: str | None) -> None:
    env = gymnasium.make("blockloom/BlockPuzzle8-v1", max_episode_steps=5, server=server)
    assert check_masks(env, states=20).ends >= 5
    env.close()


def flip(action: int, when: Callable[[Info], Any], to: int | None = None) -> Lie:
    """Changes the mask of an action in the positions where `when` is so."""

    def lie(observation: Any, info: Info) -> None:
        masks = info["action_mask"].reshape(-1, info["action_mask"].shape[-1])
        for row in np.flatnonzero(np.atleast_1d(when(info))):
            masks[row, action] = 1 - masks[row, action] if to is None else to

    return lie


def caught(env: Any, **keywords: Any) -> MaskCheckError:
    with pytest.raises(MaskCheckError) as raised:
        check_masks(env, **keywords)
    env.close()
    error = raised.value
    assert isinstance(error, AssertionError)
    assert error.replay in str(error)
    standing = blockloom.load_replay(error.replay)
    truth = standing.explain(error.action)
    assert truth.legal != error.allowed
    assert truth.reason == (error.refusal or "")
    standing.close()
    return error


def test_an_action_that_is_forbidden_though_legal() -> None:
    env = LyingEnv(gymnasium.make("blockloom/Stackcraft-v1"), flip(0, lambda info: info["pieces"] >= 3, to=0))
    error = caught(env, states=20)
    assert (error.action, error.allowed, error.refusal) == (0, False, None)
    assert len(error.actions) == 3
    assert "info['action_mask'] forbids action 0 (r0x0), and a step accepts it, after 3 actions" in str(error)


def test_an_action_that_is_allowed_though_illegal() -> None:
    for policy in ("refuse", "reject", "terminate"):
        made = gymnasium.make("blockloom/Stackcraft-v1", illegal_action=policy)
        error = caught(LyingEnv(made, flip(39, lambda info: info["pieces"] >= 2, to=1)), states=20)
        assert (error.action, error.allowed, len(error.actions)) == (39, True, 2)
        assert error.refusal in {"no_such_rotation", "out_of_bounds"}


def test_a_mask_that_is_empty() -> None:
    def lie(observation: Any, info: Info) -> None:
        info["action_mask"][:] = 0

    error = caught(LyingEnv(gymnasium.make("blockloom/Hourloom-v1"), lie), states=5)
    assert error.actions == []


def test_a_mask_that_is_wrong_in_the_observation_alone() -> None:
    def lie(observation: Any, info: Info) -> None:
        observation["action_mask"] = 1 - observation["action_mask"]

    env = LyingEnv(gymnasium.make("blockloom/LumenBlocks-v1", mask_in_obs=True), lie)
    assert "observation['action_mask'] " in str(caught(env, states=5))


class LyingMasks(BlockloomEnv):
    """An environment whose `action_masks` is not its info's."""

    def action_masks(self) -> Any:
        return np.ones_like(super().action_masks())


def test_a_method_that_says_something_else() -> None:
    assert "action_masks() allows" in str(caught(LyingMasks("Stackcraft-v1"), states=5))


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_a_lie_in_one_row_of_a_vector(mode: str) -> None:
    envs = gymnasium.make_vec("blockloom/Stackcraft-v1", 3, autoreset_mode=mode)

    def lie(observation: Any, infos: Info) -> None:
        infos["action_mask"][2, 0] = 0 if infos["pieces"][2] == 4 else infos["action_mask"][2, 0]

    error = caught(LyingVector(envs, lie), states=200)
    assert (error.action, error.allowed, len(error.actions)) == (0, False, 4)


@pytest.mark.parametrize("mode", ["next_step", "disabled"])
def test_a_finished_row_has_a_mask_too(mode: str) -> None:
    envs = gymnasium.make_vec("blockloom/Stackcraft-v1", 2, autoreset_mode=mode, max_episode_steps=3)

    def lie(observation: Any, infos: Info) -> None:
        if "final_action_mask" in infos:
            infos["action_mask"][infos["_final_action_mask"], 5] ^= 1

    with pytest.raises(MaskCheckError, match="action 5") as raised:
        check_masks(LyingVector(envs, lie), states=60)
    assert len(raised.value.actions) == 3
    envs.close()


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_the_last_mask_of_a_truncated_row(mode: str) -> None:
    envs = gymnasium.make_vec("blockloom/Stackcraft-v1", 2, autoreset_mode=mode, max_episode_steps=3)

    def lie(observation: Any, infos: Info) -> None:
        if "final_action_mask" in infos:
            infos["final_action_mask"][:] = 0

    error = caught(LyingVector(envs, lie), states=60)
    assert "final_action_mask forbids" in str(error)
    assert len(error.actions) == 3


def test_a_lie_in_a_later_episode_only() -> None:
    envs = gymnasium.make_vec("blockloom/Stackcraft-v1", 2, max_episode_steps=3)
    episodes = np.zeros(2, int)

    def lie(observation: Any, infos: Info) -> None:
        episodes[:] += np.asarray(infos["pieces"] == 0)
        infos["action_mask"][episodes > 2, 0] = 0

    error = caught(LyingVector(envs, lie), states=60)
    assert error.seed > 2**32


def test_seeds_of_later_episodes_are_the_servers() -> None:
    env = BlockloomEnv("Hourloom-v1")
    for seed in (0, -3, 10**50):
        env.reset(seed=seed)
        for episode in (1, 2):
            following = env.reset()
            again = BlockloomEnv("Hourloom-v1")
            assert data_equivalence(again.reset(seed=episode_seed(seed, episode)), following, exact=True)
            again.close()
    env.close()


def test_what_cannot_be_audited() -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match="TimeLimit"):
        check_masks(gymnasium.make("CartPole-v1"))
    env = BlockloomEnv("Stackcraft-v1")
    with pytest.raises(blockloom.InvalidArgumentError, match="states=0"):
        check_masks(env, states=0)
    env.close()
