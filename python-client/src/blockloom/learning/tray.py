"""Players of the tray games: a search over the orders of the tray, ranked by a learned value and a hand-made one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from blockloom._afterstates import Afterstates, SearchValue
from blockloom.agents import Agent
from blockloom.learning.shapes import anchor_counts, row_bits
from blockloom.learning.tuples import Floats, Indices, TupleValue

if TYPE_CHECKING:
    from blockloom.vector import BlockloomVectorEnv

GAMES = ("LumenBlocks-v1", "BlockPuzzle8-v1", "BlockPuzzle10-v1")
HAND_WEIGHT = {"LumenBlocks-v1": 1.0, "BlockPuzzle8-v1": 1.0, "BlockPuzzle10-v1": 3.0}
"""How much the hand-made value counts beside the learned one."""
LEFT_WEIGHT = 15.0
NOWHERE = -20.0
"""What the pieces that a short sequence leaves in the tray count, and one that fits nowhere."""
MOST_RUN = {"LumenBlocks-v1": 7, "BlockPuzzle8-v1": 7, "BlockPuzzle10-v1": 6}
"""The longest streak or combo that the learned value tells from longer ones."""


def new_value(game_id: str) -> TupleValue:
    """A learned value that has learned nothing yet."""
    runs = MOST_RUN[game_id] + 1
    if game_id == "BlockPuzzle10-v1":
        return TupleValue(10, [runs * 3, 4 * 3])
    return TupleValue(8, [runs])


def contexts(game_id: str, figures: dict[str, npt.NDArray[np.int32]]) -> list[npt.NDArray[np.int32]]:
    """The further figures that the value looks up, from those of the afterstates."""
    run = np.minimum(figures["streak" if "streak" in figures else "combo"], MOST_RUN[game_id])
    if game_id != "BlockPuzzle10-v1":
        return [run]
    band = np.searchsorted(np.array([300, 1500]), figures["score"], side="right").astype(np.int32)
    return [run * 3 + figures["idle"], figures["new_sets"] * 3 + band]


@dataclass(frozen=True)
class Choice:
    """What was chosen for some rows; rows without any sequence are left out."""

    rows: npt.NDArray[np.int64]
    sequences: npt.NDArray[np.int32]
    """``[k, 3]``, -1 behind the last action."""
    rewards: Floats
    values: Floats
    """The learned value of where the sequence ends."""
    indices: Indices
    """The table entries of where the sequence ends; ``[k, 0]`` without a learned value."""


def choose(
    envs: BlockloomVectorEnv,
    rows: npt.NDArray[np.int64],
    game_id: str,
    value: TupleValue | None,
    *,
    beam_width: int,
    depth: int = 3,
    hand_weight: float = 1.0,
    gamma: float = 1.0,
    tray: npt.NDArray[Any] | None = None,
    weights: npt.NDArray[np.float32] | None = None,
) -> Choice:
    """The best sequence of each row: by reward, learned value times `gamma` and hand-made value times its weight.

    With `tray`, the observed ``tray_piece`` of all rows, room for the pieces that a sequence leaves counts as well.
    With `weights` the server searches by these, as they were some time ago, in place of the value's own.
    """
    by = None
    if value is not None:
        by = SearchValue(value.weights if weights is None else weights, round(100 * gamma), round(100 * hand_weight))
    ordered = tray is None and (by is not None or hand_weight == 1)
    found = envs.afterstates(beam_width=beam_width, depth=depth, rows=rows, value=by, most=1 if ordered else None)
    if ordered:
        places = np.flatnonzero(np.diff(found.row_offsets))
        best = found.row_offsets[places].astype(np.int64)
    else:
        ranks = found.rewards + hand_weight * found.values
        if tray is not None:
            ranks += LEFT_WEIGHT * room_left(found, tray[rows])
        best, places = best_of_rows(found, ranks if value is None else ranks + gamma * found.learned)
    if value is None:
        learned, indices = np.zeros(len(best)), np.zeros((len(best), 0), np.int32)
    else:
        figures = {name: array[best] for name, array in found.figures.items()}
        indices = value.indices(found.boards[best], contexts(game_id, figures))
        learned = value.values(indices)
    return Choice(rows[places], found.sequences[best], found.rewards[best], learned, indices)


def room_left(found: Afterstates, tray: npt.NDArray[Any]) -> Floats:
    """For each sequence the sum, over the pieces it leaves, of ln(1 + places to put it), and of `NOWHERE` for none."""
    size = found.boards.shape[1]
    counts = anchor_counts(row_bits(found.boards), size)
    left = np.repeat(tray, np.diff(found.row_offsets), axis=0)
    entries = np.arange(len(left))
    slots = found.sequences // (size * size)
    for column in range(slots.shape[1]):
        placed = (found.sequences[:, column] >= 0) & (slots[:, column] < 3)
        left[entries[placed], slots[placed, column]] = 0
    places = np.take_along_axis(counts, np.maximum(left - 1, 0), axis=1)
    room = np.where(places > 0, np.log1p(places), NOWHERE)
    summed: Floats = np.where(left > 0, room, 0.0).sum(axis=1)
    return summed


def best_of_rows(found: Afterstates, ranks: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The entry of highest rank (the first of equals) of each row that has any, and the places of these rows."""
    counts = np.diff(found.row_offsets)
    places = np.flatnonzero(counts)
    owners = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(ranks)) - found.row_offsets[owners]
    table = np.full((len(counts), max(1, int(counts.max(initial=0)))), -np.inf)
    table[owners, within] = ranks
    return found.row_offsets[places] + table[places].argmax(axis=1), places


