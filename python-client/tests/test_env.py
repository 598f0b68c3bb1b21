from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import blockloom
from blockloom import BlockloomEnv
from blockloom._games import game_ids

GAME = "Stackcraft-v1"


def served_games() -> list[str]:
    return [game.game_id for game in blockloom.list_games()]


@pytest.mark.parametrize("game", served_games())
@pytest.mark.parametrize("mask_in_obs", [False, True])
def test_gymnasiums_checker_has_nothing_to_say(game: str, mask_in_obs: bool) -> None:
    env = gymnasium.make(f"blockloom/{game}", disable_env_checker=True, mask_in_obs=mask_in_obs).unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    assert [str(warning.message) for warning in caught] == []
    env.close()


def test_all_games_are_registered_and_importing_starts_no_server() -> None:
    registered = {spec.id for spec in gymnasium.registry.values() if spec.namespace == "blockloom"}
    assert registered == {f"blockloom/{game}" for game in blockloom.GAME_IDS}
    assert set(served_games()) <= set(blockloom.GAME_IDS)


def test_a_game_that_only_the_build_knows_is_registered_too(tmp_path: Path) -> None:
    (tmp_path / "games.json").write_text('["Stackcraft-v1", "Sixth-v1"]')
    assert game_ids(tmp_path) == (*blockloom.GAME_IDS, "Sixth-v1")


def test_games_are_listed_with_their_settings(server: str | None) -> None:
    games = {game.game_id: game for game in blockloom.list_games(server)}
    stackcraft = games[GAME]
    assert [key.name for key in stackcraft.config] == ["cells"]
    assert stackcraft.config[0].values == ["colours", "occupancy"]
    assert stackcraft.rewards[0] == "score"
    assert stackcraft.spec.num_actions == 40


def play(env: BlockloomEnv, rng: np.random.Generator, steps: int) -> list[Any]:
    """What masked random play sees, with a seedless reset after each end."""
    seen: list[Any] = []
    _, info = env.reset(seed=7)
    for _ in range(steps):
        seen.append(env.step(blockloom.sample(info["action_mask"], rng)))
        info = seen[-1][4]
        if seen[-1][2] or seen[-1][3]:
            seen.append(env.reset())
            info = seen[-1][1]
    return seen


def test_a_seed_decides_the_whole_sequence_of_episodes(server: str | None) -> None:
    first, second = BlockloomEnv(GAME, server=server), BlockloomEnv(GAME)
    runs = [play(env, np.random.default_rng(1), 200) for env in (first, second)]
    assert data_equivalence(runs[0], runs[1], exact=True)
    first.close()
    second.close()


def test_info_has_the_same_keys_at_reset_and_at_every_step() -> None:
    env = BlockloomEnv(GAME)
    _, info = env.reset(seed=1)
    keys = ["action_mask", "score", "lines", "pieces", "illegal_action", "refusal"]
    assert list(info) == keys
    assert info["action_mask"].dtype == np.int8
    assert (type(info["score"]), info["illegal_action"], info["refusal"]) == (int, False, None)
    _, reward, terminated, truncated, info = env.step(0)
    assert list(info) == keys
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    _, reward, _, _, info = env.step(39)
    assert (reward, info["illegal_action"], info["pieces"]) == (0.0, True, 1)
    assert info["refusal"] in {"out_of_bounds", "no_such_rotation"}
    env.close()


def test_the_end_of_an_episode(server: str | None) -> None:
    env = BlockloomEnv(GAME, max_episode_steps=3, episode_statistics=True, server=server)
    env.reset(seed=3)
    env.step(0)
    env.step(39)
    _, _, terminated, truncated, info = env.step(4)
    assert (terminated, truncated) == (False, True)
    assert info["episode"] == {"r": 0.0, "l": 3}
    assert not info["action_mask"].any()
    assert info["final_action_mask"].any()
    assert not env.action_masks().any()
    with pytest.raises(blockloom.ResetRequiredError):
        env.step(0)
    _, info = env.reset()
    assert "final_action_mask" not in info
    env.step(0)
    env.close()


def test_illegal_actions_by_policy(server: str | None) -> None:
    reject = BlockloomEnv(GAME, illegal_action="reject", server=server)
    before, _ = reject.reset(seed=2)
    with pytest.raises(blockloom.IllegalActionError) as caught:
        reject.step(39)
    assert caught.value.reason in {"out_of_bounds", "no_such_rotation"}
    after, _, _, _, info = reject.step(0)
    assert info["pieces"] == 1
    assert after["current"] == before["next"]
    terminate = BlockloomEnv(GAME, illegal_action="terminate", server=server)
    terminate.reset(seed=2)
    _, reward, terminated, _, info = terminate.step(39)
    assert (reward, terminated, info["illegal_action"]) == (0.0, True, True)
    assert not info["final_action_mask"].any()
    reject.close()
    terminate.close()


