"""Afterstates by search, and what learns from them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockloom import BlockloomEnv, BlockloomVectorEnv, InvalidArgumentError
from blockloom.agents import PolicyAgent
from blockloom.learning import evaluate, stackcraft, train_stackcraft, train_tray, tray
from blockloom.learning.evaluate import interval, play_episodes
from blockloom.learning.shapes import SHAPES, anchor_counts, row_bits
from blockloom.learning.tuples import TupleValue, patterns


def random_boards(size: int, count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((count, size, size)) < rng.random((count, 1, 1))).astype(np.uint8)


class TestAfterstates:
    @pytest.mark.parametrize("game", [*tray.GAMES, "Stackcraft-v1"])
    def test_sequences_lead_where_they_say(self, game: str) -> None:
        with_beam: dict[str, Any] = {"beam_width": 5}
        envs = BlockloomVectorEnv(game, 6, num_workers=2)
        try:
            obs, _ = envs.reset(seed=3)
            found = envs.afterstates(**with_beam)
            assert found.row_offsets.tolist() == [0, 5, 10, 15, 20, 25, 30]
            first = found.row_offsets[:-1]
            total = np.zeros(6)
            for step in range(found.sequences.shape[1]):
                obs, rewards, _, _, _ = envs.step(found.sequences[first, step])
                total += rewards
            assert total.tolist() == found.rewards[first].tolist()
            assert (obs["board"] == found.boards[first]).all()
            for name in set(found.figures) & set(obs):
                assert obs[name].ravel().tolist() == found.figures[name][first].tolist()
        finally:
            envs.close()

    def test_rows_are_those_asked_for_on_every_server(self) -> None:
        envs = BlockloomVectorEnv("BlockPuzzle8-v1", 7, num_workers=2)
        try:
            envs.reset(seed=1)
            everything = envs.afterstates(beam_width=3)
            some = envs.afterstates(beam_width=3, rows=[1, 2, 5])
            parts = [everything.sequences[3 * row : 3 * row + 3] for row in (1, 2, 5)]
            assert (some.sequences == np.concatenate(parts)).all()
            single = envs.afterstates(rows=np.array([6]))
            assert single.sequences.shape == (len(single.actions), 0)
            assert single.figures == {}
            for rows in ([], [7], [-1], [2, 1], [3, 3]):
                with pytest.raises(InvalidArgumentError):
                    envs.afterstates(rows=rows)
        finally:
            envs.close()

    def test_rows_that_are_too_many_for_one_request_are_asked_for_in_several(self) -> None:
        envs = BlockloomVectorEnv("BlockPuzzle8-v1", 40, num_workers=2)
        try:
            envs.reset(seed=1)
            found = envs.afterstates(beam_width=300, depth=1)
            assert len(found.row_offsets) == 41
            for row in (0, 13, 19, 20, 39):
                own = envs.afterstates(beam_width=300, depth=1, rows=[row])
                span = slice(found.row_offsets[row], found.row_offsets[row + 1])
                assert (found.sequences[span] == own.sequences).all()
                assert (found.boards[span] == own.boards).all()
        finally:
            envs.close()

    def test_one_environment_looks_ahead_too(self) -> None:
        env = BlockloomEnv("LumenBlocks-v1")
        try:
            env.reset(seed=4)
            assert env.afterstates(beam_width=4, depth=2).sequences.shape == (4, 3)
            assert (env.afterstates(beam_width=4, depth=2).sequences[:, 2] == -1).all()
            with pytest.raises(InvalidArgumentError, match="beam_width is 1001"):
                env.afterstates(beam_width=1001)
            with pytest.raises(InvalidArgumentError, match="beam_width is missing"):
                env.afterstates(depth=2)
        finally:
            env.close()


class TestTupleValue:
    @pytest.mark.parametrize("size", [8, 10])
    def test_is_the_same_for_all_symmetries(self, size: int) -> None:
        value = TupleValue(size, [3])
        value.weights[:] = np.random.default_rng(1).standard_normal(len(value.weights))
        # Pieces are not symmetric one by one: their tables are left out.
        shapes = slice(sum(1 << len(p) for p in patterns(size)), None)
        value.weights[shapes] = 0
        boards = random_boards(size, 50)
        context = np.zeros(50, np.int32)
        wanted = value.values(value.indices(boards, [context]))
        for turned in (np.rot90(boards, 1, (1, 2)), boards[:, ::-1], boards.transpose(0, 2, 1)):
            np.testing.assert_allclose(value.values(value.indices(turned, [context])), wanted, rtol=1e-5)

    @pytest.mark.parametrize("size", [8, 10])
    def test_counts_the_places_of_every_piece(self, size: int) -> None:
        boards = random_boards(size, 20)
        counts = anchor_counts(row_bits(boards), size)
        for number, shape in enumerate(SHAPES[size]):
            lines = shape.split("/")
            cells = [(r, c) for r, line in enumerate(lines) for c, mark in enumerate(line) if mark == "#"]
            for board, count in zip(boards, counts[:, number], strict=True):
                places = [
                    all(board[row + r, col + c] == 0 for r, c in cells)
                    for row in range(size - len(lines) + 1)
                    for col in range(size - len(lines[0]) + 1)
                ]
                assert count == sum(places)

    def test_learns_the_value_of_boards(self) -> None:
        value = TupleValue(8, [2])
        boards = random_boards(8, 30)
        targets = np.random.default_rng(2).normal(100, 50, 30)
        indices = value.indices(boards, [np.arange(30, dtype=np.int32) % 2])
        for _ in range(300):
            for entries, target in zip(indices, targets, strict=True):
                value.learn(entries, target - value.weights[entries].sum(), 1.0)
        assert np.abs(value.values(indices) - targets).max() < 25

    def test_survives_being_stored(self, tmp_path: Path) -> None:
        value = tray.new_value("LumenBlocks-v1")
        value.weights[:] = np.arange(len(value.weights))
        tray.save_value(tmp_path / "weights.npz", "LumenBlocks-v1", value)
        game_id, loaded = tray.load_value(tmp_path / "weights.npz")
        assert game_id == "LumenBlocks-v1"
        assert (loaded.weights == value.weights).all()


class TestTrayTraining:
    @pytest.mark.parametrize("game", tray.GAMES)
    def test_same_seed_same_games_however_many_workers(self, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(train_tray, "SETS_TO_SEND", 50)
        settings: dict[str, Any] = {"num_envs": 16, "most_steps": 16 * 60, "seed": 5}
        first, one = train_tray.train(train_tray.Settings(game, num_workers=1, **settings))
        second, two = train_tray.train(train_tray.Settings(game, num_workers=2, **settings))
        other = train_tray.train(train_tray.Settings(game, num_workers=1, **{**settings, "seed": 6}))[1]
        assert one.digest == two.digest != other.digest
        assert (first.value.weights == second.value.weights).all()
        assert np.isfinite(first.value.weights).all()
        assert np.abs(first.value.weights).max() > 0

    @pytest.mark.parametrize("game", tray.GAMES)
    def test_agent_plays_legally_and_far_better_than_chance(self, game: str) -> None:
        result = play_episodes(tray.TrayAgent(game, beam_width=4), game, range(8), cap=150)
        assert result["illegal"].sum() == 0
        assert result["steps"].max() <= 150
        assert result["score"].mean() > 500

    @pytest.mark.parametrize(
        ("game", "name"), list(zip(tray.GAMES, ["lumen_blocks", "block_puzzle_8", "block_puzzle_10"], strict=True))
    )
    def test_agents_that_come_with_the_package_lose_no_game_early(self, game: str, name: str) -> None:
        weights = Path(tray.__file__).parent / "weights" / f"{name}.npz"
        agent = tray.TrayAgent.load(weights, beam_width=8)
        assert agent.game_id == game
        result = play_episodes(agent, game, range(6), cap=200)
        assert result["truncated"].sum() == 6
        by_hand = play_episodes(tray.TrayAgent(game, beam_width=8), game, range(6), cap=200)
        assert result["score"].mean() > by_hand["score"].mean()

    def test_agent_notices_that_a_row_is_another_game(self) -> None:
        agent = tray.TrayAgent("BlockPuzzle8-v1", beam_width=4)
        envs = BlockloomVectorEnv("BlockPuzzle8-v1", 3, illegal_action="reject")
        try:
            obs, info = envs.reset(seed=0)
            for step in range(30):
                obs, _, _, _, info = envs.step(agent.act(envs, obs, info))
                if step % 4 == 1:
                    obs, info = envs.reset(seed=[step, None, None], options={"reset_mask": np.array([1, 0, 0], bool)})
        finally:
            envs.close()

    def test_command_line_writes_what_an_agent_loads(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "weights.npz"
        train_tray.main(["--game", "BlockPuzzle10-v1", "--steps", "600", "--num-envs", "8", "--out", str(out)])
        assert "sha256" in capsys.readouterr().out
        agent = tray.TrayAgent.load(out, beam_width=3)
        result = play_episodes(agent, "BlockPuzzle10-v1", range(3), cap=30)
        assert result["illegal"].sum() == 0

    def test_room_for_the_pieces_left_is_counted(self) -> None:
        envs = BlockloomVectorEnv("BlockPuzzle8-v1", 4)
        try:
            obs, _ = envs.reset(seed=2)
            found = envs.afterstates(beam_width=5, depth=1)
            room = tray.room_left(found, obs["tray_piece"])
            counts = anchor_counts(row_bits(found.boards), 8)
            for entry, action in enumerate(found.actions):
                row = entry // 5
                left = [piece for slot, piece in enumerate(obs["tray_piece"][row]) if slot != action // 64]
                assert room[entry] == pytest.approx(sum(np.log1p(counts[entry, piece - 1]) for piece in left))
            full = np.ones_like(found.boards)
            blocked = dataclasses.replace(found, boards=full)
            assert (tray.room_left(blocked, obs["tray_piece"]) == 2 * tray.NOWHERE).all()
            spent = envs.afterstates(beam_width=5)
            assert (tray.room_left(spent, obs["tray_piece"]) == 0).all()
        finally:
            envs.close()


class TestStackcraftTraining:
    def test_features_are_those_of_the_server(self) -> None:
        weights = np.zeros(12)
        envs = BlockloomVectorEnv("Stackcraft-v1", 40)
        rng = np.random.default_rng(0)
        try:
            _, info = envs.reset(seed=9)
            rows, values = [], []
            for _ in range(40):
                found = envs.afterstates(beam_width=6)
                own = [found.figures["landing_height"], found.figures["eroded_cells"], found.lines]
                features = [stackcraft.board_features(found.boards), np.stack(own, axis=1)]
                rows.append(np.concatenate(features, axis=1))
                values.append(found.values)
                actions = [rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]]
                _, _, _, _, info = envs.step(np.array(actions))
        finally:
            envs.close()
        # The server's value is linear in the features, so that some weights explain it without a rest.
        table, wanted = np.concatenate(rows).astype(float), np.concatenate(values)
        weights, _, _, _ = np.linalg.lstsq(table, wanted, rcond=None)
        np.testing.assert_allclose(table @ weights, wanted, rtol=1e-5, atol=0.5)

    def test_features_of_a_drawn_board(self) -> None:
        board = np.zeros((1, 20, 10), np.uint8)
        for row, line in enumerate(["..#.......", ".###......", ".#########", ".####.####"], 16):
            board[0, row] = [mark == "#" for mark in line]
        found = dict(zip(stackcraft.SCALES, stackcraft.board_features(board)[0].tolist(), strict=False))
        assert found == {
            "row_transitions": 14,
            "column_transitions": 11,
            "holes": 1,
            "wells": 6,
            "hole_depth": 1,
            "rows_with_holes": 1,
            "height": 4,
            "ready_rows": 1,
            "aggregate_height": 22,
            "bumpiness": 6,
            "over_ten": 0,
            "deepest_well": 3,
        }

    def test_same_seed_same_games_and_scores_rise(self) -> None:
        settings: dict[str, Any] = {"most_generations": 3, "population": 12, "elite": 3, "games": 3, "pieces": 60}
        one = train_stackcraft.train(train_stackcraft.Settings(num_workers=1, **settings))
        two = train_stackcraft.train(train_stackcraft.Settings(num_workers=2, **settings))
        assert one.digest == two.digest
        assert one.mean.tolist() == two.mean.tolist()
        assert one.curve[-1]["score"] > one.curve[0]["score"]

    def test_training_keeps_away_from_published_seeds(self) -> None:
        assert train_stackcraft.FIRST_SEED > 1_000_000_000

    @pytest.mark.parametrize("depth", [1, 2])
    def test_agent_plays_legally(self, depth: int) -> None:
        weights = train_stackcraft.first_mean(None)
        agent = stackcraft.StackcraftAgent(weights, depth=depth, beam_width=8)
        result = play_episodes(agent, "Stackcraft-v1", range(6), cap=80)
        assert result["illegal"].sum() == 0
        assert result["lines"].sum() > 0


def test_interval_holds_the_mean_and_narrows() -> None:
    values = np.random.default_rng(0).normal(10, 2, 400)
    low, high = interval(values)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.1)


class TestEvaluation:
    @pytest.mark.parametrize("agent", ["random", "greedy", "stackcraft_score.json", "stackcraft_lines.json"])
    def test_names_of_agents(self, agent: str, tmp_path: Path) -> None:
        out = tmp_path / "report.json"
        command = ["--game", "Stackcraft-v1", "--agent", agent, "--seeds", "70:74", "--cap", "30", "--json", str(out)]
        assert evaluate.main(command) == 0
        report = json.loads(out.read_text(encoding="utf-8"))["agents"][0]
        assert len(report["by_seed"]["score"]) == 4
        assert report["outcomes"]["score"]["mean"] == pytest.approx(sum(report["by_seed"]["score"]) / 4)
        assert report["illegal"] == 0
        if agent != "random":
            assert report["truncated"] == 1.0
            assert report["outcomes"]["lines"]["mean"] > 3

    def test_rows_that_are_over_are_left_alone(self) -> None:
        # Games of random play end at different times; each counts its own first episode only.
        together = play_episodes(PolicyAgent(FirstLegal()), "BlockPuzzle8-v1", range(6), cap=1000)
        alone = [play_episodes(PolicyAgent(FirstLegal()), "BlockPuzzle8-v1", [seed], cap=1000) for seed in range(6)]
        for name, values in together.items():
            assert values.tolist() == [int(one[name][0]) for one in alone]


class FirstLegal:
    def __call__(self, envs: object, obs: object, info: dict[str, np.ndarray]) -> np.ndarray:
        return np.asarray(info["action_mask"].argmax(axis=1))
