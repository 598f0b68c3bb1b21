"""Calls that need a server and no environment."""

from __future__ import annotations

from blockloom._address import Address
from blockloom._contract import Body, SessionResponse
from blockloom._server_pool import POOL


def call_server(address: Address, call: str, body: Body, timeout_s: float) -> SessionResponse:
    """Sends one request to a server, which is started or connected to if need be, and waits for the answer."""
    channel = POOL.acquire(address)
    try:
        return channel.call(call, body, timeout_s)
    finally:
        POOL.release(address, channel)
