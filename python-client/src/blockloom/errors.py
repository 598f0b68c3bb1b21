"""The exceptions that this package raises."""

from __future__ import annotations

from collections.abc import Mapping


class BlockloomError(Exception):
    """Anything that went wrong between a program and a Blockloom server.

    Attributes:
        code: gRPC's name of the kind of error, such as ``"INVALID_ARGUMENT"``; empty if no server was asked.
        reason: A stable reason, such as ``"ACTIONS_MISMATCH"``; for an illegal action the game's own, such as
            ``"cell_occupied"``.
        metadata: Details for programs, such as ``{"row": "3", "action": "17"}``.
    """

    def __init__(
        self, message: str, *, code: str = "", reason: str = "", metadata: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata: dict[str, str] = dict(metadata or {})

    def __reduce__(self) -> tuple[object, ...]:
        """Keeps the attributes when the error crosses a process border."""
        return (_rebuild, (type(self), str(self), dict(self.__dict__)))


class InvalidArgumentError(BlockloomError, ValueError):
    """An argument that cannot be right: an unknown setting, a wrong shape, a number out of range."""


class IllegalActionError(BlockloomError, ValueError):
    """An action that is not legal now, in an environment made with ``illegal_action="reject"``."""


class ResetRequiredError(BlockloomError, ValueError):
    """A step in an environment that has not been reset yet, or whose episode is over."""


class DeadlineError(BlockloomError, TimeoutError):
    """No answer within ``timeout_s`` seconds. Whether the call took effect is not known."""


class ServerDiedError(BlockloomError, ConnectionError):
    """The server ended, or cannot be reached.

    Attributes:
        exit_code: The exit code of an embedded server, negative for a signal; None where it is not known.
        stderr: The last lines that an embedded server wrote to its standard error.
    """

    def __init__(self, message: str, *, exit_code: int | None = None, stderr: str = "") -> None:
        super().__init__(message, code="UNAVAILABLE")
        self.exit_code = exit_code
        self.stderr = stderr


class NodeNotFoundError(BlockloomError):
    """No Node.js that can run the embedded server, or no server file to run."""


_BY_CODE: dict[str, type[BlockloomError]] = {
    "INVALID_ARGUMENT": InvalidArgumentError,
    "DEADLINE_EXCEEDED": DeadlineError,
}


def from_server(code: str, reason: str, message: str, metadata: Mapping[str, str]) -> BlockloomError:
    """The exception for an error that a server answered with."""
    kind = _BY_CODE.get(code, BlockloomError)
    if code == "FAILED_PRECONDITION":
        if reason == "RESET_REQUIRED":
            kind = ResetRequiredError
        elif reason == "ILLEGAL_ACTION" or reason.islower():
            kind = IllegalActionError
    return kind(message or reason or code, code=code, reason=reason, metadata=metadata)


def _rebuild(kind: type[BlockloomError], message: str, attributes: dict[str, object]) -> BlockloomError:
    error = kind(message)
    error.__dict__.update(attributes)
    return error
