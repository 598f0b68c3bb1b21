"""Arguments that cannot be right are refused with what was wrong and what is allowed, and change nothing."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv

GAME = "Stackcraft-v1"
MAKERS: list[Any] = [BlockloomEnv, BlockloomVectorEnv]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"timeout_s": "x"}, "timeout_s is 'x'; allowed: a number above 0"),
        ({"timeout_s": None}, "timeout_s is None; allowed: a number above 0"),
        ({"timeout_s": float("nan")}, "timeout_s is nan; allowed: a number above 0"),
        ({"reward": 5}, "reward=5; allowed: the name of an outcome"),
        ({"config": 7}, "config=7; allowed: a mapping"),
        ({"config": {1: "x"}}, r"config=\{1: 'x'\}; allowed: a mapping"),
        ({"config": {"cells": 1.5}}, r"cells=1\.5 is of type float; allowed: str, bool or int"),
        ({"config": {"colour": "red"}}, "unknown keyword among colour of Stackcraft-v1: .*allowed: cells"),
        ({"config": {"cells": "colours"}, "cells": "occupancy"}, "cells: given in config and as a keyword too"),
    ],
)
def test_a_bad_keyword(make: Any, keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match=message):
        make(GAME, **keywords)


@pytest.mark.parametrize("make", MAKERS)
def test_config_is_a_mapping_or_keywords_or_both(make: Any) -> None:
    for keywords in ({"config": MappingProxyType({"cells": "occupancy"})}, {"config": {}, "cells": "occupancy"}):
        env = make(GAME, **keywords)
        assert env.game_spec.config == {"cells": "occupancy"}
        env.close()
    assert make("BlockPuzzle10-v1", config={"allow_new_set": False}).game_spec.config == {"allow_new_set": "false"}


def test_config_through_gymnasium() -> None:
    env: Any = gymnasium.make(f"blockloom/{GAME}", config={"cells": "occupancy"})
    envs: Any = gymnasium.make_vec(f"blockloom/{GAME}", num_envs=2, config={"cells": "occupancy"})
    assert env.unwrapped.game_spec.config == envs.unwrapped.game_spec.config == {"cells": "occupancy"}
    env.close()
    envs.close()


@pytest.mark.parametrize("server", [["localhost:1"], ("localhost:1", "localhost:2"), [], 7])
def test_one_environment_is_on_one_server(server: Any) -> None:
    for use in (
        lambda: BlockloomEnv(GAME, server=server),
        lambda: blockloom.list_games(server),
        lambda: blockloom.verify_replay("{}", server=server),
        lambda: blockloom.load_replay("{}", server=server),
    ):
        with pytest.raises(blockloom.InvalidArgumentError, match=r"allowed here: .* gymnasium\.make_vec"):
            use()


def calls_of(env: BlockloomEnv) -> dict[str, Callable[[], object]]:
    """Calls with arguments of wrong types, by what the error names."""
    thing: Any = object()
    return {
        r"action 1\.5 is not in the action space; allowed: 0 to 39": lambda: env.explain(1.5),  # type: ignore[arg-type]
        "action '3' is not in the action space": lambda: env.explain("3"),  # type: ignore[arg-type]
        "action -1 is not in the action space": lambda: env.explain(-1),
        "action 40 is not in the action space": lambda: env.explain(40),
        "a number of more than 64 bits is not in": lambda: env.explain(10**5000),
        "to play is of type object; allowed: what JSON can write": lambda: env.play(thing),
        "to play is of type float; allowed: what JSON can write": lambda: env.play(float("inf")),
        r"beam_width=1\.5 is no integer": lambda: env.afterstates(beam_width=1.5),  # type: ignore[arg-type]
        "depth='x' is no integer": lambda: env.afterstates(beam_width=2, depth="x"),  # type: ignore[arg-type]
        "options are of type list; allowed: None, or a mapping": lambda: env.reset(options=[1]),  # type: ignore[arg-type]
        "options are of type int; allowed: None, or a mapping": lambda: env.reset(options=0),  # type: ignore[arg-type]
        "options are of type dict; allowed: None, or a mapping of reset options by their name": lambda: env.reset(
            options={1: "x"}  # type: ignore[dict-item]
        ),
    }


def calls_of_vector(envs: BlockloomVectorEnv) -> dict[str, Callable[[], object]]:
    thing: Any = object()
    return {
        r"action 1\.5 is not in the action space; allowed: 0 to 39": lambda: envs.explain(0, 1.5),  # type: ignore[arg-type]
        r"row 1\.5; allowed: 0 to 1": lambda: envs.explain(1.5, 0),  # type: ignore[arg-type]
        "row 'a'; allowed: 0 to 1": lambda: envs.save_replay("a"),  # type: ignore[arg-type]
        "row 2; allowed: 0 to 1": lambda: envs.mask_picture(2),
        "to play is of type object; allowed: what JSON can write": lambda: envs.play(0, thing),
        r"beam_width=1\.5 is no integer": lambda: envs.afterstates(beam_width=1.5),  # type: ignore[arg-type]
        r"rows are float64 \(1,\); allowed: integers": lambda: envs.afterstates(rows=[1.5]),  # type: ignore[list-item]
        r"rows are .*; allowed: integers": lambda: envs.afterstates(rows="ab"),  # type: ignore[arg-type]
        "options are of type list; allowed: None, or a mapping": lambda: envs.reset(options=[1]),  # type: ignore[arg-type]
        r"seeds is float64 \(2,\); allowed: integers": lambda: envs.reset(seed=np.ones(2)),
        r"seeds is int64 \(1, 2\); allowed: integers": lambda: envs.reset(seed=np.ones((1, 2), int)),
        "expected 2 seeds, one a row, got 3": lambda: envs.reset(seed=np.arange(3)),
    }


def test_arguments_of_other_types() -> None:
    env = BlockloomEnv(GAME, record=True)
    env.reset(seed=1)
    for message, call in calls_of(env).items():
        with pytest.raises(blockloom.InvalidArgumentError, match=message):
            call()
    assert env.step(0)[4]["pieces"] == 1
    assert env.np_random_seed == 1
    env.close()


def test_arguments_of_other_types_in_a_vector() -> None:
    envs = BlockloomVectorEnv(GAME, 2, record=True)
    envs.reset(seed=1)
    for message, call in calls_of_vector(envs).items():
        with pytest.raises(blockloom.InvalidArgumentError, match=message):
            call()
    assert envs.step(np.zeros(2, int))[4]["pieces"].tolist() == [1, 1]
    assert envs.np_random_seed == 1
    envs.close()


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.int64, object, list, tuple])
def test_seeds_as_an_array(kind: Any) -> None:
    envs = BlockloomVectorEnv(GAME, 4)
    seeds = kind(range(4)) if kind in (list, tuple) else np.arange(4).astype(kind)
    listed, _ = envs.reset(seed=[0, 1, 2, 3])
    assert data_equivalence(envs.reset(seed=seeds)[0], listed, exact=True)
    assert envs.np_random_seed == 0
    assert data_equivalence(envs.reset(seed=np.int64(0))[0], envs.reset(seed=np.array(0))[0], exact=True)
    envs.close()


def test_an_array_of_seeds_may_hold_none_and_big_numbers() -> None:
    envs, twin = BlockloomVectorEnv(GAME, 2), BlockloomVectorEnv(GAME, 2)
    for either in (envs, twin):
        either.reset(seed=5)
    ours, theirs = envs.reset(seed=np.array([None, 2**70])), twin.reset(seed=[None, 2**70])
    assert data_equivalence(ours[0], theirs[0], exact=True)
    envs.close()
    twin.close()


def test_a_closed_environment_says_so_whatever_is_asked() -> None:
    env = BlockloomEnv(GAME, record=True, render_mode="ansi")
    envs = BlockloomVectorEnv(GAME, 2, record=True, render_mode="ansi")
    env.reset(seed=1)
    envs.reset(seed=1)
    env.close()
    envs.close()
    calls: list[Callable[[], object]] = [
        lambda: env.explain(0),
        lambda: env.play("r0x0"),
        env.afterstates,
        lambda: env.afterstates(beam_width=2),
        env.save_replay,
        env.mask_picture,
        env.observe,
        env.render,
        lambda: env.step(0),
        env.reset,
        lambda: envs.explain(0, 0),
        lambda: envs.play(0, "r0x0"),
        envs.afterstates,
        lambda: envs.save_replay(0),
        lambda: envs.mask_picture(0),
        envs.render,
        lambda: envs.step(np.zeros(2, int)),
        lambda: envs.send(np.zeros(2, int)),
        envs.recv,
        envs.reset,
        envs.async_reset,
    ]
    for call in calls:
        with pytest.raises(blockloom.BlockloomError, match="this environment was closed"):
            call()


@pytest.mark.parametrize("make", MAKERS)
def test_the_seed_of_a_daily_game_is_not_known(make: Any) -> None:
    env = make("BlockPuzzle8-v1")
    env.reset(options={"daily": "2026-01-31"})
    assert env.np_random_seed == -1
    env.np_random.integers(9)
    env.reset()
    assert env.np_random_seed == -1
    env.reset(seed=4)
    assert env.np_random_seed == 4
    with pytest.raises(blockloom.InvalidArgumentError):
        env.reset(options={"daily": "tomorrow"})
    assert env.np_random_seed == 4
    env.reset(options={"daily": "2026-01-31"})
    assert env.np_random_seed == -1
    env.close()
