"""Servers for the tests: every test that takes `server` runs against the embedded one and over gRPC."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from blockloom._channel import Channel
from blockloom._node import server_command
from blockloom._server_pool import POOL
from listening import wait_until_it_listens


@pytest.fixture(scope="session")
def grpc_address() -> Iterator[str]:
    command = server_command("serve", "--listen", "127.0.0.1:0")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    yield f"127.0.0.1:{int(process.stdout.readline())}"
    process.terminate()
    process.wait(timeout=10)
    process.stdout.close()


@pytest.fixture(scope="session")
def unix_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    socket = tmp_path_factory.mktemp("s") / "b.sock"
    process = subprocess.Popen(server_command("serve", "--listen", f"unix:{socket}"), stderr=subprocess.DEVNULL)
    wait_until_it_listens(process, socket)
    yield f"unix:{socket}"
    process.terminate()
    process.wait(timeout=10)


@pytest.fixture(params=["stdio", "grpc", "unix"])
def server(request: pytest.FixtureRequest) -> str | None:
    """The keyword ``server``."""
    if request.param == "stdio":
        return None
    address: str = request.getfixturevalue("grpc_address" if request.param == "grpc" else "unix_address")
    return address


@pytest.fixture(scope="session")
def holder() -> Iterator[list[Channel]]:
    """The embedded server that is held open between tests."""
    held: list[Channel] = []
    yield held
    for channel in held:
        POOL.release(0, channel)


@pytest.fixture(autouse=True)
def keep_embedded_server(holder: list[Channel]) -> None:
    """Holds the embedded server open, so that not each test starts one; another where a test has killed it."""
    if not holder or not holder[-1].usable:
        holder.append(POOL.acquire(0))


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    return Path(__file__).parents[2] / "test" / "golden" / "stackcraft"
