"""``python -m blockloom CMD``: ``evaluate``, and the bundled command line, such as ``python -m blockloom serve``."""

from __future__ import annotations

import os
import subprocess
import sys

from blockloom._node import server_command
from blockloom.errors import NodeNotFoundError

_HELP = ("help", "--help", "-h")
_COMMANDS = "Commands:\n"
_EVALUATE = "evaluate let agents play a game, and tell with intervals what they reach"


def main() -> int:
    """Runs the command line with this program's arguments; the bundled one takes this program's place if it can."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["evaluate"]:
        from blockloom.evaluation import command

        return command.main(arguments[1:])
    try:
        command_line = server_command(*arguments)
    except NodeNotFoundError as error:
        print(f"blockloom: {error}", file=sys.stderr)
        return 2
    if not arguments or arguments[0] in _HELP:
        return _help(command_line)
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command_line[0], command_line)
    return subprocess.run(command_line, check=False).returncode


def _help(command_line: list[str]) -> int:
    """Prints the bundled command line's help, with the command that it does not have in its list."""
    done = subprocess.run(command_line, check=False, capture_output=True, text=True, encoding="utf-8")
    for text, stream in ((done.stdout, sys.stdout), (done.stderr, sys.stderr)):
        head, found, rest = text.partition(_COMMANDS)
        listed, blank, tail = rest.partition("\n\n")
        rows = [line.split(maxsplit=1) for line in [*listed.splitlines(), _EVALUATE]]
        lines = "\n".join(f"  {name:<9} {what}" for name, what in rows)
        stream.write(f"{head}{found}{lines}{blank}{tail}" if found else text)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
