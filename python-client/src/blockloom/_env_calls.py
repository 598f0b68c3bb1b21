"""The calls of a single environment that look at where it stands."""

from __future__ import annotations

from typing import Any

from blockloom._codec import Codec
from blockloom._contract import Batch
from blockloom._remote import RemoteEnv
from blockloom._replay_calls import ReplayCalls
from blockloom.mask_picture import draw_mask


class EnvCalls(ReplayCalls):
    """What `BlockloomEnv` offers beside Gymnasium's methods."""

    _remote: RemoteEnv
    _codec: Codec
    _last: Batch | None
    _ready: bool
    _seeded: bool
    _played: bool

    def mask_picture(self) -> str:
        """The mask as text, a grid of letters for each piece or rotation, with the reasons of illegal actions."""
        self._batch()
        return draw_mask(self._remote.explain(0, []))

    def observe(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The observation and the info as they are now, also after `play` and `blockloom.load_replay`."""
        return self._take(self._batch())

    def _stand_in(self, remote: RemoteEnv) -> None:
        """Takes an environment that stands at a ply of a replay in place of the own one."""
        self._remote.close()
        self._remote, self._codec = remote, Codec(remote.spec)
        self._last, self._played = remote.loaded, False
        self._ready = self._seeded = True

    def _batch(self) -> Batch:
        raise NotImplementedError

    def _take(self, batch: Batch) -> tuple[dict[str, Any], dict[str, Any]]:
        raise NotImplementedError
