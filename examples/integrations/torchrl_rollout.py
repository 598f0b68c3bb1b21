"""TorchRL: random legal play, then a small proximal policy optimization with masks.

python examples/integrations/torchrl_rollout.py
python examples/integrations/torchrl_rollout.py --game Stackcraft-v1 --updates 200 --cap 200

All rows are stepped in one request. The policy gives illegal actions no probability, in play and in training.
"""

import argparse

import torch
from torchrl.collectors import Collector
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import blockloom
from blockloom.torchrl import actor_critic, make_env


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="BlockPuzzle8-v1", choices=blockloom.GAME_IDS)
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--cap", type=int, default=1, help="steps after which an episode is truncated; 0: never")
    parser.add_argument("--gamma", type=float, default=0.0)
    parser.add_argument("--updates", type=int, default=16)
    parser.add_argument("--steps", type=int, default=64, help="steps of each row between two updates")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    env = make_env(args.game, args.num_envs, seed=args.seed, max_episode_steps=args.cap)
    rollout = env.rollout(args.steps, break_when_any_done=False)
    print(f"random: {rollout.numel()} steps, mean reward {rollout['next', 'reward'].mean():.3f}")

    actor, critic = actor_critic(env)
    advantage = GAE(gamma=args.gamma, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.0, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    frames = args.num_envs * args.steps
    illegal = 0
    collector = Collector(
        env,
        actor,
        frames_per_batch=frames,
        total_frames=frames * args.updates,
        auto_register_policy_transforms=False,  # this policy remembers nothing
    )
    for update, batch in enumerate(collector):
        illegal += int(batch["next", "info", "illegal_action"].sum())
        reward = batch["next", "reward"].mean().item()
        for _ in range(args.epochs):
            with torch.no_grad():
                advantage(batch)
            steps = batch.reshape(-1)
            for part in steps[torch.randperm(len(steps))].split(256):
                terms = loss(part)
                (terms["loss_objective"] + terms["loss_critic"]).backward()
                optimizer.step()
                optimizer.zero_grad()
        print(f"update {update + 1}: mean reward {reward:.3f}, illegal actions {illegal}", flush=True)
    collector.shutdown()


if __name__ == "__main__":
    main()
