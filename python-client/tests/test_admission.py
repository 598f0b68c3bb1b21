"""Servers that want TLS or a token. The certificate in tls/ is for these tests alone: it signs itself."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv
from blockloom._address import addresses
from blockloom._node import server_command

GAME = "Stackcraft-v1"
TOKEN = "open-sesame-0123456789"
CERT, KEY = (Path(__file__).parent / "tls" / name for name in ("cert.pem", "key.pem"))
Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    processes = []

    def start(*flags: object) -> str:
        command = server_command("serve", "--listen", "127.0.0.1:0", *map(str, flags))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        processes.append(process)
        assert process.stdout is not None
        return f"localhost:{int(process.stdout.readline())}"

    yield start
    for process in processes:
        process.terminate()
        process.communicate(timeout=10)


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    (tmp_path / "token").write_text(TOKEN)
    return tmp_path / "token"


def test_a_token_lets_in(serve: Serve, token_file: Path) -> None:
    server = serve("--token-file", token_file)
    envs = BlockloomVectorEnv(GAME, 4, server=[server, server], token=TOKEN)
    assert envs.reset(seed=1)[1]["pieces"].tolist() == [0, 0, 0, 0]
    envs.close()
    assert len(blockloom.list_games(server, token=TOKEN)) >= 1
    for token in (None, "another-0123456789"):
        with pytest.raises(blockloom.ServerDiedError, match="UNAUTHENTICATED") as caught:
            BlockloomEnv(GAME, server=server, token=token)
        assert caught.value.code == "UNAUTHENTICATED"
        assert TOKEN not in str(caught.value)


def test_tls_with_a_certificate_to_trust_and_one_of_our_own(serve: Serve, token_file: Path) -> None:
    server = serve("--tls-cert", CERT, "--tls-key", KEY, "--tls-client-ca", CERT, "--token-file", token_file)
    env = BlockloomEnv(GAME, server=server, tls=CERT, tls_client=(CERT, KEY), token=TOKEN)
    assert env.reset(seed=1)[1]["pieces"] == 0
    env.close()
    refused: list[dict[str, Any]] = [{}, {"tls": True}, {"tls": CERT}]
    for keywords in refused:
        with pytest.raises(blockloom.ServerDiedError, match="failed"):
            BlockloomEnv(GAME, server=server, token=TOKEN, timeout_s=20, **keywords)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"token": TOKEN}, "name it with server="),
        ({"tls": True}, "name it with server="),
        ({"server": "localhost:1", "tls_client": (CERT, KEY)}, "tls_client needs tls"),
        ({"server": "localhost:1", "tls": "no/such/file.pem"}, "a TLS file cannot be read"),
    ],
)
def test_keywords_that_do_not_go_together(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(blockloom.InvalidArgumentError, match=re.escape(message)):
        BlockloomEnv(GAME, **keywords)


def test_the_token_is_not_shown() -> None:
    assert TOKEN not in repr(addresses("localhost:1", workers=1, token=TOKEN))
    assert TOKEN not in repr(addresses("localhost:1", workers=1, token=TOKEN)[0])
