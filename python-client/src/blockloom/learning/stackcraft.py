"""A player of Stackcraft: a weighted sum of features of the board after one placement, or after two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from blockloom._afterstates import Afterstates
from blockloom.agents import Agent
from blockloom.learning.shapes import row_bits
from blockloom.learning.tray import best_of_rows

if TYPE_CHECKING:
    from blockloom.vector import BlockloomVectorEnv

GAME = "Stackcraft-v1"
ROWS, COLUMNS = 20, 10
FULL = np.uint16((1 << COLUMNS) - 1)

SCALES = {
    "row_transitions": 10.0,
    "column_transitions": 10.0,
    "holes": 3.0,
    "wells": 10.0,
    "hole_depth": 5.0,
    "rows_with_holes": 3.0,
    "height": 5.0,
    "ready_rows": 2.0,
    "aggregate_height": 50.0,
    "bumpiness": 8.0,
    "over_ten": 20.0,
    "deepest_well": 4.0,
    "landing_height": 10.0,
    "eroded_cells": 4.0,
    "points": 400.0,
    "lines": 2.0,
}
"""The features in order, and what each is divided by so that their weights are of one size.

The first twelve are of the board, as ``src/games/stackcraft/features.ts`` says; the others of the placements.
"""
DEAD = -1e9


def board_features(boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """int32 ``(n, 12)``: the first twelve features of boards ``(n, 20, 10)``."""
    filled = row_bits(boards)
    covered = np.bitwise_or.accumulate(filled, axis=1)
    reached = covered != 0
    walled = (filled << np.uint16(1)) | np.uint16(1 | 1 << (COLUMNS + 1))
    changes = (walled ^ (walled >> np.uint16(1))) & np.uint16((1 << (COLUMNS + 1)) - 1)
    below = np.full_like(filled, FULL)
    below[:, :-1] = filled[:, 1:]
    holes = covered & ~filled
    deeper = np.zeros_like(holes)
    deeper[:, :-1] = np.bitwise_or.accumulate(holes[:, ::-1], axis=1)[:, ::-1][:, 1:]
    height = reached.sum(axis=1)
    wells, deepest, ready = _wells(filled, covered)
    over = np.maximum(0, height - 10)
    columns = [
        _bits(changes * reached),
        _bits((filled ^ below) * reached),
        _bits(holes),
        wells,
        _bits(filled & deeper),
        (holes != 0).sum(axis=1),
        height,
        ready,
        _bits(covered),
        _bits((covered ^ (covered >> np.uint16(1))) & (FULL >> np.uint16(1))),
        over * over,
        deepest,
    ]
    return np.stack(columns, axis=1).astype(np.int32)


def _bits(words: npt.NDArray[np.uint16]) -> npt.NDArray[Any]:
    return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.int32))


def _wells(
    filled: npt.NDArray[np.uint16], covered: npt.NDArray[np.uint16]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """The sum of the depths of all well cells, the deepest, and the most rows that lack one open column only."""
    sides = ((filled << np.uint16(1)) | np.uint16(1)) & ((filled >> np.uint16(1)) | np.uint16(1 << (COLUMNS - 1)))
    cells = ~covered & FULL & sides
    total = np.zeros(len(filled), np.int32)
    deepest = np.zeros(len(filled), np.int32)
    run = cells
    depth = 1
    while run.any():
        total += _bits(run)
        deepest[run.any(axis=1)] = depth
        longer = np.zeros_like(run)
        longer[:, 1:] = cells[:, 1:] & run[:, :-1]
        run = longer
        depth += 1
    lacking = np.where(np.bitwise_count(~filled & FULL) == 1, cells, np.uint16(0))
    ready = np.zeros(len(filled), np.int32)
    if lacking.any():
        for column in range(COLUMNS):
            np.maximum(ready, (lacking == np.uint16(1 << column)).sum(axis=1), out=ready)
    return total, deepest, ready


def features(found: Afterstates) -> npt.NDArray[np.float64]:
    """float64 ``(n, 16)``: the scaled features of sequences, in the order of `SCALES`."""
    own: list[npt.NDArray[Any]] = [
        found.figures["landing_height"],
        found.figures["eroded_cells"],
        found.rewards,
        found.lines,
    ]
    values = np.concatenate([board_features(found.boards), np.stack(own, axis=1)], axis=1)
    scaled: npt.NDArray[np.float64] = values / np.array(list(SCALES.values()))
    return scaled


def choose(
    envs: BlockloomVectorEnv,
    rows: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    *,
    beam_width: int,
    depth: int,
) -> npt.NDArray[np.int32]:
    """The best first action of each row, which has one; `weights` is ``(16,)``, or ``(rows, 16)``: one set a row."""
    found = envs.afterstates(beam_width=beam_width, depth=depth, rows=rows)
    values = features(found)
    if weights.ndim == 1:
        ranks = values @ weights
    else:
        ranks = np.einsum("nf,nf->n", values, np.repeat(weights, np.diff(found.row_offsets), axis=0))
    # A sequence that could not be finished ends the game.
    ranks = np.where(found.sequences[:, depth - 1] < 0, DEAD, ranks)
    best, _ = best_of_rows(found, ranks)
    return np.asarray(found.actions[best], np.int32)


class StackcraftAgent(Agent):
    """Plays the placement, or the first of two, that leads to the highest weighted sum of features.

    Args:
        weights: float64 ``(16,)``, in the order of `SCALES`.
        depth: 1: the current piece; 2: the next piece too.
        beam_width: Sequences to choose from; 34 are all placements of one piece.
    """

    def __init__(self, weights: npt.NDArray[np.float64], *, depth: int = 2, beam_width: int = 34) -> None:
        self.weights = weights
        self._search = {"depth": depth, "beam_width": beam_width}

    @classmethod
    def load(cls, path: str | Path, **settings: Any) -> StackcraftAgent:
        """The agent of a file that `train_stackcraft` wrote; `settings` replace the file's."""
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        weights = np.array([stored["weights"][name] for name in SCALES])
        return cls(weights, **{"depth": stored["depth"], "beam_width": stored["beam_width"], **settings})

    def act(
        self,
        envs: BlockloomVectorEnv,
        obs: dict[str, npt.NDArray[Any]],
        info: dict[str, Any],
        active: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int32]:
        """As in `Agent`."""
        actions = np.zeros(envs.num_envs, np.int32)
        # A finished row accepts anything, the rotations that no piece has too.
        wanted = info["action_mask"].any(axis=1) & ~info["action_mask"].all(axis=1)
        if active is not None:
            wanted &= active
        rows = np.flatnonzero(wanted)
        if len(rows):
            actions[rows] = choose(envs, rows, self.weights, **self._search)
        return actions
