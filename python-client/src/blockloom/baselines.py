"""Players to compare an agent with: random legal actions, and greedy ones that look one placement ahead.

    policy = blockloom.baselines.make("Stackcraft-v1")
    observation, info = envs.reset(seed=7)
    observation, *_, info = envs.step(policy(envs, observation, info))

The greedy players see what any player sees: they ask for the boards that the legal placements lead to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from blockloom._afterstates import Afterstates
from blockloom.errors import InvalidArgumentError
from blockloom.sampling import sample

Policy: TypeAlias = Callable[[Any, Mapping[str, Any], Mapping[str, Any]], Any]
"""``policy(envs, observation, info)`` gives int64 ``(num_envs,)``, or an int for a single environment. A row without a
legal action gets 0."""

Ints = npt.NDArray[np.int64]
Rank: TypeAlias = Callable[[Afterstates, Mapping[str, npt.NDArray[Any]]], list[Ints]]
"""What to prefer, most important first: ``[n]`` for each of the n afterstates. The observation is batched."""

_SPARE_ROWS = 4  # a shape is at most five cells high


def make(game_id: str, name: str | None = None, *, seed: int | None = None) -> Policy:
    """A baseline for a game.

    Args:
        game_id: The game, such as ``"Stackcraft-v1"``.
        name: ``"greedy"`` or ``"random"``. None: ``"greedy"`` in the games of placements, else ``"random"``.
        seed: Of ``"random"``; None: from the system's entropy. ``"greedy"`` draws nothing.

    Raises:
        InvalidArgumentError: There is no such baseline for this game.
    """
    rank = _RANKS.get(game_id.removeprefix("blockloom/"))
    if name == "random" or (name is None and rank is None):
        return random_legal(seed)
    if name not in (None, "greedy") or rank is None:
        known = ", ".join(_RANKS)
        raise InvalidArgumentError(f"no baseline {name!r} for {game_id}; allowed: random, and greedy for {known}")
    return functools.partial(_greedy, rank)


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

    These are the anchors at which the pieces that are left in the tray fit on the board after the placement, summed
    over these pieces: 0 after the last piece of a tray.
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


def count_anchors(boards: npt.NDArray[Any], shape: npt.NDArray[Any]) -> Ints:
    """``[n]``: at how many places of each board a shape fits, all its cells on empty ones.

    Args:
        boards: ``[n, size, size]``, size at most 16; not 0 where filled.
        shape: ``[5, 5]``, top-left anchored; not 0 where filled.
    """
    size = boards.shape[1]
    free = np.zeros((len(boards), size + _SPARE_ROWS), np.uint16)
    bits = np.packbits(boards == 0, axis=2, bitorder="little").astype(np.uint16)
    for byte in range(bits.shape[2]):
        free[:, :size] |= bits[:, :, byte] << np.uint16(8 * byte)
    anchors = np.full((len(boards), size), (1 << size) - 1, np.uint16)
    for row, col in np.argwhere(shape):
        anchors &= free[:, row : row + size] >> np.uint16(col)
    counts: Ints = np.bitwise_count(anchors).sum(axis=1, dtype=np.int64)
    return counts


def _placements_left(after: Afterstates, observation: Mapping[str, npt.NDArray[Any]], entries: Ints) -> Ints:
    tray, numbers = observation["tray"], observation["tray_piece"]
    rows = np.searchsorted(after.row_offsets, entries, side="right") - 1
    used = after.actions[entries] // (after.boards.shape[1] * after.boards.shape[2])
    left = np.zeros(len(entries), np.int64)
    for slot in range(numbers.shape[1]):
        pieces = np.where(used == slot, 0, numbers[rows, slot])
        for piece in np.unique(pieces[pieces > 0]):
            which = np.flatnonzero(pieces == piece)
            left[which] += count_anchors(after.boards[entries[which]], tray[rows[which[0]], slot])
    return left


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
