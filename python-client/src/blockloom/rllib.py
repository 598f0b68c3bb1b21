"""Environments and a masked policy for RLlib on Ray, all rows of an env runner in one request a step.

pip install "blockloom[rllib]"

from ray.rllib.algorithms.ppo import PPOConfig
from blockloom.rllib import configure

config = configure(PPOConfig(), "BlockPuzzle8-v1", max_episode_steps=200)
algorithm = config.env_runners(num_env_runners=2, num_envs_per_env_runner=16).build_algo()
algorithm.train()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces

from blockloom._games import game_ids
from blockloom.errors import InvalidArgumentError
from blockloom.spaces import MASK_KEY

try:
    import torch
    from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
except ImportError as error:
    raise ImportError(f'blockloom.rllib needs Ray and PyTorch: pip install "blockloom[rllib]" ({error})') from error

from torch import Tensor, nn

from blockloom._features import FlatFeatures

Config = TypeVar("Config", bound=AlgorithmConfig)
Batch = dict[str, Any]

_OWN_KEYWORDS = ("num_envs", "autoreset_mode", "batch_size", "episode_statistics", "mask_in_obs", "resume")
_EVALUATION_SEEDS = 1_000_000
"""Added to the seed of the env runners that evaluate, as RLlib does."""


def configure(config: Config, game_id: str, *, server: str | Sequence[str] | None = None, **keywords: Any) -> Config:
    """Sets up an algorithm's config for a game: environments, masked policy, env runners and figures.

    Settings of yours, such as ``config.env_runners(num_env_runners=4)``, go before or after it; a network of another
    size is ``config.rl_module(model_config={"hidden": [512, 512]})``.

    Args:
        config: Such as ``PPOConfig()``. It is changed.
        game_id: The game, such as ``"BlockPuzzle8-v1"``.
        server: gRPC servers, ``"host:port"`` or ``"unix:/path"``: env runner i uses the one at
            ``(i - 1) % len(server)``, with all its rows. None: each env runner has an embedded server of its own.
        **keywords: Those of `blockloom.BlockloomVectorEnv`, apart from what RLlib decides: ``num_envs``,
            ``autoreset_mode``, ``batch_size``, ``episode_statistics``, ``mask_in_obs`` and ``resume``.

    Returns:
        The same config.
    """
    taken = [name for name in _OWN_KEYWORDS if name in keywords]
    if taken:
        raise InvalidArgumentError(f"{', '.join(taken)}: RLlib decides it; allowed: the other keywords")
    if game_id not in game_ids():
        raise InvalidArgumentError(f"game_id={game_id!r}; allowed: {', '.join(game_ids())}")
    servers = [server] if isinstance(server, str) else server
    if servers is not None and not servers:
        raise InvalidArgumentError("server: an empty list; allowed: None, an address, or a list of addresses")
    env_config = {**keywords, "mask_in_obs": True}
    if servers is not None:
        env_config["server"] = list(servers)
    # The module's name goes with the id: an env runner that starts imports it, which registers the games.
    config.environment(f"blockloom:blockloom/{game_id}", env_config=env_config)
    config.env_runners(env_runner_cls=MaskedEnvRunner, gym_env_vectorize_mode="vector_entry_point")
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
    config.callbacks(EpisodeFigures)
    return config


class MaskedEnvRunner(SingleAgentEnvRunner):
    """RLlib's env runner, with a server chosen by its number and seeds that no other env runner has.

    With ``config.debugging(seed=s)`` row j of env runner i plays what a single environment seeded
    ``s + (i - 1) * num_envs_per_env_runner + j`` plays.
    """

    def __init__(self, *, config: AlgorithmConfig, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        if self.config.seed is not None:
            self._seed = int(self.config.seed) + self._number * int(self.config.num_envs_per_env_runner)
            self._seed += _EVALUATION_SEEDS * bool(self.config.in_evaluation)

    @property
    def _number(self) -> int:
        """Counted from 0; RLlib counts from 1, and calls the one in the algorithm's own process 0."""
        return max(int(self.worker_index or 0) - 1, 0)

    def make_env(self) -> None:
        """Makes the rows, all on one server."""
        servers = self.config.env_config.get("server")
        if isinstance(servers, list):
            self.config.env_config = {**self.config.env_config, "server": servers[self._number % len(servers)]}
        super().make_env()


class MaskedModule(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):
    """A policy that gives illegal actions no probability, and a value, of observations made with ``mask_in_obs=True``.

    Each is a network of fully connected layers that sees all arrays of the observation.
    ``model_config={"hidden": [256, 256]}`` sets the layers.
    """

    def setup(self) -> None:
        """Makes the networks."""
        space, actions = self.observation_space, self.action_space
        if not isinstance(space, spaces.Dict) or MASK_KEY not in space.spaces:
            raise InvalidArgumentError(f"the observation has no {MASK_KEY}; make the environment with mask_in_obs=True")
        assert isinstance(actions, spaces.Discrete)
        self.features = FlatFeatures(space)
        hidden = (self.model_config or {}).get("hidden", (256, 256))
        self.policy = _network(self.features.size, hidden, int(actions.n))
        self.value = _network(self.features.size, hidden, 1)

    def get_non_inference_attributes(self) -> list[str]:
        """What env runners do without."""
        return ["value"]

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        observation = batch[Columns.OBS]
        logits = self.policy(self.features(observation))
        # Finite, so that a row without legal actions, which nobody steps, has no NaN either.
        logits = logits.masked_fill(observation[MASK_KEY] == 0, torch.finfo(logits.dtype).min)
        return {Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch: Batch, embeddings: Tensor | None = None) -> Tensor:
        """Values ``(rows,)``."""
        value: Tensor = self.value(self.features(batch[Columns.OBS]))
        return value.squeeze(-1)


def _network(inputs: int, hidden: Sequence[int], outputs: int) -> nn.Sequential:
    """Fully connected layers; what comes out is near 0 at first."""
    sizes = [inputs, *hidden]
    layers: list[nn.Module] = []
    for pair in zip(sizes, hidden, strict=False):
        layers += [nn.Linear(*pair), nn.ReLU()]
    last = nn.Linear(sizes[-1], outputs)
    with torch.no_grad():
        last.weight.mul_(0.01)
        last.bias.zero_()
    return nn.Sequential(*layers, last)


class EpisodeFigures(RLlibCallback):
    """Logs to ``result["env_runners"]`` what episodes come to.

    ``illegal_actions`` is how many actions of the iteration were not legal; each outcome of the game, such as
    ``score`` or ``lines``, is its mean over the episodes that ended last, next to RLlib's ``episode_return_mean``.
    """

    def on_episode_step(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:
        """Counts an illegal action."""
        illegal = int(bool(episode.get_infos(-1)["illegal_action"]))
        metrics_logger.log_value("illegal_actions", illegal, reduce="sum")

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, env: Any, **kwargs: Any) -> None:
        """Logs the outcomes."""
        info = episode.get_infos(-1)
        for name in env.game_spec.outcome_names:
            metrics_logger.log_value(name, float(np.asarray(info[name])), window=100)
