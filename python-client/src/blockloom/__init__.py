"""Five single-player puzzle games as Gymnasium environments, with a mask of legal actions at every step.

Importing this package registers the environments; a server is started when the first one is made:

    import gymnasium
    import blockloom

    env = gymnasium.make("blockloom/Stackcraft-v1")
    envs = gymnasium.make_vec("blockloom/Stackcraft-v1", num_envs=256)
"""

import gymnasium

from blockloom import baselines, stackcraft
from blockloom._afterstates import Afterstates, SearchValue
from blockloom._contract import Cell, ConfigKeySpec, EnvSpec, Explanation, GameInfo, ObservationSpec, PlayResult
from blockloom._games import game_ids, list_games
from blockloom.checking import MaskCheckError, MaskReport, check_masks
from blockloom.env import BlockloomEnv
from blockloom.errors import (
    BlockloomError,
    DeadlineError,
    IllegalActionError,
    InvalidArgumentError,
    NodeNotFoundError,
    ResetRequiredError,
    ServerDiedError,
)
from blockloom.mask_monitor import MaskMonitor, VectorMaskMonitor
from blockloom.positions import Position, afterstates_of
from blockloom.replays import ReplayVerdict, load_replay, verify_replay
from blockloom.sampling import sample
from blockloom.vector import BlockloomVectorEnv

__version__ = "0.1.0"

GAME_IDS = game_ids()
"""The games; each is registered with Gymnasium as ``blockloom/`` and its id."""

__all__ = [
    "GAME_IDS",
    "Afterstates",
    "BlockloomEnv",
    "BlockloomError",
    "BlockloomVectorEnv",
    "Cell",
    "ConfigKeySpec",
    "DeadlineError",
    "EnvSpec",
    "Explanation",
    "GameInfo",
    "IllegalActionError",
    "InvalidArgumentError",
    "MaskCheckError",
    "MaskMonitor",
    "MaskReport",
    "NodeNotFoundError",
    "ObservationSpec",
    "PlayResult",
    "Position",
    "ReplayVerdict",
    "ResetRequiredError",
    "SearchValue",
    "ServerDiedError",
    "VectorMaskMonitor",
    "afterstates_of",
    "baselines",
    "check_masks",
    "list_games",
    "load_replay",
    "sample",
    "stackcraft",
    "verify_replay",
]

for _game_id in GAME_IDS:
    gymnasium.register(
        id=f"blockloom/{_game_id}",
        entry_point="blockloom.env:BlockloomEnv",
        vector_entry_point="blockloom.vector:BlockloomVectorEnv",
        kwargs={"game_id": _game_id},
    )
