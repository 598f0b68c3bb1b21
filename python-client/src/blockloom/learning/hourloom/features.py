"""What a policy is told about a situation and about each of its options."""

from __future__ import annotations

import numpy as np

from blockloom.learning.hourloom.chambers import GATES, LAPS, SPARKS, Chambers, Position
from blockloom.learning.hourloom.grids import Floats, Ints
from blockloom.learning.hourloom.needs import Needs, surplus
from blockloom.learning.hourloom.options import (
    EXIT,
    GATE,
    HOLDS,
    KEYSTONE,
    OPTIONS,
    PLATE,
    PLATES,
    SPARK,
    TARGET_OF,
    Options,
)

KINDS = 4 + HOLDS
_GENERAL, _HOLD = 9, 17
OPTION_FEATURES = KINDS + _GENERAL + _HOLD
_SITUATION, _PASSER = 15, 6
SITUATION_FEATURES = _SITUATION + _PASSER * (LAPS - 1)

_KIND_OF = np.concatenate([[0, 1], np.full(SPARKS, 2), np.full(GATES, 3), np.tile(4 + np.arange(HOLDS), PLATES)])


class Features:
    """Figures about n rows and their options: what the gates of later laps still need, and what is left to do it.

    Attributes:
        options: float32 ``(n, OPTIONS, OPTION_FEATURES)``.
        situation: float32 ``(n, SITUATION_FEATURES)``.
    """

    def __init__(self, chambers: Chambers, at: Position, needs: Needs, options: Options) -> None:
        self._at = at
        self._needs = needs
        self._leaving, self._to_plate = chambers.leaving[at.rows], chambers.to_plate[at.rows]
        self._surplus = surplus(at.budget)
        self.options = self._tell_options(options)
        self.situation = self._tell_situation(options)

    def _tell_options(self, options: Options) -> Floats:
        n = len(options.arrival)
        out = np.zeros((n, OPTIONS, OPTION_FEATURES), np.float32)
        out[:, np.arange(OPTIONS), _KIND_OF] = 1
        more = out[:, :, KINDS:]
        end, doomed = options.end, options.doomed[:, None]
        slack = options.last[:, TARGET_OF] - end
        more[:, :, 0] = options.arrival / 20
        more[:, :, 1] = end / 20
        more[:, :, 2] = np.where(doomed, -1, np.clip(slack / 20, -1, 3))
        more[:, :, 3] = np.where(doomed, -1, np.clip((slack - self._surplus[:, None]) / 10, -2, 3))
        more[:, :, 4] = (self._at.sand[:, None] - end) / 20
        more[:, KEYSTONE, 5], more[:, EXIT, 5], more[:, SPARK:GATE, 5] = 0.25, 0.5, 0.15
        more[:, GATE:PLATE, 5] = 0.25 * (1 + self._needs.two)
        self._look_further(more[:, :, 6:], options)
        self._tell_holds(more[:, PLATE:, _GENERAL:], options.arrival[:, PLATE:], end[:, PLATE:])
        return out

    def _look_further(self, more: Floats, options: Options) -> None:
        """How many plates of gates that are not served can be held after an option, how easily, and how late."""
        turn, needs = self._at.turn[:, None, None], self._needs
        tile = np.maximum(options.target, 0)
        steps = np.take_along_axis(self._to_plate, tile[:, None, :], axis=2).astype(np.int64)  # [n, plates, targets]
        there = options.end[:, :, None] + steps.transpose(0, 2, 1)[:, TARGET_OF]  # [n, options, plates]
        ready = needs.ready.reshape(-1, 1, PLATES)
        since, depth = np.repeat(needs.since, 2, axis=1)[:, None], np.repeat(needs.depth, 2, axis=1)[:, None]
        first = np.maximum(ready, there + turn)
        spare = options.last[:, None, PLATE:] - (first - turn + 2 * depth + 1)
        missing = (needs.wanted & ~needs.served)[:, :, None] & (needs.covered < needs.need[:, :, None])
        missing &= options.target[:, PLATE:].reshape(missing.shape) >= 0
        others = np.broadcast_to(missing.reshape(-1, 1, PLATES), there.shape).copy()
        for plate in range(PLATES):
            others[:, PLATE + HOLDS * plate : PLATE + HOLDS * (plate + 1), plate] = False
        fits = others & (spare >= 0)
        more[:, :, 0] = fits.sum(axis=2) / 3
        more[:, :, 1] = np.clip(np.where(others, spare, -20).max(axis=2) / 10, -2, 2)
        more[:, :, 2] = np.clip(np.where(fits, first - since, 0).max(axis=2) / 10, 0, 3)

    def _tell_holds(self, more: Floats, arrival: Ints, end: Ints) -> None:
        """What a stay on a plate does for the lap that has to pass the gate."""
        shape = len(arrival), GATES, 2, HOLDS
        holds = more.reshape(*shape, _HOLD)
        there, until = arrival.reshape(shape), end.reshape(shape)
        turn, needs = self._at.turn[:, None, None, None], self._needs
        need, since, depth, leaving, ahead, two, served, before = (
            figure[:, :, None, None]
            for figure in (
                needs.need,
                needs.since,
                needs.depth,
                self._leaving,
                needs.ahead,
                needs.two,
                needs.served,
                needs.start,
            )
        )
        window, start = needs.after(there + turn, until + turn)
        done = start < needs.span
        ready = needs.ready[:, :, :, None]
        first = np.maximum(ready, there + turn)
        figures = (
            (until - there) / 20,
            ahead / 5,
            depth / 5,
            two,
            served,
            done,
            np.clip((window - need) / 10, -1, 2),
            np.clip(needs.covered[:, :, ::-1, None] / 20, 0, 1) * two,
            (needs.covered[:, :, ::-1, None] >= need) & two,
            np.clip(needs.covered[:, :, :, None] / 20, 0, 1),
            np.clip((until + turn - first - need + 1) / 10, -1, 2),
            np.clip((first - since) / 10, 0, 3),
            np.where(done, np.clip((start - since) / 10, 0, 3), 0),
            np.where(done, (start + 2 * depth + 1 + leaving) / 40, 0),
            np.where(done & served, (before - start) / 10, 0),
            (ready - since) / 10,
            1,
        )
        for number, figure in enumerate(figures):
            holds[..., number] = figure

    def _tell_situation(self, options: Options) -> Floats:
        at, needs = self._at, self._needs
        reached, doomed = options.possible[:, KEYSTONE], options.doomed
        columns = [
            at.lap / 5,
            at.laps / 6,
            (at.laps - at.lap) / 5,
            at.has_keystone,
            reached,
            reached * options.arrival[:, KEYSTONE] / 20,
            doomed,
            options.patience / 20,
            np.where(doomed, -2, np.clip((options.patience - 1 - self._surplus) / 10, -2, 3)),
            at.sand / 40,
            at.turn / 40,
            (at.sparks >= 0).sum(axis=1) / 6,
            np.minimum(at.chamber, 10) / 10,
            (needs.ahead == 0).any(axis=1),
            at.budget / 50,
        ]
        half = (needs.covered >= needs.need[:, :, None]).sum(axis=2) / 2
        late = np.clip((needs.start - needs.since) / 10, 0, 3) * needs.served
        for laps in range(1, LAPS):
            there = needs.ahead == laps
            for figure in (~needs.served, needs.served, needs.two, half, late, needs.since / 20):
                columns.append((there * figure).sum(axis=1))
        return np.stack(columns, axis=1).astype(np.float32)
