from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given
from hypothesis import strategies as st

import blockloom
from blockloom import BlockloomVectorEnv
from blockloom._groups import plan

GAME = "Stackcraft-v1"


@given(st.integers(1, 40), st.integers(1, 50), st.data())
def test_every_row_has_one_place(num_envs: int, num_shards: int, data: st.DataObject) -> None:
    shards = min(num_shards, num_envs)
    batch_size = data.draw(st.sampled_from([size for size in range(1, num_envs + 1) if num_envs % size == 0]))
    groups = plan(num_envs, shards, batch_size)
    assert [sum(rows for _, _, rows in pieces) for pieces in groups] == [batch_size] * (num_envs // batch_size)
    pieces = [piece for group in groups for piece in group]
    assert [row for _, first, rows in pieces for row in range(first, first + rows)] == list(range(num_envs))
    sizes = [sum(rows for shard, _, rows in pieces if shard == number) for number in range(shards)]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("layout", [{}, {"num_workers": 2}, {"num_workers": 3}], ids=str)
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_groups_that_take_turns_see_what_all_rows_together_see(layout: dict[str, Any], mode: Any) -> None:
    settings: Any = {"autoreset_mode": mode, "max_episode_steps": 9, "episode_statistics": True, "mask_in_obs": True}
    whole = BlockloomVectorEnv(GAME, 12, **settings)
    turns = BlockloomVectorEnv(GAME, 12, batch_size=4, **settings, **layout)
    rng = np.random.default_rng(8)
    _, infos = whole.reset(seed=50)
    turns.async_reset(seed=50)
    for _ in range(3):
        infos_of_group = turns.recv()[4]
        np.testing.assert_array_equal(infos_of_group["pieces"], 0)
    actions = blockloom.sample(infos["action_mask"], rng)
    turns.send(actions)
    for _ in range(30):
        expected = whole.step(actions)
        following = blockloom.sample(expected[4]["action_mask"], rng)
        for group in range(3):
            rows = slice(group * 4, group * 4 + 4)
            observation, rewards, terminations, truncations, infos = turns.recv()
            assert infos["env_id"].tolist() == list(range(12))[rows]
            assert infos["env_id"].dtype == np.int32
            for name, array in observation.items():
                np.testing.assert_array_equal(array, expected[0][name][rows], strict=True)
            for ours, theirs in zip((rewards, terminations, truncations), expected[1:4], strict=True):
                np.testing.assert_array_equal(ours, theirs[rows], strict=True)
            compare_infos(infos, expected[4], rows)
            turns.send(following[rows], infos["env_id"])
        actions = following
    whole.close()
    turns.close()


def compare_infos(ours: dict[str, Any], whole: dict[str, Any], rows: slice) -> None:
    names = set(ours) - {"env_id", "_env_id"}
    absent = {key: value for key, value in whole.items() if key not in names}
    for key, value in absent.items():
        assert not value[rows].any() if key.startswith("_") else f"_{key}" in absent
    for key in names:
        if isinstance(ours[key], dict):
            compare_infos(ours[key], whole[key], rows)
        else:
            assert data_equivalence(ours[key], whole[key][rows], exact=True), key


def test_rows_may_be_answered_in_any_order_and_several_groups_at_once() -> None:
    plain, turns = BlockloomVectorEnv(GAME, 6), BlockloomVectorEnv(GAME, 6, batch_size=2)
    _, infos = plain.reset(seed=1)
    turns.reset(seed=1)
    actions = blockloom.sample(infos["action_mask"], np.random.default_rng(0))
    expected = plain.step(actions)[0]["board"]
    order = np.array([5, 1, 4, 0])
    turns.send(actions[order], order)
    first = turns.recv()
    assert first[4]["env_id"].tolist() == [0, 1]
    np.testing.assert_array_equal(first[0]["board"], expected[:2])
    assert turns.recv()[4]["env_id"].tolist() == [4, 5]
    turns.send(actions[2:4], np.array([2, 3]))
    np.testing.assert_array_equal(turns.recv()[0]["board"], expected[2:4])
    plain.close()
    turns.close()


def test_without_env_id_the_rows_received_last_are_meant() -> None:
    envs = BlockloomVectorEnv(GAME, 6, batch_size=2)
    envs.reset(seed=1)
    envs.send(np.zeros(6, int))
    for group in range(3):
        assert envs.recv()[4]["env_id"].tolist() == [group * 2, group * 2 + 1]
        envs.send(np.array([4, 4]))
    assert envs.recv()[4]["pieces"].tolist() == [2, 2]
    envs.close()


@pytest.mark.parametrize("env_id", [[0], [0, 0], [0, 6], [-1, 0], [1, 2], [0.0, 1.0], [[0, 1]], []], ids=str)
def test_rows_that_are_no_whole_group_are_refused(env_id: Any) -> None:
    envs = BlockloomVectorEnv(GAME, 6, batch_size=2)
    envs.reset(seed=1)
    with pytest.raises(blockloom.InvalidArgumentError):
        envs.send(np.zeros(np.shape(env_id)[0] if np.ndim(env_id) == 1 else 2, int), env_id)
    assert envs.step(np.zeros(6, int))[4]["pieces"].tolist() == [1] * 6
    envs.close()


def test_calls_out_of_turn_say_so() -> None:
    envs = BlockloomVectorEnv(GAME, 4, batch_size=2)
    envs.reset(seed=1)
    with pytest.raises(blockloom.BlockloomError, match="nothing is on its way"):
        envs.recv()
    envs.send(np.zeros(2, int), np.array([0, 1]))
    with pytest.raises(blockloom.BlockloomError, match="rows 0 to 1 were sent"):
        envs.send(np.zeros(4, int))
    with pytest.raises(blockloom.BlockloomError, match="receive what was sent first"):
        envs.step(np.zeros(4, int))
    assert envs.recv()[4]["pieces"].tolist() == [1, 1]
    assert envs.step(np.full(4, 4))[4]["pieces"].tolist() == [2, 2, 1, 1]
    envs.close()


def test_a_reset_forgets_what_is_on_its_way() -> None:
    envs, fresh = BlockloomVectorEnv(GAME, 4, batch_size=2), BlockloomVectorEnv(GAME, 4)
    envs.reset(seed=1)
    envs.send(np.zeros(4, int))
    assert data_equivalence(envs.reset(seed=2), fresh.reset(seed=2), exact=True)
    assert data_equivalence(envs.step(np.zeros(4, int)), fresh.step(np.zeros(4, int)), exact=True)
    envs.close()
    fresh.close()


def test_a_rejected_group_can_be_sent_again() -> None:
    envs = BlockloomVectorEnv(GAME, 4, illegal_action="reject")
    envs.reset(seed=1)
    envs.send(np.array([0, 0, 0, 39]))
    with pytest.raises(blockloom.IllegalActionError):
        envs.recv()
    envs.send(np.array([0, 0, 0, 0]))
    assert envs.recv()[4]["pieces"].tolist() == [1, 1, 1, 1]
    envs.close()
