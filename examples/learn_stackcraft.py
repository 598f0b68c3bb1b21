"""Learns Stackcraft by the cross-entropy method, in less than a minute, and shows that it has learned.

python examples/learn_stackcraft.py

Sets of weights play the same games, and the next sets are drawn around the best. The program fails unless the weights
found are better than random placements, beyond the 95 % intervals of both.
"""

import argparse

import numpy as np

import blockloom
from blockloom.agents import PolicyAgent
from blockloom.learning.evaluate import interval, play_episodes
from blockloom.learning.stackcraft import SCALES, StackcraftAgent
from blockloom.learning.train_stackcraft import Settings, first_mean, train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generations", type=int, default=5)
    args = parser.parse_args()

    settings = Settings(most_generations=args.generations, population=24, elite=6, games=4, num_workers=1)
    progress = train(settings)
    print(f"{progress.steps:,} steps, rewards of the first 10,000: sha256 {progress.digest[:16]}")
    for i in np.argsort(-np.abs(progress.mean))[:5]:
        print(f"  {list(SCALES)[i]}: {progress.mean[i]:+.2f}")

    agents = {
        "random": PolicyAgent(blockloom.baselines.random_legal(seed=0)),
        "at first": StackcraftAgent(first_mean(None), depth=1),
        "trained": StackcraftAgent(progress.mean, depth=1),
    }
    intervals = {}
    for name, agent in agents.items():
        scores = play_episodes(agent, "Stackcraft-v1", range(60), cap=200)["score"]
        low, high = intervals[name] = interval(scores)
        print(f"{name:>9}: mean score {scores.mean():8,.0f}, 95 % interval {low:,.0f} to {high:,.0f}")
    if intervals["trained"][0] <= intervals["random"][1]:
        raise SystemExit("it has not learned")


if __name__ == "__main__":
    main()
