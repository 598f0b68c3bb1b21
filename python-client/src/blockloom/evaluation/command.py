"""``python -m blockloom evaluate``: what agents reach in a game, with intervals, and compared on equal seeds."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from blockloom.errors import BlockloomError, InvalidArgumentError, NodeNotFoundError
from blockloom.evaluation.agents import load_agent, weight_names
from blockloom.evaluation.chart import check_chart, save_chart
from blockloom.evaluation.run import evaluate, find_game

_EPILOG = f"""
An agent is random, greedy (games of placements), scripted (Hourloom) or hand (tray games); a file of weights that a
training wrote; one that comes with the package ({", ".join(weight_names())}); or
module:object, an Agent, a class of agents or a policy. Settings can follow it: weights.npz,beam_width=50.
"""
_WORKERS = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command.

    Args:
        argv: The arguments behind ``evaluate``. None: this program's.

    Returns:
        The exit code: 0; 1 when the server fails; 2 for what cannot be done as it is asked for.
    """
    given = _parser().parse_args(argv)
    try:
        _run(given)
    except BlockloomError as error:
        print(f"blockloom: {error}", file=sys.stderr)
        return 2 if isinstance(error, (InvalidArgumentError, NodeNotFoundError)) else 1
    except KeyboardInterrupt:
        print("blockloom: stopped", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blockloom evaluate",
        description="Lets agents play the first game of each seed and tells what they reach.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--game", required=True, metavar="GAME", help="such as Stackcraft-v1 or stackcraft")
    add("--agent", required=True, action="append", metavar="AGENT", help="may be given more than once")
    add("--seeds", type=_seeds, default=range(200), metavar="FIRST:END", help="without END itself (default 0:200)")
    add("--cap", type=_count, metavar="N", help="most steps of a game (default 5000, Stackcraft 200)")
    add("--outcome", default="score", metavar="NAME", help="what is reported, such as lines or chamber (default score)")
    add("--config", type=_setting, action="append", default=[], metavar="KEY=VALUE", help="a setting of the game")
    add("--num-envs", type=_count, metavar="N", help="games side by side (default: all, at most 1024)")
    add("--num-workers", type=_count, metavar="N", help=f"embedded servers (default {_WORKERS})")
    add("--json", type=Path, metavar="FILE", help="write all figures, and the result of every seed")
    add("--chart", type=Path, metavar="FILE.png", help="draw the figures; needs matplotlib: blockloom[report]")
    search = parser.add_argument_group("for all learned agents that have it")
    search.add_argument("--beam-width", type=int, metavar="N", help="sequences that the search keeps")
    search.add_argument("--depth", type=int, metavar="N", help="placements that it looks ahead")
    search.add_argument("--hand-weight", type=float, metavar="X", help="what the hand-made value counts")
    server = parser.add_argument_group("a server that runs elsewhere")
    server.add_argument("--server", action="append", metavar="ADDRESS", help="HOST:PORT or unix:PATH; several share")
    server.add_argument("--token-file", type=Path, metavar="FILE", help="the token that it asks for")
    server.add_argument("--tls-ca", type=Path, metavar="FILE", help="TLS: the authority of its certificate, PEM")
    server.add_argument("--tls-cert", type=Path, metavar="FILE", help="TLS: the certificate of this client, PEM")
    server.add_argument("--tls-key", type=Path, metavar="FILE", help="TLS: the key of that certificate, PEM")
    return parser


def _run(given: argparse.Namespace) -> None:
    if given.chart is not None:
        check_chart(given.chart)
    if given.json is not None:
        _check_file(given.json)
    access = _access(given)
    servers: list[str] | None = given.server
    game_id = find_game(given.game, servers[0] if servers else None, **access).game_id
    settings = {name: getattr(given, name) for name in ("beam_width", "depth", "hand_weight")}
    settings = {name: value for name, value in settings.items() if value is not None}
    if len(set(given.agent)) < len(given.agent):
        raise InvalidArgumentError(f"an agent is named twice: {', '.join(given.agent)}")
    agents = {name: load_agent(name, game_id, settings) for name in given.agent}
    bar = Bar(len(given.seeds)) if sys.stderr.isatty() else None
    try:
        result = evaluate(
            game_id,
            agents,
            seeds=given.seeds,
            cap=given.cap,
            outcome=given.outcome,
            num_envs=given.num_envs,
            num_workers=given.num_workers or (None if servers else _WORKERS),
            server=servers,
            config=dict(given.config),
            progress=None if bar is None else bar.show,
            **access,
        )
    finally:
        if bar is not None:
            bar.clear()
    print(result.text(), flush=True)
    try:
        if given.json is not None:
            given.json.write_text(json.dumps(result.to_json()) + "\n", encoding="utf-8")
        if given.chart is not None:
            save_chart(result, given.chart)
    except OSError as error:
        raise InvalidArgumentError(f"the report cannot be written: {error}") from error


class Bar:
    """A line on a terminal that shows how far the games are."""

    def __init__(self, games: int, *, width: int = 30, every_s: float = 0.1) -> None:
        self._games = games
        self._width = width
        self._every_s = every_s
        self._agent = ""
        self._start = self._last = 0.0

    def show(self, agent: str, games: int, steps: int) -> None:
        """Draws the line, if it was not drawn just now."""
        now = time.monotonic()
        if agent != self._agent:
            self._agent, self._start, self._last = agent, now, 0.0
        if now - self._last < self._every_s and games < self._games:
            return
        self._last = now
        filled = "#" * (self._width * games // self._games)
        speed = steps / max(now - self._start, 1e-3)
        line = f"{agent} [{filled:.<{self._width}}] {games:,}/{self._games:,} games, {steps:,} steps, {speed:,.0f}/s"
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Takes the line away."""
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _access(given: argparse.Namespace) -> dict[str, Any]:
    token, ca = given.token_file, given.tls_ca
    client = (given.tls_cert, given.tls_key)
    if (client[0] is None) != (client[1] is None):
        raise InvalidArgumentError("--tls-cert and --tls-key are given together")
    if not given.server and (token or ca or client[0]):
        raise InvalidArgumentError("--token-file and --tls-... are for --server")
    try:
        text = None if token is None else token.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgumentError(f"the token cannot be read: {error}") from error
    tls = client[0] is not None if ca is None else str(ca)
    return {"token": text, "tls": tls, "tls_client": None if client[0] is None else (str(client[0]), str(client[1]))}


def _check_file(path: Path) -> None:
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidArgumentError(
            f"{path} cannot be written: {'it is a folder' if path.is_dir() else 'no such folder'}"
        )


def _seeds(text: str) -> range:
    first, colon, end = text.partition(":")
    try:
        seeds = range(int(first), int(end))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no range; allowed: FIRST:END, such as 0:200") from None
    count = max(0, seeds.stop - seeds.start)  # its len() may be too large for Python
    if not colon or not 0 < count <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} has {count} seeds; allowed: 1 to 1000000")
    return seeds


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: 1 to {2**31 - 1}")
    return int(text)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: KEY=VALUE")
    return key, value
