"""Engines without Python: the TypeScript ones, and the plain C references of some of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from figures import Contestant

from blockloom._node import find_node

BENCH = Path(__file__).parents[1]
REFERENCES = {"Stackcraft-v1": "stackcraft", "BlockPuzzle8-v1": "tray8"}
BUILDS = {"-O2": ["-O2"], "-O3 -march=native": ["-O3", "-march=native"]}
ROWS = 1024
_CHECKED_ROWS, _CHECKED_ROUNDS = 16, 500


def node_command(script: str, *arguments: str) -> list[str]:
    """The command that runs a TypeScript file of this folder."""
    node = find_node(os.environ.get("BLOCKLOOM_NODE", ""), os.environ.get("PATH", ""))
    return [node, "--import", "tsx", str(BENCH / script), *arguments]


class EngineWorker:
    """A Node process that measures the engine of one game, so that its code is compiled for that game."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            node_command("engine-worker.ts"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, **question: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        return json.loads(self._process.stdout.readline())

    def measure(self, **question: object) -> tuple[float, float]:
        answer = self.ask(**question)
        return answer["steps"], answer["seconds"]

    def warm_up(self, game: str) -> None:
        """Plays until the compilers have done their work."""
        for form in ("packed", "dense"):
            self.ask(game=game, form=form, rows=ROWS, seconds=1.5)
        if game == "Stackcraft-v1":
            self.ask(bags=1024, seconds=0.5)

    def close(self) -> None:
        self._process.communicate()


def engine_contestants(game: str, worker: EngineWorker) -> list[Contestant]:
    """The engine alone, with packed and with dense observations; Stackcraft's bags."""

    def contestant(form: str) -> Contestant:
        return Contestant(
            ("engine", game, form), lambda seconds: worker.measure(game=game, form=form, rows=ROWS, seconds=seconds)
        )

    found = [contestant("packed"), contestant("dense")]
    if game == "Stackcraft-v1":
        found.append(Contestant(("bags", game), lambda seconds: worker.measure(bags=1024, seconds=seconds)))
    return found


def compiler() -> str | None:
    """A C compiler, if there is one."""
    return next(filter(None, map(shutil.which, [os.environ.get("CC", "cc"), "gcc", "clang"])), None)


def reference_contestants(game: str, worker: EngineWorker, folder: Path) -> list[Contestant]:
    """The C reference, built in `folder`; none without a compiler. Raises where it plays other games than the engine.

    The engine's digest of boards, masks and rewards over some thousand steps is compared with the reference's.
    """
    cc = compiler()
    if cc is None or game not in REFERENCES:
        return []
    expected = worker.ask(game=game, rows=_CHECKED_ROWS, check=_CHECKED_ROUNDS)["digest"]
    found = []
    for name, flags in BUILDS.items():
        program = folder / f"{REFERENCES[game]}{name.replace(' ', '')}"
        # Contracted multiplications and additions would change Alea's fractions.
        source = BENCH / "c" / f"{REFERENCES[game]}.c"
        subprocess.run([cc, *flags, "-ffp-contract=off", "-o", str(program), str(source)], check=True)
        digest = _output([str(program), "check", str(_CHECKED_ROWS), str(_CHECKED_ROUNDS)])[0]
        if digest != expected:
            raise AssertionError(f"{game}: the C reference plays other games than the engine: {digest}, {expected}")
        found.append(_program_contestant(("C", game, name), program))
    return found


def _program_contestant(key: tuple[str, ...], program: Path) -> Contestant:
    def measure(seconds: float) -> tuple[float, float]:
        steps, elapsed = _output([str(program), "bench", str(ROWS), str(seconds)])
        return float(steps), float(elapsed)

    return Contestant(key, measure)


def _output(command: list[str]) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
