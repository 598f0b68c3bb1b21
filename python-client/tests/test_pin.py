"""``pin=True``: a server of the environment's own, on one core with the thread that uses it."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv, _pinning
from blockloom._server_pool import POOL, PinnedChannel
from blockloom.errors import InvalidArgumentError, ServerDiedError

GAME = "Stackcraft-v1"


@pytest.fixture(autouse=True)
def all_cores_afterwards() -> Iterator[set[int]]:
    """The cores of the test, which must be all there are, before it and after it."""
    before = os.sched_getaffinity(0)
    yield before
    assert os.sched_getaffinity(0) == before


def channel_of(env: BlockloomEnv | BlockloomVectorEnv) -> PinnedChannel:
    remote = env._remote if isinstance(env, BlockloomEnv) else env._groups.parts[0].remote
    channel = remote._channel  # type: ignore[union-attr]
    assert isinstance(channel, PinnedChannel)
    return channel


def state_of(process_id: int) -> str:
    """The letter of a process's state; empty once it is gone."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_until_ended(process_id: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while state_of(process_id) not in ("", "Z"):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def play(env: BlockloomEnv, steps: int) -> list[Any]:
    rng = np.random.default_rng(3)
    seen: list[Any] = []
    observation, info = env.reset(seed=11)
    for _ in range(steps):
        action = blockloom.sample(info["action_mask"], rng)
        observation, reward, terminated, _, info = env.step(action)
        seen.append((observation["board"].tobytes(), reward, info["score"], info["action_mask"].tobytes()))
        if terminated:
            observation, info = env.reset()
    return seen


def test_a_pinned_environment_plays_what_any_other_plays() -> None:
    with contextlib.closing(BlockloomEnv(GAME, pin=True)) as pinned, contextlib.closing(BlockloomEnv(GAME)) as plain:
        assert play(pinned, 150) == play(plain, 150)


def test_a_pinned_vector_plays_what_any_other_plays_in_groups_too() -> None:
    with (
        contextlib.closing(BlockloomVectorEnv(GAME, 4, batch_size=2, pin=True)) as pinned,
        contextlib.closing(BlockloomVectorEnv(GAME, 4)) as plain,
    ):
        rng = np.random.default_rng(5)
        for envs in (pinned, plain):
            _, infos = envs.reset(seed=2)
        for _ in range(100):
            actions = blockloom.sample(infos["action_mask"], rng)
            one, other = pinned.step(actions), plain.step(actions)
            np.testing.assert_array_equal(one[0]["board"], other[0]["board"])
            np.testing.assert_array_equal(one[1], other[1])
            infos = one[4]
            np.testing.assert_array_equal(infos["action_mask"], other[4]["action_mask"])


def test_thread_and_server_share_one_core_until_the_last_is_closed(all_cores_afterwards: set[int]) -> None:
    first, second = gymnasium.make(f"blockloom/{GAME}", pin=True), BlockloomVectorEnv(GAME, 2, pin=True)
    core = os.sched_getaffinity(0)
    assert len(core) == 1
    inner = first.unwrapped
    assert isinstance(inner, BlockloomEnv)
    servers = [channel_of(inner).process_id, channel_of(second).process_id]
    assert len(set(servers)) == 2
    assert [os.sched_getaffinity(server) for server in servers] == [core, core]
    first.close()
    first.close()
    assert os.sched_getaffinity(0) == core
    second.reset(seed=1)
    second.close()
    assert os.sched_getaffinity(0) == all_cores_afterwards
    assert all(wait_until_ended(server, 3.0) for server in servers)


def test_other_servers_get_all_cores(all_cores_afterwards: set[int]) -> None:
    with contextlib.closing(BlockloomEnv(GAME, pin=True)):
        core = os.sched_getaffinity(0)
        with contextlib.closing(BlockloomVectorEnv(GAME, 8, num_workers=8)) as plain:
            servers = {part.remote._channel.process_id for part in plain._groups.parts}  # type: ignore[union-attr]
            assert len(servers) == 8
            assert all(os.sched_getaffinity(server) == all_cores_afterwards for server in servers)
        assert os.sched_getaffinity(0) == core


