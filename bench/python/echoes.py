"""The transports with no game in them: how long a round trip takes, and how many bytes a second come back."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
from engines import node_command
from figures import Contestant

from blockloom._pinning import CoreHold
from blockloom._stdio import _enlarge

SIZES = (64, 16 << 10, 256 << 10, 1 << 20)
_WARM_UP = 200
RoundTrip = Callable[[], object]


def _time(round_trip: RoundTrip, seconds: float) -> tuple[float, float]:
    for _ in range(_WARM_UP):
        round_trip()
    count, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        for _ in range(10):
            round_trip()
        count += 10
    return count, elapsed


@contextlib.contextmanager
def _stdio(size: int, *, pinned: bool) -> Iterator[RoundTrip]:
    hold = CoreHold() if pinned else None
    command = node_command("echo-stdio.ts", *(["--blocking"] if pinned else []))
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin.fileno(), process.stdout.fileno()
    for fd in (into, out):
        _enlarge(fd)
    request = b"%d\n" % size

    def round_trip() -> None:
        os.write(into, request)
        left = size
        while left:
            left -= len(os.read(out, 1 << 20))

    try:
        yield round_trip
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()
        if hold is not None:
            hold.release()


@contextlib.contextmanager
def _grpc(size: int, address: str) -> Iterator[RoundTrip]:
    process = subprocess.Popen(node_command("echo-grpc.ts", address), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = process.stdout.readline().strip()
    target = address if address.startswith("unix:") else f"127.0.0.1:{port}"
    channel = grpc.insecure_channel(target, options=[("grpc.max_receive_message_length", -1)])
    requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    stream: Any = channel.stream_stream("/echo.Echo/Session", None, None)(iter(requests.get, None))
    request = b"%d " % size

    def round_trip() -> None:
        requests.put(request)
        next(stream)

    try:
        yield round_trip
    finally:
        requests.put(None)
        channel.close()
        process.terminate()
        process.wait()
        process.stdout.close()


def echo_contestants(folder: Path) -> list[Contestant]:
    """Each transport with answers of each size."""
    numbers = itertools.count()
    opened: dict[str, Callable[[int], contextlib.AbstractContextManager[RoundTrip]]] = {
        "stdio pinned": lambda size: _stdio(size, pinned=True),
        "stdio": lambda size: _stdio(size, pinned=False),
        "grpc": lambda size: _grpc(size, "127.0.0.1:0"),
        "unix": lambda size: _grpc(size, f"unix:{folder / f'echo{next(numbers)}.sock'}"),
    }

    def contestant(transport: str, size: int) -> Contestant:
        def measure(seconds: float) -> tuple[float, float]:
            with opened[transport](size) as round_trip:
                return _time(round_trip, seconds)

        return Contestant(("echo", transport, str(size)), measure)

    return [contestant(transport, size) for transport in opened for size in SIZES]
