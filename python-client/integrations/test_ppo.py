"""`examples/integrations/ppo.py`: needs torch, tensorboard and tqdm."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import blockloom
from blockloom.agents import PolicyAgent
from blockloom.learning.evaluate import interval, play_episodes

EXAMPLES = Path(__file__).parents[2] / "examples" / "integrations"
sys.path.insert(0, str(EXAMPLES))
ppo: Any = importlib.import_module("ppo")

GAMES = blockloom.GAME_IDS


def small(run: Path, game: str = "BlockPuzzle8-v1", **settings: Any) -> Any:
    small_ones: dict[str, Any] = {"num_envs": 16, "batch_size": 8, "rollout": 16, "minibatch": 128, "cap": 20}
    return ppo.Settings(game=game, run=run, **{**small_ones, **settings})


def weights(trainer: Any) -> list[Any]:
    return [array.clone() for array in trainer.network.state_dict().values()]


def equal(ours: list[Any], theirs: list[Any]) -> bool:
    return all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True))


@pytest.mark.smoke
def test_it_learns(tmp_path: Path) -> None:
    settings = ppo.Settings(run=tmp_path, steps=24_576, num_envs=64, batch_size=32, minibatch=512)
    trainer = ppo.train(settings)
    assert trainer.progress.illegal == 0
    random = play_episodes(PolicyAgent(blockloom.baselines.random_legal(seed=0)), settings.game, range(60), cap=1000)
    for report in ppo.evaluate(replace(settings, cap=1000), trainer.network, range(60)):
        assert report["illegal"] == 0
        assert report["score"]["interval"][0] > interval(random["score"])[1], report
    assert list(tmp_path.glob("events.out.tfevents.*"))


@pytest.mark.parametrize("game", GAMES)
def test_the_same_command_gives_the_same_training(game: str, tmp_path: Path) -> None:
    first, second, other = (ppo.train(small(tmp_path, game, steps=1024, num_envs=16, seed=seed)) for seed in (0, 0, 1))
    assert equal(weights(first), weights(second))
    assert first.progress.first_rewards == second.progress.first_rewards
    assert len(first.progress.first_rewards) == 1024
    assert first.progress.digest == second.progress.digest
    assert not equal(weights(first), weights(other))
    assert first.progress.first_rewards != other.progress.first_rewards
    assert first.progress.illegal == 0


@pytest.mark.parametrize("game", GAMES)
def test_it_goes_on_from_a_checkpoint_to_the_same_bits(game: str, tmp_path: Path) -> None:
    trainer = ppo.Trainer(small(tmp_path, game, steps=100_000))
    over = 0
    for _ in range(6):
        trainer.play()
        trainer.learn()
        trainer.save(tmp_path / ppo.CHECKPOINT)
        over += int(trainer.rows.over.sum())
        again = ppo.Trainer(*ppo.load(tmp_path))
        for one in (again, trainer):
            one.play()
            one.learn()
        assert np.array_equal(again.rewards, trainer.rewards)
        assert torch.equal(again.actions, trainer.actions)
        assert equal(weights(again), weights(trainer))
        assert vars(again.progress) == vars(trainer.progress)
        again.envs.close()
    trainer.envs.close()
    assert over > 0, "no checkpoint was made where a row was about to begin an episode"
    assert trainer.progress.episodes > 16


@pytest.mark.smoke
def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    sizes = ["--num-envs", "16", "--batch-size", "8", "--rollout", "16", "--cap", "30", "--steps", "6400"]
    command = [sys.executable, str(EXAMPLES / "ppo.py"), *sizes, "--checkpoint-every", "2", "--run"]

    def last_lines(*arguments: str) -> list[str]:
        run = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
        return run.stdout.splitlines()[-2:]

    expected = last_lines(str(tmp_path / "whole"))
    assert all("sha256" in line for line in expected)
    killed = subprocess.Popen(
        [*command, str(tmp_path / "killed")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    checkpoint = tmp_path / "killed" / ppo.CHECKPOINT
    written: set[int] = set()
    while len(written) < 4:
        assert killed.poll() is None, "it was too quick to be killed"
        if checkpoint.exists():
            written.add(checkpoint.stat().st_mtime_ns)
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert 0 < ppo.load(checkpoint.parent)[1]["progress"]["steps"] < 6400
    assert last_lines(str(tmp_path / "killed"), "--resume") == expected


@pytest.mark.smoke
@pytest.mark.parametrize("game", GAMES)
def test_what_is_not_legal_has_no_probability(game: str) -> None:
    envs = blockloom.BlockloomVectorEnv(game, 32)
    network = ppo.make_network(envs)
    obs, infos = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        mask = infos["action_mask"].copy()
        mask[0] = 0  # as of a game that is over
        logits, values = network(network.encode(obs, mask))
        probabilities = logits.softmax(dim=1).detach().numpy()
        assert np.isfinite(values.detach().numpy()).all()
        assert (probabilities[1:][mask[1:] == 0] == 0).all()
        assert np.allclose(probabilities.sum(axis=1), 1)
        obs, _, _, _, infos = envs.step(blockloom.sample(infos["action_mask"], rng))
    envs.close()


def test_positions_are_taken_and_joined() -> None:
    envs = blockloom.BlockloomVectorEnv("BlockPuzzle8-v1", 6)
    network = ppo.make_network(envs)
    obs, infos = envs.reset(seed=0)
    mask = infos["action_mask"]
    mask[2] = 0
    whole = network.encode(obs, mask)
    parts = [
        network.encode({name: array[rows] for name, array in obs.items()}, mask[rows])
        for rows in np.split(np.arange(6), 3)
    ]
    joined = ppo.Encoded.join(parts)
    assert joined.size == 6
    assert torch.equal(joined.owner, whole.owner)
    order = torch.tensor([5, 2, 0, 5])
    logits, values = network(whole)
    taken_logits, taken_values = network(joined.take(order))
    assert torch.allclose(taken_logits, logits[order], atol=1e-5)
    assert torch.allclose(taken_values, values[order], atol=1e-5)
    envs.close()


def test_advantages_stop_at_ends_and_skip_the_steps_that_begin() -> None:
    gamma, gae_lambda = 0.9, 0.8
    # The game ends in step 1 of row 0; a time limit cuts row 1 in step 2; the step after it begins the next episode.
    rewards = np.array([[1, 1], [2, 2], [0, 3], [4, 0], [5, 5]], np.float32)
    values = np.array([[1, 6], [2, 5], [7, 4], [3, 8], [4, 2], [5, 1]], np.float32)
    terminated, ended, valid = np.zeros((5, 2), bool), np.zeros((5, 2), bool), np.ones((5, 2), bool)
    terminated[1, 0] = ended[1, 0] = ended[2, 1] = True
    valid[2, 0] = valid[3, 1] = False
    found = ppo.estimate_advantages(rewards, values, valid, terminated, ended, gamma, gae_lambda)

    def sums(deltas: list[float]) -> list[float]:
        return [
            sum((gamma * gae_lambda) ** k * delta for k, delta in enumerate(deltas[i:])) for i in range(len(deltas))
        ]

    first = [*sums([1 + 0.9 * 2 - 1, 2 - 2]), 0, *sums([4 + 0.9 * 4 - 3, 5 + 0.9 * 5 - 4])]
    second = [*sums([1 + 0.9 * 5 - 6, 2 + 0.9 * 4 - 5, 3 + 0.9 * 8 - 4]), 0, *sums([5 + 0.9 * 1 - 2])]
    assert np.allclose(found, np.array([first, second]).T)


def test_a_time_limit_is_worth_what_would_have_come(tmp_path: Path) -> None:
    trainer = ppo.Trainer(small(tmp_path, "Stackcraft-v1", cap=3, rollout=8))
    trainer.play()
    cut = trainer.ended & ~trainer.terminated
    assert cut.any()
    # Legal actions are known where it cut in, and the value there is used.
    for step, row in np.argwhere(cut[:-1]):
        group, at = divmod(row, 8)
        seen = trainer.seen[(step + 1) * 2 + group]
        assert seen.arrays["mask"][at].any()
        assert not seen.arrays["mask"][at].all()
        assert not trainer.valid[step + 1, row]
    trainer.envs.close()


@pytest.mark.smoke
def test_what_is_not_a_number_is_noticed(tmp_path: Path) -> None:
    trainer = ppo.Trainer(small(tmp_path))
    trainer.play()
    with torch.no_grad():
        trainer.network.head.bias[0] = float("nan")
    with pytest.raises(FloatingPointError):
        trainer.learn()
    trainer.envs.close()
