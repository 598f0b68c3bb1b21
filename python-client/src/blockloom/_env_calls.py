"""The calls of a single environment that look at where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np

from blockloom import _settings
from blockloom._afterstates import Afterstates
from blockloom._codec import Codec
from blockloom._contract import Batch, Explanation, PlayResult
from blockloom._env_link import EnvLink
from blockloom._journal import Start
from blockloom._remote import RemoteEnv
from blockloom._replay_calls import ReplayCalls
from blockloom.errors import ResetRequiredError
from blockloom.mask_picture import draw_mask


class EnvCalls(EnvLink, ReplayCalls):
    """What `BlockloomEnv` offers beside Gymnasium's methods."""

    _codec: Codec

    def explain(self, action: SupportsIndex) -> Explanation:
        """Says that an action is legal now, or why it is not."""
        number = _settings.action_number(action, self.game_spec.num_actions)
        return self._remote.explain(0, [number])[0]

    def play(self, action: Any) -> PlayResult:
        """Plays an action in the rules' own grammar, such as ``{"type": "WAIT"}`` or ``"r1x4"``."""
        action_json = _settings.native_json(action)
        result = self._remote.play(0, action_json)
        self._played = True
        return result

    def afterstates(self, *, beam_width: int = 0, depth: int | None = None) -> Afterstates:
        """What each legal placement leads to. BlockloomError (UNIMPLEMENTED) in a game without placements.

        Args:
            beam_width: 0: each legal placement. 1 to 1000: a beam search of this width over sequences of placements
                of the pieces in sight, at most so many sequences; it reads nothing that a player cannot see.
            depth: The most actions of a sequence. Default: all the pieces in sight. Only with `beam_width`.
        """
        beam_width, depth = _settings.beam(beam_width, depth)
        remote = self._remote
        return remote.afterstates(remote.send_afterstates(rows=[], beam_width=beam_width, depth=depth))

    def save_replay(self, path: str | Path | None = None, *, live: bool = False) -> str:
        """The last finished or closed episode as JSON, written to `path` too. Needs ``record=True``.

        Args:
            path: A file to write.
            live: Whether to take the episode that is being played; only where the server allows it.
        """
        replay = self._remote.save_replay(0, live=live)
        if path is not None:
            Path(path).write_text(replay, encoding="utf-8")
        return replay

    def mask_picture(self) -> str:
        """The mask as text, a grid of letters for each piece or rotation, with the reasons of illegal actions."""
        self._batch()  # raises before the first reset
        return draw_mask(self._remote.explain(0, []))

    def observe(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The observation and the info as they are now, also after `play` and `blockloom.load_replay`."""
        return self._take(self._batch())

    def _stand_in(self, remote: RemoteEnv, start: Start | None) -> None:
        """Takes an environment that stands at a ply of a replay in place of the own one."""
        self._remote.close()
        self._held, self._codec = remote, Codec(remote.spec)
        self._sequences.stand_at(start)
        self._last, self._played = remote.loaded, False
        self._ready = self._seeded = True

    def _batch(self) -> Batch:
        """The last batch; asked for again where `play` has changed the game since."""
        self._check_open()
        if self._last is None:
            raise ResetRequiredError("there is nothing to see before the first reset()", reason="RESET_REQUIRED")
        if self._played:
            self._last = self._remote.batch(self._remote.reset(mask=np.zeros(1, np.bool_)))
            self._played = False
        return self._last

    def _take(self, batch: Batch) -> tuple[dict[str, Any], dict[str, Any]]:
        raise NotImplementedError
