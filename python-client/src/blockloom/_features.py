"""Observations as numbers for a small network, with PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor, nn

from blockloom.spaces import MASK_KEY

_LARGE = 1000
"""Figures that may be greater than this are seen by their logarithm."""


class FlatFeatures(nn.Module):
    """The arrays of an observation, without its mask, as one row of numbers of about 1.

    Choices are one-hot. Cells and small figures are divided by their greatest value; cells of several kinds also say
    whether they are filled; of large figures the logarithm is taken. There is nothing to learn in it.

    Args:
        space: The observation space of one environment, with or without ``action_mask``.
    """

    def __init__(self, space: spaces.Dict) -> None:
        super().__init__()
        self.space = {name: part for name, part in space.spaces.items() if name != MASK_KEY}
        self.size = sum(_size(part) for part in self.space.values())
        """Numbers of one row."""
        for name, part in self.space.items():
            if isinstance(part, spaces.Box):
                high = np.maximum(part.high.astype(np.float32), 1)
                self.register_buffer(f"high_{name}", torch.from_numpy(high), persistent=False)

    def forward(self, observation: Mapping[str, Tensor]) -> Tensor:
        """Float32 ``(..., size)``, of arrays ``(..., *shape)``, whatever the type of their numbers."""
        return torch.cat([self._numbers(name, observation[name]) for name in self.space], dim=-1)

    def _numbers(self, name: str, array: Tensor) -> Tensor:
        part = self.space[name]
        if isinstance(part, spaces.Discrete):
            return nn.functional.one_hot(array.long(), int(part.n)).float()
        if isinstance(part, spaces.MultiDiscrete):
            columns = zip(array.long().unbind(-1), part.nvec.tolist(), strict=True)
            return torch.cat([nn.functional.one_hot(column, n).float() for column, n in columns], dim=-1)
        assert isinstance(part, spaces.Box)
        array, high = array.float(), cast(Tensor, getattr(self, f"high_{name}"))
        scaled = torch.where(high > _LARGE, torch.log1p(array.clamp(min=0)) / 8, array / high)
        rows = scaled.flatten(-len(part.shape))
        return torch.cat([rows, (rows > 0).float()], dim=-1) if _has_kinds(part) else rows


def _has_kinds(part: spaces.Space[object]) -> bool:
    """Whether these are cells that are filled in different ways."""
    return isinstance(part, spaces.Box) and len(part.shape) > 1 and int(part.high.max()) > 1


def _size(part: spaces.Space[object]) -> int:
    return int(spaces.flatdim(part)) * (2 if _has_kinds(part) else 1)
