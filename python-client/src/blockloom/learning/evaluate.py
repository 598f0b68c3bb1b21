"""Plays an episode of each of many seeds at once: ``python -m blockloom.learning.evaluate --agent F --seeds A:B``.

``--agent`` is a file that one of the training programs wrote (``stackcraft_score.json``, ``stackcraft_lines.json`` and
``stackcraft_score_one_piece.json`` come with the package), ``hand`` (the search by its hand-made value alone),
``greedy`` or ``random``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom import baselines
from blockloom.agents import Agent, PolicyAgent
from blockloom.learning.stackcraft import GAME, StackcraftAgent
from blockloom.learning.tray import TrayAgent
from blockloom.vector import BlockloomVectorEnv

WEIGHTS = Path(__file__).parent / "weights"
"""Where weights that come with the package are."""


def play_episodes(
    agent: Agent, game_id: str, seeds: Sequence[int], *, cap: int, num_workers: int | None = None, **config: Any
) -> dict[str, npt.NDArray[np.int64]]:
    """Plays the first episode of each seed, for at most `cap` steps.

    Returns:
        int64 arrays with one value a seed: ``score``, ``lines``, ``steps``, ``truncated`` (0 or 1) and ``illegal`` (how
        many actions were refused).
    """
    n = len(seeds)
    envs = BlockloomVectorEnv(game_id, n, max_episode_steps=cap, num_workers=num_workers, **config)
    result = {name: np.zeros(n, np.int64) for name in ("score", "lines", "steps", "truncated", "illegal")}
    active = np.ones(n, np.bool_)
    try:
        obs, info = envs.reset(seed=list(seeds))
        while active.any():
            obs, _, terminations, truncations, info = envs.step(agent.act(envs, obs, info, active))
            result["steps"] += active
            result["illegal"] += active & info["illegal_action"]
            for name in ("score", "lines"):
                result[name][active] = info[name][active]
            result["truncated"] += active & truncations & ~terminations
            active &= ~(terminations | truncations)
    finally:
        envs.close()
    return result


def interval(values: npt.NDArray[Any], *, resamples: int = 10_000) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean (percentiles, fixed generator)."""
    rng = np.random.default_rng(0)
    means = rng.choice(values, (resamples, len(values))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def load_agent(name: str, game_id: str, settings: dict[str, Any]) -> Agent:
    """The agent of a file (also one in the package's folder of weights), ``hand``, or a baseline by its name."""
    if name in ("random", "greedy"):
        return PolicyAgent(baselines.make(game_id, name, seed=0))
    if name.endswith(".json"):
        return StackcraftAgent.load(name if Path(name).exists() else WEIGHTS / name, **settings)
    if name == "hand":
        return TrayAgent(game_id, **settings)
    return TrayAgent.load(name, **settings)


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m blockloom.learning.evaluate", description=__doc__)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--game", required=True)
    parser.add_argument("--seeds", default="0:200", help="first:last + 1")
    parser.add_argument("--cap", type=int, help="most steps of an episode; default 5000, Stackcraft 200")
    parser.add_argument("--beam-width", type=int)
    parser.add_argument("--depth", type=int)
    parser.add_argument("--hand-weight", type=float)
    parser.add_argument("--num-workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="JSON file for the result of every seed")
    given = parser.parse_args(argv)
    first, last = (int(part) for part in given.seeds.split(":"))
    cap = given.cap if given.cap is not None else 200 if given.game == GAME else 5000
    settings = {name: getattr(given, name) for name in ("beam_width", "depth", "hand_weight")}
    agent = load_agent(given.agent, given.game, {name: value for name, value in settings.items() if value is not None})
    start = time.monotonic()
    result = play_episodes(agent, given.game, range(first, last), cap=cap, num_workers=given.num_workers)
    report: dict[str, Any] = {"game": given.game, "agent": given.agent, "seeds": given.seeds, "cap": cap, **settings}
    for name in ("score", "lines", "steps"):
        low, high = interval(result[name])
        report[name] = {"mean": float(result[name].mean()), "low": low, "high": high}
        report[name]["median"] = float(np.median(result[name]))
    report["truncated"] = float(result["truncated"].mean())
    report["illegal"] = int(result["illegal"].sum())
    report["seconds"] = round(time.monotonic() - start, 1)
    print(json.dumps(report))
    if given.out is not None:
        rows = {name: values.tolist() for name, values in result.items()}
        given.out.write_text(json.dumps({**report, "rows": rows}), encoding="utf-8")


if __name__ == "__main__":
    main()
