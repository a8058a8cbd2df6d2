"""Composition: one catalog of several registries, in which nothing is lost in silence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pegboard.composition import Collisions, compose
from pegboard.naming import legal_name
from pegboard.registry import ToolRegistry
from tests.support import make, registry_of

MAIL = make("send_email", "Sends an email to a customer.")
INVOICE = make("create_invoice", "Makes an invoice and emails it.")


def test_registries_are_composed_in_order_and_problems_collected() -> None:
    one, two = registry_of(MAIL), ToolRegistry("two")
    two.register_factory("broken", lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    two.register(make("send_email", source="two"), INVOICE)
    catalog = compose([one, two], generation=7)
    assert [tool.name for tool in catalog.all()] == ["send_email", "create_invoice"]
    assert catalog.generation == 7
    assert {problem.name for problem in catalog.problems} == {"send_email", "broken"}


def test_a_name_of_a_meta_tool_is_set_aside_or_prefixed() -> None:
    registry = registry_of(make("find_tools", source="mine"))
    assert compose([registry], reserved=["find_tools"]).all() == ()
    assert [t.name for t in compose([registry], reserved=["find_tools"], collisions="prefix").all()] == [
        "mine__find_tools"
    ]


NAMES = st.sampled_from(["a", "b", "one__a", "find_tools", "two__b"])
SOURCES = st.sampled_from(["one", "two", "three"])
POLICIES: list[Collisions] = ["refuse", "prefix", "first"]


@given(st.lists(st.tuples(SOURCES, st.lists(NAMES, unique=True, max_size=4)), max_size=4), st.sampled_from(POLICIES))
def test_whatever_meets_names_are_unique_and_nothing_is_lost_in_silence(
    parts: list[tuple[str, list[str]]], collisions: Collisions
) -> None:
    registries = [registry_of(*(make(name, source=source) for name in names)) for source, names in parts]
    catalog = compose(registries, collisions=collisions, reserved=["find_tools"])
    shown = [tool.name for tool in catalog.all()]
    assert len(set(shown)) == len(shown)
    assert "find_tools" not in shown
    for tool in catalog.all():
        renamed = legal_name(tool.bare_name, tool.source)
        assert tool.name in ({tool.bare_name, renamed} if collisions == "prefix" else {tool.bare_name})
    given_in = sum(len(names) for _, names in parts)
    left_out = given_in - len(shown) - len(catalog.problems)
    assert left_out == 0 or (collisions == "first" and left_out > 0)


@given(st.lists(st.tuples(SOURCES, NAMES), unique=True, min_size=1), st.sampled_from(POLICIES))
def test_what_comes_later_changes_no_name_of_what_came_before(
    given_tools: list[tuple[str, str]], collisions: Collisions
) -> None:
    registries = [registry_of(make(name, source=source)) for source, name in given_tools]
    before = compose(registries[:-1], collisions=collisions).all()
    assert compose(registries, collisions=collisions).all()[: len(before)] == before
