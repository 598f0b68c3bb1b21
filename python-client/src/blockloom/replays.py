"""Replays: games as JSON texts that hold a seed, the actions and what they led to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from blockloom._address import PathLike, addresses
from blockloom._calls import call_server
from blockloom._journal import Start
from blockloom._remote import RemoteEnv
from blockloom._settings import Settings, WireEncodingName, integer, settings, single_server
from blockloom.errors import InvalidArgumentError

if TYPE_CHECKING:
    from blockloom.env import BlockloomEnv

Replay: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""The JSON text itself, a path of a file that holds it, or the object that it decodes to."""


@dataclass(frozen=True)
class ReplayVerdict:
    """What playing a replay again came to; true in a condition if it is a true record."""

    ok: bool
    """Whether every action was legal and the summary, if there, is what the actions give."""
    reason: str
    """Why not, such as ``"illegal_action"`` or ``"summary_mismatch"``; empty when ok."""
    message: str
    """One sentence; empty when ok."""
    ply: int | None
    """The index of the first bad action, from 0; None when no action is to blame."""
    final: dict[str, Any] | None
    """The summary that the actions give; None when they could not be played to the end."""

    def __bool__(self) -> bool:
        """Whether the replay is a true record."""
        return self.ok


def verify_replay(
    replay: Replay,
    *,
    server: str | None = None,
    token: str | None = None,
    tls: bool | PathLike = False,
    tls_client: tuple[PathLike, PathLike] | None = None,
    timeout_s: float = 120.0,
) -> ReplayVerdict:
    """Plays a replay again and compares its summary. What is wrong with it is told, not raised.

    Args:
        replay: JSON text, a path, or an object.
        server: ``"host:port"`` or ``"unix:/path"``; None: the server that comes with the package.
        token: The server's token, if it wants one.
        tls: Whether to use TLS, or the PEM file of the certificates to trust.
        tls_client: PEM files of this client's own certificate and its key.
        timeout_s: Seconds to wait for the answer.
    """
    address = addresses(single_server(server), workers=1, token=token, tls=tls, tls_client=tls_client)[0]
    answer = call_server(address, "verifyReplay", {"replayJson": replay_text(replay)}, timeout_s).verify_replay
    assert answer is not None
    final = json.loads(answer.final_json) if answer.final_json else None
    return ReplayVerdict(answer.ok, answer.reason, answer.message, answer.ply, final)


def load_replay(
    replay: Replay,
    ply: int | None = None,
    *,
    server: str | None = None,
    token: str | None = None,
    tls: bool | PathLike = False,
    tls_client: tuple[PathLike, PathLike] | None = None,
    timeout_s: float = 120.0,
    wire_encoding: WireEncodingName = "packed",
    mask_in_obs: bool = False,
    render_mode: str | None = None,
) -> BlockloomEnv:
    """An environment that stands where a replay was after `ply` actions; its `observe` tells what is seen there.

    It can be stepped, explained and rendered like any other, has no time limit, and records. A `reset` without a
    seed goes on to the episode that follows the replay's in its seed's sequence.

    Args:
        replay: JSON text, a path, or an object.
        ply: How many actions are played, 0 to the replay's length. None: all.
        server: As of `verify_replay`.
        token: As of `verify_replay`.
        tls: As of `verify_replay`.
        tls_client: As of `verify_replay`.
        timeout_s: Seconds to wait for any answer.
        wire_encoding: As of `BlockloomEnv`.
        mask_in_obs: As of `BlockloomEnv`.
        render_mode: As of `BlockloomEnv`.

    Raises:
        InvalidArgumentError: The replay does not verify, or has no such ply.
    """
    from blockloom.env import BlockloomEnv  # it offers this function as a method

    server = single_server(server)
    address = addresses(server, workers=1, token=token, tls=tls, tls_client=tls_client)[0]
    body: dict[str, Any] = {"replayJson": replay_text(replay)}
    if ply is not None:
        body["ply"] = integer("ply", ply, low=-(2**31))
    remote = RemoteEnv(address, _plain_settings(wire_encoding, timeout_s), 1, load=body)
    config: dict[str, Any] = dict(remote.spec.config)
    try:
        env = BlockloomEnv(
            remote.spec.game_id,
            record=True,
            wire_encoding=wire_encoding,
            server=server,
            token=token,
            tls=tls,
            tls_client=tls_client,
            timeout_s=timeout_s,
            mask_in_obs=mask_in_obs,
            render_mode=render_mode,
            config=config,
        )
    except BaseException:
        remote.close()
        raise
    env._stand_in(remote, _start(body["replayJson"]))
    return env


def _start(replay_json: str) -> Start:
    """The episode of a replay that the server has found right."""
    replay = json.loads(replay_json)
    return Start((("daily", replay["daily"]),) if "daily" in replay else int(replay["seed"]), 0)


def _plain_settings(wire_encoding: WireEncodingName, timeout_s: float) -> Settings:
    """What an environment that stands at a ply is made with, apart from its game."""
    return settings(
        "",
        config={},
        max_episode_steps=None,
        autoreset_mode="disabled",
        illegal_action="refuse",
        reward="score",
        wire_encoding=wire_encoding,
        record=True,
        timeout_s=timeout_s,
    )


def replay_text(replay: Replay) -> str:
    """The JSON text of a replay."""
    if isinstance(replay, str):
        return replay
    if isinstance(replay, os.PathLike):
        return Path(replay).read_text(encoding="utf-8")
    if isinstance(replay, Mapping):
        return json.dumps(replay)
    raise InvalidArgumentError(
        f"a replay is of type {type(replay).__name__}; allowed: JSON text, a path object, or the decoded object"
    )
