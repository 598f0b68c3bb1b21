"""Many environments at once, in two halves that take turns.

The server plays one half while this program thinks about the other.

    python examples/vector_rollout.py
    python examples/vector_rollout.py --rows 4096 --steps 1000 --workers 2
    python examples/vector_rollout.py --server 127.0.0.1:50051     # after: python -m blockloom serve
"""

import argparse
import time

import numpy as np

import blockloom


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="Stackcraft-v1", choices=blockloom.GAME_IDS)
    parser.add_argument("--rows", type=int, default=512, help="environments; an even number")
    parser.add_argument("--steps", type=int, default=200, help="steps of each environment")
    parser.add_argument("--workers", type=int, help="server processes to start here")
    parser.add_argument("--server", help="host:port or unix:/path of a server that runs already")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()

    envs = blockloom.BlockloomVectorEnv(
        args.game,
        args.rows,
        batch_size=args.rows // 2,
        num_workers=args.workers,
        server=args.server,
        episode_statistics=True,
    )
    rng = np.random.default_rng(args.seed)
    returns: list[float] = []
    start = time.perf_counter()
    envs.async_reset(seed=args.seed)
    for _ in range(2 * args.steps):
        observations, rewards, terminations, truncations, infos = envs.recv()
        if "episode" in infos:
            returns += infos["episode"]["r"][infos["_episode"]].tolist()
        actions = blockloom.sample(infos["action_mask"], rng)  # a policy would look at `observations` here
        envs.send(actions, infos["env_id"])
    seconds = time.perf_counter() - start
    envs.close()

    print(f"{args.rows * args.steps:,} steps in {seconds:.2f} s: {args.rows * args.steps / seconds:,.0f} steps/s")
    if returns:
        print(f"{len(returns):,} episodes, mean return {np.mean(returns):.1f}")


if __name__ == "__main__":
    main()
