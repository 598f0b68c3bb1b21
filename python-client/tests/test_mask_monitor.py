"""The mask monitors count what happens, and write it down."""

from __future__ import annotations

import builtins
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import blockloom
from blockloom import MaskMonitor, VectorMaskMonitor
from blockloom._mask_tally import MaskTally


def test_a_single_environment_is_counted_and_left_alone() -> None:
    plain = gymnasium.make("blockloom/Stackcraft-v1")
    monitor = MaskMonitor(gymnasium.make("blockloom/Stackcraft-v1"))
    with pytest.raises(blockloom.ResetRequiredError):
        monitor.observe_policy(probs=np.full(40, 1 / 40))
    first = monitor.reset(seed=4)
    assert data_equivalence(first, plain.reset(seed=4), exact=True)
    assert np.isnan(list(monitor.figures().values())).all()
    mask = first[1]["action_mask"]
    mass = monitor.observe_policy(probs=np.full(40, 1 / 40))
    assert mass == pytest.approx((mask == 0).sum() / 40)
    legal = [mask.sum()]
    for action in (0, 39, 0):
        step = monitor.step(action)
        assert data_equivalence(step, plain.step(action), exact=True)
        legal.append(step[4]["action_mask"].sum())
    reason = monitor.unwrapped.explain(39).reason  # type: ignore[attr-defined]
    tally = monitor.tally
    assert (tally.total.states, tally.total.illegal, tally.total.policies) == (3, 1, 1)
    assert tally.reasons.total() == 1
    assert tally.reasons[reason] <= 1
    assert (tally.picks[0], tally.picks[39], tally.illegal_picks[39], tally.illegal_picks[0]) == (2, 1, 1, 0)
    assert monitor.figures() == {
        "legal_share": pytest.approx(np.mean(legal[:3]) / 40),
        "illegal_picks": pytest.approx(1 / 3),
        "illegal_mass": pytest.approx(mass),
    }
    monitor.clear()
    assert monitor.tally.total.states == 0
    monitor.close()
    plain.close()


@pytest.mark.parametrize("policy", ["refuse", "terminate", "reject"])
def test_reasons_are_the_servers_whatever_becomes_of_illegal_actions(policy: str) -> None:
    monitor = MaskMonitor(gymnasium.make("blockloom/BlockPuzzle10-v1", illegal_action=policy))
    monitor.reset(seed=1)
    try:
        monitor.step(301)
    except blockloom.IllegalActionError:
        assert policy == "reject"
    assert monitor.tally.reasons == {"not_stuck": 1}
    monitor.close()


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("policy", ["refuse", "terminate"])
def test_a_vector_is_counted_row_by_row(mode: str, policy: str) -> None:
    """Against a count by hand; a finished row that waits for its reset makes no choice."""
    keywords: dict[str, Any] = {"autoreset_mode": mode, "illegal_action": policy, "max_episode_steps": 7}
    envs = VectorMaskMonitor(gymnasium.make_vec("blockloom/Stackcraft-v1", 5, **keywords))
    rng = np.random.default_rng(3)
    _, infos = envs.reset(seed=3)
    over = np.zeros(5, bool)
    picks = illegal = 0
    legal, mass = 0.0, 0.0
    for _ in range(60):
        if mode == "disabled" and over.any():
            _, infos = envs.reset(options={"reset_mask": over})
            over[:] = False
        mask, actions = infos["action_mask"] != 0, rng.integers(0, 40, 5)
        logits = rng.normal(size=(5, 40)) * 3
        probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        wrong = (probabilities * ~mask).sum(axis=1)
        np.testing.assert_allclose(envs.observe_policy(logits=logits), wrong)
        counted = ~over if mode == "next_step" else np.ones(5, bool)
        picks += counted.sum()
        illegal += (counted & ~mask[np.arange(5), actions]).sum()
        legal += mask[counted].mean(axis=1).sum()
        mass += wrong[counted].sum()
        *_, terminations, truncations, infos = envs.step(actions)
        over = terminations | truncations
    tally = envs.tally
    assert (tally.total.states, tally.total.illegal) == (picks, illegal)
    assert (tally.picks.sum(), tally.illegal_picks.sum(), tally.reasons.total()) == (picks, illegal, illegal)
    assert set(tally.reasons) <= {"no_such_rotation", "out_of_bounds", "spawn_blocked"}
    assert envs.figures()["legal_share"] == pytest.approx(legal / picks)
    assert envs.figures()["illegal_mass"] == pytest.approx(mass / picks)
    assert tally.illegal_mass.sum() == pytest.approx(mass)
    envs.close()


def test_a_batch_that_is_turned_away_counts_for_the_row_to_blame() -> None:
    envs = VectorMaskMonitor(gymnasium.make_vec("blockloom/Stackcraft-v1", 3, illegal_action="reject"))
    envs.reset(seed=1)
    with pytest.raises(blockloom.IllegalActionError):
        envs.step(np.array([0, 39, 0]))
    assert (envs.tally.total.states, envs.tally.total.illegal, envs.tally.reasons.total()) == (1, 1, 1)
    envs.close()


