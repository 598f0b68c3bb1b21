from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv

GAME = "Stackcraft-v1"
MODES = list(AutoresetMode)
ROWS = 16


def equal(first: Any, second: Any) -> bool:
    """Same names, shapes and values, whatever the integer types."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if isinstance(first, np.ndarray) and first.dtype == object:
        return len(first) == len(second) and all(map(equal, first, second))
    if isinstance(first, np.ndarray):
        return bool(first.shape == second.shape and (first == second).all())
    return bool(first == second)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", [0, 17])
def test_a_batch_equals_single_environments_three_episodes_deep(
    mode: AutoresetMode, limit: int, server: str | None
) -> None:
    settings: Any = {"max_episode_steps": limit, "episode_statistics": True}
    envs = BlockloomVectorEnv(GAME, ROWS, autoreset_mode=mode, server=server, **settings)
    singles: Any = SyncVectorEnv([lambda: BlockloomEnv(GAME, **settings)] * ROWS, autoreset_mode=mode)
    rng = np.random.default_rng(5)
    (observations, infos), (expected, _) = envs.reset(seed=70), singles.reset(seed=70)
    assert equal(observations, expected)
    episodes = np.zeros(ROWS, int)
    finished = np.zeros(ROWS, bool)
    while episodes.min() < 3:
        if mode is AutoresetMode.DISABLED and finished.any():
            (observations, infos), (expected, _) = (
                either.reset(options={"reset_mask": finished.copy()}) for either in (envs, singles)
            )
            assert equal(observations, expected)
        actions = blockloom.sample(infos["action_mask"], rng)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        results: list[Any] = [observations, rewards, terminations, truncations]
        *wanted, wanted_infos = singles.step(actions)
        assert all(map(equal, results, wanted))
        assert [array.dtype for array in results[1:]] == [np.float64, np.bool_, np.bool_]
        finished = terminations | truncations
        episodes += finished
        check_infos(infos, wanted_infos, finished, mode)
    envs.close()
    singles.close()


def check_infos(infos: dict[str, Any], wanted: dict[str, Any], finished: npt.NDArray[np.bool_], mode: Any) -> None:
    """Ours against those of Gymnasium's own vector of single environments."""
    assert all(f"_{key}" in infos for key in infos if not key.startswith("_"))
    for key in ("score", "lines", "pieces", "illegal_action", "refusal"):
        assert equal(infos[key], wanted[key]), key
        assert infos[f"_{key}"].all()
    playing = slice(None) if mode is AutoresetMode.SAME_STEP else ~finished
    assert equal(infos["action_mask"][playing], wanted["action_mask"][playing])
    if mode is not AutoresetMode.SAME_STEP:
        assert (infos["action_mask"][finished] == (mode is AutoresetMode.NEXT_STEP)).all()
    if not finished.any():
        assert not {"final_obs", "final_info", "final_action_mask", "episode"} & infos.keys()
        return
    at_end = wanted["final_info"] if mode is AutoresetMode.SAME_STEP else wanted
    assert equal(infos["final_action_mask"], at_end["final_action_mask"])
    assert equal(infos["_final_action_mask"], finished)
    assert equal(infos["episode"]["r"], at_end["episode"]["r"])
    assert equal(infos["episode"]["l"], at_end["episode"]["l"])
    assert equal(infos["_episode"], finished)
    if mode is AutoresetMode.SAME_STEP:
        assert equal(infos["final_obs"], wanted["final_obs"])
        assert equal(infos["_final_obs"], finished)
        ours = {key: value for key, value in infos["final_info"].items() if "episode" not in key}
        theirs = {key: value for key, value in wanted["final_info"].items() if "episode" not in key}
        assert equal(ours, theirs)
        assert equal(infos["_final_info"], finished)


# Columns: the action of row 0, then what step gives for it: reward, termination, truncation, pieces placed, whether
# its mask is all ones or all zeros, whether there is a final mask, and a final observation.
TABLES = {
    "next_step": """
        0   0.0 no  no  1 -     no  no
        39  0.0 no  no  1 -     no  no
        4   0.0 no  yes 2 ones  yes no
        39  0.0 no  no  0 -     no  no
        0   0.0 no  no  1 -     no  no
    """,
    "same_step": """
        0   0.0 no  no  1 -     no  no
        39  0.0 no  no  1 -     no  no
        4   0.0 no  yes 0 -     yes yes
        0   0.0 no  no  1 -     no  no
        4   0.0 no  no  2 -     no  no
        39  0.0 no  yes 0 -     yes yes
    """,
    "disabled": """
        0   0.0 no  no  1 -     no  no
        39  0.0 no  no  1 -     no  no
        4   0.0 no  yes 2 zeros yes no
    """,
}


