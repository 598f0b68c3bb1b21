"""The player: plans at the start of every lap, and walks as planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from blockloom.agents import Agent
from blockloom.scripted.chamber import CHAMBER, LAP, LAP_BUDGET, SEALED, SIDE, TURN, read_chamber
from blockloom.scripted.choice import Choice

if TYPE_CHECKING:
    from blockloom.vector import BlockloomVectorEnv

WAIT, DESCEND = 4, 5
_INPUTS = {-SIDE: 0, 1: 1, SIDE: 2, -1: 3, 0: WAIT}


@dataclass
class Script:
    """What is planned for one row, and where it is expected next."""

    chamber: int = 0
    lap: int = 0
    turn: int = 0
    choice: Choice = field(default_factory=Choice)

    def action(self, planes: npt.NDArray[Any], scalars: npt.NDArray[Any]) -> int:
        """The next input, or -1 without a plan."""
        chamber, lap, turn = int(scalars[CHAMBER]), int(scalars[LAP]), int(scalars[TURN])
        if turn == 0 and lap == 0:
            self.choice = Choice()
        elif (chamber, lap, turn) != (self.chamber, self.lap, self.turn):
            return -1
        if turn == 0:
            self.choice.plan(read_chamber(planes, scalars), int(scalars[LAP_BUDGET]))
        self.chamber, self.lap, self.turn = chamber, lap, turn + 1
        if len(self.choice.walked) <= lap:
            return -1
        path = self.choice.walked[lap]
        here = int(planes[20].argmax())
        if turn + 1 >= len(path) or path[turn] != here:
            return -1
        if turn + 2 == len(path):
            self.lap, self.turn = lap + 1, 0
        return _INPUTS[path[turn + 1] - here]


class Scripted(Agent):
    """Plays Hourloom by plans for whole chambers, made from the planes, the scalars and the mask alone."""

    def __init__(self) -> None:
        self._rows: list[Script] = []

    def act(
        self,
        envs: BlockloomVectorEnv,
        obs: dict[str, npt.NDArray[Any]],
        info: dict[str, Any],
        active: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int32]:
        """As in `Agent`."""
        return self._actions(obs, info["action_mask"], active).astype(np.int32)

    def __call__(self, envs: Any, obs: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
        """As `blockloom.baselines.Policy`."""
        mask = np.asarray(info["action_mask"])
        if mask.ndim > 1:
            return self._actions(obs, mask, None)
        return int(self._actions({name: np.asarray(array)[None] for name, array in obs.items()}, mask[None], None)[0])

    def _actions(
        self, obs: Mapping[str, npt.NDArray[Any]], mask: npt.NDArray[Any], active: npt.NDArray[np.bool_] | None
    ) -> npt.NDArray[np.int64]:
        if len(self._rows) != len(mask):
            self._rows = [Script() for _ in range(len(mask))]
        actions = np.zeros(len(mask), np.int64)
        for row in np.flatnonzero(mask.any(axis=1) if active is None else active):
            scalars = obs["scalars"][row]
            action = DESCEND if scalars[SEALED] else self._rows[row].action(obs["planes"][row], scalars)
            if action < 0 or not mask[row, action]:
                action = WAIT if mask[row, WAIT] else int(mask[row].argmax())
            actions[row] = action
        return actions
