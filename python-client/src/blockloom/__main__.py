"""``python -m blockloom CMD``: the bundled command line, such as ``python -m blockloom serve``."""

from __future__ import annotations

import os
import subprocess
import sys

from blockloom._node import server_command
from blockloom.errors import NodeNotFoundError


def main() -> int:
    """Runs the command line with this program's arguments, in its place where the system can do that."""
    try:
        command = server_command(*sys.argv[1:])
    except NodeNotFoundError as error:
        print(f"blockloom: {error}", file=sys.stderr)
        return 2
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
