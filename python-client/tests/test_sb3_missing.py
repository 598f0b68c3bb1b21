"""What can be tested of `blockloom.sb3` and `sb3_features` without Stable-Baselines3; the rest is in integrations/."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, sys
sys.modules["stable_baselines3"] = None  # as if it were not installed
import blockloom
try:
    importlib.import_module(sys.argv[1])
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize("module", ["blockloom.sb3", "blockloom.sb3_features"])
def test_what_is_missing_is_told_with_what_brings_it(module: str) -> None:
    command = [sys.executable, "-c", PROGRAM, module]
    program = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert program.stdout.startswith(f'{module} needs Stable-Baselines3: pip install "blockloom[sb3]"')
