"""Trains sb3-contrib's MaskablePPO, evaluates it while it learns, and shows that it has learned.

python examples/integrations/sb3_maskable_ppo.py --steps 16000

All rows of a game are stepped in one request, and boards and trays go through the small convolution of
`blockloom.sb3_features`. The program fails unless the best policy that the evaluations met is better than random
actions, beyond the 95 % intervals of both.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.vec_env import VecNormalize

import blockloom
from blockloom.agents import PolicyAgent
from blockloom.learning.evaluate import interval, play_episodes
from blockloom.sb3 import make_vec_env
from blockloom.sb3_features import BoardExtractor

TRAINING, CHOOSING = 1_000_000_000, 2_000_000_000
"""Seeds from here on are trained on, and tell which policy is the best; those of the comparison are fresh."""


def train(game: str, steps: int, cap: int, n_envs: int, seed: int, run: Path) -> MaskablePPO:
    torch.set_num_threads(1)
    # Rewards come in points, which a value function does not like; the evaluations tell points.
    envs = VecNormalize(make_vec_env(game, n_envs, seed=TRAINING + seed, max_episode_steps=cap), norm_obs=False)
    choosing = VecNormalize(
        make_vec_env(game, 16, seed=CHOOSING + seed, max_episode_steps=cap),
        training=False,
        norm_obs=False,
        norm_reward=False,
    )
    callback = MaskableEvalCallback(
        choosing,
        n_eval_episodes=32,
        eval_freq=max(steps // n_envs // 4, 1),
        deterministic=False,
        best_model_save_path=str(run),
        log_path=str(run),
    )
    model = MaskablePPO(
        "MultiInputPolicy",
        envs,
        n_steps=32,
        batch_size=256,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=0.98,
        ent_coef=0.01,
        policy_kwargs={"features_extractor_class": BoardExtractor, "net_arch": []},
        seed=seed,
        device="cpu",
        verbose=1,
    )
    model.learn(steps, callback=callback)
    envs.close()
    choosing.close()
    return MaskablePPO.load(run / "best_model", device="cpu")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="Hourloom-v1", choices=blockloom.GAME_IDS)
    parser.add_argument("--steps", type=int, default=16_000)
    parser.add_argument("--cap", type=int, default=200, help="steps after which an episode is truncated")
    parser.add_argument("--n-envs", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", type=Path, help="folder for the best model and the evaluations")
    args = parser.parse_args()

    run = args.run or Path(tempfile.mkdtemp())
    model = train(args.game, args.steps, args.cap, args.n_envs, args.seed, run)

    def policy(envs: Any, obs: Any, info: Any) -> Any:
        return model.predict(obs, action_masks=info["action_mask"], deterministic=False)[0]

    agents = {"random": PolicyAgent(blockloom.baselines.random_legal(seed=0)), "trained": PolicyAgent(policy)}
    intervals = {}
    for name, agent in agents.items():
        result = play_episodes(agent, args.game, range(100), cap=args.cap)
        low, high = intervals[name] = interval(result["score"])
        print(f"{name:>9}: mean score {np.mean(result['score']):8,.0f}, 95 % interval {low:,.0f} to {high:,.0f}")
        if result["illegal"].any():
            raise SystemExit("it has taken illegal actions")
    if intervals["trained"][0] <= intervals["random"][1]:
        raise SystemExit("it has not learned")


if __name__ == "__main__":
    main()
