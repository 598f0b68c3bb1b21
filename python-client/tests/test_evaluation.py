from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blockloom
from blockloom import InvalidArgumentError
from blockloom.agents import Agent, PolicyAgent
from blockloom.evaluation import (
    evaluate,
    interval,
    load_agent,
    play_episodes,
    results,
    save_chart,
    summary,
    weight_names,
)
from blockloom.evaluation.command import Bar, main
from blockloom.evaluation.results import Played, compare
from blockloom.learning import plot, tray
from blockloom.learning.hourloom.agent import HourloomAgent
from blockloom.learning.hourloom.policy import OptionPolicy

MODULE = '''
"""Agents for the tests."""
import numpy as np
from blockloom.agents import Agent

def lowest(envs, obs, info):
    return info["action_mask"].argmax(axis=1)

class Place(Agent):
    def __init__(self, place=0):
        self.place = place
    def act(self, envs, obs, info, active=None):
        order = np.argsort(-info["action_mask"].astype(int), axis=1, kind="stable")
        return order[:, self.place].astype(np.int32)

ready = Place(1)
number = 7
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "agents_of_a_test"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


class FirstLegal:
    def __call__(self, envs: Any, obs: Any, info: Any) -> Any:
        return info["action_mask"].argmax(axis=1)


class OnceIllegal(FirstLegal):
    """Picks what is not legal at the first step of each game."""

    def __call__(self, envs: Any, obs: Any, info: Any) -> Any:
        mask = info["action_mask"]
        return np.where(info["pieces"] == 0, mask.argmin(axis=1), mask.argmax(axis=1))


class TestEpisodes:
    @pytest.mark.parametrize("rows", [1, 3, 50])
    def test_what_is_played_does_not_depend_on_the_number_of_rows(self, rows: int) -> None:
        together = play_episodes(FirstLegal(), "BlockPuzzle8-v1", range(7), cap=20)
        few = play_episodes(FirstLegal(), "BlockPuzzle8-v1", range(7), cap=20, num_envs=rows)
        assert together.keys() == few.keys() >= {"score", "steps", "truncated", "illegal"}
        for name, values in together.items():
            assert values.tolist() == few[name].tolist()
        assert 0 < together["truncated"].sum() < 7
        assert len(set(together["score"].tolist())) > 1

    def test_each_seed_is_played_as_by_itself(self) -> None:
        seeds = [2**70, -5, 40, 41]
        together = play_episodes(FirstLegal(), "LumenBlocks-v1", seeds, cap=1000, num_envs=2)
        for place, seed in enumerate(seeds):
            env = blockloom.BlockloomEnv("LumenBlocks-v1")
            _, info = env.reset(seed=seed)
            over, steps = False, 0
            while not over:
                _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
                steps += 1
            env.close()
            assert (together["score"][place], together["steps"][place]) == (info["score"], steps)

    def test_refused_actions_are_counted(self) -> None:
        result = play_episodes(PolicyAgent(OnceIllegal()), "Stackcraft-v1", range(4), cap=5)
        assert result["illegal"].tolist() == [5] * 4  # refused, so that the first piece is still there
        assert result["pieces"].tolist() == [0] * 4
        assert result["truncated"].tolist() == [1] * 4

    def test_progress_tells_games_and_steps(self) -> None:
        told: list[tuple[int, int]] = []
        play_episodes(FirstLegal(), "Stackcraft-v1", range(5), cap=3, num_envs=2, progress=lambda *at: told.append(at))
        assert told == [(0, 2), (0, 4), (2, 6), (2, 8), (2, 10), (4, 12), (4, 13), (4, 14), (5, 15)]

    @pytest.mark.parametrize(("seeds", "cap"), [([], 5), ([1], 0), ([1], -3)])
    def test_bad_arguments(self, seeds: list[int], cap: int) -> None:
        with pytest.raises(InvalidArgumentError, match="allowed: at least"):
            play_episodes(FirstLegal(), "Stackcraft-v1", seeds, cap=cap)


class TestFigures:
    def test_summary(self) -> None:
        values = np.arange(101)
        figures = summary(values)
        assert (figures.mean, figures.median, figures.quantiles) == (50, 50, {5: 5, 25: 25, 75: 75, 95: 95})
        assert figures.low < 50 < figures.high
        assert figures.high - figures.low == pytest.approx(2 * 1.96 * values.std() / 101**0.5, rel=0.1)

    def test_the_interval_is_the_same_every_time_and_in_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        values = np.random.default_rng(1).integers(0, 1000, 57)
        whole = interval(values)
        assert whole == interval(values)
        monkeypatch.setattr(results, "_MOST_DRAWS", 57 * 13 + 5)
        assert interval(values) == whole

    def test_of_one_game(self) -> None:
        assert summary(np.array([7])).to_json() == {
            "mean": 7,
            "low": 7,
            "high": 7,
            "median": 7,
            "quantiles": {"5": 7, "25": 7, "75": 7, "95": 7},
        }

    def test_comparison(self) -> None:
        a, b = (
            Played(name, {"score": np.array(values)}, 1.0)
            for name, values in (("a", [3, 5, 5, 9]), ("b", [1, 5, 6, 1]))
        )
        pair = compare(a, b, "score")
        assert (pair.wins, pair.ties, pair.losses, pair.difference) == (2, 1, 1, 2.25)
        assert pair.low < 2.25 < pair.high
        back = compare(b, a, "score")
        assert (back.wins, back.ties, back.losses, back.difference) == (1, 1, 2, -2.25)

    def test_pairing_is_by_seed(self) -> None:
        # The same numbers in another order: no difference in the mean, but not the same games.
        a, b = (Played(name, {"score": np.array(values)}, 1.0) for name, values in (("a", [0, 10]), ("b", [10, 0])))
        pair = compare(a, b, "score")
        assert (pair.difference, pair.wins, pair.losses, pair.low, pair.high) == (0, 1, 1, -10, 10)


class TestEvaluate:
    def test_agents_by_name_and_by_themselves(self) -> None:
        named = evaluate("stackcraft", ["greedy", "random"], seeds=range(6), cap=40, outcome="lines")
        own = evaluate(
            "blockloom/Stackcraft-v1",
            {"mine": blockloom.baselines.make("Stackcraft-v1"), "chance": load_agent("random", "Stackcraft-v1")},
            seeds=range(6),
            cap=40,
            outcome="lines",
        )
        assert [played.agent for played in own.played] == ["mine", "chance"]
        for one, other in zip(named.played, own.played, strict=True):
            for name, values in one.outcomes.items():
                assert values.tolist() == other.outcomes[name].tolist()
        pair = named.comparisons[0]
        assert (pair.first, pair.second, pair.wins) == ("greedy", "random", 6)
        assert pair.low > 0
        assert named.game_id == own.game_id == "Stackcraft-v1"
        assert json.loads(json.dumps(named.to_json()))["comparisons"][0]["wins"] == 6

    def test_three_agents_are_three_pairs(self) -> None:
        agents: dict[str, Any] = {name: FirstLegal() for name in "abc"}
        result = evaluate("Hourloom-v1", agents, seeds=[5], cap=4, outcome="laps", config={"start_chamber": 2})
        assert [(pair.first, pair.second, pair.ties) for pair in result.comparisons] == [
            ("a", "b", 1),
            ("a", "c", 1),
            ("b", "c", 1),
        ]
        assert result.text().startswith(
            "Hourloom-v1, start_chamber=2: laps of 1 game, seeds 5:6, at most 4 steps each\n"
        )

    def test_on_another_server(self, server: str | None) -> None:
        here = evaluate("LumenBlocks-v1", "greedy", seeds=range(3), cap=9)
        there = evaluate("LumenBlocks-v1", "greedy", seeds=range(3), cap=9, server=server)
        assert here.played[0].outcomes["score"].tolist() == there.played[0].outcomes["score"].tolist()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"game_id": "Chess-v1"}, "there is no game 'Chess-v1'; known: Stackcraft-v1"),
            ({"outcome": "chamber"}, "Stackcraft-v1 has no outcome 'chamber'; allowed: score, lines"),
            ({"agents": []}, "agents are empty"),
            ({"agents": ["random", "random"]}, "named twice"),
            ({"config": {"nothing": 1}}, "nothing"),
        ],
    )
    def test_bad_arguments(self, arguments: dict[str, Any], message: str) -> None:
        given: dict[str, Any] = {"game_id": "Stackcraft-v1", "agents": "random", "seeds": [1], "cap": 2, **arguments}
        with pytest.raises(InvalidArgumentError, match=message):
            evaluate(given.pop("game_id"), given.pop("agents"), **given)


class TestAgents:
    def test_weights_that_come_with_the_package(self) -> None:
        assert "stackcraft_lines.json" in weight_names()
        for name in ("stackcraft_lines.json", "stackcraft_lines"):
            agent = load_agent(f"{name},depth=2", "Stackcraft-v1", {"depth": 1, "beam_width": 5, "hand_weight": 3.0})
            assert vars(agent)["_search"] == {"depth": 2, "beam_width": 5}

    def test_every_file_that_comes_with_the_package_plays_its_game(self) -> None:
        for name in weight_names():
            games = [game for game in blockloom.GAME_IDS if plays(name, game)]
            assert len(games) == 1, name

    def test_files(self, tmp_path: Path) -> None:
        path = tmp_path / "a,b.npz"
        value = tray.new_value("LumenBlocks-v1")
        value.weights[:] = 3
        tray.save_value(path, "LumenBlocks-v1", value)
        agent = load_agent(str(path), "LumenBlocks-v1", {"hand_weight": 0.5})
        assert isinstance(agent, tray.TrayAgent)
        assert agent.value is not None
        assert (agent.value.weights == 3).all()
        with pytest.raises(InvalidArgumentError, match="plays LumenBlocks-v1, not BlockPuzzle8-v1"):
            load_agent(str(path), "BlockPuzzle8-v1")

    def test_files_of_hourloom(self, tmp_path: Path) -> None:
        path = tmp_path / "hourloom.npz"
        OptionPolicy().save(path)
        agent = load_agent(f"{path},seed=3", "Hourloom-v1", {"beam_width": 9})
        assert isinstance(agent, HourloomAgent)
        assert play_episodes(agent, "Hourloom-v1", [1, 2], cap=10)["illegal"].sum() == 0
        with pytest.raises(InvalidArgumentError, match="plays Hourloom-v1, not Stackcraft-v1"):
            load_agent(str(path), "Stackcraft-v1")

    def test_objects_of_modules(self, module: str) -> None:
        ready = load_agent(f"{module}:ready", "Stackcraft-v1")
        assert type(ready).__name__ == "Place"
        assert vars(load_agent(f"{module}:Place,place=3", "Stackcraft-v1"))["place"] == 3
        scores = [
            play_episodes(load_agent(f"{module}:{name}", "Stackcraft-v1"), "Stackcraft-v1", [4], cap=20)["pieces"]
            for name in ("lowest", "Place")
        ]
        assert scores[0] == scores[1] > 0

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("nobody", "there is no agent 'nobody'; allowed: random, greedy, scripted, hand, "),
            ("none.json", "there is no agent"),
            ("no_such_module:x", "cannot be imported: No module named"),
            ("json:nothing", "json has no nothing"),
            ("json:decoder", "of type module"),
            ("random,depth=2", "no setting 'depth'; allowed: seed"),
            ("greedy,depth=2", "no setting 'depth'; allowed: none"),
            ("random,seed", "'seed' is no setting; allowed: key=value"),
            ("random,seed=x", "cannot be made"),
            ("scripted", "no baseline 'scripted' for Stackcraft-v1"),
            ("hand", "agent 'hand' plays LumenBlocks-v1, BlockPuzzle8-v1, BlockPuzzle10-v1, not Stackcraft-v1"),
        ],
    )
    def test_names_that_cannot_be(self, name: str, message: str) -> None:
        with pytest.raises(InvalidArgumentError, match=message):
            load_agent(name, "Stackcraft-v1")

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("a.json", b"{"),
            ("a.json", b"[]"),
            ("a.json", b'{"weights": {"holes": 1}}'),
            ("a.json", b"\xff\xfe"),
            ("a.npz", b"no archive"),
            ("a.npz", b""),
            ("a.txt", b""),
        ],
    )
    def test_files_that_hold_no_weights(self, tmp_path: Path, name: str, content: bytes) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidArgumentError, match=r"^agent '"):
            load_agent(str(tmp_path / name), "Stackcraft-v1")

    def test_arrays_that_are_no_weights(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "a.npz", weights=np.zeros(3), game_id=np.array("LumenBlocks-v1"))
        np.savez(tmp_path / "b.npz", other=np.zeros(3))
        with pytest.raises(InvalidArgumentError, match="holds 3 weights"):
            load_agent(str(tmp_path / "a.npz"), "LumenBlocks-v1")
        with pytest.raises(InvalidArgumentError, match="holds no weights of an agent"):
            load_agent(str(tmp_path / "b.npz"), "LumenBlocks-v1")


def plays(name: str, game: str) -> bool:
    try:
        return isinstance(load_agent(name, game), Agent)
    except InvalidArgumentError:
        return False


class TestCommand:
    def test_report_and_chart(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], module: str) -> None:
        out, chart = tmp_path / "report.json", tmp_path / "chart.png"
        command = ["--game", "lumenblocks", "--agent", "greedy", "--agent", f"{module}:lowest", "--agent", "random"]
        assert main([*command, "--seeds=-2:5", "--cap", "30", "--json", str(out), "--chart", str(chart)]) == 0
        text = capsys.readouterr().out
        assert text.startswith("LumenBlocks-v1: score of 7 games, seeds -2:5, at most 30 steps each\n")
        assert f"greedy - {module}:lowest" in text
        report = json.loads(out.read_text(encoding="utf-8"))
        assert report["seeds"] == list(range(-2, 5))
        assert [agent["agent"] for agent in report["agents"]] == ["greedy", f"{module}:lowest", "random"]
        greedy = report["agents"][0]
        scores = greedy["by_seed"]["score"]
        assert greedy["outcomes"]["score"]["mean"] == pytest.approx(sum(scores) / 7)
        assert greedy["illegal"] == 0
        differences = [a - b for a, b in zip(scores, report["agents"][2]["by_seed"]["score"], strict=True)]
        pair = report["comparisons"][1]
        assert (pair["first"], pair["second"]) == ("greedy", "random")
        assert pair["difference"] == pytest.approx(sum(differences) / 7)
        assert pair["wins"] == sum(d > 0 for d in differences)
        assert chart.read_bytes().startswith(b"\x89PNG")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--seeds", "5"], "'5' is no range; allowed: FIRST:END"),
            (["--seeds", "5:5"], "has 0 seeds"),
            (["--seeds", "7:-3"], "has 0 seeds"),
            (["--seeds", "0:99999999999999999999"], "has 99999999999999999999 seeds"),
            (["--seeds", "a:b"], "is no range"),
            (["--cap", "0"], "allowed: 1 to"),
            (["--config", "cells"], "allowed: KEY=VALUE"),
            (["--config", "cells=pink"], "colours, occupancy"),
            (["--outcome", "chamber"], "no outcome 'chamber'"),
            (["--agent", "clever"], "there is no agent 'clever'"),
            (["--agent", "random"], "named twice"),
            (["--game", "chess"], "there is no game 'chess'"),
            (["--json", "/no/such/folder/a.json"], "cannot be written"),
            (["--chart", "a.gif"], "ends in '.gif'; allowed: .png"),
            (["--chart", "/no/such/folder/a.png"], "there is no folder"),
            (["--num-workers", "2", "--server", "localhost:1"], "localhost:1"),
            (["--token-file", "/no/such/file", "--server", "localhost:1"], "token cannot be read"),
            (["--tls-ca", "/no/such/file"], "are for --server"),
            (["--tls-cert", "a", "--server", "localhost:1"], "given together"),
        ],
    )
    def test_what_cannot_be_done(self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
        command = ["--game", "Stackcraft-v1", "--agent", "random", "--seeds", "0:2", "--cap", "5", *arguments]
        code: Any
        try:
            code = main(command)
        except SystemExit as stop:
            code = stop.code
        assert code == (1 if "--num-workers" in arguments else 2)  # 1: nobody listens there
        output = capsys.readouterr()
        assert message in output.err
        assert output.out == ""

    def test_the_figures_are_printed_also_where_the_report_cannot_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def full(self: Path, *arguments: Any, **keywords: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "write_text", full)
        command = ["--game", "stackcraft", "--agent", "random", "--seeds", "0:2", "--cap", "1"]
        assert main([*command, "--json", str(tmp_path / "a.json")]) == 2
        output = capsys.readouterr()
        assert output.out.startswith("Stackcraft-v1: score of 2 games")
        assert "the report cannot be written" in output.err

    def test_a_chart_without_matplotlib(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        find_spec = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else find_spec(name, *rest)
        )
        assert main(["--game", "stackcraft", "--agent", "random", "--chart", "a.png"]) == 2
        assert "pip install 'blockloom[report]'" in capsys.readouterr().err
        with pytest.raises(InvalidArgumentError, match="matplotlib"):
            save_chart(evaluate("stackcraft", "random", seeds=[1], cap=1), "a.png")

    def test_progress_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert main(["--game", "stackcraft", "--agent", "random", "--seeds", "0:2", "--cap", "1"]) == 0
        assert f"random [{'#' * 30}] 2/2 games, 2 steps" in terminal.getvalue()
        assert terminal.getvalue().endswith("\r\x1b[K")

    def test_the_bar_is_drawn_now_and_then(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        bar = Bar(4, width=4, every_s=1000)
        for games in (0, 1, 2, 4):
            bar.show("a", games, 10 * games)
        drawn = stream.getvalue().split("\r\x1b[K")
        assert [line.split("]")[0] for line in drawn if line] == ["a [....", "a [####"]

    def test_learning_curves_are_drawn(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        curve, out = tmp_path / "weights.json", tmp_path / "curve.png"
        points = [{"steps": 1000 * i, "score": score} for i, score in enumerate([1.0, float("nan"), 3.0])]
        curve.write_text(json.dumps({"curve": points}), encoding="utf-8")
        assert plot.main(["--curve", str(curve), "--line", "greedy=2", "--out", str(out)]) == 0
        assert out.read_bytes().startswith(b"\x89PNG")
        assert plot.main(["--curve", str(tmp_path / "none.json"), "--out", str(out)]) == 2
        assert "none.json" in capsys.readouterr().err

    def test_the_command_line_has_it(self) -> None:
        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "blockloom", *arguments]
            return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

        usage = run("--help")
        assert usage.returncode == 0
        assert "\n  evaluate  " in usage.stdout
        assert "\n  serve     " in usage.stdout
        assert run().stderr.count("\n  evaluate  ") + run().stdout.count("\n  evaluate  ") == 1
        done = run("evaluate", "--game", "stackcraft", "--agent", "greedy", "--seeds", "0:3", "--cap", "5")
        assert (done.returncode, done.stderr) == (0, "")
        assert "greedy" in done.stdout
        bad = run("evaluate", "--game", "stackcraft", "--agent", "clever")
        assert (bad.returncode, bad.stdout) == (2, "")
        assert bad.stderr.startswith("blockloom: there is no agent 'clever'")
        assert run("evaluate", "--help").stdout.startswith("usage: blockloom evaluate")
        assert "\n  evaluate" not in run("serve", "--help").stdout
