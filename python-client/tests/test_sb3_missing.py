"""What can be tested of `blockloom.sb3` without Stable-Baselines3; the rest is in integrations/."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["stable_baselines3"] = None  # as if it were not installed
import blockloom
try:
    import blockloom.sb3
except ImportError as error:
    print(error)
"""


def test_what_is_missing_is_told_with_what_brings_it() -> None:
    program = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert program.stdout.startswith('blockloom.sb3 needs Stable-Baselines3: pip install "blockloom[sb3]"')
