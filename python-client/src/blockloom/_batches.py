"""Puts the answers of a vector's parts together as one result."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom._codec import Codec, concatenate
from blockloom._contract import EnvSpec, FinishedEpisode, RowRefusal
from blockloom._groups import Answers
from blockloom._infos import Info, InfoBuilder, add_episode, add_rows, rows_mask
from blockloom.spaces import MASK_KEY

Record = TypeVar("Record", RowRefusal, FinishedEpisode)
Observation = dict[str, npt.NDArray[Any]]
Result = tuple[Observation, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], Info]


class BatchReader:
    """Reads answers of one environment's spec."""

    def __init__(self, spec: EnvSpec, mode: AutoresetMode, *, mask_in_obs: bool, episode_statistics: bool) -> None:
        self.codec = Codec(spec)
        self._infos = InfoBuilder(spec.outcome_names)
        self._same_step = mode is AutoresetMode.SAME_STEP
        self._mask_in_obs = mask_in_obs
        self._episode_statistics = episode_statistics

    def read(self, answers: Answers) -> Result:
        """Observations, rewards, terminations, truncations and infos of consecutive rows."""
        arrays = concatenate([self.codec.arrays(batch, part.remote.num_envs) for part, batch in answers])
        rows, base = len(arrays.rewards), answers[0][0].first
        refusals: list[RowRefusal] = []
        finished: list[FinishedEpisode] = []
        for part, batch in answers:
            shift = part.first - base
            refusals += [_moved(refusal, shift) for refusal in batch.refusals] if shift else batch.refusals
            finished += [_moved(end, shift) for end in batch.finished] if shift else batch.finished
        reset_rows = frozenset(end.row for end in finished) if self._same_step else frozenset[int]()
        info = self._infos.base(rows, arrays.action_masks, arrays.outcomes, refusals, skip=reset_rows)
        if finished:
            self._add_ends(info, rows, answers, finished, refusals)
        if self._mask_in_obs:
            arrays.observation[MASK_KEY] = arrays.action_masks.copy()
        return arrays.observation, arrays.rewards, arrays.terminations, arrays.truncations, info

    def masks(self, answers: Answers) -> npt.NDArray[np.int8]:
        """``[rows, num_actions]``: the masks alone."""
        return np.concatenate([self.codec.masks(batch.action_masks, part.remote.num_envs) for part, batch in answers])

    def _add_ends(
        self,
        info: Info,
        rows: int,
        answers: Answers,
        finished: list[FinishedEpisode],
        refusals: list[RowRefusal],
    ) -> None:
        ended = [end.row for end in finished]
        masks = np.concatenate(
            [self.codec.masks(batch.final_action_masks, len(batch.finished)) for _, batch in answers]
        )
        add_rows(info, "final_action_mask", rows, ended, masks)
        if self._episode_statistics:
            add_episode(info, rows, finished)
        if not self._same_step:
            return
        final_obs = np.full(rows, None, object)
        rows_left = iter(ended)
        for _, batch in answers:
            arrays = self.codec.observations(batch.final_observations, len(batch.finished))
            for i in range(len(batch.finished)):
                final_obs[next(rows_left)] = {name: array[i] for name, array in arrays.items()}
        if self._mask_in_obs:
            for row, mask in zip(ended, masks, strict=True):
                final_obs[row][MASK_KEY] = mask.copy()
        final_info = self._infos.final(rows, self.codec.num_actions, finished, masks, refusals)
        if self._episode_statistics:
            add_episode(final_info, rows, finished)
        info["final_obs"], info["_final_obs"] = final_obs, rows_mask(rows, ended)
        info["final_info"], info["_final_info"] = final_info, rows_mask(rows, ended)


def _moved(record: Record, shift: int) -> Record:
    return msgspec.structs.replace(record, row=record.row + shift)