@pytest.mark.parametrize("mode", TABLES)
def test_autoreset_step_by_step(mode: Any, server: str | None) -> None:
    envs = BlockloomVectorEnv(GAME, 2, autoreset_mode=mode, max_episode_steps=3, server=server)
    envs.reset(seed=3)
    for line in TABLES[mode].strip().splitlines():
        action, *expected = line.split()
        _, rewards, terminations, truncations, infos = envs.step(np.array([int(action), 0]))
        mask = infos["action_mask"][0]
        seen = [
            str(rewards[0]),
            *("yes" if flag[0] else "no" for flag in (terminations, truncations)),
            str(infos["pieces"][0]),
            "ones" if mask.all() else "-" if mask.any() else "zeros",
            *("yes" if key in infos and infos[f"_{key}"][0] else "no" for key in ("final_action_mask", "final_obs")),
        ]
        assert seen == expected, line
    if mode == "disabled":
        with pytest.raises(blockloom.ResetRequiredError):
            envs.step(np.array([0, 0]))
        mask = np.array([True, True])
        assert envs.reset(options={"reset_mask": mask})[1]["pieces"].tolist() == [0, 0]
        assert envs.step(np.array([0, 0]))[4]["pieces"].tolist() == [1, 1]
    envs.close()


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_told_as_gymnasium_wants_it(mode: AutoresetMode) -> None:
    for spelling in (mode, mode.value, mode.name.lower()):
        envs = gymnasium.make_vec(f"blockloom/{GAME}", num_envs=2, autoreset_mode=spelling)
        assert envs.metadata["autoreset_mode"] is mode
        assert envs.unwrapped.autoreset_mode is mode  # type: ignore[attr-defined]
        envs.close()
    assert BlockloomVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_statistics_wrapper_agrees_with_ours(mode: AutoresetMode) -> None:
    ours = BlockloomVectorEnv(GAME, 8, autoreset_mode=mode, max_episode_steps=20, episode_statistics=True)
    theirs = RecordEpisodeStatistics(
        gymnasium.make_vec(f"blockloom/{GAME}", num_envs=8, autoreset_mode=mode, max_episode_steps=20)
    )
    rng = np.random.default_rng(2)
    _, infos = ours.reset(seed=1)
    theirs.reset(seed=1)
    for _ in range(100):
        actions = blockloom.sample(infos["action_mask"], rng)
        *_, terminations, truncations, infos = ours.step(actions)
        *_, their_infos = theirs.step(actions)
        finished = terminations | truncations
        assert ("episode" in infos) == ("episode" in their_infos) == finished.any()
        if finished.any():
            assert equal(infos["episode"]["r"], their_infos["episode"]["r"])
            assert equal(infos["episode"]["l"], their_infos["episode"]["l"])
            assert equal(infos["_episode"], their_infos["_episode"])
        if mode is AutoresetMode.DISABLED and finished.any():
            _, infos = ours.reset(options={"reset_mask": finished})
            theirs.reset(options={"reset_mask": finished})
    assert theirs.episode_count >= 8
    ours.close()
    theirs.close()


def test_infos_become_a_list_under_gymnasiums_wrapper() -> None:
    envs = DictInfoToList(
        gymnasium.make_vec(
            f"blockloom/{GAME}",
            num_envs=3,
            max_episode_steps=1,
            autoreset_mode="same_step",
            episode_statistics=True,
        )
    )
    infos: Any = envs.reset(seed=1)[1]
    assert [info["pieces"] for info in infos] == [0, 0, 0]
    infos = envs.step(np.array([0, 0, 0]))[4]
    assert [info["final_info"]["pieces"] for info in infos] == [1, 1, 1]
    assert [info["episode"]["l"] for info in infos] == [1, 1, 1]
    envs.close()


@pytest.mark.parametrize("mode", MODES)
def test_a_mask_resets_only_its_rows(mode: AutoresetMode, server: str | None) -> None:
    envs = BlockloomVectorEnv(GAME, 3, autoreset_mode=mode, server=server)
    twin = BlockloomVectorEnv(GAME, 3, autoreset_mode=mode)
    for either in (envs, twin):
        either.reset(seed=5)
        either.step(np.array([0, 0, 0]))
    options = {"reset_mask": np.array([False, True, False])}
    observations, infos = envs.reset(seed=100, options=options)
    assert list(options) == ["reset_mask"]
    assert infos["pieces"].tolist() == [1, 0, 1]
    alone, _ = BlockloomEnv(GAME).reset(seed=101)
    assert equal({key: array[1] for key, array in observations.items()}, alone)
    ours, theirs = (either.step(np.array([4, 0, 4])) for either in (envs, twin))
    for row in (0, 2):
        assert equal({k: v[row] for k, v in ours[0].items()}, {k: v[row] for k, v in theirs[0].items()})
    envs.close()
    twin.close()


