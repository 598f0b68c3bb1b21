"""Plays episodes again in a new environment, so that each row ends at its own ply.

A step moves all rows. So the rows are aligned at the end: one that has played less waits for longer, taking any legal
action, and is reset to its own episode just in time.

    row 0   reset a  a        a  a  a    five actions played
    row 1   reset ?  ?  reset a  a  a    three, after two steps of waiting
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom._codec import Codec
from blockloom._contract import Batch
from blockloom._journal import Segment, Start
from blockloom._remote import RemoteEnv
from blockloom.errors import BlockloomError

Event: TypeAlias = "Start | str | None"
"""What happens in one row alone: an episode starts (None: the one that follows), or an action in the rules' own
grammar is played."""


@dataclass
class _Programme:
    """What a row does."""

    actions: npt.NDArray[np.int32]
    """Those that go with steps of all rows."""
    events: list[tuple[int, Event]]
    """(number of actions before it, what happens)."""


def play_again(remote: RemoteEnv, rows: Sequence[Sequence[Segment]], mode: AutoresetMode) -> Batch:
    """Brings the rows of a new environment to the end of their episodes; returns what is seen then.

    Args:
        remote: A new environment.
        rows: For each row its episodes, oldest first: at least one.
        mode: Of the environment.
    """
    return _Replaying(remote, [_programme(segments, mode) for segments in rows], mode).run()


def _programme(segments: Sequence[Segment], mode: AutoresetMode) -> _Programme:
    actions: list[npt.NDArray[np.int32]] = []
    events: list[tuple[int, Event]] = []
    count = 0
    before: Segment | None = None
    for segment in segments:
        follows = before is not None and before.start.following == segment.start
        if before is None or not (before.ended and mode is AutoresetMode.SAME_STEP):
            events.append((count, None if follows else segment.start))
        entries = np.frombuffer(bytes(segment.entries), "<i4").astype(np.int32)
        alone = np.flatnonzero(entries < 0)
        events += [(count + int(at) - i, segment.natives[-1 - entries[at]]) for i, at in enumerate(alone)]
        actions.append(entries[entries >= 0])
        count += len(actions[-1])
        before = segment
    return _Programme(np.concatenate(actions), events)


class _Replaying:
    def __init__(self, remote: RemoteEnv, programmes: Sequence[_Programme], mode: AutoresetMode) -> None:
        self._remote = remote
        self._rows = len(programmes)
        self._codec = Codec(remote.spec)
        self._disabled = mode is AutoresetMode.DISABLED
        self._steps = max(len(programme.actions) for programme in programmes)
        self._waits = np.array([self._steps - len(programme.actions) for programme in programmes])
        """``[rows]``: steps before a row's own first action."""
        self._actions = np.zeros((self._steps, self._rows), "<i4")
        self._first: dict[int, Start] = {}
        self._events: dict[int, dict[int, list[Event]]] = {}
        """By the number of steps before, then by row."""
        for row, programme in enumerate(programmes):
            wait = int(self._waits[row])
            self._actions[wait:, row] = programme.actions
            for at, event in programme.events:
                self._events.setdefault(wait + at, {}).setdefault(row, []).append(event)
            first = programme.events[0][1]
            assert isinstance(first, Start)
            self._first[row] = first

    def run(self) -> Batch:
        batch = self._first_reset()
        for step in range(self._steps):
            batch = self._happen(step, batch)
            waiting = self._waits > step
            if waiting.any():
                batch = self._wait(step, waiting, batch)
            batch = self._remote.batch(self._remote.step(self._actions[step].tobytes()))
        return self._happen(self._steps, batch)

    def _first_reset(self) -> Batch:
        """The first reset is of all rows. Rows that begin with it leave no other episode behind them."""
        at_once = self._events.get(0, {})
        lone = [start for row, start in self._first.items() if row in at_once and not isinstance(start.origin, int)]
        if lone:
            common = Start(lone[0].origin, 0)
            batch = self._by_options(common, None)
        else:
            common = None
            batch = self._by_seeds(self._first, None)
        for row, events in at_once.items():
            start = self._first[row]
            if start == common or (common is None and isinstance(start.origin, int)):
                del events[0]
        return batch

    def _happen(self, step: int, batch: Batch) -> Batch:
        """Lets happen what comes before a step."""
        events = self._events.get(step, {})
        while any(events.values()):
            now = {row: own.pop(0) for row, own in events.items() if own}
            batch = self._start({row: event for row, event in now.items() if isinstance(event, Start)}, batch)
            following = [row for row, event in now.items() if event is None]
            if following:
                batch = self._follow(following)
            for row, event in now.items():
                if isinstance(event, str):
                    if not self._remote.play(row, event).ok:
                        raise BlockloomError("an action that was played is not legal any more")
                    batch = self._remote.batch(self._remote.reset(mask=np.zeros(self._rows, np.bool_)))
        return batch

    def _wait(self, step: int, waiting: npt.NDArray[np.bool_], batch: Batch) -> Batch:
        """Fills in legal actions for the rows that wait."""
        if self._disabled:
            flags = np.frombuffer(batch.terminations, np.bool_) | np.frombuffer(batch.truncations, np.bool_)
            over = np.flatnonzero(waiting & flags).tolist()
            batch = self._start({row: self._first[row] for row in over}, batch)
        masks = self._codec.masks(batch.action_masks, self._rows)
        self._actions[step, waiting] = masks[waiting].argmax(axis=1)
        return batch

    def _start(self, starts: Mapping[int, Start], batch: Batch) -> Batch:
        """Starts episodes in some rows."""
        by_origin: dict[object, list[int]] = {}
        for row, start in starts.items():
            by_origin.setdefault(None if isinstance(start.origin, int) else start.origin, []).append(row)
        for origin, rows in by_origin.items():
            mask = np.isin(np.arange(self._rows), rows)
            if origin is None:
                batch = self._by_seeds(starts, mask)
                continue
            batch = self._by_options(starts[rows[0]], mask)
            # Later episodes of such an origin are reached one after the other.
            for episode in range(1, 1 + max(starts[row].episode for row in rows)):
                batch = self._follow([row for row in rows if starts[row].episode >= episode])
        return batch

    def _follow(self, rows: Sequence[int]) -> Batch:
        """Starts the next episodes of some rows' sequences."""
        return self._remote.batch(self._remote.reset(mask=np.isin(np.arange(self._rows), rows)))

    def _by_seeds(self, starts: Mapping[int, Start], mask: npt.NDArray[np.bool_] | None) -> Batch:
        seeds, episodes = [0] * self._rows, [0] * self._rows
        for row, start in starts.items():
            if isinstance(start.origin, int):
                seeds[row], episodes[row] = start.origin, start.episode
        return self._remote.batch(self._remote.reset(seeds=seeds, episodes=episodes, mask=mask))

    def _by_options(self, start: Start, mask: npt.NDArray[np.bool_] | None) -> Batch:
        assert not isinstance(start.origin, int)
        return self._remote.batch(self._remote.reset(options=dict(start.origin), mask=mask))
