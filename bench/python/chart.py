"""Draws env-steps a second over batch sizes, both axes logarithmic."""

from __future__ import annotations

from pathlib import Path

from figures import Figures, Key
from verdicts import TRANSPORTS

STYLES = {"lock-step": "--", "two": "-"}
COLOURS = {"stdio": "#0072b2", "grpc": "#d55e00", "unix": "#009e73"}  # told apart by the colour-blind too
NAMES = {"stdio": "stdio", "grpc": "gRPC TCP", "unix": "gRPC unix"}
MODES = {"lock-step": "lock-step", "two": "two in flight"}


def draw(figures: Figures, path: Path) -> str | None:
    """Writes the picture; returns why not where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        return "no chart: matplotlib is not installed"
    matplotlib.use("Agg")
    from matplotlib import pyplot

    games = list(dict.fromkeys(key[1] for key in figures.rates if key[0] == "lock-step"))
    columns = min(3, len(games))
    lines = -(-len(games) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(5 * columns, 4 * lines), squeeze=False)
    for axis in axes.flat[len(games) :]:
        axis.axis("off")
    for game, axis in zip(games, axes.flat, strict=False):
        for mode, style in STYLES.items():
            for transport in TRANSPORTS:
                keys = sorted(_series(figures, mode, game, transport), key=lambda key: int(key[4]))
                if not keys:
                    continue
                spreads = [figures.rate(key) for key in keys]
                sizes = [int(key[4]) for key in keys]
                label = f"{NAMES[transport]}, {MODES[mode]}"
                axis.plot(
                    sizes, [one.middle for one in spreads], style, marker=".", color=COLOURS[transport], label=label
                )
                low, high = [one.low for one in spreads], [one.high for one in spreads]
                axis.fill_between(sizes, low, high, color=COLOURS[transport], alpha=0.12, linewidth=0)
        for key, name, dashes in (
            (("engine", game, "packed"), "engine alone", ":"),
            (("C", game, "-O2"), "C reference", "-."),
        ):
            if figures.has(key):
                axis.axhline(figures.rate(key).middle, linestyle=dashes, color="#555555", label=name)
        axis.set(title=game, xscale="log", yscale="log", xlabel="rows", ylabel="env-steps a second")
        axis.grid(visible=True, which="both", alpha=0.25)
        axis.legend(fontsize=7)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return None


def _series(figures: Figures, mode: str, game: str, transport: str) -> list[Key]:
    return [key for key in figures.rates if key[:4] == (mode, game, transport, "packed")]