@pytest.mark.parametrize("action", [-1, 40, 2**40, 1.0, "0", None, np.float32(3), [1]])
def test_actions_outside_the_space_are_refused_and_change_nothing(action: Any) -> None:
    env = BlockloomEnv(GAME)
    env.reset(seed=2)
    with pytest.raises(blockloom.InvalidArgumentError, match="0 to 39"):
        env.step(action)
    assert env.step(np.int8(0))[4]["pieces"] == 1
    env.close()


SEEDS = [0, -1, 7, 2**63, 2**64 + 1, -(2**80), 10**64 - 1, -(10**64) + 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_seeds_of_any_size_and_sign(seed: int, server: str | None) -> None:
    env = BlockloomEnv(GAME, server=server)
    first, _ = env.reset(seed=seed)
    env.step(0)
    again, _ = env.reset(seed=seed)
    assert data_equivalence(first, again, exact=True)
    assert env.np_random_seed == seed
    env.close()


def test_np_random_follows_the_seed_and_its_sign() -> None:
    env = BlockloomEnv(GAME)
    draws = []
    for seed in (5, -5, 5):
        env.reset(seed=seed)
        draws.append(env.np_random.integers(2**62))
    assert draws[0] == draws[2] != draws[1]
    env.close()


def test_seeds_may_be_anything_with_an_index() -> None:
    env = BlockloomEnv(GAME)
    plain, _ = env.reset(seed=5)
    for seed in (np.int8(5), np.uint64(5)):
        assert data_equivalence(env.reset(seed=seed)[0], plain, exact=True)
    env.close()


@pytest.mark.parametrize("seed", [10**64, -(10**64), 10**5000], ids=["65 digits", "negative", "beyond CPython's limit"])
def test_a_seed_of_too_many_digits_names_the_limit_and_not_the_seed(seed: int) -> None:
    env = BlockloomEnv(GAME)
    with pytest.raises(ValueError, match="at most 64 digits") as caught:
        env.reset(seed=seed)
    assert "00000" not in str(caught.value)
    env.close()


@pytest.mark.parametrize("seed", [1.5, "7", [7], np.float64(7)])
def test_a_seed_of_another_type_is_refused_without_its_value(seed: Any) -> None:
    env = BlockloomEnv(GAME)
    with pytest.raises(blockloom.InvalidArgumentError, match="a seed must be an integer, not") as caught:
        env.reset(seed=seed)
    assert "7" not in str(caught.value)
    env.close()


def test_the_first_reset_draws_a_seed_and_tells_it() -> None:
    env, other = BlockloomEnv(GAME), BlockloomEnv(GAME)
    observations = [env.reset()[0], env.reset()[0]]
    assert 0 <= env.np_random_seed < 2**63
    expected = [other.reset(seed=env.np_random_seed)[0], other.reset()[0]]
    assert data_equivalence(observations, expected, exact=True)
    other.reset(seed=env.np_random_seed + 1)
    assert other.np_random_seed != env.np_random_seed
    env.close()
    other.close()


def test_arrays_belong_to_the_caller() -> None:
    env = BlockloomEnv(GAME, mask_in_obs=True)
    observation, info = env.reset(seed=4)
    kept = copy.deepcopy((observation, info))
    for action in (0, 3, 6):
        env.step(action)
    assert data_equivalence((observation, info), kept, exact=True)
    observation["board"][:] = 9
    observation["action_mask"][:] = 5
    info["action_mask"][:] = 0
    assert env.action_masks().any()
    assert env.step(9)[0]["board"].max() < 9
    env.close()


def test_mask_in_obs_is_the_mask_of_the_info() -> None:
    env = BlockloomEnv(GAME, mask_in_obs=True)
    observation, info = env.reset(seed=4)
    np.testing.assert_array_equal(observation["action_mask"], info["action_mask"], strict=True)
    np.testing.assert_array_equal(env.action_masks(), info["action_mask"].astype(bool), strict=True)
    assert isinstance(env.observation_space, gymnasium.spaces.Dict)
    assert env.observation_space["action_mask"] == gymnasium.spaces.Box(0, 1, (40,), np.int8)
    env.close()


def test_config_and_reward_are_keywords(server: str | None) -> None:
    env = gymnasium.make(f"blockloom/{GAME}", cells="occupancy", reward="lines", server=server)
    assert isinstance(env.observation_space, gymnasium.spaces.Dict)
    board = env.observation_space["board"]
    assert isinstance(board, gymnasium.spaces.Box)
    assert board.high.max() == 1
    base = env.unwrapped
    assert isinstance(base, BlockloomEnv)
    assert (base.game_spec.config, base.game_spec.reward) == ({"cells": "occupancy"}, "lines")
    env.close()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"colour": "red"}, r"unknown keyword among colour of Stackcraft-v1: .*allowed: cells"),
        ({"cells": "round"}, r"config\.cells is \"round\"; allowed: one of colours, occupancy"),
        ({"cells": 1.5}, r"cells=1\.5 is of type float; allowed: str, bool or int"),
        ({"illegal_action": "ignore"}, "illegal_action='ignore'; allowed: refuse, reject, terminate"),
        ({"reward": "fame"}, "fame"),
        ({"wire_encoding": "zip"}, "wire_encoding='zip'; allowed: packed, dense"),
        ({"max_episode_steps": -1}, "max_episode_steps=-1; allowed: 0 to 2147483647"),
        ({"max_episode_steps": 1.5}, r"max_episode_steps=1\.5 is no integer"),
        ({"render_mode": "video"}, "render_mode='video'; allowed: ansi, human, rgb_array"),
        ({"timeout_s": 0}, "timeout_s is 0"),
        ({"num_envs": 2}, "use gymnasium.make_vec"),
        ({"autoreset_mode": "same_step"}, "use gymnasium.make_vec"),
        ({"server": ""}, "allowed: 'host:port' or 'unix:/path'"),
    ],
)
def test_a_bad_keyword_is_told_with_what_is_allowed(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match=message):
        BlockloomEnv(GAME, **keywords)


