"""Checks the keywords that both kinds of environment take, and writes them as a MakeEnv request."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom._contract import Body
from blockloom.errors import InvalidArgumentError

RENDER_MODES = ("ansi", "human", "rgb_array")
AutoresetName: TypeAlias = Literal["next_step", "same_step", "disabled"]
IllegalActionName: TypeAlias = Literal["refuse", "reject", "terminate"]
WireEncodingName: TypeAlias = Literal["packed", "dense"]

_AUTORESET = {mode.name.lower(): mode for mode in AutoresetMode}
_AUTORESET_ON_WIRE = {mode: f"AUTORESET_MODE_{mode.name}" for mode in AutoresetMode}


@dataclass(frozen=True)
class Settings:
    """What an environment is made with, apart from its number of rows."""

    game_id: str
    config: Mapping[str, str]
    max_episode_steps: int
    autoreset_mode: AutoresetMode
    illegal_action: str
    reward: str
    wire_encoding: str
    record: bool
    timeout_s: float
    resume: bool = False
    """Whether a vector outlives its servers."""

    def to_body(self, num_envs: int) -> Body:
        """The MakeEnv request for `num_envs` rows."""
        return {
            "gameId": self.game_id,
            "numEnvs": num_envs,
            "config": dict(self.config),
            "maxEpisodeSteps": self.max_episode_steps,
            "autoresetMode": _AUTORESET_ON_WIRE[self.autoreset_mode],
            "illegalAction": f"ILLEGAL_ACTION_{self.illegal_action.upper()}",
            "reward": self.reward,
            "wireEncoding": f"WIRE_ENCODING_{self.wire_encoding.upper()}",
            "record": self.record,
        }


def settings(
    game_id: str,
    *,
    config: Mapping[str, object],
    max_episode_steps: int | None,
    autoreset_mode: AutoresetMode | str,
    illegal_action: str,
    reward: str,
    wire_encoding: str,
    record: bool,
    timeout_s: float,
    resume: bool = False,
) -> Settings:
    """Checks what can be checked without a server; raises InvalidArgumentError."""
    if not isinstance(game_id, str):
        raise InvalidArgumentError(f"game_id must be a str, not {type(game_id).__name__}")
    if not isinstance(timeout_s, Real) or not timeout_s > 0:
        raise InvalidArgumentError(f"timeout_s is {timeout_s!r}; allowed: a number above 0")
    if not isinstance(reward, str):
        raise InvalidArgumentError(f"reward={reward!r}; allowed: the name of an outcome, such as 'score'")
    return Settings(
        game_id=game_id.removeprefix("blockloom/"),
        config={key: config_text(key, value) for key, value in config.items()},
        max_episode_steps=integer("max_episode_steps", max_episode_steps or 0, low=0),
        autoreset_mode=autoreset(autoreset_mode),
        illegal_action=choice("illegal_action", illegal_action, ("refuse", "reject", "terminate")),
        reward=reward,
        wire_encoding=choice("wire_encoding", wire_encoding, ("packed", "dense")),
        record=bool(record),
        timeout_s=min(float(timeout_s), 1e6),
        resume=bool(resume),
    )


def merged_config(config: Mapping[str, object] | None, keywords: Mapping[str, object]) -> dict[str, object]:
    """The game's own settings, given as a mapping, as keywords, or as both."""
    if config is not None and not (isinstance(config, Mapping) and all(isinstance(key, str) for key in config)):
        raise InvalidArgumentError(f"config={config!r}; allowed: a mapping of the game's settings by their name")
    twice = sorted(keywords.keys() & (config or {}).keys())
    if twice:
        raise InvalidArgumentError(f"{', '.join(twice)}: given in config and as a keyword too; allowed: one of the two")
    return {**(config or {}), **keywords}


def single_server(server: object) -> str | None:
    """The keyword ``server`` where one server is all that can be used."""
    if server is None or isinstance(server, str):
        return server
    raise InvalidArgumentError(
        f"server={server!r}; allowed here: 'host:port' or 'unix:/path'; a list of servers is for gymnasium.make_vec"
    )


