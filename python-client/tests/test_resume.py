"""Rollouts that outlive their servers: the same bytes as undisturbed ones."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import blockloom
from blockloom import BlockloomVectorEnv
from blockloom._node import server_command
from blockloom._server_pool import POOL
from blockloom._stdio import StdioChannel
from listening import wait_until_it_listens

FULL = os.environ.get("BLOCKLOOM_FULL") == "1"
Disturb = Callable[[int], None]


def kill_servers() -> None:
    """Kills every embedded server of this process, whatever it is doing."""
    for entry in list(POOL._entries.values()):
        if isinstance(entry.channel, StdioChannel):
            os.kill(entry.channel.process_id, signal.SIGKILL)


def digest(value: Any) -> str:
    """A fingerprint of all that a call has returned, down to the last byte and type."""

    def parts(thing: Any) -> Iterator[bytes]:
        if isinstance(thing, dict):
            for name, each in thing.items():
                yield str(name).encode()
                yield from parts(each)
        elif isinstance(thing, (tuple, list)):
            for each in thing:
                yield from parts(each)
        elif isinstance(thing, np.ndarray) and thing.dtype != object:
            yield f"{thing.dtype}{thing.shape}".encode() + thing.tobytes()
        elif isinstance(thing, np.ndarray):
            for each in thing:
                yield from parts(each)
        else:
            yield repr(thing).encode()

    return hashlib.sha256(b"|".join(parts(value))).hexdigest()


def rollout(steps: int, disturb: Disturb, *, play_rows: bool = False, **keywords: Any) -> list[str]:
    """Fingerprints of all that a rollout shows: legal and illegal actions, resets of some rows, a few questions."""
    envs = BlockloomVectorEnv(**keywords)
    rows, rng = envs.num_envs, np.random.default_rng(9)
    seen = [envs.reset(seed=100)]
    fingerprints = [digest(seen[-1])]
    mode = keywords.get("autoreset_mode")
    for step in range(steps):
        disturb(step)
        mask = envs.action_masks()
        actions = blockloom.sample(mask, rng)
        if keywords.get("illegal_action") != "reject":
            actions = np.where(rng.random(rows) < 0.05, rng.integers(0, mask.shape[1], rows), actions)
        over = ~mask.any(axis=1)
        if mode == "disabled" and over.any():
            fingerprints.append(digest(envs.reset(options={"reset_mask": over})))
            continue
        if rng.random() < 0.02:
            chosen = rng.random(rows) < 0.5
            chosen[rng.integers(rows)] = True
            seeds = [
                int(seed) if known else None for seed, known in zip(rng.integers(0, 99, rows), chosen, strict=True)
            ]
            seed = seeds if rng.random() < 0.5 else None
            fingerprints.append(digest(envs.reset(seed=seed, options={"reset_mask": chosen})))
            continue
        if play_rows and rng.random() < 0.1:
            legal = envs.play(1, None).legal_actions
            if legal:
                native = legal[int(rng.integers(len(legal)))]
                fingerprints.append(digest(dataclass_of(envs.play(1, json.loads(native)))))
                continue
        fingerprints.append(digest(envs.step(actions)))
    fingerprints.append(digest([dataclass_of(envs.explain(rows - 1, action)) for action in range(5)]))
    if keywords.get("record"):
        for row in range(rows):
            try:
                fingerprints.append(envs.save_replay(row))
            except blockloom.BlockloomError as error:
                fingerprints.append(error.reason)
    envs.close()
    return fingerprints


def dataclass_of(message: Any) -> Any:
    return [getattr(message, name) for name in message.__struct_fields__]


def quietly(step: int) -> None:
    """Disturbs nothing."""


def at_steps(*steps: int) -> Disturb:
    return lambda step: kill_servers() if step in steps else None


MODES = ["next_step", "same_step", "disabled"]
GAMES = ["Stackcraft-v1", "BlockPuzzle10-v1", "Hourloom-v1"]
POLICIES = ["refuse", "terminate", "reject"]
LAYOUTS: list[dict[str, Any]] = [{"num_workers": 2}, {"batch_size": 2}, {"wire_encoding": "dense"}]


def some(first: Sequence[Any], second: Sequence[Any]) -> list[tuple[Any, Any]]:
    """All pairs in the full form, else so many that each value is in one."""
    return list(itertools.product(first, second) if FULL else zip(first, second, strict=True))


@pytest.mark.parametrize(("game", "mode"), [*some(GAMES, MODES), ("Stackcraft-v1", "disabled")])
def test_a_server_that_is_killed_leaves_no_trace_in_a_rollout(game: str, mode: str) -> None:
    keywords: dict[str, Any] = {"game_id": game, "num_envs": 6, "autoreset_mode": mode, "max_episode_steps": 60}
    keywords |= {"record": True, "episode_statistics": True}
    undisturbed = rollout(120, quietly, **keywords)
    assert rollout(120, at_steps(0, 98, 99), resume=True, **keywords) == undisturbed


@pytest.mark.parametrize(("policy", "layout"), some(POLICIES, LAYOUTS), ids=str)
def test_policies_and_layouts(policy: str, layout: dict[str, Any]) -> None:
    keywords: dict[str, Any] = {"game_id": "LumenBlocks-v1", "num_envs": 4, "illegal_action": policy, **layout}
    undisturbed = rollout(60, quietly, **keywords)
    assert rollout(60, at_steps(13, 44), resume=True, **keywords) == undisturbed


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_rows_that_are_played_alone(mode: str) -> None:
    keywords: dict[str, Any] = {"game_id": "Stackcraft-v1", "num_envs": 3, "autoreset_mode": mode, "record": True}
    keywords |= {"play_rows": True, "max_episode_steps": 15}
    undisturbed = rollout(120, quietly, **keywords)
    assert rollout(120, at_steps(3, 100), resume=True, **keywords) == undisturbed


def test_a_long_rollout_with_kills_at_random_moments() -> None:
    """Full form: 10,000 steps and 50 kills, from another thread at any moment of a step."""
    steps, kills = (10_000, 50) if FULL else (800, 8)
    keywords: dict[str, Any] = {"game_id": "Stackcraft-v1", "num_envs": 16, "max_episode_steps": 300}
    undisturbed = rollout(steps, quietly, **keywords)
    rng = np.random.default_rng(4)
    when = set(rng.choice(steps, kills, replace=False).tolist())
    threads: list[threading.Thread] = []
    killed: list[int] = []

    def kill(step: int) -> None:
        kill_servers()
        killed.append(step)

    def disturb(step: int) -> None:
        if step in when:
            threads.append(threading.Timer(float(rng.random()) * 0.002, kill, [step]))
            threads[-1].start()

    disturbed = rollout(steps, disturb, resume=True, **keywords)
    for thread in threads:
        thread.join()
    assert len(killed) == kills
    assert disturbed == undisturbed


@pytest.mark.parametrize("layout", [{"batch_size": 2}, {"batch_size": 2, "num_workers": 2}], ids=str)
def test_groups_on_their_way(layout: dict[str, Any]) -> None:
    def run(disturb: Disturb, **more: Any) -> list[str]:
        envs = BlockloomVectorEnv("BlockPuzzle8-v1", 6, **layout, **more)
        rng = np.random.default_rng(2)
        envs.async_reset(seed=3)
        masks: dict[int, Any] = {}
        fingerprints = []
        for step in range(120):
            if step in (40, 90):
                disturb(step)
            result = envs.recv()
            fingerprints.append(digest(result))
            rows = result[4]["env_id"]
            masks[rows[0]] = result[4]["action_mask"]
            envs.send(blockloom.sample(masks[rows[0]], rng), rows)
        fingerprints.append(digest(envs.reset(options={"reset_mask": np.arange(6) == 2})))
        fingerprints.append(digest(envs.step(envs.action_masks().argmax(axis=1))))
        envs.close()
        return fingerprints

    assert run(lambda _: kill_servers(), resume=True) == run(quietly)


def test_daily_games_stay_those_of_their_day() -> None:
    def run(disturb: Disturb, **more: Any) -> list[str]:
        envs = BlockloomVectorEnv("BlockPuzzle8-v1", 3, record=True, max_episode_steps=5, **more)
        rng = np.random.default_rng(2)
        _, infos = envs.reset(options={"daily": "2026-01-31"})
        fingerprints = [digest(infos)]
        for step in range(40):
            if step == 13:
                _, infos = envs.reset(seed=5, options={"reset_mask": np.array([False, True, False])})
            if step == 25:
                _, infos = envs.reset(options={"daily": "2026-02-28", "reset_mask": np.array([False, False, True])})
            if step in (2, 14, 26, 37):
                disturb(step)
            *_, infos = result = envs.step(blockloom.sample(infos["action_mask"], rng))
            fingerprints.append(digest(result))
        fingerprints += [envs.save_replay(row) for row in range(3)]
        envs.close()
        return fingerprints

    assert run(lambda _: kill_servers(), resume=True) == run(quietly)


def test_today_is_kept_as_a_date() -> None:
    envs = BlockloomVectorEnv("BlockPuzzle8-v1", 2, resume=True)
    first, _ = envs.reset(options={"daily": "today"})
    origin = envs._groups.parts[0].remote._journal.segments()[0][0].start.origin  # type: ignore[union-attr]
    assert isinstance(origin, tuple)
    assert origin[0][0] == "daily"
    assert len(origin[0][1]) == len("2026-01-31")
    kill_servers()
    second, _ = envs.reset(options={"daily": origin[0][1]})
    assert digest(first) == digest(second)
    envs.close()


def serve(address: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(server_command("serve", "--listen", address), stderr=subprocess.DEVNULL)


def test_a_grpc_server_that_comes_back(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/s.sock"
    undisturbed = rollout(60, quietly, game_id="LumenBlocks-v1", num_envs=4)
    running = [serve(address)]
    later: list[threading.Timer] = []

    def disturb(step: int) -> None:
        if step in (20, 50):
            running[-1].kill()
            running[-1].wait()
            # It is away for a while, as a server that is restarted.
            later.append(threading.Timer(0.4, lambda: running.append(serve(address))))
            later[-1].start()

    wait_until_it_listens(running[0], tmp_path / "s.sock")
    disturbed = rollout(60, disturb, game_id="LumenBlocks-v1", num_envs=4, server=address, resume=True)
    assert disturbed == undisturbed
    for process in running:
        process.kill()
        process.wait()


def test_questions_outlive_the_server_too() -> None:
    envs = BlockloomVectorEnv("BlockPuzzle8-v1", 3, resume=True, record=True, render_mode="ansi", max_episode_steps=2)
    envs.reset(seed=1)
    for _ in range(3):
        envs.step(envs.action_masks().argmax(axis=1))
    questions: list[Callable[[], Any]] = [
        envs.render,
        lambda: dataclass_of(envs.explain(2, 191)),
        lambda: envs.mask_picture(1),
        lambda: envs.save_replay(0),
        lambda: [getattr(envs.afterstates(), field.name) for field in dataclasses.fields(blockloom.Afterstates)],
        lambda: dataclass_of(envs.play(0, None)),
    ]
    for ask in questions:
        before = digest(ask())
        kill_servers()
        assert digest(ask()) == before
    envs.close()


def test_a_seedless_reset_after_a_kill_goes_on_in_the_sequence() -> None:
    first, second = BlockloomVectorEnv("Stackcraft-v1", 2, resume=True), BlockloomVectorEnv("Stackcraft-v1", 2)
    for envs in (first, second):
        envs.reset(seed=8)
        envs.reset()
    expected = digest(second.reset())
    kill_servers()
    assert digest(first.reset()) == expected
    second.close()
    first.close()


def test_without_resume_a_kill_is_an_error() -> None:
    envs = gymnasium.make_vec("blockloom/Stackcraft-v1", 2, resume=False)
    envs.reset(seed=1)
    kill_servers()
    with pytest.raises(blockloom.ServerDiedError):
        envs.step(np.zeros(2, int))
    envs.close()


def test_a_server_that_plays_other_games_is_noticed() -> None:
    envs = gymnasium.make_vec("blockloom/Stackcraft-v1", 2, resume=True)
    base: Any = envs.unwrapped
    envs.reset(seed=1)
    envs.step(np.zeros(2, int))
    remote = base._groups.parts[0].remote
    remote._journal._sheet[0] = np.array([1, 2], "<i4").tobytes()
    kill_servers()
    with pytest.raises(blockloom.ServerDiedError, match="could not be resumed: the new server plays other games"):
        envs.step(np.zeros(2, int))
    with pytest.raises(blockloom.ResetRequiredError):
        envs.step(np.zeros(2, int))
    assert envs.reset(seed=1)[1]["pieces"].tolist() == [0, 0]
    envs.step(np.zeros(2, int))
    envs.close()


def test_a_server_that_dies_of_every_request_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    envs = BlockloomVectorEnv("Stackcraft-v1", 2, resume=True)
    envs.reset(seed=1)
    kill_servers()
    (tmp_path / "dies.cjs").write_text("process.exit(3)\n")
    monkeypatch.setenv("BLOCKLOOM_SERVER", str(tmp_path / "dies.cjs"))
    with pytest.raises(blockloom.ServerDiedError, match="exit code 3"):
        envs.step(np.zeros(2, int))
    monkeypatch.undo()
    assert envs.reset(seed=1)[1]["pieces"].tolist() == [0, 0]
    envs.close()


def test_resume_survives_pickling() -> None:
    original = BlockloomVectorEnv("Stackcraft-v1", 2, resume=True)
    envs = pickle.loads(pickle.dumps(original))
    original.close()
    envs.reset(seed=1)
    kill_servers()
    envs.step(np.zeros(2, int))
    envs.close()


def test_a_forked_child_does_not_take_over_its_parents_rows() -> None:
    program = """
