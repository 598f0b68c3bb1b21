from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blockloom._stdio import StdioChannel
from blockloom.errors import DeadlineError, IllegalActionError, ServerDiedError

FAKE_SERVER = Path(__file__).with_name("fake_server.py")
Open = Callable[[str], StdioChannel]


@pytest.fixture
def fake() -> Iterator[Open]:
    opened = []

    def start(behaviour: str) -> StdioChannel:
        opened.append(StdioChannel([sys.executable, "-S", str(FAKE_SERVER), behaviour]))
        return opened[-1]

    yield start
    for channel in opened:
        channel.close()


def version(channel: StdioChannel, timeout_s: float = 20.0) -> str:
    games = channel.call("listGames", {}, timeout_s).list_games
    assert games is not None
    return games.server_version


@pytest.mark.parametrize("behaviour", ["answers", "byte_by_byte", "in_two_halves"])
def test_an_answer_is_put_together_whatever_its_pieces(fake: Open, behaviour: str) -> None:
    channel = fake(behaviour)
    assert [version(channel) for _ in range(3)] == ["fake"] * 3


def step(channel: StdioChannel, timeout_s: float = 20.0) -> int:
    """The number of the request that the answer is to."""
    return int(channel.step_at_once("0" * 32, bytes(4), timeout_s).outcomes)


@pytest.mark.parametrize("behaviour", ["answers", "byte_by_byte", "in_two_halves"])
def test_a_step_at_once_gets_its_own_answer(fake: Open, behaviour: str) -> None:
    channel = fake(behaviour)
    for _ in range(3):
        assert step(channel) == channel._last_id
        assert version(channel) == "fake"
    assert not channel._waiting
    assert not channel._chunks


def test_a_step_at_once_keeps_its_deadline_and_drops_the_late_answer(fake: Open) -> None:
    channel = fake("late")
    assert version(channel) == "fake"
    start = time.monotonic()
    with pytest.raises(DeadlineError, match=r"timeout_s=0\.1"):
        step(channel, 0.1)
    assert time.monotonic() - start < 0.35
    assert [step(channel), step(channel)] == [channel._last_id - 1, channel._last_id]


def test_a_step_at_once_raises_what_it_was_refused_with(fake: Open) -> None:
    channel = fake("refuses")
    for _ in range(2):
        with pytest.raises(IllegalActionError, match="taken"):
            step(channel)
    assert channel.usable


@pytest.mark.parametrize("behaviour", ["dies", "killed", "closes_output", "garbage", "other_id"])
def test_a_step_at_once_hears_of_a_lost_server(fake: Open, behaviour: str) -> None:
    channel = fake(behaviour)
    with pytest.raises(ServerDiedError):
        step(channel)
    with pytest.raises(ServerDiedError):
        step(channel)


def test_a_step_at_once_waits_its_turn_behind_pipelined_requests(fake: Open) -> None:
    channel = fake("answers")
    tickets = [channel.submit("listGames", {}, 20) for _ in range(3)]
    assert step(channel) == 4
    assert [channel.wait(ticket, 20).id for ticket in tickets] == ["1", "2", "3"]


def test_threads_step_at_once_over_one_session(fake: Open) -> None:
    channel = fake("answers")
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.extend(step(channel) for _ in range(50))) for _ in range(8)]
    for thread in threads:
        thread.start()
    seen.extend(step(channel) for _ in range(50))
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(1, 451))


def test_an_answer_larger_than_the_pipe_arrives_whole(fake: Open) -> None:
    assert version(fake("huge")) == "x" * 3_000_000


def test_pipelined_requests_get_their_own_answers_in_any_order_of_waiting(fake: Open) -> None:
    channel = fake("pairs")
    tickets = [channel.submit("listGames", {}, 20) for _ in range(4)]
    for i in (2, 0, 3, 1):
        assert channel.wait(tickets[i], 20).id == tickets[i].id
    assert not channel._waiting


