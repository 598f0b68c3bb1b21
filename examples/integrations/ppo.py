"""Proximal policy optimization with action masks, in one file, for every game.

python examples/integrations/ppo.py --game BlockPuzzle8-v1 --steps 2000000 --run runs/blocks
python examples/integrations/ppo.py --run runs/blocks --resume
python examples/integrations/ppo.py --run runs/blocks --evaluate 0:200

The rows of a vector are played in groups: while the network thinks about one group, the server steps the others. A run
writes TensorBoard scalars, a learning curve (`ppo.json`) and checkpoints to its folder. A checkpoint also holds what
each row has played in its episode: a run that was killed goes on from it to the same weights and rewards, to the bit.

Needs torch, tensorboard and tqdm.
"""

import argparse
import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from gymnasium.vector.utils import create_empty_array
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

import blockloom
from blockloom.agents import Agent
from blockloom.learning.evaluate import interval, play_episodes
from blockloom.learning.placements import placement_features

Arrays = dict[str, npt.NDArray[Any]]
HASHED_STEPS = 10_000
CHECKPOINT = "checkpoint.pt"
FIRST_SEED = 1_000_000_000
"""Training plays seeds from here on, so that smaller ones are fresh for evaluation."""


@dataclass
class Settings:
    """How to train."""

    game: str = "BlockPuzzle8-v1"
    run: Path = Path("runs/ppo")
    steps: int = 2_000_000
    seed: int = 0
    num_envs: int = 256
    batch_size: int = 128
    """Rows that are received, thought about and sent together."""
    cap: int = 5000
    """Steps after which an episode is truncated."""
    rollout: int = 32
    """Steps of each row between two updates."""
    epochs: int = 3
    minibatch: int = 1024
    rate: float = 2e-3
    """Learning rate of the first update; it falls to 0 along a line."""
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    gradient_norm: float = 0.5
    checkpoint_every: int = 10
    """Updates between two checkpoints."""
    threads: int = 1

    def __post_init__(self) -> None:
        if min(self.cap, self.rollout, self.epochs, self.minibatch, self.checkpoint_every) < 1:
            raise ValueError("cap, rollout, epochs, minibatch and checkpoint_every must be at least 1")


# What a network sees -------------------------------------------------------------------------------------------------


class Encoded:
    """Positions as a network takes them: named arrays with one row, or with several, for each position."""

    def __init__(self, arrays: dict[str, Tensor], owner: Tensor, size: int) -> None:
        self.arrays, self.size = arrays, size
        self.owner = owner
        """int64 ``(rows,)``: the position that each row belongs to, ascending."""

    @staticmethod
    def join(parts: "list[Encoded]") -> "Encoded":
        """All positions of all parts, in order."""
        arrays = {name: torch.cat([part.arrays[name] for part in parts]) for name in parts[0].arrays}
        firsts = np.cumsum([0, *(part.size for part in parts)]).tolist()
        owner = torch.cat([part.owner + first for part, first in zip(parts, firsts[:-1], strict=True)])
        return Encoded(arrays, owner, firsts[-1])

    def take(self, positions: Tensor) -> "Encoded":
        """Some positions, in the order given."""
        counts = torch.bincount(self.owner, minlength=self.size)
        ends = counts.cumsum(0)
        counts, first = counts[positions], (ends - counts)[positions]
        owner = torch.repeat_interleave(torch.arange(len(positions)), counts)
        before = counts.cumsum(0) - counts
        rows = torch.arange(len(owner)) + (first - before)[owner]
        return Encoded({name: array[rows] for name, array in self.arrays.items()}, owner, len(positions))


