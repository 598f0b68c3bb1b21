"""Jumanji's Tetris, 20 by 10, on this machine's processor: `python jumanji_tetris.py ROWS SECONDS`.

Prints two lines of steps and seconds: stepped from Python, as a learner outside JAX does it, with the arrays as
NumPy's; and a loop inside XLA that never leaves it. It runs in a process of its own, which has jumanji installed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jumanji.environments import Tetris
from jumanji.wrappers import VmapAutoResetWrapper

SCAN = 64


def main() -> None:
    rows, seconds = int(sys.argv[1]), float(sys.argv[2])
    env = VmapAutoResetWrapper(Tetris(num_rows=20, num_cols=10))

    def step(state: Any, timestep: Any, key: Any) -> tuple[Any, Any, Any]:
        key, own = jax.random.split(key)
        mask = timestep.observation.action_mask.reshape(rows, -1)
        choice = jax.random.categorical(own, jnp.where(mask, 0.0, -jnp.inf))
        actions = jnp.stack([choice // 10, choice % 10], axis=1).astype(jnp.int32)
        return *env.step(state, actions), key

    def scan(state: Any, timestep: Any, key: Any) -> tuple[Any, Any, Any]:
        def body(carry: Any, _: None) -> tuple[Any, None]:
            return step(*carry), None

        return jax.lax.scan(body, (state, timestep, key), None, length=SCAN)[0]

    state, timestep = jax.jit(env.reset)(jax.random.split(jax.random.key(7), rows))
    start = (state, timestep, jax.random.key(3))
    for run, length, fetches in ((jax.jit(step), 1, True), (jax.jit(scan), SCAN, False)):
        print(*measure(run, start, rows * length, seconds, fetches=fetches))


def measure(
    run: Callable[..., tuple[Any, Any, Any]],
    carry: tuple[Any, Any, Any],
    steps_a_run: int,
    seconds: float,
    *,
    fetches: bool,
) -> tuple[int, float]:
    """Steps and seconds, after two runs that compile."""
    for _ in range(2):
        carry = jax.block_until_ready(run(*carry))
    steps, begin = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds:
        carry = jax.block_until_ready(run(*carry))
        if fetches:
            jax.tree_util.tree_map(np.asarray, (carry[1].observation, carry[1].reward, carry[1].step_type))
        steps += steps_a_run
    return steps, elapsed


main()