class Tensor:
    """What a framework's tensor looks like from here."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return self._values


def test_policies_come_as_logits_probabilities_or_tensors() -> None:
    monitor = MaskMonitor(gymnasium.make("blockloom/Hourloom-v1"))
    _, info = monitor.reset(seed=1)
    legal = info["action_mask"] == 1
    only_legal = np.where(legal, 0.0, -np.inf)
    assert monitor.observe_policy(logits=only_legal) == 0.0
    assert monitor.observe_policy(logits=Tensor(only_legal.astype(np.float32))) == 0.0
    assert monitor.observe_policy(logits=[1000.0] * 7) == pytest.approx((~legal).mean())
    assert monitor.observe_policy(probs=~legal / (~legal).sum()) == pytest.approx(1.0)
    for bad in (
        {},
        {"logits": only_legal, "probs": only_legal},
        {"logits": np.zeros(6)},
        {"logits": np.full(7, -np.inf)},
        {"logits": np.full(7, np.nan)},
        {"probs": np.full(7, 0.2)},
        {"probs": np.array([1.5, -0.5, 0, 0, 0, 0, 0])},
    ):
        with pytest.raises(blockloom.InvalidArgumentError):
            monitor.observe_policy(**bad)
    assert monitor.tally.total.policies == 4
    monitor.close()


def watched(game: str) -> VectorMaskMonitor:
    """A monitor that has seen some unmasked play."""
    envs = VectorMaskMonitor(gymnasium.make_vec(f"blockloom/{game}", 4))
    rng = np.random.default_rng(1)
    envs.reset(seed=1)
    actions = len(envs.tally.picks)
    for _ in range(40):
        envs.observe_policy(logits=rng.normal(size=(4, actions)))
        envs.step(rng.integers(0, actions, 4))
    envs.close()
    return envs


def test_the_summary() -> None:
    envs = watched("Stackcraft-v1")
    text = envs.summary()
    total = envs.tally.total
    assert re.search(rf"^picks +{total.states}$", text, re.M)
    assert re.search(rf"^illegal picks +{total.illegal} \(\d+\.\d\d%\)$", text, re.M)
    for reason, count in envs.tally.reasons.items():
        assert re.search(rf"^{reason} +{count} +\d+\.\d%$", text, re.M)
    worst = int(envs.tally.illegal_picks.argmax())
    name = envs.tally.action_names[worst]
    assert re.search(rf"^{worst} {name} +[\d.]+% +\d+ +{envs.tally.illegal_picks[worst]} +[\d.]+%$", text, re.M)
    assert max(map(len, text.splitlines())) <= 80


def test_a_summary_of_nothing() -> None:
    assert MaskTally(["a", "b"]).shares().keys() == {"legal_share", "illegal_picks", "illegal_mass"}
    monitor = MaskMonitor(gymnasium.make("blockloom/Hourloom-v1"))
    assert monitor.summary().split() == ["picks", "0"]
    monitor.close()


@pytest.mark.parametrize("game", ["Stackcraft-v1", "BlockPuzzle10-v1", "Hourloom-v1"])
def test_the_report_is_one_page_with_pictures(game: str, tmp_path: Path) -> None:
    envs = watched(game)
    envs.report(tmp_path / "masks.html")
    page = (tmp_path / "masks.html").read_text()
    assert not re.search(r"(?:src|href)=|url\(|@import|<script", page)
    pictures = [ElementTree.fromstring(picture) for picture in re.findall(r"<svg.*?</svg>", page, re.S)]
    grids = {"Stackcraft-v1": 4, "BlockPuzzle10-v1": 3, "Hourloom-v1": 0}[game]
    assert len(pictures) == 2 + 4 * grids
    lines = [element.get("points") for element in pictures[0].iter() if element.tag.endswith("polyline")]
    assert len(lines) == 3
    assert all("nan" not in (points or "nan") for points in lines)
    for reason in envs.tally.reasons:
        assert f">{reason}</text>" in page
    cells = [element for picture in pictures[2:] for element in picture.iter() if element.tag.endswith("title")]
    assert len(cells) == 4 * sum("x" in name or "c" in name[:6] for name in envs.tally.action_names if name[0] in "rp")


@pytest.mark.parametrize("game", ["LumenBlocks-v1", "Hourloom-v1"])
def test_the_report_as_a_png(game: str, tmp_path: Path) -> None:
    watched(game).report(str(tmp_path / "masks.PNG"))
    data = (tmp_path / "masks.PNG").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(data) > 10_000


def test_without_matplotlib_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "blockloom._mask_figure":
            raise ImportError("No module named 'matplotlib'")
        return real(name, *rest, **more)

    envs = watched("Hourloom-v1")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"blockloom\[report\].*, or name a file that ends in \.html"):
        envs.report(tmp_path / "masks.png")
    with pytest.raises(blockloom.InvalidArgumentError, match=r"allowed: \.html, \.png"):
        envs.report(tmp_path / "masks.pdf")


def test_stretches_of_time_grow_and_lose_nothing() -> None:
    tally = MaskTally(["a", "b"])
    masks = np.array([[True, False]])
    for step in range(1000):
        tally.step(masks, np.array([int(step >= 900)]), ["closed"])
    assert len(tally.bins) <= 129
    assert tally.bin_steps == 8
    assert sum(part.states for part in tally.bins) == tally.total.states == 1000
    assert sum(part.illegal for part in tally.bins) == tally.total.illegal == 100
    assert sum(part.illegal for part in tally.bins[: 896 // 8]) == 0


def test_only_environments_of_this_package_are_watched() -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match="CartPoleEnv"):
        MaskMonitor(gymnasium.make("CartPole-v1"))
