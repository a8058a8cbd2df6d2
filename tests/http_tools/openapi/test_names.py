"""The names of tools: legal, unique, and each a function of its own operation."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.http_tools.openapi.names import names_of, of_path
from pegboard.naming import is_legal

Operation = tuple[str, str, str]

OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["GET", "POST"]),
        st.text("/ab{}-_.é", max_size=8).map(lambda path: f"/{path}"),
        st.sampled_from(["", "list", "a/b", "a.b", "x" * 70, "é"]),
    ),
    unique_by=lambda operation: operation[:2],
    max_size=12,
)


def names(*operations: Operation) -> list[str]:
    return [name for name, _ in names_of(operations)]


def test_an_operation_id_that_is_a_legal_name_is_the_name() -> None:
    assert names_of([("GET", "/x", "getThing")]) == [("getThing", "")]


def test_without_an_id_the_name_is_method_and_path_and_it_is_told() -> None:
    ((name, note),) = names_of([("GET", "/teams/{team}/members", "")])
    assert name == "get_teams__team_members"
    assert "no operationId" in note
    assert names(("GET", "/", "")) == ["get"]


def test_paths_that_look_alike_have_names_of_their_own() -> None:
    paths = ["/teams/{id}", "/teams-{id}", "/teams/id", "/teams/_id", "/teams/{id}/", "/teams//id", "/teams.id"]
    found = [of_path("GET", path) for path in paths]
    assert len(set(found)) == len(paths)
    assert all(map(is_legal, found))


def test_the_name_of_an_operation_does_not_depend_on_the_others() -> None:
    one = ("GET", "/teams/{id}", "")
    alone = names(one)
    assert names(("GET", "/teams-{id}", ""), ("GET", "/teams/id", ""), one)[-1:] == alone
    assert names(("POST", "/y", "cart/list"))[0] == names(("GET", "/z", "cart.list"), ("POST", "/y", "cart/list"))[1]


def test_operations_of_one_id_are_told_apart_by_method_and_path_in_any_order() -> None:
    operations = [("GET", "/a", "get"), ("POST", "/a", "get"), ("GET", "/b", "get")]
    found = dict(zip(operations, names(*operations), strict=True))
    assert len(set(found.values())) == 3
    operations.reverse()
    assert found == dict(zip(operations, names(*operations), strict=True))


@settings(max_examples=150, deadline=None)
@given(OPERATIONS, st.randoms(use_true_random=False))
def test_names_are_legal_unique_and_the_same_in_any_order(operations: list[Operation], chance: random.Random) -> None:
    found = dict(zip(operations, names(*operations), strict=True))
    assert len(set(found.values())) == len(operations)
    assert all(map(is_legal, found.values()))
    shuffled = list(operations)
    chance.shuffle(shuffled)
    assert found == dict(zip(shuffled, names(*shuffled), strict=True))


@settings(max_examples=150, deadline=None)
@given(OPERATIONS)
def test_a_name_stays_when_operations_of_other_ids_go(operations: list[Operation]) -> None:
    found = dict(zip(operations, names(*operations), strict=True))
    for operation, name in found.items():
        same = [other for other in operations if operation[2] and other[2] == operation[2]] or [operation]
        assert dict(zip(same, names(*same), strict=True))[operation] == name
