"""Wrappers that watch how a policy deals with the mask.

monitor = blockloom.MaskMonitor(gymnasium.make("blockloom/LumenBlocks-v1"))
...
monitor.observe_policy(logits=logits)
monitor.step(action)
...
print(monitor.summary())
monitor.report("masks.html")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom._mask_report import html_report, text_summary
from blockloom._mask_tally import MaskTally, probabilities_of
from blockloom.errors import IllegalActionError, InvalidArgumentError, ResetRequiredError

_ACTION_MASK = "action_mask"


class _Watching:
    """What both monitors offer."""

    tally: MaskTally

    def summary(self) -> str:
        """Totals, illegal picks by reason and the actions that are picked or wanted most where illegal, as text."""
        return text_summary(self.tally)

    def figures(self) -> dict[str, float]:
        """Figures to log: ``legal_share``, ``illegal_picks`` and ``illegal_mass``, each from 0 to 1.

        They are the mean share of the actions that is legal, the share of the picks that is not, and the mean
        probability that observed policies give to what is not; NaN where there is nothing to tell from.
        """
        return self.tally.shares()

    def report(self, path: str | Path) -> None:
        """Writes a report with pictures: over time, by reason and by action.

        Args:
            path: A name that ends in ``.html`` (one file that needs nothing else) or ``.png`` (drawn by matplotlib,
                which must be installed).
        """
        path = Path(path)
        if path.suffix.lower() in (".html", ".htm"):
            path.write_text(html_report(self.tally), encoding="utf-8")
        elif path.suffix.lower() == ".png":
            try:
                from blockloom._mask_figure import save_figure
            except ImportError as error:
                raise ImportError(
                    "a PNG report is drawn by matplotlib, which is not installed: pip install 'blockloom[report]', "
                    "or name a file that ends in .html"
                ) from error
            save_figure(self.tally, path)
        else:
            raise InvalidArgumentError(f"{path.name} ends in {path.suffix!r}; allowed: .html, .png")

    def clear(self) -> None:
        """Forgets what was counted."""
        self.tally = MaskTally(self.tally.action_names)


class MaskMonitor(_Watching, gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts legal actions, illegal picks by reason and probability on illegal actions; changes nothing.

    Args:
        env: An environment of this package, wrapped or not, whose ``info`` holds the mask.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.tally = MaskTally(_names(env))
        self._mask: npt.NDArray[np.bool_] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As of the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._mask = _masks(info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As of the environment."""
        mask = self._mask
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except IllegalActionError as error:
            if mask is not None:
                self.tally.step(mask[None], np.array([int(action)]), [error.reason])
            raise
        if mask is not None:
            self.tally.step(mask[None], np.array([int(action)]), [info["refusal"]])
        self._mask = _masks(info)
        return observation, reward, terminated, truncated, info

    def observe_policy(self, *, logits: Any = None, probs: Any = None) -> float:
        """Tells what a policy thinks of the current observation, before the action is played.

        Args:
            logits: ``(num_actions,)``, an array or a tensor, before any masking; or
            probs: ``(num_actions,)``, summing to 1.

        Returns:
            The probability on actions that are not legal now.
        """
        if self._mask is None:
            raise ResetRequiredError("a policy is observed after a reset()", reason="RESET_REQUIRED")
        probabilities = probabilities_of(logits, probs, self._mask.shape)
        self.tally.policy(self._mask[None], probabilities[None])
        return float(probabilities[~self._mask].sum())


class VectorMaskMonitor(_Watching, gymnasium.vector.VectorWrapper):
    """`MaskMonitor` for a vector; rows that are finished and only wait for their reset are not counted.

    Args:
        env: A vector of this package, wrapped or not, whose ``infos`` hold the masks.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self.tally = MaskTally(_names(env))
        self._masks: npt.NDArray[np.bool_] | None = None
        self._counted = np.ones(env.num_envs, np.bool_)
        """``[num_envs]``: rows whose next action is a choice."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """As of the vector."""
        observation, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        chosen = (options or {}).get("reset_mask")
        self._counted = np.ones(self.num_envs, np.bool_) if chosen is None else self._counted | chosen
        self._masks = _masks(infos)
        return observation, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As of the vector."""
        try:
            observation, rewards, terminations, truncations, infos = self.env.step(actions)
        except IllegalActionError as error:
            self._count_rejected(int(error.metadata["row"]), actions, error.reason)
            raise
        reasons = infos["refusal"].copy()
        if "final_info" in infos:
            ended = infos["_final_info"]
            reasons[ended] = infos["final_info"]["refusal"][ended]
        self._count(self._counted, actions, reasons)
        self._masks = _masks(infos)
        over = np.logical_or(terminations, truncations)
        same_step = self.env.metadata.get("autoreset_mode") is AutoresetMode.SAME_STEP
        self._counted = np.ones(self.num_envs, np.bool_) if same_step else ~over
        return observation, rewards, terminations, truncations, infos

    def observe_policy(self, *, logits: Any = None, probs: Any = None) -> npt.NDArray[np.float64]:
        """Tells what a policy thinks of the current observations, before the actions are played.

        Args:
            logits: ``(num_envs, num_actions)``, an array or a tensor, before any masking; or
            probs: ``(num_envs, num_actions)``, each row summing to 1.

        Returns:
            ``(num_envs,)``: the probability on actions that are not legal now.
        """
        if self._masks is None:
            raise ResetRequiredError("a policy is observed after a reset()", reason="RESET_REQUIRED")
        probabilities = probabilities_of(logits, probs, self._masks.shape)
        self.tally.policy(self._masks[self._counted], probabilities[self._counted])
        illegal: npt.NDArray[np.float64] = np.where(self._masks, 0.0, probabilities).sum(axis=1)
        return illegal

    def _count(self, rows: npt.NDArray[np.bool_], actions: Any, reasons: npt.NDArray[Any]) -> None:
        if self._masks is not None and rows.any():
            self.tally.step(self._masks[rows], np.asarray(actions, np.int64)[rows], reasons[rows].tolist())

    def _count_rejected(self, row: int, actions: Any, reason: str) -> None:
        """The batch was turned away for one row: no other row's action counts."""
        reasons = np.full(self.num_envs, None, object)
        reasons[row] = reason
        self._count(np.arange(self.num_envs) == row, actions, reasons)


def _names(env: Any) -> list[str]:
    spec = getattr(env.unwrapped, "game_spec", None)
    if spec is None:
        raise InvalidArgumentError(f"{type(env.unwrapped).__name__} is no environment of this package")
    names: list[str] = spec.action_names
    return names


def _masks(info: Mapping[str, Any]) -> npt.NDArray[np.bool_]:
    masks: npt.NDArray[np.bool_] = np.array(info[_ACTION_MASK]) != 0
    return masks