def test_an_unknown_game_and_an_unreachable_server() -> None:
    with pytest.raises(blockloom.BlockloomError, match="Chess-v1") as caught:
        BlockloomEnv("Chess-v1")
    assert caught.value.code == "NOT_FOUND"
    with pytest.raises(blockloom.ServerDiedError, match=r"127\.0\.0\.1:1 failed: UNAVAILABLE"):
        BlockloomEnv(GAME, server="127.0.0.1:1", timeout_s=30)


def test_a_bad_reset_option_changes_nothing(server: str | None) -> None:
    env = BlockloomEnv(GAME, server=server)
    env.reset(seed=1)
    with pytest.raises(blockloom.InvalidArgumentError, match="daily"):
        env.reset(options={"daily": "today"})
    with pytest.raises(blockloom.InvalidArgumentError, match="reset_mask"):
        env.reset(options={"reset_mask": np.array([True, False])})
    assert env.step(0)[4]["pieces"] == 1
    assert env.reset(options={"reset_mask": np.array([True])})[1]["pieces"] == 0
    env.close()


def test_use_before_reset_and_after_close() -> None:
    env = BlockloomEnv(GAME, render_mode="rgb_array")
    with pytest.raises(blockloom.ResetRequiredError):
        env.step(0)
    with pytest.raises(blockloom.ResetRequiredError):
        env.render()
    env.close()
    env.close()
    for use in (env.reset, env.action_masks, lambda: env.step(0)):
        with pytest.raises(blockloom.BlockloomError, match="closed"):
            use()


def test_pickling_carries_the_arguments_only(server: str | None) -> None:
    env = gymnasium.make(f"blockloom/{GAME}", cells="occupancy", mask_in_obs=True, server=server)
    env.reset(seed=1)
    base: Any = env.unwrapped
    twins: list[BlockloomEnv] = [pickle.loads(pickle.dumps(base)), copy.deepcopy(base)]
    for twin in twins:
        assert twin.game_spec.config == {"cells": "occupancy"}
        assert twin.spec == env.unwrapped.spec
        with pytest.raises(blockloom.ResetRequiredError):
            twin.step(0)
        assert data_equivalence(twin.reset(seed=9), env.unwrapped.reset(seed=9), exact=True)
        twin.close()
    env.close()


def test_explain_and_render_text(server: str | None) -> None:
    env = BlockloomEnv(GAME, render_mode="ansi", server=server)
    _, info = env.reset(seed=1)
    for action in range(40):
        explanation = env.explain(action)
        assert explanation.legal == bool(info["action_mask"][action])
        assert bool(explanation.reason) != explanation.legal
    env.step(0)
    text = env.render()
    assert isinstance(text, str)
    assert len(text.splitlines()) >= 20
    env.close()


def test_human_prints_at_reset_and_at_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = BlockloomEnv(GAME, render_mode="human")
    env.reset(seed=1)
    first = capsys.readouterr().out
    env.step(0)
    second = capsys.readouterr().out
    assert len(first.splitlines()) == len(second.splitlines()) >= 20
    assert first != second
    assert env.render() is None
    assert capsys.readouterr().out == second
    env.close()
