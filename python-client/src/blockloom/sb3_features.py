"""A features extractor for Stable-Baselines3 that sees boards as boards: ``pip install "blockloom[sb3]"``.

from blockloom.sb3_features import BoardExtractor

policy_kwargs = {"features_extractor_class": BoardExtractor}
model = MaskablePPO("MultiInputPolicy", envs, policy_kwargs=policy_kwargs)
"""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

try:
    import torch
    from stable_baselines3.common.preprocessing import get_flattened_obs_dim
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from torch import nn
except ImportError as error:
    raise ImportError(
        f'blockloom.sb3_features needs Stable-Baselines3: pip install "blockloom[sb3]" ({error})'
    ) from error

_LARGE = 1000


class BoardExtractor(BaseFeaturesExtractor):
    """A small convolution over boards and trays, and everything else appended to what it gives.

    Every array of two and more dimensions is planes of one stack, such as a board and the three shapes of a tray,
    smaller ones in the top left corner: each once scaled to at most 1, and once as 0 for zeros and 1 for the rest. Two
    convolutions of 3 by 3 go over the stack. Figures are scaled by the greatest value they can have; of those that can
    pass 1,000, such as the score, the logarithm is taken. Works with every game.

    Args:
        observation_space: The dict space of a game.
        features_dim: Number of features.
        channels: Of each convolution.
    """

    def __init__(self, observation_space: spaces.Dict, features_dim: int = 256, channels: int = 32) -> None:
        super().__init__(observation_space, features_dim)
        parts = observation_space.spaces
        self._planes = [name for name, space in parts.items() if isinstance(space, spaces.Box) and len(space.shape) > 1]
        self._rest = [name for name in parts if name not in self._planes]
        for name, space in parts.items():
            if isinstance(space, spaces.Box):
                high = np.maximum(space.high, 1).astype(np.float32)
                self.register_buffer(f"high_{name}", torch.from_numpy(high), persistent=False)
        shapes = [parts[name].shape or () for name in self._planes]
        self._size = (max((shape[-2] for shape in shapes), default=0), max((shape[-1] for shape in shapes), default=0))
        planes = 2 * sum(int(np.prod(shape[:-2])) for shape in shapes)
        self.convolutions = nn.Sequential(
            nn.Conv2d(max(planes, 1), channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        width = channels * self._size[0] * self._size[1] if planes else 0
        width += sum(get_flattened_obs_dim(parts[name]) for name in self._rest)
        self.body = nn.Sequential(nn.Linear(width, features_dim), nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Features ``(rows, features_dim)`` of what Stable-Baselines3 makes of observations."""
        features = [self._scaled(name, observations[name]).flatten(1) for name in self._rest]
        if self._planes:
            planes = torch.cat([self._padded(name, observations[name]) for name in self._planes], dim=1)
            features.append(self.convolutions(torch.cat([planes, (planes > 0).float()], dim=1)))
        out: torch.Tensor = self.body(torch.cat(features, dim=1))
        return out

    def _padded(self, name: str, array: torch.Tensor) -> torch.Tensor:
        scaled = self._scaled(name, array)
        planes = scaled.reshape(len(scaled), -1, *scaled.shape[-2:])
        height, width = self._size
        return nn.functional.pad(planes, (0, width - planes.shape[-1], 0, height - planes.shape[-2]))

    def _scaled(self, name: str, array: torch.Tensor) -> torch.Tensor:
        """Categories are 0 and 1 already."""
        high = getattr(self, f"high_{name}", None)
        if high is None:
            return array
        logarithm = torch.log1p(array.clamp(min=0)) / np.log1p(_LARGE)
        return torch.where(high > _LARGE, logarithm, array / high)
