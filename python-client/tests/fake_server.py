"""A scripted stand-in for the embedded server. Run as ``python fake_server.py BEHAVIOUR``."""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import time

BEHAVIOUR = sys.argv[1]
stepping = False
"""Whether the last request was a step."""


BATCH = {
    "observations": [],
    "actionMasks": "",
    "rewards": "",
    "terminations": "",
    "truncations": "",
    "outcomes": "",
    "refusals": [],
    "finished": [],
    "finalActionMasks": "",
    "finalObservations": [],
}
"""Told in the answer to a step, with the number of the request as its outcomes."""


def step_answer(request_id: str) -> bytes:
    batch = {**BATCH, "outcomes": base64.b64encode(request_id.encode()).decode()}
    return json.dumps({"id": request_id, "step": {"batch": batch}}, separators=(",", ":")).encode() + b"\n"


def answer(request_id: object, version: str = "fake") -> bytes:
    if stepping:
        return step_answer(str(request_id))
    return json.dumps({"id": request_id, "listGames": {"games": [], "serverVersion": version}}).encode() + b"\n"


def write(data: bytes) -> None:
    os.write(1, data)


def main() -> None:
    if BEHAVIOUR == "dies_at_start":
        print("no such option\nread the manual", file=sys.stderr, flush=True)
        sys.exit(3)
    held: list[object] = []
    global stepping
    for line in sys.stdin.buffer:
        request = json.loads(line)
        request_id, stepping = request["id"], "step" in request
        if BEHAVIOUR == "answers":
            write(answer(request_id))
        elif BEHAVIOUR == "byte_by_byte":
            for byte in answer(request_id):
                write(bytes([byte]))
        elif BEHAVIOUR == "in_two_halves":
            text = answer(request_id)
            write(text[:10])
            time.sleep(0.05)
            write(text[10:])
        elif BEHAVIOUR == "pairs":
            held.append(request_id)
            if len(held) == 2:
                write(answer(held[0]) + answer(held[1]))
                held.clear()
        elif BEHAVIOUR == "huge":
            write_all(answer(request_id, "x" * 3_000_000))
        elif BEHAVIOUR == "late":
            time.sleep(0.4)
            write(answer(request_id))
        elif BEHAVIOUR == "silent":
            time.sleep(60)
        elif BEHAVIOUR == "refuses":
            error = {
                "code": "FAILED_PRECONDITION",
                "reason": "cell_occupied",
                "message": "taken",
                "metadata": {"row": "3"},
            }
            write(json.dumps({"id": request_id, "error": error}).encode() + b"\n")
        elif BEHAVIOUR == "garbage":
            write(b"Debugger attached.\n")
            time.sleep(60)
        elif BEHAVIOUR == "other_id":
            write(answer("another"))
            time.sleep(60)
        elif BEHAVIOUR == "dies":
            print("first words\nfatal: out of memory", file=sys.stderr, flush=True)
            os._exit(7)
        elif BEHAVIOUR == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif BEHAVIOUR == "closes_output":
            os.close(1)
            time.sleep(60)
        elif BEHAVIOUR == "echoes_slowly":
            write_all(answer(request_id, "y" * 200_000))
    if BEHAVIOUR == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)


def write_all(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


if __name__ == "__main__":
    main()
