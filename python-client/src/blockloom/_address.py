"""Where an environment's server is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from blockloom._pinning import check_platform
from blockloom.errors import InvalidArgumentError

PathLike: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True)
class GrpcAddress:
    """A gRPC server, and what it takes to be let in."""

    target: str
    """``host:port`` or ``unix:/path``."""
    token: str | None = field(default=None, repr=False)
    tls_ca: str | None = None
    """A PEM file with the certificates to trust, or "" for those that come with gRPC; None: no TLS."""
    tls_client: tuple[str, str] | None = None
    """PEM files with the client's own certificate and its key."""

    def read_tls_files(self) -> tuple[bytes | None, bytes | None, bytes | None]:
        """The roots to trust, the client's key and its certificate, as gRPC takes them."""
        cert, key = self.tls_client or ("", "")
        try:
            roots, own_key, own_cert = (Path(path).read_bytes() if path else None for path in (self.tls_ca, key, cert))
        except OSError as error:
            raise InvalidArgumentError(f"a TLS file cannot be read: {error}") from error
        return roots, own_key, own_cert


class PinnedServer:
    """An embedded server of an environment's own, on the core of the thread that starts it."""


Address: TypeAlias = "int | PinnedServer | GrpcAddress"
"""The number of a shared embedded server, one of an environment's own, or a gRPC server."""


def addresses(
    server: str | Sequence[str] | None,
    *,
    workers: int,
    pin: bool = False,
    token: str | None = None,
    tls: bool | PathLike = False,
    tls_client: tuple[PathLike, PathLike] | None = None,
) -> list[Address]:
    """The servers named, or the numbers of the embedded ones; raises InvalidArgumentError."""
    if pin:
        if server is not None or workers > 1:
            raise InvalidArgumentError("pin=True is for one embedded server: not with server= or num_workers above 1")
        check_platform()
    if server is None:
        if token is not None or tls is not False or tls_client is not None:
            raise InvalidArgumentError("token, tls and tls_client are for a gRPC server; name it with server=")
        return [PinnedServer()] if pin else list(range(workers))
    if tls is False and tls_client is not None:
        raise InvalidArgumentError("tls_client needs tls=True, or tls= with the file of certificates to trust")
    ca = None if tls is False else "" if tls is True else os.fspath(tls)
    own = None if tls_client is None else (os.fspath(tls_client[0]), os.fspath(tls_client[1]))
    targets = [server] if isinstance(server, str) else list(server)
    for target in targets or [""]:
        if not isinstance(target, str) or not target:
            raise InvalidArgumentError(f"server={server!r}; allowed: 'host:port' or 'unix:/path', or a list of them")
    return [GrpcAddress(target, token, ca, own) for target in targets]
