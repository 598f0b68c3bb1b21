"""One environment as a `gymnasium.Env`."""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom import _settings, spaces
from blockloom._address import PathLike, addresses
from blockloom._codec import Codec
from blockloom._contract import Batch
from blockloom._env_calls import EnvCalls
from blockloom._remote import RemoteEnv, is_uncertain
from blockloom._seeding import check_seed, generator
from blockloom._sequences import Sequences
from blockloom._time_limit import limit_around
from blockloom.errors import BlockloomError, InvalidArgumentError, ResetRequiredError
from blockloom.rendering import render_rgb

_FLOAT = struct.Struct("<f")
Observation = dict[str, Any]
Info = dict[str, Any]


class BlockloomEnv(EnvCalls, gymnasium.Env[Observation, np.int64]):
    """A game as a Gymnasium environment.

    The observation is a flat dict of named arrays. ``info`` has the same keys at reset and at every step:

    - ``action_mask``: int8 ``(num_actions,)``, 1 where `step` would accept the action now; zeros at the end.
    - each outcome by its name, such as ``score`` and ``lines``: int.
    - ``illegal_action``: bool, whether the last action was not legal; ``refusal``: the reason, or None.
    - at the end also ``final_action_mask``, the game's own mask where the time limit cut the episode short, and with
      ``episode_statistics=True`` ``episode``: its return ``r`` and length ``l``.

    `reset` without a seed goes on to the next episode of the seed given before; the first one draws a seed, which
    is then in ``np_random_seed``.

    Args:
        game_id: The game, such as ``"Stackcraft-v1"``.
        num_envs: 1. More rows are a `BlockloomVectorEnv`.
        max_episode_steps: Steps after which an episode is truncated; 0: never. Under the ``TimeLimit`` of
            `gymnasium.make`, which takes a keyword of this name for itself, the limit is the smaller of the two.
        autoreset_mode: ``"disabled"``: a single environment does not reset itself.
        illegal_action: What a step does with an action that is not legal now: ``"refuse"`` (nothing changes,
            reward 0), ``"reject"`` (raise `IllegalActionError`) or ``"terminate"`` (the episode ends, reward 0).
        reward: The outcome whose change is the reward: ``"score"``, or another that the game lists.
        wire_encoding: ``"packed"`` or ``"dense"``: the bytes that travel; the arrays are the same.
        record: Whether the server keeps the actions of episodes for `save_replay`.
        server: ``"host:port"`` or ``"unix:/path"`` of a gRPC server; None: the server that comes with the package.
        pin: Whether to start a server of the environment's own and keep it and the thread that makes the environment
            on one core, the one the thread runs on now, until `close`. Saves small batches the wake-ups between cores.
            What that thread starts meanwhile, such as a learner's threads and worker processes, is confined to the
            same core. Linux only; not with ``server`` or ``num_workers``.
        token: The gRPC server's token, if it wants one.
        tls: Whether to use TLS to the gRPC server, or the PEM file of the certificates to trust.
        tls_client: PEM files of this client's own certificate and its key, where the server wants them.
        timeout_s: Seconds to wait for any answer before `DeadlineError`.
        mask_in_obs: Whether the observation holds the mask too, as ``action_mask``.
        render_mode: ``"ansi"`` (text), ``"human"`` (text on the terminal), ``"rgb_array"`` or None.
        episode_statistics: Whether ``info`` tells the return and length of an episode at its end.
        config: The game's own settings by name, such as ``{"cells": "occupancy"}``: str, bool or int.
        **settings: The same as keywords, such as ``cells="occupancy"``.
    """

    metadata: dict[str, Any] = {"render_modes": list(_settings.RENDER_MODES), "render_fps": 10}

    def __init__(
        self,
        game_id: str,
        *,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | _settings.AutoresetName = AutoresetMode.DISABLED,
        illegal_action: _settings.IllegalActionName = "refuse",
        reward: str = "score",
        wire_encoding: _settings.WireEncodingName = "packed",
        record: bool = False,
        server: str | None = None,
        pin: bool = False,
        token: str | None = None,
        tls: bool | PathLike = False,
        tls_client: tuple[PathLike, PathLike] | None = None,
        timeout_s: float = 120.0,
        mask_in_obs: bool = False,
        render_mode: str | None = None,
        episode_statistics: bool = False,
        config: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name not in ("self", "settings", "__class__")}
        config = _settings.merged_config(config, settings)
        self._arguments: dict[str, Any] = {**arguments, "config": config}
        if num_envs != 1:
            raise InvalidArgumentError(f"num_envs={num_envs!r} for a single environment; use gymnasium.make_vec")
        if _settings.autoreset(autoreset_mode) is not AutoresetMode.DISABLED:
            raise InvalidArgumentError(
                f"autoreset_mode={autoreset_mode!r} for a single environment; use gymnasium.make_vec"
            )
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
        )
        self.render_mode = _settings.render_mode(render_mode)
        server = _settings.single_server(server)
        self._address = addresses(server, workers=1, pin=pin, token=token, tls=tls, tls_client=tls_client)[0]
        self._mask_in_obs = bool(mask_in_obs)
        self._episode_statistics = bool(episode_statistics)
        self._limit = self._settings.max_episode_steps
        self._sequences = Sequences(1, AutoresetMode.DISABLED)
        self._held, self._last = None, None
        self._ready = self._seeded = self._played = self._closed = False
        # An unpickled environment knows its spec and needs no server yet.
        spec = vars(self).get("game_spec") or self._connect().spec
        self._codec = Codec(spec)
        self.observation_space = spaces.observation_space(spec, with_mask=self._mask_in_obs)
        self.action_space = spaces.action_space(spec)
        self._name_outcomes = functools.partial(zip, spec.outcome_names)
        self._unpack_outcomes = struct.Struct(f"<{len(spec.outcome_names)}i").unpack
        self._actions = [struct.pack("<i", action) for action in range(spec.num_actions)]

    def reset(
        self, *, seed: SupportsIndex | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Starts an episode.

        Args:
            seed: Any integer of up to 64 digits: the same seed, the same game. None: see the class.
            options: The game's reset options, such as ``{"daily": "today"}``.
        """
        number = None if seed is None else check_seed(seed)
        server_options = _settings.reset_options(options)
        mask = None
        if options and "reset_mask" in options:
            mask = _settings.reset_mask(options["reset_mask"], 1)
        self._check_open()
        self._limit_steps(limit_around(self))
        self._drop_lost_remote()
        if number is None and not server_options:
            number = self._go_on()
        batch = self._ask_for_reset(number, mask, server_options)
        self._seeded, self._played = True, False
        if number is not None:
            self._np_random, self._np_random_seed = generator(number)
        elif server_options:
            self.np_random = self.np_random  # its seed, which is not the game's, becomes -1
        observation, info = self._take(batch)
        if self.render_mode == "human":
            self.render()
        self._ready = True
        return observation, info

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, Info]:
        """Plays an action.

        Raises:
            ResetRequiredError: Before the first reset, or after the end of an episode.
            IllegalActionError: The action is not legal, and the environment was made with ``"reject"``.
            InvalidArgumentError: The action is outside the action space.
        """
        if not self._ready:
            self._check_open()
            raise ResetRequiredError("step() needs a reset() first", reason="RESET_REQUIRED")
        try:
            packed = self._actions[action] if action.__index__() >= 0 else None
        except (IndexError, TypeError, AttributeError):
            packed = None
        if packed is None:
            raise InvalidArgumentError(
                f"action {action!r} is not in the action space; allowed: 0 to {len(self._actions) - 1}",
                reason="ACTION_OUT_OF_RANGE",
            )
        remote = self._remote
        self._ready = False  # until the caller has the result, or the server has refused
        try:
            batch = remote.step_at_once(packed)
        except BlockloomError as error:
            self._ready = not is_uncertain(error)
            raise
        observation, info = self._take(batch)
        reward: float = _FLOAT.unpack(batch.rewards)[0]
        if self.render_mode == "human":
            self.render()
        self._ready = True
        return observation, reward, batch.terminations != b"\0", batch.truncations != b"\0", info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Bool ``(num_actions,)``: what `step` would accept now."""
        mask: npt.NDArray[np.bool_] = self._codec.masks(self._batch().action_masks, 1)[0].view(np.bool_)
        return mask

    def render(self) -> Any:
        """Text for ``ansi``, uint8 ``(height, width, 3)`` for ``rgb_array``; ``human`` prints and gives None."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode, such as render_mode='ansi'")
            return None
        if self.render_mode == "rgb_array":
            return render_rgb(self._codec.only_observation(self._batch().observations))
        text = self._remote.render(0)
        if self.render_mode == "ansi":
            return text
        print(text, end="", flush=True)
        return None

    def close(self) -> None:
        """Frees the environment. A second time does nothing."""
        self._closed, self._ready = True, False
        held: RemoteEnv | None = vars(self).get("_held")
        if held is not None:
            held.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self._arguments, "game_spec": self.game_spec, "spec": self.spec}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.game_spec = state["game_spec"]
        type(self).__init__(self, **state["arguments"])
        self.spec = state["spec"]

    def _take(self, batch: Batch) -> tuple[Observation, Info]:
        """The observation and the info of a batch, which is kept for `action_masks` and `render`."""
        self._last = batch
        codec = self._codec
        observation: Observation = codec.only_observation(batch.observations)
        mask = codec.only_mask(batch.action_masks)
        info: Info = {"action_mask": mask}
        info.update(self._name_outcomes(self._unpack_outcomes(batch.outcomes)))
        refusals = batch.refusals
        info["illegal_action"] = bool(refusals)
        info["refusal"] = refusals[0].reason if refusals else None
        if self._mask_in_obs:
            observation[spaces.MASK_KEY] = mask.copy()
        if batch.finished:
            info["final_action_mask"] = codec.masks(batch.final_action_masks, 1)[0]
            if self._episode_statistics:
                episode = batch.finished[0]
                info["episode"] = {"r": episode.episode_return, "l": episode.length}
        return observation, info
