"""A reset without a seed goes on with each row's own sequence, also where the server was lost in between."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv
from blockloom._node import server_command
from blockloom._server_pool import POOL
from blockloom._stdio import StdioChannel
from listening import wait_until_it_listens

GAME = "Stackcraft-v1"
MODES = list(AutoresetMode)


@pytest.fixture
def elsewhere(grpc_address: str) -> str:
    """A server that no test kills."""
    return grpc_address


def kill_embedded(number: int = 0, *, noticed: bool = True) -> None:
    channel = POOL.acquire(number)
    assert isinstance(channel, StdioChannel)
    os.kill(channel.process_id, signal.SIGKILL)
    if noticed:
        with pytest.raises(blockloom.ServerDiedError):
            channel.call("listGames", {}, 60)
    POOL.release(number, channel)


def random_step(env: Any, seed: int) -> Any:
    return env.step(blockloom.sample(env.action_masks().astype(np.int8), np.random.default_rng(seed)))


def episodes_of(env: BlockloomEnv, count: int) -> list[Any]:
    return [env.reset()[0] for _ in range(count)]


@pytest.mark.parametrize("seed", [7, -(2**70), None])
def test_an_environment_goes_on_after_its_server_was_killed(seed: int | None, elsewhere: str) -> None:
    env = BlockloomEnv(GAME)
    env.reset(seed=seed)
    undisturbed = BlockloomEnv(GAME, server=elsewhere)
    undisturbed.reset(seed=env.np_random_seed)
    for _ in range(3):
        env.reset()
        undisturbed.reset()
    env.step(0)
    kill_embedded()
    with pytest.raises(blockloom.ServerDiedError):
        env.step(4)
    assert data_equivalence(episodes_of(env, 3), episodes_of(undisturbed, 3), exact=True)
    assert env.np_random_seed == undisturbed.np_random_seed
    kill_embedded()
    assert data_equivalence(episodes_of(env, 2), episodes_of(undisturbed, 2), exact=True)
    env.close()
    undisturbed.close()


def test_a_reset_that_failed_is_not_an_episode(elsewhere: str) -> None:
    env, undisturbed = BlockloomEnv(GAME), BlockloomEnv(GAME, server=elsewhere)
    env.reset(seed=7)
    undisturbed.reset(seed=7)
    kill_embedded(noticed=False)
    with pytest.raises(blockloom.ServerDiedError):
        env.reset()
    assert data_equivalence(episodes_of(env, 2), episodes_of(undisturbed, 2), exact=True)
    env.close()
    undisturbed.close()


def test_an_answer_that_came_too_late_is_not_an_episode(elsewhere: str) -> None:
    env, undisturbed = BlockloomEnv(GAME), BlockloomEnv(GAME, server=elsewhere)
    envs = BlockloomVectorEnv(GAME, 3)
    for each in (env, undisturbed, envs):
        each.reset(seed=7)
    channel = POOL.acquire(0)
    assert isinstance(channel, StdioChannel)
    os.kill(channel.process_id, signal.SIGSTOP)
    remotes = [env._remote, envs._groups.parts[0].remote]
    for remote in remotes:
        remote.timeout_s = 0.3
    for each in (env, envs):
        with pytest.raises(blockloom.DeadlineError):
            each.reset()
    os.kill(channel.process_id, signal.SIGCONT)
    POOL.release(0, channel)
    for remote in remotes:
        remote.timeout_s = 60
    expected = episodes_of(undisturbed, 2)
    assert data_equivalence(episodes_of(env, 2), expected, exact=True)
    boards = [{key: array[0] for key, array in envs.reset()[0].items()} for _ in range(2)]
    assert [(int(seen["current"]), int(seen["next"])) for seen in boards] == [
        (int(seen["current"]), int(seen["next"])) for seen in expected
    ]
    for each in (env, undisturbed, envs):
        each.close()


@pytest.mark.parametrize("make", [BlockloomEnv, lambda game, **keywords: BlockloomVectorEnv(game, 3, **keywords)])
def test_a_daily_sequence_goes_on(make: Any, elsewhere: str) -> None:
    env, undisturbed = make("BlockPuzzle8-v1"), make("BlockPuzzle8-v1", server=elsewhere)
    for either in (env, undisturbed):
        either.reset(seed=7)
        either.reset(options={"daily": "2026-01-31"})
        either.reset()
    kill_embedded()
    assert data_equivalence(episodes_of(env, 2), episodes_of(undisturbed, 2), exact=True)
    env.close()
    undisturbed.close()


def test_rows_of_different_origins_go_on(elsewhere: str) -> None:
    env, undisturbed = (
        BlockloomVectorEnv("BlockPuzzle8-v1", 4),
        BlockloomVectorEnv("BlockPuzzle8-v1", 4, server=elsewhere),
    )
    for either in (env, undisturbed):
        either.reset(seed=7)
        for row, day in ((1, "2026-01-31"), (3, "2026-02-01")):
            either.reset(options={"daily": day, "reset_mask": np.arange(4) == row})
        either.reset(options={"reset_mask": np.arange(4) == 3})
    kill_embedded()
    assert data_equivalence(env.reset()[0], undisturbed.reset()[0], exact=True)
    env.close()
    undisturbed.close()


def test_what_follows_a_replay(elsewhere: str) -> None:
    env = BlockloomEnv(GAME, record=True)
    env.reset(seed=12)
    env.step(0)
    env.reset()
    standing = blockloom.load_replay(env.save_replay())
    kill_embedded()
    undisturbed = BlockloomEnv(GAME, server=elsewhere)
    undisturbed.reset(seed=12)
    assert data_equivalence(episodes_of(standing, 2), episodes_of(undisturbed, 2), exact=True)
    for each in (env, standing, undisturbed):
        each.close()


LAYOUTS: list[dict[str, Any]] = [{}, {"num_workers": 2, "batch_size": 3}, {"resume": True}]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_rows_of_a_vector_go_on(mode: AutoresetMode, layout: dict[str, Any], elsewhere: str) -> None:
    """Rows are at different episodes, some just over, some ended by `play`."""
    settings: Any = {"autoreset_mode": mode, "max_episode_steps": 9, "illegal_action": "terminate"}
    envs = BlockloomVectorEnv(GAME, 6, **settings, **layout)
    undisturbed = BlockloomVectorEnv(GAME, 6, **settings, server=elsewhere)
    for either in (envs, undisturbed):
        either.reset(seed=[5, -5, 2**64, 8, 9, 10])
        for step in range(30):
            actions = either.action_masks().argmax(axis=1)
            actions[step % 6] = 39 if step % 4 == 0 else actions[step % 6]
            _, _, terminations, truncations, _ = either.step(actions)
            over = terminations | truncations
            if mode is AutoresetMode.DISABLED and over.any() and step < 29:
                either.reset(options={"reset_mask": over})
        for _ in range(9):
            result = either.play(2, "r0x0")
            if result.game_over or not result.ok:
                break
    if "resume" in layout:
        envs._groups.parts[0].remote._lost = True  # type: ignore[union-attr]
    for number in range(layout.get("num_workers", 1)):
        kill_embedded(number)
    if "resume" not in layout and mode is not AutoresetMode.DISABLED:
        with pytest.raises(blockloom.ServerDiedError):
            envs.step(np.zeros(6, int))
    seen, expected = ([either.reset()[0] for _ in range(2)] for either in (envs, undisturbed))
    assert data_equivalence(seen, expected, exact=True)
    for _ in range(12):
        ours, theirs = (random_step(either, 3) for either in (envs, undisturbed))
        assert data_equivalence(ours[:4], theirs[:4], exact=True)
        if mode is AutoresetMode.DISABLED and (ours[2] | ours[3]).any():
            break
    envs.close()
    undisturbed.close()


def test_rows_without_a_seed_in_a_list_go_on(elsewhere: str) -> None:
    envs, undisturbed = BlockloomVectorEnv(GAME, 3), BlockloomVectorEnv(GAME, 3, server=elsewhere)
    for either in (envs, undisturbed):
        either.reset(seed=40)
        either.reset()
    kill_embedded()
    seen, expected = ([either.reset(seed=[None, 90, None])[0], either.reset()[0]] for either in (envs, undisturbed))
    assert data_equivalence(seen, expected, exact=True)
    envs.close()
    undisturbed.close()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_actions_whose_answers_were_not_taken_do_not_count(mode: Any, elsewhere: str) -> None:
    envs = BlockloomVectorEnv(GAME, 4, autoreset_mode=mode, batch_size=2, max_episode_steps=1)
    undisturbed = BlockloomVectorEnv(GAME, 4, autoreset_mode=mode, server=elsewhere)
    for either in (envs, undisturbed):
        either.reset(seed=4)
    envs.send(np.zeros(4, int))
    assert data_equivalence(envs.reset()[0], undisturbed.reset()[0], exact=True)
    envs.send(np.zeros(4, int))
    envs.recv()
    kill_embedded()
    if mode == "same_step":  # the rows that were received have begun their next episode
        undisturbed.reset(options={"reset_mask": np.arange(4) < 2})
    assert data_equivalence(envs.reset()[0], undisturbed.reset()[0], exact=True)
    envs.close()
    undisturbed.close()


def test_rows_that_went_on_unseen_are_not_named_wrongly() -> None:
    """What nobody can know is drawn anew."""
    envs = BlockloomVectorEnv(GAME, 2, autoreset_mode="same_step", batch_size=1, max_episode_steps=1)
    envs.reset(seed=4)
    envs.send(np.zeros(2, int))
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert not envs._sequences.known
    kill_embedded()
    envs.reset()
    assert envs.np_random_seed != 4
    envs.reset(seed=4)
    assert envs._sequences.known
    envs.close()


@pytest.fixture
def restartable(tmp_path: Any) -> Iterator[Callable[[], str]]:
    """Starts a gRPC server at the same address, after killing the one before."""
    processes: list[subprocess.Popen[bytes]] = []
    address = f"unix:{tmp_path}/s.sock"

    def start() -> str:
        if processes:
            processes[-1].kill()
            processes[-1].wait()
        (tmp_path / "s.sock").unlink(missing_ok=True)
        command = server_command("serve", "--listen", address)
        processes.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        wait_until_it_listens(processes[-1], tmp_path / "s.sock")
        return address

    yield start
    processes[-1].terminate()
    for process in processes:
        process.wait(timeout=10)


def test_rows_go_on_over_grpc(restartable: Callable[[], str], elsewhere: str) -> None:
    envs = BlockloomVectorEnv(GAME, 3, server=restartable())
    undisturbed = BlockloomVectorEnv(GAME, 3, server=elsewhere)
    for either in (envs, undisturbed):
        either.reset(seed=40)
        either.reset()
    restartable()
    with pytest.raises(blockloom.ServerDiedError):
        envs.step(np.zeros(3, int))
    assert data_equivalence(envs.reset()[0], undisturbed.reset()[0], exact=True)
    envs.close()
    undisturbed.close()


FORK = """
import os
import numpy as np
import blockloom
env, envs = blockloom.BlockloomEnv("Stackcraft-v1"), blockloom.BlockloomVectorEnv("Stackcraft-v1", 2)
def following():
    seen = [*env.reset()[0].values(), *envs.reset()[0].values()]
    return np.concatenate([np.ravel(array) for array in seen]).tolist()