import os, sys
import numpy as np
import blockloom
envs = blockloom.BlockloomVectorEnv("Stackcraft-v1", 2, resume=True)
envs.reset(seed=1)
if os.fork() == 0:
    try:
        envs.step(np.zeros(2, int))
    except blockloom.ServerDiedError as error:
        envs.reset(seed=1)
        os._exit(0 if "forked" in str(error) and envs.step(np.zeros(2, int))[4]["pieces"].sum() == 2 else 1)
    os._exit(2)
_, status = os.wait()
assert status == 0, status
assert envs.step(np.zeros(2, int))[4]["pieces"].sum() == 2
envs.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_an_interrupt_while_it_waits_loses_nothing() -> None:
    envs, other = (BlockloomVectorEnv("Stackcraft-v1", 2, resume=True) for _ in range(2))
    for each in (envs, other):
        each.reset(seed=1)
    channels = [entry.channel for entry in POOL._entries.values()]
    process = next(channel for channel in channels if isinstance(channel, StdioChannel))
    os.kill(process.process_id, signal.SIGSTOP)
    here = threading.get_ident()
    threading.Timer(0.2, lambda: signal.pthread_kill(here, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        envs.step(np.zeros(2, int))
    os.kill(process.process_id, signal.SIGCONT)
    expected = digest(other.reset())
    assert digest(envs.reset()) == expected
    kill_servers()
    assert digest(envs.step(np.zeros(2, int))) == digest(other.step(np.zeros(2, int)))
    envs.close()
    other.close()
