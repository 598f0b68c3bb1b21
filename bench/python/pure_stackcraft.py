"""Stackcraft as one would write it in Python and NumPy alone: the rival of `npm run bench`.

The rules, pieces and random stream are those of ``Stackcraft-v1``; `agrees_with_server` plays both side by side.
"""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

import blockloom

ROWS, COLUMNS, ACTIONS = 20, 10, 40
POINTS = (0, 100, 300, 500, 800)
DRAWINGS = ("####", "##/##", ".#./###", ".##/##.", "##./.##", "#../###", "..#/###")


def orientations(drawing: str) -> list[npt.NDArray[np.bool_]]:
    """The clockwise turns of a piece, without repeats."""
    shape = np.array([[mark == "#" for mark in row] for row in drawing.split("/")])
    turns: list[npt.NDArray[np.bool_]] = []
    for _ in range(4):
        if not any(np.array_equal(shape, other) for other in turns):
            turns.append(shape)
        shape = np.rot90(shape, -1)
    return turns


SHAPES = [orientations(drawing) for drawing in DRAWINGS]


class PureStackcraft(gymnasium.Env[dict[str, Any], np.int64]):
    """One game; the same observation, mask, reward and end as the server's."""

    def __init__(self) -> None:
        self.action_space = gymnasium.spaces.Discrete(ACTIONS)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "board": gymnasium.spaces.Box(0, 7, (ROWS, COLUMNS), np.uint8),
                "current": gymnasium.spaces.Discrete(8),
                "next": gymnasium.spaces.Discrete(8),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._seed = seed if seed is not None else int(self.np_random.integers(2**62))
        self._bag_number, self._bag = 0, list[int]()
        self._board = np.zeros((ROWS, COLUMNS), np.uint8)
        self._score = self._lines = self._pieces = 0
        self._current, self._next = self._draw(), self._draw()
        self._mask = self._find_legal()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        if not self._mask[action]:
            return self._observation(), 0.0, False, False, self._info()
        rotation, x = divmod(int(action), COLUMNS)
        shape = SHAPES[self._current - 1][rotation]
        height, width = shape.shape
        y = 0
        while y + height < ROWS and not (self._board[y + 1 : y + 1 + height, x : x + width][shape]).any():
            y += 1
        self._board[y : y + height, x : x + width][shape] = self._current
        full = self._board.all(axis=1)
        cleared = int(full.sum())
        if cleared:
            self._board = np.concatenate([np.zeros((cleared, COLUMNS), np.uint8), self._board[~full]])
        self._score += POINTS[cleared]
        self._lines += cleared
        self._pieces += 1
        self._current, self._next = self._next, self._draw()
        self._mask = self._find_legal()
        return self._observation(), float(POINTS[cleared]), not self._mask.any(), False, self._info()

    def _draw(self) -> int:
        if not self._bag:
            rng = random.Random(f"stackcraft-v1:{self._seed}:{self._bag_number}")
            bag = list(range(1, 8))
            for p in range(6, 0, -1):
                q = int(rng.random() * (p + 1))
                bag[p], bag[q] = bag[q], bag[p]
            self._bag, self._bag_number = bag[::-1], self._bag_number + 1
        return self._bag.pop()

    def _find_legal(self) -> npt.NDArray[np.int8]:
        mask = np.zeros(ACTIONS, np.int8)
        top_is_empty = not self._board[:4].any()
        for rotation, shape in enumerate(SHAPES[self._current - 1]):
            height, width = shape.shape
            first = rotation * COLUMNS
            if top_is_empty:
                mask[first : first + COLUMNS - width + 1] = 1
                continue
            for x in range(COLUMNS - width + 1):
                mask[first + x] = not self._board[:height, x : x + width][shape].any()
        return mask

    def _observation(self) -> dict[str, Any]:
        return {"board": self._board.copy(), "current": np.int64(self._current), "next": np.int64(self._next)}

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask, "score": self._score, "lines": self._lines, "pieces": self._pieces}


def agrees_with_server(steps: int) -> int:
    """Plays random games here and on the server and returns how many steps were equal; raises where one is not."""
    pure, served = PureStackcraft(), blockloom.BlockloomEnv("Stackcraft-v1")
    rng = np.random.default_rng(1)
    ended, game = True, 0
    info: dict[str, Any] = {}
    for step in range(steps):
        if ended:
            seen, info = pure.reset(seed=game)
            other, other_info = served.reset(seed=game)
            ended, game = False, game + 1
        else:
            action = blockloom.sample(info["action_mask"], rng)
            seen, reward, ended, _, info = pure.step(action)
            other, other_reward, other_ended, _, other_info = served.step(action)
            if (reward, ended) != (other_reward, other_ended):
                raise AssertionError(f"step {step}: {reward, ended} here, {other_reward, other_ended} on the server")
        for name in seen:
            np.testing.assert_array_equal(seen[name], other[name], f"step {step}: {name}")
        for name in info:
            np.testing.assert_array_equal(info[name], other_info[name], f"step {step}: {name}")
    served.close()
    return steps
