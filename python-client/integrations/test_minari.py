"""`blockloom.minari` with Minari: needs the extra `minari`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
import pytest

import blockloom
from blockloom.minari import collector, verify
from documents import program, run_example

GAMES = blockloom.GAME_IDS
SEEDS = (7, -3, 2**63 + 5)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data sets are kept here and nowhere else."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def record(game: str, *, data_format: str = "hdf5", **keywords: Any) -> tuple[Any, list[list[Any]]]:
    """Three episodes and one that was left; with what the environment said at each step."""
    env = collector(gymnasium.make(f"blockloom/{game}", max_episode_steps=25, **keywords), data_format=data_format)
    rng = np.random.default_rng(1)
    said: list[list[Any]] = []
    for seed in (*SEEDS, None):
        observation, info = env.reset(seed=seed)
        said.append([(observation, info, None, None, None, None)])
        for _ in range(25 if seed is not None else 3):
            action = blockloom.sample(info["action_mask"], rng)
            if len(said[-1]) == 2:
                action = int(rng.integers(env.action_space.n))  # legal or not
            observation, reward, terminated, truncated, info = env.step(action)
            said[-1].append((observation, info, action, reward, terminated, truncated))
            if terminated or truncated:
                break
    env.create_dataset(f"blockloom/{game.lower()}/trial-v0")
    env.close()
    return minari.load_dataset(f"blockloom/{game.lower()}/trial-v0"), said


@pytest.mark.parametrize("data_format", ["hdf5", "arrow"])
@pytest.mark.parametrize("game", GAMES)
def test_what_is_loaded_is_what_was_played(game: str, data_format: str) -> None:
    dataset, said = record(game, data_format=data_format)
    seeds = [one["seed"] for one in dataset.storage.get_episode_metadata(range(4))]
    assert seeds[:3] == list(SEEDS)
    assert isinstance(seeds[3], int)
    assert dataset.total_episodes == 4
    for episode, steps in zip(dataset.iterate_episodes(), said, strict=True):
        assert episode.actions.tolist() == [step[2] for step in steps[1:]]
        assert episode.rewards.tolist() == [step[3] for step in steps[1:]]
        assert episode.terminations.tolist() == [step[4] for step in steps[1:]]
        masks = episode.infos["action_mask"]
        assert (masks.dtype, masks.shape) == (np.int8, (len(steps), dataset.action_space.n))
        assert np.array_equal(masks, np.stack([step[1]["action_mask"] for step in steps]))
        assert episode.infos["score"].tolist() == [step[1]["score"] for step in steps]
        assert episode.infos["illegal_action"].tolist() == [step[1]["illegal_action"] for step in steps]
        for name, array in episode.observations.items():
            stored = np.stack([step[0][name] for step in steps])
            assert array.dtype == stored.dtype
            assert np.array_equal(array, stored)


@pytest.mark.smoke
@pytest.mark.parametrize("game", GAMES)
def test_played_again_it_is_the_same(game: str) -> None:
    dataset, said = record(game, mask_in_obs=True)
    assert verify(dataset) == dataset.total_steps == sum(len(steps) - 1 for steps in said)


@pytest.mark.parametrize("what", ["actions", "rewards", "terminations", "truncations", "mask", "observation", "seed"])
def test_what_was_changed_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, _ = record("BlockPuzzle8-v1")
    episodes = list(dataset.iterate_episodes())
    metadata = list(dataset.storage.get_episode_metadata(range(4)))
    episode = episodes[1]
    if what == "mask":
        episode.infos["action_mask"][3, 5] ^= 1
    elif what == "observation":
        episode.observations["tray_piece"][2, 0] += 1
    elif what == "seed":
        metadata[1]["seed"] += 1
    else:
        array = getattr(episode, what)
        array[4] = {"actions": (int(array[4]) + 1) % 192, "rewards": array[4] + 1}.get(what, True)
    monkeypatch.setattr(dataset, "iterate_episodes", lambda: iter(episodes))
    monkeypatch.setattr(type(dataset.storage), "get_episode_metadata", lambda *_: metadata)
    with pytest.raises(ValueError, match=f"episode {episode.id}, "):
        verify(dataset)


def test_more_can_be_added_but_minari_forgets_its_seeds() -> None:
    dataset, _ = record("Stackcraft-v1")
    env = collector(dataset.recover_environment())
    _, info = env.reset(seed=11)
    env.step(int(info["action_mask"].argmax()))
    env.add_to_dataset(dataset)
    env.close()
    assert dataset.total_episodes == 5
    with pytest.raises(ValueError, match="episode 4 has no seed"):
        verify(dataset)


def test_other_environments_are_refused() -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match="allowed: an environment of this package"):
        collector(gymnasium.make("CartPole-v1"))


@pytest.mark.smoke
def test_the_documents_program_runs() -> None:
    namespace: dict[str, Any] = {}
    exec(program("Minari"), namespace)
    assert namespace["dataset"].total_steps > 0


@pytest.mark.smoke
def test_the_example_runs(tmp_path: Path) -> None:
    said = run_example("minari_dataset.py", "--episodes", "2", "--cap", "20", "--folder", str(tmp_path))
    assert "played again: 40 steps are as they are stored" in said
