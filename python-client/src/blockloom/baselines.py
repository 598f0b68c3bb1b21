"""Players to compare an agent with: random legal actions, greedy ones, and a script that seals Hourloom's chambers.

    policy = blockloom.baselines.make("Stackcraft-v1")
    observation, info = envs.reset(seed=7)
    observation, *_, info = envs.step(policy(envs, observation, info))

They see what any player sees; the greedy ones ask for the boards that the legal placements lead to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from blockloom._afterstates import Afterstates
from blockloom.errors import InvalidArgumentError
from blockloom.learning.shapes import SHAPES, anchor_counts, row_bits
from blockloom.sampling import sample

Policy: TypeAlias = Callable[[Any, Mapping[str, Any], Mapping[str, Any]], Any]
"""``policy(envs, observation, info)`` gives int64 ``(num_envs,)``, or an int for a single environment. A row without a
legal action gets 0."""

Ints = npt.NDArray[np.int64]
Rank: TypeAlias = Callable[[Afterstates, Mapping[str, npt.NDArray[Any]]], list[Ints]]
"""What to prefer, most important first: ``[n]`` for each of the n afterstates. The observation is batched."""

NAMES = ("random", "greedy", "scripted")
"""The baselines; random plays every game."""


def make(game_id: str, name: str | None = None, *, seed: int | None = None) -> Policy:
    """A baseline for a game.

    Args:
        game_id: The game, such as ``"Stackcraft-v1"``.
        name: ``"random"``; ``"greedy"`` in the games of placements; ``"scripted"`` in Hourloom. None: ``"greedy"`` in
            the games of placements, else ``"random"``.
        seed: Of ``"random"``; None: from the system's entropy. The others draw nothing.

    Raises:
        InvalidArgumentError: There is no such baseline for this game.
    """
    game = game_id.removeprefix("blockloom/")
    rank = _RANKS.get(game)
    if name == "random" or (name is None and rank is None):
        return random_legal(seed)
    if name in (None, "greedy") and rank is not None:
        return functools.partial(_greedy, rank)
    if name == "scripted" and game == "Hourloom-v1":
        from blockloom.scripted import Scripted

        return Scripted()
    known = ", ".join(_RANKS)
    raise InvalidArgumentError(
        f"no baseline {name!r} for {game_id}; allowed: random, greedy for {known}, and scripted for Hourloom-v1"
    )


def random_legal(seed: int | None = None) -> Policy:
    """Every legal action is equally likely."""
    rng = np.random.default_rng(seed)
    return lambda envs, observation, info: sample(info["action_mask"], rng)


def stackcraft_rank(after: Afterstates, observation: Mapping[str, npt.NDArray[Any]]) -> list[Ints]:
    """The heuristic published with Stackcraft.

    Minus the aggregate height, minus 4 for each hole, minus the bumpiness, plus 8 for each line cleared. A column's
    height counts from its highest filled cell, a hole is an empty cell below it, and the bumpiness is the sum of the
    differences between the heights of neighbouring columns.
    """
    filled = after.boards != 0
    heights = np.where(filled.any(axis=1), filled.shape[1] - filled.argmax(axis=1), 0).astype(np.int64)
    holes = heights.sum(axis=1) - filled.sum(axis=(1, 2))
    bumpiness = np.abs(np.diff(heights, axis=1)).sum(axis=1)
    return [-heights.sum(axis=1) - 4 * holes - bumpiness + 8 * after.lines.astype(np.int64)]


def tray_rank(after: Afterstates, observation: Mapping[str, npt.NDArray[Any]]) -> list[Ints]:
    """Most points; among equals most placements left.

    These are the anchors at which a piece still to be dealt would fit on the board after the placement: summed over the
    catalogue, each piece counted by the weight with which it is dealt.
    """
    points = after.rewards.astype(np.int64)
    best = first_best([points], after.row_offsets, only_first=False)
    left = np.zeros(len(points), np.int64)
    left[best] = _placements_left(after, observation, best)
    return [points, left]


def first_best(keys: list[Ints], row_offsets: npt.NDArray[np.int32], *, only_first: bool = True) -> Ints:
    """The entries that are best by the first key, among equals by the second and so on, ascending.

    Args:
        keys: ``[n]`` each.
        row_offsets: ``[rows + 1]``: entries ``row_offsets[i]`` up to ``row_offsets[i + 1]`` belong to row i.
        only_first: Whether to give the first one of each row only. A row without entries gives none.
    """
    rows = np.repeat(np.arange(len(row_offsets) - 1), np.diff(row_offsets))
    best = np.arange(len(rows))
    for key in keys:
        own = rows[best]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        highest = np.maximum.reduceat(key[best], starts) if len(starts) else key[best]
        best = best[key[best] == np.repeat(highest, np.diff(starts, append=len(own)))]
    return best[np.diff(rows[best], prepend=-1) > 0] if only_first else best


def _placements_left(after: Afterstates, observation: Mapping[str, npt.NDArray[Any]], entries: Ints) -> Ints:
    size = after.boards.shape[1]
    counts = anchor_counts(row_bits(after.boards[entries]), size).astype(np.int64)
    if size == 8:
        weights = _WEIGHTS_8[None]
    else:
        rows = np.searchsorted(after.row_offsets, entries, side="right") - 1
        scores = observation["score"][rows, 0] + after.rewards[entries]
        weights = _WEIGHTS_10[np.searchsorted(_BANDS_10, scores, side="right")]
    left: Ints = (counts * weights).sum(axis=1)
    return left


def _weights_8() -> Ints:
    """``[37]``: how often each piece is dealt by its cells, in Lumen Blocks and Block Puzzle 8x8."""
    cells = np.array([shape.count("#") for shape in SHAPES[8]])
    return np.select([cells <= 3, cells == 4, cells <= 6], [4, 3, 2], 1).astype(np.int64)


def _weights_10() -> Ints:
    """``[3, 19]``: how often each piece is dealt in Block Puzzle 10x10, in eighths, by the band of the score."""
    families = np.array(
        [[3, 4, 4, 2, 1, 4, 0.5, 4, 1], [2, 3, 3, 3, 2, 3, 1.5, 3, 2.5], [1, 2, 3, 3, 3, 3, 2, 2, 3.5]],
    )
    pieces = np.array([1, 2, 2, 2, 2, 1, 1, 4, 4])
    return np.repeat(8 * families / pieces, pieces, axis=1).astype(np.int64)


_WEIGHTS_8 = _weights_8()
_WEIGHTS_10 = _weights_10()
_BANDS_10 = np.array([300, 1500])


def _greedy(rank: Rank, envs: Any, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
    mask = np.asarray(info["action_mask"])
    single = mask.ndim == 1
    if single:
        observation, mask = {name: np.asarray(array)[None] for name, array in observation.items()}, mask[None]
    after: Afterstates = envs.unwrapped.afterstates()
    # Without a placement the lowest legal action is taken: a new set, the end of the game, or any that resets.
    actions = mask.argmax(axis=1)
    best = first_best(rank(after, observation), after.row_offsets)
    actions[np.searchsorted(after.row_offsets, best, side="right") - 1] = after.actions[best]
    return int(actions[0]) if single else actions


_RANKS: dict[str, Rank] = {
    "Stackcraft-v1": stackcraft_rank,
    "LumenBlocks-v1": tray_rank,
    "BlockPuzzle8-v1": tray_rank,
    "BlockPuzzle10-v1": tray_rank,
}
