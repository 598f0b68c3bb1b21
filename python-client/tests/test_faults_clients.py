"""What is left on a gRPC server of clients that were killed or stopped, and what a signal does to a long request."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from blockloom import BlockloomEnv, BlockloomVectorEnv, ServerDiedError
from blockloom._node import server_command
from blockloom._server_pool import POOL
from blockloom._stdio import StdioChannel

KEEPALIVE_S = 0.5


class Server:
    """A server process with its address and its metrics."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Waits until the server says that it serves."""
        assert process.stderr is not None
        serving = json.loads(process.stderr.readline())
        self.process = process
        self.address: str = serving["listen"]
        self._page = f"http://127.0.0.1:{serving['metricsPort']}/metrics"

    def metric(self, name: str) -> float:
        """A figure of the metrics page."""
        with urllib.request.urlopen(self._page) as page:
            found = re.search(rf"^{name} (.*)$", page.read().decode(), re.MULTILINE)
        assert found is not None
        return float(found[1])

    def holds(self, envs: int) -> bool:
        """Whether exactly so many environments are open."""
        return self.metric("blockloom_envs") == envs


@pytest.fixture(params=["tcp", "unix"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server on TCP and one on a unix socket."""
    address = "127.0.0.1:0" if request.param == "tcp" else f"unix:{tmp_path}/s.sock"
    options = ["--listen", address, "--metrics", "127.0.0.1:0", "--keepalive-s", str(KEEPALIVE_S)]
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                server_command("serve", *options), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
        )
        stack.callback(process.kill)
        yield Server(process)


CLIENT = """
import sys, time
import blockloom
env = blockloom.BlockloomEnv("BlockPuzzle8-v1", server=sys.argv[1])
env.reset(seed=1)
print("ready", flush=True)
while sys.argv[2] == "steps":
    env.reset()
    env.step(0)
time.sleep(60)
"""


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("doing", ["waits", "steps"])
def test_nothing_is_left_of_a_client_that_was_killed_or_stopped(
    server: Server, doing: str, signal_number: signal.Signals
) -> None:
    quiet = BlockloomEnv("BlockPuzzle8-v1", server=server.address)
    quiet.reset(seed=1)
    client = subprocess.Popen([sys.executable, "-c", CLIENT, server.address, doing], stdout=subprocess.PIPE, text=True)
    try:
        assert client.stdout is not None
        assert client.stdout.readline() == "ready\n"
        assert server.holds(envs=2)
        client.send_signal(signal_number)
        wait_until(lambda: server.holds(envs=1))
    finally:
        client.kill()
        client.communicate()
    # A client that is only quiet is asked for a sign of life as often, and gives it.
    time.sleep(3 * KEEPALIVE_S)
    quiet.step(0)
    quiet.close()


def test_a_signal_does_not_wait_for_a_long_request(server: Server) -> None:
    envs = BlockloomVectorEnv("Hourloom-v1", 20_000, server=server.address)
    threading.Timer(0.5, server.process.terminate).start()
    with pytest.raises(ServerDiedError):
        envs.reset(seed=1)
    assert server.process.wait(timeout=10) == 0
    envs.close()


def test_a_signal_to_the_own_server_does_not_wait_for_a_long_request() -> None:
    envs = BlockloomVectorEnv("Hourloom-v1", 20_000)
    channel = POOL.acquire(0)
    POOL.release(0, channel)
    assert isinstance(channel, StdioChannel)
    process_id = channel.process_id
    threading.Timer(0.5, lambda: subprocess.run(["kill", str(process_id)], check=True)).start()
    with pytest.raises(ServerDiedError) as died:
        envs.reset(seed=1)
    assert died.value.exit_code == 0
    envs.close()
