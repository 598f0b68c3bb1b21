"""The tables of the README against the code."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
ROWS = 3


def table(title: str) -> list[list[str]]:
    """The cells of the rows of the table under a heading."""
    section = README.split(f"\n## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines[2:]]


def keywords_of(kind: Any) -> dict[str, str]:
    """Each keyword with its default as the table writes it."""
    written = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        default = parameter.default
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if default is parameter.empty:
            written[name] = "required"
        elif isinstance(default, (str, AutoresetMode)):
            written[name] = f'`"{default.name.lower() if isinstance(default, AutoresetMode) else default}"`'
        else:
            written[name] = f"`{default!r}`"
    return written


@pytest.mark.parametrize(("column", "kind"), [(1, BlockloomEnv), (2, BlockloomVectorEnv)])
def test_every_keyword_is_told_with_its_default(column: int, kind: Any) -> None:
    told = {cells[0].strip("`"): cells[column] for cells in table("Settings")}
    assert {name: default for name, default in told.items() if default != "-"} == keywords_of(kind)
    assert all(len(cells) == 4 and cells[3] for cells in table("Settings"))
    assert kind.__doc__ is not None
    for name in keywords_of(kind):
        assert f"\n        {name}: " in kind.__doc__, name


def test_every_exception_is_told_with_what_it_is() -> None:
    found = {blockloom.BlockloomError, *every_subclass(blockloom.BlockloomError)}
    told = {cells[0].strip("`"): cells[1].strip("`") for cells in table("Errors")}
    assert told == {kind.__name__: ", ".join(other_bases(kind)) for kind in found}
    assert all(len(cells) == 3 and cells[2] for cells in table("Errors"))
    assert {kind.__name__ for kind in found} <= set(blockloom.__all__)


def every_subclass(kind: type) -> set[type]:
    children: list[type] = type.__subclasses__(kind)
    return {one for child in children for one in (child, *every_subclass(child))}


def other_bases(kind: type) -> list[str]:
    return [base.__name__ for base in kind.__bases__ if not issubclass(base, blockloom.BlockloomError)]


def described(value: Any, actions: int) -> str:
    """A value of an info as the table writes it."""
    if isinstance(value, np.ndarray):
        sizes = {actions: "n", ROWS: "rows"}
        shape = ", ".join(sizes[size] for size in value.shape)
        return f"{value.dtype} ({shape}{',' if value.ndim == 1 else ''})"
    return "str or None" if value is None else type(value).__name__


def told_infos(column: int) -> dict[str, tuple[str, str]]:
    """By key: when it is there, and what it is."""
    keys = {re.search(r"`(\w+)`", cells[0]).group(1): cells for cells in table("Infos")}  # type: ignore[union-attr]
    return {key: (cells[1], cells[column]) for key, cells in keys.items() if cells[column] != "-"}


def expected_infos(column: int, outcomes: list[str], *, ended: bool, same_step: bool, received: bool) -> dict[str, str]:
    there = {"always"}
    if ended:
        there |= {"end", "end, with `episode_statistics`"}
    if ended and same_step:
        there.add("end, in `same_step`")
    if received:
        there.add("after `recv`")
    told = {key: kind for key, (when, kind) in told_infos(column).items() if when in there}
    outcome = told.pop("score")
    return {**told, **dict.fromkeys(outcomes, outcome)}


@pytest.mark.parametrize("game", blockloom.GAME_IDS)
def test_every_info_of_one_environment_is_told(game: str) -> None:
    env = BlockloomEnv(game, max_episode_steps=2, episode_statistics=True)
    info = env.reset(seed=1)[1]
    for ended in (False, False, True):
        seen = {key: described(value, env.game_spec.num_actions) for key, value in info.items()}
        assert seen == expected_infos(2, env.game_spec.outcome_names, ended=ended, same_step=False, received=False)
        if not ended:
            info = env.step(int(info["action_mask"].argmax()))[4]
    assert {key: type(value).__name__ for key, value in info["episode"].items()} == {"r": "float", "l": "int"}
    env.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("received", [False, True])
def test_every_info_of_a_vector_is_told(mode: AutoresetMode, received: bool) -> None:
    envs = BlockloomVectorEnv("LumenBlocks-v1", ROWS, max_episode_steps=2, autoreset_mode=mode, episode_statistics=True)
    same_step = mode is AutoresetMode.SAME_STEP
    if received:
        envs.async_reset(seed=1)
        info = envs.recv()[4]
    else:
        info = envs.reset(seed=1)[1]
    for ended in (False, False, True):
        names = envs.game_spec.outcome_names
        expected = expected_infos(3, names, ended=ended, same_step=same_step, received=received)
        seen = {key: described(value, 192) for key, value in info.items() if not key.startswith("_")}
        assert seen == expected
        beside = {key: described(value, 192) for key, value in info.items() if key.startswith("_")}
        assert beside == dict.fromkeys([f"_{key}" for key in seen], "bool (rows,)")
        if not ended:
            envs.send(info["action_mask"].argmax(axis=1))
            info = envs.recv()[4]
            if not received:
                del info["env_id"], info["_env_id"]
    assert [array.dtype.name for array in info["episode"].values()] == ["float64", "int64"]
    if same_step:
        final = set(info["final_info"]) - {key for key in info["final_info"] if key.startswith("_")}
        assert final == set(seen) - {"final_obs", "final_info", "env_id"}
    envs.close()
