"""Plays one episode of each of many seeds, many of them side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from blockloom.agents import Agent, PolicyAgent
from blockloom.baselines import Policy
from blockloom.errors import InvalidArgumentError
from blockloom.vector import BlockloomVectorEnv

MOST_ROWS = 1024
"""Rows that are played side by side when nothing else is asked for."""

Counts: TypeAlias = npt.NDArray[np.int64]
Progress: TypeAlias = Callable[[int, int], None]
"""``progress(games, steps)``: how many games are over, and how many steps were taken, so far."""


def as_agent(player: Agent | Policy) -> Agent:
    """An agent as it is, and a policy as an agent."""
    return player if isinstance(player, Agent) else PolicyAgent(player)


def play_episodes(
    agent: Agent | Policy,
    game_id: str,
    seeds: Sequence[int],
    *,
    cap: int,
    num_envs: int | None = None,
    num_workers: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> dict[str, Counts]:
    """Plays the first episode of each seed, for at most `cap` steps.

    A row whose episode is over takes the next seed. What is played does not depend on the number of rows, unless the
    agent draws lots.

    Args:
        agent: Chooses the actions.
        game_id: The game, such as ``"Stackcraft-v1"``.
        seeds: At least one.
        cap: Most steps of an episode, at least 1.
        num_envs: Rows that are played side by side. None: one a seed, at most 1,024.
        num_workers: Embedded servers to spread the rows over; not with ``server``.
        progress: Called after every step.
        **settings: Further keywords of `BlockloomVectorEnv`, such as ``server`` and ``config``.

    Returns:
        int64 ``(len(seeds),)`` each: every outcome of the game by its name, such as ``score``; ``steps``; ``truncated``
        (0 or 1); and ``illegal``: how many actions were refused.

    Raises:
        InvalidArgumentError: No seed, a cap below 1, or what the environment refuses.
    """
    return timed_episodes(
        agent, game_id, seeds, cap=cap, num_envs=num_envs, num_workers=num_workers, progress=progress, **settings
    )[0]


def timed_episodes(
    agent: Agent | Policy,
    game_id: str,
    seeds: Sequence[int],
    *,
    cap: int,
    num_envs: int | None = None,
    num_workers: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> tuple[dict[str, Counts], float]:
    """As `play_episodes`, and the seconds that it took once the servers were there."""
    seeds = list(seeds)
    if not seeds:
        raise InvalidArgumentError("seeds are empty; allowed: at least one seed")
    if cap < 1:
        raise InvalidArgumentError(f"cap={cap}; allowed: at least 1")
    rows = min(MOST_ROWS if num_envs is None else num_envs, len(seeds))
    envs = BlockloomVectorEnv(game_id, rows, max_episode_steps=cap, num_workers=num_workers, **settings)
    try:
        start = time.perf_counter()
        return _play(as_agent(agent), envs, seeds, progress), time.perf_counter() - start
    finally:
        envs.close()


def _play(agent: Agent, envs: BlockloomVectorEnv, seeds: list[int], progress: Progress | None) -> dict[str, Counts]:
    names = tuple(envs.game_spec.outcome_names)
    result = {name: np.zeros(len(seeds), np.int64) for name in (*names, "steps", "truncated", "illegal")}
    rows = envs.num_envs
    place = np.arange(rows)  # of its seed
    begun = rows
    active = np.ones(rows, np.bool_)
    obs, info = envs.reset(seed=seeds[:rows])
    while active.any():
        obs, _, terminations, truncations, info = envs.step(agent.act(envs, obs, info, active))
        at = place[active]
        result["steps"][at] += 1
        result["illegal"][at] += info["illegal_action"][active]
        over = active & (terminations | truncations)
        result["truncated"][place[over]] = (truncations & ~terminations)[over]
        for name in names:
            result[name][at] = info[name][active]
        active &= ~over
        if progress is not None:
            progress(begun - int(active.sum()), int(result["steps"].sum()))
        free = np.flatnonzero(over)[: len(seeds) - begun]
        if len(free):
            place[free] = np.arange(begun, begun + len(free))
            begun += len(free)
            active[free] = True
            obs, info = _begin(envs, free, [seeds[i] for i in place[free]])
    return result


def _begin(envs: BlockloomVectorEnv, rows: npt.NDArray[np.int64], seeds: list[int]) -> tuple[Any, Any]:
    """Resets some rows, each to a seed."""
    given: list[int | None] = [None] * envs.num_envs
    for row, seed in zip(rows, seeds, strict=True):
        given[row] = seed
    mask = np.zeros(envs.num_envs, np.bool_)
    mask[rows] = True
    return envs.reset(seed=given, options={"reset_mask": mask})
