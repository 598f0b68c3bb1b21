"""Processes: who starts them, who shares them, and what is left when one of them ends."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv

import blockloom
from blockloom import BlockloomEnv, BlockloomVectorEnv
from blockloom._address import addresses
from blockloom._server_pool import POOL, ServerPool
from blockloom._stdio import StdioChannel
from listening import wait_until_it_listens

GAME = "Stackcraft-v1"


def embedded() -> StdioChannel:
    """The embedded server that environments get now."""
    channel = POOL.acquire(0)
    POOL.release(0, channel)
    assert isinstance(channel, StdioChannel)
    return channel


def wait_at_most_a_second(envs: BlockloomVectorEnv) -> None:
    """From now on an answer that takes longer is a DeadlineError."""
    for part in envs._groups.parts:
        part.remote.timeout_s = 1.0


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def run_program(source: str, *arguments: str) -> subprocess.Popen[str]:
    program = textwrap.dedent(source)
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


PROGRAM = """
import sys, time
import numpy as np
import blockloom
from blockloom._server_pool import POOL
kind = sys.argv[1]
envs = blockloom.BlockloomVectorEnv("Stackcraft-v1", 4, num_workers=2)
envs.reset(seed=1)
print(*(POOL._entries[i].channel.process_id for i in range(2)), flush=True)
if kind == "waits":
    time.sleep(60)
elif kind == "raises":
    raise RuntimeError("on purpose")
elif kind == "steps":
    while True:
        envs.step(np.zeros(4, int))
elif kind == "os_exit":
    import os
    os._exit(0)
