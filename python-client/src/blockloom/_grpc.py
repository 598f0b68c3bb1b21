"""A session with a server over gRPC: one stream, messages made from the bundled descriptor set."""

from __future__ import annotations

import functools
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import msgspec
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import DecodeError, Message

from blockloom._address import GrpcAddress
from blockloom._channel import Channel
from blockloom._contract import (
    Batch,
    BatchResponse,
    Body,
    FinishedEpisode,
    RowRefusal,
    SessionResponse,
    decode_response,
    descriptor_set,
    encode_request,
)
from blockloom.errors import ServerDiedError

_METHOD = "/blockloom.v1.EnvironmentService/Session"
_OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


@functools.cache
def _messages() -> tuple[type[Any], type[Any]]:
    """SessionRequest and SessionResponse, in a descriptor pool of their own."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set()).file:
        pool.Add(file)
    request = pool.FindMessageTypeByName("blockloom.v1.SessionRequest")
    response = pool.FindMessageTypeByName("blockloom.v1.SessionResponse")
    return message_factory.GetMessageClass(request), message_factory.GetMessageClass(response)


_first_user: list[int] = []  # the process id that opened the first channel; a fork inherits it


class GrpcChannel(Channel):
    """Connects to a server and opens a session there."""

    def __init__(self, address: GrpcAddress) -> None:
        super().__init__()
        if not _first_user:
            _first_user.append(self.pid)
        if _first_user[0] != self.pid:
            raise ServerDiedError(
                "this process was forked from one that had used gRPC, and gRPC does not work in such a process: "
                "fork before the first connection, or start processes with multiprocessing's spawn method"
            )
        self._target = address.target
        self._request_class, self._response_class = _messages()
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._frames: queue.SimpleQueue[bytes | grpc.RpcError | None] = queue.SimpleQueue()
        self._received: list[bytes | grpc.RpcError | None] = []
        """What was taken from the reader thread and not handed on yet: at most one."""
        self._channel = _open(address)
        metadata = (("authorization", f"Bearer {address.token}"),) if address.token else None
        open_stream = self._channel.stream_stream(_METHOD, None, None)
        self._stream: Any = open_stream(iter(self._requests.get, None), metadata=metadata)
        self._reader = threading.Thread(
            target=_read_stream, args=(self._stream, self._frames.put), name="blockloom-grpc", daemon=True
        )
        self._reader.start()

    def close(self) -> None:
        """Ends the stream; the server frees the session's environments."""
        if self.pid != os.getpid():
            return
        if self._failure is None:
            self._failure = ServerDiedError(f"the connection to {self._target} was closed")
        self._requests.put(None)
        self._stream.cancel()
        self._reader.join(timeout=2.0)
        self._channel.close()

    def _encode(self, request_id: str, call: str, body: Body) -> bytes:
        message = json_format.Parse(encode_request(request_id, call, body), self._request_class())
        frame: bytes = message.SerializeToString()
        return frame

    def _encode_step(self, request_id: str, env_id: str, actions: bytes) -> bytes:
        message = self._request_class(id=request_id)
        message.step.env_id = env_id
        message.step.packed_actions = actions
        frame: bytes = message.SerializeToString()
        return frame

    def _decode(self, frame: bytes) -> SessionResponse:
        try:
            message = self._response_class.FromString(frame)
        except DecodeError as error:
            raise msgspec.DecodeError(str(error)) from error
        result = message.WhichOneof("result")
        if result == "step":
            return SessionResponse(id=message.id, step=BatchResponse(_batch(message.step.batch)))
        if result == "reset":
            return SessionResponse(id=message.id, reset=BatchResponse(_batch(message.reset.batch)))
        return decode_response(_to_json(message))

    def _id_of(self, frame: bytes) -> str | None:
        # A message starts with field 1, the id: a tag byte, its length and the text.
        if frame[:1] == b"\x0a" and len(frame) > 1 and frame[1] < 0x80:
            return frame[2 : 2 + frame[1]].decode("utf-8", "replace")
        return self._decode(frame).id

    def _write(self, frame: bytes, deadline: float) -> None:
        self._requests.put(frame)

    def _pump(self, deadline: float) -> None:
        if not self._received:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                self._received.extend(map(self._frames.get, (True,), (left,)))
            except queue.Empty:
                raise TimeoutError from None
        frame = self._received[0]
        if frame is None:
            raise self._broken(f"the server at {self._target} ended the session")
        if not isinstance(frame, bytes):
            code, details = _describe(frame)
            raise self._broken(f"the connection to {self._target} failed: {code}: {details}", code)
        self._hand_on(frame)
        self._received.clear()

    def _lost(self, why: str) -> ServerDiedError:
        return ServerDiedError(why)


def _open(address: GrpcAddress) -> grpc.Channel:
    if address.tls_ca is None:
        return grpc.insecure_channel(address.target, options=_OPTIONS)
    roots, key, certificate = address.read_tls_files()
    credentials = grpc.ssl_channel_credentials(roots, key, certificate)
    return grpc.secure_channel(address.target, credentials, options=_OPTIONS)


def _read_stream(stream: Iterator[bytes], put: Callable[[bytes | grpc.RpcError | None], None]) -> None:
    try:
        for frame in stream:
            put(frame)
    except grpc.RpcError as error:
        put(error)
    else:
        put(None)


def _describe(error: grpc.RpcError) -> tuple[str, str]:
    code, details = getattr(error, "code", None), getattr(error, "details", None)
    return (code().name if code else "UNKNOWN"), str(details() if details else error)


def _batch(message: Any) -> Batch:
    return Batch(
        observations=list(message.observations),
        action_masks=message.action_masks,
        rewards=message.rewards,
        terminations=message.terminations,
        truncations=message.truncations,
        outcomes=message.outcomes,
        refusals=[RowRefusal(refusal.row, refusal.action, refusal.reason) for refusal in message.refusals],
        finished=[
            FinishedEpisode(end.row, getattr(end, "return"), end.length, list(end.outcomes)) for end in message.finished
        ],
        final_action_masks=message.final_action_masks,
        final_observations=list(message.final_observations),
    )


def _to_json(message: Message) -> bytes:
    text = json_format.MessageToJson(message, always_print_fields_with_no_presence=True, indent=None)
    return text.encode()
