"""The calls of a vector that look at single rows, and the check of actions for rows on several servers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom import _settings
from blockloom._afterstates import Afterstates, SearchValue, join_afterstates, split_rows
from blockloom._batches import BatchReader
from blockloom._contract import Explanation, PlayResult
from blockloom._groups import Answers, Part
from blockloom._remote import is_uncertain
from blockloom._replay_calls import ReplayCalls
from blockloom._vector_link import VectorLink
from blockloom.errors import BlockloomError, IllegalActionError, InvalidArgumentError, ResetRequiredError
from blockloom.mask_picture import draw_mask
from blockloom.rendering import render_rgb


class RowCalls(VectorLink, ReplayCalls):
    """What `BlockloomVectorEnv` offers for single rows."""

    render_mode: str | None
    _reader: BatchReader

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Bool ``(num_envs, num_actions)``: what a step would accept now."""
        return self._reader.masks(self._current()).view(np.bool_)

    def explain(self, row: int, action: SupportsIndex) -> Explanation:
        """Says that an action of a row is legal now, or why it is not."""
        part, own_row = self._find(row)
        number = _settings.action_number(action, self.game_spec.num_actions)
        return part.remote.explain(own_row, [number])[0]

    def mask_picture(self, row: int) -> str:
        """A row's mask as text, a grid of letters for each piece or rotation, with the reasons of illegal actions."""
        part, own_row = self._find(row)
        return draw_mask(part.remote.explain(own_row, []))

    def play(self, row: int, action: Any) -> PlayResult:
        """Plays an action in one row, in the rules' own grammar, such as ``{"type": "WAIT"}`` or ``"r1x4"``."""
        part, own_row = self._find(row)
        action_json = _settings.native_json(action)
        try:
            result = part.remote.play(own_row, action_json)
            after = self._groups.refresh(part)
        except BlockloomError as error:
            if is_uncertain(error):
                self._sequences.doubt()
            raise
        if result.ok and (after.terminations[own_row] or after.truncations[own_row]):
            self._sequences.end(part.first + own_row)
        return result

    def afterstates(
        self,
        *,
        beam_width: int = 0,
        depth: int | None = None,
        rows: Sequence[int] | npt.NDArray[Any] | None = None,
        value: SearchValue | None = None,
        most: int | None = None,
    ) -> Afterstates:
        """What rows can lead to, in one round trip to each server; in several where rows times width pass 4,096.

        Args:
            beam_width: 0: each legal placement. 1 to 1000: a beam search of this width over sequences of placements
                of the pieces in sight, at most so many sequences a row; it reads nothing that a player cannot see.
            depth: The most actions of a sequence. Default: all the pieces in sight. Only with `beam_width`.
            rows: The rows, ascending. Default: all.
            value: A learned value that orders the sequences, beside the hand-made one; the tray games' search only.
            most: The most sequences a row, the best ones. Default: `beam_width`. Only with it.
        """
        self._check_open()
        beam_width, depth = _settings.beam(beam_width, depth)
        wanted = np.arange(self.num_envs) if rows is None else self._row_numbers(rows)
        if len(wanted) and (wanted[0] < 0 or wanted[-1] >= self.num_envs or bool((np.diff(wanted) <= 0).any())):
            raise InvalidArgumentError(
                f"rows must be ascending and from 0 to {self.num_envs - 1}", reason="ROW_OUT_OF_RANGE"
            )
        if not len(wanted):
            raise InvalidArgumentError("rows is empty", reason="ROW_OUT_OF_RANGE")
        waiting: list[tuple[Part, list[npt.NDArray[np.int64]], list[Afterstates]]] = []
        for part in self._groups.parts:
            in_part = wanted[(wanted >= part.rows.start) & (wanted < part.rows.stop)] - part.first
            waiting.append((part, split_rows(in_part, beam_width) if len(in_part) else [], []))
        for turn in range(max(len(pieces) for _, pieces, _ in waiting)):
            # One request a server at a time: the servers work side by side, and none is sent more than it reads.
            sent = []
            for part, pieces, found in waiting:
                if turn < len(pieces):
                    own = pieces[turn].tolist()
                    ticket = part.remote.send_afterstates(
                        rows=own, beam_width=beam_width, depth=depth, value=value, most=most
                    )
                    sent.append((part, found, ticket))
            for part, found, ticket in sent:
                found.append(part.remote.afterstates(ticket))
        return join_afterstates([answer for _, _, found in waiting for answer in found])

    def save_replay(self, row: int, path: str | Path | None = None, *, live: bool = False) -> str:
        """A row's last finished or closed episode as JSON, written to `path` too. Needs ``record=True``."""
        part, own_row = self._find(row)
        replay = part.remote.save_replay(own_row, live=live)
        if path is not None:
            Path(path).write_text(replay, encoding="utf-8")
        return replay

    def render(self) -> tuple[Any, ...] | None:
        """One frame a row: text for ``ansi``, uint8 ``(height, width, 3)`` for ``rgb_array``; ``human`` prints."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode, such as render_mode='ansi'")
            return None
        if self.render_mode == "rgb_array":
            observation = self._reader.read(self._current())[0]
            return tuple(
                render_rgb({name: array[row] for name, array in observation.items()}) for row in range(self.num_envs)
            )
        texts = [part.remote.render(row) for part in self._groups.parts for row in range(part.remote.num_envs)]
        if self.render_mode == "ansi":
            return tuple(texts)
        print("\n".join(texts), end="", flush=True)
        return None

    def _check_together(self, groups: Sequence[int], by_row: npt.NDArray[np.int32]) -> None:
        """Checks what each server checks for its own rows only, so that all rows are stepped or none is."""
        reject = self._settings.illegal_action == "reject"
        disabled = self._settings.autoreset_mode is AutoresetMode.DISABLED
        if not reject and not disabled:
            return
        sent = np.zeros((self.num_envs // self.batch_size, self.batch_size), np.bool_)
        sent[list(groups)] = True
        masks = self._reader.masks(self._current())
        over = np.flatnonzero(sent.reshape(-1) & ~masks.any(axis=1))
        if disabled and len(over):
            raise ResetRequiredError(
                f"the episode of row {over[0]} is over; reset it first",
                reason="RESET_REQUIRED",
                metadata={"row": str(over[0])},
            )
        illegal = np.flatnonzero(sent.reshape(-1) & (masks[np.arange(self.num_envs), by_row] == 0))
        if reject and len(illegal):
            row = int(illegal[0])
            why = self.explain(row, by_row[row])
            raise IllegalActionError(
                f"the action of row {row} is {why.action} ({why.name}), which is not legal now: {why.message}",
                reason=why.reason,
                metadata={"row": str(row), "action": str(why.action)},
            )

    def _current(self) -> Answers:
        """The last answer of every part."""
        self._check_open()
        parts = [] if self._held is None else self._held.parts
        answers = [(part, part.last) for part in parts if part.last is not None]
        if not answers or len(answers) != len(parts):
            raise ResetRequiredError("there is nothing to see before the first reset()", reason="RESET_REQUIRED")
        return answers

    def _find(self, row: int) -> tuple[Part, int]:
        self._check_open()
        if not hasattr(row, "__index__") or not 0 <= row < self.num_envs:
            raise InvalidArgumentError(f"row {row!r}; allowed: 0 to {self.num_envs - 1}", reason="ROW_OUT_OF_RANGE")
        return self._groups.find(int(row))

    def _row_numbers(self, rows: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        array = np.asarray(rows)
        if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
            raise InvalidArgumentError(
                f"rows are {array.dtype} {array.shape}; allowed: integers of one dimension", reason="ROW_OUT_OF_RANGE"
            )
        return array.astype(np.int64)

    def _human(self) -> None:
        if self.render_mode == "human":
            self.render()
