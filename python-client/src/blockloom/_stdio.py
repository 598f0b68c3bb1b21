"""A session with a server that is a child process: one line of JSON a message over its pipes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from binascii import b2a_base64
from collections import deque
from collections.abc import Sequence
from threading import get_ident

import msgspec

from blockloom._channel import Channel, Ticket, deadline_error, locked
from blockloom._contract import Batch, Body, SessionResponse, decode_response, decode_step, encode_request
from blockloom.errors import ServerDiedError

_PIPE_BYTES = 1 << 20
_MIN_READ = 1 << 16
_STDERR_LINES = 20
_F_SETPIPE_SZ = 1031
_ID_START = b'{"id":"'
_GLANCE_MS = 2.0


class _Outgoing:
    """A request, and how much of it was written in each go."""

    __slots__ = ("frame", "written")

    def __init__(self, frame: bytes) -> None:
        self.frame = frame
        self.written: list[int] = []

    def rest(self) -> bytes | memoryview:
        return memoryview(self.frame)[sum(self.written) :] if self.written else self.frame


class StdioChannel(Channel):
    """Starts a server process and talks to it; the process ends with the channel or with this process."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # an interrupt in the terminal is for Python to decide on
        )
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self._pipes = (stdin, stdout, stderr)
        self._in, self._out = stdin.fileno(), stdout.fileno()
        for fd in (self._in, self._out):
            os.set_blocking(fd, False)
            _enlarge(fd)
        self._out_poll = select.poll()
        self._out_poll.register(self._out, select.POLLIN)
        self._outbox: deque[_Outgoing] = deque()
        self._chunks: list[bytes] = []
        """What was read and not handed on yet; only the last may hold a line end."""
        self._read_size = _MIN_READ
        self._stderr_tail: deque[str] = deque(maxlen=_STDERR_LINES)
        self._stderr_reader = threading.Thread(
            target=_drain, args=(stderr.fileno(), self._stderr_tail), name="blockloom-stderr", daemon=True
        )
        self._stderr_reader.start()
        self._close_lock = threading.Lock()

    @property
    def process_id(self) -> int:
        """The process id of the server."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether requests can still be sent; notices a server that ended while nobody was talking to it."""
        return super().usable and self._process.poll() is None

    def close(self) -> None:
        """Ends the input, waits for the server to leave, and makes it leave if it does not."""
        if self.pid != os.getpid():
            return
        with self._close_lock:
            if self._failure is None:
                self._failure = ServerDiedError("the connection to the embedded server was closed")
            stdin, stdout, stderr = self._pipes
            for ask in (stdin.close, self._process.terminate, self._process.kill):
                with contextlib.suppress(OSError):
                    ask()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(timeout=2.0)
                    break
            self._stderr_reader.join(timeout=1.0)
            for pipe in (stdout, stderr):
                pipe.close()

    def _end_input(self) -> None:
        """Lets the server end by itself. Never waits."""
        with contextlib.suppress(OSError):
            self._pipes[0].close()

    def abandon_in_child(self) -> None:
        """After a fork, in the child: lets go of the pipes, so that the server still sees its parent's end."""
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        self._process.returncode = 0  # the process is another one's child: nothing to wait for

    def step_at_once(self, env_id: str, actions: bytes, timeout_s: float) -> Batch:
        """Sends a step and waits for its batch.

        The same as in `Channel` without the stations in between, as long as one thread alone uses the channel and
        nothing else is on its way.
        """
        if self._waiting or self._chunks or self._outbox or self.lost_envs or self._only_thread != get_ident():
            return super().step_at_once(env_id, actions, timeout_s)
        packed = b2a_base64(actions, newline=False)
        with self._write_lock, self._read_lock:  # free, unless another thread has just begun
            self._check_usable()
            self._last_id = number = self._last_id + 1
            head = b'{"id":"%d","step":{' % number
            frame = b'%b"envId":"%b","packedActions":"%b"}}\n' % (head, env_id.encode(), packed)
            if len(frame) > select.PIPE_BUF or not self._write_short(frame):
                return super().step_at_once(env_id, actions, timeout_s)
            # An interrupt may cost the answer from here on: then it is known by its number when it comes, and dropped.
            if not self._out_poll.poll(1000 * timeout_s):
                raise deadline_error(timeout_s)
            self._read_now()
            answer = self._chunks[0] if self._chunks else b""
            if answer.startswith(head) and answer.find(b"\n") == len(answer) - 1:
                try:
                    batch = decode_step(answer)
                except msgspec.DecodeError:
                    pass  # the general way tells what is wrong
                else:
                    self._chunks.clear()
                    return batch
            ticket = Ticket(number, "step")
            self._waiting[ticket.id] = ticket
        return self.wait_batch(ticket, timeout_s)

    def _encode(self, request_id: str, call: str, body: Body) -> bytes:
        return encode_request(request_id, call, body) + b"\n"

    def _encode_step(self, request_id: str, env_id: str, actions: bytes) -> bytes:
        packed = b2a_base64(actions, newline=False)
        head = f'{{"id":"{request_id}","step":{{"envId":"{env_id}","packedActions":"'
        return b'%b%b"}}\n' % (head.encode(), packed)

    def _decode(self, frame: bytes) -> SessionResponse:
        return decode_response(frame)

    def _id_of(self, frame: bytes) -> str | None:
        if frame.startswith(_ID_START):
            return frame[len(_ID_START) : frame.find(b'"', len(_ID_START))].decode("utf-8", "replace")
        return decode_response(frame).id

    def _write(self, frame: bytes, deadline: float) -> None:
        if len(frame) <= select.PIPE_BUF and not self._outbox and self._write_short(frame):
            return
        self._outbox.append(_Outgoing(frame))
        self._write_on()
        if self._outbox:
            self._flush(deadline)

    def _write_short(self, frame: bytes) -> bool:
        """Writes a frame that a pipe takes whole or not at all."""
        try:
            os.write(self._in, frame)
        except BlockingIOError:
            return False
        except OSError as error:
            raise self._broken("the embedded server closed its input") from error
        return True

    def _flush(self, deadline: float) -> None:
        """Writes what is waiting, and reads meanwhile, so that neither side waits for the other for ever."""
        poll = select.poll()
        poll.register(self._in, select.POLLOUT)
        while self._outbox:
            with locked(self._read_lock, 0) as got:
                while got and self._out_poll.poll(0):
                    self._read_chunk()
            if poll.poll(min(_GLANCE_MS, _milliseconds_to(deadline))):
                self._write_on()

    def _write_on(self) -> None:
        """Writes as much of what is waiting as the pipe takes; called with the write lock held."""
        try:
            while self._outbox:
                outgoing = self._outbox[0]
                rest = outgoing.rest()
                if rest:
                    outgoing.written.extend(map(os.write, (self._in,), (rest,)))
                else:
                    self._outbox.popleft()
        except BlockingIOError:
            pass
        except OSError as error:
            raise self._broken("the embedded server closed its input") from error

    def _pump(self, deadline: float) -> None:
        wait_ms = _milliseconds_to(deadline)
        if self._outbox:  # a request that an interrupt or a deadline cut in two
            wait_ms = min(_GLANCE_MS, wait_ms)
            with locked(self._write_lock, 0) as got:
                if got:
                    self._write_on()
        if self._chunks and self._deliver():
            return
        if self._out_poll.poll(wait_ms):
            self._read_chunk()

    def _read_chunk(self) -> None:
        if self._read_now():
            self._deliver()

    def _read_now(self) -> bool:
        """Keeps what there is to read; says whether there was anything, the end included."""
        try:
            self._chunks.extend(map(os.read, (self._out,), (self._read_size,)))
        except BlockingIOError:
            return False
        except OSError as error:
            raise self._broken("the embedded server ended") from error
        return True

    def _deliver(self) -> bool:
        """Hands on all whole lines that were read, and keeps the rest; harmless if it is cut short and done again."""
        last = self._chunks[-1]
        if not last:
            raise self._broken("the embedded server ended")
        if len(last) == self._read_size and self._read_size < _PIPE_BYTES:
            self._read_size *= 2
        end = last.rfind(b"\n") + 1
        if not end:
            return False
        if end == len(last) and last.find(b"\n") == end - 1:
            self._hand_on(b"".join(self._chunks) if len(self._chunks) > 1 else last)
            self._chunks = []
            return True
        *lines, rest = b"".join(self._chunks).split(b"\n")
        for line in lines:
            self._hand_on(line)
        self._chunks = [rest] if rest else []
        return True

    def _lost(self, why: str) -> ServerDiedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.4)
        exit_code = self._process.poll()
        if exit_code is not None:
            self._stderr_reader.join(timeout=0.3)
        else:
            self._process.kill()
        stderr = "\n".join(self._stderr_tail)
        message = f"{why} ({_describe(exit_code)})"
        if stderr:
            message += f"; its last words were:\n{stderr}"
        return ServerDiedError(message, exit_code=exit_code, stderr=stderr)


def _describe(exit_code: int | None) -> str:
    if exit_code is None:
        return "it was still running and was killed"
    if exit_code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-exit_code).name}"
    return f"exit code {exit_code}"


def _drain(fd: int, tail: deque[str]) -> None:
    with open(fd, "rb", closefd=False) as stream:
        for line in iter(lambda: stream.readline(1 << 16), b""):
            tail.append(line.decode("utf-8", "replace").rstrip())


def _enlarge(fd: int) -> None:
    """Makes a pipe hold a whole batch, where the system lets us: fewer switches between the processes."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        fcntl.fcntl(fd, _F_SETPIPE_SZ, _PIPE_BYTES)


def _milliseconds_to(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left * 1000 + 0.5
