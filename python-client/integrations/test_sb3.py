"""`blockloom.sb3` with Stable-Baselines3 and sb3-contrib: needs the extra `sb3`."""

from __future__ import annotations

import copy
import re
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import blockloom
from blockloom import BlockloomEnv
from blockloom.sb3 import BlockloomVecEnv, make_vec_env

GAMES = blockloom.GAME_IDS
ROWS = 5


@pytest.mark.smoke
@pytest.mark.parametrize("game", GAMES)
def test_the_checker_of_stable_baselines_has_nothing_to_refuse(game: str) -> None:
    env = gymnasium.make(f"blockloom/{game}", disable_env_checker=True).unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    told = {str(warning.message) for warning in caught}
    # Small boards of 0 to 1 or 0 to 7 are no pictures; they are flattened.
    assert all("image" in message or "MultiInputPolicy" in message for message in told), told
    env.close()


def same(ours: Any, theirs: Any) -> bool:
    """Equal, whatever the integer types, apart from the time."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours if key != "t")
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(np.array_equal(ours, theirs)) if isinstance(ours, np.ndarray) else bool(ours == theirs)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("layout", [{}, {"num_workers": 2}], ids=str)
def test_it_does_what_stable_baselines_own_vector_does(game: str, layout: dict[str, Any]) -> None:
    limit = 12
    ours: Any = make_vec_env(game, ROWS, seed=7, max_episode_steps=limit, **layout)
    theirs: Any = DummyVecEnv([lambda: Monitor(BlockloomEnv(game, max_episode_steps=limit))] * ROWS)
    theirs.seed(7)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert same(ours.reset(), theirs.reset())
    rng = np.random.default_rng(1)
    ends = cuts = 0
    for step in range(60):
        masks: Any = np.stack(ours.env_method("action_masks"))
        assert (masks.dtype, masks.shape) == (np.bool_, (ROWS, ours.action_space.n))
        assert np.array_equal(masks, np.stack(theirs.env_method("action_masks")))
        actions = blockloom.sample(masks.astype(np.int8), rng)
        actions[step % ROWS] = rng.integers(ours.action_space.n)  # legal or not
        result: Any = ours.step(actions)
        expected = theirs.step(actions)
        assert same(result[0], expected[0])
        assert np.array_equal(result[1], expected[1])
        assert (result[1].dtype, result[2].dtype) == (np.float32, np.bool_)
        assert np.array_equal(result[2], expected[2])
        assert same(result[3], expected[3])
        assert same(ours.reset_infos, theirs.reset_infos)
        ends += int(result[2].sum())
        cuts += sum(info["TimeLimit.truncated"] for info in result[3])
    assert ends >= 4 * ROWS
    assert cuts > 0
    assert same(ours.reset(), theirs.reset())
    ours.close()
    theirs.close()


def test_a_batch_is_one_request() -> None:
    envs: Any = make_vec_env("Stackcraft-v1", 64, seed=1)
    envs.reset()
    channel = envs.envs._groups.parts[0].remote._channel
    before = channel._last_id
    for _ in range(10):
        envs.step(np.stack(envs.env_method("action_masks")).argmax(axis=1))
    assert channel._last_id - before == 10
    envs.close()


class Kept(KVWriter):
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        self.values.update(key_values)

    def close(self) -> None:
        pass


@pytest.mark.smoke
@pytest.mark.parametrize("game", ["Stackcraft-v1", "Hourloom-v1"])
def test_a_masked_policy_learns_and_tells_its_returns(game: str) -> None:
    envs: Any = make_vec_env(game, 8, seed=7, max_episode_steps=20)
    assert is_masking_supported(envs)
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=64, n_epochs=1, seed=3, device="cpu")
    kept = Kept()
    model.set_logger(Logger(None, [kept]))
    model.learn(512)
    assert model.num_timesteps == 512
    assert model.ep_info_buffer is not None
    assert len(model.ep_info_buffer) >= 8
    assert {"r", "l", "t"} <= model.ep_info_buffer[0].keys()
    assert kept.values["rollout/ep_len_mean"] <= 20
    assert kept.values["rollout/ep_rew_mean"] == np.mean([episode["r"] for episode in model.ep_info_buffer])
    envs.reset()
    masks = get_action_masks(envs)
    observation = envs.reset()
    actions, _ = model.predict(observation, action_masks=get_action_masks(envs))
    assert masks.shape == (8, envs.action_space.n)
    assert get_action_masks(envs)[np.arange(8), actions].all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns where episodes are not monitored
        evaluated: Any = evaluate_policy(model, envs, n_eval_episodes=8, return_episode_rewards=True)
    returns, lengths = evaluated
    assert len(returns) == len(lengths) == 8
    assert max(lengths) <= 20
    envs.close()


def test_the_same_seeds_give_the_same_training() -> None:
    def weights() -> list[Any]:
        envs: Any = make_vec_env("LumenBlocks-v1", 4, seed=7)
        model = PPO("MultiInputPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, seed=3, device="cpu")
        model.learn(128)
        envs.close()
        return [parameter.detach().numpy().copy() for parameter in model.policy.parameters()]

    assert all(np.array_equal(*pair) for pair in zip(weights(), weights(), strict=True))


def test_attributes_and_methods_of_rows() -> None:
    envs: Any = make_vec_env("Stackcraft-v1", 3, seed=7, record=True, render_mode="ansi")
    observation = envs.reset()
    assert envs.get_attr("render_mode") == ["ansi"] * 3
    assert envs.get_attr("game_spec", indices=1)[0].num_actions == 40
    assert envs.has_attr("action_masks")
    assert not envs.has_attr("difficulty")
    assert envs.get_attr("action_masks", indices=[2])[0]().dtype == np.bool_
    envs.set_attr("difficulty", 5, indices=[0, 2])
    assert envs.get_attr("difficulty", [0, 2]) == [5, 5]
    with pytest.raises(AttributeError):
        envs.get_attr("difficulty")
    for name in ("render_mode", "action_masks", "explain"):
        with pytest.raises(AttributeError, match="give it as a keyword"):
            envs.set_attr(name, None)
    with pytest.raises(AttributeError, match="rows have no method solve"):
        envs.env_method("solve")
    assert [one.legal for one in envs.env_method("explain", 0)] == [True] * 3
    texts = envs.env_method("render", indices=[0, -1])
    assert len(texts) == 2
    assert all(isinstance(text, str) for text in texts)
    assert envs.env_method("afterstates", indices=1)[0].row_offsets.tolist()[0] == 0
    assert envs.env_method("play", "r0x0", indices=1)[0].ok
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(gymnasium.wrappers.TimeLimit, indices=0) == [False]
    assert same(observation, make_vec_env("Stackcraft-v1", 3, seed=7).reset())
    envs.close()
    envs.close()


def test_seeds_and_options() -> None:
    envs: Any = make_vec_env("BlockPuzzle8-v1", 2)
    assert envs.seed(2**70) == [2**70, 2**70 + 1]
    first = envs.reset()
    alone = BlockloomEnv("BlockPuzzle8-v1").reset(seed=2**70 + 1)[0]
    assert same({key: array[1] for key, array in first.items()}, alone)
    second = envs.reset()
    assert not same(first, second)
    envs.seed(2**70)
    assert same(envs.reset(), first)
    envs.set_options({"daily": "2026-01-31"})
    daily = envs.reset()
    assert all((array[0] == array[1]).all() for array in daily.values())
    envs.set_options([{"daily": "2026-01-31"}, {}])
    with pytest.raises(blockloom.InvalidArgumentError, match="the same for all rows"):
        envs.reset()
    envs.close()


def test_pictures_and_text() -> None:
    envs: Any = make_vec_env("Stackcraft-v1", 3, seed=7, render_mode="rgb_array")
    envs.reset()
    picture = envs.render()
    assert picture is not None
    assert (picture.dtype, picture.ndim) == (np.uint8, 3)
    envs.close()


def test_human_prints_at_reset_and_at_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    envs: Any = make_vec_env("Stackcraft-v1", 2, seed=7, render_mode="human")
    envs.reset()
    once = len(capsys.readouterr().out.splitlines())
    assert once >= 40
    envs.step(np.zeros(2, int))
    assert len(capsys.readouterr().out.splitlines()) == once
    envs.close()


@pytest.mark.parametrize("keyword", ["num_envs", "autoreset_mode", "batch_size", "episode_statistics"])
def test_what_stable_baselines_decides_is_no_keyword(keyword: str) -> None:
    with pytest.raises((blockloom.InvalidArgumentError, TypeError), match=keyword):
        make_vec_env("Stackcraft-v1", 2, **{keyword: 1})


def test_other_wrappers_stand_around_it() -> None:
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        envs = VecMonitor(make_vec_env("Stackcraft-v1", 2, seed=7, max_episode_steps=3))
    envs.reset()
    infos: list[dict[str, Any]] = []
    for _ in range(3):
        _, _, _, infos = envs.step(np.stack(envs.env_method("action_masks")).argmax(axis=1))
    assert [info["episode"]["l"] for info in infos] == [3, 3]
    envs.close()


def test_arrays_belong_to_the_caller() -> None:
    envs: Any = make_vec_env("Stackcraft-v1", 3, seed=7, max_episode_steps=2)
    kept: list[Any] = [envs.reset()]
    for _ in range(6):
        kept.append(envs.step(np.stack(envs.env_method("action_masks")).argmax(axis=1)))
    copies = copy.deepcopy(kept)
    envs.step(np.zeros(3, int))
    assert data_equivalence(kept, copies, exact=True)
    envs.close()


@pytest.mark.smoke
def test_the_readmes_program_runs() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```py\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert len(programs) == 1
    namespace: dict[str, Any] = {}
    exec(programs[0], namespace)
    assert isinstance(namespace["envs"], BlockloomVecEnv)
