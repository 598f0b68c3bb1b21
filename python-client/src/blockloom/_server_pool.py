"""The servers that this process talks to: each is opened once, shared, counted, and closed with its last user."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from blockloom._address import Address, PinnedServer
from blockloom._channel import Channel
from blockloom._node import server_command
from blockloom._pinning import CoreHold, unconfined
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
            self._drop_ended_pins()
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

    def _drop_ended_pins(self) -> None:
        """Clears away servers that ended with environments that nobody closed; no one will ask for them again."""
        for address, entry in list(self._entries.items()):
            if isinstance(address, PinnedServer) and not entry.channel.usable:
                del self._entries[address]
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
        with unconfined():
            return StdioChannel(_stdio_command())
    if isinstance(address, PinnedServer):
        return PinnedChannel()
    from blockloom._grpc import GrpcChannel  # embedded use does not load gRPC

    return GrpcChannel(address)


def _stdio_command(*arguments: str) -> list[str]:
    return server_command("stdio", "--parent-pid", str(os.getpid()), *arguments)


class PinnedChannel(StdioChannel):
    """An embedded server on the core of the thread that starts it; that thread stays there until the server ends."""

    def __init__(self) -> None:
        command = _stdio_command("--blocking")  # may run Node to see its version: better on all cores
        self._hold = CoreHold()
        try:
            super().__init__(command)
        except BaseException:
            self._hold.release()
            raise

    def close(self) -> None:
        """Ends the server as any other, and gives the thread its cores back."""
        super().close()
        if self.pid == os.getpid():
            self._hold.release()

    def let_go(self, env_id: str) -> None:
        """The server has no environments but the one that was dropped: both end."""
        self._end_input()
        self._hold.release()


POOL = ServerPool(open_channel)
"""The pool of this process."""

atexit.register(POOL.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.forget_in_child)
