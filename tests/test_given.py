"""What a Pegboard is made of is checked where it is given."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard import AllowAll, LexicalRanker, Limits, Pegboard, ToolRegistry, tool
from pegboard.errors import DefinitionError, PolicyError
from pegboard.usage import Usage


@tool
def refund(order: str) -> str:
    """Pay an invoice back."""
    return order


class Shared:
    """A ranker that is a class itself."""

    @staticmethod
    def rank(query: str, candidates: object) -> list[Any]:
        """Nothing."""
        return []


@pytest.mark.parametrize(
    ("given", "told", "hint"),
    [
        ({"ranker": "hybrid"}, "ranker= takes a ranker, and 'hybrid' is none: it has no rank.", "LexicalRanker()"),
        ({"ranker": LexicalRanker}, "ranker= takes a ranker, and LexicalRanker is a class.", "LexicalRanker(...)"),
        ({"ranker": 0}, "ranker= takes a ranker, and 0 is none", "LexicalRanker()"),
        ({"usage": True}, "usage= takes what learns from use, and True is none", "Pass Usage()"),
        ({"usage": Usage}, "and Usage is a class.", "Usage(...)"),
        ({"usage": int}, "and int is a class.", "Pass Usage()"),
        ({"limits": {"search": 3}}, "limits= takes limits, and {'search': 3} is none", "Limits(search=10)"),
        ({"limits": {}}, "limits= takes limits, and {} is none", "Limits(search=10)"),
        ({"limits": Limits}, "and Limits is a class.", "Limits(...)"),
        ({"store": "boards.sqlite3"}, "store= takes a store of boards, and 'boards.sqlite3' is none", "SqlPinStore"),
        ({"receipts": []}, "receipts= takes a sink of receipts, and [] is none: it has no write.", "ReceiptFile"),
        ({"context": {"user": 1}}, "context= takes a map of contexts, and {'user': 1} is none", "ContextMap"),
        ({"registries": refund}, "registries= takes a list, and ", "registry.register(tool)"),
        ({"registries": [refund]}, "registries= takes a registry, and ", "registry.register(tool)"),
        ({"registries": ToolRegistry()}, "registries= takes a list, and ", "Pass a list of ToolRegistry"),
        ({"sources": "tools.py"}, "sources= takes a list, and 'tools.py' is none.", "pegboard.sources"),
        ({"sources": ["tools.py"]}, "sources= takes a source, and 'tools.py' is none: it has no name.", "sources"),
    ],
)
def test_what_cannot_be_what_its_name_says_is_refused_at_once(given: dict[str, Any], told: str, hint: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        Pegboard(**given)
    assert told in caught.value.message
    assert hint in caught.value.hint


def test_the_class_of_a_policy_is_none() -> None:
    with pytest.raises(PolicyError, match="AllowAll is a class, not a policy") as caught:
        Pegboard(policy=AllowAll)  # type: ignore[arg-type]
    assert caught.value.hint == "Make one: AllowAll(...)."


def test_a_class_that_does_what_is_asked_by_itself_will_do() -> None:
    assert Pegboard(ranker=Shared, registries=iter([ToolRegistry()])).ranker is Shared
