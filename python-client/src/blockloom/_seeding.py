"""Seeds: integers of any sign and up to 64 digits."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding

from blockloom._contract import MAX_SEED_DIGITS
from blockloom.errors import InvalidArgumentError

_LIMIT = 10**MAX_SEED_DIGITS
Seeds: TypeAlias = "SupportsIndex | Sequence[SupportsIndex | None] | npt.NDArray[Any] | None"


def check_seed(seed: SupportsIndex) -> int:
    """A seed as an int. The message of an error never holds the seed."""
    try:
        number = operator.index(seed)
    except TypeError:
        raise InvalidArgumentError(f"a seed must be an integer, not {type(seed).__name__}", reason="BAD_SEED") from None
    if abs(number) >= _LIMIT:
        raise InvalidArgumentError(f"a seed may have at most {MAX_SEED_DIGITS} digits", reason="BAD_SEED")
    return number


class VectorSeeds:
    """The ``seed`` argument of a vector's reset, checked: one seed for all rows, one for each, or none."""

    def __init__(self, seed: Seeds, rows: int) -> None:
        self.base: int | None = None
        """Row i gets ``base + i``."""
        self.rows: list[int | None] | None = None
        """Row i gets ``rows[i]``; None where its own sequence goes on."""
        if seed is None:
            return
        if isinstance(seed, np.ndarray) and seed.ndim > 0:
            seed = _listed(seed)
        if hasattr(seed, "__index__"):
            self.base = check_seed(seed)
            check_seed(self.base + rows - 1)
            return
        if isinstance(seed, (str, bytes)) or not hasattr(seed, "__len__"):
            raise InvalidArgumentError(
                f"a seed must be an integer or a list of them, not {type(seed).__name__}", reason="BAD_SEED"
            )
        if len(seed) != rows:
            raise InvalidArgumentError(f"expected {rows} seeds, one a row, got {len(seed)}", reason="SEEDS_MISMATCH")
        self.rows = [None if one is None else check_seed(one) for one in seed]
        if all(one is None for one in self.rows):
            self.rows = None

    def fill(self, drawn: int) -> None:
        """Gives rows without a seed ``drawn + i``."""
        if self.rows is not None:
            self.rows = [drawn + i if one is None else one for i, one in enumerate(self.rows)]
        elif self.base is None:
            self.base = drawn

    @property
    def first(self) -> int | None:
        """The seed of row 0, if it has one."""
        return self.base if self.rows is None else self.rows[0]

    @property
    def partial(self) -> bool:
        """Whether some rows have a seed and some have not."""
        return self.rows is not None and None in self.rows

    @property
    def incomplete(self) -> bool:
        """Whether some rows, or all, have no seed."""
        return self.base is None and (self.rows is None or None in self.rows)

    @property
    def given(self) -> npt.NDArray[np.bool_]:
        """``[rows]``: the rows of a list that have a seed."""
        return np.array([one is not None for one in self.rows or ()], np.bool_)

    def listed(self) -> list[int] | None:
        """One seed for each row, 0 for those without; None if there is no list."""
        return None if self.rows is None else [0 if one is None else one for one in self.rows]


def _listed(seeds: npt.NDArray[Any]) -> list[SupportsIndex | None]:
    if seeds.ndim != 1 or seeds.dtype.kind not in "iuO":
        raise InvalidArgumentError(
            f"an array of seeds is {seeds.dtype} {seeds.shape}; allowed: integers of one dimension", reason="BAD_SEED"
        )
    one_each: list[SupportsIndex | None] = seeds.tolist()
    return one_each


def draw_seed() -> int:
    """A seed from the system's entropy: 63 bits."""
    return secrets.randbits(63)


def generator(seed: int) -> tuple[np.random.Generator, int]:
    """NumPy's generator of a seed, for ``np_random``, and the seed."""
    # NumPy takes no negative seeds; they are moved beyond all others.
    rng, _ = seeding.np_random(seed if seed >= 0 else _LIMIT - seed)
    return rng, seed
