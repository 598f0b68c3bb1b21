"""The evaluation as a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from blockloom._address import PathLike
from blockloom._contract import GameInfo
from blockloom._games import list_games
from blockloom.agents import Agent
from blockloom.baselines import Policy
from blockloom.errors import InvalidArgumentError
from blockloom.evaluation.agents import load_agent
from blockloom.evaluation.episodes import timed_episodes
from blockloom.evaluation.results import Evaluation, Played

Players: TypeAlias = "str | Sequence[str] | Mapping[str, Agent | Policy]"


def default_cap(game_id: str) -> int:
    """The most steps of a game where nothing else is asked for: 200 in Stackcraft, else 5,000."""
    return 200 if game_id == "Stackcraft-v1" else 5000


def evaluate(
    game_id: str,
    agents: Players,
    *,
    seeds: Sequence[int] = range(200),
    cap: int | None = None,
    outcome: str = "score",
    num_envs: int | None = None,
    num_workers: int | None = None,
    server: str | Sequence[str] | None = None,
    token: str | None = None,
    tls: bool | PathLike = False,
    tls_client: tuple[PathLike, PathLike] | None = None,
    config: Mapping[str, Any] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Lets agents play the first episode of each seed, and tells what they reach.

    Args:
        game_id: The game: ``"Stackcraft-v1"``, ``"blockloom/Stackcraft-v1"`` or ``"stackcraft"``.
        agents: Names as `load_agent` takes them, such as ``"greedy"`` or ``"weights.json"``; or agents and policies by
            the name that they get in the result.
        seeds: At least one.
        cap: Most steps of a game; those that reach it are truncated. None: as `default_cap` says.
        outcome: The outcome that agents are compared by, such as ``"score"``, ``"lines"`` or ``"chamber"``.
        num_envs: Games that are played side by side. None: all, but at most 1,024.
        num_workers: Embedded servers; None: one. Not with ``server``.
        server: As in `BlockloomVectorEnv`.
        token: As in `BlockloomVectorEnv`.
        tls: As in `BlockloomVectorEnv`.
        tls_client: As in `BlockloomVectorEnv`.
        config: The game's own settings by name.
        progress: Called with the agent's name, the number of games that are over and the steps taken, after each step.

    Returns:
        Figures of each agent and of each pair of them. They depend on nothing but the arguments, the times aside; of
        agents that draw lots, also on ``num_envs``.

    Raises:
        InvalidArgumentError: There is no such game, agent, outcome or setting.
        ServerDiedError: The server ended or cannot be reached.
    """
    access: dict[str, Any] = {"token": token, "tls": tls, "tls_client": tls_client}
    game = find_game(game_id, server if server is None or isinstance(server, str) else server[0], **access)
    known = tuple(game.spec.outcome_names)
    if outcome not in known:
        raise InvalidArgumentError(f"{game.game_id} has no outcome {outcome!r}; allowed: {', '.join(known)}")
    cap = default_cap(game.game_id) if cap is None else cap
    played = []
    for name, agent in _players(agents, game.game_id).items():
        outcomes, seconds = timed_episodes(
            agent,
            game.game_id,
            seeds,
            cap=cap,
            num_envs=num_envs,
            num_workers=num_workers,
            server=server,
            config=config,
            progress=None if progress is None else _named(progress, name),
            **access,
        )
        played.append(Played(name, outcomes, seconds))
    return Evaluation(game.game_id, tuple(seeds), cap, outcome, dict(config or {}), tuple(played))


def find_game(name: str, server: str | None = None, **access: Any) -> GameInfo:
    """The game of that id; capitals and the version may be left out."""
    games = list_games(server, **access)
    wanted = name.removeprefix("blockloom/").lower()
    for game in games:
        if wanted in (game.game_id.lower(), game.game_id.lower().rsplit("-", 1)[0]):
            return game
    raise InvalidArgumentError(f"there is no game {name!r}; known: {', '.join(game.game_id for game in games)}")


def _players(agents: Players, game_id: str) -> dict[str, Agent | Policy]:
    names = [agents] if isinstance(agents, str) else list(agents)
    if not names:
        raise InvalidArgumentError("agents are empty; allowed: at least one agent")
    if len(set(names)) < len(names):
        raise InvalidArgumentError(f"an agent is named twice: {', '.join(names)}")
    if isinstance(agents, Mapping):
        return dict(agents)
    return {name: load_agent(name, game_id) for name in names}


def _named(progress: Callable[[str, int, int], None], name: str) -> Callable[[int, int], None]:
    return lambda games, steps: progress(name, games, steps)