def config_text(key: str, value: object) -> str:
    """A config value as the contract writes it: ``true``, ``7``, or text as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise InvalidArgumentError(
            f"{key}={value!r} is of type {type(value).__name__}; allowed: str, bool or int"
        ) from None


def autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode for its enum, its value (``"NextStep"``) or its name in lower case (``"next_step"``)."""
    if isinstance(mode, AutoresetMode):
        return mode
    for name, known in _AUTORESET.items():
        if mode in (name, known.value):
            return known
    raise InvalidArgumentError(f"autoreset_mode={mode!r}; allowed: {', '.join(_AUTORESET)}")


def choice(name: str, value: str, allowed: Sequence[str]) -> str:
    """A value that is one of a few."""
    if value not in allowed:
        raise InvalidArgumentError(f"{name}={value!r}; allowed: {', '.join(allowed)}")
    return value


def integer(name: str, value: SupportsIndex, *, low: int) -> int:
    """An integer from `low` to 2**31 - 1."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{name}={value!r} is no integer") from None
    if not low <= number < 2**31:
        shown = number if abs(number) < 2**64 else "a number of more than 64 bits"
        raise InvalidArgumentError(f"{name}={shown}; allowed: {low} to {2**31 - 1}")
    return number


def action_number(action: SupportsIndex, num_actions: int) -> int:
    """The number of an action in the action space."""
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        shown = repr(action) if number < 2**64 else "a number of more than 64 bits"
        raise InvalidArgumentError(
            f"action {shown} is not in the action space; allowed: 0 to {num_actions - 1}", reason="ACTION_OUT_OF_RANGE"
        )
    return number


def native_json(action: object) -> str:
    """An action in the rules' own grammar as JSON."""
    try:
        return json.dumps(action, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidArgumentError(
            f"an action to play is of type {type(action).__name__}; allowed: what JSON can write, "
            "such as {'type': 'WAIT'} or 'r1x4'"
        ) from None


def beam(width: SupportsIndex, depth: SupportsIndex | None) -> tuple[int, int | None]:
    """The keywords ``beam_width`` and ``depth``; their limits are the server's to tell."""
    return integer("beam_width", width, low=0), None if depth is None else integer("depth", depth, low=0)


def render_mode(mode: str | None) -> str | None:
    """A render mode, or None."""
    return mode if mode is None else choice("render_mode", mode, RENDER_MODES)


def reset_options(options: Mapping[str, Any] | None) -> dict[str, str]:
    """Reset options for the server as text; ``reset_mask`` is not among them."""
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(key, str) for key in options):
        raise InvalidArgumentError(
            f"options are of type {type(options).__name__}; allowed: None, or a mapping of reset options by their name"
        )
    return {key: config_text(key, value) for key, value in options.items() if key != "reset_mask"}


def reset_mask(mask: object, rows: int) -> npt.NDArray[np.bool_]:
    """The option ``reset_mask``: bool ``(rows,)`` with at least one True, as Gymnasium demands."""
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (rows,):
        raise InvalidArgumentError(
            f"options['reset_mask'] is {array.dtype} {array.shape}; allowed: a bool array of shape ({rows},)",
            reason="BAD_RESET_MASK",
        )
    if not array.any():
        raise InvalidArgumentError("options['reset_mask'] must be True in at least one row", reason="BAD_RESET_MASK")
    return array


def worker_count(num_workers: int | None, num_envs: int, *, has_server: bool) -> int:
    """The number of embedded servers: at most one a row."""
    if num_workers is None:
        return 1
    if has_server:
        raise InvalidArgumentError("num_workers is for embedded servers; with server= give a list of servers")
    return min(num_envs, integer("num_workers", num_workers, low=1))


def batch_size(size: int | None, num_envs: int) -> int:
    """Rows of one group: a divisor of `num_envs`."""
    rows = num_envs if size is None else integer("batch_size", size, low=1)
    if num_envs % rows:
        raise InvalidArgumentError(f"batch_size={rows} does not divide num_envs={num_envs}")
    return rows
