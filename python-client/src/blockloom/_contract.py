"""The messages of the contract, as they arrive, and where the contract's files are.

Each class mirrors the message of the same name in ``environment.proto``; what a field means is written there.
On stdio they are decoded from JSON; on gRPC all but the hot ones are too, so that both give the same objects.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any, Literal

import msgspec

SERVER_DIR = Path(__file__).parent / "_server"
MAX_SEED_DIGITS = 64

Body = dict[str, Any]
"""A request in proto3 JSON form: camelCase names, ``bytes`` as such, absent fields left out."""


def server_file() -> Path:
    """The one-file server: ``BLOCKLOOM_SERVER`` if set, else the bundled one."""
    override = os.environ.get("BLOCKLOOM_SERVER")
    return Path(override) if override else SERVER_DIR / "blockloom.cjs"


def descriptor_set() -> bytes:
    """The serialized FileDescriptorSet of the contract, bundled beside the server."""
    return (SERVER_DIR / "descriptor_set.binpb").read_bytes()


class _Message(msgspec.Struct, rename="camel", frozen=True):
    pass


class ObservationSpec(_Message, frozen=True):
    """One observation array."""

    name: str
    kind: Literal["SPACE_KIND_BOX", "SPACE_KIND_DISCRETE", "SPACE_KIND_MULTI_DISCRETE"]
    dtype: Literal["DTYPE_UINT8", "DTYPE_INT32"]
    shape: list[int]
    low: list[int]
    high: list[int]
    nvec: list[int]
    packing: Literal["PACKING_NONE", "PACKING_BITS", "PACKING_NIBBLES"]
    description: str


class ConfigKeySpec(_Message, frozen=True):
    """One key of a game's configuration."""

    name: str
    type: str
    default_value: str
    min: int
    max: int
    values: list[str]
    description: str


class EnvSpec(_Message, frozen=True):
    """What was made."""

    game_id: str
    rules_version: str
    observations: list[ObservationSpec]
    num_actions: int
    action_names: list[str]
    outcome_names: list[str]
    config: dict[str, str]
    num_envs: int
    max_episode_steps: int
    autoreset_mode: str
    illegal_action: str
    wire_encoding: str
    reward: str
    record: bool
    reset_options: list[str]


class GameInfo(_Message, frozen=True):
    """One game that a server knows."""

    game_id: str
    rules_version: str
    title: str
    config: list[ConfigKeySpec]
    rewards: list[str]
    spec: EnvSpec


class ListGamesResponse(_Message, frozen=True):
    """The games of a server."""

    games: list[GameInfo]
    server_version: str


class MakeEnvResponse(_Message, frozen=True):
    """The name and the spec of a new environment."""

    env_id: str
    spec: EnvSpec


class RowRefusal(_Message, frozen=True):
    """An action that was not legal."""

    row: int
    action: int
    reason: str


class FinishedEpisode(_Message, frozen=True):
    """An episode that ended in a step."""

    row: int
    episode_return: float = msgspec.field(name="return")
    length: int
    outcomes: list[int]


class Batch(_Message, frozen=True):
    """All rows after a reset or a step."""

    observations: list[bytes]
    action_masks: bytes
    rewards: bytes
    terminations: bytes
    truncations: bytes
    outcomes: bytes
    refusals: list[RowRefusal]
    finished: list[FinishedEpisode]
    final_action_masks: bytes
    final_observations: list[bytes]


class BatchResponse(_Message, frozen=True):
    """The answer of Reset and Step."""

    batch: Batch


class Cell(_Message, frozen=True):
    """A board cell: row 0 is the top, col 0 the left."""

    row: int
    col: int


class LegalAction(_Message, frozen=True):
    """A legal action; ``landing`` and ``cells`` say where a placement lands."""

    action: int
    name: str
    cells: list[Cell]
    landing: Cell | None = None


class RowMask(_Message, frozen=True):
    """The mask of one row, one byte an action, and its legal actions in words."""

    row: int
    mask: bytes
    legal: list[LegalAction]


class GetActionMaskResponse(_Message, frozen=True):
    """The masks of the rows asked for."""

    masks: list[RowMask]


