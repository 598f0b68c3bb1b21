"""What the legal placements lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blockloom._contract import AfterstatesResponse

_MOST_BEAM_WORK = 4096
"""The most rows times width that a server takes in one request."""


@dataclass(frozen=True)
class Afterstates:
    """What some rows can lead to before anything new is drawn: by one placement, or by sequences of actions.

    With a ``beam_width`` an entry is a sequence; the best by score plus `values` comes first in each row.
    """

    row_offsets: npt.NDArray[np.int32]
    """``[rows + 1]``: entries ``row_offsets[i]`` up to ``row_offsets[i + 1]`` belong to the i-th row."""
    actions: npt.NDArray[np.int32]
    """``[n]``: action numbers, ascending within a row; of a sequence the first."""
    boards: npt.NDArray[np.uint8]
    """``[n, height, width]``: the board after placing and clearing."""
    lines: npt.NDArray[np.int32]
    """``[n]``: lines cleared, in all."""
    rewards: npt.NDArray[np.float64]
    """``[n]``: the reward, in all."""
    sequences: npt.NDArray[np.int32]
    """``[n, most actions]``: the actions, -1 behind the last. ``[n, 0]`` for single placements."""
    figures: dict[str, npt.NDArray[np.int32]]
    """``[n]`` each: figures after the sequence, such as ``streak`` and ``score``. Empty for single placements."""
    values: npt.NDArray[np.float64]
    """``[n]``: the hand-made value of the board and figures, without the reward. Empty for single placements."""
    learned: npt.NDArray[np.float64]
    """``[n]``: the learned value. Empty without one."""


@dataclass(frozen=True, eq=False)
class SearchValue:
    """A learned value of the tray games for the server's search: sequences are ordered by score, and by both values."""

    weights: npt.NDArray[np.float32]
    """The table entries, as ``blockloom.learning.tuples`` lays them out. A server is sent an array only once: do not
    change it, give another."""
    learned_percent: int = 100
    """How much the learned value counts beside the score, in hundredths; 0 to 1,000,000."""
    hand_percent: int = 100
    """How much the hand-made value counts, in hundredths."""


def read_afterstates(message: AfterstatesResponse) -> Afterstates:
    """The arrays of an answer."""
    actions = np.frombuffer(message.actions, "<i4").astype(np.int32)
    n = len(actions)
    figures = np.frombuffer(message.figures, "<i4").astype(np.int32).reshape(n, len(message.figure_names))
    return Afterstates(
        row_offsets=np.frombuffer(message.row_offsets, "<i4").astype(np.int32),
        actions=actions,
        boards=np.frombuffer(message.boards, np.uint8).reshape(-1, *message.board_spec.shape).copy(),
        lines=np.frombuffer(message.lines, "<i4").astype(np.int32),
        rewards=np.frombuffer(message.rewards, "<f4").astype(np.float64),
        sequences=np.frombuffer(message.sequences, "<i4").astype(np.int32).reshape(n, message.sequence_length),
        figures={name: figures[:, i].copy() for i, name in enumerate(message.figure_names)},
        values=np.frombuffer(message.values, "<f4").astype(np.float64),
        learned=np.frombuffer(message.learned, "<f4").astype(np.float64),
    )


def split_rows(rows: npt.NDArray[np.int64], beam_width: int) -> list[npt.NDArray[np.int64]]:
    """The rows in parts that a server takes in one request each, in order."""
    if beam_width == 0:
        return [rows]
    most = max(1, _MOST_BEAM_WORK // beam_width)
    return [rows[first : first + most] for first in range(0, len(rows), most)]


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
        sequences=np.concatenate([part.sequences for part in parts]),
        figures={name: np.concatenate([part.figures[name] for part in parts]) for name in parts[0].figures},
        values=np.concatenate([part.values for part in parts]),
        learned=np.concatenate([part.learned for part in parts]),
    )
