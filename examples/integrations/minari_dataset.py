"""Minari: games of a player with the masks of every step, as a data set that is loaded again and checked.

python examples/integrations/minari_dataset.py
python examples/integrations/minari_dataset.py --game Stackcraft-v1 --player greedy --episodes 100 --folder datasets

Nothing is sent or fetched: the data set is in the folder, by default one that is removed at the end.
"""

import argparse
import os
import tempfile

import blockloom


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="Stackcraft-v1", choices=blockloom.GAME_IDS)
    parser.add_argument("--player", default="random", help="one of blockloom.baselines")
    parser.add_argument("--episodes", type=int, default=5)
    parser.add_argument("--cap", type=int, default=100, help="steps after which an episode is truncated")
    parser.add_argument("--seed", type=int, default=7, help="of the first episode; the next ones count on")
    parser.add_argument("--folder", help="where the data set is kept")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINARI_DATASETS_PATH"] = args.folder or folder
        record(args)


def record(args: argparse.Namespace) -> None:
    import gymnasium
    import minari

    from blockloom.minari import collector, verify

    env = collector(gymnasium.make(f"blockloom/{args.game}", max_episode_steps=args.cap))
    game = env.unwrapped
    player = blockloom.baselines.make(args.game, args.player)
    for seed in range(args.seed, args.seed + args.episodes):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            observation, _, terminated, truncated, info = env.step(player(game, observation, info))
            over = terminated or truncated
    name = f"blockloom/{args.game.lower()}/{args.player}-v0"
    env.create_dataset(name, algorithm_name=args.player, description="Legal play, with masks.")
    env.close()

    dataset = minari.load_dataset(name)
    print(f"{name}: {dataset.total_episodes} episodes, {dataset.total_steps} steps")
    for episode in dataset.iterate_episodes():
        masks = episode.infos["action_mask"]
        shares = masks[:-1].mean(axis=1)
        print(
            f"episode {episode.id}: {len(episode)} steps, return {episode.rewards.sum():g}, masks {masks.shape}, ",
            end="",
        )
        print(f"legal {shares.mean():.0%} of the actions on average")
    print(f"played again: {verify(dataset)} steps are as they are stored")


if __name__ == "__main__":
    main()