class Explanation(_Message, frozen=True):
    """Whether an action is legal, or why not.

    Attributes:
        action: The action number.
        name: Its name.
        legal: Whether a step would accept it now.
        reason: The first reason that holds; empty when legal.
        cells: The cells to blame; may be empty.
        message: One sentence; empty when legal.
    """

    action: int
    name: str
    legal: bool
    reason: str
    cells: list[Cell]
    message: str


class ExplainResponse(_Message, frozen=True):
    """One explanation for each action asked for."""

    explanations: list[Explanation]


class AfterstatesResponse(_Message, frozen=True):
    """What the legal placements, or sequences of them, lead to, as packed arrays."""

    row_offsets: bytes
    actions: bytes
    boards: bytes
    lines: bytes
    rewards: bytes
    board_spec: ObservationSpec
    sequences: bytes = b""
    sequence_length: int = 0
    figures: bytes = b""
    figure_names: list[str] = []
    values: bytes = b""
    learned: bytes = b""


class PlayResult(_Message, frozen=True):
    """What an action in the rules' own grammar led to.

    Attributes:
        ok: Whether the action was played.
        reason: Why not; empty when ok.
        message: One sentence; empty when ok.
        text: The observation as text, after the action.
        legal_actions: The legal actions in the same grammar, one JSON text each.
        score: The score.
        game_over: Whether the episode is over.
        reward: The reward of this action.
    """

    ok: bool
    reason: str
    message: str
    text: str
    legal_actions: list[str]
    score: int
    game_over: bool
    reward: float


class RenderResponse(_Message, frozen=True):
    """A row's observation as text."""

    text: str


class SaveReplayResponse(_Message, frozen=True):
    """A replay as JSON."""

    replay_json: str


class VerifyReplayResponse(_Message, frozen=True):
    """Whether a replay is a true record, or why not."""

    ok: bool
    reason: str
    message: str
    final_json: str
    ply: int | None = None


class LoadReplayResponse(_Message, frozen=True):
    """An environment that stands at a ply of a replay."""

    env_id: str
    spec: EnvSpec
    batch: Batch


class Error(_Message, frozen=True):
    """Why a request was refused."""

    code: str
    reason: str
    message: str
    metadata: dict[str, str]


class CloseEnvResponse(_Message, frozen=True):
    """Nothing."""


class SessionResponse(_Message, frozen=True):
    """The answer to one request: one of the results, or an error."""

    id: str | None = None
    error: Error | None = None
    list_games: ListGamesResponse | None = None
    make_env: MakeEnvResponse | None = None
    reset: BatchResponse | None = None
    step: BatchResponse | None = None
    get_action_mask: GetActionMaskResponse | None = None
    explain: ExplainResponse | None = None
    afterstates: AfterstatesResponse | None = None
    play: PlayResult | None = None
    render: RenderResponse | None = None
    save_replay: SaveReplayResponse | None = None
    verify_replay: VerifyReplayResponse | None = None
    load_replay: LoadReplayResponse | None = None
    close_env: CloseEnvResponse | None = None


class _StepAnswer(_Message, frozen=True):
    step: BatchResponse


_decoder = msgspec.json.Decoder(SessionResponse)
_step_decoder = msgspec.json.Decoder(_StepAnswer)
_encoder = msgspec.json.Encoder()


def decode_response(frame: bytes) -> SessionResponse:
    """Reads a response from its JSON form; raises ``msgspec.DecodeError`` if it is none."""
    return _decoder.decode(frame)


def decode_step(frame: bytes) -> Batch:
    """Reads the batch from the answer to a step; raises ``msgspec.DecodeError`` if it is none."""
    return _step_decoder.decode(frame).step.batch


def encode_request(request_id: str, call: str, body: Body) -> bytes:
    """Writes a request in its JSON form, without a line end; ``call`` is the camelCase field name."""
    return _encoder.encode({"id": request_id, call: body})


@functools.cache
def snake_case(name: str) -> str:
    """``getActionMask`` to ``get_action_mask``."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)
