"""Environments for TorchRL, all rows in one request a step, with the mask as TorchRL's ``ActionMask`` wants it.

pip install "blockloom[torchrl]"

from blockloom.torchrl import make_env

env = make_env("Stackcraft-v1", num_envs=64, seed=7)
rollout = env.rollout(100, break_when_any_done=False)  # random legal actions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.vector import VectorWrapper

from blockloom.env import BlockloomEnv
from blockloom.errors import InvalidArgumentError
from blockloom.spaces import MASK_KEY
from blockloom.vector import BlockloomVectorEnv

try:
    import torch
    from tensordict import TensorDict
    from tensordict.nn import TensorDictModule
    from torchrl.data import Composite, Unbounded
    from torchrl.envs import ActionMask, Compose, GymWrapper, TransformedEnv, UnaryTransform
    from torchrl.envs.gym_like import BaseInfoDictReader
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
except ImportError as error:
    raise ImportError(f'blockloom.torchrl needs TorchRL: pip install "blockloom[torchrl]" ({error})') from error

from torch import Tensor, nn

from blockloom._features import FlatFeatures

_OWN_KEYWORDS = ("autoreset_mode", "batch_size", "episode_statistics", "mask_in_obs")


def make_env(
    game_id: str, num_envs: int | None = None, *, seed: int | None = None, device: Any = None, **keywords: Any
) -> TransformedEnv:
    """Makes an environment of TorchRL.

    A step gives the observation's arrays as ``("observation", name)``, ``action_mask`` (bool ``(num_actions,)``), and
    the figures ``("info", name)``: each outcome of the game, such as ``score`` (int32), and ``illegal_action`` (bool).
    Actions are numbers, not one-hot. Where the time limit ends an episode the mask is the game's own, for
    bootstrapping; where the game is over it is all True.

    Args:
        game_id: The game, such as ``"Stackcraft-v1"``.
        num_envs: Rows, which are the environment's batch size ``(num_envs,)``. None: one without a batch size.
        seed: Row i plays what a single environment seeded ``seed + i`` plays, as after ``env.set_seed(seed)``. None: a
            seed is drawn.
        device: Where the tensors are.
        **keywords: Those of `blockloom.BlockloomVectorEnv`, or without ``num_envs`` of `blockloom.BlockloomEnv`, apart
            from what TorchRL decides: ``autoreset_mode``, ``batch_size``, ``episode_statistics`` and ``mask_in_obs``.
    """
    taken = [name for name in _OWN_KEYWORDS if name in keywords]
    if taken:
        raise InvalidArgumentError(f"{', '.join(taken)}: TorchRL decides it; allowed: the other keywords")
    envs: BlockloomEnv | BlockloomVectorEnv
    if num_envs is None:
        envs = BlockloomEnv(game_id, mask_in_obs=True, **keywords)
        nested: Any = _Nested(envs)
    else:
        envs = BlockloomVectorEnv(game_id, num_envs, mask_in_obs=True, autoreset_mode="disabled", **keywords)
        nested = _NestedRows(envs)
    wrapped = GymWrapper(nested, categorical_action_encoding=True, device=device)
    wrapped.set_info_dict_reader(_InfoReader(envs.game_spec.outcome_names, wrapped.batch_size))
    as_bool = UnaryTransform(in_keys=[MASK_KEY], out_keys=[MASK_KEY], fn=_choices)
    env = TransformedEnv(wrapped, Compose(as_bool, ActionMask(mask_key=MASK_KEY)))
    if seed is not None:
        env.set_seed(seed)
    return env


def actor_critic(env: TransformedEnv, hidden: Sequence[int] = (256, 256)) -> tuple[ProbabilisticActor, ValueOperator]:
    """Makes a policy that gives illegal actions no probability, and a value, for an environment of `make_env`.

    The actor reads the observation's arrays and ``action_mask`` and writes ``logits``, ``action`` and its log
    probability; the critic writes ``state_value``. Each is a network of fully connected layers of its own.

    Args:
        env: What they are for.
        hidden: Sizes of the layers.
    """
    inner = env.base_env._env.unwrapped
    space = inner.single_observation_space if isinstance(inner, BlockloomVectorEnv) else inner.observation_space
    assert isinstance(space, spaces.Dict)
    policy, value = _Network(space, inner.game_spec.num_actions, hidden), _Network(space, 1, hidden)
    names = [("observation", name) for name in policy.features.space]
    logits = TensorDictModule(policy, in_keys=names, out_keys=["logits"])
    actor = ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": MASK_KEY},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        spec=env.full_action_spec_unbatched,
    )
    return actor.to(env.device), ValueOperator(value, in_keys=names).to(env.device)


class _Network(nn.Module):
    """Fully connected layers over the arrays of an observation, in the order of ``features.space``."""

    def __init__(self, space: spaces.Dict, outputs: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.features = FlatFeatures(space)
        sizes = [self.features.size, *hidden]
        layers: list[nn.Module] = []
        for pair in zip(sizes, hidden, strict=False):
            layers += [nn.Linear(*pair), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(sizes[-1], outputs))

    def forward(self, *arrays: Tensor) -> Tensor:
        """Float32 ``(..., outputs)``."""
        out: Tensor = self.layers(self.features(dict(zip(self.features.space, arrays, strict=True))))
        return out


class _Nested(gymnasium.Wrapper[dict[str, Any], Any, dict[str, Any], Any]):
    """The arrays under ``observation``: TorchRL wants names such as ``next`` for itself."""

    def __init__(self, env: BlockloomEnv) -> None:
        super().__init__(env)
        self.observation_space = _nested_space(env.observation_space)
        self._seed: int | None = None

    def reset(self, *, seed: int | None = None, **keywords: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        # A seed holds until a step: `set_seed` resets, and what is played next is reset once more.
        self._seed = self._seed if seed is None else seed
        observation, info = self.env.reset(seed=self._seed, **keywords)
        return _nest(observation), info

    def step(self, action: Any) -> tuple[dict[str, Any], Any, bool, bool, dict[str, Any]]:
        self._seed = None
        observation, reward, terminated, truncated, info = self.env.step(action)
        if "final_action_mask" in info:
            observation[MASK_KEY] = info["final_action_mask"]
        return _nest(observation), reward, terminated, truncated, info


class _NestedRows(VectorWrapper):
    """The same for rows."""

    def __init__(self, env: BlockloomVectorEnv) -> None:
        super().__init__(env)
        self.autoreset_mode = env.autoreset_mode
        self.single_observation_space = _nested_space(env.single_observation_space)
        self.observation_space = _nested_space(env.observation_space)
        self._seed: Any = None

    def reset(self, *, seed: Any = None, **keywords: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self._seed = self._seed if seed is None else seed
        observation, infos = self.env.reset(seed=self._seed, **keywords)
        return _nest(observation), infos

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        self._seed = None
        observation, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_action_mask" in infos:
            ended = infos["_final_action_mask"]
            observation[MASK_KEY][ended] = infos["final_action_mask"][ended]
        return _nest(observation), rewards, terminated, truncated, infos


def _nest(observation: dict[str, Any]) -> dict[str, Any]:
    mask = observation.pop(MASK_KEY)
    return {"observation": observation, MASK_KEY: mask}


def _nested_space(space: gymnasium.Space[Any]) -> spaces.Dict:
    assert isinstance(space, spaces.Dict)
    parts = dict(space.spaces)
    mask = parts.pop(MASK_KEY)
    return spaces.Dict({"observation": spaces.Dict(parts), MASK_KEY: mask})


class _InfoReader(BaseInfoDictReader):
    """Reads the figures of ``info`` into ``("info", name)``: an observation may have an array of the same name."""

    def __init__(self, names: Sequence[str], batch_size: Sequence[int]) -> None:
        kinds = {**dict.fromkeys(names, torch.int32), "illegal_action": torch.bool}
        parts = {name: Unbounded(batch_size, dtype=kind) for name, kind in kinds.items()}
        self._kinds = kinds
        self._spec = Composite({"info": Composite(parts, shape=batch_size)}, shape=batch_size)

    def __call__(self, info_dict: dict[str, Any], tensordict: TensorDict) -> TensorDict:
        for name, kind in self._kinds.items():
            tensordict.set(("info", name), torch.as_tensor(info_dict[name], dtype=kind))
        return tensordict

    @property
    def info_spec(self) -> Composite:
        return self._spec


def _choices(mask: Tensor) -> Tensor:
    """All, where a game is over: a policy that is asked there has no NaN, and what it says is not used."""
    legal = mask != 0
    return legal | ~legal.any(dim=-1, keepdim=True)
