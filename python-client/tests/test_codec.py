from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockloom._codec import Codec, expand_bits, expand_nibbles
from blockloom._contract import Batch, EnvSpec, ObservationSpec


def pack(rows: list[list[int]], bits: int) -> bytes:
    """Low bits first, each row in whole bytes: written as plainly as it can be."""
    out = bytearray()
    for row in rows:
        number = 0
        for i, value in enumerate(row):
            number |= value << (i * bits)
        out += number.to_bytes((len(row) * bits + 7) // 8, "little")
    return bytes(out)


@st.composite
def tables(draw: st.DrawFn, high: int) -> list[list[int]]:
    width = draw(st.integers(1, 70))
    row = st.lists(st.integers(0, high), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=9))


@given(tables(high=1))
def test_bits(rows: list[list[int]]) -> None:
    assert expand_bits(pack(rows, 1), len(rows), len(rows[0])).tolist() == rows


@given(tables(high=15))
def test_nibbles(rows: list[list[int]]) -> None:
    assert expand_nibbles(pack(rows, 4), len(rows), len(rows[0])).tolist() == rows


def test_no_rows() -> None:
    assert expand_bits(b"", 0, 40).shape == (0, 40)
    assert expand_nibbles(b"", 0, 40).shape == (0, 40)


def array_spec(name: str, kind: str, dtype: str, shape: list[int], packing: str) -> ObservationSpec:
    return ObservationSpec(
        name=name,
        kind=kind,  # type: ignore[arg-type]
        dtype=dtype,  # type: ignore[arg-type]
        shape=shape,
        low=[0],
        high=[9],
        nvec=[10] if kind != "SPACE_KIND_BOX" else [],
        packing=packing,  # type: ignore[arg-type]
        description="",
    )


def env_spec(encoding: str) -> EnvSpec:
    return EnvSpec(
        game_id="Example-v1",
        rules_version="example-v1",
        observations=[
            array_spec("board", "SPACE_KIND_BOX", "DTYPE_UINT8", [3, 5], "PACKING_NIBBLES"),
            array_spec("holes", "SPACE_KIND_BOX", "DTYPE_UINT8", [3, 3], "PACKING_BITS"),
            array_spec("piece", "SPACE_KIND_DISCRETE", "DTYPE_INT32", [], "PACKING_NIBBLES"),
            array_spec("tray", "SPACE_KIND_MULTI_DISCRETE", "DTYPE_INT32", [3], "PACKING_NONE"),
            array_spec("score", "SPACE_KIND_BOX", "DTYPE_INT32", [1], "PACKING_NONE"),
        ],
        num_actions=70,
        action_names=[],
        outcome_names=["score", "lines"],
        config={},
        num_envs=2,
        max_episode_steps=0,
        autoreset_mode="AUTORESET_MODE_NEXT_STEP",
        illegal_action="ILLEGAL_ACTION_REFUSE",
        wire_encoding=encoding,
        reward="score",
        record=False,
        reset_options=[],
    )


def batch(observations: list[bytes], masks: bytes) -> Batch:
    return Batch(
        observations=observations,
        action_masks=masks,
        rewards=np.array([1.5, -2], "<f4").tobytes(),
        terminations=b"\0\1",
        truncations=b"\1\0",
        outcomes=np.array([[10, 1], [20, 2]], "<i4").tobytes(),
        refusals=[],
        finished=[],
        final_action_masks=b"",
        final_observations=[],
    )


def test_both_encodings_give_the_same_new_arrays_of_the_spaces_dtypes() -> None:
    rng = np.random.default_rng(1)
    board, holes = rng.integers(0, 10, (2, 15)), rng.integers(0, 2, (2, 9))
    piece, tray, score = rng.integers(0, 10, (2, 1)), rng.integers(0, 10, (2, 3)), rng.integers(-9, 9, (2, 1))
    masks = rng.integers(0, 2, (2, 70))
    words = pack(np.pad(masks, ((0, 0), (0, 58))).tolist(), 1)
    packed = [pack(board.tolist(), 4), pack(holes.tolist(), 1), pack(piece.tolist(), 4)]
    dense = [board.astype("u1").tobytes(), holes.astype("u1").tobytes(), piece.astype("<i4").tobytes()]
    rest = [tray.astype("<i4").tobytes(), score.astype("<i4").tobytes()]
    for encoding, first, mask_bytes in (
        ("WIRE_ENCODING_PACKED", packed, words),
        ("WIRE_ENCODING_DENSE", dense, masks.astype("u1").tobytes()),
    ):
        arrays = Codec(env_spec(encoding)).arrays(batch(first + rest, mask_bytes), 2)
        expected = {
            "board": board.reshape(2, 3, 5).astype(np.uint8),
            "holes": holes.reshape(2, 3, 3).astype(np.uint8),
            "piece": piece.reshape(2),
            "tray": tray,
            "score": score.astype(np.int32),
        }
        assert list(arrays.observation) == list(expected)
        for name, array in expected.items():
            np.testing.assert_array_equal(arrays.observation[name], array, strict=True)
        np.testing.assert_array_equal(arrays.action_masks, masks.astype(np.int8), strict=True)
        np.testing.assert_array_equal(arrays.rewards, np.array([1.5, -2]), strict=True)
        assert arrays.terminations.tolist() == [False, True]
        assert arrays.truncations.tolist() == [True, False]
        np.testing.assert_array_equal(arrays.outcomes, np.array([[10, 20], [1, 2]], np.int32), strict=True)
        every = [*arrays.observation.values(), arrays.action_masks, arrays.rewards, arrays.terminations]
        assert all(array.flags.writeable for array in [*every, arrays.truncations, arrays.outcomes])


@pytest.mark.parametrize("encoding", ["WIRE_ENCODING_PACKED", "WIRE_ENCODING_DENSE"])
def test_the_only_row_is_read_as_a_row_of_many(encoding: str) -> None:
    rng = np.random.default_rng(2)
    codec = Codec(env_spec(encoding))
    packed = encoding == "WIRE_ENCODING_PACKED"
    for _ in range(50):
        board, holes, mask = rng.integers(0, 10, 15), rng.integers(0, 2, 9), rng.integers(0, 2, 70)
        small = rng.integers(0, 10, 1).tolist()
        data = [
            pack([board.tolist()], 4) if packed else board.astype("u1").tobytes(),
            pack([holes.tolist()], 1) if packed else holes.astype("u1").tobytes(),
            pack([small], 4) if packed else np.array(small, "<i4").tobytes(),
            rng.integers(0, 10, 3).astype("<i4").tobytes(),
            rng.integers(-9, 400, 1).astype("<i4").tobytes(),
        ]
        mask_bytes = pack([np.pad(mask, (0, 58)).tolist()], 1) if packed else mask.astype("u1").tobytes()
        only, many = codec.only_observation(data), codec.observations(data, 1)
        assert list(only) == list(many)
        for name, array in many.items():
            np.testing.assert_array_equal(only[name], array[0], strict=True)
            assert type(only[name]) is type(array[0])
        assert all(array.flags.writeable for array in only.values() if isinstance(array, np.ndarray))
        np.testing.assert_array_equal(codec.only_mask(mask_bytes), codec.masks(mask_bytes, 1)[0], strict=True)
        assert codec.only_mask(mask_bytes).flags.writeable
