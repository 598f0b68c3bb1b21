"""What a mask monitor counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom.errors import InvalidArgumentError

Masks = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_MAX_BINS = 128
_SUM_TOLERANCE = 1e-3


@dataclass
class Bin:
    """A stretch of time."""

    states: int = 0
    """Rows and steps looked at."""
    legal: float = 0.0
    """Sum of the shares of legal actions."""
    illegal: int = 0
    """Illegal picks."""
    policies: int = 0
    """Policies observed."""
    mass: float = 0.0
    """Sum of their probability masses on illegal actions."""

    def add(self, other: Bin) -> None:
        """Takes in another stretch."""
        self.states += other.states
        self.legal += other.legal
        self.illegal += other.illegal
        self.policies += other.policies
        self.mass += other.mass


class MaskTally:
    """Counts over all steps, by action, by reason and over time."""

    def __init__(self, action_names: Sequence[str]) -> None:
        self.action_names = list(action_names)
        actions = len(self.action_names)
        self.total = Bin()
        self.picks: Ints = np.zeros(actions, np.int64)
        """``[num_actions]``: how often it was picked."""
        self.illegal_picks: Ints = np.zeros(actions, np.int64)
        """``[num_actions]``: of these, how often it was not legal."""
        self.legal_states: Ints = np.zeros(actions, np.int64)
        """``[num_actions]``: in how many states it was legal."""
        self.illegal_mass: Floats = np.zeros(actions, np.float64)
        """``[num_actions]``: sum of the probabilities that policies gave it where it was not legal."""
        self.reasons: Counter[str] = Counter()
        """Illegal picks by reason."""
        self.bins = [Bin()]
        """The same over time, stretches of equal numbers of steps, oldest first."""
        self.bin_steps = 1
        """Steps of one stretch."""
        self._steps = 0

    def step(self, masks: Masks, actions: Ints, reasons: Sequence[str | None]) -> None:
        """Actions picked in some rows.

        Args:
            masks: ``[rows, num_actions]``.
            actions: ``[rows]``.
            reasons: ``[rows]``: why an action was not accepted, if it was not.
        """
        legal = masks[np.arange(len(masks)), actions]
        np.add.at(self.picks, actions, 1)
        np.add.at(self.illegal_picks, actions[~legal], 1)
        self.legal_states += masks.sum(axis=0)
        self.reasons.update(reasons[row] or "no reason given" for row in np.flatnonzero(~legal).tolist())
        self._add(Bin(len(masks), float(masks.mean(axis=1).sum()), int((~legal).sum())))
        self._steps += 1
        if self._steps % self.bin_steps == 0:
            self.bins.append(Bin())
            if len(self.bins) > _MAX_BINS:
                self._widen()

    def policy(self, masks: Masks, probabilities: Floats) -> None:
        """Policies of some rows, ``[rows, num_actions]``."""
        wrong = np.where(masks, 0.0, probabilities)
        self.illegal_mass += wrong.sum(axis=0)
        self._add(Bin(policies=len(masks), mass=float(wrong.sum())))

    def shares(self) -> dict[str, float]:
        """Figures to log; NaN where nothing was seen yet.

        ``legal_share``: of the actions, on average over states. ``illegal_picks``: of the picks. ``illegal_mass``: of
        the policies' probability.
        """
        return shares(self.total)

    def _add(self, part: Bin) -> None:
        self.total.add(part)
        self.bins[-1].add(part)

    def _widen(self) -> None:
        """Makes stretches twice as long."""
        pairs = zip(self.bins[0:-1:2], self.bins[1:-1:2], strict=True)
        last = self.bins[-1]
        self.bins = []
        for first, second in pairs:
            first.add(second)
            self.bins.append(first)
        self.bins.append(last)
        self.bin_steps *= 2


def shares(part: Bin) -> dict[str, float]:
    """The figures of a stretch of time, as `MaskTally.shares` describes them."""
    return {
        "legal_share": part.legal / part.states if part.states else np.nan,
        "illegal_picks": part.illegal / part.states if part.states else np.nan,
        "illegal_mass": part.mass / part.policies if part.policies else np.nan,
    }


def probabilities_of(logits: Any, probs: Any, shape: tuple[int, ...]) -> Floats:
    """Probabilities of exactly one of logits and probabilities, as arrays or tensors; raises InvalidArgumentError."""
    if (logits is None) == (probs is None):
        raise InvalidArgumentError("give logits or probs, one of the two")
    given = logits if probs is None else probs
    if hasattr(given, "detach"):
        given = given.detach().cpu().numpy()
    values = np.asarray(given, np.float64)
    name = "logits" if probs is None else "probs"
    if values.shape != shape:
        raise InvalidArgumentError(f"{name} has the shape {values.shape}; allowed: {shape}")
    if probs is None:
        highest = values.max(axis=-1, keepdims=True)
        if not np.isfinite(highest).all() or np.isnan(values).any():
            raise InvalidArgumentError("logits must be numbers below infinity, not all of a row minus infinity")
        weights: Floats = np.exp(values - highest)
        weights /= weights.sum(axis=-1, keepdims=True)
        return weights
    if not ((values >= 0).all() and (np.abs(values.sum(axis=-1) - 1) <= _SUM_TOLERANCE).all()):
        raise InvalidArgumentError("probs must be at least 0 and sum to 1 in each row")
    return values
