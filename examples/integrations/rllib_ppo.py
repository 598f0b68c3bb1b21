"""RLlib: proximal policy optimization with masks, by env runners on one machine or on many.

python examples/integrations/rllib_ppo.py
python examples/integrations/rllib_ppo.py --game Stackcraft-v1 --cap 200 --gamma 0.99 --iterations 100
python examples/integrations/rllib_ppo.py --address auto --runners 8 --server a:50051 --server b:50051

Each env runner steps all its rows in one request, to an embedded server of its own or to one of the gRPC servers. With
`--address auto` it joins the Ray cluster that runs here, and Ray spreads the env runners over its nodes.
"""

import argparse
import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.rllib.algorithms.ppo import PPOConfig

import blockloom
from blockloom.rllib import configure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="BlockPuzzle8-v1", choices=blockloom.GAME_IDS)
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--num-envs", type=int, default=32, help="rows of each env runner")
    parser.add_argument("--cap", type=int, default=1, help="steps after which an episode is truncated; 0: never")
    parser.add_argument("--gamma", type=float, default=0.0)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--batch", type=int, default=2048, help="steps of one iteration")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--server", action="append", help="host:port of a gRPC server; again for more")
    parser.add_argument("--address", help="the Ray cluster to join; without it one is started and ended")
    args = parser.parse_args()

    if args.address:
        ray.init(args.address, logging_level="error")
    else:
        small = {"include_dashboard": False, "object_store_memory": 100 * 2**20, "logging_level": "error"}
        ray.init("local", num_cpus=args.runners, **small)
    config = (
        configure(PPOConfig(), args.game, server=args.server, max_episode_steps=args.cap)
        .env_runners(num_env_runners=args.runners, num_envs_per_env_runner=args.num_envs)
        .training(
            train_batch_size_per_learner=args.batch,
            minibatch_size=256,
            num_epochs=4,
            lr=1e-3,
            gamma=args.gamma,
            entropy_coeff=0.0,
            vf_clip_param=float("inf"),  # returns are not of the size that the default clips to
            use_kl_loss=False,
        )
        .reporting(metrics_num_episodes_for_smoothing=args.batch)
        .debugging(seed=args.seed)
    )
    algorithm = config.build_algo()
    for iteration in range(args.iterations):
        figures = algorithm.train()["env_runners"]
        print(
            f"iteration {iteration + 1}: {figures['num_env_steps_sampled']} steps, "
            f"mean return {figures.get('episode_return_mean', float('nan')):.3f}, "
            f"illegal actions {figures['illegal_actions']:g}",
            flush=True,
        )
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
