"""A policy over options: two small networks in numpy."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from blockloom.learning.hourloom.features import OPTION_FEATURES, SITUATION_FEATURES
from blockloom.learning.hourloom.grids import Bools, Floats, Ints

HIDDEN = 64
_FIRST_MOMENT, _SECOND_MOMENT = 0.9, 0.999


class Network:
    """A perceptron with two hidden layers of tanh and one output, trained with Adam.

    Args:
        inputs: Number of inputs.
        rng: Where the first weights come from.
        scale: Of the weights of the output.
    """

    def __init__(self, inputs: int, rng: np.random.Generator, *, scale: float) -> None:
        self.parameters: list[Floats] = []
        for wide, out in itertools.pairwise([inputs, HIDDEN, HIDDEN, 1]):
            spread = (scale if out == 1 else 1.0) / np.sqrt(wide)
            self.parameters.append((rng.normal(size=(wide, out)) * spread).astype(np.float32))
            self.parameters.append(np.zeros(out, np.float32))
        self._moments = [(np.zeros_like(p), np.zeros_like(p)) for p in self.parameters]
        self._updates = 0
        self._last: tuple[Floats, Floats, Floats] | None = None

    def __call__(self, x: Floats) -> Floats:
        """The outputs ``(n,)`` for inputs ``(n, inputs)``."""
        w1, b1, w2, b2, w3, b3 = self.parameters
        first = np.tanh(x @ w1 + b1)
        second = np.tanh(first @ w2 + b2)
        self._last = x, first, second
        out: Floats = (second @ w3 + b3)[:, 0]
        return out

    def learn(self, slope: Floats, rate: float, longest: float = 0.5) -> None:
        """Takes a step against a slope.

        Args:
            slope: The derivative of a loss by the outputs that the last call gave, ``(n,)``.
            rate: Adam's step size.
            longest: The length to which the gradient is cut.
        """
        assert self._last is not None, "learn() before the network was called"
        x, first, second = self._last
        w2, w3 = self.parameters[2], self.parameters[4]
        top = slope[:, None]
        middle = (top @ w3.T) * (1 - second * second)
        bottom = (middle @ w2.T) * (1 - first * first)
        gradient = [x.T @ bottom, bottom.sum(0), first.T @ middle, middle.sum(0), second.T @ top, top.sum(0)]
        length = float(np.sqrt(sum(float((part * part).sum()) for part in gradient)))
        cut = np.float32(min(1.0, longest / (length + 1e-8)))
        self._updates += 1
        step = np.float32(rate / (1 - _FIRST_MOMENT**self._updates))
        correction = np.float32(1 - _SECOND_MOMENT**self._updates)
        for parameter, part, (mean, square) in zip(self.parameters, gradient, self._moments, strict=True):
            mean += np.float32(1 - _FIRST_MOMENT) * (part * cut - mean)
            square += np.float32(1 - _SECOND_MOMENT) * ((part * cut) ** 2 - square)
            parameter -= step * mean / (np.sqrt(square / correction) + np.float32(1e-5))


class OptionPolicy:
    """Which option to take, and what a situation is worth.

    Each possible option gets a logit from its own features and those of the situation; what is not possible does not
    enter. A second network gives the value of the situation.

    Args:
        seed: Of the first weights, which make all options about equally likely.
    """

    def __init__(self, *, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.actor = Network(OPTION_FEATURES + SITUATION_FEATURES, rng, scale=0.01)
        self.critic = Network(SITUATION_FEATURES, rng, scale=1.0)

    def logits(self, possible: Bools, features: Floats, situation: Floats) -> Floats:
        """Of every option, ``(n, OPTIONS)``; minus infinity where it is not possible.

        Args:
            possible: ``(n, OPTIONS)``.
            features: ``(n, OPTIONS, OPTION_FEATURES)``.
            situation: ``(n, SITUATION_FEATURES)``.
        """
        row, option = np.nonzero(possible)
        logits = np.full(possible.shape, -np.inf, np.float32)
        logits[row, option] = self.actor(np.concatenate([features[row, option], situation[row]], axis=1))
        return logits

    def values(self, situation: Floats) -> Floats:
        """Of situations ``(n, SITUATION_FEATURES)``: ``(n,)``."""
        return self.critic(situation)

    def save(self, path: Path) -> None:
        """Writes the weights as npz."""
        networks = {"actor": self.actor, "critic": self.critic}
        arrays = {f"{name}{i}": p for name, network in networks.items() for i, p in enumerate(network.parameters)}
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> OptionPolicy:
        """Reads what `save` wrote.

        Raises:
            ValueError: The weights are of another kind.
        """
        policy = cls()
        with np.load(path) as arrays:
            for name, network in (("actor", policy.actor), ("critic", policy.critic)):
                for i, parameter in enumerate(network.parameters):
                    if f"{name}{i}" not in arrays or arrays[f"{name}{i}"].shape != parameter.shape:
                        raise ValueError(f"{path} does not hold weights of an option policy")
                    network.parameters[i] = arrays[f"{name}{i}"]
        return policy


def log_softmax(logits: Floats) -> Floats:
    """By rows; minus infinity stays."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result


def draw(logits: Floats, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """An option for each row by its probability, and the logarithm of that."""
    logs = log_softmax(logits)
    here = np.arange(len(logs))
    upto = np.cumsum(np.exp(logs), axis=1)
    option = (rng.random((len(logs), 1)) * upto[:, -1:] >= upto).sum(axis=1)
    option = np.minimum(option, logs.shape[1] - 1)
    # Rounding must not pick what is not possible.
    option = np.where(np.isfinite(logs[here, option]), option, logs.argmax(axis=1))
    return option, logs[here, option]
