"""The player of Hourloom that learns: what it foresees comes true, and it learns."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockloom import BlockloomVectorEnv, sample
from blockloom.evaluation import interval, load_agent, play_episodes
from blockloom.learning import train_hourloom
from blockloom.learning.hourloom import GAME, HourloomAgent, OptionPolicy
from blockloom.learning.hourloom.agent import Planner
from blockloom.learning.hourloom.chambers import Chambers, position
from blockloom.learning.hourloom.grids import FAR, distances, has, pack, single, tiles_of, unpack
from blockloom.learning.hourloom.needs import surplus, windows
from blockloom.learning.hourloom.policy import Network, draw, log_softmax
from blockloom.learning.hourloom.ppo import Choice, Decisions, PpoSettings
from blockloom.learning.hourloom.times import Times


def board(picture: str) -> np.ndarray:
    """Bool [1, 9, 9]: where the picture has no ``#``; what it does not show is closed."""
    planes = np.zeros((1, 9, 9), np.bool_)
    for row, line in enumerate(picture.split()):
        for column, glyph in enumerate(line):
            planes[0, row, column] = glyph != "#"
    return planes


class TestGrids:
    def test_sets_keep_their_tiles(self) -> None:
        rng = np.random.default_rng(0)
        planes = rng.random((50, 9, 9)) < 0.3
        bits = pack(planes)
        assert (unpack(bits) == planes.reshape(50, 81)).all()
        tiles = rng.integers(-1, 81, (50, 7))
        expected = np.where(tiles < 0, False, np.take_along_axis(planes.reshape(50, 81), np.maximum(tiles, 0), axis=1))
        assert (has(bits, tiles) == expected).all()
        assert (unpack(single(tiles)).sum(axis=2) == (tiles >= 0)).all()
        assert (tiles_of(unpack(single(tiles[:, 0])).reshape(-1, 9, 9), 2)[:, 0] == tiles[:, 0]).all()

    def test_distances_go_around_walls_and_not_over_the_edge(self) -> None:
        floor = pack(board("..#...... #.#.####. ..#.#...."))
        steps = distances(single(np.array([0])), floor)[0].reshape(9, 9)
        assert steps[0, :3].tolist() == [0, 1, FAR]
        assert steps[2, :2].tolist() == [4, 3]
        assert steps[0, 8] == FAR
        right = distances(single(np.array([8])), floor)[0].reshape(9, 9)
        assert right[0, 3] == 5
        assert right[2, 5] == 5
        assert right[1, 0] == FAR


class TestTimes:
    def test_a_way_waits_until_a_body_has_left(self) -> None:
        # One row of floor; a body stands on its third tile before turns 0 to 3, and is gone then.
        turns = 10
        floor = np.repeat(pack(board("....."))[None], turns, axis=0)
        body = np.zeros_like(floor)
        body[:4] = single(np.array([2]))
        exits = np.repeat(single(np.array([4]))[None], turns, axis=0)
        later = np.concatenate([body[1:], body[-1:] * 0])
        times = Times(np.array([turns]), floor & ~(body | later | exits), ~later, ~later, exits)
        there, out = times.forward(single(np.array([0])), np.array([False]))
        assert has(there, np.array([[2]]))[:, 0, 0].argmax() == 5
        assert has(out, np.array([[4]]))[:, 0, 0].argmax() == 7
        inputs = times.trace(there, np.array([4]), np.array([7]), np.array([True]))[0].tolist()
        assert sorted(inputs[:7]) == [1, 1, 1, 1, 4, 4, 4]
        assert inputs[4:] == [1, 1, 1, -1, -1, -1]
        good = times.to_exit()
        assert [bool(has(good[turn], np.array([[0]]))[0, 0]) for turn in (0, 6, 7)] == [True, True, False]

    def test_the_keystone_comes_before_the_exit(self) -> None:
        turns = 7
        floor = np.repeat(pack(board("....."))[None], turns, axis=0)
        exits = np.repeat(single(np.array([4]))[None], turns, axis=0)
        free = np.full_like(floor, 0xFFFF)
        for sand, fine in ((6, True), (5, False)):
            times = Times(np.array([sand]), floor & ~exits, free, free, exits)
            good = times.to_keystone(single(np.array([0])), times.to_exit())
            # From the second tile: one step back to the keystone, then four to the exit.
            assert bool(has(good[1], np.array([[1]]))[0, 0]) == fine


