from __future__ import annotations

import pickle

import pytest

from blockloom import errors


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        ("INVALID_ARGUMENT", "ACTIONS_MISMATCH", errors.InvalidArgumentError),
        ("FAILED_PRECONDITION", "RESET_REQUIRED", errors.ResetRequiredError),
        ("FAILED_PRECONDITION", "cell_occupied", errors.IllegalActionError),
        ("FAILED_PRECONDITION", "ILLEGAL_ACTION", errors.IllegalActionError),
        ("FAILED_PRECONDITION", "NOT_RECORDING", errors.BlockloomError),
        ("NOT_FOUND", "UNKNOWN_GAME", errors.BlockloomError),
        ("DEADLINE_EXCEEDED", "", errors.DeadlineError),
        ("SOMETHING_NEW", "whatever", errors.BlockloomError),
    ],
)
def test_the_class_follows_from_code_and_reason(code: str, reason: str, kind: type) -> None:
    error = errors.from_server(code, reason, "words", {"row": "3"})
    assert type(error) is kind
    assert (str(error), error.code, error.reason, error.metadata) == ("words", code, reason, {"row": "3"})


def test_what_python_programs_catch() -> None:
    for kind in (errors.InvalidArgumentError, errors.IllegalActionError, errors.ResetRequiredError):
        assert issubclass(kind, (errors.BlockloomError))
        assert issubclass(kind, ValueError)
    assert issubclass(errors.DeadlineError, TimeoutError)
    assert issubclass(errors.ServerDiedError, ConnectionError)


def test_errors_cross_process_borders() -> None:
    died = pickle.loads(pickle.dumps(errors.ServerDiedError("gone", exit_code=-9, stderr="last")))
    assert (str(died), died.exit_code, died.stderr, died.code) == ("gone", -9, "last", "UNAVAILABLE")
    illegal = pickle.loads(pickle.dumps(errors.from_server("FAILED_PRECONDITION", "wall", "no", {"row": "0"})))
    assert (type(illegal), illegal.reason, illegal.metadata) == (errors.IllegalActionError, "wall", {"row": "0"})
