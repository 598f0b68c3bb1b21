from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blockloom

# The 99.99th percentiles of the chi-square distribution by degrees of freedom.
CHI_SQUARE_LIMIT = {1: 15.14, 2: 18.42, 11: 37.37, 17: 46.80, 63: 115.2, 90: 149.9}


def random_masks(rows: int, num_actions: int, seed: int) -> npt.NDArray[np.int8]:
    rng = np.random.default_rng(seed)
    mask = rng.random((rows, num_actions)) < rng.random((rows, 1))
    return mask.astype(np.int8)


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 200), st.integers(1, 330), st.integers(0, 2**32), st.sampled_from([np.int8, np.uint8, np.bool_]))
def test_only_legal_actions_are_drawn_at_every_size(rows: int, num_actions: int, seed: int, dtype: Any) -> None:
    mask = random_masks(rows, num_actions, seed).astype(dtype)
    actions = blockloom.sample(mask, np.random.default_rng(seed))
    assert actions.dtype == np.int64
    assert actions.shape == (rows,)
    some = mask.any(axis=1)
    assert mask[np.arange(rows), actions][some].all()
    assert (actions[~some] == 0).all()


@pytest.mark.parametrize(
    ("num_actions", "legal"),
    [
        (40, list(range(3, 39, 2))),
        (192, [0, 63, 64]),
        (192, [1, 7, 8, 15, 60, 63, 64, 100, 127, 128, 190, 191]),
        (64, list(range(64))),
        (302, [*range(90), 301]),
        (7, [2, 6]),
    ],
)
@pytest.mark.parametrize("rows", [1, 20, 2000])
def test_all_legal_actions_are_equally_likely(num_actions: int, legal: list[int], rows: int) -> None:
    mask = np.zeros((rows, num_actions), np.int8)
    mask[:, legal] = 1
    rng = np.random.default_rng(11)
    draws = 400 * len(legal)
    batches = [blockloom.sample(mask, rng) for _ in range(-(-draws // rows))]
    counts = np.bincount(np.concatenate(batches), minlength=num_actions)
    total = int(counts.sum())
    assert counts[legal].sum() == total
    expected = total / len(legal)
    chi_square = float(((counts[legal] - expected) ** 2 / expected).sum())
    assert chi_square < CHI_SQUARE_LIMIT[len(legal) - 1]


def test_rows_are_drawn_independently() -> None:
    mask = np.ones((4000, 2), np.int8)
    actions = blockloom.sample(mask, np.random.default_rng(5))
    pairs = np.bincount(actions[:-1] * 2 + actions[1:], minlength=4)
    assert ((pairs - 1000) ** 2 / 1000).sum() < 21.11  # 99.99th percentile, 3 degrees of freedom


def test_a_mask_of_one_dimension_gives_an_int() -> None:
    action = blockloom.sample(np.array([0, 0, 1, 0], np.int8), np.random.default_rng(0))
    assert action == 2
    assert type(action) is int
    assert blockloom.sample(np.zeros(4, np.bool_), np.random.default_rng(0)) == 0


def test_the_same_generator_state_draws_the_same() -> None:
    mask = random_masks(500, 40, 3)
    first, second = (blockloom.sample(mask, np.random.default_rng(9)) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_the_mask_is_left_alone_and_may_be_a_view() -> None:
    whole = random_masks(100, 80, 4)
    before = whole.copy()
    view = whole[::2, ::2]
    actions = blockloom.sample(view, np.random.default_rng(0))
    assert view[np.arange(50), actions].all() or not view.any(axis=1).all()
    np.testing.assert_array_equal(whole, before)


@pytest.mark.parametrize("mask", [np.ones((2, 3), np.int64), np.ones((2, 3)), np.ones((1, 1, 2), np.int8)])
def test_other_types_and_shapes_are_refused(mask: npt.NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="mask must"):
        blockloom.sample(mask, np.random.default_rng(0))
