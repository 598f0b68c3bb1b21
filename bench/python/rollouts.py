"""End to end: random masked play as a Python program sees it. A step that only resets a row is not counted."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from figures import Contestant
from pure_stackcraft import PureStackcraft

import blockloom
from blockloom._node import server_command
from blockloom._server_pool import POOL

_RNG = np.random.default_rng(7)
_WARM_UP_SHARE = 0.3


def lock_step(envs: gymnasium.vector.VectorEnv[Any, Any, Any], seconds: float) -> tuple[float, float]:
    """All rows together."""
    _, infos = envs.reset(seed=7)
    resetting, steps, rows = 0, 0, envs.num_envs
    start, deadline = 0.0, time.perf_counter() + seconds * _WARM_UP_SHARE
    while True:
        _, _, terminations, _, infos = envs.step(blockloom.sample(infos["action_mask"], _RNG))
        steps += rows - resetting
        resetting = int(np.count_nonzero(terminations))
        if (now := time.perf_counter()) < deadline:
            continue
        if start:
            return steps, now - start
        steps, start, deadline = 0, now, now + seconds


def two_in_flight(envs: blockloom.BlockloomVectorEnv, seconds: float) -> tuple[float, float]:
    """Two halves take turns: the server plays one while the other's actions are chosen."""
    envs.async_reset(seed=7)
    half = envs.batch_size
    resetting, steps = [0, 0], 0
    start, deadline = 0.0, time.perf_counter() + seconds * _WARM_UP_SHARE
    while True:
        for group in (0, 1):
            _, _, terminations, _, infos = envs.recv()
            envs.send(blockloom.sample(infos["action_mask"], _RNG), infos["env_id"])
            steps += half - resetting[group]
            resetting[group] = int(np.count_nonzero(terminations))
        if (now := time.perf_counter()) < deadline:
            continue
        if start:
            return steps, now - start
        steps, start, deadline = 0, now, now + seconds


def single(env: blockloom.BlockloomEnv, seconds: float) -> tuple[float, float]:
    """One environment."""
    _, info = env.reset(seed=7)
    steps, start, deadline = 0, 0.0, time.perf_counter() + max(2.0, seconds * _WARM_UP_SHARE)  # a pinned server is new
    while True:
        for _ in range(50):
            _, _, terminated, _, info = env.step(blockloom.sample(info["action_mask"], _RNG))
            if terminated:
                _, info = env.reset()
        steps += 50
        if (now := time.perf_counter()) < deadline:
            continue
        if start:
            return steps, now - start
        steps, start, deadline = 0, now, now + seconds


@contextlib.contextmanager
def servers(folder: Path) -> Iterator[dict[str, str | None]]:
    """The keyword ``server`` by transport; the embedded server stays open as long, so that its code stays compiled."""
    socket = folder / "blockloom.sock"
    processes = [
        subprocess.Popen(
            server_command("serve", "--listen", address),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for address in ("127.0.0.1:0", f"unix:{socket}")
    ]
    assert processes[0].stdout is not None
    port = processes[0].stdout.readline().strip()
    while not socket.exists():
        time.sleep(0.02)
    held = POOL.acquire(0)
    try:
        yield {"stdio": None, "grpc": f"127.0.0.1:{port}", "unix": f"unix:{socket}"}
    finally:
        POOL.release(0, held)
        for process in processes:
            process.terminate()
            process.communicate()


def rollout_contestants(
    game: str, addresses: dict[str, str | None], transports: list[str], encodings: list[str], sizes: list[int]
) -> list[Contestant]:
    """Each transport, encoding and number of rows, lock-step and, from two rows on, two in flight."""
    found = []
    for rows in sizes:
        for transport in transports:
            for encoding in encodings:
                keywords = {"server": addresses[transport], "wire_encoding": encoding}
                if rows == 1:
                    found.append(_single(("single", game, transport, encoding), game, keywords))
                    continue
                found.append(_lock_step(("lock-step", game, transport, encoding, str(rows)), game, rows, keywords))
                found.append(_two_in_flight(("two", game, transport, encoding, str(rows)), game, rows, keywords))
    if "stdio" in transports and 1 in sizes:
        found.append(_single(("single", game, "stdio pinned", "packed"), game, {"pin": True}))
    return found


def pure_python_contestant(rows: int) -> Contestant:
    """The same game in Python under Gymnasium's SyncVectorEnv."""

    def measure(seconds: float) -> tuple[float, float]:
        envs = gymnasium.vector.SyncVectorEnv([PureStackcraft for _ in range(rows)])
        with contextlib.closing(envs):
            return lock_step(envs, seconds)

    return Contestant(("pure Python", "Stackcraft-v1", str(rows)), measure)


def _single(key: tuple[str, ...], game: str, keywords: dict[str, Any]) -> Contestant:
    def measure(seconds: float) -> tuple[float, float]:
        results: list[tuple[float, float]] = []

        def play() -> None:
            with contextlib.closing(blockloom.BlockloomEnv(game, **keywords)) as env:
                results.append(single(env, seconds))

        thread = threading.Thread(target=play)  # one of its own, so that pinning confines nothing else
        thread.start()
        thread.join()
        return results[0]

    return Contestant(key, measure)


def _lock_step(key: tuple[str, ...], game: str, rows: int, keywords: dict[str, Any]) -> Contestant:
    def measure(seconds: float) -> tuple[float, float]:
        with contextlib.closing(blockloom.BlockloomVectorEnv(game, rows, **keywords)) as envs:
            return lock_step(envs, seconds)

    return Contestant(key, measure)


def _two_in_flight(key: tuple[str, ...], game: str, rows: int, keywords: dict[str, Any]) -> Contestant:
    def measure(seconds: float) -> tuple[float, float]:
        envs = blockloom.BlockloomVectorEnv(game, rows, batch_size=rows // 2, **keywords)
        with contextlib.closing(envs):
            return two_in_flight(envs, seconds)

    return Contestant(key, measure)
