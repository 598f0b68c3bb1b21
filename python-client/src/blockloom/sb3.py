"""Environments for Stable-Baselines3, all rows in one request a step: ``pip install "blockloom[sb3]"``.

from blockloom.sb3 import make_vec_env
from sb3_contrib import MaskablePPO

model = MaskablePPO("MultiInputPolicy", make_vec_env("Stackcraft-v1", n_envs=64, seed=7))
model.learn(100_000)
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom.errors import InvalidArgumentError
from blockloom.vector import BlockloomVectorEnv

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(f'blockloom.sb3 needs Stable-Baselines3: pip install "blockloom[sb3]" ({error})') from error

Indices = int | Iterable[int] | None
"""Rows by their numbers; None: all."""
StepReturn = tuple[dict[str, npt.NDArray[Any]], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]

_OWN_KEYWORDS = ("num_envs", "autoreset_mode", "batch_size", "episode_statistics")
_OF_A_ROW = ("explain", "mask_picture", "play", "save_replay")


def make_vec_env(game_id: str, n_envs: int = 1, seed: int | None = None, **keywords: Any) -> BlockloomVecEnv:
    """Makes rows of a game.

    Args:
        game_id: The game, such as ``"Stackcraft-v1"``.
        n_envs: Number of rows.
        seed: Row i gets ``seed + i`` at the first reset. None: a seed is drawn.
        **keywords: Those of `blockloom.BlockloomVectorEnv`, apart from what Stable-Baselines3 decides: ``num_envs``,
            ``autoreset_mode``, ``batch_size`` and ``episode_statistics``.
    """
    envs = BlockloomVecEnv(game_id, n_envs, **keywords)
    if seed is not None:
        envs.seed(seed)
    return envs


class BlockloomVecEnv(VecEnv):
    """Rows of one game as Stable-Baselines3's ``VecEnv``.

    An info has what a single environment's has. At the end of an episode also ``terminal_observation``,
    ``TimeLimit.truncated`` and ``episode`` (return ``r``, length ``l``, seconds since the start ``t``), so that
    ``ep_rew_mean`` is logged without a ``Monitor``. `action_masks`, as sb3-contrib's ``MaskablePPO`` calls it by
    ``env_method``, asks no server.

    Args:
        game_id: As of `make_vec_env`.
        n_envs: As of `make_vec_env`.
        **keywords: As of `make_vec_env`.
    """

    def __init__(self, game_id: str, n_envs: int = 1, **keywords: Any) -> None:
        taken = [name for name in _OWN_KEYWORDS if name in keywords]
        if taken:
            raise InvalidArgumentError(f"{', '.join(taken)}: Stable-Baselines3 decides it; allowed: the other keywords")
        self.envs = BlockloomVectorEnv(game_id, n_envs, autoreset_mode="same_step", episode_statistics=True, **keywords)
        """The vector behind it."""
        self._outcomes = tuple(self.envs.game_spec.outcome_names)
        self._attributes: dict[str, dict[int, Any]] = {}
        """What `set_attr` has set, by name and row."""
        self._started = time.monotonic()
        super().__init__(n_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> dict[str, npt.NDArray[Any]]:
        """Starts an episode in every row: with the seeds of `seed`, else the next ones of the rows' own sequences."""
        options = self._options[0]
        if any(own != options for own in self._options):
            raise InvalidArgumentError("set_options: different options by row; allowed: the same for all rows")
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observation, infos = self.envs.reset(seed=seeds, options=options or None)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._split(infos)
        return observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Sends the actions."""
        self.envs.send(actions)

    def step_wait(self) -> StepReturn:
        """Waits for what they lead to."""
        observation, rewards, terminations, truncations, vector_infos = self.envs.recv()
        dones = terminations | truncations
        infos = self._split(vector_infos)
        ended = np.flatnonzero(dones).tolist()
        if ended:
            last = self._split(vector_infos["final_info"])
            for row in ended:
                self.reset_infos[row], infos[row] = infos[row], last[row]
                self._add_end(infos[row], vector_infos, row)
        for info, cut in zip(infos, (truncations & ~terminations).tolist(), strict=True):
            info["TimeLimit.truncated"] = cut
        if self.render_mode == "human":
            self.envs.render()
        return observation, rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Frees all rows. A second time does nothing."""
        self.envs.close()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Bool ``(n_envs, num_actions)``: what a step would accept now."""
        return self.envs.action_masks()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """A picture of each row, with ``render_mode="rgb_array"``."""
        frames = self.envs.render() if self.render_mode == "rgb_array" else None
        return [None] * self.num_envs if frames is None else frames

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each row: one that was set, a method of the row, or the vector's own.

        Raises:
            AttributeError: There is none of this name.
        """
        rows = self._rows(indices)
        own = self._attributes.get(attr_name, {})
        common = None
        if attr_name in _METHODS:
            return [own.get(row, functools.partial(self._call_row, attr_name, row)) for row in rows]
        if any(row not in own for row in rows):
            common = getattr(self.envs, attr_name)
        return [own.get(row, common) for row in rows]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Keeps a value with rows, for `get_attr`; AttributeError for what the rows have already."""
        if attr_name in _METHODS or hasattr(self.envs, attr_name):
            raise AttributeError(f"{attr_name} is what all rows have in common: give it as a keyword")
        own = self._attributes.setdefault(attr_name, {})
        own.update(dict.fromkeys(self._rows(indices), value))

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of each row.

        These are ``action_masks`` and ``render``, of all rows at once, and ``explain``, ``play``, ``mask_picture``,
        ``save_replay`` and ``afterstates``, as of `blockloom.BlockloomEnv`.

        Raises:
            AttributeError: There is none of this name.
        """
        rows = self._rows(indices)
        if method_name in _OF_ALL_ROWS:
            of_all = _OF_ALL_ROWS[method_name](self.envs, *method_args, **method_kwargs)
            return [None if of_all is None else of_all[row] for row in rows]
        if method_name not in _METHODS:
            raise AttributeError(f"rows have no method {method_name}; allowed: {', '.join(_METHODS)}")
        return [self._call_row(method_name, row, *method_args, **method_kwargs) for row in rows]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Whether rows do what a wrapper does: true for ``Monitor``, whose statistics they have."""
        return [issubclass(wrapper_class, Monitor)] * len(self._rows(indices))

    def _call_row(self, method: str, row: int, *args: Any, **kwargs: Any) -> Any:
        if method in _OF_ALL_ROWS:
            of_all = _OF_ALL_ROWS[method](self.envs, *args, **kwargs)
            return None if of_all is None else of_all[row]
        if method == "afterstates":
            return self.envs.afterstates(*args, **{**kwargs, "rows": [row]})
        return getattr(self.envs, method)(row, *args, **kwargs)

    def _rows(self, indices: Indices) -> list[int]:
        rows = [range(self.num_envs)[row] for row in self._get_indices(indices)]
        return [int(row) for row in rows]

    def _split(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """The infos that every row has, row by row."""
        names = ("action_mask", *self._outcomes, "illegal_action", "refusal")
        columns = [infos["action_mask"], *(infos[name].tolist() for name in names[1:])]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _add_end(self, info: dict[str, Any], infos: dict[str, Any], row: int) -> None:
        info["final_action_mask"] = infos["final_action_mask"][row]
        info["terminal_observation"] = infos["final_obs"][row]
        info["episode"] = {
            "r": float(infos["episode"]["r"][row]),
            "l": int(infos["episode"]["l"][row]),
            "t": round(time.monotonic() - self._started, 6),
        }


_OF_ALL_ROWS: dict[str, Callable[..., Any]] = {
    "action_masks": BlockloomVectorEnv.action_masks,
    "render": BlockloomVectorEnv.render,
}
"""What one call gives for all rows."""
_METHODS = (*_OF_ALL_ROWS, *_OF_A_ROW, "afterstates")
