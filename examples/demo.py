"""Every game of the bundled server, played with random legal actions: a progress bar, then a table.

python examples/demo.py
python examples/demo.py --rows 256 --seconds 5
"""

import argparse
import sys
import time
from dataclasses import dataclass, field

import gymnasium
import numpy as np

import blockloom

BAR_WIDTH = 30


@dataclass
class Tally:
    """What the episodes of one game came to."""

    title: str
    outcome_names: list[str]
    steps: int = 0
    seconds: float = 0.0
    outcomes: list[list[int]] = field(default_factory=list)


def roll_out(game: blockloom.GameInfo, rows: int, seconds: float, seed: int, bar: "Bar") -> Tally:
    """Plays for some seconds, and in any case until an episode has ended."""
    envs = gymnasium.make_vec(f"blockloom/{game.game_id}", num_envs=rows, autoreset_mode="same_step")
    names = game.spec.outcome_names
    tally = Tally(game.title, names)
    rng = np.random.default_rng(seed)
    _, infos = envs.reset(seed=seed)
    start = time.perf_counter()
    while tally.seconds < seconds or not tally.outcomes:
        _, _, _, _, infos = envs.step(blockloom.sample(infos["action_mask"], rng))
        tally.steps += rows
        if "final_info" in infos:
            ended = infos["_final_info"]
            tally.outcomes += np.stack([infos["final_info"][name][ended] for name in names], axis=1).tolist()
        tally.seconds = time.perf_counter() - start
        bar.show(min(tally.seconds / seconds, 1.0), f"{game.title}: {len(tally.outcomes):,} episodes")
    envs.close()
    return tally


class Bar:
    """A progress bar on a terminal; a line for each game elsewhere."""

    def __init__(self, parts: int) -> None:
        self.parts = parts
        self.done = 0
        self.shown = 0.0
        self.live = sys.stderr.isatty()

    def show(self, fraction: float, text: str) -> None:
        now = time.perf_counter()
        if not self.live or now - self.shown < 0.05:
            return
        self.shown = now
        filled = int(BAR_WIDTH * (self.done + fraction) / self.parts)
        sys.stderr.write(f"\r\x1b[K[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {text}")
        sys.stderr.flush()

    def finish_part(self, text: str) -> None:
        self.done += 1
        if self.live:
            sys.stderr.write("\r\x1b[K")
        else:
            sys.stderr.write(f"[{self.done}/{self.parts}] {text}\n")
        sys.stderr.flush()


def table(tallies: list[Tally]) -> str:
    """One line a game."""
    rows = [("game", "episodes", "env-steps/s", "mean score", "and")]
    for tally in tallies:
        means = dict(zip(tally.outcome_names, np.mean(tally.outcomes, axis=0), strict=True))
        second = "lines" if "lines" in means else "chamber"
        also = f"{means[second]:.2f} {second}" if second in means else ""
        rate = f"{tally.steps / tally.seconds:,.0f}"
        rows.append((tally.title, f"{len(tally.outcomes):,}", rate, f"{means['score']:.1f}", also))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([first.strip().ljust(widths[0]), *others]))
    lines.insert(1, "-" * len(lines[0]))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=256, help="environments at a time")
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds for each game")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()

    games = blockloom.list_games()
    bar = Bar(len(games))
    tallies = []
    for game in games:
        tallies.append(roll_out(game, args.rows, args.seconds, args.seed, bar))
        bar.finish_part(f"{game.title}: {len(tallies[-1].outcomes):,} episodes")
    print(table(tallies))


if __name__ == "__main__":
    main()
