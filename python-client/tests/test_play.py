"""Play and render: the rules' own grammar and text, beside steps."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv


@pytest.mark.parametrize("game", blockloom.GAME_IDS)
def test_a_game_by_play_is_the_game_by_steps(game: str, server: str | None) -> None:
    env, twin = BlockloomEnv(game, server=server), BlockloomEnv(game, server=server, render_mode="ansi")
    env.reset(seed=6)
    _, info = twin.reset(seed=6)
    rng = np.random.default_rng(6)
    result = env.play(None)
    assert (result.ok, result.reason) == (False, "unknown_action")
    over = False
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        assert len(result.legal_actions) == len(legal)
        choice = int(rng.integers(len(legal)))
        native = json.loads(result.legal_actions[choice])
        result = env.play(native)
        _, reward, over, _, info = twin.step(legal[choice])
        assert (result.ok, result.reason, result.message) == (True, "", "")
        assert (result.reward, result.score, result.game_over) == (reward, info["score"], over)
        assert result.text == twin.render()
    assert result.legal_actions == []
    late, why = env.play(native), env.explain(legal[choice])
    assert (late.ok, late.reason, late.message) == (False, why.reason, why.message)
    assert late.reason
    env.close()
    twin.close()


def test_observe_shows_what_play_has_done() -> None:
    env, twin = BlockloomEnv("Stackcraft-v1", mask_in_obs=True), BlockloomEnv("Stackcraft-v1", mask_in_obs=True)
    first = env.reset(seed=3)
    assert data_equivalence(env.observe(), first, exact=True)
    twin.reset(seed=3)
    env.play("r0x4")
    observation, _, _, _, info = twin.step(4)
    assert data_equivalence(env.observe(), (observation, info), exact=True)
    assert data_equivalence(env.step(0), twin.step(0), exact=True)
    refused = env.step(39)
    assert data_equivalence(env.observe(), (refused[0], refused[4]), exact=True)
    env.close()
    twin.close()
    with pytest.raises(blockloom.BlockloomError, match="closed"):
        env.observe()


@pytest.mark.parametrize("layout", [{}, {"num_workers": 2}, {"batch_size": 1}], ids=str)
def test_a_row_of_a_vector_is_played_alone(layout: dict[str, Any]) -> None:
    envs = BlockloomVectorEnv("BlockPuzzle8-v1", 3, render_mode="ansi", **layout)
    _, infos = envs.reset(seed=1)
    before = envs.render()
    place = json.loads(envs.play(1, None).legal_actions[0])
    result = envs.play(1, place)
    after = envs.render()
    assert result.ok
    assert before is not None
    assert after is not None
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False, True]
    assert after[1] == result.text
    np.testing.assert_array_equal(envs.action_masks()[[0, 2]], infos["action_mask"][[0, 2]] == 1)
    actions = envs.action_masks().argmax(axis=1)
    moved = envs.step(actions)[4]
    assert (moved["placements"] == [1, 2, 1]).all()
    envs.close()


def test_what_is_no_json_cannot_be_played() -> None:
    env = BlockloomEnv("Stackcraft-v1")
    env.reset(seed=1)
    with pytest.raises(blockloom.InvalidArgumentError, match="allowed: what JSON can write"):
        env.play(object())
    with pytest.raises(blockloom.InvalidArgumentError, match="4096"):
        env.play("x" * 5000)
    assert env.play("r0x0").ok
    env.close()
