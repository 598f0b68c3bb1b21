"""What the placements of a position lead to, without an environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom._address import PathLike, addresses
from blockloom._afterstates import Afterstates, read_afterstates
from blockloom._calls import call_server
from blockloom._settings import config_text
from blockloom.errors import InvalidArgumentError


@dataclass(frozen=True)
class Position:
    """A board and what can be placed on it."""

    game_id: str
    """The game, such as ``"Stackcraft-v1"``."""
    board: npt.ArrayLike
    """``(height, width)``: as in the observation."""
    piece: int | None = None
    """Stackcraft: the current piece, 1 to 7."""
    tray: Sequence[int] | npt.NDArray[Any] = ()
    """Tray games: three numbers as in ``tray_piece``, 0 when spent. Lumen Blocks gives them hue 1 on the boards."""
    figures: Mapping[str, int] = field(default_factory=dict)
    """Other visible figures by their name, such as ``{"streak": 2}``; those not given are 0."""
    config: Mapping[str, str | bool | int] = field(default_factory=dict)
    """The game's own settings, as the keywords of an environment."""


def afterstates_of(
    position: Position,
    *,
    beam_width: int = 0,
    depth: int | None = None,
    server: str | None = None,
    token: str | None = None,
    tls: bool | PathLike = False,
    tls_client: tuple[PathLike, PathLike] | None = None,
    timeout_s: float = 120.0,
) -> Afterstates:
    """What the legal placements of a position lead to, as one row; its rewards are score.

    Args:
        position: A board in play, so without full lines.
        beam_width: 0: each legal placement. 1 to 1000: a beam search, as of the method of an environment.
        depth: The most actions of a sequence. Only with `beam_width`.
        server: ``"host:port"`` or ``"unix:/path"``; None: the server that comes with the package. Where none of its
            environments is open, each call starts it anew.
        token: The server's token, if it wants one.
        tls: Whether to use TLS, or the PEM file of the certificates to trust.
        tls_client: PEM files of this client's own certificate and its key.
        timeout_s: Seconds to wait for the answer.

    Raises:
        InvalidArgumentError: The position cannot be, such as a board of another size.
        BlockloomError: The game has no placements (code UNIMPLEMENTED).
    """
    address = addresses(server, workers=1, token=token, tls=tls, tls_client=tls_client)[0]
    body: dict[str, Any] = {"position": _to_body(position), "beamWidth": beam_width}
    if depth is not None:
        body["depth"] = depth
    answer = call_server(address, "afterstates", body, timeout_s).afterstates
    assert answer is not None
    return read_afterstates(answer)


def _to_body(position: Position) -> dict[str, Any]:
    board = np.asarray(position.board)
    if board.dtype.kind not in "iub" or (board.size and (board.min() < 0 or board.max() > 255)):
        raise InvalidArgumentError(f"board is {board.dtype} {board.shape}; allowed: integers as in the observation")
    body: dict[str, Any] = {
        "gameId": position.game_id.removeprefix("blockloom/"),
        "config": {key: config_text(key, value) for key, value in position.config.items()},
        "board": board.astype(np.uint8).tobytes(),
        "tray": [int(number) for number in position.tray],
        "figures": {name: int(value) for name, value in position.figures.items()},
    }
    if position.piece is not None:
        body["piece"] = int(position.piece)
    return body
