"""What the rules really accept: identical episodes in as many rows as there are actions, each row trying one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom._contract import EnvSpec
from blockloom.env import BlockloomEnv
from blockloom.errors import BlockloomError
from blockloom.vector import BlockloomVectorEnv

_SHARED = ("token", "tls", "tls_client", "timeout_s", "wire_encoding")


@dataclass(frozen=True)
class Trial:
    """What steps did in a position."""

    legal: npt.NDArray[np.bool_]
    """``[num_actions]``: whether a step accepted the action; none where the game is over."""
    reasons: list[str | None]
    """``[num_actions]``: why not."""
    over: bool
    """Whether the game is over."""


class Truth:
    """Positions of a game, brought about anew and tried out."""

    def __init__(self, spec: EnvSpec, arguments: Mapping[str, Any]) -> None:
        keywords: dict[str, Any] = {name: arguments[name] for name in _SHARED}
        server = arguments["server"]
        keywords["server"] = server if server is None or isinstance(server, str) else server[0]
        self._keywords: dict[str, Any] = {"game_id": spec.game_id, **keywords, **spec.config}
        self._rows = spec.num_actions
        self._envs = BlockloomVectorEnv(num_envs=self._rows, autoreset_mode="disabled", **self._keywords)

    def close(self) -> None:
        """Frees the rows."""
        self._envs.close()

    def at(self, seed: int, actions: Sequence[int]) -> Trial | int:
        """Tries every action after `actions` of an episode; an int: the ply of the first that is not legal."""
        _, infos = self._envs.reset(seed=[seed] * self._rows)
        over = np.zeros(self._rows, np.bool_)
        for ply, action in enumerate(actions):
            if over[0]:
                return ply
            _, _, over, _, infos = self._envs.step(np.full(self._rows, action))
            if infos["illegal_action"][0]:
                return ply
        if over[0]:
            return Trial(np.zeros(self._rows, np.bool_), ["episode_over"] * self._rows, over=True)
        infos = self._envs.step(np.arange(self._rows))[4]
        return Trial(~infos["illegal_action"], infos["refusal"].tolist(), over=False)

    def replay(self, seed: int, actions: Sequence[int]) -> str:
        """The episode as a replay; where the server gives none, its seed and action numbers."""
        env = BlockloomEnv(record=True, **self._keywords)
        try:
            env.reset(seed=seed)
            for action in actions:
                env.step(action)
            env.reset(seed=seed)
            return env.save_replay()
        except BlockloomError:
            return f"seed {seed}, actions {list(actions)}"
        finally:
            env.close()