@pytest.mark.parametrize(
    "mask", [[True, False], np.array([True]), np.zeros(2, bool), np.array([1, 0]), np.ones((2, 1), bool), None]
)
def test_a_bad_reset_mask_is_refused(mask: Any) -> None:
    envs = BlockloomVectorEnv(GAME, 2)
    envs.reset(seed=1)
    if isinstance(mask, list):
        envs.reset(options={"reset_mask": mask})
    else:
        with pytest.raises(blockloom.InvalidArgumentError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    assert envs.step(np.array([0, 0]))[4]["pieces"][1] == 1
    envs.close()


def test_seeds_by_row(server: str | None) -> None:
    envs, one = BlockloomVectorEnv(GAME, 4, server=server), BlockloomEnv(GAME)
    seeds = [3, -(2**70), np.int64(9), 10**64 - 1]
    observations, _ = envs.reset(seed=seeds)
    for row, seed in enumerate(seeds):
        assert equal({key: array[row] for key, array in observations.items()}, one.reset(seed=seed)[0])
    assert envs.np_random_seed == 3
    envs.close()


def test_none_in_a_list_of_seeds_goes_on_with_the_rows_own_sequence(server: str | None) -> None:
    envs, one = BlockloomVectorEnv(GAME, 3, server=server), BlockloomEnv(GAME)
    envs.reset(seed=[None, 8, None])
    envs.reset(seed=[20, 21, 22])
    observations, _ = envs.reset(seed=[None, 90, None])
    one.reset(seed=22)
    assert equal({key: array[2] for key, array in observations.items()}, one.reset()[0])
    assert equal({key: array[1] for key, array in observations.items()}, one.reset(seed=90)[0])
    mask = np.array([False, True, True])
    _, infos = envs.reset(seed=[5, None, 6], options={"reset_mask": mask})
    assert infos["_pieces"].all()
    envs.close()


@pytest.mark.parametrize("seed", [[1], [1, 2, 3], "12", 1.5, [1, 2.5], [1, 10**64], 10**64 - 1])
@pytest.mark.parametrize("num_workers", [1, 2])
def test_bad_seeds_and_options_are_refused_and_change_nothing(seed: Any, num_workers: int) -> None:
    envs = BlockloomVectorEnv(GAME, 2, num_workers=num_workers)
    envs.reset(seed=1)
    with pytest.raises(blockloom.InvalidArgumentError, match="seed"):
        envs.reset(seed=seed)
    with pytest.raises(blockloom.InvalidArgumentError, match="option"):
        envs.reset(options={"daily": "today"})
    assert envs.step(np.array([0, 0]))[4]["pieces"].tolist() == [1, 1]
    envs.close()


def test_a_first_reset_without_a_seed_draws_one_for_all_rows() -> None:
    envs, twin = BlockloomVectorEnv(GAME, 3), BlockloomVectorEnv(GAME, 3)
    first, _ = envs.reset()
    drawn = envs.np_random_seed
    assert drawn is not None
    assert equal(first, twin.reset(seed=drawn)[0])
    assert equal(envs.reset()[0], twin.reset()[0])
    envs.close()
    twin.close()


LAYOUTS: list[dict[str, Any]] = [
    {"num_workers": 2},
    {"num_workers": 3, "batch_size": 4},
    {"batch_size": 6},
    {"batch_size": 1},
    {"num_workers": 5, "batch_size": 3},
]


def random_run(envs: BlockloomVectorEnv, steps: int = 60) -> list[Any]:
    rng = np.random.default_rng(3)
    seen: list[Any] = [envs.reset(seed=-4)]
    infos = seen[0][1]
    for i in range(steps):
        if envs.autoreset_mode is AutoresetMode.DISABLED and i and (seen[-1][2] | seen[-1][3]).any():
            _, infos = envs.reset(options={"reset_mask": seen[-1][2] | seen[-1][3]})
        seen.append(envs.step(blockloom.sample(infos["action_mask"], rng)))
        infos = seen[-1][4]
    envs.close()
    return seen


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", [*LAYOUTS, {"wire_encoding": "dense"}, "servers"], ids=str)
def test_the_layout_changes_nothing(layout: Any, mode: AutoresetMode, grpc_address: str, unix_address: str) -> None:
    if layout == "servers":
        layout = {"server": [grpc_address, unix_address, grpc_address]}
    settings: Any = {"autoreset_mode": mode, "max_episode_steps": 25, "mask_in_obs": True, "episode_statistics": True}
    plain = random_run(BlockloomVectorEnv(GAME, 12, **settings))
    laid_out = random_run(BlockloomVectorEnv(GAME, 12, **settings, **layout))
    assert data_equivalence(plain, laid_out, exact=True)


@pytest.mark.parametrize("layout", [{}, *LAYOUTS[:3]], ids=str)
def test_reject_turns_the_whole_batch_away_wherever_its_rows_are(layout: dict[str, Any]) -> None:
    envs = BlockloomVectorEnv(GAME, 12, illegal_action="reject", **layout)
    envs.reset(seed=1)
    actions = np.zeros(12, int)
    actions[7] = 39
    with pytest.raises(blockloom.IllegalActionError, match="row 7") as caught:
        envs.step(actions)
    assert caught.value.reason in {"out_of_bounds", "no_such_rotation"}
    assert (caught.value.metadata["row"], caught.value.metadata["action"]) == ("7", "39")
    assert envs.step(np.zeros(12, int))[4]["pieces"].tolist() == [1] * 12
    envs.close()


@pytest.mark.parametrize("layout", [{}, *LAYOUTS[:3]], ids=str)
def test_a_finished_row_turns_the_whole_batch_away(layout: dict[str, Any]) -> None:
    envs = BlockloomVectorEnv(GAME, 12, autoreset_mode="disabled", illegal_action="terminate", **layout)
    envs.reset(seed=1)
    actions = np.zeros(12, int)
    actions[7] = 39
    assert envs.step(actions)[2].tolist() == [row == 7 for row in range(12)]
    with pytest.raises(blockloom.ResetRequiredError, match="row 7"):
        envs.step(np.full(12, 4))
    _, infos = envs.reset(options={"reset_mask": np.arange(12) == 7})
    assert infos["pieces"].tolist() == [0 if row == 7 else 1 for row in range(12)]
    assert envs.step(np.full(12, 4))[4]["pieces"].tolist() == [1 if row == 7 else 2 for row in range(12)]
    envs.close()


@pytest.mark.parametrize(
    "actions",
    [
        [0],
        [0, 0, 0],
        [0, 40],
        [-1, 0],
        [0.0, 1.0],
        [[0, 0]],
        [True, False],
        np.array([0, 2**40]),
        np.array([0, 2**32]),
        None,
        "ab",
    ],
    ids=str,
)
@pytest.mark.parametrize("num_workers", [1, 2])
def test_bad_actions_are_refused_and_nothing_is_stepped(actions: Any, num_workers: int) -> None:
    envs = BlockloomVectorEnv(GAME, 2, num_workers=num_workers)
    envs.reset(seed=1)
    with pytest.raises(blockloom.InvalidArgumentError, match="action"):
        envs.step(actions)
    assert envs.step(np.array([0, 0]))[4]["pieces"].tolist() == [1, 1]
    envs.close()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64, list, tuple])
