"""The time limit that Gymnasium keeps to itself.

``gymnasium.make(id, max_episode_steps=...)`` passes that keyword on to no environment: it puts a ``TimeLimit`` around
it. Such a wrapper ends episodes of which the environment thinks that they go on, with a mask that allows actions.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

_RESET = TimeLimit.reset.__code__


def limit_around(env: gymnasium.Env[Any, Any]) -> int:
    """The steps that the ``TimeLimit`` allows whose reset calls the environment's; 0 where there is none.

    A wrapper does not tell the environment about itself, so it is looked for among the callers. It counts only if
    nothing lies between that might give several steps for one: what `gymnasium.make` puts there does not.
    """
    frame = sys._getframe(1)
    limit = 0
    while frame is not None:
        if frame.f_code is _RESET:
            wrapper = frame.f_locals["self"]
            if _stands_around(wrapper, env):
                limit = min(limit or wrapper._max_episode_steps, wrapper._max_episode_steps)
        frame = frame.f_back  # type: ignore[assignment]
    return limit


def _stands_around(wrapper: TimeLimit[Any, Any], env: gymnasium.Env[Any, Any]) -> bool:
    inner = wrapper.env
    while type(inner) in (OrderEnforcing, PassiveEnvChecker, TimeLimit):
        assert isinstance(inner, gymnasium.Wrapper)
        inner = inner.env
    return inner is env