def test_threads_share_a_session(fake: Open) -> None:
    channel = fake("answers")
    seen: list[str] = []
    threads = [threading.Thread(target=lambda: seen.extend(version(channel) for _ in range(50))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert seen == ["fake"] * 400


def test_more_requests_than_both_pipes_hold_do_not_block_each_other(fake: Open) -> None:
    channel = fake("echoes_slowly")
    padding = {"padding": "z" * 300_000}
    tickets = [channel.submit("listGames", padding, 60) for _ in range(20)]
    for ticket in tickets:
        assert channel.wait(ticket, 60).id == ticket.id


def test_a_refusal_is_raised_with_its_reason_and_the_session_lives_on(fake: Open) -> None:
    channel = fake("refuses")
    for _ in range(2):
        with pytest.raises(IllegalActionError, match="taken") as caught:
            version(channel)
        assert (caught.value.reason, caught.value.metadata) == ("cell_occupied", {"row": "3"})
        assert isinstance(caught.value, ValueError)
    assert channel.usable


def test_a_deadline_is_kept_and_a_late_answer_is_not_mistaken_for_the_next(fake: Open) -> None:
    channel = fake("late")
    ticket = channel.submit("listGames", {}, 20)
    with pytest.raises(DeadlineError, match=r"timeout_s=0\.1"):
        channel.wait(ticket, 0.1)
    after = channel.submit("listGames", {}, 20)
    assert channel.wait(after, 20).id == after.id


def test_a_silent_server_does_not_hang_a_caller(fake: Open) -> None:
    channel = fake("silent")
    with pytest.raises(DeadlineError):
        version(channel, timeout_s=0.2)
    channel.close()
    assert channel._process.poll() is not None


def test_a_server_that_ignores_all_requests_to_leave_is_made_to(fake: Open) -> None:
    channel = fake("stays")
    channel.close()
    assert channel._process.poll() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("behaviour", "exit_code", "words"),
    [
        ("dies", 7, "first words\nfatal: out of memory"),
        ("dies_at_start", 3, "no such option\nread the manual"),
        ("killed", -signal.SIGKILL, ""),
    ],
)
def test_a_dead_server_is_told_with_its_exit_code_and_last_words(
    fake: Open, behaviour: str, exit_code: int, words: str
) -> None:
    channel = fake(behaviour)
    with pytest.raises(ServerDiedError) as caught:
        version(channel)
    assert (caught.value.exit_code, caught.value.stderr) == (exit_code, words)
    assert words in str(caught.value)
    with pytest.raises(ServerDiedError) as again:
        version(channel)
    assert again.value.exit_code == exit_code
    assert not channel.usable


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("garbage", "no message of the contract"),
        ("other_id", "answered a request .another."),
        ("closes_output", "ended"),
    ],
)
def test_a_server_that_breaks_the_protocol_is_stopped(fake: Open, behaviour: str, message: str) -> None:
    channel = fake(behaviour)
    with pytest.raises(ServerDiedError, match=message):
        version(channel)
    assert channel._process.wait(timeout=5) == -signal.SIGKILL


def test_all_threads_that_wait_hear_of_a_death(fake: Open) -> None:
    channel = fake("silent")
    deaths: list[ServerDiedError] = []

    def wait() -> None:
        try:
            version(channel)
        except ServerDiedError as error:
            deaths.append(error)

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(channel._waiting) < 4:
        time.sleep(0.01)
    os.kill(channel.process_id, signal.SIGKILL)
    for thread in threads:
        thread.join(timeout=20)
    assert len(deaths) == 4
    assert len({id(death) for death in deaths}) == 4


def test_a_request_cut_in_two_by_an_interrupt_is_finished_before_the_next(fake: Open) -> None:
    channel = fake("answers")
    os.kill(channel.process_id, signal.SIGSTOP)
    with pytest.raises(DeadlineError):
        channel.submit("listGames", {"padding": "z" * 5_000_000}, 0.2)
    assert channel._outbox
    os.kill(channel.process_id, signal.SIGCONT)
    assert version(channel) == "fake"


def test_the_environments_nobody_holds_are_closed_with_the_next_request(fake: Open) -> None:
    channel = fake("answers")
    channel.lost_envs.append("abc")
    assert version(channel) == "fake"
    assert not channel.lost_envs


def test_closing_twice_is_harmless_and_says_so_afterwards(fake: Open) -> None:
    channel = fake("answers")
    channel.close()
    channel.close()
    with pytest.raises(ServerDiedError, match="closed"):
        version(channel)


def test_the_server_is_in_a_session_of_its_own(fake: Open) -> None:
    channel = fake("answers")
    assert version(channel) == "fake"
    assert os.getsid(channel.process_id) == channel.process_id


def test_the_deadline_holds_while_another_thread_is_writing(fake: Open) -> None:
    channel = fake("answers")
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with channel._write_lock:
            taken.set()
            done.wait(20)

    writer = threading.Thread(target=hold)
    writer.start()
    assert taken.wait(20)
    with pytest.raises(DeadlineError):
        version(channel, 0.2)
    done.set()
    writer.join()
    assert version(channel) == "fake"
