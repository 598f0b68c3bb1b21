"""Replays: saved, verified, and loaded at any ply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv

GAMES = blockloom.GAME_IDS


def play(env: BlockloomEnv, seed: int) -> tuple[list[Any], list[int]]:
    """What is seen in an episode of random legal actions, and the actions."""
    rng = np.random.default_rng(abs(seed) % 1000)
    seen: list[Any] = [env.reset(seed=seed)]
    actions: list[int] = []
    while not (actions and (seen[-1][2] or seen[-1][3])):
        actions.append(int(blockloom.sample(seen[-1][-1]["action_mask"], rng)))
        seen.append(env.step(actions[-1]))
    return seen, actions


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_is_saved_verified_and_loaded(game: str, tmp_path: Path) -> None:
    env = BlockloomEnv(game, record=True)
    seen, actions = play(env, -(10**40) - 7)
    text = env.save_replay(tmp_path / "game.json")
    decoded = json.loads(text)
    assert decoded["seed"] == -(10**40) - 7
    assert len(decoded["actions"]) == len(actions)
    assert decoded["final"] == {**{name: seen[-1][4][name] for name in env.game_spec.outcome_names}, "terminal": True}
    for form in (text, tmp_path / "game.json", decoded):
        verdict = env.verify_replay(form)
        assert verdict
        assert verdict.final == decoded["final"]
        assert (verdict.reason, verdict.message, verdict.ply) == ("", "", None)
    for ply in sorted({0, 1, len(actions) // 2, len(actions)}):
        standing = env.load_replay(text, ply)
        observation, info = standing.observe()
        expected = seen[ply]
        assert data_equivalence(observation, expected[0], exact=True)
        np.testing.assert_array_equal(info["action_mask"], expected[-1]["action_mask"], strict=True)
        if ply < len(actions):
            assert data_equivalence(standing.step(actions[ply]), seen[ply + 1], exact=True)
        else:
            with pytest.raises(blockloom.ResetRequiredError):
                standing.step(0)
        assert data_equivalence(standing.reset(seed=5), env.reset(seed=5), exact=True)
        standing.close()
    env.close()


def test_the_episode_after_a_loaded_one_is_the_next_of_its_seed() -> None:
    env = BlockloomEnv("BlockPuzzle8-v1", record=True)
    play(env, 12)
    standing = blockloom.load_replay(env.save_replay(), 3)
    assert data_equivalence(standing.reset(), env.reset(), exact=True)
    standing.close()
    env.close()


def test_a_loaded_environment_takes_the_keywords_of_any_other(server: str | None) -> None:
    env = BlockloomEnv("BlockPuzzle10-v1", record=True, allow_new_set=False, server=server)
    play(env, 3)
    standing = blockloom.load_replay(
        env.save_replay(), 2, server=server, wire_encoding="dense", mask_in_obs=True, render_mode="ansi", timeout_s=9
    )
    observation, info = standing.observe()
    np.testing.assert_array_equal(observation["action_mask"], info["action_mask"])
    assert standing.observation_space.contains(observation)
    assert standing.game_spec.config == {"allow_new_set": "false"}
    assert standing.game_spec.wire_encoding == "WIRE_ENCODING_DENSE"
    assert isinstance(standing.render(), str)
    assert "piece 2" in standing.mask_picture()
    partial = json.loads(env.save_replay())
    del partial["actions"][2:], partial["final"]
    assert blockloom.verify_replay(partial, server=server).ok
    standing.close()
    env.close()


@pytest.mark.parametrize("form", ["{}", "[]", "", "game.json", '{"seed": NaN}'])
def test_what_is_no_replay_is_told_and_not_raised(form: str) -> None:
    verdict = blockloom.verify_replay(form)
    assert not verdict
    assert verdict.reason
    assert verdict.message
    with pytest.raises(blockloom.InvalidArgumentError, match=verdict.reason):
        blockloom.load_replay(form)


def test_a_forged_replay_is_found_out() -> None:
    env = BlockloomEnv("Stackcraft-v1", record=True)
    play(env, 8)
    true = json.loads(env.save_replay())
    assert blockloom.verify_replay(true)
    wrong: list[tuple[dict[str, Any], str, int | None]] = [
        ({**true, "final": {**true["final"], "score": true["final"]["score"] + 1}}, "summary", None),
        ({**true, "final": {**true["final"], "terminal": 1}}, "summary", None),
        ({**true, "rules_version": "stackcraft-v2"}, "version", None),
        ({**true, "actions": [*true["actions"][:3], "r3x9", *true["actions"][4:]]}, "illegal_action", 3),
    ]
    for replay, reason, ply in wrong:
        verdict = blockloom.verify_replay(replay)
        assert not verdict.ok
        assert reason in verdict.reason
        assert verdict.ply == ply
        with pytest.raises(blockloom.InvalidArgumentError) as caught:
            blockloom.load_replay(replay)
        assert caught.value.metadata.get("ply") == (None if ply is None else str(ply))
    env.close()


def test_plies_and_types_that_cannot_be() -> None:
    env = BlockloomEnv("Stackcraft-v1", record=True)
    _, actions = play(env, 8)
    for ply in (-1, len(actions) + 1):
        with pytest.raises(blockloom.InvalidArgumentError, match=f"allowed: 0 to {len(actions)}"):
            blockloom.load_replay(env.save_replay(), ply)
    with pytest.raises(blockloom.InvalidArgumentError, match="of type list"):
        blockloom.verify_replay([])  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        blockloom.load_replay(Path("no-such-file.json"))
    env.close()


def test_what_has_no_replay_yet() -> None:
    env = BlockloomEnv("Stackcraft-v1")
    env.reset(seed=1)
    with pytest.raises(blockloom.BlockloomError, match="record"):
        env.save_replay()
    env.close()
    env = BlockloomEnv("Stackcraft-v1", record=True)
    env.reset(seed=1)
    with pytest.raises(blockloom.BlockloomError, match="no finished or closed episode"):
        env.save_replay()
    with pytest.raises(blockloom.BlockloomError, match="finished or closed episodes only"):
        env.save_replay(live=True)
    env.close()


@pytest.mark.parametrize("layout", [{}, {"num_workers": 2}], ids=str)
def test_a_vectors_rows_have_their_own_replays(layout: dict[str, Any], tmp_path: Path) -> None:
    envs = BlockloomVectorEnv("LumenBlocks-v1", 3, record=True, max_episode_steps=4, **layout)
    _, infos = envs.reset(seed=20)
    rng = np.random.default_rng(5)
    ends = {}
    for _ in range(6):
        _, _, _, truncations, infos = envs.step(blockloom.sample(infos["action_mask"], rng))
        ends.update({int(row): int(infos["score"][row]) for row in np.flatnonzero(truncations)})
    for row in range(3):
        decoded = json.loads(envs.save_replay(row, tmp_path / f"{row}.json"))
        assert json.loads((tmp_path / f"{row}.json").read_text()) == decoded
        assert (decoded["seed"], decoded["final"]["score"], len(decoded["actions"])) == (20 + row, ends[row], 4)
        assert envs.verify_replay(tmp_path / f"{row}.json")
        env = envs.load_replay(decoded, 2)
        assert env.observe()[1]["placements"] == 2
        env.close()
    envs.close()
