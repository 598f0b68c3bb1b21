"""Trains a player of Stackcraft: ``python -m blockloom.learning.train_stackcraft --out weights.json``.

The cross-entropy method (Szita and Lorincz, "Learning Tetris using the noisy cross-entropy method"): sets of weights
are drawn around a mean, each plays the same games, and mean and spread move to those of the best. No game of training
is one of seeds 0 to 1,999,999,999.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blockloom.learning.stackcraft import GAME, SCALES, choose
from blockloom.vector import BlockloomVectorEnv

HASHED_STEPS = 10_000
FIRST_SEED = 2_000_000_000


@dataclass
class Settings:
    """How to train."""

    minutes: float = 10.0
    most_generations: int = 1 << 62
    seed: int = 0
    target: str = "score"
    depth: int = 1
    beam_width: int = 34
    population: int = 40
    elite: int = 8
    games: int = 10
    pieces: int = 200
    spread: float = 0.3
    noise: float = 0.04
    num_workers: int = 2
    start: Path | None = None


@dataclass
class Progress:
    """What came of it."""

    mean: npt.NDArray[np.float64]
    spread: npt.NDArray[np.float64]
    generations: int = 0
    steps: int = 0
    digest: str = ""
    """SHA-256 of the rewards of the first 10,000 steps, as float32."""
    curve: list[dict[str, float]] = field(default_factory=list)


def train(settings: Settings) -> Progress:
    """Trains until the time or the generations are spent."""
    rng = np.random.default_rng(settings.seed)
    progress = Progress(first_mean(settings.start), np.full(len(SCALES), settings.spread))
    rewards_hash = hashlib.sha256()
    start = time.monotonic()
    envs = BlockloomVectorEnv(
        GAME, settings.population * settings.games, num_workers=settings.num_workers, cells="occupancy"
    )
    try:
        while progress.generations < settings.most_generations and time.monotonic() - start < settings.minutes * 60:
            drawn = progress.mean + progress.spread * rng.standard_normal((settings.population, len(SCALES)))
            games = FIRST_SEED + settings.seed * 1_000_000 + progress.generations * settings.games
            results, rewards = play(envs, drawn, games, settings)
            if progress.steps < HASHED_STEPS:
                rewards_hash.update(rewards[: HASHED_STEPS - progress.steps].astype("<f4").tobytes())
            progress.steps += len(rewards)
            best = drawn[np.argsort(-results, kind="stable")[: settings.elite]]
            # Only the direction of the weights matters.
            scale = float(np.linalg.norm(best.mean(axis=0)))
            progress.mean = best.mean(axis=0) / scale
            shrinking = settings.noise * max(0.0, 1 - progress.generations / 20)
            progress.spread = best.std(axis=0) / scale + shrinking
            progress.generations += 1
            tell(progress, settings.target, results, (time.monotonic() - start) / 60)
    finally:
        envs.close()
    progress.digest = rewards_hash.hexdigest()
    return progress


def first_mean(start: Path | None) -> npt.NDArray[np.float64]:
    """Nothing but a dislike of holes and height, or the weights of a file."""
    if start is not None:
        stored = json.loads(start.read_text(encoding="utf-8"))["weights"]
        mean = np.array([stored[name] for name in SCALES])
    else:
        mean = np.array([-1.0 if name in ("holes", "landing_height") else 0.0 for name in SCALES])
    return np.asarray(mean / np.linalg.norm(mean), np.float64)


def play(
    envs: BlockloomVectorEnv, drawn: npt.NDArray[np.float64], first_seed: int, settings: Settings
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The mean score, or lines, of each set of weights over the same games, and all rewards in order of play."""
    games, n = settings.games, envs.num_envs
    envs.reset(seed=[first_seed + row % games for row in range(n)])
    owners = np.repeat(drawn, games, axis=0)
    alive = np.ones(n, np.bool_)
    results = np.zeros(n)
    rewards = []
    for _ in range(settings.pieces):
        rows = np.flatnonzero(alive)
        actions = np.zeros(n, np.int32)
        actions[rows] = choose(envs, rows, owners[rows], beam_width=settings.beam_width, depth=settings.depth)
        _, reward, terminations, _, info = envs.step(actions)
        results[rows] = info[settings.target][rows]
        rewards.append(reward[rows])
        alive &= ~terminations
        if not alive.any():
            break
    return results.reshape(-1, games).mean(axis=1), np.concatenate(rewards)


def tell(progress: Progress, target: str, results: npt.NDArray[np.float64], minutes: float) -> None:
    """Adds a point to the curve and prints it."""
    point = {"minutes": round(minutes, 3), "steps": progress.steps, "generation": progress.generations}
    progress.curve.append({**point, target: float(results.mean()), "best": float(results.max())})
    print(
        f"{minutes:6.2f} min generation {progress.generations:>3} {progress.steps:>10,} steps: "
        f"mean {target} {results.mean():,.1f}, best {results.max():,.1f}, spread {progress.spread.mean():.3f}",
        flush=True,
    )


def save(path: Path, settings: Settings, progress: Progress) -> None:
    """Writes the weights with how they came about."""
    report = {
        "game": GAME,
        "depth": settings.depth,
        "beam_width": settings.beam_width,
        "weights": dict(zip(SCALES, progress.mean.tolist(), strict=True)),
        "settings": {name: str(value) if isinstance(value, Path) else value for name, value in vars(settings).items()},
        "generations": progress.generations,
        "steps": progress.steps,
        "digest": progress.digest,
        "curve": progress.curve,
    }
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m blockloom.learning.train_stackcraft", description=__doc__)
    parser.add_argument("--minutes", type=float, default=Settings.minutes)
    parser.add_argument("--generations", dest="most_generations", type=int, default=Settings.most_generations)
    parser.add_argument("--out", type=Path, required=True, help="JSON file for the weights and the learning curve")
    parser.add_argument("--start", type=Path, help="weights to start from")
    parser.add_argument("--target", choices=("score", "lines"), default=Settings.target, help="what to play for")
    parser.add_argument("--depth", type=int, choices=(1, 2), default=Settings.depth, help="2: look at the next piece")
    for name in ("seed", "beam_width", "population", "elite", "games", "num_workers"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Settings, name))
    for name in ("spread", "noise"):
        parser.add_argument(f"--{name}", type=float, default=getattr(Settings, name))
    given = vars(parser.parse_args(argv))
    out: Path = given.pop("out")
    settings = Settings(**given)
    progress = train(settings)
    save(out, settings, progress)
    print(f"rewards of the first {HASHED_STEPS:,} steps: sha256 {progress.digest}")


if __name__ == "__main__":
    main()
