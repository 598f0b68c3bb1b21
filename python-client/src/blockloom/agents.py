"""What plays: the one method that an evaluation, a demonstration or a script calls."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from blockloom.errors import InvalidArgumentError

if TYPE_CHECKING:
    from blockloom.vector import BlockloomVectorEnv


class Agent(abc.ABC):
    """Chooses an action for every row of a `BlockloomVectorEnv`.

    An agent may look ahead through the calls of the environment that change nothing (``afterstates``, ``explain``), and
    may keep what it plans for each row. It must notice by what it sees that a row is not where its plan expects it,
    because rows are reset without a word to the agent.
    """

    @abc.abstractmethod
    def act(
        self,
        envs: BlockloomVectorEnv,
        obs: dict[str, npt.NDArray[Any]],
        info: dict[str, Any],
        active: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int32]:
        """Actions for the observation and info that the last reset or step gave.

        Args:
            envs: The environment, unchanged since then.
            obs: Arrays ``(num_envs, ...)``.
            info: As from ``reset`` or ``step``; ``info["action_mask"]`` is int8 ``(num_envs, num_actions)``.
            active: Bool ``(num_envs,)``: rows whose actions matter. Default: all. The others may get any action in
                the space, which saves looking at rows that are over.

        Returns:
            int32 ``(num_envs,)``; legal in every active row that has a legal action.
        """

    def __call__(
        self, envs: BlockloomVectorEnv, obs: dict[str, npt.NDArray[Any]], info: dict[str, Any]
    ) -> npt.NDArray[np.int32]:
        """The same as `act` for all rows, so that an agent is a policy as `blockloom.baselines` makes them."""
        return self.act(envs, obs, info)


class PolicyAgent(Agent):
    """A policy of `blockloom.baselines`, or any function of environment, observation and info, as an agent."""

    def __init__(self, policy: Callable[[Any, Any, Any], Any]) -> None:
        self._policy = policy

    def act(
        self,
        envs: BlockloomVectorEnv,
        obs: dict[str, npt.NDArray[Any]],
        info: dict[str, Any],
        active: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int32]:
        """As in `Agent`. Raises InvalidArgumentError where the policy gives anything but integers."""
        actions = np.asarray(self._policy(envs, obs, info))
        if actions.dtype.kind not in "iu":
            raise InvalidArgumentError(
                f"the policy gave {actions.dtype} {actions.shape}; allowed: integers, one for each row",
                reason="ACTIONS_MISMATCH",
            )
        return actions.astype(np.int32)
