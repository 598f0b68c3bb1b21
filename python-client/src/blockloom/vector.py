"""Many environments of one game as a `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from blockloom import _settings, spaces
from blockloom._actions import ActionChecker
from blockloom._address import PathLike, addresses
from blockloom._batches import BatchReader, Observation, Result
from blockloom._groups import Groups
from blockloom._infos import Info
from blockloom._inspection import RowCalls
from blockloom._seeding import Seeds, VectorSeeds, generator
from blockloom._sequences import Sequences
from blockloom.errors import BlockloomError, ResetRequiredError


class BlockloomVectorEnv(RowCalls, gymnasium.vector.VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[Any]]):
    """Rows of one game, stepped together.

    Arrays are ``(num_envs, ...)`` and the caller's own. ``infos`` has the same keys at reset and at every step, every
    row filled, each with Gymnasium's ``_key`` mask:

    - ``action_mask``: int8 ``(num_envs, num_actions)``, 1 where a step would accept the action now. A finished row has
      ones in ``next_step``, where any action resets it, and zeros in ``disabled``.
    - each outcome by its name, such as ``score``: int32; ``illegal_action``: bool; ``refusal``: str or None.

    When an episode ends, also ``final_action_mask`` (the game's own where the time limit cut the episode short, for
    bootstrapping; zeros where the game is over), in ``same_step`` ``final_obs`` and ``final_info``, and with
    ``episode_statistics=True`` ``episode``.

    Row i of a reset with seed s plays what a single environment with seed ``s + i`` plays, episode by episode.

    Args:
        game_id: The game, such as ``"Stackcraft-v1"``.
        num_envs: Number of rows.
        max_episode_steps: Steps after which an episode is truncated; 0: never.
        autoreset_mode: ``"next_step"``, ``"same_step"`` or ``"disabled"``, or Gymnasium's enum.
        illegal_action: What a step does with an action that is not legal now: ``"refuse"`` (that row stays as it is,
            reward 0), ``"reject"`` (raise `IllegalActionError`, no row is stepped) or ``"terminate"``.
        reward: The outcome whose change is the reward: ``"score"``, or another that the game lists.
        wire_encoding: ``"packed"`` or ``"dense"``: the bytes that travel; the arrays are the same.
        record: Whether the server keeps the actions of episodes for `save_replay`.
        server: ``"host:port"`` or ``"unix:/path"`` of a gRPC server, or a list of them to spread the rows over; None:
            the server that comes with the package.
        num_workers: Number of embedded servers to spread the rows over, each a process of its own.
        pin: Whether to start a server of the vector's own and keep it and the thread that makes the vector
            on one core, the one the thread runs on now, until `close`. Saves small batches the wake-ups between cores.
            What that thread starts meanwhile, such as a learner's threads and worker processes, is confined to the
            same core. Linux only; not with ``server`` or ``num_workers``.
        batch_size: Rows of one `recv`; divides ``num_envs``. Default: all.
        token: The gRPC server's token, if it wants one.
        tls: Whether to use TLS to the gRPC server, or the PEM file of the certificates to trust.
        tls_client: PEM files of this client's own certificate and its key, where the server wants them.
        timeout_s: Seconds to wait for any answer before `DeadlineError`.
        resume: Whether a rollout goes on when a server dies: the server is started or connected to anew, for up to
            ``timeout_s`` seconds, and the current episodes are played again, so that the caller sees nothing but one
            slow step. What is seen after it is compared with what was seen before.
        mask_in_obs: Whether the observation holds the mask too, as ``action_mask``.
        render_mode: ``"ansi"``, ``"human"`` (text on the terminal), ``"rgb_array"`` or None.
        episode_statistics: Whether ``infos`` tells return and length of episodes at their end, as ``episode``. Leave it
            off under Gymnasium's ``RecordEpisodeStatistics``, which wants that key for itself.
        config: The game's own settings by name, such as ``{"cells": "occupancy"}``: str, bool or int.
        **settings: The same as keywords, such as ``cells="occupancy"``.
    """

    metadata: dict[str, Any] = {
        "render_modes": list(_settings.RENDER_MODES),
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game_id: str,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | _settings.AutoresetName = AutoresetMode.NEXT_STEP,
        illegal_action: _settings.IllegalActionName = "refuse",
        reward: str = "score",
        wire_encoding: _settings.WireEncodingName = "packed",
        record: bool = False,
        server: str | Sequence[str] | None = None,
        num_workers: int | None = None,
        batch_size: int | None = None,
        pin: bool = False,
        token: str | None = None,
        tls: bool | PathLike = False,
        tls_client: tuple[PathLike, PathLike] | None = None,
        timeout_s: float = 120.0,
        resume: bool = False,
        mask_in_obs: bool = False,
        render_mode: str | None = None,
        episode_statistics: bool = False,
        config: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name not in ("self", "settings")}
        config = _settings.merged_config(config, settings)
        self._arguments: dict[str, Any] = {**arguments, "config": config}
        self._settings = _settings.settings(
            game_id,
            config=config,
            max_episode_steps=max_episode_steps,
            autoreset_mode=autoreset_mode,
            illegal_action=illegal_action,
            reward=reward,
            wire_encoding=wire_encoding,
            record=record,
            timeout_s=timeout_s,
            resume=resume,
        )
        self.num_envs = _settings.integer("num_envs", num_envs, low=1)
        self.batch_size = _settings.batch_size(batch_size, self.num_envs)
        workers = _settings.worker_count(num_workers, self.num_envs, has_server=server is not None)
        self._addresses = addresses(server, workers=workers, pin=pin, token=token, tls=tls, tls_client=tls_client)[
            : self.num_envs
        ]
        self.render_mode = _settings.render_mode(render_mode)
        self.autoreset_mode = self._settings.autoreset_mode
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._sequences = Sequences(self.num_envs, self.autoreset_mode)
        self._held, self._received = None, None
        self._ready = self._seeded = self.closed = False
        # An unpickled vector knows its spec and needs no server yet.
        spec = vars(self).get("game_spec") or self._connect().parts[0].remote.spec
        self._reader = BatchReader(
            spec, self.autoreset_mode, mask_in_obs=bool(mask_in_obs), episode_statistics=bool(episode_statistics)
        )
        self._actions = ActionChecker(self.num_envs, spec.num_actions, self.batch_size)
        self.single_observation_space = spaces.observation_space(spec, with_mask=bool(mask_in_obs))
        self.single_action_space = spaces.action_space(spec)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: Seeds = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Info]:
        """Starts episodes.

        Args:
            seed: Any integer of up to 64 digits: row i gets ``seed + i``; or a list or array with one for each row,
                None where a row's own sequence goes on. None: all go on; the first reset draws a seed.
            options: ``reset_mask``, a bool array ``(num_envs,)``, names the rows to reset, in any autoreset mode; the
                others stay as they are. Other options are the game's own.
        """
        seeds, by_options = self._begin(seed, options)
        try:
            answers = self._receive_all()
            self._remember(seeds, by_options)
            observation, _, _, _, infos = self._reader.read(answers)
            self._human()
        except BaseException as error:
            self._failed(error)
            raise
        return observation, infos

    def async_reset(
        self,
        *,
        seed: Seeds = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Starts episodes as `reset` does, without waiting: `recv` gives what each group begins with."""
        self._remember(*self._begin(seed, options))

    def step(self, actions: npt.NDArray[Any]) -> Result:
        """Plays one action in every row.

        Args:
            actions: Integers ``(num_envs,)``.

        Raises:
            InvalidArgumentError: Wrong number of actions, or one outside the action space; nothing was stepped.
            IllegalActionError: An action is not legal, with ``illegal_action="reject"``; nothing was stepped.
            ResetRequiredError: Before the first reset, or a row is finished in ``disabled``; nothing was stepped.
        """
        if self._inflight:
            raise BlockloomError("step() between send() and recv(): receive what was sent first")
        try:
            self.send(actions)
            result = self._reader.read(self._receive_all())
            self._human()
        except BaseException as error:
            self._failed(error)
            raise
        return result

    def send(self, actions: npt.NDArray[Any], env_id: npt.NDArray[Any] | None = None) -> None:
        """Sends actions without waiting for what they lead to.

        Args:
            actions: Integers, one for each row of `env_id`.
            env_id: The rows, whole groups in any order, as ``info["env_id"]`` of `recv` names them. None: all rows, or
                those that `recv` gave last if that is how many actions there are.
        """
        if not self._ready:
            self._check_open()
            raise ResetRequiredError("a step needs a reset() first", reason="RESET_REQUIRED")
        groups, by_row = self._actions.check(actions, env_id, self._received)
        busy = set(groups).intersection(self._groups.inflight)
        if busy:
            first = min(busy) * self.batch_size
            raise BlockloomError(
                f"rows {first} to {first + self.batch_size - 1} were sent actions already: recv() first"
            )
        if len(self._groups.parts) > 1:
            self._check_together(groups, by_row)
        try:
            for group in groups:
                self._groups.send_step(group, by_row)
        except BaseException as error:
            self._failed(error)
            raise

    def recv(self) -> Result:
        """Waits for the group that was sent first.

        Returns:
            What `step` returns, for the ``batch_size`` rows in ``infos["env_id"]`` (int32).
        """
        if not self._inflight:
            self._check_open()
            raise BlockloomError("recv() without send(): nothing is on its way")
        try:
            answers = self._receive()
            observation, rewards, terminations, truncations, infos = self._reader.read(answers)
            first = answers[0][0].first
            self._received = np.arange(first, first + self.batch_size, dtype=np.int32)
            infos["env_id"] = self._received.copy()
            infos["_env_id"] = np.ones(self.batch_size, np.bool_)
        except BaseException as error:
            self._failed(error)
            raise
        return observation, rewards, terminations, truncations, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Frees all rows; `close` calls it once."""
        self._ready = False
        held: Groups | None = vars(self).get("_held")
        if held is not None:
            held.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self._arguments, "game_spec": self.game_spec, "spec": self.spec}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.game_spec = state["game_spec"]
        type(self).__init__(self, **state["arguments"])
        self.spec = state["spec"]

    def _begin(self, seed: Seeds, options: Mapping[str, Any] | None) -> tuple[VectorSeeds, bool]:
        """Sends a reset; gives its seeds, and whether options stand in their place."""
        server_options = _settings.reset_options(options)
        mask = None
        if options and "reset_mask" in options:
            mask = _settings.reset_mask(options["reset_mask"], self.num_envs)
        seeds = VectorSeeds(seed, self.num_envs)
        self._check_open()
        self._start_over()
        try:
            self._go_on(seeds, mask, by_options=bool(server_options))
            self._send_reset(seeds, mask, server_options)
        except BaseException as error:
            self._failed(error)
            raise
        return seeds, bool(server_options)

    def _remember(self, seeds: VectorSeeds, by_options: bool) -> None:
        """Sets ``np_random`` by the seed of row 0."""
        if seeds.first is not None:
            self._np_random, self._np_random_seed = generator(seeds.first)
        elif by_options:
            self.np_random = self.np_random  # its seed, which is not the game's, becomes -1
