"""Checks a vector's actions before any of them is sent."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom.errors import InvalidArgumentError


class ActionChecker:
    """Turns a caller's actions into int32 over all rows; raises InvalidArgumentError and has changed nothing."""

    def __init__(self, num_envs: int, num_actions: int, batch_size: int) -> None:
        self._num_envs = num_envs
        self._num_actions = num_actions
        self._batch_size = batch_size
        self._all_groups = range(num_envs // batch_size)

    def check(
        self, actions: npt.ArrayLike, env_id: npt.ArrayLike | None, received: npt.NDArray[np.int32] | None
    ) -> tuple[range | list[int], npt.NDArray[np.int32]]:
        """The groups that the actions are for, and the actions by row; entries of other groups mean nothing.

        Args:
            actions: Integers, one for each row of `env_id`.
            env_id: Row numbers; None: all rows, or those of `received` if that is how many actions there are.
            received: The rows that were received last.
        """
        array = np.asarray(actions)
        if array.dtype.kind not in "iu" or array.ndim != 1:
            raise InvalidArgumentError(
                f"actions are {array.dtype} {array.shape}; allowed: integers of one dimension",
                reason="ACTIONS_MISMATCH",
            )
        if env_id is None and len(array) != self._num_envs and received is not None and len(array) == len(received):
            env_id = received
        self._check_range(array, env_id)
        if env_id is None:
            if len(array) != self._num_envs:
                raise InvalidArgumentError(
                    f"actions: expected {self._num_envs}, got {len(array)}", reason="ACTIONS_MISMATCH"
                )
            return self._all_groups, array.astype("<i4")
        rows = self._check_rows(np.asarray(env_id), len(array))
        by_row = np.zeros(self._num_envs, "<i4")
        by_row[rows] = array
        return self._whole_groups(rows), by_row

    def _check_range(self, array: npt.NDArray[Any], env_id: npt.ArrayLike | None) -> None:
        if len(array) and (array.min() < 0 or array.max() >= self._num_actions):
            bad = int(np.flatnonzero((array < 0) | (array >= self._num_actions))[0])
            rows = np.arange(len(array)) if env_id is None else np.asarray(env_id)
            row = rows[bad] if rows.shape == array.shape else "?"
            raise InvalidArgumentError(
                f"the action of row {row} is {array[bad]}; allowed: 0 to {self._num_actions - 1}",
                reason="ACTION_OUT_OF_RANGE",
                metadata={"row": str(row), "action": str(array[bad])},
            )

    def _check_rows(self, rows: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
        if rows.dtype.kind not in "iu" or rows.shape != (count,):
            raise InvalidArgumentError(
                f"env_id is {rows.dtype} {rows.shape}; allowed: {count} row numbers, one for each action"
            )
        if count == 0 or rows.min() < 0 or rows.max() >= self._num_envs or len(np.unique(rows)) != count:
            raise InvalidArgumentError(f"env_id must hold different row numbers from 0 to {self._num_envs - 1}")
        return rows

    def _whole_groups(self, rows: npt.NDArray[Any]) -> list[int]:
        counts = np.bincount(rows // self._batch_size, minlength=len(self._all_groups))
        for group in np.flatnonzero((counts > 0) & (counts < self._batch_size)):
            first = group * self._batch_size
            raise InvalidArgumentError(
                f"env_id names {counts[group]} of the rows {first} to {first + self._batch_size - 1}; they go together"
            )
        return [int(group) for group in np.flatnonzero(counts)]
