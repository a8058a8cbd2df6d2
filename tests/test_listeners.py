"""Who is told of an event, and until when."""

from __future__ import annotations

import pytest

from pegboard.listeners import Listeners


def test_all_are_told_in_the_order_in_which_they_came() -> None:
    heard: list[str] = []
    listeners = Listeners[[str]]()
    listeners.add(lambda news: heard.append(f"first {news}"))
    listeners.add(lambda news: heard.append(f"second {news}"))
    listeners.tell("a")
    assert heard == ["first a", "second a"]


def test_one_that_was_added_twice_is_told_twice_and_leaves_one_at_a_time() -> None:
    heard: list[str] = []
    listeners = Listeners[[str]]()
    once, again = listeners.add(heard.append), listeners.add(heard.append)
    listeners.tell("a")
    once()
    once()
    listeners.tell("b")
    again()
    listeners.tell("c")
    assert heard == ["a", "a", "b"]


def test_who_comes_or_goes_while_it_is_told_does_so_for_the_next_time() -> None:
    heard: list[str] = []
    listeners = Listeners[[str]]()

    def leaving(news: str) -> None:
        leave()
        listeners.add(lambda news: heard.append(f"new {news}"))

    leave = listeners.add(leaving)
    listeners.add(heard.append)
    listeners.tell("a")
    listeners.tell("b")
    assert heard == ["a", "b", "new b"]


def test_one_that_fails_is_logged_and_keeps_nobody_from_being_told(caplog: pytest.LogCaptureFixture) -> None:
    def fails(news: str) -> None:
        raise RuntimeError(f"cannot stand {news}")

    heard: list[str] = []
    listeners = Listeners[[str]]()
    listeners.add(fails)
    listeners.add(heard.append)
    listeners.tell("a")
    assert heard == ["a"]
    assert "cannot stand a" in caplog.text
