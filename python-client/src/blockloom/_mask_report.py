"""A mask monitor's counts as text and as a page of HTML with pictures in SVG."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blockloom._mask_tally import MaskTally, shares
from blockloom.mask_picture import MaskGrid, mask_grids

_TOP = 15
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2330; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem .15rem 0; text-align: right; }
td:first-child, th:first-child { text-align: left; } th { border-bottom: 1px solid #b8bfcc; font-weight: 600; }
svg { display: block; margin: .5rem 0; font: 11px system-ui, sans-serif; }
figure { display: inline-block; margin: 0 1rem 1rem 0; }
figcaption { font-size: .85rem; color: #555d6e; }
"""
LINES = (
    ("legal_share", "share of actions that are legal", "#3b6fb6"),
    ("illegal_picks", "share of picks that are illegal", "#c8452d"),
    ("illegal_mass", "policy's probability on illegal actions", "#d9912b"),
)
"""What is drawn over time: the figure, what it is, its colour."""

Column = tuple[str, npt.NDArray[np.float64]]


def columns(tally: MaskTally) -> list[Column]:
    """By action, ``[num_actions]`` each: share of states where legal, of picks, of illegal picks, mean illegal mass."""
    total = tally.total
    picked = tally.picks.sum()
    result = [
        ("legal", tally.legal_states / max(total.states, 1)),
        ("picked", tally.picks / max(picked, 1)),
        ("picked though illegal", tally.illegal_picks / max(picked, 1)),
    ]
    if total.policies:
        result.append(("probability though illegal", tally.illegal_mass / total.policies))
    return result


def worst_actions(tally: MaskTally) -> list[int]:
    """The actions that are picked most where they are illegal, then those with the most probability there."""
    order = np.lexsort((np.arange(len(tally.picks)), -tally.illegal_mass, -tally.illegal_picks))
    return [int(action) for action in order[:_TOP] if tally.illegal_picks[action] or tally.illegal_mass[action] > 1e-9]


def text_summary(tally: MaskTally) -> str:
    """The counts as a table of text."""
    total = tally.total
    lines = [f"{name:<42}{value}" for name, value in _totals(tally)]
    if total.illegal:
        lines += ["", f"{'illegal picks by reason':<42}{'count':>9}{'share':>9}"]
        lines += [
            f"{reason:<42}{count:>9}{count / total.illegal:>9.1%}" for reason, count in tally.reasons.most_common()
        ]
    worst = worst_actions(tally)
    if worst:
        mass = f"{'mass':>9}" if total.policies else ""
        lines += ["", f"{'action':<24}{'legal':>9}{'picks':>9}{'illegal':>9}{mass}"]
        for action in worst:
            name = f"{action} {tally.action_names[action]}"
            line = f"{name:<24}{tally.legal_states[action] / max(total.states, 1):>9.1%}"
            line += f"{tally.picks[action]:>9}{tally.illegal_picks[action]:>9}"
            if total.policies:
                line += f"{tally.illegal_mass[action] / total.policies:>9.2%}"
            lines.append(line)
    return "\n".join(lines)


def html_report(tally: MaskTally) -> str:
    """The counts as a page that needs no other file."""
    parts = ["<h1>Actions and their mask</h1>", _table(["", ""], _totals(tally))]
    parts += ["<h2>Over time</h2>", _lines_svg(tally)]
    if tally.reasons:
        parts += ["<h2>Illegal picks by reason</h2>", _bars_svg(tally.reasons.most_common())]
    parts.append("<h2>By action</h2>")
    grids = mask_grids(tally.action_names)
    for name, values in columns(tally):
        if grids:
            figures = "".join(_figure(grid, values, tally.action_names) for grid in grids)
            parts.append(f"<h3>{name} (darkest: {values.max():.2%})</h3>{figures}")
    shown = worst_actions(tally) if grids else range(len(tally.action_names))
    if shown:
        header = ["action", "name", *(name for name, _ in columns(tally))]
        rows = [
            [str(action), tally.action_names[action], *(f"{values[action]:.2%}" for _, values in columns(tally))]
            for action in shown
        ]
        parts.append(_table(header, rows))
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Actions and their mask</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _totals(tally: MaskTally) -> list[tuple[str, str]]:
    total, figures = tally.total, tally.shares()
    rows = [("picks", str(total.states))]
    if total.states:
        rows.append(("legal actions, share of all on average", f"{figures['legal_share']:.2%}"))
        rows.append(("illegal picks", f"{total.illegal} ({figures['illegal_picks']:.2%})"))
    if total.policies:
        rows.append(("policies observed", str(total.policies)))
        rows.append(("probability on illegal actions, mean", f"{figures['illegal_mass']:.2%}"))
    return rows


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    head = line(header, "th") if any(header) else ""
    return f"<table>{head}{''.join(line(row, 'td') for row in rows)}</table>"


