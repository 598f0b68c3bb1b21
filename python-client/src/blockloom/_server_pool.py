"""The servers that this process talks to: each is opened once, shared, counted, and closed with its last user."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from blockloom._address import Address
from blockloom._channel import Channel
from blockloom._node import server_command
from blockloom._stdio import StdioChannel


@dataclass
class _Entry:
    channel: Channel
    users: int


class ServerPool:
    """Channels by address. Safe across threads; a fork starts with an empty pool."""

    def __init__(self, open_channel: Callable[[Address], Channel]) -> None:
        self._open_channel = open_channel
        self._entries: dict[Address, _Entry] = {}
        self._lock = threading.Lock()

    def acquire(self, address: Address) -> Channel:
        """The channel of an address, opened if there is none that works; give it back with `release`."""
        with self._lock:
            entry = self._entries.get(address)
            if entry is None or not entry.channel.usable:
                entry = self._entries[address] = _Entry(self._open_channel(address), 0)
            entry.users += 1
            return entry.channel

    def release(self, address: Address, channel: Channel) -> None:
        """Gives a channel back; the last user's closes it."""
        with self._lock:
            entry = self._entries.get(address)
            if entry is not None and entry.channel is channel:
                entry.users -= 1
                if entry.users > 0:
                    return
                del self._entries[address]
            elif channel.usable:
                return
        channel.close()

    def close(self) -> None:
        """Closes every channel."""
        with self._lock:
            entries, self._entries = list(self._entries.values()), {}
        for entry in entries:
            entry.channel.close()

    def forget_in_child(self) -> None:
        """After a fork, in the child: drops what belongs to the parent without touching its streams."""
        self._lock = threading.Lock()
        inherited.extend(entry.channel for entry in self._entries.values())
        for entry in self._entries.values():
            if isinstance(entry.channel, StdioChannel):
                entry.channel.abandon_in_child()
        self._entries = {}


inherited: list[Channel] = []
"""Channels of a parent process, kept so that nothing of theirs is torn down here."""


def open_channel(address: Address) -> Channel:
    """Starts an embedded server, or connects to one over gRPC."""
    if isinstance(address, int):
        return StdioChannel(server_command("stdio", "--parent-pid", str(os.getpid())))
    from blockloom._grpc import GrpcChannel  # embedded use does not load gRPC

    return GrpcChannel(address)


POOL = ServerPool(open_channel)
"""The pool of this process."""

atexit.register(POOL.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.forget_in_child)