def test_each_thread_has_a_core_of_its_own_and_another_thread_may_close() -> None:
    made: list[BlockloomEnv] = []
    cores: list[set[int]] = []
    closed = threading.Event()

    def use() -> None:
        made.append(BlockloomEnv(GAME, pin=True))
        cores.append(os.sched_getaffinity(0))
        assert closed.wait(30)
        cores.append(os.sched_getaffinity(0))

    before = os.sched_getaffinity(0)
    thread = threading.Thread(target=use)
    thread.start()
    while not cores:
        time.sleep(0.01)
    assert os.sched_getaffinity(0) == before
    made[0].close()
    closed.set()
    thread.join()
    assert len(cores[0]) == 1
    assert cores[1] == before


def test_cores_that_were_set_meanwhile_are_left_alone() -> None:
    before = os.sched_getaffinity(0)
    env = BlockloomEnv(GAME, pin=True)
    others = before - os.sched_getaffinity(0) or before
    os.sched_setaffinity(0, others)
    env.close()
    assert os.sched_getaffinity(0) == others
    os.sched_setaffinity(0, before)


def test_a_dropped_environment_ends_its_server_and_gives_the_core_back(all_cores_afterwards: set[int]) -> None:
    env = BlockloomEnv(GAME, pin=True)
    server = channel_of(env).process_id
    del env
    gc.collect()
    assert os.sched_getaffinity(0) == all_cores_afterwards
    assert wait_until_ended(server, 3.0)
    BlockloomEnv(GAME, pin=True).close()
    assert state_of(server) == ""
    assert not any(isinstance(entry.channel, PinnedChannel) for entry in POOL._entries.values())


def test_a_killed_server_is_told_of_and_reset_starts_another() -> None:
    with contextlib.closing(BlockloomEnv(GAME, pin=True)) as env:
        env.reset(seed=1)
        server = channel_of(env).process_id
        os.kill(server, signal.SIGKILL)
        assert wait_until_ended(server, 3.0)
        with pytest.raises(ServerDiedError) as caught:
            env.step(0)
        assert caught.value.exit_code == -signal.SIGKILL
        env.reset(seed=1)
        assert len(os.sched_getaffinity(0)) == 1
        assert channel_of(env).process_id != server


def test_no_server_is_left_of_a_killed_program() -> None:
    source = (
        "import os, time, blockloom\n"
        f"env = blockloom.BlockloomEnv({GAME!r}, pin=True)\n"
        "env.reset(seed=1)\n"
        "sibling = os.fork()\n"  # holds the pipes open
        "if sibling: print(env._remote._channel.process_id, sibling, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", source], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        server, sibling = map(int, program.stdout.readline().split())
        assert state_of(server) not in ("", "Z")
        program.kill()
        program.wait()
        ended = wait_until_ended(server, 3.0)
        os.kill(sibling, signal.SIGKILL)
    assert ended


def test_a_forked_child_has_its_cores_back(all_cores_afterwards: set[int]) -> None:
    with contextlib.closing(BlockloomEnv(GAME, pin=True)) as env:
        env.reset(seed=1)
        child = os.fork()
        if child == 0:
            os._exit(0 if os.sched_getaffinity(0) == all_cores_afterwards else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert len(os.sched_getaffinity(0)) == 1
        env.step(0)


@pytest.mark.parametrize("kind", [BlockloomEnv, BlockloomVectorEnv])
def test_pickling_keeps_pin(kind: type[BlockloomEnv] | type[BlockloomVectorEnv]) -> None:
    with contextlib.closing(kind(GAME, pin=True)) as env:
        again = pickle.loads(pickle.dumps(env))
        assert channel_of(again).process_id != channel_of(env).process_id
        again.close()


def test_a_server_that_cannot_start_leaves_the_thread_its_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    with pytest.raises(TypeError):
        BlockloomEnv(GAME, pin=True)


def test_pin_is_refused_where_it_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidArgumentError, match="pin=True"):
        BlockloomEnv(GAME, pin=True, server="127.0.0.1:1")
    with pytest.raises(InvalidArgumentError, match="pin=True"):
        BlockloomVectorEnv(GAME, 4, pin=True, num_workers=2)
    monkeypatch.delattr(os, "sched_setaffinity")
    with pytest.raises(InvalidArgumentError, match="sched_setaffinity"):
        _pinning.check_platform()
