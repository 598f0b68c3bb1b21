"""Trains a player of Hourloom: ``python -m blockloom.learning.train_hourloom --out weights.npz``.

Proximal policy optimization over options: which keystone, exit, spark, gate or plate comes next, and how long to stay
on a plate. How an option is walked is planned from what is seen; which one is taken is learned from the points alone,
starting from chance. The same command and seed play the same games, however long they are given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockloom.learning.hourloom.agent import GAME, Planner
from blockloom.learning.hourloom.chambers import MULTIPLIER
from blockloom.learning.hourloom.policy import OptionPolicy
from blockloom.learning.hourloom.ppo import Decisions, PpoSettings, learn
from blockloom.vector import BlockloomVectorEnv

HASHED_STEPS = 10_000
EPISODES_OF_LATE = 300


@dataclass
class Settings:
    """How to train."""

    minutes: float = 15.0
    most_steps: int = 1 << 62
    seed: int = 0
    num_envs: int = 256
    start_chambers: tuple[int, ...] = (1, 2, 3, 4)
    """The chambers that runs start in, each in an equal share of the rows."""
    decisions: int = 2048
    """How many to learn from at a time."""
    cap: int = 3000
    start: Path | None = None
    """Weights to go on from."""
    ppo: PpoSettings = field(default_factory=PpoSettings)


@dataclass
class Progress:
    """What came of it."""

    steps: int = 0
    decisions: int = 0
    illegal: int = 0
    """How many actions were refused."""
    digest: str = ""
    """SHA-256 of the rewards of the first 10,000 steps, as float32."""
    curve: list[dict[str, float]] = field(default_factory=list)
    """About every ten seconds: minutes, steps, and means over the last 300 episodes that began in chamber 1."""
    scores: list[int] = field(default_factory=list)
    """The score of every finished episode that began in chamber 1, in order."""


class Rows:
    """Vectors that start in different chambers, stepped as one."""

    def __init__(self, settings: Settings) -> None:
        self.chambers = settings.start_chambers
        self.share = settings.num_envs // len(self.chambers)
        self.count = self.share * len(self.chambers)
        limits: dict[str, Any] = {"max_episode_steps": settings.cap, "autoreset_mode": "same_step"}
        self._envs = [BlockloomVectorEnv(GAME, self.share, start_chamber=n, **limits) for n in self.chambers]
        self.obs: dict[str, npt.NDArray[Any]] = {}
        self.mask = np.zeros((self.count, 0), np.int8)

    def reset(self, seed: int) -> None:
        """Row i plays the episodes of ``seed + i``."""
        parts = [env.reset(seed=seed + number * self.share) for number, env in enumerate(self._envs)]
        self._keep([part[0] for part in parts], [part[1] for part in parts])

    def step(self, actions: npt.NDArray[np.int32]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_], list[Any]]:
        """Rewards and ends of all rows, and the infos of each vector."""
        for env, own in zip(self._envs, np.split(actions, len(self._envs)), strict=True):
            env.send(own)
        parts = [env.recv() for env in self._envs]
        infos = [part[4] for part in parts]
        self._keep([part[0] for part in parts], infos)
        rewards = np.concatenate([part[1] for part in parts])
        return rewards, np.concatenate([part[2] | part[3] for part in parts]), infos

    def close(self) -> None:
        """Frees the vectors."""
        for env in self._envs:
            env.close()

    def _keep(self, observations: list[Any], infos: list[Any]) -> None:
        self.obs = {name: np.concatenate([part[name] for part in observations]) for name in observations[0]}
        self.mask = np.concatenate([info["action_mask"] for info in infos])


class Report:
    """Counts what happens and tells of it."""

    def __init__(self, settings: Settings, rows: Rows) -> None:
        self.progress = Progress()
        self._settings = settings
        self._rows = rows
        self._hash = hashlib.sha256()
        self._recent: deque[tuple[float, float, bool]] = deque(maxlen=EPISODES_OF_LATE)
        self._start = self._told = time.monotonic()

    @property
    def share(self) -> float:
        """How much of the time or the steps is spent."""
        by_time = (time.monotonic() - self._start) / (self._settings.minutes * 60)
        return max(by_time, self.progress.steps / self._settings.most_steps)

    def count(self, rewards: npt.NDArray[Any], over: npt.NDArray[np.bool_], infos: list[Any]) -> None:
        """Takes note of one step of all rows."""
        progress = self.progress
        if progress.steps < HASHED_STEPS:
            self._hash.update(rewards[: HASHED_STEPS - progress.steps].astype("<f4").tobytes())
            progress.digest = self._hash.hexdigest()
        progress.steps += len(rewards)
        ends = np.split(over, len(infos))
        for chamber, end, info in zip(self._rows.chambers, ends, infos, strict=True):
            progress.illegal += int(info["illegal_action"].sum())
            for row in np.flatnonzero(end) if chamber == 1 else ():
                final = info["final_info"]
                self._recent.append((final["score"][row], final["chamber"][row], final["chamber"][row] > 1))
                progress.scores.append(int(final["score"][row]))

    def is_due(self) -> bool:
        """Whether it is time to tell."""
        return time.monotonic() - self._told >= 10

    def tell(self, seen: dict[str, float]) -> None:
        """Adds a point to the curve and prints it behind a bar of progress."""
        self._told = time.monotonic()
        progress, minutes = self.progress, (self._told - self._start) / 60
        score, chamber, sealed = np.mean(self._recent, axis=0) if self._recent else (float("nan"),) * 3
        point = {"minutes": round(minutes, 3), "steps": progress.steps, "decisions": progress.decisions}
        point |= {"score": float(score), "chamber": float(chamber), "sealed": float(sealed), **seen}
        progress.curve.append({**point, "episodes": len(progress.scores)})
        bar = "#" * min(20, int(20 * self.share))
        figures = " ".join(f"{name} {value:.3f}" for name, value in seen.items())
        print(
            f"[{bar:<20}] {minutes:6.2f} min {progress.steps:>10,} steps {len(progress.scores):>6,} episodes; last "
            f"{len(self._recent)}: score {score:,.0f}, chamber {chamber:.2f}, first sealed {sealed:.0%}; {figures}",
            flush=True,
        )


def train(settings: Settings, out: Path | None = None) -> tuple[OptionPolicy, Progress]:
    """Trains until the time or the steps are spent; writes the weights to `out` from time to time."""
    policy = OptionPolicy(seed=settings.seed) if settings.start is None else OptionPolicy.load(settings.start)
    rng = np.random.default_rng(settings.seed)
    rows = Rows(settings)
    planner, decisions, report = Planner(rows.count, policy, rng), Decisions(rows.count), Report(settings, rows)
    everywhere = np.arange(rows.count)
    try:
        rows.reset(settings.seed * 1_000_003 + 1_000_000_000)
        while report.share < 1:
            actions, decided, choice = planner.act(rows.obs, rows.mask, everywhere)
            if choice is not None:
                decisions.add(decided, choice)
            multiplier = rows.obs["scalars"][:, MULTIPLIER].astype(np.float32)
            rewards, over, infos = rows.step(actions)
            decisions.earn((rewards / multiplier).astype(np.float32), over)
            report.count(rewards, over, infos)
            if decisions.count >= settings.decisions + rows.count:
                batch = decisions.take(policy, settings.ppo)
                report.progress.decisions += len(batch.advantage)
                seen = learn(policy, batch, settings.ppo, rng)
                if report.is_due():
                    report.tell(seen)
                    if out is not None:
                        policy.save(out)
    finally:
        rows.close()
    report.tell({})
    return policy, report.progress


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m blockloom.learning.train_hourloom", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="npz file for the weights; .json beside it: the curve")
    parser.add_argument("--minutes", type=float, default=Settings.minutes)
    parser.add_argument("--steps", dest="most_steps", type=int, default=Settings.most_steps)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument(
        "--start-chambers", type=_numbers, default=Settings.start_chambers, help="such as 1,1,2: shares of the rows"
    )
    for name in ("seed", "num_envs", "decisions", "cap"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Settings, name))
    of_ppo = {name: type(value) for name, value in vars(PpoSettings()).items()}
    for name, kind in of_ppo.items():
        parser.add_argument(f"--{name}", type=kind, default=getattr(PpoSettings, name))
    given = vars(parser.parse_args(argv))
    out: Path = given.pop("out")
    ppo = PpoSettings(**{name: given.pop(name) for name in of_ppo})
    settings = Settings(ppo=ppo, **given)
    policy, progress = train(settings, out)
    policy.save(out)
    told = {name: str(value) if isinstance(value, Path) else value for name, value in vars(settings).items()}
    told["ppo"] = vars(ppo)
    results = {name: value for name, value in vars(progress).items() if name != "scores"}
    out.with_suffix(".json").write_text(json.dumps({"settings": told, **results}), encoding="utf-8")
    print(f"rewards of the first {HASHED_STEPS:,} steps: sha256 {progress.digest}; illegal actions: {progress.illegal}")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    main()
