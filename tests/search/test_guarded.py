"""Work with an encoder is bounded in time, its failures are told, and it is tried again later."""

from __future__ import annotations

import os
import threading

import pytest

from pegboard.search.encoder import EncodingError
from pegboard.search.guarded import RETRY, Guarded


class Time:
    """A clock that stands still until it is moved. Lives as long as the test."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def fail(*_: object) -> str:
    raise RuntimeError("boom key=sk-123")


def refused(guarded: Guarded) -> str:
    """Why an answer is refused that would have been given."""
    with pytest.raises(EncodingError) as caught:
        guarded.ask(lambda: "found", 5)
    return str(caught.value)


def test_what_the_work_gives_is_given() -> None:
    assert Guarded().ask(lambda: "found", 5) == "found"


def test_work_is_done_in_another_thread() -> None:
    assert Guarded().ask(threading.current_thread, 5) is not threading.current_thread()


def test_a_failure_is_told_by_its_kind_alone_and_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(EncodingError, match=r"^it failed with RuntimeError$"):
        Guarded().ask(fail, 5)
    assert "sk-123" in caplog.text


def test_after_a_failure_it_is_left_alone_for_a_while_and_then_tried_again() -> None:
    clock = Time()
    guarded = Guarded(clock)
    with pytest.raises(EncodingError):
        guarded.ask(fail, 5)
    clock.now = RETRY - 1
    assert refused(guarded) == "it failed with RuntimeError"
    clock.now = RETRY + 1
    assert guarded.ask(lambda: "found", 5) == "found"
    clock.now = RETRY + 2
    assert guarded.ask(lambda: "found", 5) == "found"


def test_nobody_waits_longer_than_they_said_and_others_do_not_wait_at_all() -> None:
    clock, go = Time(), threading.Event()
    guarded = Guarded(clock)
    try:
        with pytest.raises(EncodingError, match=r"^it has not answered within 0\.05 seconds and is still at work$"):
            guarded.ask(go.wait, 0.05)
        assert refused(guarded) == "it has not answered within 0.05 seconds and is still at work"
    finally:
        go.set()


def test_what_was_too_slow_is_used_again_as_soon_as_it_has_ended() -> None:
    go, ended = threading.Event(), threading.Event()
    guarded = Guarded(Time())

    def slow() -> str:
        go.wait()
        ended.set()
        return "late"

    with pytest.raises(EncodingError):
        guarded.ask(slow, 0.05)
    go.set()
    assert ended.wait(10)
    found = next((one for one in iter(lambda: tried(guarded), None) if one), "")
    assert found == "found"


def tried(guarded: Guarded) -> str:
    """What it gives now; nothing while it is left alone."""
    try:
        return guarded.ask(lambda: "found", 5)
    except EncodingError:
        return ""


def test_nothing_is_begun_before_what_takes_too_long_has_ended() -> None:
    clock, go = Time(), threading.Event()
    guarded, begun = Guarded(clock), []
    try:
        with pytest.raises(EncodingError):
            guarded.ask(go.wait, 0.05)
        clock.now = RETRY + 1
        with pytest.raises(EncodingError, match="has not answered"):
            guarded.ask(lambda: begun.append("work"), 0.05)
        assert not begun
    finally:
        go.set()


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), StopIteration()])
def test_whatever_is_raised_ends_nothing_but_the_search(error: BaseException) -> None:
    def work() -> None:
        raise error

    with pytest.raises(EncodingError, match=f"it failed with {type(error).__name__}"):
        Guarded().ask(work, 5)


def test_how_it_goes_is_told_as_of_the_last_use() -> None:
    clock = Time()
    guarded = Guarded(clock)
    assert guarded.state == ("idle", "", None)
    guarded.ask(lambda: "found", 5)
    assert guarded.state == ("ready", "", None)
    with pytest.raises(EncodingError):
        guarded.ask(fail, 5)
    assert guarded.state[:2] == ("failed", "it failed with RuntimeError")
    assert isinstance(guarded.state[2], RuntimeError)
    clock.now = RETRY + 1
    assert guarded.finish(lambda: "found") == "found"
    assert guarded.state == ("ready", "", None)


def test_what_takes_long_is_told_as_working_until_it_has_ended() -> None:
    clock, go = Time(), threading.Event()
    guarded = Guarded(clock)
    worker = threading.Thread(target=guarded.finish, args=(lambda: go.wait(30),))
    worker.start()
    while guarded.state[0] == "idle":
        pass
    assert guarded.state == ("working", "", None)
    assert "still at work" in refused_within(guarded, 0.01)
    assert guarded.state[:2] == ("working", "it has not answered within 0.01 seconds and is still at work")
    go.set()
    worker.join()
    assert guarded.state == ("ready", "", None)


def refused_within(guarded: Guarded, seconds: float) -> str:
    """Why an answer is refused that was waited for."""
    with pytest.raises(EncodingError) as caught:
        guarded.ask(lambda: "found", seconds)
    return str(caught.value)


def test_what_nobody_waits_for_waits_its_turn_and_is_refused_only_after_a_failure() -> None:
    clock, go = Time(), threading.Event()
    guarded, done = Guarded(clock), threading.Event()
    with pytest.raises(EncodingError):
        guarded.ask(lambda: go.wait(30), 0.01)
    worker = threading.Thread(target=guarded.finish, args=(done.set,))
    worker.start()
    assert not done.is_set()
    go.set()
    worker.join()
    assert done.is_set()
    with pytest.raises(EncodingError):
        guarded.ask(fail, 5)
    with pytest.raises(EncodingError, match=r"^it failed with RuntimeError$"):
        guarded.finish(lambda: "found")


def test_where_no_thread_can_be_started_it_is_told_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    guarded = Guarded()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        assert "can start no thread" in refused(guarded)
    assert guarded.ask(lambda: "found", 5) == "found"


def test_what_has_ended_at_the_last_moment_is_taken_and_not_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    guarded, wait = Guarded(), threading.Event.wait

    def too_late(event: threading.Event, timeout: float | None = None) -> bool:
        wait(event)
        return timeout is None

    with monkeypatch.context() as patch:
        patch.setattr(threading.Event, "wait", too_late)
        assert guarded.ask(lambda: "found", 5) == "found"
    assert guarded.state[0] == "ready"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_was_forked_while_it_was_at_work_has_a_turn_of_its_own() -> None:
    guarded, begun, go_on = Guarded(), threading.Event(), threading.Event()

    def long() -> None:
        begun.set()
        go_on.wait(60)

    worker = threading.Thread(target=guarded.finish, args=(long,))
    worker.start()
    begun.wait(60)
    child = os.fork()
    if not child:
        try:
            os._exit(0 if guarded.ask(lambda: "found", 5) == "found" else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    go_on.set()
    worker.join()
