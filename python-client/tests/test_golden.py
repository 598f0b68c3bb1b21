"""Recorded Stackcraft games, through Python and over every transport."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom import BlockloomEnv

PIECES = ".IOTSZJL"


def names(observation: dict[str, Any]) -> list[str]:
    return [PIECES[int(observation[name])] for name in ("current", "next")]


def board_of(text: str) -> npt.NDArray[np.uint8]:
    return np.array([[int(cell) for cell in row] for row in text.split("/")], np.uint8)


def test_every_recorded_game(golden_dir: Path, server: str | None) -> None:
    games = json.loads((golden_dir / "stackcraft-trajectories.json").read_text())
    assert len(games) > 0
    env = BlockloomEnv("Stackcraft-v1", server=server)
    numbers = {name: action for action, name in enumerate(env.game_spec.action_names)}
    for game in games:
        observation, info = env.reset(seed=int(game["seed"]))
        for step in game["steps"]:
            np.testing.assert_array_equal(observation["board"], board_of(step["board"]), strict=True)
            assert names(observation) == [step["current"], step["next"]]
            assert {key: info[key] for key in ("score", "lines", "pieces")} == {
                key: step[key] for key in ("score", "lines", "pieces")
            }
            assert "".join(".#"[bit] for bit in info["action_mask"]) == step["legal"]
            if step.get("action") is None:
                continue
            before = info["score"]
            observation, reward, _, _, info = env.step(numbers[step["action"]])
            assert reward == info["score"] - before
    env.close()


def test_every_recorded_stream_of_pieces(golden_dir: Path, server: str | None) -> None:
    env = BlockloomEnv("Stackcraft-v1", server=server)
    for seed, stream in json.loads((golden_dir / "stackcraft-streams.json").read_text()).items():
        observation, info = env.reset(seed=int(seed))
        seen: list[str] = []
        while info["action_mask"].any():
            seen += names(observation)[:1]
            observation, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        assert len(seen) >= 7
        assert "".join(seen) == stream[: len(seen)]
    env.close()
