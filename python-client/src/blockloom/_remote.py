"""One environment on a server: the calls of the contract, with Python's types."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from blockloom._address import Address
from blockloom._afterstates import Afterstates, SearchValue, read_afterstates
from blockloom._channel import Channel, Ticket
from blockloom._contract import Batch, Body, EnvSpec, Explanation, PlayResult, SessionResponse
from blockloom._server_pool import POOL
from blockloom._settings import Settings
from blockloom.errors import BlockloomError, DeadlineError, InvalidArgumentError, ServerDiedError

T = TypeVar("T")


class RemoteEnv:
    """A batch of sub-environments that a server keeps for us."""

    def __init__(self, address: Address, settings: Settings, num_envs: int, *, load: Body | None = None) -> None:
        """Makes the environment, or with `load`, a LoadReplay request, one that stands at a ply of a replay."""
        self.num_envs = num_envs
        self.timeout_s = settings.timeout_s
        """Seconds to wait for an answer."""
        self._channel = POOL.acquire(address)
        try:
            self._open(settings, load)
        except BaseException as error:
            POOL.release(address, self._channel)
            if isinstance(error, BlockloomError) and error.reason == "UNKNOWN_CONFIG_KEY":
                raise _unknown_keyword(error, settings) from None
            raise
        self._finalizer = weakref.finalize(self, _let_go, self._channel, self.env_id)
        self._finalizer.atexit = False
        self._address = address
        self._weights: npt.NDArray[np.float32] | None = None
        """The weights of a learned value that the server has."""

    def _open(self, settings: Settings, load: Body | None) -> None:
        self.env_id: str
        self.spec: EnvSpec
        self.loaded: Batch | None = None
        """What is seen at the ply that was loaded."""
        if load is None:
            made = _present(self._call("makeEnv", settings.to_body(self.num_envs)).make_env)
            self.env_id, self.spec = made.env_id, made.spec
        else:
            load = {**load, "wireEncoding": settings.to_body(1)["wireEncoding"]}
            loaded = _present(self._call("loadReplay", load).load_replay)
            self.env_id, self.spec, self.loaded = loaded.env_id, loaded.spec, loaded.batch

    @property
    def usable(self) -> bool:
        """Whether the environment is still there, as far as we know."""
        return self._finalizer.alive and self._channel.usable

    @property
    def at_home(self) -> bool:
        """Whether this is the process that made the environment, and it was not closed; the server may be gone."""
        return self._finalizer.alive and self._channel.pid == os.getpid()

    def close(self) -> None:
        """Frees the environment, and the server if nobody else uses it. A second time does nothing."""
        if self._finalizer.detach() is None:
            return
        try:
            if self._channel.usable:
                self._channel.call("closeEnv", {"envId": self.env_id}, min(self.timeout_s, 5.0))
        except BlockloomError:
            pass  # it is gone either way
        finally:
            if self._channel.pid == os.getpid():
                POOL.release(self._address, self._channel)

    def step(self, actions: bytes) -> Ticket:
        """Sends actions (int32, little-endian); `batch` waits for the answer."""
        return self._channel.submit_step(self.env_id, actions, self.timeout_s)

    def step_at_once(self, actions: bytes) -> Batch:
        """Sends actions (int32, little-endian) and waits for the answer."""
        return self._channel.step_at_once(self.env_id, actions, self.timeout_s)

    def reset(
        self,
        *,
        seed: int | None = None,
        seeds: Sequence[int] | None = None,
        episodes: Sequence[int] | None = None,
        mask: npt.NDArray[np.bool_] | None = None,
        options: dict[str, str] | None = None,
    ) -> Ticket:
        """Sends a reset; `batch` waits for the answer. Row i gets ``seed + i``, or ``seeds[i]``, at an episode."""
        body: Body = {"envId": self.env_id}
        if seed is not None:
            body["seed"] = str(seed)
        if seeds is not None:
            body["seeds"] = [str(one) for one in seeds]
        if episodes is not None:
            body["episodes"] = list(episodes)
        if mask is not None:
            body["resetMask"] = mask.astype(np.uint8).tobytes()
        if options:
            body["options"] = options
        return self._channel.submit("reset", body, self.timeout_s)

    def batch(self, ticket: Ticket) -> Batch:
        """The answer to a step or a reset."""
        return self._channel.wait_batch(ticket, self.timeout_s)

    def masks(self, row: int) -> bytes:
        """The mask of a row, one byte an action."""
        return _present(self._env_call("getActionMask", rows=[row]).get_action_mask).masks[0].mask

    def explain(self, row: int, actions: Sequence[int]) -> list[Explanation]:
        """Why actions are or are not legal."""
        return _present(self._env_call("explain", row=row, actions=list(actions)).explain).explanations

    def play(self, row: int, action_json: str) -> PlayResult:
        """Plays an action in the rules' own grammar."""
        return _present(self._env_call("play", row=row, actionJson=action_json).play)

    def render(self, row: int) -> str:
        """The observation of a row as text."""
        return _present(self._env_call("render", row=row).render).text

    def save_replay(self, row: int, *, live: bool) -> str:
        """The replay of a row's last finished or closed episode, as JSON."""
        return _present(self._env_call("saveReplay", row=row, live=live).save_replay).replay_json

    def send_afterstates(
        self,
        *,
        rows: Sequence[int],
        beam_width: int,
        depth: int | None,
        value: SearchValue | None = None,
        most: int | None = None,
    ) -> Ticket:
        """Asks what the rows (none: all) can lead to; `afterstates` waits for the answer."""
        body: Body = {"envId": self.env_id, "rows": list(rows), "beamWidth": beam_width}
        if depth is not None:
            body["depth"] = depth
        if most is not None:
            body["mostSequences"] = most
        if value is not None:
            body["learnedPercent"], body["handPercent"] = value.learned_percent, value.hand_percent
            if value.weights is not self._weights:
                body["learnedWeights"] = value.weights.astype("<f4").tobytes()
        ticket = self._channel.submit("afterstates", body, self.timeout_s)
        if value is not None:
            self._weights = value.weights
        return ticket

    def afterstates(self, ticket: Ticket) -> Afterstates:
        """The answer to `send_afterstates`."""
        return read_afterstates(_present(self._channel.wait(ticket, self.timeout_s).afterstates))

    def _env_call(self, call: str, **fields: object) -> SessionResponse:
        return self._call(call, {"envId": self.env_id, **fields})

    def _call(self, call: str, body: Body) -> SessionResponse:
        return self._channel.call(call, body, self.timeout_s)


def is_uncertain(error: BaseException) -> bool:
    """Whether a call that failed so may have changed the environment: anything but a refusal by the server."""
    return not isinstance(error, BlockloomError) or isinstance(error, (DeadlineError, ServerDiedError))


def _let_go(channel: Channel, env_id: str) -> None:
    """For an environment that was dropped without `close`. Runs inside the garbage collector: no locks here."""
    channel.let_go(env_id)


def _present(answer: T | None) -> T:
    if answer is None:
        raise BlockloomError("the server answered a call with another call's result", code="INTERNAL")
    return answer


def _unknown_keyword(error: BlockloomError, settings: Settings) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"unknown keyword among {', '.join(settings.config)} of {settings.game_id}: {error}; "
        "other keywords are in the documentation of BlockloomEnv and BlockloomVectorEnv",
        code=error.code,
        reason=error.reason,
        metadata=error.metadata,
    )
