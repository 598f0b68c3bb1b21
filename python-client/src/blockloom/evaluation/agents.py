"""Agents by name: baselines, weights that come with the package, files of weights, and Python objects."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from blockloom import baselines
from blockloom.agents import Agent
from blockloom.baselines import Policy
from blockloom.errors import InvalidArgumentError
from blockloom.evaluation.episodes import as_agent

WEIGHTS = Path(__file__).parents[1] / "learning" / "weights"
"""Where the weights that come with the package are."""
SUFFIXES = (".json", ".npz")


def weight_names() -> tuple[str, ...]:
    """The files of weights that come with the package."""
    return tuple(sorted(path.name for path in WEIGHTS.iterdir() if path.suffix in SUFFIXES))


def load_agent(name: str, game_id: str, settings: Mapping[str, Any] | None = None) -> Agent:
    """An agent by its name.

    Args:
        name: One of

            - ``"random"``, ``"greedy"`` or ``"scripted"``: a baseline of the game;
            - ``"hand"``: in the tray games, the search by its hand-made value alone;
            - a file that a training program wrote (``.json`` or ``.npz``), or the name of one that comes with the
              package, see `weight_names`;
            - ``"module:object"``: an `Agent`, a class of agents, or a policy: a function of environment, observation
              and info as `blockloom.baselines` makes them. The current folder is looked into as well.

            After a comma its settings can follow, such as ``"weights.npz,beam_width=50"``.
        game_id: The game.
        settings: Keywords of the agent, for those that it has. What the name says comes first.

    Raises:
        InvalidArgumentError: There is no such agent, or it is not for this game.
    """
    if Path(name).is_file():
        target, own = name, {}
    else:
        target, *pairs = name.split(",")
        own = dict(_pair(name, pair) for pair in pairs)
    builder = _builder(target, game_id)
    unknown = sorted(own.keys() - builder.settings)
    if unknown:
        allowed = ", ".join(sorted(builder.settings)) or "none"
        raise InvalidArgumentError(f"agent {target!r} has no setting {unknown[0]!r}; allowed: {allowed}")
    common = {key: value for key, value in (settings or {}).items() if key in builder.settings}
    try:
        return builder.make(**{**common, **own})
    except (OSError, TypeError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"agent {target!r} cannot be made: {error or type(error).__name__}") from error


@dataclass(frozen=True)
class Builder:
    """What makes an agent, and the names of the keywords that it takes."""

    make: Callable[..., Agent]
    settings: frozenset[str] = frozenset()


def _builder(target: str, game_id: str) -> Builder:
    path = Path(target)
    if not path.is_file():
        if target in baselines.NAMES:
            return _baseline(target, game_id)
        if target == "hand":
            from blockloom.learning.tray import GAMES, TrayAgent

            _check_game(target, game_id, GAMES)
            return Builder(partial(TrayAgent, game_id), _settings_of(TrayAgent) - {"hand_weight"})
        packaged = [WEIGHTS / f"{target}{suffix}" for suffix in ("", *SUFFIXES)]
        found = [file for file in packaged if file.name in weight_names()]
        if not found and ":" in target:
            return _imported(target)
        if not found:
            known = ", ".join([*baselines.NAMES, "hand", *weight_names()])
            raise InvalidArgumentError(
                f"there is no agent {target!r}; allowed: {known}, a file of weights, module:object"
            )
        path = found[0]
    return _stored(path, target, game_id)


def _baseline(name: str, game_id: str) -> Builder:
    if name == "random":
        return Builder(lambda seed=0: as_agent(baselines.make(game_id, name, seed=seed)), frozenset({"seed"}))
    return Builder(lambda: as_agent(baselines.make(game_id, name)))


def _stored(path: Path, target: str, game_id: str) -> Builder:
    """The agent of a file of weights."""
    if path.suffix not in SUFFIXES:
        raise InvalidArgumentError(f"agent {target!r} is a file that ends in {path.suffix!r}; allowed: .json, .npz")
    try:
        return _of_json(path, target, game_id) if path.suffix == ".json" else _of_npz(path, target, game_id)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"agent {target!r} holds no weights that can be read: {error}") from error


def _of_json(path: Path, target: str, game_id: str) -> Builder:
    from blockloom.learning.stackcraft import GAME, SCALES, StackcraftAgent

    stored = json.loads(path.read_text(encoding="utf-8"))
    weights = stored.get("weights") if isinstance(stored, dict) else None
    if not isinstance(weights, dict) or set(weights) != set(SCALES):
        raise InvalidArgumentError(f"agent {target!r} is no file of Stackcraft weights")
    _check_game(target, game_id, (GAME,))
    return Builder(partial(StackcraftAgent.load, path), _settings_of(StackcraftAgent))


def _of_npz(path: Path, target: str, game_id: str) -> Builder:
    with np.load(path) as stored:
        names = set(stored.files)
        games = (str(stored["game_id"]),) if "game_id" in names else ("Hourloom-v1",)
    if "weights" in names and "game_id" in names:
        from blockloom.learning.tray import TrayAgent

        _check_game(target, game_id, games)
        return Builder(partial(TrayAgent.load, path), _settings_of(TrayAgent))
    if "actor0" in names:
        from blockloom.learning.hourloom.agent import HourloomAgent

        _check_game(target, game_id, games)
        return Builder(partial(HourloomAgent.load, path), _settings_of(HourloomAgent))
    raise InvalidArgumentError(f"agent {target!r} holds no weights of an agent of this package")


def _imported(target: str) -> Builder:
    """``module:object`` as it is, or made if it is a class."""
    module, _, name = target.partition(":")
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except (ImportError, ValueError, SyntaxError) as error:
        raise InvalidArgumentError(f"agent {target!r}: the module cannot be imported: {error}") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise InvalidArgumentError(f"agent {target!r}: {module} has no {name}")
        found = getattr(found, part)
    if inspect.isclass(found):
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return Builder(lambda **settings: as_agent(_player(target, found(**settings))), _settings_of(found, kinds))
    player = as_agent(_player(target, found))
    return Builder(lambda: player)


def _player(target: str, found: Any) -> Agent | Policy:
    if not callable(found):
        raise InvalidArgumentError(
            f"agent {target!r} is of type {type(found).__name__}; allowed: an Agent, a class of agents, or a policy"
        )
    player: Agent | Policy = found
    return player


def _check_game(target: str, game_id: str, games: tuple[str, ...]) -> None:
    if game_id not in games:
        raise InvalidArgumentError(f"agent {target!r} plays {', '.join(games)}, not {game_id}")


def _settings_of(
    kind: Callable[..., Any], kinds: tuple[Any, ...] = (inspect.Parameter.KEYWORD_ONLY,)
) -> frozenset[str]:
    """The keywords of a class; of an agent of this package those that can be nothing else."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except ValueError:
        return frozenset()
    return frozenset(each.name for each in parameters if each.kind in kinds)


def _pair(name: str, pair: str) -> tuple[str, int | float | str]:
    key, equals, text = pair.partition("=")
    if not (key and equals and text):
        raise InvalidArgumentError(f"agent {name!r}: {pair!r} is no setting; allowed: key=value")
    for kind in (int, float):
        try:
            return key, kind(text)
        except ValueError:
            continue
    return key, text
