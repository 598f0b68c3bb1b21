"""A vector's places on its servers: made when they are needed, and made anew where they were lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blockloom._address import Address
from blockloom._contract import EnvSpec
from blockloom._env_link import check_same
from blockloom._groups import Answers, Groups
from blockloom._remote import is_uncertain
from blockloom._seeding import VectorSeeds, draw_seed
from blockloom._sequences import Sequences
from blockloom._settings import Settings
from blockloom.errors import BlockloomError


class VectorLink:
    """What `BlockloomVectorEnv` has behind it."""

    num_envs: int
    batch_size: int
    closed: bool
    game_spec: EnvSpec
    """What the server made: names of actions and outcomes, settings in force; ``num_envs`` is of one part."""
    _addresses: Sequence[Address]
    _settings: Settings
    _sequences: Sequences
    _held: Groups | None
    """The environments on the servers, once they are made."""
    _ready: bool
    _seeded: bool
    _received: npt.NDArray[np.int32] | None
    """The rows that `recv` gave last."""

    @property
    def _groups(self) -> Groups:
        self._check_open()
        return self._connect() if self._held is None else self._held

    @property
    def _inflight(self) -> list[int]:
        """The groups that were sent something and not yet received."""
        return [] if self._held is None else self._held.inflight

    def _connect(self) -> Groups:
        self._ready = self._seeded = False
        self._received = None
        groups = Groups(self._addresses, self._settings, self.num_envs, self.batch_size, self._sequences)
        spec = groups.parts[0].remote.spec
        check_same(spec, vars(self).get("game_spec"), groups.close)
        self._held, self.game_spec = groups, spec
        return groups

    def _start_over(self) -> None:
        """Before a reset: forgets what is on its way, and servers that are not there any more."""
        if self._held is not None:
            self._held.abandon()
            if not self._held.usable:
                held, self._held = self._held, None
                held.close()

    def _go_on(self, seeds: VectorSeeds, mask: npt.NDArray[np.bool_] | None, *, by_options: bool) -> None:
        """Before a reset in which rows may get no seed: sees to it that they go on with their own sequences.

        Rows that have none yet are given seeds.
        """
        groups, sequences = self._groups, self._sequences
        if mask is not None and not mask.all():
            sequences.forget()
        elif seeds.incomplete and not by_options and sequences.known and (sequences.stale or not self._seeded):
            groups.begin_again()
            self._seeded = True
        if not self._seeded and not by_options:
            seeds.fill(draw_seed())

    def _send_reset(self, seeds: VectorSeeds, mask: npt.NDArray[np.bool_] | None, options: dict[str, str]) -> None:
        if seeds.partial:
            own = seeds.given if mask is None else seeds.given & mask
            self._groups.send_reset(base_seed=None, seeds=seeds.listed(), mask=own, options=options)
            self._receive_all()
            mask = ~seeds.given if mask is None else ~seeds.given & mask
            seeds = VectorSeeds(None, self.num_envs)
        self._groups.send_reset(base_seed=seeds.base, seeds=seeds.listed(), mask=mask, options=options)
        self._groups.torn = False
        self._ready = True

    def _receive(self) -> Answers:
        _, answers = self._groups.receive()
        self._seeded = True
        return answers

    def _receive_all(self) -> Answers:
        answers: Answers = []
        failure: BlockloomError | None = None
        while self._groups.inflight:
            try:
                answers += self._receive()
            except BlockloomError as error:
                failure = failure or error
        if failure is not None:
            self._groups.torn = self._groups.torn or bool(answers)
            raise failure
        return answers

    def _failed(self, error: BaseException) -> None:
        """After an error: where rows may have been changed all the same, only a reset makes them known again."""
        held = self._held
        if is_uncertain(error) or (held is not None and held.torn):
            self._ready = False
            self._sequences.doubt()
            if held is not None:
                held.abandon()

    def _check_open(self) -> None:
        if self.closed:
            raise BlockloomError("this environment was closed")
