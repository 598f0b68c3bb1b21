"""The time limit of `gymnasium.make`, which is Gymnasium's wrapper and ours at the same step."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit, TransformObservation

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv

ID = "blockloom/Stackcraft-v1"
LIMIT = 5


def play_to_the_end(env: gymnasium.Env[Any, Any]) -> tuple[int, Any]:
    """Plays legal actions; gives the number of steps and the last result."""
    mask = env.get_wrapper_attr("action_masks")()
    for step in range(1, 100):
        result = env.step(int(mask.argmax()))
        mask = result[4]["action_mask"]
        if result[2] or result[3]:
            return step, result
        assert "final_action_mask" not in result[4]
    raise AssertionError("no end")


WAYS: dict[str, Callable[[], gymnasium.Env[Any, Any]]] = {
    "make": lambda: gymnasium.make(ID, max_episode_steps=LIMIT, episode_statistics=True),
    "make again from the spec": lambda: gymnasium.make(
        gymnasium.make(ID, max_episode_steps=LIMIT, episode_statistics=True).spec or ""
    ),
    "without Gymnasium's checkers": lambda: gymnasium.make(
        ID, max_episode_steps=LIMIT, episode_statistics=True, disable_env_checker=True
    ),
    "a wrapper by hand": lambda: TimeLimit(BlockloomEnv("Stackcraft-v1", episode_statistics=True), LIMIT),
    "the lower of two": lambda: TimeLimit(
        BlockloomEnv("Stackcraft-v1", max_episode_steps=50, episode_statistics=True), LIMIT
    ),
    "the lower of two, inside": lambda: TimeLimit(
        BlockloomEnv("Stackcraft-v1", max_episode_steps=LIMIT, episode_statistics=True), 50
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_both_end_the_episode_at_the_same_step(way: str) -> None:
    env = WAYS[way]()
    first, _ = env.reset(seed=3)
    assert data_equivalence(first, BlockloomEnv("Stackcraft-v1").reset(seed=3)[0], exact=True)
    for _ in range(2):
        steps, (_, _, terminated, truncated, info) = play_to_the_end(env)
        assert (steps, terminated, truncated) == (LIMIT, False, True)
        assert not info["action_mask"].any()
        assert info["final_action_mask"].any()
        assert info["episode"]["l"] == LIMIT
        with pytest.raises(blockloom.ResetRequiredError):
            env.unwrapped.step(0)
        env.reset()
    env.close()


def test_under_gymnasiums_statistics() -> None:
    env = RecordEpisodeStatistics(gymnasium.make(ID, max_episode_steps=LIMIT))
    env.reset(seed=3)
    steps, (_, _, _, truncated, info) = play_to_the_end(env)
    assert (steps, truncated, info["episode"]["l"]) == (LIMIT, True, LIMIT)
    assert info["final_action_mask"].any()
    assert not info["action_mask"].any()
    env.close()


def test_the_row_goes_on_with_its_own_sequence_when_a_limit_is_found(server: str | None) -> None:
    base = BlockloomEnv("Stackcraft-v1", server=server)
    base.reset(seed=3)
    base.reset()
    found, _ = TimeLimit(base, LIMIT).reset()
    plain = BlockloomEnv("Stackcraft-v1", server=server)
    episodes = [plain.reset(seed=3)[0], plain.reset()[0], plain.reset()[0]]
    assert data_equivalence(found, episodes[2], exact=True)
    assert base.game_spec.max_episode_steps == LIMIT
    base.close()
    plain.close()


def test_gymnasiums_checker_has_nothing_to_say() -> None:
    env = gymnasium.make(ID, max_episode_steps=LIMIT)
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    assert [str(warning.message) for warning in caught] == []
    env.close()


class TwoSteps(gymnasium.Wrapper[Any, Any, Any, Any]):
    def step(self, action: Any) -> Any:
        self.env.step(action)
        return self.env.step(self.env.get_wrapper_attr("action_masks")().argmax())


def test_a_limit_that_counts_other_steps_is_not_taken_over() -> None:
    env = TimeLimit(TwoSteps(BlockloomEnv("Stackcraft-v1")), 3)
    env.reset(seed=3)
    ends = [env.step(0)[3] for _ in range(3)]
    assert ends == [False, False, True]
    assert env.unwrapped.step(int(env.get_wrapper_attr("action_masks")().argmax()))[4]["pieces"] == 7
    env.close()


def test_what_lies_outside_the_limit_changes_nothing() -> None:
    inner = gymnasium.make(ID, max_episode_steps=LIMIT)
    env = TransformObservation(inner, lambda observation: observation["board"], None)
    env.reset(seed=3)
    assert play_to_the_end(env)[1][4]["final_action_mask"].any()
    env.close()


def test_gymnasiums_own_vector_of_limited_environments_equals_ours() -> None:
    theirs: Any = gymnasium.make_vec(ID, 3, vectorization_mode="sync", max_episode_steps=LIMIT)
    ours = BlockloomVectorEnv("Stackcraft-v1", 3, max_episode_steps=LIMIT)
    masks = [envs.reset(seed=8)[1]["action_mask"] for envs in (theirs, ours)]
    for _ in range(12):
        np.testing.assert_array_equal(*masks)
        actions = masks[1].argmax(axis=1)
        expected, result = theirs.step(actions), ours.step(actions)
        assert data_equivalence(expected[:4], result[:4], exact=True)
        assert ("final_action_mask" in expected[4]) == ("final_action_mask" in result[4])
        if expected[3].any():
            np.testing.assert_array_equal(expected[4]["final_action_mask"], result[4]["final_action_mask"])
            expected[4]["action_mask"][:] = 1  # ours says that any action resets
        masks = [expected[4]["action_mask"], result[4]["action_mask"]]
    theirs.close()
    ours.close()
