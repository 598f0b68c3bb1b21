"""Turns the bytes of a batch into arrays. Every array is new and belongs to the caller."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom._contract import Batch, EnvSpec, ObservationSpec

Observation = dict[str, npt.NDArray[Any]]
Bools = npt.NDArray[np.bool_]
Expand = Callable[[bytes, int], npt.NDArray[Any]]


@dataclass
class Arrays:
    """A batch as arrays, one row per sub-environment."""

    observation: Observation
    """By name, ``[rows, *shape]``: uint8, int32, or int64 for categories."""
    action_masks: npt.NDArray[np.int8]
    """``[rows, num_actions]``: 1 where a step would accept the action now."""
    rewards: npt.NDArray[np.float64]
    """``[rows]``."""
    terminations: Bools
    """``[rows]``."""
    truncations: Bools
    """``[rows]``."""
    outcomes: npt.NDArray[np.int32]
    """``[num_outcomes, rows]``."""


class Codec:
    """Decodes the batches of one environment."""

    def __init__(self, spec: EnvSpec) -> None:
        packed = spec.wire_encoding == "WIRE_ENCODING_PACKED"
        self.num_actions = spec.num_actions
        self.num_outcomes = len(spec.outcome_names)
        self._expand = [(array.name, _expander(array, packed)) for array in spec.observations]
        self._packed_masks = packed
        self._expand_only = [
            (i, array.name, expander_of_only(array, packed)) for i, array in enumerate(spec.observations)
        ]
        self._only_mask = _bits_of_only((spec.num_actions,)) if packed else _bytes_of_only((spec.num_actions,))

    def arrays(self, batch: Batch, rows: int) -> Arrays:
        """All of a batch."""
        outcomes = np.frombuffer(batch.outcomes, "<i4").reshape(rows, self.num_outcomes)
        return Arrays(
            observation=self.observations(batch.observations, rows),
            action_masks=self.masks(batch.action_masks, rows),
            rewards=np.frombuffer(batch.rewards, "<f4").astype(np.float64),
            terminations=np.frombuffer(batch.terminations, np.bool_).copy(),
            truncations=np.frombuffer(batch.truncations, np.bool_).copy(),
            outcomes=outcomes.T.copy(),
        )

    def observations(self, data: Sequence[bytes], rows: int) -> Observation:
        """Observation arrays of all rows, by name."""
        return {name: expand(data[i], rows) for i, (name, expand) in enumerate(self._expand)}

    def only_observation(self, data: Sequence[bytes]) -> Observation:
        """Observation arrays of the only row, by name; a category is an ``int64``."""
        return {name: expand(data[i]) for i, name, expand in self._expand_only}

    def only_mask(self, data: bytes) -> npt.NDArray[np.int8]:
        """``[num_actions]`` int8 of the only row."""
        mask: npt.NDArray[np.int8] = self._only_mask(data).view(_INT8)
        return mask

    def masks(self, data: bytes, rows: int) -> npt.NDArray[np.int8]:
        """``[rows, num_actions]`` int8."""
        if self._packed_masks:
            dense = expand_bits(data, rows, self.num_actions)
        else:
            dense = np.frombuffer(data, np.uint8).reshape(rows, self.num_actions).copy()
        masks: npt.NDArray[np.int8] = dense.view(np.int8)
        return masks


def expand_bits(data: bytes, rows: int, count: int) -> npt.NDArray[np.uint8]:
    """One bit an element, low bits first, each row in whole bytes: ``[rows, count]`` of 0 and 1."""
    if rows == 0:
        return np.zeros((0, count), np.uint8)
    table = np.frombuffer(data, np.uint8).reshape(rows, -1)
    return np.unpackbits(table, axis=1, count=count, bitorder="little")


# [byte] uint16: its two nibbles as bytes, the low one first in little-endian memory
_NIBBLES = (np.arange(256) | np.arange(256) << 4).astype("<u2") & np.uint16(0x0F0F)
_SHORT = 2048


def expand_nibbles(data: bytes, rows: int, count: int) -> npt.NDArray[np.uint8]:
    """Four bits an element, low bits first, each row in whole bytes: ``[rows, count]`` of 0 to 15."""
    packed = np.frombuffer(data, np.uint8)
    if len(packed) <= _SHORT:
        pairs = _NIBBLES.take(packed)
    else:  # the same worked out in place, which is quicker for many
        pairs = np.left_shift(packed, 4, dtype="<u2")
        np.bitwise_or(pairs, packed, out=pairs)
        np.bitwise_and(pairs, 0x0F0F, out=pairs)
    width = count + count % 2
    table = pairs.view(np.uint8).reshape(rows, width)
    return table if width == count else np.ascontiguousarray(table[:, :count])


def _expander(array: ObservationSpec, packed: bool) -> Expand:
    shape, dtype = tuple(array.shape), _dtype(array)
    count = math.prod(shape)
    if packed and array.packing == "PACKING_BITS":
        return lambda data, rows: expand_bits(data, rows, count).reshape(rows, *shape).astype(dtype, copy=False)
    if packed and array.packing == "PACKING_NIBBLES":
        return lambda data, rows: expand_nibbles(data, rows, count).reshape(rows, *shape).astype(dtype, copy=False)
    source = np.dtype("u1" if array.dtype == "DTYPE_UINT8" else "<i4")
    return lambda data, rows: np.frombuffer(data, source).reshape(rows, *shape).astype(dtype)


# A single environment decodes a row so often that calls count more than bytes: hence types made beforehand,
# arguments by position, and scalars from a table. tests/test_codec.py compares the two ways.
_UINT8, _INT8, _INT32 = np.dtype(np.uint8), np.dtype(np.int8), np.dtype("<i4")
_MOST_SCALARS = 256
ExpandOnly = Callable[[bytes], Any]


def expander_of_only(array: ObservationSpec, packed: bool) -> ExpandOnly:
    """As `_expander` for the only row of a batch, without the first axis; a category is a scalar."""
    shape, dtype = tuple(array.shape), _dtype(array)
    if not shape and array.dtype == "DTYPE_INT32":
        return _Scalars(dtype.type, range(array.low[0], min(array.high[0] + 1, array.low[0] + _MOST_SCALARS)))
    if dtype == _UINT8 and packed and array.packing == "PACKING_BITS":
        return _bits_of_only(shape)
    if dtype == _UINT8 and packed and array.packing == "PACKING_NIBBLES" and math.prod(shape) % 2 == 0:
        return lambda data: _NIBBLES.take(np.frombuffer(data, _UINT8)).view(_UINT8).reshape(shape)
    if dtype == _UINT8 and (not packed or array.packing == "PACKING_NONE"):
        return _bytes_of_only(shape)
    if array.dtype == "DTYPE_INT32":
        return lambda data: np.frombuffer(data, _INT32).astype(dtype).reshape(shape)
    expand = _expander(array, packed)
    return lambda data: expand(data, 1)[0]


class _Scalars(dict[bytes, Any]):
    """Scalars by their bytes; others are made when they are asked for."""

    def __init__(self, scalar: Callable[[int], Any], values: range) -> None:
        self._scalar = scalar
        super().__init__({value.to_bytes(4, "little", signed=True): scalar(value) for value in values})

    def __call__(self, data: bytes) -> Any:
        return self[data]

    def __missing__(self, data: bytes) -> Any:
        return self._scalar(int.from_bytes(data, "little", signed=True))


def _bits_of_only(shape: tuple[int, ...]) -> ExpandOnly:
    count = math.prod(shape)
    if len(shape) == 1:
        return lambda data: np.unpackbits(np.frombuffer(data, _UINT8), None, count, "little")
    return lambda data: np.unpackbits(np.frombuffer(data, _UINT8), None, count, "little").reshape(shape)


def _bytes_of_only(shape: tuple[int, ...]) -> ExpandOnly:
    return lambda data: np.frombuffer(data, _UINT8).reshape(shape).copy()


def _dtype(array: ObservationSpec) -> np.dtype[Any]:
    if array.kind != "SPACE_KIND_BOX":
        return np.dtype(np.int64)
    return np.dtype(np.uint8 if array.dtype == "DTYPE_UINT8" else np.int32)


def concatenate(parts: Sequence[Arrays]) -> Arrays:
    """Several batches as one, in order."""
    if len(parts) == 1:
        return parts[0]
    names = parts[0].observation
    return Arrays(
        observation={name: np.concatenate([part.observation[name] for part in parts]) for name in names},
        action_masks=np.concatenate([part.action_masks for part in parts]),
        rewards=np.concatenate([part.rewards for part in parts]),
        terminations=np.concatenate([part.terminations for part in parts]),
        truncations=np.concatenate([part.truncations for part in parts]),
        outcomes=np.concatenate([part.outcomes for part in parts], axis=1),
    )