class PlanesNetwork(nn.Module):
    """For any game: arrays of two and more dimensions are planes for a small convolution, the rest is appended."""

    def __init__(self, space: spaces.Dict, num_actions: int) -> None:
        super().__init__()
        self.space = space
        self.convolutions = nn.ModuleDict()
        width = 0
        for name, part in space.spaces.items():
            if isinstance(part, spaces.Box) and len(part.shape) > 1:
                planes = 1 if len(part.shape) == 2 else part.shape[0]
                self.convolutions[name] = nn.Sequential(
                    nn.Conv2d(2 * planes, 32, 3, padding=1), nn.ReLU(),
                    nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
                    nn.Flatten(), nn.Linear(32 * part.shape[-1] * part.shape[-2], 128), nn.ReLU(),
                )  # fmt: skip
                width += 128
            else:
                width += int(spaces.flatdim(part))
        self.body = nn.Sequential(nn.Linear(width, 256), nn.ReLU())
        self.logits = nn.Linear(256, num_actions)
        self.value = nn.Linear(256, 1)
        with torch.no_grad():
            self.logits.weight.mul_(0.01)

    def encode(self, obs: Arrays, mask: npt.NDArray[np.int8]) -> Encoded:
        """Numbers of about 1: cells and figures by their greatest value, large figures by their logarithm."""
        arrays = {"mask": torch.from_numpy(mask != 0)}
        for name, part in self.space.spaces.items():
            array = obs[name]
            if isinstance(part, spaces.Discrete):
                array = np.eye(int(part.n))[array]
            elif isinstance(part, spaces.MultiDiscrete):
                array = np.concatenate([np.eye(n)[array[:, i]] for i, n in enumerate(part.nvec)], axis=1)
            elif isinstance(part, spaces.Box):
                array = np.where(part.high > 1000, np.log1p(array) / 8, array / np.maximum(part.high, 1))
                if name in self.convolutions:
                    array = array[:, None] if array.ndim == 3 else array
                    array = np.concatenate([array, array > 0], axis=1)
            arrays[name] = torch.from_numpy(array.astype(np.float32))
        return Encoded(arrays, torch.arange(len(mask)), len(mask))

    def forward(self, seen: Encoded) -> tuple[Tensor, Tensor]:
        """Masked logits ``(positions, num_actions)`` and values ``(positions,)``."""
        parts = [
            self.convolutions[name](array) if name in self.convolutions else array
            for name, array in seen.arrays.items()
            if name != "mask"
        ]
        body = self.body(torch.cat(parts, dim=1))
        return self.logits(body).masked_fill(~seen.arrays["mask"], -1e9), self.value(body)[:, 0]


