"""From a search to the call that follows it up."""

from __future__ import annotations

from pegboard.usage.leads import CALLERS, FIRST, LASTS, MOST, CallerLeads, Lead, Leads


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_call_follows_the_last_search_that_found_its_tool() -> None:
    leads = Leads()
    leads.found(["first", "refund", "track"], ("money",))
    leads.found(["first", "track"], ("order",))
    leads.found(["first", "weather"], ("sun",))
    assert leads.followed("refund").terms == ("money",)
    assert leads.followed("track").terms == ("order",)


def test_a_search_teaches_a_tool_once() -> None:
    leads = Leads()
    leads.found(["first", "refund"], ("money",))
    assert [leads.followed("refund").terms for _ in range(3)] == [("money",), (), ()]


def test_a_tool_that_no_search_found_was_not_searched_for() -> None:
    leads = Leads()
    leads.found(["first", "refund"], ("money",))
    assert leads.followed("track").terms == ()


def test_what_a_search_had_first_it_teaches_less_of() -> None:
    leads = Leads()
    leads.found(["track", "refund"], ("money",))
    leads.found(["refund", "track"], ("coins",))
    assert leads.followed("refund") == Lead(("coins",), FIRST)
    assert leads.followed("track") == Lead(("coins",), 1.0)
    assert FIRST < 1


def test_a_search_of_long_ago_led_to_nothing() -> None:
    clock = Clock()
    leads = Leads(clock)
    leads.found(["first", "refund", "track"], ("money",))
    clock.now += LASTS
    assert leads.followed("refund").terms == ("money",)
    clock.now += 1
    assert leads.followed("track").terms == ()


def test_the_oldest_tools_are_forgotten() -> None:
    leads = Leads()
    leads.found(["x", "one", "other"], ("a",))
    leads.found(["x", "one"], ("b",))
    leads.found(["x", *(f"tool{number}" for number in range(MOST - 2))], ("c",))
    assert leads.followed("one").terms == ("b",)
    assert leads.followed("other").terms == ()


def test_callers_have_leads_of_their_own_and_the_least_recent_are_forgotten() -> None:
    callers = CallerLeads()
    callers.of("a").found(["first", "refund"], ("money",))
    callers.of("b").found(["first", "refund"], ("order",))
    for number in range(CALLERS - 2):
        callers.of(f"caller {number}")
    callers.of("a")
    callers.of("one more")
    assert callers.of("a").followed("refund").terms == ("money",)
    assert callers.of("b").followed("refund").terms == ()
