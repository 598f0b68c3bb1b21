"""`blockloom.torchrl` with TorchRL: needs the extra `torchrl`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import check_env_specs
from torchrl.modules import MaskedCategorical

import blockloom
from blockloom import BlockloomEnv
from blockloom.torchrl import actor_critic, make_env
from documents import program, run_example

GAMES = blockloom.GAME_IDS


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.smoke
@pytest.mark.parametrize("num_envs", [None, 3])
@pytest.mark.parametrize("game", GAMES)
def test_its_specs_are_true(game: str, num_envs: int | None) -> None:
    env = make_env(game, num_envs, seed=7, max_episode_steps=20)
    check_env_specs(env)
    assert env.batch_size == torch.Size([] if num_envs is None else [num_envs])
    env.close()


@pytest.mark.smoke
@pytest.mark.parametrize("num_envs", [None, 3])
@pytest.mark.parametrize("game", GAMES)
def test_random_play_is_legal_and_is_what_single_environments_say(game: str, num_envs: int | None) -> None:
    env = make_env(game, num_envs, seed=7, max_episode_steps=15)
    played = env.rollout(60, break_when_any_done=False)
    env.close()
    if num_envs is None:
        played = played.unsqueeze(0)
    assert played["next", "done"].sum() >= 4 * len(played)
    assert not played["next", "info", "illegal_action"].any()
    for row in range(len(played)):
        alone = BlockloomEnv(game, max_episode_steps=15)
        observation, info = alone.reset(seed=7 + row)
        for step in played[row]:
            same(step, observation, info["action_mask"])
            assert step["action_mask"][step["action"]]
            observation, reward, terminated, truncated, info = alone.step(int(step["action"]))
            after = step["next"]
            assert (after["reward"].item(), after["terminated"].item()) == (reward, terminated)
            assert (after["truncated"].item(), after["info", "score"].item()) == (truncated, info["score"])
            mask: Any = info.get("final_action_mask", info["action_mask"])
            same(after, observation, mask if mask.any() else np.ones_like(mask))
            if terminated or truncated:
                observation, info = alone.reset()
        alone.close()


def same(data: Any, observation: dict[str, Any], mask: Any) -> None:
    assert data["action_mask"].dtype == torch.bool
    assert np.array_equal(data["action_mask"].numpy(), mask != 0)
    assert set(data["observation"].keys()) == set(observation)
    for name, array in observation.items():
        assert np.array_equal(data["observation", name].numpy(), array), name


def test_a_seed_set_later_begins_again() -> None:
    env = make_env("LumenBlocks-v1", 2)
    env.set_seed(5)
    first = env.reset()
    env.rand_step(first)
    second = env.reset()
    env.set_seed(5)
    again = env.reset()
    assert torch.equal(first["observation", "board"], again["observation", "board"])
    assert torch.equal(first["observation", "tray_piece"], again["observation", "tray_piece"])
    assert not torch.equal(first["observation", "tray_piece"], second["observation", "tray_piece"])
    env.close()


@pytest.mark.smoke
@pytest.mark.parametrize("num_envs", [None, 4])
def test_a_policy_with_masks_stays_legal_over_batches(num_envs: int | None) -> None:
    torch.manual_seed(0)
    env = make_env("BlockPuzzle8-v1", num_envs, seed=7, max_episode_steps=15)
    actor, critic = actor_critic(env, hidden=(32,))
    steps = 0
    collector = Collector(env, actor, frames_per_batch=80, total_frames=400, auto_register_policy_transforms=False)
    for batch in collector:
        steps += batch.numel()
        assert not batch["next", "info", "illegal_action"].any()
        assert torch.isfinite(batch["action_log_prob"]).all()
        assert torch.isfinite(critic(batch)["state_value"]).all()
        assert torch.isfinite(actor.get_dist(batch["next"]).entropy()).all()
    assert steps == 400
    collector.shutdown()


def test_illegal_actions_have_no_probability() -> None:
    env = make_env("Stackcraft-v1", 3, seed=7)
    actor, _ = actor_critic(env)
    begun = env.reset()
    chosen = actor.get_dist(begun)
    assert isinstance(chosen, MaskedCategorical)
    assert (chosen.probs[~begun["action_mask"]] == 0).all()
    assert torch.allclose(chosen.probs.sum(-1), torch.ones(3))
    env.close()


def test_rows_are_the_same_on_several_servers() -> None:
    first_legal = TensorDictModule(lambda mask: mask.int().argmax(-1), in_keys=["action_mask"], out_keys=["action"])
    played = []
    for num_workers in (1, 2):
        env = make_env("Stackcraft-v1", 4, seed=7, num_workers=num_workers)
        played.append(env.rollout(20, first_legal))
        env.close()
    assert (played[0] == played[1]).all()


@pytest.mark.parametrize("keyword", ["autoreset_mode", "batch_size", "episode_statistics", "mask_in_obs"])
def test_what_torchrl_decides_is_no_keyword(keyword: str) -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match=f"{keyword}: TorchRL decides it"):
        make_env("Stackcraft-v1", 2, **{keyword: True})


@pytest.mark.smoke
def test_the_documents_program_runs() -> None:
    namespace: dict[str, Any] = {}
    exec(program("TorchRL"), namespace)
    assert namespace["illegal"] == 0


def test_the_example_learns() -> None:
    said = run_example("torchrl_rollout.py", "--updates", "10")
    random, *rewards = (float(number) for number in re.findall(r"mean reward ([\d.]+)", said))
    assert len(rewards) == 10
    # Of three pieces the largest is placed: about 4.5 cells instead of 3.65, a mean of 2,048 steps being known to 0.04.
    assert min(rewards[-2:]) > random + 0.4
    assert "illegal actions 0" in said.splitlines()[-1]


@pytest.mark.smoke
def test_the_example_runs() -> None:
    said = run_example("torchrl_rollout.py", "--updates", "1", "--num-envs", "8", "--steps", "32")
    assert "illegal actions 0" in said.splitlines()[-1]
