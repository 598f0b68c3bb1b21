"""What the two transports have in common: requests answered in order, read by whoever waits first.

An interrupt (Ctrl-C) may be raised after any call returns, before its result is stored. So what must not get lost is
stored by C code, as in ``list.extend(map(os.read, (fd,), (size,)))``, and each later stage can be done twice.
"""

from __future__ import annotations

import abc
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

import msgspec

from blockloom._contract import Batch, Body, SessionResponse
from blockloom.errors import DeadlineError, ServerDiedError, from_server


class Ticket:
    """A request on its way; `frame` holds the raw answer once it is there."""

    __slots__ = ("call", "frame", "id")

    def __init__(self, number: int, call: str) -> None:
        self.id = str(number)
        self.call = call
        self.frame: bytes | None = None


class Channel(abc.ABC):
    """A session with a server. Safe across threads; requests may be pipelined.

    A thread that waits for its answer reads the stream, and hands on what belongs to other tickets; there is no
    reader thread in between.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.lost_envs: deque[str] = deque()
        """Names of environments that nobody holds any more; they are closed with the next request."""
        self._waiting: dict[str, Ticket] = {}
        self._last_id = 0
        # Reentrant, so that one leaked by two interrupts in a row does not lock its own thread out.
        self._write_lock = threading.RLock()
        self._read_lock = threading.RLock()
        self._failure: ServerDiedError | None = None
        self._only_thread = threading.get_ident()
        """The thread that alone has sent requests so far; 0 once there was another."""

    @property
    def usable(self) -> bool:
        """Whether requests can still be sent: the stream is whole, and this is the process that opened it."""
        return self._failure is None and self.pid == os.getpid()

    def submit(self, call: str, body: Body, timeout_s: float) -> Ticket:
        """Sends a request; ``call`` is the camelCase name of the field."""
        return self._submit(call, lambda request_id: self._encode(request_id, call, body), timeout_s)

    def submit_step(self, env_id: str, actions: bytes, timeout_s: float) -> Ticket:
        """Sends a step; ``actions`` are int32, little-endian."""
        return self._submit("step", lambda request_id: self._encode_step(request_id, env_id, actions), timeout_s)

    def wait(self, ticket: Ticket, timeout_s: float) -> SessionResponse:
        """The answer; raises what the server answered with, DeadlineError or ServerDiedError."""
        if ticket.frame is None:
            self._read_until(ticket, time.monotonic() + timeout_s, timeout_s)
        assert ticket.frame is not None
        try:
            response = self._decode(ticket.frame)
        except msgspec.DecodeError as error:
            raise self._broken(f"the server sent what is no message of the contract: {error}") from error
        if response.error is not None:
            refusal = response.error
            raise from_server(refusal.code, refusal.reason, refusal.message, refusal.metadata)
        return response

    def wait_batch(self, ticket: Ticket, timeout_s: float) -> Batch:
        """The batch that a reset or a step was answered with."""
        response = self.wait(ticket, timeout_s)
        answer = response.step if ticket.call == "step" else response.reset
        if answer is None:
            raise self._broken(f"the server answered {ticket.call} with something else")
        return answer.batch

    def step_at_once(self, env_id: str, actions: bytes, timeout_s: float) -> Batch:
        """Sends a step and waits for its batch."""
        return self.wait_batch(self.submit_step(env_id, actions, timeout_s), timeout_s)

    def call(self, call: str, body: Body, timeout_s: float) -> SessionResponse:
        """Sends a request and waits for its answer."""
        return self.wait(self.submit(call, body, timeout_s), timeout_s)

    def let_go(self, env_id: str) -> None:
        """Takes note that nobody holds an environment any more. Runs in the garbage collector: must not wait."""
        self.lost_envs.append(env_id)

    @abc.abstractmethod
    def close(self) -> None:
        """Ends the session, within bounded time; a second time does nothing."""

    @abc.abstractmethod
    def _encode(self, request_id: str, call: str, body: Body) -> bytes: ...

    @abc.abstractmethod
    def _encode_step(self, request_id: str, env_id: str, actions: bytes) -> bytes: ...

    @abc.abstractmethod
    def _decode(self, frame: bytes) -> SessionResponse: ...

    @abc.abstractmethod
    def _id_of(self, frame: bytes) -> str | None:
        """The id in a frame; raises ``msgspec.DecodeError`` if the frame is no message."""

    @abc.abstractmethod
    def _write(self, frame: bytes, deadline: float) -> None:
        """Sends a frame; called with the write lock held. Raises TimeoutError, or what `_broken` gives."""

    @abc.abstractmethod
    def _pump(self, deadline: float) -> None:
        """Waits for something to read and hands on what is whole; called with the read lock held.

        Raises TimeoutError, or what `_broken` gives.
        """

    @abc.abstractmethod
    def _lost(self, why: str) -> ServerDiedError:
        """The error for a stream that ended, with all that can be found out; must return within a second."""

    def _broken(self, why: str, code: str = "UNAVAILABLE") -> ServerDiedError:
        """Marks the stream as lost for good and gives the error to raise."""
        if self._failure is None:
            failure = self._lost(why)
            failure.code = code
            self._failure = failure
        return self._failure_copy(self._failure)

    def _submit(self, call: str, encode: Callable[[str], bytes], timeout_s: float) -> Ticket:
        deadline = time.monotonic() + timeout_s
        if self._only_thread != threading.get_ident():
            self._only_thread = 0
        try:
            with locked(self._write_lock, timeout_s) as got:
                if not got:
                    raise TimeoutError
                self._check_usable()
                while self.lost_envs:
                    orphan = self._new_ticket("closeEnv")
                    self._write(self._encode(orphan.id, "closeEnv", {"envId": self.lost_envs[0]}), deadline)
                    self.lost_envs.popleft()
                ticket = self._new_ticket(call)
                self._write(encode(ticket.id), deadline)
        except TimeoutError:
            raise deadline_error(timeout_s) from None
        return ticket

    def _new_ticket(self, call: str) -> Ticket:
        self._last_id += 1
        ticket = Ticket(self._last_id, call)
        self._waiting[ticket.id] = ticket
        return ticket

    def _read_until(self, ticket: Ticket, deadline: float, timeout_s: float) -> None:
        try:
            with locked(self._read_lock, max(0.0, deadline - time.monotonic())) as got:
                if not got:
                    raise TimeoutError
                while ticket.frame is None:
                    self._check_usable()
                    self._pump(deadline)
        except TimeoutError:
            raise deadline_error(timeout_s) from None

    def _hand_on(self, frame: bytes) -> None:
        """Gives a frame to its ticket; a second time does nothing. Called with the read lock held."""
        try:
            request_id = self._id_of(frame)
        except msgspec.DecodeError as error:
            raise self._broken(f"the server sent what is no message of the contract: {error}") from error
        ticket = self._waiting.get(request_id or "")
        if ticket is not None:
            ticket.frame = frame
            self._waiting.pop(ticket.id, None)
        elif request_id is None or not request_id.isdecimal() or not 0 < int(request_id) <= self._last_id:
            raise self._broken(f"the server answered a request {request_id!r}, which was never sent")

    def _check_usable(self) -> None:
        if self.pid != os.getpid():
            raise ServerDiedError("this process was forked after connecting; call reset() to connect anew")
        if self._failure is not None:
            raise self._failure_copy(self._failure)

    @staticmethod
    def _failure_copy(failure: ServerDiedError) -> ServerDiedError:
        copy = ServerDiedError(str(failure), exit_code=failure.exit_code, stderr=failure.stderr)
        copy.code = failure.code
        return copy


@contextlib.contextmanager
def locked(lock: threading.RLock, timeout_s: float) -> Iterator[bool]:
    """Holds a lock, if it can be had within some seconds; says whether it was."""
    got: list[bool] = []
    try:
        got.extend(map(lock.acquire, (True,), (timeout_s,)))
        yield got[0]
    finally:
        if got and got[0]:
            lock.release()


def deadline_error(timeout_s: float) -> DeadlineError:
    """The error for an answer that did not come in time."""
    return DeadlineError(f"the server gave no answer within timeout_s={timeout_s:g} seconds", code="DEADLINE_EXCEEDED")
