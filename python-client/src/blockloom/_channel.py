"""What the two transports have in common: requests answered in order, by whoever waits first."""

from __future__ import annotations

import abc
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable

import msgspec

from blockloom._contract import Batch, Body, SessionResponse
from blockloom.errors import BlockloomError, DeadlineError, ServerDiedError, from_server


class Ticket:
    """A request on its way; `frame` holds the raw answer once it is there."""

    __slots__ = ("call", "frame", "id")

    def __init__(self, request_id: str, call: str) -> None:
        self.id = request_id
        self.call = call
        self.frame: bytes | None = None


class Channel(abc.ABC):
    """A session with a server. Safe across threads; requests may be pipelined.

    The server answers in order, so the tickets wait in a queue. A thread that waits for its answer reads the
    stream, and hands on what belongs to tickets before its own; there is no reader thread in between.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.lost_envs: deque[str] = deque()
        """Names of environments that nobody holds any more; they are closed with the next request."""
        self._waiting: deque[Ticket] = deque()
        self._ids = itertools.count(1)
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._failure: ServerDiedError | None = None

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
        if response.id != ticket.id:
            raise self._broken(f"the server answered request {response.id!r} where {ticket.id!r} was next")
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

    def call(self, call: str, body: Body, timeout_s: float) -> SessionResponse:
        """Sends a request and waits for its answer."""
        return self.wait(self.submit(call, body, timeout_s), timeout_s)

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
    def _write(self, frame: bytes, deadline: float) -> None: ...

    @abc.abstractmethod
    def _read(self, deadline: float) -> bytes:
        """The next frame; called with the read lock held. Raises TimeoutError, or what `_broken` gives."""

    @abc.abstractmethod
    def _lost(self, why: str) -> ServerDiedError:
        """The error for a stream that ended, with all that can be found out; must return within a second."""

    def _broken(self, why: str, code: str = "UNAVAILABLE") -> ServerDiedError:
        """Marks the stream as lost for good and gives the error to raise."""
        if self._failure is None:
            self._failure = self._lost(why)
            self._failure.code = code
        return self._failure_copy(self._failure)

    def _submit(self, call: str, encode: Callable[[str], bytes], timeout_s: float) -> Ticket:
        deadline = time.monotonic() + timeout_s
        with self._write_lock:
            self._check_usable()
            while self.lost_envs:
                request_id = str(next(self._ids))
                body: Body = {"envId": self.lost_envs.popleft()}
                self._enqueue(Ticket(request_id, "closeEnv"), self._encode(request_id, "closeEnv", body), deadline)
            ticket = Ticket(str(next(self._ids)), call)
            try:
                self._enqueue(ticket, encode(ticket.id), deadline)
            except TimeoutError:
                raise _deadline_error(timeout_s) from None
        return ticket

    def _enqueue(self, ticket: Ticket, frame: bytes, deadline: float) -> None:
        self._waiting.append(ticket)
        self._write(frame, deadline)

    def _read_until(self, ticket: Ticket, deadline: float, timeout_s: float) -> None:
        if not self._read_lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise _deadline_error(timeout_s)
        try:
            while ticket.frame is None:
                self._check_usable()
                frame = self._read(deadline)
                self._hand_on(frame)
        except TimeoutError:
            raise _deadline_error(timeout_s) from None
        finally:
            self._read_lock.release()

    def _hand_on(self, frame: bytes) -> None:
        """Gives a frame to the ticket that is next; called with the read lock held."""
        if not self._waiting:
            raise self._broken("the server sent a message that nobody asked for")
        self._waiting.popleft().frame = frame

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


def _deadline_error(timeout_s: float) -> BlockloomError:
    return DeadlineError(f"the server gave no answer within timeout_s={timeout_s:g} seconds", code="DEADLINE_EXCEEDED")
