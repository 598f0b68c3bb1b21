"""Confines threads to one core while a pinned server shares it with them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from blockloom.errors import InvalidArgumentError


@dataclass
class _Confined:
    """A thread that runs on one core."""

    native_id: int
    core: int
    before: set[int]
    """The cores that it could run on."""
    holds: int = 0


class CoreHold:
    """Keeps the thread that made it on one core, until it and all others of that thread are released."""

    def __init__(self) -> None:
        """Confines the calling thread to the core that it runs on now; what it starts from here on stays there too."""
        ident, native_id = threading.get_ident(), threading.get_native_id()
        with _lock:
            confined = _threads.get(ident)
            if confined is None or confined.native_id != native_id:  # a number is used again once its thread is gone
                confined = _Confined(native_id, _current_core(), os.sched_getaffinity(0))
                os.sched_setaffinity(0, {confined.core})
                _threads[ident] = confined
            confined.holds += 1
        self._confined: deque[_Confined] = deque([confined])
        _settle()

    def release(self) -> None:
        """Never waits, so that the garbage collector may call it. A second time does nothing."""
        with contextlib.suppress(IndexError):
            _released.append(self._confined.pop())
        _settle()


def check_platform() -> None:
    """Raises InvalidArgumentError where threads cannot be confined."""
    if not hasattr(os, "sched_setaffinity"):
        raise InvalidArgumentError("pin=True needs os.sched_setaffinity, which this system does not have (Linux does)")


@contextlib.contextmanager
def unconfined() -> Iterator[None]:
    """Gives the calling thread all its cores for a while, so that a process started then may use them."""
    confined = _threads.get(threading.get_ident())
    if confined is None or confined.native_id != threading.get_native_id():
        yield
        return
    os.sched_setaffinity(0, confined.before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, {confined.core})


_threads: dict[int, _Confined] = {}
"""By `threading.get_ident`, which a fork leaves as it is."""
_released: deque[_Confined] = deque()
"""Holds that were released and not yet counted down."""
_lock = threading.Lock()


def _settle() -> None:
    while _released and _lock.acquire(blocking=False):  # whoever has the lock looks again after it
        try:
            while _released:
                _count_down(_released.popleft())
        finally:
            _lock.release()


def _count_down(confined: _Confined) -> None:
    confined.holds -= 1
    if confined.holds > 0:
        return
    for ident, other in list(_threads.items()):
        if other is confined:
            del _threads[ident]
    _give_back(confined.native_id, confined)


def _give_back(native_id: int, confined: _Confined) -> None:
    """Undoes the confinement, unless somebody has set other cores since or the thread is gone."""
    with contextlib.suppress(OSError):
        if os.sched_getaffinity(native_id) == {confined.core}:
            os.sched_setaffinity(native_id, confined.before)


def _free_child() -> None:
    """After a fork, in the child, which has no pinned server: its one thread gets its cores back."""
    global _lock
    _lock = threading.Lock()
    confined = _threads.pop(threading.get_ident(), None)
    if confined is not None:
        _give_back(0, confined)
    _threads.clear()
    _released.clear()


def _current_core() -> int:
    allowed = os.sched_getaffinity(0)
    with contextlib.suppress(OSError, AttributeError):
        core = int(ctypes.CDLL(None).sched_getcpu())
        if core in allowed:
            return core
    return min(allowed)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_child)
