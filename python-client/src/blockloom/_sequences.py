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
        self._current: list[Start | None] = [None] * rows
        self._over: set[int] = set()
        """Rows whose episode is over and which the next step resets."""
        self._stale: set[int] = set()
        """Rows that may be further on than what was seen, because an answer was not taken."""

    @property
    def known(self) -> bool:
        """Whether every row has begun an episode that can be named."""
        return None not in self._current

    @property
    def stale(self) -> bool:
        """Whether some rows may be further on than what was seen."""
        return bool(self._stale)

    def doubt(self) -> None:
        """An answer was not taken: the rows may be further on."""
        self._stale.update(range(len(self._current)))

    def settle(self) -> None:
        """The rows are where they were seen last."""
        self._stale.clear()

    def forget(self) -> None:
        """Rows that may be further on go on as they are, and so cannot be named any more."""
        for row in self._stale:
            self._current[row] = None
        self._stale.clear()

    def starts(self, rows: slice) -> list[Start]:
        """The current episodes of some rows; all must be known."""
        return [start for start in self._current[rows] if start is not None]

    def reset(
        self,
        rows: Iterable[int],
        *,
        seed: int | None = None,
        seeds: Sequence[int] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Rows that were reset: to seed ``seed + row``, their own of all ``seeds``, by options, or to the next."""
        for row in rows:
            self._over.discard(row)
            current = self._current[row]
            if options:
                self._current[row] = Start(tuple(sorted(lasting(options).items())), 0)
            elif seeds is not None:
                self._current[row] = Start(seeds[row], 0)
            elif seed is not None:
                self._current[row] = Start(seed + row, 0)
            elif row in self._stale:
                self._current[row] = None
            elif current is not None:
                self._current[row] = current.following
            self._stale.discard(row)

    def step(self, rows: range, finished: Iterable[int]) -> None:
        """A step of some rows, and those of them whose episode ended in it."""
        if self._over:
            self.reset([row for row in self._over if row in rows])
        for row in finished:
            self.end(row)

    def end(self, row: int) -> None:
        """A row's episode ended."""
        if self._mode is AutoresetMode.SAME_STEP:
            self.reset([row])
        elif self._mode is AutoresetMode.NEXT_STEP:
            self._over.add(row)

    def stand_at(self, start: Start | None) -> None:
        """The only row was put into an episode without a reset."""
        self._current = [start]
        self._stale.clear()


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
