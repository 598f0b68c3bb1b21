"""What the legal placements lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blockloom._contract import AfterstatesResponse


@dataclass(frozen=True)
class Afterstates:
    """The legal placements of some rows, and what each leads to before anything new is drawn."""

    row_offsets: npt.NDArray[np.int32]
    """``[rows + 1]``: entries ``row_offsets[i]`` up to ``row_offsets[i + 1]`` belong to the i-th row."""
    actions: npt.NDArray[np.int32]
    """``[n]``: action numbers, ascending within a row."""
    boards: npt.NDArray[np.uint8]
    """``[n, height, width]``: the board after placing and clearing."""
    lines: npt.NDArray[np.int32]
    """``[n]``: lines cleared."""
    rewards: npt.NDArray[np.float64]
    """``[n]``: the reward of the placement."""


def read_afterstates(message: AfterstatesResponse) -> Afterstates:
    """The arrays of an answer."""
    return Afterstates(
        row_offsets=np.frombuffer(message.row_offsets, "<i4").astype(np.int32),
        actions=np.frombuffer(message.actions, "<i4").astype(np.int32),
        boards=np.frombuffer(message.boards, np.uint8).reshape(-1, *message.board_spec.shape).copy(),
        lines=np.frombuffer(message.lines, "<i4").astype(np.int32),
        rewards=np.frombuffer(message.rewards, "<f4").astype(np.float64),
    )


def join_afterstates(parts: Sequence[Afterstates]) -> Afterstates:
    """Several answers as one, in order."""
    offsets, total = [np.zeros(1, np.int32)], 0
    for part in parts:
        offsets.append(part.row_offsets[1:] + np.int32(total))
        total += len(part.actions)
    return Afterstates(
        row_offsets=np.concatenate(offsets),
        actions=np.concatenate([part.actions for part in parts]),
        boards=np.concatenate([part.boards for part in parts]),
        lines=np.concatenate([part.lines for part in parts]),
        rewards=np.concatenate([part.rewards for part in parts]),
    )
