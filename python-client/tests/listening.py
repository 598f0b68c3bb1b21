"""Waits for servers that were just started."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path


def wait_until_it_listens(process: subprocess.Popen[bytes], path: Path, seconds: float = 30.0) -> None:
    """Returns when a Unix socket takes connections: it is there a moment before it does."""
    deadline = time.monotonic() + seconds
    while True:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(path))
                return
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