"""


@pytest.mark.parametrize("ending", ["returns", "raises", "os_exit", "kill", "kill_in_step", "interrupt"])
def test_no_server_is_left_however_python_ends(ending: str) -> None:
    kind = {"kill": "waits", "interrupt": "waits", "kill_in_step": "steps"}.get(ending, ending)
    program = run_program(PROGRAM, kind)
    assert program.stdout is not None
    servers = [int(number) for number in program.stdout.readline().split()]
    assert len(servers) == 2
    if ending.startswith("kill"):
        time.sleep(0.1)
        program.kill()
    elif ending == "interrupt":
        program.send_signal(signal.SIGINT)
    program.communicate(timeout=30)
    assert wait_until(lambda: not any(map(is_running, servers)))


def test_an_unused_import_starts_nothing() -> None:
    program = run_program("""
        import os, blockloom, gymnasium
        from blockloom._server_pool import POOL
        assert not POOL._entries
        assert "grpc" not in __import__("sys").modules
        gymnasium.spec("blockloom/Hourloom-v1")
    """)
    _, stderr = program.communicate(timeout=30)
    assert program.returncode == 0, stderr


@pytest.mark.parametrize("layout", [{}, {"num_workers": 2}, {"batch_size": 1}], ids=str)
def test_a_killed_server_is_an_error_within_a_second_and_reset_starts_another(layout: Any) -> None:
    envs = BlockloomVectorEnv(GAME, 2, **layout)
    env = BlockloomEnv(GAME)
    envs.reset(seed=1)
    env.reset(seed=1)
    victim = embedded()
    os.kill(victim.process_id, signal.SIGKILL)
    wait_at_most_a_second(envs)
    with pytest.raises(blockloom.ServerDiedError, match="SIGKILL") as caught:
        envs.step(np.zeros(2, int))
    assert caught.value.exit_code == -signal.SIGKILL
    with pytest.raises(blockloom.ResetRequiredError):
        envs.step(np.zeros(2, int))
    with pytest.raises(blockloom.ServerDiedError):
        env.step(0)
    fresh = BlockloomVectorEnv(GAME, 2)
    assert data_equivalence(envs.reset(seed=5), fresh.reset(seed=5), exact=True)
    assert env.reset()[1]["pieces"] == 0
    assert embedded().process_id != victim.process_id
    for each in (env, envs, fresh):
        each.close()


def test_a_server_killed_while_a_step_is_waited_for() -> None:
    envs = BlockloomVectorEnv(GAME, 2)
    envs.reset(seed=1)
    victim = embedded().process_id
    os.kill(victim, signal.SIGSTOP)
    threading.Timer(0.3, lambda: os.kill(victim, signal.SIGKILL)).start()
    with pytest.raises(blockloom.ServerDiedError):
        envs.step(np.zeros(2, int))
    envs.close()


def test_a_stopped_server_is_a_deadline_and_the_step_is_not_repeated() -> None:
    env, control = BlockloomEnv(GAME), BlockloomEnv(GAME)
    env.reset(seed=1)
    control.reset(seed=1)
    process_id = embedded().process_id
    os.kill(process_id, signal.SIGSTOP)
    env._remote.timeout_s = 0.3
    with pytest.raises(blockloom.DeadlineError, match=r"timeout_s=0\.3"):
        env.step(0)
    env._remote.timeout_s = 120
    os.kill(process_id, signal.SIGCONT)
    with pytest.raises(blockloom.ResetRequiredError):
        env.step(0)
    assert control.step(0)[4]["pieces"] == 1
    assert data_equivalence(env.reset(seed=2)[0], control.reset(seed=2)[0], exact=True)
    env.close()
    control.close()


def test_a_grpc_server_that_ends_is_an_error_within_a_second(tmp_path: Path) -> None:
    from blockloom._node import server_command

    address = f"unix:{tmp_path}/s.sock"
    process = subprocess.Popen(server_command("serve", "--listen", address), stderr=subprocess.DEVNULL)
    assert wait_until((tmp_path / "s.sock").exists)
    envs = BlockloomVectorEnv(GAME, 2, server=address)
    envs.reset(seed=1)
    process.kill()
    process.wait()
    wait_at_most_a_second(envs)
    with pytest.raises(blockloom.ServerDiedError, match=r"s\.sock failed"):
        envs.step(np.zeros(2, int))
    with pytest.raises(blockloom.ServerDiedError):
        envs.reset(seed=1)
    envs.close()


@pytest.fixture(params=["stdio", "grpc"])
def small(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str | None]:
    """The keyword ``server`` for one that holds no more than eight environments."""
    from blockloom._node import server_command

    if request.param == "stdio":
        pool = ServerPool(lambda _: StdioChannel(server_command("stdio", "--max-envs", "8")))
        monkeypatch.setattr("blockloom._remote.POOL", pool)
        monkeypatch.setitem(globals(), "POOL", pool)
        yield None
        pool.close()
        return
    address = f"unix:{tmp_path}/s.sock"
    process = subprocess.Popen(
        server_command("serve", "--listen", address, "--max-session-envs", "8"), stderr=subprocess.DEVNULL
    )
    wait_until_it_listens(process, tmp_path / "s.sock")
    yield address
    process.terminate()
    process.wait(timeout=10)


def test_environments_that_are_closed_or_dropped_make_room_for_others(small: str | None) -> None:
    server = small
    address = addresses(server, workers=1)[0]
    channel = POOL.acquire(address)
    full = [BlockloomEnv(GAME, server=server) for _ in range(8)]
    with pytest.raises(blockloom.BlockloomError, match="8") as refused:
        BlockloomEnv(GAME, server=server)
    assert refused.value.code == "RESOURCE_EXHAUSTED"
    for env in full:
        env.close()
    for _ in range(30):
        BlockloomEnv(GAME, server=server).close()
    for _ in range(30):
        BlockloomEnv(GAME, server=server)
        gc.collect()
    dropped = channel.lost_envs[-1]
    BlockloomEnv(GAME, server=server).close()
    assert not channel.lost_envs
    with pytest.raises(blockloom.BlockloomError) as caught:
        channel.call("render", {"envId": dropped, "row": 0}, 60)
    assert caught.value.reason == "UNKNOWN_ENV"
    POOL.release(address, channel)


def test_environments_share_a_server_and_the_last_one_stops_it() -> None:
    opened = []

    class Channel(StdioChannel):
        def __init__(self, address: Any) -> None:
            from blockloom._node import server_command

            super().__init__(server_command("stdio"))
            opened.append(address)

    pool = ServerPool(Channel)
    first, second, other = pool.acquire(0), pool.acquire(0), pool.acquire(1)
    assert first is second is not other
    assert opened == [0, 1]
    pool.release(0, first)
    assert first.usable
    pool.release(0, second)
    assert not first.usable
    assert other.usable
    assert pool.acquire(0) is not first
    pool.close()
    assert not other.usable
    pool.close()


def test_threads_make_and_play_environments_on_one_server(server: str | None) -> None:
    expected = play_alone(BlockloomEnv(GAME, server=server), 3)
    results: list[Any] = []

    def work() -> None:
        results.append(play_alone(BlockloomEnv(GAME, server=server), 3))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(results) == 8
    assert all(data_equivalence(result, expected, exact=True) for result in results)


def play_alone(env: BlockloomEnv, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    seen: list[Any] = [env.reset(seed=seed)]
    for _ in range(60):
        seen.append(env.step(blockloom.sample(env.action_masks(), rng)))
        if seen[-1][2]:
            seen.append(env.reset())
    env.close()
    return seen


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import blockloom

server = sys.argv[1] or None
if sys.argv[2] == "vector":
    envs = blockloom.BlockloomVectorEnv("Stackcraft-v1", 32, server=server, timeout_s=20)
    control = blockloom.BlockloomVectorEnv("Stackcraft-v1", 32)
    actions = np.zeros(32, int)
else:
    envs = blockloom.BlockloomEnv("Stackcraft-v1", server=server, timeout_s=20)
    control = blockloom.BlockloomEnv("Stackcraft-v1")
    actions = 0
rng = np.random.default_rng(1)
going, interrupts, steps = True, 0, 0

def interrupt():
    while going:
        time.sleep(0.0005 + 0.01 * rng.random())
        os.kill(os.getpid(), signal.SIGINT)

envs.reset(seed=1)
thread = threading.Thread(target=interrupt)
while going:
    try:
        if thread.ident is None:
            thread.start()
        while interrupts < 200 or steps < 200:
            try:
                envs.step(actions)
                steps += 1
            except blockloom.ResetRequiredError:
                envs.reset(seed=1)
        going = False
    except KeyboardInterrupt:
        interrupts += 1
while thread.is_alive():
    try:
        thread.join()
    except KeyboardInterrupt:
        pass
assert (envs.reset(seed=5)[0]["board"] == control.reset(seed=5)[0]["board"]).all()
for _ in range(8):
    ours, theirs = (either.step(actions)[0] for either in (envs, control))
    assert (ours["board"] == theirs["board"]).all()
    assert (ours["next"] == theirs["next"]).all()
print("the same")
"""


