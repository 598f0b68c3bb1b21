"""What the rows of an environment have played in their current episodes, kept so that it can be played again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from gymnasium.vector import AutoresetMode

Origin: TypeAlias = "int | tuple[tuple[str, str], ...]"
"""A seed, or the reset options that stood in its place."""

_SHEET = 256  # steps that are kept as they came before they are sorted by row


@dataclass(frozen=True)
class Start:
    """Where an episode began."""

    origin: Origin
    episode: int
    """Its number in the origin's sequence, from 0."""

    @property
    def following(self) -> Start:
        """The episode after this one."""
        return Start(self.origin, self.episode + 1)


@dataclass
class Segment:
    """An episode, or as much of it as was played."""

    start: Start
    entries: bytearray = field(default_factory=bytearray)
    """int32: action numbers, and ``-1 - k`` where ``natives[k]`` was played in this row alone."""
    natives: list[str] = field(default_factory=list)
    """Actions in the rules' own grammar, as JSON."""
    ended: bool = False
    """Whether the episode came to its end; else it is being played, or a reset has cut it short."""


class Journal:
    """The current episode of each row, and with `keep_previous` the one before it.

    Recording a step costs one append; every 256 steps are sorted by row.
    """

    def __init__(self, rows: int, mode: AutoresetMode, *, keep_previous: bool) -> None:
        self._rows = rows
        self._mode = mode
        self._keep_previous = keep_previous
        self._current: list[Segment | None] = [None] * rows
        self._previous: list[Segment | None] = [None] * rows
        self._sheet: list[bytes] = []
        self._fresh = np.zeros(rows, np.int64)
        """``[rows]``: the entry of the sheet from which on a row's current episode is."""
        self._over: set[int] = set()
        """Rows whose episode is over and which were not reset yet."""

    def reset(
        self,
        rows: Sequence[int],
        *,
        seed: int | None = None,
        seeds: Sequence[int] | None = None,
        episodes: Sequence[int] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Rows that were reset: each with the seed `seed` + row, its own of `seeds`, by options, or on to the next."""
        for row in rows:
            segment = self._current[row]
            if options:
                start = Start(tuple(sorted(options.items())), 0)
            elif seeds is not None:
                start = Start(seeds[row], episodes[row] if episodes else 0)
            elif seed is not None:
                start = Start(seed + row, 0)
            elif segment is not None:
                start = segment.start.following
            else:
                return
            self._begin(row, start)

    def step(self, actions: bytes, finished: Sequence[int]) -> None:
        """A step of all rows (int32), and the rows whose episode ended in it."""
        if self._mode is AutoresetMode.NEXT_STEP:
            for row in tuple(self._over):
                self._begin_next(row)
                self._fresh[row] += 1  # the action that resets is not one of the episode
        self._sheet.append(actions)
        for row in finished:
            self._end(row)
        if len(self._sheet) >= _SHEET:
            self._sort()

    def play(self, row: int, native: str, *, ended: bool) -> None:
        """An action that was played in one row alone, and whether the episode ended with it."""
        self._sort()
        segment = self._segment(row)
        segment.natives.append(native)
        segment.entries += np.array(-len(segment.natives), "<i4").tobytes()
        if ended:
            self._end(row)

    def segments(self) -> list[list[Segment]]:
        """What each row has played, oldest first: one or two episodes."""
        self._sort()
        pairs = zip(self._previous, self._current, strict=True)
        return [[segment for segment in pair if segment is not None] for pair in pairs]

    def _end(self, row: int) -> None:
        self._segment(row).ended = True
        if self._mode is AutoresetMode.SAME_STEP:
            self._begin_next(row)
        else:
            self._over.add(row)

    def _begin_next(self, row: int) -> None:
        self._begin(row, self._segment(row).start.following)

    def _begin(self, row: int, start: Start) -> None:
        segment = self._current[row]
        if self._keep_previous and segment is not None:
            segment.entries += b"".join(step[4 * row : 4 * row + 4] for step in self._sheet[self._fresh[row] :])
            self._previous[row] = segment
        self._current[row] = Segment(start)
        self._fresh[row] = len(self._sheet)
        self._over.discard(row)

    def _sort(self) -> None:
        """Moves the steps to the rows that they belong to."""
        steps = len(self._sheet)
        by_row = np.frombuffer(b"".join(self._sheet), "<i4").reshape(steps, self._rows).T
        for row in np.flatnonzero(self._fresh < steps).tolist():
            self._segment(row).entries += by_row[row, self._fresh[row] :].tobytes()
        self._fresh = np.maximum(self._fresh - steps, 0)
        self._sheet.clear()

    def _segment(self, row: int) -> Segment:
        segment = self._current[row]
        if segment is None:
            raise LookupError(f"row {row} was stepped before it was reset")
        return segment
