"""Env-steps per second of random masked play, as a Python program sees them.

    python benchmarks/rollout.py
    python benchmarks/rollout.py --game Hourloom-v1 --rows 1 256 --transports stdio --seconds 3

The gRPC server is started here, on a free port of this machine. Each figure is the median of the repeats, with the
lowest and the highest. "lock-step" steps all rows at once; "two in flight" has two halves take turns.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import blockloom
from blockloom._node import server_command


@contextmanager
def grpc_server() -> Iterator[str]:
    """A server on a free port; gives its address."""
    process = subprocess.Popen(
        server_command("serve", "--listen", "127.0.0.1:0"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield f"127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


def single(game: str, server: str | None, seconds: float, rng: np.random.Generator) -> float:
    """Env-steps per second of one environment."""
    env = blockloom.BlockloomEnv(game, server=server)
    _, info = env.reset(seed=7)
    steps, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        for _ in range(50):
            _, _, terminated, truncated, info = env.step(blockloom.sample(info["action_mask"], rng))
            if terminated or truncated:
                _, info = env.reset()
        steps += 50
    env.close()
    return steps / elapsed


def lock_step(game: str, server: str | None, rows: int, seconds: float, rng: np.random.Generator) -> float:
    """Env-steps per second of all rows together."""
    envs = blockloom.BlockloomVectorEnv(game, rows, server=server)
    _, infos = envs.reset(seed=7)
    steps, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        _, _, _, _, infos = envs.step(blockloom.sample(infos["action_mask"], rng))
        steps += rows
    envs.close()
    return steps / elapsed


def two_in_flight(game: str, server: str | None, rows: int, seconds: float, rng: np.random.Generator) -> float:
    """Env-steps per second of two halves that take turns."""
    envs = blockloom.BlockloomVectorEnv(game, rows, server=server, batch_size=rows // 2)
    envs.async_reset(seed=7)
    steps, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        _, _, _, _, infos = envs.recv()
        envs.send(blockloom.sample(infos["action_mask"], rng), infos["env_id"])
        steps += rows // 2
    envs.close()
    return steps / elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="Stackcraft-v1")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 256, 4096])
    parser.add_argument("--transports", nargs="+", choices=("stdio", "grpc"), default=["stdio", "grpc"])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()

    def report(transport: str, kind: str, rows: int, rates: list[float]) -> None:
        low, middle, high = min(rates), statistics.median(rates), max(rates)
        print(f"{transport:<6} {kind:<14} {rows:>6} rows {middle:>12,.0f} env-steps/s  ({low:,.0f} to {high:,.0f})")

    rng = np.random.default_rng(7)
    with grpc_server() as address:
        for transport in args.transports:
            server = None if transport == "stdio" else address
            for rows in args.rows:
                if rows == 1:
                    report(
                        transport,
                        "single",
                        1,
                        [single(args.game, server, args.seconds, rng) for _ in range(args.repeats)],
                    )
                    continue
                for kind, run in (("lock-step", lock_step), ("two in flight", two_in_flight)):
                    rates = [run(args.game, server, rows, args.seconds, rng) for _ in range(args.repeats)]
                    report(transport, kind, rows, rates)


if __name__ == "__main__":
    main()
