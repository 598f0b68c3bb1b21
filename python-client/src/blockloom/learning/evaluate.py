"""The same as ``python -m blockloom evaluate`` and `blockloom.evaluation`, under the name that they had before."""

from __future__ import annotations

import sys

from blockloom.evaluation import interval, load_agent, play_episodes
from blockloom.evaluation.command import main

__all__ = ["interval", "load_agent", "main", "play_episodes"]

if __name__ == "__main__":
    sys.exit(main())