class PlacementNetwork(nn.Module):
    """For the tray games: looks at the board that each legal placement leaves, worked out from board and tray.

    One small network scores the features of all placements. The value of a position is the mean of what it expects from
    them, as they are chosen.
    """

    def __init__(self, features: int, num_actions: int) -> None:
        super().__init__()
        self.num_actions = num_actions
        self.body = nn.Sequential(nn.Linear(features, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 2)
        self.direct = nn.Linear(features, 2, bias=False)
        with torch.no_grad():
            self.head.weight.mul_(0.1)
            self.direct.weight.zero_()

    def encode(self, obs: Arrays, mask: npt.NDArray[np.int8]) -> Encoded:
        """One row for each legal action."""
        position, action, features = map(torch.from_numpy, placement_features(obs, mask))
        return Encoded({"action": action, "features": features}, position, len(mask))

    def forward(self, seen: Encoded) -> tuple[Tensor, Tensor]:
        """Masked logits ``(positions, num_actions)`` and values ``(positions,)``."""
        features = seen.arrays["features"].float()
        scores = self.head(self.body(features)) + self.direct(features)
        at = (seen.owner, seen.arrays["action"])
        logits = torch.full((seen.size, self.num_actions), -1e9).index_put(at, scores[:, 0])
        expected = torch.zeros(seen.size, self.num_actions).index_put(at, scores[:, 1])
        return logits, (logits.detach().softmax(dim=1) * expected).sum(dim=1)


def make_network(envs: blockloom.BlockloomVectorEnv) -> PlanesNetwork | PlacementNetwork:
    space, num_actions = envs.single_observation_space, envs.game_spec.num_actions
    assert isinstance(space, spaces.Dict)
    if "tray" not in space.spaces:
        return PlanesNetwork(space, num_actions)
    nothing: Any = create_empty_array(space)
    features = placement_features(nothing, np.zeros((1, num_actions), np.int8))[2]
    return PlacementNetwork(features.shape[1], num_actions)


# Training ------------------------------------------------------------------------------------------------------------


@dataclass
class Progress:
    """What came of it so far."""

    updates: int = 0
    steps: int = 0
    episodes: int = 0
    illegal: int = 0
    """Actions taken that were not legal."""
    minutes: float = 0.0
    recent: list[tuple[float, int]] = field(default_factory=list)
    """Return and length of the last 200 episodes."""
    first_rewards: list[float] = field(default_factory=list)
    """Of the first 10,000 steps, row by row."""
    curve: list[dict[str, float]] = field(default_factory=list)
    reward_count: float = 1e-4
    reward_mean: float = 0.0
    reward_square: float = 1e-4
    """Running moments of the discounted returns, by which rewards are scaled."""

    @property
    def digest(self) -> str:
        """SHA-256 of the first rewards as float32."""
        return hashlib.sha256(np.array(self.first_rewards, "<f4").tobytes()).hexdigest()


class Rows:
    """Where each row is in its episode."""

    def __init__(self, n: int, cap: int) -> None:
        self.episodes = np.zeros(n, np.int64)
        """Episodes before this one."""
        self.over = np.zeros(n, np.bool_)
        """Whether the episode is over: the next step begins another one and is no transition."""
        self.lengths, self.returns = np.zeros(n, np.int64), np.zeros(n)
        self.discounted = np.zeros(n)
        """Sum of the rewards so far, earlier ones discounted."""
        self.played = np.zeros((cap, n), np.int16)
        """``[step, row]``: the actions of the episode."""


class Trainer:
    """The rows, the network that plays in them, and what was seen since the last update."""

    def __init__(self, settings: Settings, checkpoint: dict[str, Any] | None = None) -> None:
        torch.set_num_threads(settings.threads)
        torch.use_deterministic_algorithms(True)
        self.settings, self.progress = settings, Progress()
        n, steps = settings.num_envs, settings.rollout
        self.envs = blockloom.BlockloomVectorEnv(
            settings.game, n, batch_size=settings.batch_size, max_episode_steps=settings.cap, num_workers=1
        )
        torch.manual_seed(settings.seed)
        self.network = make_network(self.envs)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.rate, eps=1e-5)
        self.chance = torch.Generator().manual_seed(settings.seed)
        self.groups = [np.arange(first, first + settings.batch_size) for first in range(0, n, settings.batch_size)]
        self.now: list[Encoded] = []
        """What each group sees now."""
        self.rows = Rows(n, settings.cap)
        self.seen: list[Encoded] = []
        self.actions, self.log_probs = torch.zeros(steps, n, dtype=torch.int64), torch.zeros(steps, n)
        self.values, self.rewards = np.zeros((steps + 1, n), np.float32), np.zeros((steps, n), np.float32)
        self.valid, self.terminated, self.ended = (np.zeros((steps, n), np.bool_) for _ in range(3))
        if checkpoint is None:
            self._begin()
        else:
            self._go_on(checkpoint)

    def _begin(self) -> None:
        self.envs.async_reset(seed=self._first_seed)
        for _ in self.groups:
            obs, _, _, _, infos = self.envs.recv()
            self.now.append(self.network.encode(obs, infos["action_mask"]))

    @property
    def _first_seed(self) -> int:
        return FIRST_SEED * (1 + self.settings.seed)

    def _go_on(self, checkpoint: dict[str, Any]) -> None:
        """Puts everything where it was, the rows by playing their episodes again."""
        self.network.load_state_dict(checkpoint["network"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        self.chance.set_state(checkpoint["chance"])
        self.progress = Progress(**checkpoint["progress"])
        self.now = [Encoded(**seen) for seen in checkpoint["now"]]
        for name, array in checkpoint["rows"].items():
            getattr(self.rows, name)[...] = array.numpy()
        self._play_again()

    def _play_again(self) -> None:
        """Brings each row to where it was: it waits in some other episode until its own begins, so that all arrive."""
        rows, n = self.rows, self.settings.num_envs
        _, infos = self.envs.reset(seed=self._first_seed)
        steps = int(rows.lengths.max())
        waits = steps - rows.lengths
        for step in range(steps + 1):
            if (waits == step).any():
                seeds = [self._first_seed + row if waits[row] == step else None for row in range(n)]
                _, infos = self.envs.reset(seed=seeds, options={"reset_mask": waits == step})
                for earlier in range(int(rows.episodes[waits == step].max())):
                    begins = (waits == step) & (rows.episodes > earlier)
                    _, infos = self.envs.reset(options={"reset_mask": begins})
            if step < steps:
                again = rows.played[np.maximum(step - waits, 0), np.arange(n)]
                actions = np.where(step >= waits, again, infos["action_mask"].argmax(axis=1))
                _, _, _, _, infos = self.envs.step(actions)

    def play(self) -> None:
        """Plays the steps between two updates. While one group is thought about, the server steps the others."""
        self.seen = []
        for step in range(self.settings.rollout):
            for group, rows in enumerate(self.groups):
                if step > 0:
                    self._receive(step - 1, group)
                self._act(step, group, rows)
        for group in range(len(self.groups)):
            self._receive(self.settings.rollout - 1, group)
        with torch.no_grad():
            self.values[-1] = self.network(Encoded.join(self.now))[1].numpy()

    def _act(self, step: int, group: int, rows: npt.NDArray[np.int64]) -> None:
        with torch.no_grad():
            logits, values = self.network(self.now[group])
            actions = torch.multinomial(logits.softmax(dim=1), 1, generator=self.chance)
            log_probs = logits.log_softmax(dim=1).gather(1, actions)
        self.envs.send(actions[:, 0].numpy(), rows)
        self.seen.append(self.now[group])
        self.actions[step, rows], self.log_probs[step, rows] = actions[:, 0], log_probs[:, 0]
        self.values[step, rows] = values.numpy()

    def _receive(self, step: int, group: int) -> None:
        obs, rewards, terminations, truncations, infos = self.envs.recv()
        at, rows, progress = infos["env_id"], self.rows, self.progress
        valid, ended = ~rows.over[at], terminations | truncations
        self.valid[step, at], self.rewards[step, at] = valid, rewards
        self.terminated[step, at], self.ended[step, at] = terminations, ended
        progress.illegal += int((valid & infos["illegal_action"]).sum())
        acted = at[valid]
        rows.played[rows.lengths[acted], acted] = self.actions[step].numpy()[acted]
        rows.lengths[at] = np.where(valid, rows.lengths[at] + 1, 0)
        rows.returns[at] = np.where(valid, rows.returns[at] + rewards, 0)
        rows.episodes[at] += rows.over[at]
        rows.over[at] = ended
        progress.episodes += int(ended.sum())
        progress.recent += zip(rows.returns[at[ended]].tolist(), rows.lengths[at[ended]].tolist(), strict=True)
        del progress.recent[:-200]
        mask = infos["action_mask"]
        if ended.any():
            # The value of a position in which the time limit cut in is wanted, with the actions it had.
            mask = np.where(ended[:, None], infos["final_action_mask"], mask)
        self.now[group] = self.network.encode(obs, mask)

    def learn(self) -> dict[str, float]:
        """One update: several passes over what was seen since the last one. Returns figures to log."""
        settings, progress = self.settings, self.progress
        progress.first_rewards += self.rewards.ravel()[: HASHED_STEPS - len(progress.first_rewards)].tolist()
        rewards = self._scaled_rewards()
        advantages = estimate_advantages(
            rewards, self.values, self.valid, self.terminated, self.ended, settings.gamma, settings.gae_lambda
        )
        left = max(0.0, 1 - progress.steps / settings.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate * left
        targets = torch.from_numpy(advantages + self.values[:-1]).ravel()
        learned = torch.from_numpy(self.valid.ravel()).nonzero()[:, 0]
        figures: list[Tensor] = []
        seen, flat_advantages = Encoded.join(self.seen), torch.from_numpy(advantages).ravel()
        for _ in range(settings.epochs):
            shuffled = learned[torch.randperm(len(learned), generator=self.chance)]
            for first in range(0, len(shuffled) - 1, settings.minibatch):
                batch = shuffled[first : first + settings.minibatch]
                if len(batch) > 1:
                    figures.append(self._step(seen.take(batch), batch, flat_advantages[batch], targets[batch]))
        progress.updates += 1
        progress.steps += rewards.size
        names = ("policy_loss", "value_loss", "entropy", "approx_kl", "clipped")
        return dict(zip(names, torch.stack(figures).mean(dim=0).tolist(), strict=True))

    def _scaled_rewards(self) -> npt.NDArray[np.float32]:
        """Rewards by the standard deviation of the discounted returns up to now."""
        progress, rows, sums = self.progress, self.rows, []
        for rewards, valid in zip(self.rewards, self.valid, strict=True):
            rows.discounted = np.where(valid, rows.discounted * self.settings.gamma + rewards, 0)
            sums.append(rows.discounted)
        all_sums = np.stack(sums)
        count, mean = progress.reward_count + all_sums.size, all_sums.mean()
        share, difference = all_sums.size / count, mean - progress.reward_mean
        progress.reward_square += (all_sums.var() - progress.reward_square) * share
        progress.reward_square += float(difference**2 * share * (1 - share))
        progress.reward_mean += float(difference * share)
        progress.reward_count = count
        progress.reward_square = float(progress.reward_square)
        scaled: npt.NDArray[np.float32] = self.rewards / np.float32(np.sqrt(progress.reward_square + 1e-8))
        return scaled.clip(-10, 10)

    def _step(self, seen: Encoded, batch: Tensor, advantages: Tensor, targets: Tensor) -> Tensor:
        settings = self.settings
        logits, values = self.network(seen)
        log_probs = logits.log_softmax(dim=1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        change = log_probs.gather(1, self.actions.view(-1)[batch, None])[:, 0] - self.log_probs.view(-1)[batch]
        ratio = change.exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        value_loss = functional.mse_loss(values, targets) / 2
        loss = policy_loss + settings.value_weight * value_loss - settings.entropy * entropy
        if not torch.isfinite(loss):
            raise FloatingPointError(f"the loss is {loss.item()} in update {self.progress.updates}")
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), settings.gradient_norm, error_if_nonfinite=True)
        self.optimizer.step()
        outside = ((ratio - 1).abs() > settings.clip).float().mean()
        approx_kl = ((ratio - 1) - change).mean()
        return torch.stack([policy_loss, value_loss, entropy, approx_kl, outside]).detach()

    def save(self, path: Path) -> None:
        """Writes a checkpoint, which is there as a whole or not at all."""
        checkpoint = {
            "settings": {**asdict(self.settings), "run": str(self.settings.run)},
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "chance": self.chance.get_state(),
            "progress": asdict(self.progress),
            "now": [vars(seen) for seen in self.now],
            "rows": {name: torch.from_numpy(array) for name, array in vars(self.rows).items()},
        }
        part = path.with_suffix(".part")
        torch.save(checkpoint, part)
        os.replace(part, path)


def estimate_advantages(
    rewards: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    valid: npt.NDArray[np.bool_],
    terminated: npt.NDArray[np.bool_],
    ended: npt.NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> npt.NDArray[np.float32]:
    """Generalized advantage estimation where the step after an end begins the next episode.

    Args:
        rewards: ``(steps, rows)``, as are the next three.
        values: ``(steps + 1, rows)``: of what was seen before each step, and after the last. After a step in which a
            time limit cut in, that is the position it cut in.
        valid: False where the step began an episode, which is no transition: nothing is learned from it.
        terminated: Whether the game was over after the step.
        ended: The same, or a time limit cut in.
        gamma: The discount of a step.
        gae_lambda: Near 0, values are trusted; near 1, rewards.
    """
    advantages = np.zeros_like(rewards)
    following = np.zeros(rewards.shape[1], np.float32)
    for step in reversed(range(len(rewards))):
        # A time limit ends the sum, not the game: what would have come is worth the value there.
        bootstrap = gamma * values[step + 1] * ~terminated[step]
        following = gamma * gae_lambda * following * ~ended[step]
        following = (rewards[step] + bootstrap - values[step] + following) * valid[step]
        advantages[step] = following
    return advantages


def train(settings: Settings, checkpoint: dict[str, Any] | None = None) -> Trainer:
    """Trains from the beginning or a checkpoint to the end, and leaves the last checkpoint in the run's folder."""
    settings.run.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(settings, checkpoint)
    progress, started = trainer.progress, time.monotonic()
    before = progress.minutes
    writer = SummaryWriter(str(settings.run), purge_step=progress.steps if checkpoint else None)
    bar = tqdm(
        total=settings.steps, initial=progress.steps, unit="step", unit_scale=True, mininterval=1, smoothing=0.05
    )
    try:
        with bar, writer:
            while progress.steps < settings.steps:
                if progress.updates % settings.checkpoint_every == 0:
                    trainer.save(settings.run / CHECKPOINT)
                trainer.play()
                figures = trainer.learn()
                progress.minutes = before + (time.monotonic() - started) / 60
                tell(trainer, figures, writer)
                bar.update(settings.num_envs * settings.rollout)
                bar.set_postfix({"return": progress.curve[-1]["score"], "kl": figures["approx_kl"]})
        trainer.save(settings.run / CHECKPOINT)
    finally:
        trainer.envs.close()
    report: dict[str, Any] = {"settings": {**asdict(settings), "run": str(settings.run)}, "digest": progress.digest}
    report |= {"steps": progress.steps, "illegal": progress.illegal, "curve": progress.curve}
    (settings.run / "ppo.json").write_text(json.dumps(report), encoding="utf-8")
    return trainer


def tell(trainer: Trainer, figures: dict[str, float], writer: SummaryWriter) -> None:
    """Adds a point to the curve and to TensorBoard."""
    progress = trainer.progress
    score, length = np.mean(progress.recent, axis=0).tolist() if progress.recent else (float("nan"), float("nan"))
    point = {"minutes": round(progress.minutes, 3), "steps": progress.steps, "score": score, "length": length}
    progress.curve.append({**point, "episodes": progress.episodes})
    writer.add_scalar("episode/return", score, progress.steps)
    writer.add_scalar("episode/length", length, progress.steps)
    writer.add_scalar("illegal_actions", progress.illegal, progress.steps)
    for name, value in figures.items():
        writer.add_scalar(f"update/{name}", value, progress.steps)


# Evaluation ----------------------------------------------------------------------------------------------------------


class PpoAgent(Agent):
    """Plays by a network: the likeliest action, or one drawn by the probabilities."""

    def __init__(self, network: PlanesNetwork | PlacementNetwork, *, draw: bool) -> None:
        self.network, self.draw = network, draw
        self.chance = torch.Generator().manual_seed(0)

    def act(
        self,
        envs: blockloom.BlockloomVectorEnv,
        obs: Arrays,
        info: dict[str, Any],
        active: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int32]:
        rows = np.arange(len(info["action_mask"])) if active is None else np.flatnonzero(active)
        actions = np.zeros(len(info["action_mask"]), np.int32)
        seen = self.network.encode({name: array[rows] for name, array in obs.items()}, info["action_mask"][rows])
        with torch.no_grad():
            logits, _ = self.network(seen)
        chosen = torch.multinomial(logits.softmax(1), 1, generator=self.chance)[:, 0] if self.draw else logits.argmax(1)
        actions[rows] = chosen.numpy()
        return actions


def evaluate(settings: Settings, network: PlanesNetwork | PlacementNetwork, seeds: range) -> list[dict[str, Any]]:
    """Plays the first episode of each seed, once with the likeliest actions and once with drawn ones."""
    reports = []
    for draw in (False, True):
        result = play_episodes(PpoAgent(network, draw=draw), settings.game, seeds, cap=settings.cap)
        score = result["score"]
        reports.append(
            {
                "game": settings.game,
                "play": "drawn" if draw else "likeliest",
                "score": {"mean": float(score.mean()), "median": float(np.median(score)), "interval": interval(score)},
                "steps": float(result["steps"].mean()),
                "truncated": float(result["truncated"].mean()),
                "illegal": int(result["illegal"].sum()),
            }
        )
    return reports


def load(run: Path) -> tuple[Settings, dict[str, Any]]:
    """The settings and the checkpoint of a run."""
    checkpoint: dict[str, Any] = torch.load(run / CHECKPOINT, weights_only=True)
    return Settings(**{**checkpoint["settings"], "run": run}), checkpoint


def load_network(run: Path) -> tuple[Settings, PlanesNetwork | PlacementNetwork]:
    """The settings and the network of a run."""
    settings, checkpoint = load(run)
    torch.set_num_threads(settings.threads)
    envs = blockloom.BlockloomVectorEnv(settings.game)
    network = make_network(envs)
    envs.close()
    network.load_state_dict(checkpoint["network"])
    return settings, network


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for setting in fields(Settings):
        parser.add_argument(f"--{setting.name.replace('_', '-')}", type=type(setting.default), default=setting.default)
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint of --run, with its settings")
    parser.add_argument("--evaluate", metavar="FIRST:END", help="play these seeds with the checkpoint of --run")
    given = vars(parser.parse_args(argv))
    resume, seeds = given.pop("resume"), given.pop("evaluate")
    if seeds is not None:
        first, end = (int(part) for part in seeds.split(":"))
        for report in evaluate(*load_network(given["run"]), range(first, end)):
            print(json.dumps(report))
        return
    trainer = train(*load(given["run"])) if resume else train(Settings(**given))
    progress = trainer.progress
    used = os.times()
    trainer_minutes, server_minutes = (used.user + used.system) / 60, (used.children_user + used.children_system) / 60
    weights = b"".join(array.numpy().tobytes() for array in trainer.network.state_dict().values())
    print(f"{progress.steps:,} steps, {progress.episodes:,} episodes, {progress.illegal} illegal actions")
    print(f"processor minutes of this process: trainer {trainer_minutes:.2f}, server {server_minutes:.2f}")
    print(f"rewards of the first {HASHED_STEPS:,} steps: sha256 {progress.digest}")
    print(f"weights: sha256 {hashlib.sha256(weights).hexdigest()}")


if __name__ == "__main__":
    main()