@pytest.mark.parametrize("kind", ["vector", "single"])
def test_interrupts_at_any_moment_leave_a_session_that_works(server: str | None, kind: str) -> None:
    program = run_program(INTERRUPTED, server or "", kind)
    stdout, stderr = program.communicate(timeout=100)
    assert stdout == "the same\n", stderr


FORK = """
import os, sys
import blockloom
server = sys.argv[1] or None
env = blockloom.BlockloomEnv("Stackcraft-v1", server=server)
expected = [env.reset(seed=3)[0]["current"], env.step(0)[4]["pieces"]]
pid = os.fork()
if pid == 0:
    code = 1
    try:
        try:
            env.step(4)
        except blockloom.ServerDiedError as error:
            assert "forked" in str(error), error
            if server is None:
                seen = [env.reset(seed=3)[0]["current"], env.step(0)[4]["pieces"]]
                assert seen == expected, seen
            else:
                try:
                    env.reset(seed=3)
                except blockloom.ServerDiedError as error:
                    assert "spawn" in str(error), error
                    seen = None
                assert seen is None
                blockloom.BlockloomEnv("Stackcraft-v1").reset(seed=3)
            env.close()
            code = 0
    finally:
        if code:
            import traceback
            traceback.print_exc()
        os._exit(code)
assert os.waitpid(pid, 0)[1] == 0
assert env.step(4)[4]["pieces"] == 2
env.close()
print("both went on")
"""


def test_a_fork_is_noticed_and_never_shares_the_stream(server: str | None) -> None:
    """The child connects anew; gRPC, which cannot, says how to do it instead."""
    program = run_program(FORK, server or "")
    stdout, stderr = program.communicate(timeout=60)
    assert stdout == "both went on\n", stderr


ORPHAN = """
import os, sys, time
from blockloom._server_pool import POOL, ServerPool
from blockloom._stdio import StdioChannel
POOL._open_channel = lambda address: StdioChannel([sys.executable, "-S", sys.argv[1], "answers"])
channel = POOL.acquire(0)
channel.call("listGames", {}, 20)
if os.fork() == 0:
    for fd in (0, 1, 2):
        os.close(fd)
    time.sleep(20)
    os._exit(0)
print(channel.process_id, flush=True)
os._exit(0)
"""


def test_a_forked_child_that_outlives_its_parent_does_not_hold_its_server() -> None:
    """Shown with a server that leaves at the end of its input and not for any other reason."""
    program = run_program(ORPHAN, str(Path(__file__).with_name("fake_server.py")))
    stdout, _ = program.communicate(timeout=30)
    assert wait_until(lambda: not is_running(int(stdout)))


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_gymnasiums_process_vector(context: str) -> None:
    if context not in multiprocessing.get_all_start_methods():
        pytest.fail(f"no {context} here")
    envs: Any = AsyncVectorEnv([make_env] * 2, context=context)
    expected = BlockloomVectorEnv(GAME, 2)
    assert data_equivalence(envs.reset(seed=5)[0], expected.reset(seed=5)[0], exact=True)
    assert data_equivalence(envs.step([0, 0])[0], expected.step(np.zeros(2, int))[0], exact=True)
    envs.close()
    expected.close()


def make_env() -> BlockloomEnv:
    return BlockloomEnv(GAME)
