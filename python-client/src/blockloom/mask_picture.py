"""A mask of actions as text: a grid of letters for each piece or rotation, with the reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from blockloom._contract import Explanation

LEGAL = "o"
_ALPHABET = "abcdefghijklmnpqrstuvwxyz"  # without the letter for legal actions
_PLACEMENT = re.compile(r"([a-z]+)(\d+)(?:[a-z]+(\d+))?[a-z]+(\d+)")
_TITLES = {"p": "piece", "r": "rotation"}


@dataclass(frozen=True)
class MaskGrid:
    """Consecutive actions that make up a grid: ``first + row * cols + col``."""

    title: str
    rows: int
    cols: int
    first: int

    def __contains__(self, action: int) -> bool:
        """Whether an action is in the grid."""
        return self.first <= action < self.first + self.rows * self.cols


def mask_grids(action_names: Sequence[str]) -> list[MaskGrid]:
    """The grids that actions make up by their names, ``r1x4`` (rotation, x) and ``p0r3c4`` (piece, row, column)."""
    places: dict[str, list[tuple[int, int, int]]] = {}
    for action, name in enumerate(action_names):
        match = _PLACEMENT.fullmatch(name)
        if match:
            title = f"{_TITLES.get(match[1], match[1])} {match[2]}"
            places.setdefault(title, []).append((action, int(match[3] or 0), int(match[4])))
    grids = []
    for title, cells in places.items():
        grid = MaskGrid(title, 1 + max(row for _, row, _ in cells), 1 + max(col for _, _, col in cells), cells[0][0])
        if cells == [(grid.first + i, i // grid.cols, i % grid.cols) for i in range(grid.rows * grid.cols)]:
            grids.append(grid)
    return grids


def draw_mask(explanations: Sequence[Explanation]) -> str:
    """The picture of a mask, as ``blockloom inspect`` prints it.

    A row's label is the number of its first action; a column's is what to add. Below the grids are the actions that
    are in none, and what the letters mean.

    Args:
        explanations: One for each action, in order.
    """
    letters = reason_letters(explanations)

    def symbol(action: Explanation) -> str:
        return LEGAL if action.legal else letters[action.reason]

    grids = mask_grids([action.name for action in explanations])
    blocks = [_grid_lines(grid, explanations, symbol) for grid in grids]
    others = [action for action in explanations if not any(action.action in grid for grid in grids)]
    if others:
        blocks.append(_other_lines(others, symbol))
    legal = sum(action.legal for action in explanations)
    blocks.append(
        [
            f"{LEGAL} legal ({legal} of {len(explanations)})",
            *(f"{letter} {reason}" for reason, letter in letters.items()),
        ]
    )
    return "\n\n".join("\n".join(lines) for lines in blocks)


def reason_letters(explanations: Sequence[Explanation]) -> dict[str, str]:
    """A letter for each reason: one of its own where it can be had."""
    letters: dict[str, str] = {}
    for action in explanations:
        if not action.legal and action.reason not in letters:
            taken = {LEGAL, *letters.values()}
            wanted = action.reason.replace("_", "") + _ALPHABET
            letters[action.reason] = next((letter for letter in wanted if letter not in taken), "?")
    return letters


def _grid_lines(grid: MaskGrid, explanations: Sequence[Explanation], symbol: Callable[[Explanation], str]) -> list[str]:
    width = len(str(grid.first + (grid.rows - 1) * grid.cols))
    lines = [grid.title, " " * width + " +" + "".join(f"{col:2}" for col in range(grid.cols))]
    for first in range(grid.first, grid.first + grid.rows * grid.cols, grid.cols):
        marks = "".join(f" {symbol(action)}" for action in explanations[first : first + grid.cols])
        lines.append(f"{first:{width}}  {marks}")
    return lines


def _other_lines(actions: Sequence[Explanation], symbol: Callable[[Explanation], str]) -> list[str]:
    width = len(str(actions[-1].action))
    name_width = max(len(action.name) for action in actions)
    return [
        f"{each.action:{width}}  {symbol(each)}  {each.name:{name_width}}  {each.message}".rstrip() for each in actions
    ]