env.reset(seed=3), envs.reset(seed=30)
following()
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, repr(following()).encode())
    os._exit(0)
os.close(write)
with open(read) as pipe:
    assert eval(pipe.read()) == following()
print("the same")
"""


def test_a_forked_child_goes_on_with_the_same_sequences() -> None:
    program = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=False)
    assert program.stdout == "the same\n", program.stderr


PICKLED = """
import pickle, sys
import numpy as np
from blockloom._server_pool import POOL
env, envs = pickle.load(sys.stdin.buffer)
assert not POOL._entries, "unpickling has started a server"
assert env.observation_space.contains({**env.observation_space.sample()})
assert (env.action_space.n, env.game_spec.num_actions, envs.num_envs, envs.action_space.shape) == (40, 40, 3, (3,))
assert env.spec.id == envs.spec.id == "blockloom/Stackcraft-v1"
for use in (env.action_masks, lambda: env.step(0), envs.action_masks, lambda: envs.step(np.zeros(3, int))):
    try:
        use()
    except ValueError:
        pass
    else:
        raise AssertionError(use)
assert not POOL._entries, "nothing to see has started a server"
env.reset(seed=1)
assert POOL._entries
envs.reset(seed=1)
print(env.step(0)[4]["pieces"], envs.step(np.zeros(3, int))[4]["pieces"].tolist())
"""


def test_what_is_unpickled_holds_settings_only_until_its_first_use() -> None:
    env: Any = gymnasium.make(f"blockloom/{GAME}", config={"cells": "occupancy"}).unwrapped
    envs: Any = gymnasium.make_vec(f"blockloom/{GAME}", num_envs=3, cells="occupancy")
    env.reset(seed=1)
    pickled = pickle.dumps((env, envs))
    env.close()
    envs.close()
    program = subprocess.run(
        [sys.executable, "-c", PICKLED], input=pickled, capture_output=True, timeout=60, check=False
    )
    assert program.stdout == b"1 [1, 1, 1]\n", program.stderr.decode()


def test_what_is_unpickled_can_be_closed_or_dropped_without_a_server() -> None:
    env, envs = BlockloomEnv(GAME), BlockloomVectorEnv(GAME, 2)
    twins = pickle.loads(pickle.dumps((env, envs)))
    for twin in twins:
        assert twin._held is None
        twin.close()
        with pytest.raises(blockloom.BlockloomError, match="closed"):
            twin.reset()
    again = pickle.loads(pickle.dumps(twins[0]))
    assert again.reset(seed=1)[1]["pieces"] == 0
    for each in (env, envs, again):
        each.close()


def test_a_server_of_another_version_is_told_by_what_it_makes() -> None:
    env, envs = BlockloomEnv(GAME), BlockloomVectorEnv(GAME, 2)
    for each in (env, envs):
        state: Any = each.__getstate__()
        state["game_spec"] = blockloom.list_games()[1].spec
        twin = type(each).__new__(type(each))
        twin.__setstate__(state)
        with pytest.raises(blockloom.BlockloomError, match="another version"):
            twin.reset(seed=1)
        each.close()
