"""What a program sees when a server turns it away, is stopped, or loses its client in the roughest way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from blockloom import BlockloomEnv, BlockloomError, BlockloomVectorEnv, ServerDiedError
from blockloom._node import server_command

GAME = "BlockPuzzle8-v1"
Serve = Callable[..., tuple["subprocess.Popen[str]", str]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts `serve` with options; gives the process and its address."""
    with ExitStack() as stack:

        def start(*options: str) -> tuple[subprocess.Popen[str], str]:
            command = server_command("serve", "--listen", "127.0.0.1:0", "--log-level", "warn", *options)
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(process.kill)
            assert process.stdout is not None
            return process, f"127.0.0.1:{int(process.stdout.readline())}"

        yield start


@pytest.mark.parametrize(
    ("options", "rows", "reason"),
    [
        (["--max-envs", "1"], 1, "TOO_MANY_ENVS"),
        (["--max-session-envs", "1"], 1, "TOO_MANY_ENVS"),
        (["--max-rows", "5"], 3, "TOO_MANY_ROWS"),
        (["--max-message-bytes", "100000"], 5000, "MESSAGE_TOO_LARGE"),
    ],
)
def test_a_limit_is_an_error_with_its_reason_and_harms_no_other(
    serve: Serve, options: list[str], rows: int, reason: str
) -> None:
    _, address = serve(*options)
    envs = BlockloomVectorEnv(GAME, 4, server=address)
    envs.reset(seed=3)
    with pytest.raises(BlockloomError) as refused:
        BlockloomVectorEnv(GAME, rows, server=address)
    assert (refused.value.code, refused.value.reason) == ("RESOURCE_EXHAUSTED", reason)
    envs.step(np.zeros(4, int))
    envs.close()


def test_a_server_that_is_told_to_stop_exits_0_and_its_clients_hear_of_it(serve: Serve) -> None:
    process, address = serve()
    env = BlockloomEnv(GAME, server=address)
    env.reset(seed=1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 0
    with pytest.raises(ServerDiedError):
        env.step(0)
    env.close()


CHILD_HOLDS_THE_PIPE = """
import ctypes, os, signal, sys, time
import blockloom
from blockloom._server_pool import POOL
env = blockloom.BlockloomEnv("BlockPuzzle8-v1")
if sys.argv[1] == "later":
    env.reset(seed=1)
else:
    POOL.acquire(0)
# A fork that Python does not know of: nothing closes the pipes in the child.
holder = ctypes.CDLL(None).fork()
if holder == 0:
    os.close(1)
    time.sleep(60)
    os._exit(0)
print(POOL._entries[0].channel.process_id, holder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("when", ["at once", "later"])
def test_a_server_whose_client_was_killed_ends_though_a_child_holds_its_input_open(when: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD_HOLDS_THE_PIPE, when], stdout=subprocess.PIPE, text=True, check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    server, holder = map(int, done.stdout.split())
    try:
        deadline = time.monotonic() + 10
        while is_running(server):
            assert time.monotonic() < deadline, "the server is still there"
            time.sleep(0.05)
        assert is_running(holder)
    finally:
        os.kill(holder, signal.SIGKILL)


INTERRUPTED = """
import sys, time
import blockloom
env = blockloom.BlockloomEnv("BlockPuzzle8-v1")
env.reset(seed=1)
print("ready", flush=True)
try:
    time.sleep(60)
except KeyboardInterrupt:
    _, _, _, _, info = env.step(0)
    print("stepped", flush=True)
env.close()
"""


def test_an_interrupt_in_the_terminal_is_for_python_to_decide_on() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    with program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does: everything in the group gets it
        assert program.stdout.readline() == "stepped\n"
        assert program.wait(timeout=30) == 0


def is_running(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text("latin-1").rpartition(") ")[2][0] != "Z"
    except OSError:
        return False