def test_actions_of_any_integer_type(dtype: Any) -> None:
    envs = BlockloomVectorEnv(GAME, 2)
    envs.reset(seed=1)
    actions = dtype([3, 4]) if dtype in (list, tuple) else np.array([3, 4], dtype)
    assert envs.step(actions)[4]["pieces"].tolist() == [1, 1]
    envs.close()


def test_refusals_by_row() -> None:
    envs = BlockloomVectorEnv(GAME, 4, num_workers=2)
    envs.reset(seed=1)
    _, rewards, terminations, _, infos = envs.step(np.array([0, 39, 0, 39]))
    assert infos["illegal_action"].tolist() == [False, True, False, True]
    assert [reason is None for reason in infos["refusal"]] == [True, False, True, False]
    assert not rewards.any()
    assert not terminations.any()
    assert envs.explain(3, 39).reason == infos["refusal"][3]
    envs.close()


def test_what_is_finished_by_an_illegal_action_is_told_in_final_info() -> None:
    envs = BlockloomVectorEnv(GAME, 2, autoreset_mode="same_step", illegal_action="terminate", mask_in_obs=True)
    before, _ = envs.reset(seed=1)
    _, _, terminations, _, infos = envs.step(np.array([39, 0]))
    assert terminations.tolist() == [True, False]
    assert infos["illegal_action"].tolist() == [False, False]
    assert infos["final_info"]["illegal_action"].tolist() == [True, False]
    assert infos["final_info"]["refusal"][0] is not None
    assert infos["final_obs"][1] is None
    assert equal(infos["final_obs"][0]["board"], before["board"][0])
    assert not infos["final_obs"][0]["action_mask"].any()
    envs.close()


