"""`blockloom.sb3_features` with Stable-Baselines3, and the example that uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.preprocessing import preprocess_obs
from stable_baselines3.common.utils import obs_as_tensor

import blockloom
from blockloom.sb3 import make_vec_env
from blockloom.sb3_features import BoardExtractor

EXAMPLE = Path(__file__).parents[2] / "examples" / "integrations" / "sb3_maskable_ppo.py"


def seen(observation: Any, space: spaces.Space[Any]) -> Any:
    return preprocess_obs(obs_as_tensor(observation, torch.device("cpu")), space, normalize_images=True)


@pytest.mark.smoke
@pytest.mark.parametrize("game", blockloom.GAME_IDS)
def test_it_takes_every_game(game: str) -> None:
    envs: Any = make_vec_env(game, 8, seed=7)
    observation = envs.reset()
    for _ in range(5):
        observation = envs.step(np.stack(envs.env_method("action_masks")).argmax(axis=1))[0]
    extractor = BoardExtractor(envs.observation_space, features_dim=24, channels=8)
    features = extractor(seen(observation, envs.observation_space))
    assert features.shape == (8, 24)
    assert extractor.features_dim == 24
    features.sum().backward()
    gradients = [parameter.grad for parameter in extractor.parameters()]
    assert all(gradient is not None and gradient.abs().sum() > 0 for gradient in gradients)
    envs.close()


def test_what_the_convolution_sees() -> None:
    space = spaces.Dict(
        board=spaces.Box(0, 5, (3, 4), np.uint8), tray=spaces.Box(0, 1, (2, 2, 2), np.uint8), piece=spaces.Discrete(3)
    )
    extractor = BoardExtractor(space, features_dim=4, channels=2)
    planes: list[Any] = []
    extractor.convolutions.register_forward_pre_hook(lambda _, inputs: planes.append(inputs[0]))
    board = np.array([[0, 5, 0, 0], [0, 0, 2, 0], [1, 0, 0, 5]], np.uint8)
    tray = np.array([[[1, 0], [1, 1]], [[0, 0], [0, 0]]], np.uint8)
    extractor(seen({"board": board[None], "tray": tray[None], "piece": np.array([2])}, space))
    found = planes[0][0].numpy()
    assert found.shape == (6, 3, 4)
    assert np.allclose(found[0], board / np.float32(5))
    assert np.array_equal(found[1], [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    assert not found[2].any()
    assert np.array_equal(found[3:], found[:3] > 0)


def test_large_figures_stay_small() -> None:
    high = 2**31 - 1
    space = spaces.Dict(score=spaces.Box(0, high, (1,), np.int32), idle=spaces.Box(0, 2, (1,), np.int32))
    extractor = BoardExtractor(space, features_dim=4)
    appended: list[Any] = []
    extractor.body.register_forward_pre_hook(lambda _, inputs: appended.append(inputs[0]))
    figures = {"score": np.array([[0], [1000], [high]], np.int32), "idle": np.array([[0], [1], [2]], np.int32)}
    extractor(seen(figures, space))
    assert np.allclose(sorted(appended[0].flatten().tolist()), [0, 0, 0.5, 1, 1, np.log(2**31) / np.log(1001)])


@pytest.mark.smoke
def test_a_model_with_it_is_saved_and_loaded(tmp_path: Path) -> None:
    envs: Any = make_vec_env("LumenBlocks-v1", 4, seed=7)
    extractor = {"features_extractor_class": BoardExtractor, "features_extractor_kwargs": {"features_dim": 16}}
    model = MaskablePPO(
        "MultiInputPolicy", envs, n_steps=8, batch_size=16, n_epochs=1, policy_kwargs=extractor, seed=3, device="cpu"
    )
    model.learn(32)
    model.save(tmp_path / "model")
    again = MaskablePPO.load(tmp_path / "model", device="cpu")
    observation = envs.reset()
    masks = np.stack(envs.env_method("action_masks"))
    actions, _ = model.predict(observation, action_masks=masks, deterministic=True)
    assert np.array_equal(again.predict(observation, action_masks=masks, deterministic=True)[0], actions)
    assert masks[np.arange(4), actions].all()
    envs.close()


@pytest.mark.smoke
def test_the_example_learns(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLE), "--run", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "trained: mean score" in run.stdout
    assert (tmp_path / "best_model.zip").exists()
    assert len(np.load(tmp_path / "evaluations.npz")["timesteps"]) == 4
