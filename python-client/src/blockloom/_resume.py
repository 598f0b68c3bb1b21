"""An environment that outlives its server: when the server dies, its episodes are played again on another one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from blockloom._address import Address, GrpcAddress
from blockloom._afterstates import Afterstates, SearchValue
from blockloom._channel import Ticket
from blockloom._contract import Batch, EnvSpec, Explanation, PlayResult
from blockloom._journal import Journal
from blockloom._remote import RemoteEnv, is_uncertain
from blockloom._replaying import play_again
from blockloom._sequences import lasting
from blockloom._settings import Settings
from blockloom.errors import BlockloomError, ServerDiedError

T = TypeVar("T")

_MAX_DEATHS = 5  # of servers over one request: more is no accident
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0
_FINAL_CODES = {"DATA_LOSS", "UNAUTHENTICATED", "PERMISSION_DENIED"}


class Request(Ticket):
    """A request that can be sent to one server after another."""

    __slots__ = ("answer", "death", "error", "note", "send", "sent")

    def __init__(self, call: str, send: Callable[[RemoteEnv], Ticket], note: Callable[[Batch], None]) -> None:
        super().__init__(0, call)
        self.send = send
        self.note = note
        """Writes down what the answer tells."""
        self.sent: Ticket | None = None
        """Where the answer will be."""
        self.death: ServerDiedError | None = None
        """Why it could not be sent."""
        self.answer: Batch | None = None
        self.error: BlockloomError | None = None


class ResumingEnv:
    """What `RemoteEnv` is, on one server after another.

    When the server dies, it is started or connected to anew, the episodes that the rows are in are played again from
    a journal, what is seen then is compared with what was seen last, and the requests on their way are sent once more.
    """

    def __init__(self, address: Address, settings: Settings, num_envs: int) -> None:
        self._address, self._settings = address, settings
        self._remote = RemoteEnv(address, settings, num_envs)
        self._journal = Journal(num_envs, settings.autoreset_mode, keep_previous=settings.record)
        self._pending: deque[Request] = deque()
        """Resets and steps whose answers were not taken yet, oldest first."""
        self._last: Batch | None = None
        self._lost = False
        """Whether the journal does not tell everything, or no server could go on from it."""
        self.num_envs = num_envs

    @property
    def spec(self) -> EnvSpec:
        """What was made."""
        return self._remote.spec

    @property
    def timeout_s(self) -> float:
        """Seconds to wait for an answer, and for a server to come back."""
        return self._remote.timeout_s

    @timeout_s.setter
    def timeout_s(self, seconds: float) -> None:
        self._remote.timeout_s = seconds

    @property
    def usable(self) -> bool:
        """Whether the environment can go on, on this server or another."""
        return not self._lost and self._remote.at_home

    def close(self) -> None:
        """Frees the environment."""
        self._lost = True
        self._remote.close()

    def step(self, actions: bytes) -> Ticket:
        """As of `RemoteEnv`."""
        return self._submit(
            Request(
                "step",
                lambda remote: remote.step(actions),
                lambda answer: self._journal.step(actions, [end.row for end in answer.finished]),
            )
        )

    def reset(
        self,
        *,
        seed: int | None = None,
        seeds: Sequence[int] | None = None,
        episodes: Sequence[int] | None = None,
        mask: npt.NDArray[np.bool_] | None = None,
        options: dict[str, str] | None = None,
    ) -> Ticket:
        """As of `RemoteEnv`."""
        own = lasting(options or {})
        rows = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        return self._submit(
            Request(
                "reset",
                lambda remote: remote.reset(seed=seed, seeds=seeds, episodes=episodes, mask=mask, options=own),
                lambda _: self._journal.reset(rows, seed=seed, seeds=seeds, episodes=episodes, options=own),
            )
        )

    def batch(self, ticket: Ticket) -> Batch:
        """As of `RemoteEnv`."""
        assert isinstance(ticket, Request)
        self._outlive(lambda: self._settle(ticket))
        if ticket.error is not None:
            raise ticket.error
        assert ticket.answer is not None
        return ticket.answer

    def explain(self, row: int, actions: Sequence[int]) -> list[Explanation]:
        """As of `RemoteEnv`."""
        return self._outlive(lambda: self._remote.explain(row, actions))

    def render(self, row: int) -> str:
        """As of `RemoteEnv`."""
        return self._outlive(lambda: self._remote.render(row))

    def save_replay(self, row: int, *, live: bool) -> str:
        """As of `RemoteEnv`."""
        return self._outlive(lambda: self._remote.save_replay(row, live=live))

    def play(self, row: int, action_json: str) -> PlayResult:
        """As of `RemoteEnv`."""

        def ask() -> tuple[PlayResult, Batch]:
            result = self._remote.play(row, action_json)
            # Where rows reset themselves, only the flags of a batch tell of an end.
            return result, self._remote.batch(self._remote.reset(mask=np.zeros(self.num_envs, np.bool_)))

        if self._pending:
            self._outlive(lambda: self._settle(self._pending[-1]))
        result, after = self._outlive(ask)
        if result.ok:
            lost, self._lost = self._lost, True
            ended = bool(after.terminations[row] or after.truncations[row])
            self._journal.play(row, action_json, ended=ended)
            self._last, self._lost = after, lost
        return result

    def send_afterstates(
        self,
        *,
        rows: Sequence[int],
        beam_width: int,
        depth: int | None,
        value: SearchValue | None = None,
        most: int | None = None,
    ) -> Ticket:
        """As of `RemoteEnv`."""
        request = Request(
            "afterstates",
            lambda remote: remote.send_afterstates(
                rows=rows, beam_width=beam_width, depth=depth, value=value, most=most
            ),
            lambda _: None,
        )
        return self._send(request)

    def afterstates(self, ticket: Ticket) -> Afterstates:
        """As of `RemoteEnv`."""
        assert isinstance(ticket, Request)

        def ask() -> Afterstates:
            sent, ticket.sent = ticket.sent or ticket.send(self._remote), None
            return self._remote.afterstates(sent)

        return self._outlive(ask)

    def _submit(self, request: Request) -> Request:
        self._pending.append(request)
        try:
            return self._send(request)
        except BaseException:
            self._lost = True  # it may be on its way all the same
            raise

    def _send(self, request: Request) -> Request:
        """Sends a request; where the server has died, whoever waits for the answer will notice."""
        request.sent = request.death = None
        try:
            request.sent = request.send(self._remote)
        except ServerDiedError as death:
            request.death = death
        return request

    def _settle(self, request: Request) -> None:
        """Takes the answers up to a request's."""
        while request.answer is None and request.error is None:
            first = self._pending[0]
            if first.death is not None:
                raise first.death
            assert first.sent is not None
            try:
                answer = self._remote.batch(first.sent)
            except BlockloomError as error:
                if is_uncertain(error):
                    raise
                first.error = error
                self._pending.popleft()
                continue
            lost, self._lost = self._lost, True  # where an interrupt comes in between
            first.note(answer)
            first.answer = self._last = answer
            self._pending.popleft()
            self._lost = lost

    def _outlive(self, ask: Callable[[], T]) -> T:
        """Asks, and where the server dies over it, the next one too."""
        for _ in range(_MAX_DEATHS):
            try:
                return ask()
            except ServerDiedError as death:
                if not self.usable:
                    raise
                self._bring_back(death)
        return ask()

    def _bring_back(self, death: ServerDiedError) -> None:
        """Makes the environment again on another server, as it was, and sends what was on its way."""
        deadline, pause_s = time.monotonic() + self.timeout_s, _FIRST_PAUSE_S
        tries = 1_000_000 if isinstance(self._address, GrpcAddress) else _MAX_DEATHS
        self._lost = True
        while True:
            try:
                self._start_over()
                break
            except ServerDiedError as error:
                tries -= 1
                if error.code in _FINAL_CODES or tries == 0 or time.monotonic() + pause_s > deadline:
                    raise
            except BlockloomError as error:
                raise _cannot_resume(str(error)) from death
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        self._lost = False

    def _start_over(self) -> None:
        spec, timeout_s = self.spec, self.timeout_s
        self._remote.close()
        self._remote = RemoteEnv(self._address, self._settings, self.num_envs)
        self._remote.timeout_s = timeout_s
        if self.spec != spec:
            raise _cannot_resume("the new server is of another version")
        last = self._last
        if last is not None:
            now = play_again(self._remote, self._journal.segments(), self._settings.autoreset_mode)
            seen = [(batch.observations, batch.action_masks, batch.outcomes) for batch in (last, now)]
            if seen[0] != seen[1]:
                raise _cannot_resume("the new server plays other games")
        for request in self._pending:
            self._send(request)


def _cannot_resume(why: str) -> ServerDiedError:
    error = ServerDiedError(f"the server died and its episodes could not be resumed: {why}")
    error.code = "DATA_LOSS"
    return error
