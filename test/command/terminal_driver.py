"""Runs a command in a pseudo terminal of 80x24, presses keys, and tells as JSON what a person would have seen.

The plan is JSON on standard input: {"command": [...], "env": {...}, "presses": [{"keys": "...", "until": "..."}]}.
Each press sends its keys, then waits until the screen shows the text of `until`, if there is one. A press
{"signal": N} sends a signal instead, and {"stopped": true} waits until the process has stopped itself.
"""

import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import fcntl

LIMIT_S = 60
STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    def __init__(self, command, env):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.seen = ""
        self.deadline = time.monotonic() + LIMIT_S
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(self.slave, fd)
            os.closerange(3, 256)
            os.execvpe(command[0], command, {**os.environ, **env})

    def read(self, seconds):
        """Takes in what is written within a time; returns whether anything was."""
        if time.monotonic() > self.deadline:
            os.kill(self.pid, signal.SIGKILL)
            raise SystemExit(f"nothing happened for {LIMIT_S} s; last seen: {self.seen[-2000:]!r}")
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
        return True

    def frame(self):
        """The lines of the last whole screen."""
        screens = self.seen.split("\x1b[H")
        whole = [screen for screen in screens[1:] if "\x1b[J" in screen]
        if not whole:
            return []
        text = whole[-1].split("\x1b[J")[0]
        return [STYLE.sub("", line).replace("\x1b[K", "") for line in re.split(r"\r+\n", text)]

    def shows(self, text):
        return any(text in line for line in self.frame())

    def press(self, keys):
        data = keys.encode()
        while data:
            data = data[os.write(self.master, data[:512]) :]
            while self.read(0):
                pass

    def wait_for(self, text):
        while not self.shows(text):
            self.read(0.2)

    def wait_until_stopped(self):
        while not os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)[0]:
            self.read(0.05)
        if self.before != termios.tcgetattr(self.slave):
            raise SystemExit("the process stopped without giving the terminal back")

    def wait(self):
        """Reads until the process has ended; returns its exit code."""
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0):
                    pass
                return os.waitstatus_to_exitcode(status)
            self.read(0.05)


def main():
    plan = json.load(sys.stdin)
    terminal = Terminal(plan["command"], plan.get("env", {}))
    while not terminal.frame():
        terminal.read(0.5)
    frames = [terminal.frame()]
    for press in plan["presses"]:
        if "signal" in press:
            os.kill(terminal.pid, press["signal"])
            continue
        if "stopped" in press:
            terminal.wait_until_stopped()
            continue
        terminal.press(press["keys"])
        if "until" in press:
            terminal.wait_for(press["until"])
        frames.append(terminal.frame())
    code = terminal.wait()
    print(
        json.dumps(
            {
                "code": code,
                "frames": frames,
                "restored": terminal.before == termios.tcgetattr(terminal.slave),
                "seen": terminal.seen,
            }
        )
    )


main()
