"""One environment, played with random legal actions.

python examples/random_agent.py
python examples/random_agent.py --game Hourloom-v1 --seed 7 --show
"""

import argparse

import gymnasium
import numpy as np

import blockloom


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="Stackcraft-v1", choices=blockloom.GAME_IDS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="print the game after every step")
    args = parser.parse_args()

    env = gymnasium.make(f"blockloom/{args.game}", render_mode="human" if args.show else None)
    rng = np.random.default_rng(args.seed)
    observation, info = env.reset(seed=args.seed)
    for episode in range(args.episodes):
        total, steps, over = 0.0, 0, False
        while not over:
            action = blockloom.sample(info["action_mask"], rng)
            observation, reward, terminated, truncated, info = env.step(action)
            total, steps, over = total + float(reward), steps + 1, terminated or truncated
        print(f"episode {episode}: {steps} steps, return {total:g}, score {info['score']}")
        observation, info = env.reset()  # the next episode of the same seed
    env.close()


if __name__ == "__main__":
    main()
