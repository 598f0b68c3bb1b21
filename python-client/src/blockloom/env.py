"""One environment as a `gymnasium.Env`."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from blockloom import _settings, spaces
from blockloom._address import PathLike, addresses
from blockloom._afterstates import Afterstates
from blockloom._channel import Ticket
from blockloom._codec import Codec
from blockloom._contract import Batch, Explanation, PlayResult
from blockloom._env_calls import EnvCalls
from blockloom._remote import RemoteEnv, is_uncertain
from blockloom._seeding import check_seed, draw_seed, generator
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
        max_episode_steps: Steps after which an episode is truncated; 0: never. `gymnasium.make` takes a keyword of
            this name for itself and wraps the environment in its own ``TimeLimit``: then the limit is not known here,
            and ``action_mask`` at the truncation is the game's own.
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
        config: The game's own settings, such as ``cells="occupancy"``: str, bool or int.
    """

    metadata: dict[str, Any] = {"render_modes": list(_settings.RENDER_MODES), "render_fps": 10}

    _remote: RemoteEnv
    _codec: Codec
    _last: Batch | None
    """The last answer to a reset or a step."""
    _ready: bool
    _seeded: bool
    _played: bool
    """Whether `play` has changed the game since."""

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
        **config: Any,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name not in ("self", "config", "__class__")}
        self._arguments: dict[str, Any] = {**arguments, **config}
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
        self._address = addresses(server, workers=1, pin=pin, token=token, tls=tls, tls_client=tls_client)[0]
        self._mask_in_obs = bool(mask_in_obs)
        self._episode_statistics = bool(episode_statistics)
        self._closed = False
        self._connect()
        spec = self._remote.spec
        self.game_spec = spec
        """What the server made: sizes, names of actions and outcomes, settings in force."""
        self.observation_space = spaces.observation_space(spec, with_mask=self._mask_in_obs)
        self.action_space = spaces.action_space(spec)
        self._outcome_names = spec.outcome_names
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
        if not self._remote.usable:
            self._remote.close()
            self._connect()
        if number is None and not self._seeded and not server_options:
            number = draw_seed()
        batch = self._ask(lambda: self._remote.reset(seed=number, mask=mask, options=server_options))
        self._seeded = True
        self._played = False
        if number is not None:
            self._np_random, self._np_random_seed = generator(number)
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
        batch = self._ask(lambda: self._remote.step(packed))
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

    def explain(self, action: SupportsIndex) -> Explanation:
        """Says that an action is legal now, or why it is not."""
        return self._remote.explain(0, [action.__index__()])[0]

    def play(self, action: Any) -> PlayResult:
        """Plays an action in the rules' own grammar, such as ``{"type": "WAIT"}`` or ``"r1x4"``."""
        result = self._remote.play(0, json.dumps(action))
        self._played = True
        return result

    def afterstates(self, *, beam_width: int = 0, depth: int | None = None) -> Afterstates:
        """What each legal placement leads to. BlockloomError (UNIMPLEMENTED) in a game without placements.

        Args:
            beam_width: 0: each legal placement. 1 to 1000: a beam search of this width over sequences of placements
                of the pieces in sight, at most so many sequences; it reads nothing that a player cannot see.
            depth: The most actions of a sequence. Default: all the pieces in sight. Only with `beam_width`.
        """
        ticket = self._remote.send_afterstates(rows=[], beam_width=beam_width, depth=depth)
        return self._remote.afterstates(ticket)

    def save_replay(self, path: str | Path | None = None, *, live: bool = False) -> str:
        """The last finished or closed episode as JSON, written to `path` too. Needs ``record=True``.

        Args:
            path: A file to write.
            live: Whether to take the episode that is being played; only where the server allows it.
        """
        replay = self._remote.save_replay(0, live=live)
        if path is not None:
            Path(path).write_text(replay, encoding="utf-8")
        return replay

    def render(self) -> Any:
        """Text for ``ansi``, uint8 ``(height, width, 3)`` for ``rgb_array``; ``human`` prints and gives None."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode, such as render_mode='ansi'")
            return None
        if self.render_mode == "rgb_array":
            return render_rgb(self._codec.observation(self._batch().observations, rows=1, row=0))
        text = self._remote.render(0)
        if self.render_mode == "ansi":
            return text
        print(text, end="", flush=True)
        return None

    def close(self) -> None:
        """Frees the environment. A second time does nothing."""
        self._closed, self._ready = True, False
        if hasattr(self, "_remote"):
            self._remote.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self._arguments, "spec": self.spec}

    def __setstate__(self, state: dict[str, Any]) -> None:
        type(self).__init__(self, **state["arguments"])
        self.spec = state["spec"]

    def _connect(self) -> None:
        self._ready = self._seeded = self._played = False
        self._last = None
        self._remote = RemoteEnv(self._address, self._settings, 1)
        self._codec = Codec(self._remote.spec)

    def _ask(self, send: Callable[[], Ticket]) -> Batch:
        """Sends and waits. Not ready from here on, until the caller has the result or the server has refused."""
        was_ready, self._ready = self._ready, False
        try:
            return self._remote.batch(send())
        except BlockloomError as error:
            self._ready = was_ready and not is_uncertain(error)
            raise

    def _take(self, batch: Batch) -> tuple[Observation, Info]:
        """The observation and the info of a batch, which is kept for `action_masks` and `render`."""
        self._last = batch
        codec = self._codec
        observation: Observation = codec.observation(batch.observations, rows=1, row=0)
        mask = codec.masks(batch.action_masks, 1)[0]
        info: Info = {"action_mask": mask}
        info.update(zip(self._outcome_names, self._unpack_outcomes(batch.outcomes), strict=True))
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

    def _batch(self) -> Batch:
        """The last batch; asked for again where `play` has changed the game since."""
        self._check_open()
        if self._last is None:
            raise ResetRequiredError("there is nothing to see before the first reset()", reason="RESET_REQUIRED")
        if self._played:
            self._last = self._remote.batch(self._remote.reset(mask=np.zeros(1, np.bool_)))
            self._played = False
        return self._last

    def _check_open(self) -> None:
        if self._closed:
            raise BlockloomError("this environment was closed")
