"""Trains a player of a tray game: ``python -m blockloom.learning.train_tray --game BlockPuzzle8-v1 --out weights.npz``.

The value of the board after a whole tray is spent, before the next is dealt, is learned by TD(0) while playing: its
target is the points of the next tray above the usual and the value of the board after it, or a penalty where no next
tray could be spent. Measured from the usual, penalties included, a board that looks like nothing seen so far counts as
an ordinary one; else all that is known would come to look worse than what is not. The search is the server's, which is
sent the value from time to time. The same command and seed play the same games, however long they are given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blockloom.learning import tray
from blockloom.vector import BlockloomVectorEnv

HASHED_STEPS = 10_000
SETS_OF_LATE = 20_000
SETS_TO_SEND = 4096
"""The server searches by weights that are as old as this at most: they are a megabyte."""


@dataclass
class Settings:
    """How to train."""

    game: str
    minutes: float = 15.0
    most_steps: int = 1 << 62
    seed: int = 0
    num_envs: int = 512
    num_workers: int = 2
    beam_width: int = 4
    depth: int = 3
    hand_weight: float | None = None
    """Times the hand-made value while playing; None: as in play afterwards."""
    gamma: float = 0.97
    rate: float = 0.3
    penalty: float = 1500.0
    cap: int = 5000
    start: Path | None = None
    """Weights to go on from."""


@dataclass
class Progress:
    """What came of it."""

    steps: int = 0
    digest: str = ""
    """SHA-256 of the rewards of the first 10,000 steps, as float32."""
    curve: list[dict[str, float]] = field(default_factory=list)
    """About every ten seconds: minutes, steps, and the mean score and length of the last 200 finished episodes."""
    scores: list[int] = field(default_factory=list)
    """The score of every finished episode, in order."""


class Learner:
    """The rows under way, what is planned in them, and the board from which each will be valued."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.value = tray.new_value(settings.game)
        if settings.start is not None:
            game, self.value = tray.load_value(settings.start)
            if game != settings.game:
                raise ValueError(f"{settings.start} holds weights of {game}")
        n = settings.num_envs
        self._plans = np.full((n, 3), -1, np.int32)
        self._waiting = np.zeros(n, np.bool_)
        """Rows that have a board after a spent tray, whose value is still to be learned."""
        self._indices = np.zeros((n, self.value.active), np.int32)
        self._points = np.zeros(n)
        """Points since that board."""
        self._usual: float | None = None
        """The mean reward of a tray, of late: its points, less the penalty where the game ended."""
        self._sent = self.value.weights.copy()
        self._since_sent = 0

    def actions(self, envs: BlockloomVectorEnv) -> npt.NDArray[np.int32]:
        """The next action of every row, after planning and learning where a plan has ended."""
        rows = np.flatnonzero(self._plans[:, 0] < 0)
        if len(rows):
            self._plan(envs, rows)
        actions = self._plans[:, 0].copy()
        self._plans[:, :2] = self._plans[:, 1:]
        self._plans[:, 2] = -1
        return np.asarray(np.maximum(actions, 0), np.int32)

    def _plan(self, envs: BlockloomVectorEnv, rows: npt.NDArray[np.int64]) -> None:
        settings = self.settings
        by_hand = settings.hand_weight if settings.hand_weight is not None else tray.HAND_WEIGHT[settings.game]
        choice = tray.choose(
            envs,
            rows,
            settings.game,
            self.value,
            beam_width=settings.beam_width,
            depth=settings.depth,
            hand_weight=by_hand,
            gamma=settings.gamma,
            weights=self._sent,
        )
        self._since_sent += len(rows)
        if self._since_sent >= SETS_TO_SEND:
            self._sent, self._since_sent = self.value.weights.copy(), 0
        self._plans[choice.rows] = choice.sequences
        self._points[choice.rows] += choice.rewards
        # Other sequences leave pieces behind that fit nowhere: what comes next is the end.
        spent = self._is_whole(choice)
        rows, indices = choice.rows[spent], choice.indices[spent]
        known = self._waiting[rows]
        targets = self._above_usual(self._points[rows]) + settings.gamma * choice.values[spent]
        self._learn(rows[known], targets[known])
        self._indices[rows] = indices
        self._waiting[rows] = True
        self._points[rows] = 0

    def _above_usual(self, rewards: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if len(rewards):
            mean = float(rewards.mean())
            usual = mean if self._usual is None else self._usual
            self._usual = usual + (mean - usual) * len(rewards) / (len(rewards) + SETS_OF_LATE)
        above: npt.NDArray[np.float64] = rewards - (self._usual or 0.0)
        return above

    def _is_whole(self, choice: tray.Choice) -> npt.NDArray[np.bool_]:
        """Whether each sequence spends the tray, goes as deep as it may, or ends with a new set."""
        cells = self.value.cells
        placed = ((choice.sequences >= 0) & (choice.sequences < 3 * cells)).sum(axis=1)
        bought = (choice.sequences == 3 * cells).any(axis=1)
        whole: npt.NDArray[np.bool_] = bought | (placed == np.minimum(self._left[choice.rows], self.settings.depth))
        return whole

    def see(self, tray_piece: npt.NDArray[np.int64]) -> None:
        """Takes note of the pieces left in every row."""
        self._left = (tray_piece > 0).sum(axis=1)

    def end(self, terminations: npt.NDArray[np.bool_], truncations: npt.NDArray[np.bool_]) -> None:
        """Learns from games that are over and forgets what was planned there; the rows begin anew."""
        over = np.flatnonzero(terminations & self._waiting)
        if len(over):
            self._learn(over, self._above_usual(self._points[over] - self.settings.penalty))
        done = terminations | truncations
        self._plans[done] = -1
        self._waiting[done] = False
        self._points[done] = 0

    def _learn(self, rows: npt.NDArray[np.int64], targets: npt.NDArray[np.float64]) -> None:
        # One after another, so that each sees what those before it changed: that learns more from the same games.
        value, rate = self.value, self.settings.rate
        for row, target in zip(rows.tolist(), targets.tolist(), strict=True):
            indices = self._indices[row]
            value.learn(indices, target - float(value.weights[indices].sum()), rate)


def train(settings: Settings, out: Path | None = None) -> tuple[Learner, Progress]:
    """Trains until the time or the steps are spent; writes the value to `out` from time to time and at the end."""
    learner, progress = Learner(settings), Progress()
    rewards_hash = hashlib.sha256()
    recent: deque[tuple[int, int]] = deque(maxlen=200)
    envs = BlockloomVectorEnv(
        settings.game,
        settings.num_envs,
        max_episode_steps=settings.cap,
        autoreset_mode="same_step",
        num_workers=settings.num_workers,
    )
    start = told = time.monotonic()
    try:
        obs, _ = envs.reset(seed=settings.seed * 1_000_003 + 1_000_000_000)
        while progress.steps < settings.most_steps and time.monotonic() - start < settings.minutes * 60:
            learner.see(obs["tray_piece"])
            obs, rewards, terminations, truncations, info = envs.step(learner.actions(envs))
            learner.end(terminations, truncations)
            if progress.steps < HASHED_STEPS:
                rewards_hash.update(rewards[: HASHED_STEPS - progress.steps].astype("<f4").tobytes())
            progress.steps += settings.num_envs
            done = np.flatnonzero(terminations | truncations)
            for row in done:
                final = info["final_info"]
                recent.append((int(final["score"][row]), int(final["placements"][row])))
                progress.scores.append(recent[-1][0])
            if time.monotonic() - told >= 10:
                told = time.monotonic()
                tell(progress, recent, (told - start) / 60)
                if out is not None and len(progress.curve) % 6 == 0:
                    tray.save_value(out, settings.game, learner.value)
    finally:
        envs.close()
    progress.digest = rewards_hash.hexdigest()
    tell(progress, recent, (time.monotonic() - start) / 60)
    return learner, progress


def tell(progress: Progress, recent: deque[tuple[int, int]], minutes: float) -> None:
    """Adds a point to the curve and prints it."""
    score, length = np.mean(recent, axis=0) if recent else (float("nan"), float("nan"))
    point = {"minutes": round(minutes, 3), "steps": progress.steps, "score": float(score), "length": float(length)}
    progress.curve.append({**point, "episodes": len(progress.scores)})
    print(
        f"{minutes:6.2f} min {progress.steps:>10,} steps {len(progress.scores):>6,} episodes; "
        f"last {len(recent)}: mean score {score:,.0f} in {length:,.0f} placements",
        flush=True,
    )


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m blockloom.learning.train_tray", description=__doc__)
    parser.add_argument("--game", required=True, choices=tray.GAMES)
    parser.add_argument("--minutes", type=float, default=Settings.minutes)
    parser.add_argument("--steps", dest="most_steps", type=int, default=Settings.most_steps)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--out", type=Path, required=True, help="npz file for the weights; .json beside it: the curve")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--hand-weight", type=float, default=Settings.hand_weight)
    for name in ("num_envs", "num_workers", "beam_width", "depth"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Settings, name))
    for name in ("gamma", "rate", "penalty"):
        parser.add_argument(f"--{name}", type=float, default=getattr(Settings, name))
    given = vars(parser.parse_args(argv))
    out: Path = given.pop("out")
    settings = Settings(**given)
    learner, progress = train(settings, out)
    tray.save_value(out, settings.game, learner.value)
    told = {name: str(value) if isinstance(value, Path) else value for name, value in vars(settings).items()}
    report = {"settings": told, "steps": progress.steps, "digest": progress.digest, "curve": progress.curve}
    out.with_suffix(".json").write_text(json.dumps(report), encoding="utf-8")
    print(f"rewards of the first {HASHED_STEPS:,} steps: sha256 {progress.digest}")


if __name__ == "__main__":
    main()
