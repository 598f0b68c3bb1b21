"""Proximal policy optimization over decisions that take several steps each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blockloom.learning.hourloom.grids import Bools, Floats, Ints
from blockloom.learning.hourloom.policy import OptionPolicy, log_softmax


@dataclass
class Choice:
    """Decisions, one a row: what was known, and what was chosen."""

    possible: Bools
    features: Floats
    situation: Floats
    option: Ints
    log_probability: Floats
    potential: Floats
    """How much is done for later laps, as `Needs.potential` says."""

    def of(self, rows: Ints) -> Choice:
        """Some of them."""
        return Choice(*(array[rows] for array in vars(self).values()))

    @staticmethod
    def joined(parts: list[Choice]) -> Choice:
        """All of several."""
        return Choice(*(np.concatenate(arrays) for arrays in zip(*(vars(p).values() for p in parts), strict=True)))


@dataclass(frozen=True)
class PpoSettings:
    """How to learn from a batch."""

    gamma: float = 0.98
    """Discount of a decision."""
    trace: float = 0.9
    """Lambda of the generalized advantages."""
    rate: float = 1e-3
    shaping: float = 2.0
    """Points for each unit by which the potential grows. They are paid back when it falls, at the latest with the
    chamber, so that they lead to what is good early and do not change what is good (Ng, Harada and Russell 1999)."""
    clip: float = 0.2
    entropy: float = 0.01
    epochs: int = 4
    minibatch: int = 256


@dataclass
class Batch:
    """Decisions to learn from."""

    choice: Choice
    advantage: Floats
    value: Floats
    """What the value of each situation should have been."""


class Decisions:
    """The decisions made in n rows, in their order, each with the points up to the next one of its row."""

    def __init__(self, n: int) -> None:
        self._open = np.full(n, -1, np.int64)
        """The decision under way in each row."""
        self._parts: list[Choice] = []
        self._reward = np.zeros(0, np.float32)
        self._next = np.zeros(0, np.int64)
        self.count = 0

    def add(self, rows: Ints, choice: Choice) -> None:
        """Takes up decisions; each follows the last one of its row."""
        new = self.count + np.arange(len(rows))
        self._reward = np.concatenate([self._reward, np.zeros(len(rows), np.float32)])
        self._next = np.concatenate([self._next, np.full(len(rows), -1)])
        before = self._open[rows]
        self._next[before[before >= 0]] = new[before >= 0]
        self._open[rows] = new
        self._parts.append(choice)
        self.count += len(rows)

    def earn(self, rewards: Floats, over: Bools) -> None:
        """Credits points to the decision under way in each row, and ends it where the episode is over."""
        known = self._open >= 0
        self._reward[self._open[known]] += rewards[known]
        self._open[over] = -1

    def take(self, policy: OptionPolicy, settings: PpoSettings) -> Batch:
        """A batch of all decisions whose outcome is known; those under way are kept for the next."""
        choice = Choice.joined(self._parts)
        values = policy.values(choice.situation)
        pending = np.zeros(self.count, np.bool_)
        pending[self._open[self._open >= 0]] = True
        advantage = np.zeros(self.count, np.float32)
        first = self.count
        for part in reversed(self._parts):
            span = np.arange(first - len(part.option), first)
            first -= len(span)
            then = self._next[span]
            ahead = np.where(then >= 0, values[then], 0)
            carried = np.where((then >= 0) & ~pending[then], advantage[then], 0)
            grown = settings.gamma * np.where(then >= 0, choice.potential[then], 0) - choice.potential[span]
            delta = self._reward[span] + settings.shaping * grown + settings.gamma * ahead - values[span]
            advantage[span] = delta + settings.gamma * settings.trace * carried
        done, kept = np.flatnonzero(~pending), np.flatnonzero(pending)
        self._keep(choice.of(kept), kept)
        return Batch(choice.of(done), advantage[done], (advantage + values)[done])

    def _keep(self, choice: Choice, kept: Ints) -> None:
        place = np.full(self.count, -1, np.int64)
        place[kept] = np.arange(len(kept))
        self._open = np.where(self._open >= 0, place[self._open], -1)
        self._parts = [choice]
        self._reward = self._reward[kept]
        self._next = np.full(len(kept), -1, np.int64)
        self.count = len(kept)


def learn(policy: OptionPolicy, batch: Batch, settings: PpoSettings, rng: np.random.Generator) -> dict[str, float]:
    """Improves a policy by the clipped objective of Schulman et al. (2017); gives means of what was seen."""
    advantage = (batch.advantage - batch.advantage.mean()) / (batch.advantage.std() + 1e-6)
    seen = []
    for _ in range(settings.epochs):
        order = rng.permutation(len(advantage))
        for first in range(0, len(order), settings.minibatch):
            part = order[first : first + settings.minibatch]
            choice = batch.choice.of(part)
            entropy, change = _learn_choices(policy, choice, advantage[part], settings)
            error = policy.values(choice.situation) - batch.value[part]
            policy.critic.learn(error / np.float32(len(part)), settings.rate)
            seen.append((entropy, change, float((error * error).mean())))
    return dict(zip(("entropy", "change", "value_loss"), np.mean(seen, axis=0).tolist(), strict=True))


def _learn_choices(
    policy: OptionPolicy, choice: Choice, advantage: Floats, settings: PpoSettings
) -> tuple[float, float]:
    """Makes choices with an advantage likelier; gives the entropy and the mean change of the probabilities so far."""
    here = np.arange(len(advantage))
    logs = log_softmax(policy.logits(choice.possible, choice.features, choice.situation))
    chance = np.exp(logs)
    ratio = np.exp(logs[here, choice.option] - choice.log_probability)
    far = np.where(advantage > 0, ratio > 1 + settings.clip, ratio < 1 - settings.clip)
    pull = np.where(far, 0, ratio * advantage)
    logs = np.where(choice.possible, logs, 0)
    entropy = -(chance * logs).sum(axis=1)
    slope = chance * pull[:, None] + settings.entropy * chance * (logs + entropy[:, None])
    slope[here, choice.option] -= pull
    policy.actor.learn((slope[choice.possible] / len(here)).astype(np.float32), settings.rate)
    return float(entropy.mean()), float(np.abs(ratio - 1).mean())
