"""Builds the info dictionaries; the keys are the same at reset and at every step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom._contract import FinishedEpisode, RowRefusal

Info = dict[str, Any]


class InfoBuilder:
    """Infos of a vector: arrays over all rows, each with Gymnasium's ``_key`` mask of the rows that have it."""

    def __init__(self, outcome_names: Iterable[str]) -> None:
        self._outcome_names = tuple(outcome_names)

    def base(
        self,
        rows: int,
        action_masks: npt.NDArray[np.int8],
        outcomes: npt.NDArray[np.int32],
        refusals: Iterable[RowRefusal],
        skip: frozenset[int] = frozenset(),
    ) -> Info:
        """What every row has: mask, outcomes, and whether and why its action was refused.

        Args:
            rows: Number of rows.
            action_masks: ``[rows, num_actions]``.
            outcomes: ``[num_outcomes, rows]``.
            refusals: The rows whose action was not legal.
            skip: Rows whose refusal belongs to the episode before.
        """
        illegal = np.zeros(rows, np.bool_)
        reasons = np.full(rows, None, object)
        for refusal in refusals:
            if refusal.row not in skip:
                illegal[refusal.row] = True
                reasons[refusal.row] = refusal.reason
        info: Info = {"action_mask": action_masks}
        info.update(zip(self._outcome_names, outcomes, strict=True))
        info["illegal_action"] = illegal
        info["refusal"] = reasons
        for key in list(info):
            info[f"_{key}"] = np.ones(rows, np.bool_)
        return info

    def final(
        self,
        rows: int,
        num_actions: int,
        finished: list[FinishedEpisode],
        final_masks: npt.NDArray[np.int8],
        refusals: Iterable[RowRefusal],
    ) -> Info:
        """What single environments would have told of the steps that ended their episodes."""
        ended = [episode.row for episode in finished]
        outcomes = np.zeros((len(self._outcome_names), rows), np.int32)
        if ended:
            outcomes[:, ended] = np.array([episode.outcomes for episode in finished], np.int32).T
        ended_set = set(ended)
        info = self.base(
            rows,
            np.zeros((rows, num_actions), np.int8),
            outcomes,
            [refusal for refusal in refusals if refusal.row in ended_set],
        )
        present = rows_mask(rows, ended)
        for key in info:
            if key.startswith("_"):
                info[key] = present.copy()
        add_rows(info, "final_action_mask", rows, ended, final_masks)
        return info


def add_rows(info: Info, key: str, rows: int, which: list[int], values: npt.NDArray[Any]) -> None:
    """Adds an array that only some rows have; zeros elsewhere."""
    array = np.zeros((rows, *values.shape[1:]), values.dtype)
    array[which] = values
    info[key] = array
    info[f"_{key}"] = rows_mask(rows, which)


def add_episode(info: Info, rows: int, finished: list[FinishedEpisode]) -> None:
    """Adds ``episode``: return ``r`` and length ``l`` of the episodes that ended, in Gymnasium's form."""
    returns, lengths = np.zeros(rows, np.float64), np.zeros(rows, np.int64)
    for episode in finished:
        returns[episode.row] = episode.episode_return
        lengths[episode.row] = episode.length
    info["episode"] = {"r": returns, "l": lengths}
    info["_episode"] = rows_mask(rows, [episode.row for episode in finished])


def rows_mask(rows: int, which: list[int]) -> npt.NDArray[np.bool_]:
    """True in the rows named."""
    mask = np.zeros(rows, np.bool_)
    mask[which] = True
    return mask
