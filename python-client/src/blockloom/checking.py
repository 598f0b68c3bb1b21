"""Audits masks: what they say against what steps do."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

import numpy as np

from blockloom._audited import Audited, Mask, Standing, audited
from blockloom._seeding import check_seed
from blockloom._settings import integer
from blockloom._truth import Trial, Truth
from blockloom.errors import BlockloomError

_MAX_PLIES = 200
_POSITIONS_AN_EPISODE = 4
_MAX_TRIALS = 150  # positions that are tried to make a failure shorter
_TRIES_A_LENGTH = 10


class MaskCheckError(BlockloomError, AssertionError):
    """A mask that says what is not so.

    Attributes:
        seed: The game seed of the episode that shows it: the shortest one that was found.
        actions: The actions that lead there.
        replay: The same as a replay: `blockloom.load_replay` stands there.
        action: The first action of which the mask is wrong.
        allowed: What the mask says of it.
        refusal: Why a step does not accept the action; None where it does.
    """

    seed: int = 0
    actions: Sequence[int] = ()
    replay: str = ""
    action: int = 0
    allowed: bool = False
    refusal: str | None = None


@dataclass
class MaskReport:
    """How much was compared, all of it in agreement."""

    game_id: str
    states: int = 0
    """Positions."""
    actions: int = 0
    """Actions tried, one each in a position of its own."""
    legal: int = 0
    """Of these, how many a step accepted."""
    refusals: Counter[str] = field(default_factory=Counter)
    """The others by reason."""
    ends: int = 0
    """Ends of episodes whose masks were looked at."""

    def __str__(self) -> str:
        """A few lines of text."""
        lines = [
            f"{self.game_id}: {self.states} positions, {self.actions} actions tried, masks and steps agree",
            f"  legal {self.legal}",
            *(f"  {reason} {count}" for reason, count in self.refusals.most_common()),
            f"  ends of episodes {self.ends}",
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class _Failure:
    message: str
    seed: int
    actions: list[int]
    action: int
    allowed: bool
    refusal: str | None


def check_masks(env: Any, states: int = 200, seed: SupportsIndex = 0) -> MaskReport:
    """Holds an environment's masks to what its server does.

    Plays episodes in the environment as it is, wrappers included. In sampled positions every action is tried with a
    step in a position of its own on the same server, and compared with ``info["action_mask"]``, `action_masks` and the
    mask in the observation. At ends the masks are looked at too. The environment is left somewhere in an episode:
    reset it afterwards.

    Args:
        env: A `BlockloomEnv` or `BlockloomVectorEnv`, wrapped or not.
        states: Positions to sample.
        seed: The first seed of the episodes; another seed samples other positions.

    Returns:
        How much was compared.

    Raises:
        MaskCheckError: A mask is wrong; it holds the shortest replay found that shows it.
    """
    subject, base = audited(env)
    truth = Truth(base.game_spec, base._arguments)
    try:
        return _Check(subject, truth, base.game_spec.action_names, check_seed(seed)).run(
            base.game_spec.game_id, integer("states", states, low=1)
        )
    finally:
        truth.close()


class _Check:
    def __init__(self, subject: Audited, truth: Truth, names: Sequence[str], seed: int) -> None:
        self._subject, self._truth, self._names, self._seed = subject, truth, names, seed
        self._rng = np.random.default_rng(abs(seed))
        self._ends = np.zeros((2, len(names)), np.int64)
        """``[2, num_actions]``: how often an action was played, and how often that ended the episode."""

    def run(self, game_id: str, states: int) -> MaskReport:
        report = MaskReport(game_id)
        for first in itertools.count(self._seed, self._subject.rows):
            shown, suspect = self._play([first + row for row in range(self._subject.rows)], _MAX_PLIES)
            ends = [one for one in shown if one.over]
            report.ends += len(ends)
            count = min(states - report.states, _POSITIONS_AN_EPISODE * self._subject.rows)
            for standing in [*suspect, *self._sample(shown, ends, count)]:
                failure = self._compare(standing, report)
                if failure is not None:
                    raise self._error(self._shorten(failure))
            if report.states >= states:
                return report
        raise AssertionError("unreachable")

    def _play(self, seeds: Sequence[int], plies: int) -> tuple[list[Standing], list[Standing]]:
        """Plays what the masks allow; gives all that was shown, and what cannot be right."""
        standings = self._subject.begin(seeds)
        shown = list(standings)
        for _ in range(plies):
            suspect = [one for one in standings if not one.over and not one.mask.any()]
            if suspect or (self._subject.rows == 1 and standings[0].over):
                return shown, suspect
            actions = [self._draw(standing.mask) for standing in standings]
            after = self._subject.step(standings, actions)
            known = {id(one) for one in standings}
            fresh = [one for row in after for one in row if id(one) not in known]
            shown += fresh
            suspect = [one for one in fresh if one.refused is not None]
            if suspect:
                return shown, suspect
            for one in fresh:
                if one.actions:
                    self._ends[:, one.actions[-1]] += (1, one.over)
            standings = [row[-1] for row in after]
        return shown, []

    def _draw(self, mask: Mask) -> int:
        """A legal action; one that has always ended the episode only now and then."""
        legal = np.flatnonzero(mask)
        played, ended = self._ends[:, legal]
        going_on = legal[(played < 2) | (ended < played)]
        choice = going_on if len(going_on) and self._rng.random() < 0.98 else legal
        return int(self._rng.choice(choice)) if len(choice) else 0

    def _sample(self, shown: Sequence[Standing], ends: Sequence[Standing], count: int) -> list[Standing]:
        """Positions from all over, an end among them if there is one."""
        end = [ends[int(self._rng.integers(len(ends)))]] if ends else []
        picks = self._rng.permutation(len(shown))[: max(count - len(end), 0)]
        return [*end[:count], *(shown[pick] for pick in picks)]

    def _compare(self, standing: Standing, report: MaskReport | None = None) -> _Failure | None:
        trial = self._truth.at(standing.seed, standing.actions)
        if isinstance(trial, int):
            actions = standing.actions[:trial]
            at = self._truth.at(standing.seed, actions)
            refusal = None if isinstance(at, int) else at.reasons[standing.actions[trial]]
            return self._failure("the mask", standing.seed, actions, standing.actions[trial], True, refusal)
        if report is not None:
            report.states += 1
            report.actions += len(trial.legal)
            report.legal += int(trial.legal.sum())
            report.refusals.update(reason for reason in trial.reasons if reason is not None)
        return self._wrong_mask(standing, trial)

    def _wrong_mask(self, standing: Standing, trial: Trial) -> _Failure | None:
        expected = trial.legal if standing.constant is None else np.full(len(trial.legal), standing.constant)
        masks = [(name, mask, expected) for name, mask in standing.masks.items()]
        if standing.final is not None:
            masks.append(("final_action_mask", standing.final, trial.legal))
        for name, mask, right in masks:
            if mask.shape != right.shape:
                raise MaskCheckError(f"{name} has the shape {mask.shape}; the actions are {right.shape}")
            wrong = np.flatnonzero(mask != right)
            if len(wrong):
                action = int(wrong[0])
                return self._failure(
                    name, standing.seed, standing.actions, action, bool(mask[action]), trial.reasons[action]
                )
        return None

    def _failure(
        self, where: str, seed: int, actions: list[int], action: int, allowed: bool, refusal: str | None
    ) -> _Failure:
        says = "allows" if allowed else "forbids"
        does = "accepts it" if refusal is None else f"refuses it ({refusal})"
        message = f"{where} {says} action {action} ({self._names[action]}), and a step {does}"
        return _Failure(message, seed, actions, action, allowed, refusal)

    def _shorten(self, found: _Failure) -> _Failure:
        """The shortest episode of the same seed that shows a failure, of those tried; any failure will do."""
        best, left = found, _MAX_TRIALS
        candidates = itertools.chain(
            (found.actions[:ply] for ply in range(len(found.actions))),
            (self._walk(found.seed, n) for n in range(len(found.actions)) for _ in range(_TRIES_A_LENGTH)),
        )
        for actions in candidates:
            if len(actions) >= len(best.actions):
                continue
            left -= 1
            if left < 0:
                break
            failure = self._fails(found.seed, actions)
            if failure is not None and len(failure.actions) < len(best.actions):
                best = failure
        return best

    def _walk(self, seed: int, plies: int) -> list[int]:
        """Another episode's actions."""
        standings = self._subject.begin([seed] * self._subject.rows)
        for _ in range(plies):
            if any(one.over for one in standings) or not standings[0].mask.any():
                break
            action = self._draw(standings[0].mask)
            standings = [row[0] for row in self._subject.step(standings, [action] * self._subject.rows)]
        return standings[0].actions

    def _fails(self, seed: int, actions: Sequence[int]) -> _Failure | None:
        """What is wrong after some actions in any row, if they can be played."""
        standings = self._subject.begin([seed] * self._subject.rows)
        for action in actions:
            if any(one.over for one in standings):
                return None
            shown = self._subject.step(standings, [action] * self._subject.rows)
            standings = [row[0] for row in shown]
            if any(one.refused is not None for one in standings):
                return None
        for standing in standings:
            failure = self._compare(standing)
            if failure is not None:
                return failure
        return None

    def _error(self, failure: _Failure) -> MaskCheckError:
        replay = self._truth.replay(failure.seed, failure.actions)
        error = MaskCheckError(f"{failure.message}, after {len(failure.actions)} actions; the replay: {replay}")
        error.seed, error.actions, error.replay = failure.seed, failure.actions, replay
        error.action, error.allowed, error.refusal = failure.action, failure.allowed, failure.refusal
        return error
