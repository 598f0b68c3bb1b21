"""An evaluation as a picture, drawn by matplotlib."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from blockloom.errors import InvalidArgumentError
from blockloom.evaluation.results import Evaluation

_WIDE = 20
"""Agents whose means are further apart than this many times are drawn on a logarithmic axis."""


def check_chart(path: str | Path) -> Path:
    """The path of a chart that can be drawn.

    Raises:
        InvalidArgumentError: It does not end in ``.png``, its folder is not there, or matplotlib is not installed.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise InvalidArgumentError(f"chart {path.name} ends in {path.suffix!r}; allowed: .png")
    if not path.parent.is_dir():
        raise InvalidArgumentError(f"chart {path}: there is no folder {path.parent}")
    if importlib.util.find_spec("matplotlib") is None:
        raise InvalidArgumentError(
            "a chart is drawn by matplotlib, which is not installed: pip install 'blockloom[report]'"
        )
    return path


def save_chart(evaluation: Evaluation, path: str | Path) -> None:
    """Writes a PNG: on the left each agent's mean, interval and quantiles, on the right the share of games by outcome.

    Args:
        evaluation: What to draw.
        path: A name that ends in ``.png``.

    Raises:
        InvalidArgumentError: As in `check_chart`.
    """
    path = check_chart(path)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    outcome = evaluation.outcome
    figure = Figure(figsize=(11, max(3.5, 1.5 + 0.6 * len(evaluation.played))), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    figure.suptitle(f"{evaluation.game_id}: {len(evaluation.seeds)} games, at most {evaluation.cap:,} steps")
    shares = (np.arange(len(evaluation.seeds)) + 1) / len(evaluation.seeds)
    names = [played.agent for played in evaluation.played]
    for place, played in enumerate(evaluation.played):
        figures, colour = played.summary(outcome), f"C{place % 10}"
        cuts = figures.quantiles
        left.plot([cuts[5], cuts[95]], [place, place], color=colour, linewidth=1)
        left.plot([cuts[25], cuts[75]], [place, place], color=colour, linewidth=7, alpha=0.35, solid_capstyle="butt")
        ends = [[figures.mean - figures.low], [figures.high - figures.mean]]
        left.errorbar([figures.mean], [place], xerr=ends, fmt="o", color=colour, capsize=5)
        right.step(np.sort(played.outcomes[outcome]), shares, where="post", color=colour, label=played.agent)
    left.set_yticks(range(len(names)), names)
    left.set_ylim(len(names) - 0.5, -0.5)
    left.set_xlabel(f"{outcome}: mean with 95 % interval; 5 to 95 % and 25 to 75 % of the games", fontsize=8)
    right.set(xlabel=outcome, ylabel="share of games with at most that", ylim=(0, 1))
    right.legend(fontsize=8)
    means = [played.summary(outcome).mean for played in evaluation.played]
    lowest = min(int(played.outcomes[outcome].min()) for played in evaluation.played)
    if lowest >= 0 and max(means) > _WIDE * max(min(means), 1):
        for axes in (left, right):
            axes.set_xscale("symlog", linthresh=10)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