class TestNeeds:
    def test_windows_are_runs_since_a_turn(self) -> None:
        held = np.array([[1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1]], np.bool_)
        found = [
            (int(longest[0]), int(start[0]))
            for since, need in ((0, 3), (1, 2), (1, 3), (8, 3), (8, 4))
            for longest, start in [windows(held, np.array([since]), np.array([need]))]
        ]
        assert found == [(4, 0), (4, 1), (4, 7), (3, 8), (3, 11)]

    def test_the_surplus_of_a_budget_is_what_its_formula_adds(self) -> None:
        turns = np.arange(3, 73)
        budget = turns + 4 + -(-turns // 4)
        assert (surplus(budget) == budget - turns).all()


class TestForesight:
    @pytest.mark.parametrize("chamber", [1, 3, 6])
    def test_every_plan_can_be_played_and_every_echo_is_where_it_was_foreseen(self, chamber: int) -> None:
        n, rows = 40, np.arange(40)
        envs = BlockloomVectorEnv(GAME, n, start_chamber=chamber, illegal_action="reject", autoreset_mode="same_step")
        planner, chambers = Planner(n, OptionPolicy(), np.random.default_rng(chamber)), Chambers(n)
        decisions = compared = 0
        disturbed = np.zeros(n, np.bool_)
        try:
            obs, info = envs.reset(seed=chamber)
            for _ in range(250):
                at = chambers.see(obs, rows)
                foreseen = chambers.echo_tiles(at, 2)[:, :, 1]
                actions, decided, _ = planner.act(obs, info["action_mask"], rows)
                decisions += len(decided)
                obs, _, terminations, _, info = envs.step(actions)
                now = position(obs, rows)
                # A player with no way left to go may be run into; from then on the echo is late.
                disturbed = (disturbed & (at.turn > 0)) | (foreseen == now.player[:, None]).any(axis=1)
                same = (now.turn == at.turn + 1) & (now.lap == at.lap) & ~terminations & ~disturbed
                seen = np.where(now.left > 0, now.echo, -1)
                assert (seen[same] == foreseen[same]).all()
                compared += int((seen[same] >= 0).sum())
        finally:
            envs.close()
        assert decisions > 500
        assert compared > 1000
        assert disturbed.mean() < 0.2

    def test_it_takes_over_in_the_middle_of_a_lap(self) -> None:
        rng = np.random.default_rng(5)
        envs = BlockloomVectorEnv(GAME, 30, start_chamber=2, illegal_action="reject", autoreset_mode="same_step")
        first, second = HourloomAgent(seed=1), HourloomAgent(seed=2)
        try:
            obs, info = envs.reset(seed=9)
            for step in range(300):
                # Three players in turn, none of which is told what the others do.
                agent = (first, None, second)[step // 5 % 3]
                actions = sample(info["action_mask"], rng) if agent is None else agent.act(envs, obs, info)
                obs, _, _, _, info = envs.step(actions)
        finally:
            envs.close()


class TestPolicy:
    def test_a_network_learns_by_the_slope_of_its_loss(self) -> None:
        rng = np.random.default_rng(3)
        network = Network(4, rng, scale=1.0)
        x = rng.normal(size=(64, 4)).astype(np.float32)
        target = np.sin(x[:, 0]) * x[:, 1]
        losses = []
        for _ in range(400):
            error = network(x) - target
            losses.append(float((error * error).mean()))
            network.learn((error / len(x)).astype(np.float32), 3e-3)
        assert losses[-1] < 0.05 * losses[0]

    def test_the_gradient_is_that_of_differences(self) -> None:
        rng = np.random.default_rng(4)
        network = Network(3, rng, scale=1.0)
        x = rng.normal(size=(5, 3)).astype(np.float32)
        weights = rng.normal(size=5).astype(np.float32)
        before = [p.copy() for p in network.parameters]
        network(x)
        network.learn(weights, 1e-4, longest=1e9)
        for number, start in enumerate(before):
            # The first step of Adam goes by its rate against the sign of the slope, where that is not tiny.
            step = network.parameters[number] - start
            index = np.unravel_index(np.abs(step).argmax(), step.shape)
            probe = Network(3, rng, scale=1.0)
            values = []
            for change in (1e-2, -1e-2):
                probe.parameters = [p.copy() for p in before]
                probe.parameters[number][index] += change
                values.append(float((probe(x) * weights).sum()))
            assert np.sign(step[index]) == -np.sign(values[0] - values[1])

    def test_options_are_drawn_by_their_probability_and_only_possible_ones(self) -> None:
        logits = np.array([[0.0, -np.inf, np.log(3.0), -np.inf]], np.float32).repeat(4000, axis=0)
        option, logs = draw(logits, np.random.default_rng(0))
        assert set(option.tolist()) == {0, 2}
        assert 0.72 < (option == 2).mean() < 0.78
        assert np.allclose(np.exp(logs), np.where(option == 2, 0.75, 0.25))
        assert np.allclose(np.exp(log_softmax(logits)).sum(axis=1), 1)

    def test_weights_can_be_kept(self, tmp_path: Path) -> None:
        policy = OptionPolicy(seed=5)
        policy.save(tmp_path / "a.npz")
        again = OptionPolicy.load(tmp_path / "a.npz")
        for mine, theirs in zip(policy.actor.parameters, again.actor.parameters, strict=True):
            assert (mine == theirs).all()
        np.savez(tmp_path / "b.npz", actor0=np.zeros(3))
        with pytest.raises(ValueError, match="does not hold weights"):
            OptionPolicy.load(tmp_path / "b.npz")


class TestDecisions:
    def test_advantages_are_those_of_each_row_by_itself(self) -> None:
        rng = np.random.default_rng(8)
        policy, settings = OptionPolicy(), PpoSettings(gamma=0.9, trace=0.8, shaping=3.0)
        decisions = Decisions(3)
        told: list[list[tuple[np.ndarray, float]]] = [[], [], []]  # situation and points of each decision
        done: list[list[float]] = [[], [], []]  # its potential
        ended: list[list[int]] = [[], [], []]
        wide = policy.critic.parameters[0].shape[0]
        for _ in range(40):
            rows = np.flatnonzero(rng.random(3) < 0.5)
            situation = rng.normal(size=(len(rows), wide)).astype(np.float32)
            some = np.zeros((len(rows), 2), np.float32)
            potential = rng.random(len(rows)).astype(np.float32)
            decisions.add(rows, Choice(some > 0, some, situation, rows, some[:, 0], potential))
            for place, seen, grown in zip(rows.tolist(), situation, potential.tolist(), strict=True):
                told[place].append((seen, 0.0))
                done[place].append(grown)
            rewards, over = rng.random(3).astype(np.float32), rng.random(3) < 0.1
            decisions.earn(rewards, over)
            for row in range(3):
                if told[row] and len(told[row]) - 1 not in ended[row]:
                    told[row][-1] = told[row][-1][0], told[row][-1][1] + float(rewards[row])
                    if over[row]:
                        ended[row].append(len(told[row]) - 1)
        batch = decisions.take(policy, settings)
        for row in range(3):
            own = np.flatnonzero(batch.choice.option == row)
            values = [float(policy.values(seen[None])[0]) for seen, _ in told[row]]
            known = len(told[row]) - (len(told[row]) - 1 not in ended[row])
            assert len(own) == known
            advantage = 0.0
            for i in reversed(range(known)):
                last = i in ended[row]
                ahead = 0.0 if last else values[i + 1] + 3 * done[row][i + 1]
                advantage = (
                    told[row][i][1]
                    + 0.9 * ahead
                    - values[i]
                    - 3 * done[row][i]
                    + 0.9 * 0.8 * (0.0 if last else advantage)
                )
                assert batch.advantage[own[i]] == pytest.approx(advantage, abs=1e-4)


SHORT: dict[str, Any] = {
    "start_chambers": (2,),
    "num_envs": 256,
    "decisions": 1500,
    "minutes": 60.0,
    "ppo": PpoSettings(rate=2e-3),
}


class TestTraining:
    def test_the_same_command_plays_the_same_games(self) -> None:
        runs = [train_hourloom.train(train_hourloom.Settings(**SHORT, most_steps=20_480, seed=s)) for s in (3, 3, 4)]
        digests = [progress.digest for _, progress in runs]
        assert digests[0] == digests[1] != digests[2]
        assert runs[0][1].scores == runs[1][1].scores
        first, second, _ = (policy.actor.parameters for policy, _ in runs)
        assert all((a == b).all() for a, b in zip(first, second, strict=True))
        assert all(np.isfinite(a).all() for a in first)
        assert digests[0] != hashlib.sha256(b"").hexdigest()

    def test_a_short_training_plays_better_than_chance(self) -> None:
        learned, progress = train_hourloom.train(train_hourloom.Settings(**SHORT, most_steps=100_096))
        assert progress.illegal == 0
        game: dict[str, Any] = {"seeds": range(60), "cap": 600, "config": {"start_chamber": 2}}
        random = play_episodes(load_agent("random", GAME), GAME, **game)
        unlearned = play_episodes(HourloomAgent(seed=0), GAME, **game)
        result = play_episodes(HourloomAgent(learned), GAME, **game)
        assert result["illegal"].sum() == 0
        low, _ = interval(result["score"])
        assert low > interval(random["score"])[1]
        assert low > interval(unlearned["score"])[1]
        assert result["chamber"].mean() > unlearned["chamber"].mean() > random["chamber"].mean() == 2

    def test_the_command_writes_weights_and_a_curve(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "weights.npz"
        train_hourloom.main(
            [
                "--out",
                str(out),
                "--steps",
                "6000",
                "--num-envs",
                "60",
                "--decisions",
                "256",
                "--start-chambers",
                "1,2,2",
                "--epochs",
                "2",
            ]
        )
        report = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
        assert report["digest"] in capsys.readouterr().out
        assert report["illegal"] == 0
        assert report["steps"] == 6000
        assert report["settings"]["start_chambers"] == [1, 2, 2]
        assert report["settings"]["ppo"]["epochs"] == 2
        assert report["curve"][-1]["episodes"] > 0
        agent = load_agent(str(out), GAME)
        assert play_episodes(agent, GAME, range(3), cap=200)["illegal"].sum() == 0


def test_the_weights_that_come_with_the_package_seal_the_first_chamber_in_most_games() -> None:
    result = play_episodes(load_agent("hourloom", GAME), GAME, range(2000, 2040), cap=5000)
    assert result["illegal"].sum() == 0
    assert (result["chamber"] > 1).mean() > 0.85
    assert result["chamber"].mean() > 3
