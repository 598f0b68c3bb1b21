"""Which games there are: by id without a server, and in full from one."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from blockloom._address import PathLike, addresses
from blockloom._contract import SERVER_DIR, GameInfo
from blockloom._server_pool import POOL
from blockloom._settings import single_server

_KNOWN = ("Stackcraft-v1", "LumenBlocks-v1", "BlockPuzzle8-v1", "BlockPuzzle10-v1", "Hourloom-v1")


def game_ids(server_dir: Path = SERVER_DIR) -> tuple[str, ...]:
    """The five games, and what else ``games.json`` beside the bundled server lists (a JSON array of ids)."""
    listed: list[str] = []
    with contextlib.suppress(FileNotFoundError):
        listed = json.loads((server_dir / "games.json").read_text(encoding="utf-8"))
    return tuple(dict.fromkeys([*_KNOWN, *listed]))


def list_games(
    server: str | None = None,
    *,
    token: str | None = None,
    tls: bool | PathLike = False,
    tls_client: tuple[PathLike, PathLike] | None = None,
    timeout_s: float = 120.0,
) -> list[GameInfo]:
    """The games of a server, in its order: ids, config keys, rewards, and the spec of an environment.

    Args:
        server: ``"host:port"`` or ``"unix:/path"``; None: the server that comes with the package.
        token: The server's token, if it wants one.
        tls: Whether to use TLS, or the PEM file of the certificates to trust.
        tls_client: PEM files of this client's own certificate and its key.
        timeout_s: Seconds to wait for the answer.
    """
    address = addresses(single_server(server), workers=1, token=token, tls=tls, tls_client=tls_client)[0]
    channel = POOL.acquire(address)
    try:
        answer = channel.call("listGames", {}, timeout_s).list_games
        assert answer is not None
        return answer.games
    finally:
        POOL.release(address, channel)
