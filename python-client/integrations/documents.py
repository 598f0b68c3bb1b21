"""The programs of docs/integrations.md, for the tests that run them, and the examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def program(heading: str) -> str:
    """The one ```py block under a heading."""
    text = (_ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    (section,) = (one for one in sections if one.startswith(f"{heading}\n"))
    (code,) = re.findall(r"^```py\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return str(code)


def run_example(name: str, *arguments: str) -> str:
    """Runs an example of examples/integrations; gives what it printed, or fails with what it complained of."""
    command = [sys.executable, "-W", "ignore", str(_ROOT / "examples" / "integrations" / name), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=dict(os.environ))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
