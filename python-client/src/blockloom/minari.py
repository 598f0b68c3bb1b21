"""Data sets for Minari, with the mask of every step, and a check that the games really went as they say.

pip install "blockloom[minari]"

import blockloom
import gymnasium
from blockloom.minari import collector, verify

env = collector(gymnasium.make("blockloom/Stackcraft-v1", max_episode_steps=200))
...  # play as usual
dataset = env.create_dataset("blockloom/stackcraft/random-v0")
verify(dataset)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import gymnasium
import numpy as np

from blockloom.env import BlockloomEnv
from blockloom.errors import InvalidArgumentError
from blockloom.spaces import MASK_KEY

try:
    from minari import DataCollector, EpisodeData, MinariDataset, StepDataCallback
except ImportError as error:
    raise ImportError(f'blockloom.minari needs Minari: pip install "blockloom[minari]" ({error})') from error

Figures = dict[str, Any]


def collector(env: gymnasium.Env[Any, Any], **keywords: Any) -> DataCollector:
    """Wraps an environment so that what is played can become a data set.

    The infos of an episode of T steps have T + 1 entries each, the first from the reset: ``action_mask`` int8
    ``(T + 1, num_actions)``, each outcome of the game, such as ``score``, and ``illegal_action``. Entry t of the mask
    is what step t could choose from. The episode's seed is in its metadata.

    Args:
        env: A single environment of `gymnasium.make`, wrapped or not.
        **keywords: Those of ``minari.DataCollector``. Infos are recorded and pictures, if wrappers make some, are kept
            as they are, unless you say otherwise.
    """
    if not isinstance(env.unwrapped, BlockloomEnv):
        raise InvalidArgumentError(f"env is a {type(env.unwrapped).__name__}; allowed: an environment of this package")
    return DataCollector(
        env, **{"step_data_callback": StepFigures, "record_infos": True, "jpeg_encoding": False, **keywords}
    )


class StepFigures(StepDataCallback):
    """Keeps of the infos what every step has and a file can hold.

    Not kept are the reason of a refusal, which is often None, and what only the last step has.
    """

    def __call__(self, env: gymnasium.Env[Any, Any], **step: Any) -> Any:
        """The step's data, with the figures of its info."""
        data = super().__call__(env, **step)
        data["info"] = figures(cast(BlockloomEnv, env.unwrapped), step["info"])
        return data


def figures(env: BlockloomEnv, info: Mapping[str, Any]) -> Figures:
    """What `StepFigures` keeps of an info."""
    kept: Figures = {MASK_KEY: info[MASK_KEY], "illegal_action": np.bool_(info["illegal_action"])}
    for name in env.game_spec.outcome_names:
        kept[name] = np.int32(info[name])
    return kept


def verify(dataset: MinariDataset) -> int:
    """Plays every episode again, from its seed with its actions, and compares all that the data set holds.

    Args:
        dataset: Recorded with `collector`, with seeds and without `options` at reset.

    Returns:
        The number of steps.

    Raises:
        ValueError: An episode has no seed, or went otherwise: the message names the episode, the step and the array.
    """
    env = dataset.recover_environment()
    try:
        metadata = dataset.storage.get_episode_metadata(dataset.episode_indices)
        pairs = zip(dataset.iterate_episodes(), metadata, strict=True)
        return sum(_replay(env, episode, about) for episode, about in pairs)
    finally:
        env.close()


def _replay(env: gymnasium.Env[Any, Any], episode: EpisodeData, metadata: Mapping[str, Any]) -> int:
    if metadata.get("seed") is None:
        raise ValueError(f"episode {episode.id} has no seed")
    steps = len(episode.actions)
    observation, info = env.reset(seed=int(metadata["seed"]))
    _compare(env, episode, 0, observation, info)
    for step, action in enumerate(episode.actions):
        observation, reward, terminated, truncated, info = env.step(action)
        _compare(env, episode, step + 1, observation, info)
        # The collector cuts an episode that was left before its end.
        left = step == steps - 1 and not terminated and bool(episode.truncations[step])
        ends = {"reward": (episode.rewards[step], reward), "termination": (episode.terminations[step], terminated)}
        ends["truncation"] = (episode.truncations[step], truncated or left)
        for name, (stored, seen) in ends.items():
            if stored != seen:
                raise ValueError(f"episode {episode.id}, step {step}: {name} is {stored}, but playing gives {seen}")
        if (terminated or truncated) and step < steps - 1:
            raise ValueError(f"episode {episode.id}, step {step}: playing ends here; {steps} steps are stored")
    return steps


def _compare(env: gymnasium.Env[Any, Any], episode: EpisodeData, entry: int, seen: Any, info: Figures) -> None:
    stored: Any = episode.observations
    pairs = {f"observation {name}": (stored[name][entry], array) for name, array in seen.items()}
    if episode.infos:
        own = figures(cast(BlockloomEnv, env.unwrapped), info)
        pairs |= {f"info {name}": (episode.infos[name][entry], own[name]) for name in own if name in episode.infos}
    for name, (kept, array) in pairs.items():
        if not np.array_equal(kept, array):
            raise ValueError(f"episode {episode.id}, entry {entry}: {name} is not what playing gives")
