"""Kills servers under Python clients, and Python clients under servers: `deaths.py servers|clients COUNT`.

The last line printed is the outcome as JSON. Runs with the package installed, on Linux.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

import blockloom
from blockloom._node import server_command
from blockloom._server_pool import POOL

GAMES = blockloom.GAME_IDS
CLIENT = """
import ctypes, os, sys, time
import blockloom
from blockloom._server_pool import POOL

env = blockloom.BlockloomEnv(sys.argv[1])
env.reset(seed=1)
holder = 0
if sys.argv[2] == "fork":
    # Forked behind Python's back, so that nothing closes the pipes in the child.
    holder = ctypes.CDLL(None).fork()
    if holder == 0:
        time.sleep(60)
        os._exit(0)
print(next(iter(POOL._entries.values())).channel.process_id, holder, flush=True)
while True:
    env.reset()
    if sys.argv[3] == "idle":
        time.sleep(60)
    for _ in range(20):
        if env.step(env.action_space.sample())[2]:
            break
"""


def state(pid: int) -> str:
    """The state letter of a process, ``Z`` for one that waits to be reaped, empty when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(") ")[2][0]
    except OSError:
        return ""


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Kill(threading.Thread):
    """Kills a process after a while; `at` is when."""

    def __init__(self, pid: int, after_s: float) -> None:
        super().__init__(daemon=True)
        self.pid, self.after_s, self.at = pid, after_s, 0.0

    def run(self) -> None:
        """Waits and kills."""
        time.sleep(self.after_s)
        self.at = time.monotonic()
        os.kill(self.pid, signal.SIGKILL)


def one_server_death(number: int, rng: random.Random) -> tuple[str, float]:
    """The kind of error that a client gets, and how long after the kill."""
    process: subprocess.Popen[str] | None = None
    server: str | None = None
    if number % 4 == 3:
        process = subprocess.Popen(
            server_command("serve", "--listen", "127.0.0.1:0"), stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        server = f"127.0.0.1:{int(process.stdout.readline())}"
    env = blockloom.BlockloomVectorEnv(GAMES[number % len(GAMES)], 16, server=server, timeout_s=10)
    env.reset(seed=number)
    pid = process.pid if process else next(iter(POOL._entries.values())).channel.process_id
    kill = Kill(pid, rng.random() * 0.05)
    kill.start()
    idle = rng.random() < 0.2
    try:
        if idle:
            kill.join()
            kill.at = time.monotonic()
        while True:
            env.step(np.asarray(env.action_space.sample()))
            if rng.random() < 0.05:
                env.reset()
                # A reset that finds its embedded server gone begins on another: that kill showed nothing.
                if process is None and next(iter(POOL._entries.values())).channel.process_id != pid:
                    env.close()
                    return one_server_death(number, rng)
    except blockloom.ServerDiedError as error:
        kind, late = type(error).__name__, time.monotonic() - kill.at
    except Exception as error:
        kind, late = type(error).__name__, time.monotonic() - kill.at
    kill.join()
    env.close()
    if process:
        process.wait(timeout=5)
        process.stdout.close()  # type: ignore[union-attr]
    return (kind if state(pid) == "" else "zombie"), late


def server_deaths(count: int) -> dict[str, object]:
    """Kills servers at random moments."""
    rng = random.Random(6)
    kinds: dict[str, int] = {}
    slowest = 0.0
    for number in range(count):
        kind, late = one_server_death(number, rng)
        kinds[kind] = kinds.get(kind, 0) + 1
        slowest = max(slowest, late)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    zombies = kinds.get("zombie", 0)
    ok = kinds == {"ServerDiedError": count} and slowest <= 1.0
    return {"ok": ok, "figure": f"{count} kills: {told}, slowest {slowest:.2f} s; 0 hangs, {zombies} zombies"}


def one_client_death(number: int, rng: random.Random) -> tuple[float, float]:
    """How long the server outlives its killed client, and the processor time that it uses meanwhile."""
    how = ["fork" if number % 2 else "plain", "idle" if number % 3 else "busy"]
    arguments = [sys.executable, "-c", CLIENT, GAMES[number % len(GAMES)], *how]
    client = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    server, holder = map(int, client.stdout.readline().split())
    time.sleep(rng.random() * 0.1)
    busy = busy_until = cpu_seconds(server)
    client.send_signal(signal.SIGKILL if number % 5 else signal.SIGTERM)
    killed = time.monotonic()
    client.wait()
    while state(server) not in ("", "Z") and time.monotonic() - killed < 10:
        busy_until = cpu_seconds(server)
        time.sleep(0.01)
    late = time.monotonic() - killed
    if state(server) not in ("", "Z"):
        os.kill(server, signal.SIGKILL)
    if holder:
        os.kill(holder, signal.SIGKILL)
    client.stdout.close()
    return late, max(0.0, busy_until - busy)


def client_deaths(count: int) -> dict[str, object]:
    """Kills clients at random moments, half of them with a forked child that holds the pipe."""
    rng = random.Random(7)
    deaths = [one_client_death(number, rng) for number in range(count)]
    slowest, busiest = max(late for late, _ in deaths), max(cpu for _, cpu in deaths)
    figure = f"{count} kills: slowest {slowest:.2f} s, at most {busiest:.2f} s of processor time meanwhile"
    return {"ok": slowest <= 3.0 and busiest <= 1.0, "figure": figure}


if __name__ == "__main__":
    run = {"servers": server_deaths, "clients": client_deaths}[sys.argv[1]]
    print(json.dumps(run(int(sys.argv[2]))), flush=True)