class Plans:
    """What is planned for each row, dropped where the row is not as the plan expects it."""

    def __init__(self, num_envs: int) -> None:
        self.actions = np.full((num_envs, 3), -1, np.int32)
        self._placements = np.full(num_envs, -1, np.int32)
        self._trays = np.zeros((num_envs, 3), np.int64)

    def hold(self, obs: dict[str, npt.NDArray[Any]], info: dict[str, Any]) -> npt.NDArray[np.bool_]:
        """Bool ``(num_envs,)``: rows whose plan has a next action and still stands."""
        first = self.actions[:, 0]
        as_expected = (info["placements"] == self._placements) & (obs["tray_piece"] == self._trays).all(axis=1)
        legal = info["action_mask"][np.arange(len(first)), np.maximum(first, 0)] == 1
        held: npt.NDArray[np.bool_] = (first >= 0) & as_expected & legal
        return held

    def put(self, rows: npt.NDArray[np.int64], sequences: npt.NDArray[np.int32]) -> None:
        """Plans sequences."""
        self.actions[rows] = sequences

    def take(self, obs: dict[str, npt.NDArray[Any]], info: dict[str, Any], cells: int) -> npt.NDArray[np.int32]:
        """The next action of every row, 0 where there is none; it is expected to be played."""
        first = self.actions[:, 0].copy()
        self.actions[:, :2] = self.actions[:, 1:]
        self.actions[:, 2] = -1
        self._placements = info["placements"] + 1
        self._trays = obs["tray_piece"].copy()
        slots = first // cells
        placing = np.flatnonzero((first >= 0) & (slots < 3))
        self._trays[placing, slots[placing]] = 0
        return np.asarray(np.maximum(first, 0), np.int32)


class TrayAgent(Agent):
    """Plays a tray game by searching the orders of the tray.

    Args:
        game_id: One of `GAMES`.
        value: The learned value, as it is now; None: the hand-made value alone.
        beam_width: Sequences that the search keeps.
        depth: Placements that it looks ahead, at most 3.
        hand_weight: Times the hand-made value. Default: 1 without a learned value, else that of `HAND_WEIGHT`.
    """

    def __init__(
        self,
        game_id: str,
        value: TupleValue | None = None,
        *,
        beam_width: int = 20,
        depth: int = 3,
        hand_weight: float | None = None,
    ) -> None:
        self.game_id = game_id
        self.value = value
        self._search = {"beam_width": beam_width, "depth": depth}
        self._weights = value.weights.copy() if value else None
        self._hand_weight = hand_weight if hand_weight is not None else HAND_WEIGHT[game_id] if value else 1.0
        self._plans = Plans(0)

    @classmethod
    def load(cls, path: str | Path, **settings: Any) -> TrayAgent:
        """The agent of a file that `train_tray` wrote; `settings` are the constructor's."""
        game_id, value = load_value(path)
        return cls(game_id, value, **settings)

    def act(
        self,
        envs: BlockloomVectorEnv,
        obs: dict[str, npt.NDArray[Any]],
        info: dict[str, Any],
        active: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int32]:
        """As in `Agent`."""
        if len(self._plans.actions) != envs.num_envs:
            self._plans = Plans(envs.num_envs)
        wanted = info["action_mask"].any(axis=1) & ~self._plans.hold(obs, info)
        if active is not None:
            wanted &= active
        rows = np.flatnonzero(wanted)
        if len(rows):
            self._plans.actions[rows] = -1
            tray = obs["tray_piece"] if self._search["depth"] < 3 else None
            settings: dict[str, Any] = {**self._search, "hand_weight": self._hand_weight, "weights": self._weights}
            choice = choose(envs, rows, self.game_id, self.value, tray=tray, **settings)
            self._plans.put(choice.rows, choice.sequences)
        return self._plans.take(obs, info, 100 if self.game_id == "BlockPuzzle10-v1" else 64)


def save_value(path: str | Path, game_id: str, value: TupleValue) -> None:
    """Writes a learned value as a compressed npz file."""
    with Path(path).open("wb") as file:
        np.savez_compressed(file, game_id=np.array(game_id), weights=value.weights)


def load_value(path: str | Path) -> tuple[str, TupleValue]:
    """The game and the value of a file that `save_value` wrote."""
    with np.load(path) as stored:
        game_id = str(stored["game_id"])
        value = new_value(game_id)
        if stored["weights"].shape != value.weights.shape:
            raise ValueError(f"{path} holds {stored['weights'].size} weights, not {value.weights.size}")
        value.weights[:] = stored["weights"]
    return game_id, value
