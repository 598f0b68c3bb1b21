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

    def close(self) -> None:
        self._process.communicate()


class Engines:
    """The engine of one game, with a process for each thing that is measured: none unsettles another's code."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._workers = {form: EngineWorker() for form in ("packed", "dense", "other")}

    def contestants(self) -> list[Contestant]:
        """The engine alone, with packed and with dense observations; Stackcraft's bags."""
        found = []
        for form in ("packed", "dense"):
            question = {"game": self._game, "form": form, "rows": ROWS}
            self._workers[form].ask(**question, seconds=1.5)  # until the compilers have done their work
            found.append(_asking(("engine", self._game, form), self._workers[form], question))
        if self._game == "Stackcraft-v1":
            self._workers["other"].ask(bags=ROWS, seconds=0.5)
            found.append(_asking(("bags", self._game), self._workers["other"], {"bags": ROWS}))
        return found

    def digest(self) -> str:
        """Of boards, masks and rewards over some thousand steps."""
        answer = self._workers["other"].ask(game=self._game, rows=_CHECKED_ROWS, check=_CHECKED_ROUNDS)
        return str(answer["digest"])

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()


def _asking(key: tuple[str, ...], worker: EngineWorker, question: dict[str, Any]) -> Contestant:
    return Contestant(key, lambda seconds: worker.measure(**question, seconds=seconds))


def compiler() -> str | None:
    """A C compiler, if there is one."""
    return next(filter(None, map(shutil.which, [os.environ.get("CC", "cc"), "gcc", "clang"])), None)


def reference_contestants(game: str, engines: Engines, folder: Path) -> list[Contestant]:
    """The C reference, built in `folder`; none without a compiler. Raises where it plays other games than the engine.

    The engine's digest is compared with the reference's.
    """
    cc = compiler()
    if cc is None or game not in REFERENCES:
        return []
    expected = engines.digest()
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
