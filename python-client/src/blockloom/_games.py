"""The ids of the games, known without starting a server."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from blockloom._contract import SERVER_DIR

_KNOWN = ("Stackcraft-v1", "LumenBlocks-v1", "BlockPuzzle8-v1", "BlockPuzzle10-v1", "Hourloom-v1")


def game_ids(server_dir: Path = SERVER_DIR) -> tuple[str, ...]:
    """The five games, and what else ``games.json`` beside the bundled server lists (a JSON array of ids)."""
    listed: list[str] = []
    with contextlib.suppress(FileNotFoundError):
        listed = json.loads((server_dir / "games.json").read_text(encoding="utf-8"))
    return tuple(dict.fromkeys([*_KNOWN, *listed]))