def _lines_svg(tally: MaskTally) -> str:
    width, height, left, top = 760, 200, 40, 10
    bins = [part for part in tally.bins if part.states or part.policies]

    def x(i: int) -> float:
        return left + (width - left - 10) * (i + 0.5) / max(len(bins), 1)

    def y(share: float) -> float:
        return top + (height - top) * (1 - share)

    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(share):.1f}" y2="{y(share):.1f}" stroke="#dde1e8"/>')
        parts.append(f'<text x="{left - 6}" y="{y(share) + 4:.1f}" text-anchor="end" fill="#555d6e">{share:.0%}</text>')
    for i, (name, label, colour) in enumerate(LINES):
        values = [(x(at), shares(part)[name]) for at, part in enumerate(bins)]
        points = " ".join(f"{at:.1f},{y(value):.1f}" for at, value in values if not np.isnan(value))
        if points:
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(f'<text x="{left + 250 * i}" y="{height + 32}" fill="{colour}">{label}</text>')
    label = f"each point: {tally.bin_steps} steps"
    parts.append(f'<text x="{width - 10}" y="{height + 14}" text-anchor="end" fill="#555d6e">{label}</text>')
    return _svg(width, height + 40, parts)


def _bars_svg(counts: Sequence[tuple[str, int]]) -> str:
    most = max(count for _, count in counts)
    parts = []
    for i, (reason, count) in enumerate(counts):
        y = 24 * i + 4
        parts.append(f'<text x="0" y="{y + 13}" fill="#1d2330">{html.escape(reason)}</text>')
        parts.append(f'<rect x="170" y="{y}" width="{480 * count / most:.1f}" height="18" fill="#c8452d"/>')
        parts.append(f'<text x="{176 + 480 * count / most:.1f}" y="{y + 13}" fill="#555d6e">{count}</text>')
    return _svg(760, 24 * len(counts) + 6, parts)


def _figure(grid: MaskGrid, values: npt.NDArray[np.float64], names: Sequence[str]) -> str:
    caption = html.escape(grid.title)
    return f"<figure>{_grid_svg(grid, values, names)}<figcaption>{caption}</figcaption></figure>"


def _grid_svg(grid: MaskGrid, values: npt.NDArray[np.float64], names: Sequence[str]) -> str:
    side = 22
    darkest = max(float(values.max()), 1e-12)
    parts = []
    for i in range(grid.rows * grid.cols):
        action = grid.first + i
        row, col = divmod(i, grid.cols)
        title = f"{action} {names[action]}: {values[action]:.3%}"
        parts.append(
            f'<rect x="{col * side}" y="{row * side}" width="{side - 1}" height="{side - 1}" '
            f'fill="{shade(float(values[action]) / darkest)}"><title>{html.escape(title)}</title></rect>'
        )
    return _svg(grid.cols * side, grid.rows * side, parts)


def shade(share: float) -> str:
    """A colour from light grey (0) to dark blue (1)."""
    light, dark = np.array([238, 241, 245]), np.array([23, 62, 120])
    red, green, blue = (light + (dark - light) * min(max(share, 0.0), 1.0)).round().astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{''.join(parts)}</svg>"
    )
