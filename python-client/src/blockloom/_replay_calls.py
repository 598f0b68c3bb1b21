"""The methods of environments that concern replays of any origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blockloom.replays import Replay, ReplayVerdict, load_replay, verify_replay

if TYPE_CHECKING:
    from blockloom.env import BlockloomEnv


class ReplayCalls:
    """What both kinds of environment offer, on their own server."""

    _arguments: dict[str, Any]

    def verify_replay(self, replay: Replay) -> ReplayVerdict:
        """Plays a replay of any game again and compares its summary, as `blockloom.verify_replay` does."""
        return verify_replay(replay, **self._server_keywords())

    def load_replay(self, replay: Replay, ply: int | None = None) -> BlockloomEnv:
        """A new environment that stands at a ply of a replay, as `blockloom.load_replay` gives."""
        return load_replay(replay, ply, **self._server_keywords())

    def _server_keywords(self) -> dict[str, Any]:
        keywords = {name: self._arguments[name] for name in ("server", "token", "tls", "tls_client", "timeout_s")}
        if keywords["server"] is not None and not isinstance(keywords["server"], str):
            keywords["server"] = keywords["server"][0]
        return keywords
