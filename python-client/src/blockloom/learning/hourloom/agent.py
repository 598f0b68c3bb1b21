"""The player: it sees, decides where a plan is at its end, and plays its plans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from blockloom.agents import Agent
from blockloom.learning.hourloom.chambers import CHAMBER, LAP, LONGEST, SEALED, TURN, Chambers, Observation, Position
from blockloom.learning.hourloom.features import Features
from blockloom.learning.hourloom.grids import Bools, Ints
from blockloom.learning.hourloom.needs import Needs
from blockloom.learning.hourloom.options import survey
from blockloom.learning.hourloom.policy import OptionPolicy, draw
from blockloom.learning.hourloom.ppo import Choice
from blockloom.learning.hourloom.times import WAIT

if TYPE_CHECKING:
    from blockloom.vector import BlockloomVectorEnv

GAME = "Hourloom-v1"
DESCEND = 5


class Planner:
    """Plans of n rows, made of options that a policy takes.

    Args:
        n: Number of rows.
        policy: Which option to take.
        rng: Where the chance comes from by which options are drawn; None: the likeliest one is taken.
    """

    def __init__(self, n: int, policy: OptionPolicy, rng: np.random.Generator | None) -> None:
        self._policy = policy
        self._rng = rng
        self._chambers = Chambers(n)
        self._plan = np.full((n, LONGEST + 2), -1, np.int8)
        self._next = np.zeros(n, np.int64)
        self._expected = np.full((n, 3), -1, np.int64)
        """Chamber, lap and turn in which each plan goes on."""

    def act(
        self, obs: Observation, mask: npt.NDArray[Any], rows: Ints
    ) -> tuple[npt.NDArray[np.int32], Ints, Choice | None]:
        """Actions for `rows`, and the decisions among options that were made for some of them.

        Args:
            obs: Arrays ``(n, ...)``.
            mask: ``(n, num_actions)``, not zero where legal.
            rows: Int64 ``(k,)``.

        Returns:
            int32 ``(k,)``; the rows of the decisions; the decisions, or None where there were none.
        """
        at = self._chambers.see(obs, rows)
        now = obs["scalars"][rows][:, [CHAMBER, LAP, TURN]].astype(np.int64)
        running = obs["scalars"][rows, SEALED] == 0
        due = running & ~(self._is_legal(mask, rows) & (now == self._expected[rows]).all(axis=1))
        decided, choice = self._decide(at, due)
        legal = self._is_legal(mask, rows)
        actions = self._plan[rows, self._next[rows]].astype(np.int32)
        actions[running & ~legal] = _first_legal(mask[rows[running & ~legal]])
        actions[~running] = np.where(mask[rows[~running], DESCEND] > 0, DESCEND, _first_legal(mask[rows[~running]]))
        self._next[rows] += 1
        self._expected[rows] = now + np.array([0, 0, 1])
        return actions, decided, choice

    def _is_legal(self, mask: npt.NDArray[Any], rows: Ints) -> Bools:
        actions = self._plan[rows, self._next[rows]]
        legal: Bools = (actions >= 0) & (mask[rows, np.maximum(actions, 0)] > 0)
        return legal

    def _decide(self, at: Position, due: Bools) -> tuple[Ints, Choice | None]:
        rows = at.rows[due]
        self._plan[rows] = -1
        self._next[rows] = 0
        if len(rows) == 0:
            return rows, None
        at = at.of(np.flatnonzero(due))
        needs = Needs(self._chambers, at)
        options = survey(self._chambers, at, needs)
        some = np.flatnonzero(options.possible.any(axis=1))
        if len(some) == 0:
            return rows[:0], None
        features = Features(self._chambers, at, needs, options)
        possible = options.possible[some]
        known = possible, features.options[some], features.situation[some]
        logits = self._policy.logits(*known)
        if self._rng is None:
            option, log_probability = logits.argmax(axis=1), np.zeros(len(some), np.float32)
        else:
            option, log_probability = draw(logits, self._rng)
        inputs = options.inputs(some, option)
        self._plan[rows[some], : inputs.shape[1]] = inputs
        return rows[some], Choice(*known, option, log_probability, needs.potential()[some])


def _first_legal(mask: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Waiting where that is legal, else the first legal action."""
    return np.where(mask[:, WAIT] > 0, WAIT, mask.argmax(axis=1)).astype(np.int32)


class HourloomAgent(Agent):
    """Plays Hourloom by a learned policy over options.

    It needs nothing but the observations, and remembers the ways that it saw itself walk, which its echoes repeat.

    Args:
        policy: What was learned. None: nothing, all options are about equally likely.
        seed: Of the chance by which options are drawn; None: the likeliest one is taken.
    """

    def __init__(self, policy: OptionPolicy | None = None, *, seed: int | None = None) -> None:
        self._policy = OptionPolicy() if policy is None else policy
        self._seed = seed
        self._planner: Planner | None = None
        self._rows = 0

    @classmethod
    def load(cls, path: str | Path, *, seed: int | None = None) -> HourloomAgent:
        """Reads weights that a training wrote."""
        return cls(OptionPolicy.load(Path(path)), seed=seed)

    def act(
        self,
        envs: BlockloomVectorEnv,
        obs: dict[str, npt.NDArray[Any]],
        info: dict[str, Any],
        active: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int32]:
        """As in `Agent`."""
        mask = info["action_mask"]
        n = len(mask)
        if self._planner is None or self._rows != n:
            rng = None if self._seed is None else np.random.default_rng(self._seed)
            self._planner, self._rows = Planner(n, self._policy, rng), n
        rows = np.arange(n) if active is None else np.flatnonzero(active)
        actions = np.zeros(n, np.int32)
        actions[rows], _, _ = self._planner.act(obs, mask, rows)
        return actions
