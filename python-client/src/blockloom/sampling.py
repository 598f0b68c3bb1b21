"""Uniform random legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_SMALL = 32

# [byte * 8 + k] uint8: the position of the k-th set bit of a byte, counted from 0; 0 where there is none
_BIT_OF_BYTE = np.zeros(256 * 8, np.uint8)
for _byte in range(256):
    for _k, _bit in enumerate(bit for bit in range(8) if _byte >> bit & 1):
        _BIT_OF_BYTE[_byte * 8 + _k] = _bit


def sample(mask: npt.NDArray[Any], rng: np.random.Generator) -> Any:
    """Draws a legal action for each row, all legal ones being equally likely.

    Args:
        mask: int8, uint8 or bool, ``(rows, num_actions)`` or ``(num_actions,)``; not zero where legal.
        rng: Where the chance comes from, such as ``numpy.random.default_rng(7)``.

    Returns:
        int64 ``(rows,)``, or an int for a mask of one dimension. A row without a legal action gets 0, as from
        ``Discrete.sample(mask)``.

    Raises:
        ValueError: The mask has another type or number of dimensions.
    """
    mask = np.asarray(mask)
    if mask.dtype.itemsize != 1 or mask.dtype.kind not in "iub":
        raise ValueError(f"mask must be int8, uint8 or bool, not {mask.dtype}")
    if mask.ndim == 1:
        legal = mask.nonzero()[0]
        return int(legal[int(rng.random() * len(legal))]) if len(legal) else 0
    if mask.ndim != 2:
        raise ValueError(f"mask must have one or two dimensions, not {mask.ndim}")
    rows = len(mask)
    if rows <= _SMALL:
        ranks = np.cumsum(mask != 0, axis=1, dtype=np.int64)
        wanted = (rng.random(rows) * ranks[:, -1]).astype(np.int64)
        actions = np.count_nonzero(ranks <= wanted[:, None], axis=1)
        return np.where(ranks[:, -1] > 0, actions, 0)
    return _sample_words(_to_words(mask), rng)


def _to_words(mask: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """``[words, rows]``: bit ``a % 64`` of word ``a // 64`` of a row is action ``a``."""
    rows, num_actions = mask.shape
    width = -(-num_actions // 64) * 64
    if width != num_actions:
        padded = np.zeros((rows, width), mask.dtype)
        padded[:, :num_actions] = mask
        mask = padded
    bits = np.packbits(np.ascontiguousarray(mask).reshape(-1), bitorder="little")
    return np.ascontiguousarray(bits.view("<u8").astype(np.uint64, copy=False).reshape(rows, -1).T)


def _sample_words(words: npt.NDArray[np.uint64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    upto = np.bitwise_count(words).astype(np.uint16)
    for i in range(1, len(words)):
        upto[i] += upto[i - 1]
    wanted = (rng.random(words.shape[1]) * upto[-1]).astype(np.uint16)
    word, rank, start = words[0], wanted, 0
    for i in range(1, len(words)):
        past = wanted >= upto[i - 1]
        word = np.where(past, words[i], word)
        rank = np.where(past, wanted - upto[i - 1], rank)
        start = start + past * np.int64(64)
    actions = start + _nth_set_bit(word, rank.astype(np.uint64))
    return np.where(upto[-1] > 0, actions, 0)


def _nth_set_bit(words: npt.NDArray[np.uint64], rank: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The position of set bit number `rank`, counted from 0, in each word.

    Select by bytes, as in Vigna, "Broadword Implementation of Rank/Select Queries" (2008).
    """
    word_bytes = np.ascontiguousarray(words).view(np.uint8)
    upto = np.bitwise_count(word_bytes).view(np.uint64) * _ONES  # byte i: set bits in bytes 0..i
    past = (((rank * _ONES) | _HIGHS) - upto) & _HIGHS  # high bit of byte i: it ends before the wanted bit
    start = np.bitwise_count(past).astype(np.uint64) * np.uint64(8)
    start = np.minimum(start, np.uint64(56))
    before = ((upto << np.uint64(8)) >> start) & np.uint64(255)
    byte = (words >> start) & np.uint64(255)
    index = (byte * np.uint64(8) + ((rank - before) & np.uint64(7))).astype(np.intp)
    positions: npt.NDArray[np.int64] = start.astype(np.int64) + _BIT_OF_BYTE.take(index)
    return positions
