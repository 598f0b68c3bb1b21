"""Explain, and the picture of a mask, against steps and against the command line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv
from blockloom._contract import Explanation
from blockloom._node import server_command
from blockloom.mask_picture import draw_mask, mask_grids


def a_game(game: str, seed: int, *, steps: int = 10**9) -> BlockloomEnv:
    """An environment after some random legal actions, at the end of the game if it comes before."""
    env = BlockloomEnv(game, record=True)
    rng = np.random.default_rng(abs(seed))
    _, info = env.reset(seed=seed)
    for _ in range(steps):
        _, _, over, _, info = env.step(blockloom.sample(info["action_mask"], rng))
        if over:
            break
    return env


@pytest.mark.parametrize("game", blockloom.GAME_IDS)
def test_every_action_is_explained_as_the_mask_and_a_step_have_it(game: str) -> None:
    for steps in (0, 7, 20):
        env = a_game(game, steps, steps=steps)
        mask = env.action_masks()
        for action, legal in enumerate(mask):
            why = env.explain(action)
            assert (why.action, why.name) == (action, env.game_spec.action_names[action])
            assert why.legal == legal == (why.reason == "") == (why.message == "")
            if not legal and mask.any():
                assert env.step(action)[4]["refusal"] == why.reason
        env.close()


def test_the_cells_to_blame() -> None:
    env = a_game("LumenBlocks-v1", 1, steps=2)
    board = env.observe()[0]["board"]
    reasons = {why.reason: why for why in map(env.explain, range(192))}
    blamed = reasons["cell_occupied"].cells
    assert blamed
    assert all(board[cell.row, cell.col] for cell in blamed)
    env.close()


def test_a_row_of_a_vector_is_explained_as_a_single_environment(server: str | None) -> None:
    envs = BlockloomVectorEnv("BlockPuzzle10-v1", 3, server=server, batch_size=1)
    envs.reset(seed=40)
    envs.step(np.array([55, 55, 55]))
    for row in range(3):
        env = BlockloomEnv("BlockPuzzle10-v1", server=server)
        env.reset(seed=40 + row)
        env.step(55)
        assert [envs.explain(row, action) for action in range(302)] == [env.explain(action) for action in range(302)]
        assert envs.mask_picture(row) == env.mask_picture()
        env.close()
    with pytest.raises(blockloom.InvalidArgumentError, match="row 3; allowed: 0 to 2"):
        envs.explain(3, 0)
    with pytest.raises(blockloom.InvalidArgumentError, match="0 to 301"):
        envs.explain(0, 302)
    envs.close()


@pytest.mark.parametrize("game", blockloom.GAME_IDS)
@pytest.mark.parametrize("at_the_end", [False, True])
def test_the_picture_is_the_command_lines(game: str, at_the_end: bool, tmp_path: Path) -> None:
    env = a_game(game, -3)
    replay = env.save_replay(tmp_path / "replay.json")
    if not at_the_end:
        env.close()
        env = blockloom.load_replay(replay, 2)
    ply = [] if at_the_end else ["--step", "2"]
    command = server_command("inspect", "--replay", str(tmp_path / "replay.json"), *ply)
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    picture = env.mask_picture()
    assert printed.endswith(f"\n\n{picture}\n")
    assert f"o legal ({env.action_masks().sum()} of {env.game_spec.num_actions})" in picture
    env.close()


def test_a_picture() -> None:
    def action(number: int, name: str, reason: str = "") -> Explanation:
        return Explanation(number, name, not reason, reason, [], reason and f"It is {reason}.")

    names = ["p0r0c0", "p0r0c1", "p0r1c0", "p0r1c1"]
    actions = [action(i, name, "cell_occupied" if i % 2 else "") for i, name in enumerate(names)]
    actions += [action(4, "swap", "offline"), action(5, "pass", "closed"), action(6, "go")]
    assert draw_mask(actions) == (
        "piece 0\n"
        "  + 0 1\n"
        "0   o c\n"
        "2   o c\n"
        "\n"
        "4  f  swap  It is offline.\n"
        "5  l  pass  It is closed.\n"
        "6  o  go\n"
        "\n"
        "o legal (3 of 7)\n"
        "c cell_occupied\n"
        "f offline\n"
        "l closed"
    )


def test_names_that_make_no_grid() -> None:
    assert mask_grids(["N", "E", "r1"]) == []
    assert mask_grids(["r0x0", "r0x2"]) == []
    assert [grid.title for grid in mask_grids(["s4x0", "s4x1", "r1x0"])] == ["s 4", "rotation 1"]


def test_there_is_no_picture_before_the_first_reset() -> None:
    env, envs = BlockloomEnv("Hourloom-v1"), BlockloomVectorEnv("Hourloom-v1", 2)
    with pytest.raises(blockloom.ResetRequiredError):
        env.mask_picture()
    with pytest.raises(blockloom.ResetRequiredError, match=re.escape("row 1")):
        envs.mask_picture(1)
    env.close()
    envs.close()
