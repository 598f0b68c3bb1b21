"""`blockloom.rllib` with RLlib on a Ray cluster of two nodes: needs the extra `rllib`."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)  # so that Ray leaves none in the home folder

import gymnasium
import numpy as np
import pytest
import ray
import torch
from ray.cloudpickle import register_pickle_by_value
from ray.cluster_utils import Cluster
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns

import blockloom
from blockloom._node import server_command
from blockloom.rllib import MaskedModule, configure
from documents import program, run_example

register_pickle_by_value(sys.modules[__name__])  # env runners cannot import this file
GAMES = blockloom.GAME_IDS
SLOT = {"slot": 1}
"""Each node has one, so that env runners that need one are not on the same node."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two nodes without a dashboard that need little shared memory."""
    torch.set_num_threads(1)
    node: dict[str, Any] = {"num_cpus": 2, "resources": SLOT, "object_store_memory": 80 * 2**20}
    both = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    both.add_node(**node)
    both.wait_for_nodes()
    ray.init(both.address, logging_level="error", log_to_driver=False)
    yield both
    ray.shutdown()
    both.shutdown()


@pytest.fixture
def servers() -> Iterator[list[str]]:
    """Two gRPC servers."""
    command = server_command("serve", "--listen", "127.0.0.1:0")
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(2)
    ]
    ports = [int(one.stdout.readline()) for one in running if one.stdout is not None]
    yield [f"127.0.0.1:{port}" for port in ports]
    for one in running:
        one.terminate()
        one.wait(timeout=10)
        if one.stdout is not None:
            one.stdout.close()


def small(config: PPOConfig, **env_runners: Any) -> PPOConfig:
    config.env_runners(num_env_runners=2, num_envs_per_env_runner=8, **env_runners)
    config.training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=1, vf_clip_param=float("inf"))
    config.debugging(seed=40)
    return config


def of_runners(algorithm: Any, what: Callable[[Any], Any]) -> list[Any]:
    result: list[Any] = algorithm.env_runner_group.foreach_env_runner(what, local_env_runner=False)
    return result


def where(runner: Any) -> dict[str, Any]:
    """What an env runner says of itself."""
    envs = runner.env.unwrapped
    return {
        "node": ray.get_runtime_context().get_node_id(),
        "rows": type(envs).__name__,
        "server": runner.config.env_config.get("server"),
        "seed": runner._seed,
        "process": _server_pid(envs),
        "value": hasattr(runner.module, "value"),
    }


def _server_pid(envs: Any) -> int | None:
    """The embedded server of some rows, or None."""
    process = getattr(envs._groups.parts[0].remote._channel, "_process", None)
    return None if process is None else int(process.pid)


def weights(algorithm: Any) -> dict[str, Any]:
    state: dict[str, Any] = algorithm.get_module().get_state()
    return {name: np.array(array) for name, array in state.items()}


