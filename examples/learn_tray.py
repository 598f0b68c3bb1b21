"""Learns Block Puzzle 8x8 from nothing but play, in less than a minute, and shows that it has learned.

python examples/learn_tray.py

A value of boards is learned by temporal differences while it chooses the placements, from nothing but the points. The
program fails unless play by that value is better than random placements, beyond the 95 % intervals of both.
"""

import argparse
from typing import Any

import blockloom
from blockloom.agents import PolicyAgent
from blockloom.learning.evaluate import interval, play_episodes
from blockloom.learning.train_tray import Settings, train
from blockloom.learning.tray import GAMES, TrayAgent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="BlockPuzzle8-v1", choices=GAMES)
    parser.add_argument("--steps", type=int, default=80_000)
    args = parser.parse_args()

    # Every placement is looked at, and none is ranked by hand.
    ahead: dict[str, Any] = {"beam_width": 300, "depth": 1, "hand_weight": 0.0}
    learner, progress = train(Settings(args.game, most_steps=args.steps, num_envs=64, num_workers=1, **ahead))
    print(f"{progress.steps:,} steps, rewards of the first 10,000: sha256 {progress.digest[:16]}")
    agents = {
        "random": PolicyAgent(blockloom.baselines.random_legal(seed=0)),
        "trained": TrayAgent(args.game, learner.value, **ahead),
    }
    intervals = {}
    for name, agent in agents.items():
        scores = play_episodes(agent, args.game, range(40), cap=1000)["score"]
        low, high = intervals[name] = interval(scores)
        print(f"{name:>9}: mean score {scores.mean():8,.0f}, 95 % interval {low:,.0f} to {high:,.0f}")
    if intervals["trained"][0] <= intervals["random"][1]:
        raise SystemExit("it has not learned")


if __name__ == "__main__":
    main()
