"""The environments whose masks are audited: single and vector ones, wrapped or not, seen as rows that play."""

from __future__ import annotations

import abc
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom.env import BlockloomEnv
from blockloom.errors import IllegalActionError, InvalidArgumentError
from blockloom.spaces import MASK_KEY
from blockloom.vector import BlockloomVectorEnv

Mask = npt.NDArray[np.bool_]


@dataclass
class Standing:
    """A row as the environment shows it."""

    seed: int
    """The game seed of the episode."""
    actions: list[int] = field(default_factory=list)
    """What was played since it began."""
    masks: dict[str, Mask] = field(default_factory=dict)
    """The masks of this position, by where they were read."""
    constant: bool | None = None
    """What all actions of the masks must be, where that is not a matter of the rules: in a row that is finished."""
    final: Mask | None = None
    """The mask that the environment shows of the end, if this is one."""
    cut: bool = False
    """Whether a time limit has ended the episode."""
    refused: str | None = None
    """Why the last action was not accepted, if it was not."""

    @property
    def over(self) -> bool:
        """Whether the episode is over."""
        return self.cut or self.constant is not None

    @property
    def mask(self) -> Mask:
        """One of the masks."""
        return next(iter(self.masks.values()))


def episode_seed(seed: int, episode: int) -> int:
    """The game seed of an episode of a row that was given a seed."""
    if episode == 0:
        return seed
    digest = hashlib.sha256(f"blockloom:{seed}:{episode}".encode()).digest()
    return int.from_bytes(digest[:8], "big") & (2**63 - 1)


class Audited(abc.ABC):
    """Rows that can be reset and stepped."""

    rows: int
    num_actions: int

    @abc.abstractmethod
    def begin(self, seeds: Sequence[int]) -> list[Standing]:
        """Starts episode 0 of the seeds, one a row."""

    @abc.abstractmethod
    def step(self, standings: Sequence[Standing], actions: Sequence[int]) -> list[list[Standing]]:
        """Plays one action in each row; gives what each row shows: two positions where one episode follows another."""


def audited(env: Any) -> tuple[Audited, BlockloomEnv | BlockloomVectorEnv]:
    """An environment to audit, and the one of this package inside its wrappers."""
    base = getattr(env, "unwrapped", None)
    if isinstance(base, BlockloomEnv):
        return _AuditedEnv(env, base), base
    if isinstance(base, BlockloomVectorEnv):
        return _AuditedVector(env, base), base
    raise InvalidArgumentError(f"{type(env).__name__} holds no environment of this package")


class _AuditedEnv(Audited):
    def __init__(self, env: gymnasium.Env[Any, Any], base: BlockloomEnv) -> None:
        self._env = env
        self.rows, self.num_actions = 1, base.game_spec.num_actions

    def begin(self, seeds: Sequence[int]) -> list[Standing]:
        observation, info = self._env.reset(seed=seeds[0])
        return [Standing(seeds[0], [], self._masks(observation, info))]

    def step(self, standings: Sequence[Standing], actions: Sequence[int]) -> list[list[Standing]]:
        before = standings[0]
        after = Standing(before.seed, [*before.actions, actions[0]])
        try:
            observation, _, terminated, truncated, info = self._env.step(actions[0])
        except IllegalActionError as error:
            after.refused, after.masks = error.reason, before.masks
            return [[after]]
        after.refused = info["refusal"]
        after.masks = self._masks(observation, info)
        if terminated or truncated:
            final = info.get("final_action_mask")
            after.final = None if final is None else final != 0
            after.cut = truncated and not terminated
            # A limit that a wrapper sets is not known inside: there the mask goes on being the game's own.
            after.constant = None if final is None else False
        return [[after]]

    def _masks(self, observation: Any, info: Mapping[str, Any]) -> dict[str, Mask]:
        masks = {
            "info['action_mask']": info["action_mask"],
            "action_masks()": self._env.get_wrapper_attr("action_masks")(),
        }
        if isinstance(observation, Mapping) and MASK_KEY in observation:
            masks["observation['action_mask']"] = observation[MASK_KEY]
        return {name: np.array(mask) != 0 for name, mask in masks.items()}


class _AuditedVector(Audited):
    def __init__(self, envs: Any, base: BlockloomVectorEnv) -> None:
        self._envs = envs
        self._mode = base.autoreset_mode
        self.rows, self.num_actions = base.num_envs, base.game_spec.num_actions
        self._origins: list[tuple[int, int]] = []
        """``[rows]``: seed and number of the current episode."""

    def begin(self, seeds: Sequence[int]) -> list[Standing]:
        observation, infos = self._envs.reset(seed=list(seeds))
        self._origins = [(seed, 0) for seed in seeds]
        return [Standing(seed, [], self._masks(observation, infos, row)) for row, seed in enumerate(seeds)]

    def step(self, standings: Sequence[Standing], actions: Sequence[int]) -> list[list[Standing]]:
        over = [standing.constant is not None for standing in standings]
        if self._mode is AutoresetMode.DISABLED and any(over):
            observation, infos = self._envs.reset(options={"reset_mask": np.array(over)})
            return [
                [self._next(row, observation, infos)] if over[row] else [standing]
                for row, standing in enumerate(standings)
            ]
        try:
            observation, _, terminations, truncations, infos = self._envs.step(np.array(actions))
        except IllegalActionError as error:
            row = int(error.metadata["row"])
            before = standings[row]
            refused = Standing(before.seed, [*before.actions, actions[row]], before.masks, refused=error.reason)
            return [[refused] if other == row else [standing] for other, standing in enumerate(standings)]
        shown = []
        for row, before in enumerate(standings):
            if over[row]:
                shown.append([self._next(row, observation, infos)])
                continue
            after = Standing(before.seed, [*before.actions, actions[row]], self._masks(observation, infos, row))
            after.refused = infos["refusal"][row]
            shown.append([after])
            if terminations[row] or truncations[row]:
                after.cut = bool(truncations[row])
                after.final = infos["final_action_mask"][row] != 0
                shown[-1] = self._at_the_end(row, after, observation, infos)
        return shown

    def _at_the_end(self, row: int, after: Standing, observation: Any, infos: Mapping[str, Any]) -> list[Standing]:
        if self._mode is not AutoresetMode.SAME_STEP:
            after.constant = self._mode is AutoresetMode.NEXT_STEP
            return [after]
        after.refused = infos["final_info"]["refusal"][row]
        after.masks, after.constant = {"final_info['action_mask']": infos["final_info"]["action_mask"][row] != 0}, False
        return [after, self._next(row, observation, infos)]

    def _next(self, row: int, observation: Any, infos: Mapping[str, Any]) -> Standing:
        seed, episode = self._origins[row]
        self._origins[row] = (seed, episode + 1)
        return Standing(episode_seed(seed, episode + 1), [], self._masks(observation, infos, row))

    def _masks(self, observation: Any, infos: Mapping[str, Any], row: int) -> dict[str, Mask]:
        masks = {
            "infos['action_mask']": infos["action_mask"][row],
            "action_masks()": self._envs.unwrapped.action_masks()[row],
        }
        if isinstance(observation, Mapping) and MASK_KEY in observation:
            masks["observations['action_mask']"] = observation[MASK_KEY][row]
        return {name: np.array(mask) != 0 for name, mask in masks.items()}
