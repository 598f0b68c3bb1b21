"""Recorded Stackcraft games, through Python and over every transport."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom import BlockloomEnv, baselines

PIECES = ".IOTSZJL"


def names(observation: dict[str, Any]) -> list[str]:
    return [PIECES[int(observation[name])] for name in ("current", "next")]


def board_of(text: str) -> npt.NDArray[np.uint8]:
    return np.array([[int(cell) for cell in row] for row in text.split("/")], np.uint8)


def test_every_recorded_game(golden_dir: Path, server: str | None) -> None:
    games = json.loads((golden_dir / "stackcraft-trajectories.json").read_text())
    assert len(games) > 0
    ends = 0
    env = BlockloomEnv("Stackcraft-v1", server=server)
    numbers = {name: action for action, name in enumerate(env.game_spec.action_names)}
    for game in games:
        observation, info = env.reset(seed=int(game["seed"]))
        terminated = False
        for step in game["steps"]:
            np.testing.assert_array_equal(observation["board"], board_of(step["board"]), strict=True)
            assert names(observation) == [step["current"], step["next"]]
            assert {key: info[key] for key in ("score", "lines", "pieces")} == {
                key: step[key] for key in ("score", "lines", "pieces")
            }
            assert "".join(".#"[bit] for bit in info["action_mask"]) == step["legal"]
            assert terminated == step.get("terminal", False)
            if step.get("action") is None:
                continue
            before = info["score"]
            observation, reward, terminated, truncated, info = env.step(numbers[step["action"]])
            assert reward == info["score"] - before
            assert not truncated
        ends += terminated
    assert ends > 0
    env.close()


def test_every_recorded_stream_of_pieces(golden_dir: Path, server: str | None) -> None:
    """A player that looks one placement ahead lives as long as the streams are."""
    env = BlockloomEnv("Stackcraft-v1", server=server)
    policy = baselines.make("Stackcraft-v1", "greedy")
    streams = json.loads((golden_dir / "stackcraft-streams.json").read_text())
    assert len(streams) == 10
    for seed, stream in streams.items():
        assert len(stream) == 70
        observation, info = env.reset(seed=int(seed))
        seen = names(observation)
        while len(seen) < len(stream):
            observation, _, terminated, _, info = env.step(policy(env, observation, info))
            assert not terminated
            current, following = names(observation)
            assert current == seen[-1]
            seen.append(following)
        assert "".join(seen) == stream
    env.close()
