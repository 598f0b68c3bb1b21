"""A mask monitor's counts as a picture, drawn by matplotlib."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from blockloom._mask_report import LINES, columns
from blockloom._mask_tally import MaskTally, shares
from blockloom.mask_picture import mask_grids


def save_figure(tally: MaskTally, path: Path) -> None:
    """Writes a PNG: over time, by reason and by action."""
    grids, by_action = mask_grids(tally.action_names), columns(tally)
    rows = 2 + (len(by_action) if grids else 1)
    figure = Figure(figsize=(11, 2.6 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    plan = figure.add_gridspec(rows, max(len(grids), 1))
    _draw_lines(figure.add_subplot(plan[0, :]), tally)
    _draw_reasons(figure.add_subplot(plan[1, :]), tally)
    if not grids:
        axes = figure.add_subplot(plan[2, :])
        places = np.arange(len(tally.action_names))
        for i, (name, values) in enumerate(by_action):
            axes.bar(places + 0.2 * (i - 1.5), values, 0.2, label=name)
        axes.set_xticks(places, tally.action_names)
        axes.legend(fontsize=8)
    else:
        for i, (name, values) in enumerate(by_action):
            for j, grid in enumerate(grids):
                axes = figure.add_subplot(plan[2 + i, j])
                cells = values[grid.first : grid.first + grid.rows * grid.cols].reshape(grid.rows, grid.cols)
                axes.imshow(cells, cmap="Blues", vmin=0, vmax=max(float(values.max()), 1e-12))
                axes.set_title(f"{name}: {grid.title}", fontsize=8)
                axes.tick_params(labelsize=6)
    figure.savefig(path, dpi=110)


def _draw_lines(axes: Axes, tally: MaskTally) -> None:
    bins = [part for part in tally.bins if part.states or part.policies]
    for name, label, colour in LINES:
        values = [shares(part)[name] for part in bins]
        if not np.isnan(values).all():
            axes.plot([(i + 0.5) * tally.bin_steps for i in range(len(bins))], values, color=colour, label=label)
            axes.legend(fontsize=8)
    axes.set_ylim(0, 1)
    axes.set_xlabel("step", fontsize=8)


def _draw_reasons(axes: Axes, tally: MaskTally) -> None:
    reasons = tally.reasons.most_common()
    axes.barh([reason for reason, _ in reasons], [count for _, count in reasons], color="#c8452d")
    axes.invert_yaxis()
    axes.set_title("illegal picks by reason", fontsize=8)
