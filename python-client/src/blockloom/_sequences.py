"""Which episode of which sequence each row is in, so that rows go on with their own when their server is gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Protocol

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom._channel import Ticket
from blockloom._contract import Batch
from blockloom._journal import Start

_KATHMANDU = timezone(timedelta(hours=5, minutes=45))


class Sequences:
    """The start of each row's current episode, as far as the caller has seen."""

    def __init__(self, rows: int, mode: AutoresetMode) -> None:
        self._mode = mode
        self._named: list[Start | None] = [None] * rows
        """The episode that a row's last reset with a seed or options began."""
        self._later = np.zeros(rows, np.int64)
        """``[rows]``: how many episodes further on the row is."""
        self._over = np.zeros(rows, np.bool_)
        """``[rows]``: whether the episode is over and the next step resets the row."""
        self._stale: set[int] = set()
        """Rows that may be further on than what was seen, because an answer was not taken."""

    @property
    def known(self) -> bool:
        """Whether every row has begun an episode that can be named."""
        return None not in self._named

    @property
    def stale(self) -> bool:
        """Whether some rows may be further on than what was seen."""
        return bool(self._stale)

    def doubt(self) -> None:
        """An answer was not taken: the rows may be further on."""
        self._stale.update(range(len(self._named)))

    def settle(self) -> None:
        """The rows are where they were seen last."""
        self._stale.clear()

    def forget(self) -> None:
        """Rows that may be further on go on as they are, and so cannot be named any more."""
        for row in self._stale:
            self._named[row] = None
        self._stale.clear()

    def starts(self, rows: slice) -> list[Start]:
        """The current episodes of some rows; all must be known."""
        later = self._later[rows].tolist()
        return [
            Start(start.origin, start.episode + more)
            for start, more in zip(self._named[rows], later, strict=True)
            if start is not None
        ]

    def reset(
        self,
        rows: Iterable[int],
        *,
        seed: int | None = None,
        seeds: Sequence[int] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Rows that were reset: to seed ``seed + row``, their own of all ``seeds``, by options, or to the next."""
        lasting_options = tuple(sorted(lasting(options).items())) if options else None
        for row in rows:
            self._over[row] = False
            if lasting_options is not None:
                self._name(row, Start(lasting_options, 0))
            elif seeds is not None:
                self._name(row, Start(seeds[row], 0))
            elif seed is not None:
                self._name(row, Start(seed + row, 0))
            elif row in self._stale:
                self._named[row] = None
            else:
                self._later[row] += 1
            self._stale.discard(row)

    def step(self, rows: range, finished: list[int]) -> None:
        """A step of some rows, and those of them whose episode ended in it."""
        over = self._over[rows.start : rows.stop]
        if self._stale:
            self.reset((rows.start + over.nonzero()[0]).tolist())
        else:
            self._later[rows.start : rows.stop] += over
            over[:] = False
        if not finished:
            return
        if self._mode is AutoresetMode.NEXT_STEP:
            self._over[finished] = True
        elif self._mode is AutoresetMode.SAME_STEP:
            self.reset(finished)

    def end(self, row: int) -> None:
        """A row's episode ended."""
        if self._mode is AutoresetMode.SAME_STEP:
            self.reset([row])
        elif self._mode is AutoresetMode.NEXT_STEP:
            self._over[row] = True

    def stand_at(self, start: Start | None) -> None:
        """The only row was put into an episode without a reset."""
        self._named, self._later[0] = [start], 0
        self._stale.clear()

    def _name(self, row: int, start: Start) -> None:
        self._named[row], self._later[row] = start, 0


class Resettable(Protocol):
    """The part of an environment on a server that is needed to begin episodes."""

    num_envs: int

    def reset(
        self,
        *,
        seeds: Sequence[int] | None = None,
        episodes: Sequence[int] | None = None,
        mask: npt.NDArray[np.bool_] | None = None,
        options: dict[str, str] | None = None,
    ) -> Ticket:
        """Sends a reset."""

    def batch(self, ticket: Ticket) -> Batch:
        """The answer."""


def begin(remote: Resettable, starts: Sequence[Start]) -> Batch:
    """Begins an episode in each row, whatever the rows did before; gives what is seen then."""
    seeds, episodes = [0] * len(starts), [0] * len(starts)
    others: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for row, start in enumerate(starts):
        if isinstance(start.origin, int):
            seeds[row], episodes[row] = start.origin, start.episode
        else:
            others.setdefault(start.origin, []).append(row)
    batch = remote.batch(remote.reset(seeds=seeds, episodes=episodes))
    for options, rows in others.items():
        batch = remote.batch(remote.reset(options=dict(options), mask=_rows_mask(len(starts), rows)))
        # Later episodes of such a sequence are reached one after the other.
        for episode in range(1, 1 + max(starts[row].episode for row in rows)):
            later = [row for row in rows if starts[row].episode >= episode]
            batch = remote.batch(remote.reset(mask=_rows_mask(len(starts), later)))
    return batch


def lasting(options: Mapping[str, str]) -> dict[str, str]:
    """Reset options that mean the same tomorrow."""
    today = datetime.now(_KATHMANDU).date().isoformat()
    return {name: today if (name, value) == ("daily", "today") else value for name, value in options.items()}


def _rows_mask(count: int, rows: Iterable[int]) -> npt.NDArray[np.bool_]:
    mask = np.zeros(count, np.bool_)
    mask[list(rows)] = True
    return mask
