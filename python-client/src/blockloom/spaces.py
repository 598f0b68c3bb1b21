"""Gymnasium spaces of an environment's spec."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from blockloom._contract import EnvSpec, ObservationSpec

MASK_KEY = "action_mask"


def observation_space(spec: EnvSpec, *, with_mask: bool = False) -> gymnasium.spaces.Dict:
    """The observation of one row: Box with exact bounds, Discrete and MultiDiscrete (int64) by name.

    Args:
        spec: What the server made.
        with_mask: Whether the mask is a part of the observation, as ``action_mask``: int8 ``(num_actions,)``.
    """
    spaces: dict[str, gymnasium.Space[Any]] = {array.name: array_space(array) for array in spec.observations}
    if with_mask:
        spaces[MASK_KEY] = gymnasium.spaces.Box(0, 1, (spec.num_actions,), np.int8)
    return gymnasium.spaces.Dict(spaces)


def action_space(spec: EnvSpec) -> gymnasium.spaces.Discrete[np.int64]:
    """The actions of one row: ``Discrete(num_actions)``."""
    return gymnasium.spaces.Discrete(spec.num_actions)


def array_space(array: ObservationSpec) -> gymnasium.Space[Any]:
    """The space of one array of one row."""
    if array.kind == "SPACE_KIND_DISCRETE":
        return gymnasium.spaces.Discrete(array.nvec[0])
    if array.kind == "SPACE_KIND_MULTI_DISCRETE":
        return gymnasium.spaces.MultiDiscrete(array.nvec)
    dtype = np.uint8 if array.dtype == "DTYPE_UINT8" else np.int32
    shape = tuple(array.shape)
    return gymnasium.spaces.Box(_bound(array.low, shape, dtype), _bound(array.high, shape, dtype), shape, dtype)


def _bound(values: list[int], shape: tuple[int, ...], dtype: type[np.uint8] | type[np.int32]) -> Any:
    return np.broadcast_to(
        np.array(values, dtype) if len(values) == 1 else np.array(values, dtype).reshape(shape), shape
    )