def is_running(pid: int) -> bool:
    """Whether a process is there and not merely waiting to be taken note of."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pids: list[int], seconds: float = 30.0) -> list[int]:
    """Those that are still running after that time."""
    deadline = time.monotonic() + seconds
    left = [pid for pid in pids if is_running(pid)]
    while left and time.monotonic() < deadline:
        time.sleep(0.1)
        left = [pid for pid in left if is_running(pid)]
    return left


@pytest.mark.smoke
def test_env_runners_on_both_nodes_learn_with_embedded_servers(cluster: Cluster) -> None:
    config = configure(PPOConfig(), "BlockPuzzle8-v1", max_episode_steps=30)
    algorithm = small(config, custom_resources_per_env_runner=SLOT).build_algo()
    said = of_runners(algorithm, where)
    assert len({one["node"] for one in said}) == len(cluster.list_all_nodes()) == 2
    assert {one["rows"] for one in said} == {"BlockloomVectorEnv"}
    assert sorted(one["seed"] for one in said) == [40, 48]
    assert not any(one["value"] for one in said)
    pids = [one["process"] for one in said]
    assert len(set(pids)) == 2
    assert all(is_running(pid) for pid in pids)
    before = weights(algorithm)
    for _ in range(3):
        result = algorithm.train()
        figures, learned = result["env_runners"], result["learners"]["default_policy"]
        assert figures["num_env_steps_sampled"] >= 256
        assert figures["illegal_actions"] == 0
        assert all(np.isfinite(learned[name]) for name in ("policy_loss", "vf_loss", "entropy"))
    assert 0 < figures["episode_return_mean"] == figures["score"]
    assert figures["episode_len_max"] <= 30
    after = weights(algorithm)
    assert before.keys() == after.keys()
    assert any(not np.array_equal(before[name], after[name]) for name in before)
    algorithm.stop()
    assert wait_until_gone(pids) == []


@pytest.mark.smoke
def test_env_runners_share_grpc_servers(cluster: Cluster, servers: list[str]) -> None:
    config = configure(PPOConfig(), "Stackcraft-v1", server=servers, max_episode_steps=30)
    algorithm = small(config).env_runners(num_env_runners=3).build_algo()
    said = of_runners(algorithm, where)
    assert [one["server"] for one in said] == [servers[0], servers[1], servers[0]]
    assert [one["process"] for one in said] == [None, None, None]
    assert [one["seed"] for one in said] == [40, 48, 56]
    figures = algorithm.train()["env_runners"]
    assert figures["num_env_steps_sampled"] >= 256
    assert figures["illegal_actions"] == 0
    algorithm.stop()


def test_rows_of_all_env_runners_play_seeds_of_their_own(cluster: Cluster) -> None:
    def begun(runner: Any) -> list[Any]:
        episodes = runner.sample(num_timesteps=1, random_actions=True, force_reset=True)
        first = [episode.get_observations(slice(0, 1)) for episode in episodes]
        return [{name: array[0] for name, array in observation.items()} for observation in first]

    algorithm = small(configure(PPOConfig(), "LumenBlocks-v1")).build_algo()
    rows = [row for rows in of_runners(algorithm, begun) for row in rows]
    algorithm.stop()
    assert len(rows) == 16
    for number, row in enumerate(rows):
        env = gymnasium.make("blockloom/LumenBlocks-v1", mask_in_obs=True)
        alone, _ = env.reset(seed=40 + number)
        assert all(np.array_equal(row[name], array) for name, array in alone.items())
        env.close()


@pytest.mark.smoke
@pytest.mark.parametrize("game", GAMES)
def test_illegal_actions_have_no_probability(game: str) -> None:
    envs = gymnasium.make_vec(f"blockloom/{game}", num_envs=5, mask_in_obs=True)
    spaces = {"observation_space": envs.single_observation_space, "action_space": envs.single_action_space}
    module = MaskedModule(**spaces, model_config={"hidden": [16]})
    observation, _ = envs.reset(seed=3)
    envs.close()
    observation["action_mask"][4] = 0  # as of a finished row
    batch = {Columns.OBS: {name: torch.from_numpy(np.asarray(array)) for name, array in observation.items()}}
    for out in (module.forward_inference(batch), module.forward_exploration(batch), module.forward_train(batch)):
        chosen = module.get_train_action_dist_cls().from_logits(out[Columns.ACTION_DIST_INPUTS])
        probabilities = chosen._dist.probs
        assert (probabilities[:4][observation["action_mask"][:4] == 0] == 0).all()
        assert torch.isfinite(chosen.entropy()).all()
        assert torch.allclose(probabilities.sum(-1), torch.ones(5))
    assert module.compute_values(batch).shape == (5,)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match="mask_in_obs: RLlib decides it"):
        configure(PPOConfig(), "Stackcraft-v1", mask_in_obs=False)
    with pytest.raises(blockloom.InvalidArgumentError, match="game_id='Tetris'; allowed: Stackcraft-v1"):
        configure(PPOConfig(), "Tetris")
    with pytest.raises(blockloom.InvalidArgumentError, match="server: an empty list"):
        configure(PPOConfig(), "Stackcraft-v1", server=[])
    box = gymnasium.spaces.Box(0, 1, (3,))
    with pytest.raises(blockloom.InvalidArgumentError, match="the observation has no action_mask"):
        MaskedModule(observation_space=box, action_space=gymnasium.spaces.Discrete(2), model_config={})


@pytest.mark.smoke
def test_the_documents_program_runs(cluster: Cluster) -> None:
    namespace: dict[str, Any] = {}
    exec(program("RLlib"), namespace)
    assert namespace["figures"]["illegal_actions"] == 0


def test_the_example_learns_in_the_cluster(cluster: Cluster) -> None:
    said = run_example("rllib_ppo.py", "--iterations", "12", "--address", cluster.address)
    returns = [float(number) for number in re.findall(r"mean return ([\d.]+)", said)]
    assert len(returns) == 12
    # Of three pieces the largest is placed: about 4.5 cells instead of 3.65, a mean of 2,048 steps being known to 0.04.
    assert min(returns[-2:]) > returns[0] + 0.4
    assert all(line.endswith("illegal actions 0") for line in said.splitlines() if line.startswith("iteration"))
