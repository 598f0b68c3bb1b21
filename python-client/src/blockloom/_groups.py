"""How the rows of a vector are laid out over servers and groups, and the requests that are on their way."""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from blockloom._address import Address
from blockloom._channel import Ticket
from blockloom._contract import Batch
from blockloom._remote import RemoteEnv, is_uncertain
from blockloom._resume import ResumingEnv
from blockloom._sequences import Sequences, begin
from blockloom._settings import Settings
from blockloom.errors import BlockloomError


@dataclass
class Part:
    """Consecutive rows of one group that live on one server."""

    remote: RemoteEnv | ResumingEnv
    first: int
    """The first row."""
    last: Batch | None = None
    """The last answer."""

    @property
    def rows(self) -> slice:
        """Its rows in arrays over all rows."""
        return slice(self.first, self.first + self.remote.num_envs)


Note = Callable[[Batch], None]
"""Writes down what an answer tells of the rows' sequences."""
Answers = list[tuple[Part, Batch]]


def plan(num_envs: int, num_shards: int, batch_size: int) -> list[list[tuple[int, int, int]]]:
    """For each group its pieces, as (shard, first row, rows).

    Shards are as even as can be; group g has the rows from ``g * batch_size`` on. A group that spans a border
    between shards has a piece in each.
    """
    starts = [shard * num_envs // num_shards for shard in range(num_shards + 1)]
    groups = []
    for first in range(0, num_envs, batch_size):
        last = first + batch_size
        pieces = []
        for shard in range(num_shards):
            low, high = max(first, starts[shard]), min(last, starts[shard + 1])
            if low < high:
                pieces.append((shard, low, high - low))
        groups.append(pieces)
    return groups


class Groups:
    """The environments on the servers, in groups that are stepped in turn."""

    def __init__(
        self, addresses: Sequence[Address], settings: Settings, num_envs: int, batch_size: int, sequences: Sequences
    ) -> None:
        self._groups: list[list[Part]] = []
        self._inflight: deque[tuple[int, list[tuple[Part, Ticket, Note]]]] = deque()
        self._sequences = sequences
        kind = ResumingEnv if settings.resume else RemoteEnv
        try:
            for pieces in plan(num_envs, len(addresses), batch_size):
                self._groups.append([])
                for shard, first, rows in pieces:
                    self._groups[-1].append(Part(kind(addresses[shard], settings, rows), first))
        except BaseException:
            for group in self._groups:
                for part in group:
                    part.remote.close()
            raise
        self.parts = [part for group in self._groups for part in group]
        """All parts, by row."""
        self.torn = False
        """Whether a request was refused by some servers and done by others."""
        self._firsts = [part.first for part in self.parts]

    def __len__(self) -> int:
        """The number of groups."""
        return len(self._groups)

    @property
    def usable(self) -> bool:
        """Whether every part is still there, as far as we know."""
        return all(part.remote.usable for part in self.parts)

    @property
    def inflight(self) -> list[int]:
        """The groups that were sent something and not yet received, oldest first."""
        return [group for group, _ in self._inflight]

    def find(self, row: int) -> tuple[Part, int]:
        """The part of a row, and the row's number within it."""
        part = self.parts[bisect.bisect_right(self._firsts, row) - 1]
        return part, row - part.first

    def send_step(self, group: int, actions: npt.NDArray[np.int32]) -> None:
        """Sends a group its actions; `actions` is over all rows."""
        tickets: list[tuple[Part, Ticket, Note]] = [
            (part, part.remote.step(actions[part.rows].tobytes()), partial(self._stepped, part))
            for part in self._groups[group]
        ]
        self._inflight.append((group, tickets))

    def send_reset(
        self,
        *,
        base_seed: int | None,
        seeds: Sequence[int] | None,
        mask: npt.NDArray[np.bool_] | None,
        options: dict[str, str],
    ) -> None:
        """Sends every group its part of a reset: ``base_seed`` gives row i ``base_seed + i``."""
        for number, group in enumerate(self._groups):
            tickets: list[tuple[Part, Ticket, Note]] = []
            for part in group:
                ticket = part.remote.reset(
                    seed=None if base_seed is None else base_seed + part.first,
                    seeds=None if seeds is None else seeds[part.rows],
                    mask=None if mask is None else mask[part.rows],
                    options=options,
                )
                rows = np.arange(part.rows.start, part.rows.stop)
                if mask is not None:
                    rows = rows[mask[part.rows]]
                note = partial(self._was_reset, rows.tolist(), base_seed, seeds, options)
                tickets.append((part, ticket, note))
            self._inflight.append((number, tickets))

    def begin_again(self) -> None:
        """Begins the current episode of every row anew."""
        for part in self.parts:
            begin(part.remote, self._sequences.starts(part.rows))
        self._sequences.settle()

    def receive(self) -> tuple[int, Answers]:
        """Waits for the group that was sent first. All its answers are taken before an error is raised."""
        group, tickets = self._inflight.popleft()
        answers: Answers = []
        failure: BlockloomError | None = None
        for part, ticket, note in tickets:
            try:
                part.last = part.remote.batch(ticket)
                note(part.last)
                answers.append((part, part.last))
            except BlockloomError as error:
                failure = failure or error
                if is_uncertain(error):
                    break
        if failure is not None:
            self.torn = self.torn or bool(answers)
            raise failure
        return group, answers

    def abandon(self) -> None:
        """Forgets what is on its way; the answers are dropped when they come."""
        if self._inflight:
            self._sequences.doubt()
        self._inflight.clear()

    def refresh(self, part: Part) -> Batch:
        """Asks for a part's rows as they are now."""
        unchanged = np.zeros(part.remote.num_envs, np.bool_)
        part.last = part.remote.batch(part.remote.reset(mask=unchanged))
        return part.last

    def _stepped(self, part: Part, batch: Batch) -> None:
        rows = range(part.rows.start, part.rows.stop)
        self._sequences.step(rows, [part.first + end.row for end in batch.finished])

    def _was_reset(
        self, rows: list[int], seed: int | None, seeds: Sequence[int] | None, options: dict[str, str], _: Batch
    ) -> None:
        self._sequences.reset(rows, seed=seed, seeds=seeds, options=options)

    def close(self) -> None:
        """Frees everything. A second time does nothing."""
        self.abandon()
        for part in self.parts:
            part.remote.close()
