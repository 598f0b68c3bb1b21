"""A single environment's place on a server: made when it is needed, and made anew where it was lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import numpy.typing as npt

from blockloom._address import Address
from blockloom._channel import Ticket
from blockloom._contract import Batch, EnvSpec
from blockloom._remote import RemoteEnv, is_uncertain
from blockloom._seeding import draw_seed
from blockloom._sequences import Sequences, begin
from blockloom._server_pool import POOL
from blockloom._settings import Settings
from blockloom.errors import BlockloomError


class EnvLink:
    """What `BlockloomEnv` has behind it."""

    game_spec: EnvSpec
    """What the server made: sizes, names of actions and outcomes, settings in force."""
    _address: Address
    _settings: Settings
    _limit: int
    """The time limit in force."""
    _sequences: Sequences
    _held: RemoteEnv | None
    """The environment on the server, once it is made."""
    _last: Batch | None
    """The last answer to a reset or a step."""
    _ready: bool
    _seeded: bool
    _played: bool
    """Whether `play` has changed the game since."""
    _closed: bool

    @property
    def _remote(self) -> RemoteEnv:
        self._check_open()
        return self._connect() if self._held is None else self._held

    def _connect(self) -> RemoteEnv:
        self._ready = self._seeded = self._played = False
        self._last = None
        remote = RemoteEnv(self._address, replace(self._settings, max_episode_steps=self._limit), 1)
        check_same(remote.spec, vars(self).get("game_spec"), remote.close)
        self._held, self.game_spec = remote, remote.spec
        return remote

    def _drop_lost_remote(self) -> None:
        if self._held is not None and not self._held.usable:
            held, self._held = self._held, None
            held.close()

    def _limit_steps(self, limit: int) -> None:
        """Makes the environment anew with the time limit that was found around it; 0: none."""
        own = self._settings.max_episode_steps
        limit = min(limit, own) if own else limit
        if limit in (0, self._limit):
            return
        self._limit = limit
        if self._held is None:
            return
        held, self._held = self._held, None
        channel = POOL.acquire(self._address)  # so that the server does not end in between
        try:
            held.close()
            self._connect()
        finally:
            POOL.release(self._address, channel)

    def _go_on(self) -> int | None:
        """Before a reset without a seed: sees to it that the next episode is the next of the row's own sequence.

        Returns:
            A seed where there is no sequence yet.
        """
        remote = self._remote
        if self._sequences.known and (self._sequences.stale or not self._seeded):
            begin(remote, self._sequences.starts(slice(1)))
            self._sequences.settle()
            self._seeded = True
        return None if self._seeded else draw_seed()

    def _ask(self, send: Callable[[], Ticket]) -> Batch:
        """Sends and waits. Not ready from here on, until the caller has the result or the server has refused."""
        was_ready, self._ready = self._ready, False
        try:
            return self._remote.batch(send())
        except BlockloomError as error:
            self._ready = was_ready and not is_uncertain(error)
            raise

    def _ask_for_reset(self, seed: int | None, mask: npt.NDArray[np.bool_] | None, options: dict[str, str]) -> Batch:
        remote = self._remote
        try:
            batch = self._ask(lambda: remote.reset(seed=seed, mask=mask, options=options))
            self._sequences.reset([0], seed=seed, options=options)
        except BaseException as error:
            if is_uncertain(error):
                self._sequences.doubt()
            raise
        return batch

    def _check_open(self) -> None:
        if self._closed:
            raise BlockloomError("this environment was closed")


def check_same(made: EnvSpec, before: EnvSpec | None, close: Callable[[], None]) -> None:
    """Closes what a server made and raises BlockloomError if it is not what another server made before."""
    if before is None or msgspec.structs.replace(made, max_episode_steps=before.max_episode_steps) == before:
        return
    close()
    raise BlockloomError(f"{made.game_id} of this server is not what it was: the server is of another version")
