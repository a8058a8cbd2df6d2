"""What became of a listing, kept and used again: the same tools, without looking at any of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from pegboard.search.reading import stamps_of
from pegboard.sources.mcp import StdioSpec, StdioUpstream
from pegboard.sources.mcp.listing import Listing, RawLines
from pegboard.sources.mcp.taken import Taken, way_in

GOOD: dict[str, Any] = {
    "name": "good",
    "title": "Good",
    "description": "Does good.",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}
MENDED: dict[str, Any] = {"name": "mended", "inputSchema": {"properties": {}}, "icons": 7, "outputSchema": None}
HALF: dict[str, Any] = {**GOOD, "name": "half", "outputSchema": {"type": "nothing"}}
BAD: dict[str, Any] = {"name": "bad", "inputSchema": {"type": "nothing"}}
LISTED: list[Any] = [BAD, GOOD, 7, MENDED, HALF, {**GOOD, "name": "left"}, GOOD]
SPECS: list[dict[str, Any]] = [
    {},
    {"prefix": False, "exclude": ("left",)},
    {"visibility": {"g*": "always"}, "approval": {"g*": "read"}},
    {"visibility": "always", "approval": "write", "call_timeout": 3.0, "concurrency": 2, "output_check": "strict"},
]


def upstream(**fields: Any) -> StdioUpstream:
    return StdioUpstream(StdioSpec(name="shop", command=sys.executable, args=("-V",), **fields))


def raw_lines(tools: Sequence[Any]) -> RawLines:
    return RawLines([json.dumps(tool).encode() for tool in tools])


def told(shop: StdioUpstream) -> Any:
    status = shop.status()
    return status.problems, status.notes, status.excluded, status.tools


@pytest.mark.parametrize("fields", SPECS)
def test_it_comes_to_the_same_as_taking_the_listing_in(fields: dict[str, Any]) -> None:
    first, second = upstream(**fields), upstream(**fields)
    first.recall(Listing(tools=LISTED))
    intake = first.intake
    kept = json.loads(json.dumps(Taken.of(intake, stamps_of(intake.tools)).to_json()))
    second.recall(Listing(tools=raw_lines(LISTED)), Taken.from_json(kept))
    assert told(second) == told(first)
    pairs = list(zip(second.registry.tools(), first.registry.tools(), strict=True))
    assert len(pairs) == len(intake.tools) > 2
    for again, tool in pairs:
        assert stamps_of([again]) == stamps_of([tool])
        assert again.with_(handler=tool.handler) == tool.with_()
        assert again.digest == tool.digest


def test_no_definition_is_read_before_somebody_looks_at_it() -> None:
    first = upstream()
    first.recall(Listing(tools=[GOOD]))
    taken = Taken.of(first.intake, stamps_of(first.intake.tools))
    again = upstream()
    again.recall(Listing(tools=RawLines([b"not JSON"])), taken)
    (tool,) = again.registry.tools()
    assert (tool.name, stamps_of([tool])) == ("shop__good", stamps_of(first.intake.tools))
    with pytest.raises(ValueError, match="Expecting value"):
        _ = tool.description


def test_the_way_in_is_another_for_whatever_decides_about_names() -> None:
    ways: list[dict[str, Any]] = [{}, {"prefix": "p"}, {"prefix": False}, {"include": ("g*",)}, {"exclude": ("g*",)}]
    assert len({way_in(upstream(**fields).spec) for fields in ways}) == len(ways)
    assert way_in(upstream(visibility="always").spec) == way_in(upstream().spec)


OURS: dict[str, Any] = {
    "rows": [[0, "shop__good", "good"]],
    "stamps": "00" * 16,
    "problems": [["shop", "bad", "It is bad.", ""]],
    "excluded": {"other": "excluded"},
    "notes": ["a note"],
    "sound": [0],
}
OTHERS: list[dict[str, Any]] = [
    {"rows": [[0]]},
    {"rows": [["0", "shop__good", "good"]]},
    {"rows": [[-1, "shop__good", "good"]]},
    {"rows": [[0, ["shop__good"], "good"]]},
    {"rows": [[0, "shop__good", None]]},
    {"rows": [[0, "shop__good", "good"]] * 3},
    {"stamps": "zz"},
    {"problems": [["shop", "bad", 5, ""]]},
    {"excluded": {"other": 5}},
    {"excluded": ["other"]},
    {"notes": [None]},
    {"sound": [[0]]},
]


@pytest.mark.parametrize("kept", [None, [], {}, *(OURS | other for other in OTHERS)])
def test_what_is_not_ours_is_refused(kept: Any) -> None:
    assert Taken.from_json(OURS).to_json() == OURS
    with pytest.raises((LookupError, TypeError, ValueError)):
        Taken.from_json(kept)