def test_arrays_belong_to_the_caller(server: str | None) -> None:
    envs = BlockloomVectorEnv(GAME, 6, autoreset_mode="same_step", max_episode_steps=2, mask_in_obs=True, server=server)
    _, infos = envs.reset(seed=4)
    rng = np.random.default_rng(0)
    kept: list[tuple[Any, Any]] = []
    for _ in range(6):
        result = envs.step(blockloom.sample(infos["action_mask"], rng))
        infos = result[4]
        kept.append((result, copy.deepcopy(result)))
    for result, at_the_time in kept:
        assert data_equivalence(result, at_the_time, exact=True)
    for array in (*kept[-1][0][0].values(), *kept[-1][0][1:4], infos["action_mask"], infos["score"]):
        array[:] = 1
    assert not envs.action_masks().all()
    envs.close()


def test_spaces_hold_what_is_returned() -> None:
    envs = gymnasium.make_vec(f"blockloom/{GAME}", num_envs=5, mask_in_obs=True)
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert infos["action_mask"].dtype == np.int8
    assert infos["score"].dtype == np.int32
    envs.action_space.seed(1)
    for _ in range(50):
        observations, *_ = envs.step(envs.action_space.sample())
        assert observations in envs.observation_space
    envs.close()


def test_max_episode_steps_of_make_vec_is_the_servers() -> None:
    envs = gymnasium.make_vec(f"blockloom/{GAME}", num_envs=2, max_episode_steps=1)
    envs.reset(seed=1)
    _, _, terminations, truncations, infos = envs.step(np.array([0, 0]))
    assert truncations.all()
    assert not terminations.any()
    assert infos["final_action_mask"].any(axis=1).all()
    envs.close()


def test_other_vectorization_modes_work_too() -> None:
    sync = gymnasium.make_vec(f"blockloom/{GAME}", num_envs=2, vectorization_mode="sync", cells="occupancy")
    assert equal(sync.reset(seed=1)[0], BlockloomVectorEnv(GAME, 2, cells="occupancy").reset(seed=1)[0])
    sync.close()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 10, "batch_size": 4}, "does not divide"),
        ({"num_workers": 0}, "num_workers=0"),
        ({"num_workers": 2, "server": "localhost:1"}, "num_workers is for embedded servers"),
        ({"server": []}, "allowed"),
        ({"server": [7]}, "allowed"),
        ({"autoreset_mode": "later"}, "autoreset_mode='later'; allowed: next_step, same_step, disabled"),
        ({"colour": "red"}, "allowed: cells"),
    ],
)
def test_a_bad_keyword_is_told_with_what_is_allowed(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match=message):
        BlockloomVectorEnv(GAME, **keywords)


def test_use_before_reset_and_after_close() -> None:
    envs = BlockloomVectorEnv(GAME, 2, num_workers=2)

    def step() -> object:
        return envs.step(np.zeros(2, int))

    before: list[Callable[[], object]] = [step, envs.action_masks]
    for use in before:
        with pytest.raises(blockloom.ResetRequiredError):
            use()
    envs.close()
    envs.close()
    for use in [*before, envs.reset, envs.recv]:
        with pytest.raises(blockloom.BlockloomError, match="closed"):
            use()


def test_pickling_carries_the_arguments_only(server: str | None) -> None:
    envs: Any = gymnasium.make_vec(f"blockloom/{GAME}", num_envs=4, batch_size=2, server=server, cells="occupancy")
    envs.reset(seed=1)
    twin = pickle.loads(pickle.dumps(envs))
    assert (twin.num_envs, twin.batch_size, twin.spec) == (4, 2, envs.spec)
    with pytest.raises(blockloom.ResetRequiredError):
        twin.step(np.zeros(4, int))
    assert equal(twin.reset(seed=2)[0], envs.reset(seed=2)[0])
    envs.close()
    twin.close()


def test_rendering_gives_one_frame_a_row() -> None:
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        envs = BlockloomVectorEnv(GAME, 3, num_workers=2, render_mode=mode)
        envs.reset(seed=1)
        frames = envs.render()
        assert frames is not None
        assert [type(frame) for frame in frames] == [kind] * 3
        envs.close()


def test_human_prints_all_rows(capsys: pytest.CaptureFixture[str]) -> None:
    envs = BlockloomVectorEnv(GAME, 2, render_mode="human")
    envs.reset(seed=1)
    assert len(capsys.readouterr().out.splitlines()) >= 40
    envs.step(np.zeros(2, int))
    assert len(capsys.readouterr().out.splitlines()) >= 40
    envs.close()
