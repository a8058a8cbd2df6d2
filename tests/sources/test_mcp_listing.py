"""What an upstream listed: told and taken in again, and which server it is of."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard
from pegboard.errors import UpstreamError
from pegboard.sources.mcp import HttpSpec, HttpUpstream, StdioSpec, StdioUpstream
from pegboard.sources.mcp import origin as origin_module
from pegboard.sources.mcp.listing import Listing, SkillListing
from pegboard.sources.mcp.origin import origin_of_process, repeats, texts_in

GOOD: dict[str, Any] = {"name": "good", "description": "Good.", "inputSchema": {"type": "object"}}
BAD: dict[str, Any] = {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"type": "nothing"}}}}
HALF: dict[str, Any] = {**GOOD, "name": "half", "outputSchema": {"type": "nothing"}}

FIELDS: list[dict[str, Any]] = [
    {"command": sys.executable, "args": ("-V",)},
    {"command": sys.executable, "args": ("-V", "-V")},
    {"command": sys.executable, "args": ("-V",), "cwd": "/"},
    {"command": sys.executable, "args": ("-V",), "env": {"A": "1"}},
    {"command": sys.executable, "args": ("-V",), "env": {"A": "2"}},
    {"command": sys.executable, "args": ("-V",), "era": "modern"},
    {"command": sys.executable, "args": ("-V",), "skills": False},
    {"command": sys.executable, "args": ("-V",), "inherit_env": ("NAMED",)},
    {"command": "sh", "args": ("-V",)},
]


def upstream(**fields: Any) -> StdioUpstream:
    return StdioUpstream(StdioSpec(name="shop", command=sys.executable, args=("-V",), **fields))


def listed(*tools: Any, sound: tuple[int, ...] = ()) -> Listing:
    return Listing(tools=tools, sound=sound)


def test_a_listing_comes_back_from_json_as_it_was() -> None:
    skills = SkillListing(kind="resources", items=[{"uri": "skill://a/SKILL.md"}], notes=("long",))
    one = Listing(tools=[GOOD, 7, None], faults={"bad": "why"}, notes=("note",), sound=(0,), skills=skills)
    assert Listing.from_json(json.loads(json.dumps(one.to_json()))) == one


@pytest.mark.parametrize(
    "told", [None, [], {}, {"tools": []}, {**listed().to_json(), "sound": ["0"]}, {**listed().to_json(), "skills": 3}]
)
def test_what_is_no_listing_is_refused(told: Any) -> None:
    with pytest.raises(ValueError, match="no li"):
        Listing.from_json(told)


def test_each_thing_that_decides_what_a_process_lists_makes_it_another() -> None:
    environ = {"PATH": os.environ["PATH"], "NAMED": "value"}
    origins = {origin_of_process(StdioSpec(name="shop", **fields), environ) for fields in FIELDS}
    named = StdioSpec(name="shop", command=sys.executable, args=("-V",), inherit_env=("NAMED",))
    origins.add(origin_of_process(named, {**environ, "NAMED": "other"}))
    assert len(origins) == len(FIELDS) + 1


def test_how_tools_are_taken_in_does_not() -> None:
    plain = StdioSpec(name="shop", command=sys.executable)
    other = replace(plain, name="store", prefix="s", exclude=("a",), visibility="always", approval="read")
    assert origin_of_process(plain, os.environ) == origin_of_process(other, os.environ)


def test_an_edited_script_and_settings_make_another_server_and_a_log_does_not(tmp_path: Path) -> None:
    names = ("server.py", "settings.toml", "server.log")
    for name in names:
        (tmp_path / name).write_text("")
    spec = StdioSpec(name="shop", command=sys.executable, args=names, cwd=tmp_path)
    seen = [origin_of_process(spec, os.environ)]
    for name in names:
        (tmp_path / name).write_text("more")
        seen.append(origin_of_process(spec, os.environ))
    assert (len(set(seen)), seen[-1]) == (3, seen[-2])


def test_another_version_of_pegboard_makes_it_another(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = StdioSpec(name="shop", command=sys.executable)
    before = origin_of_process(spec, os.environ)
    monkeypatch.setattr(origin_module, "__version__", "999")
    assert origin_of_process(spec, os.environ) != before


@pytest.mark.anyio
async def test_over_http_the_address_and_who_asks_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {"Authorization": "Bearer {{secret.TOKEN}}"}
    one, two = (
        HttpUpstream(HttpSpec(name="docs", url=f"http://127.0.0.1:9/{path}", headers=headers)) for path in ("a", "b")
    )
    monkeypatch.setenv("TOKEN", "first-token")
    seen = {await one.origin(), await two.origin()}
    monkeypatch.setenv("TOKEN", "second-token")
    assert len(seen | {await one.origin()}) == 3
    monkeypatch.delenv("TOKEN")
    with pytest.raises(UpstreamError, match="is not set"):
        await one.origin()


def test_a_secret_is_found_wherever_it_stands() -> None:
    told = {"tools": [{"name": "a", "inputSchema": {"properties": {"key-12345678": {}}}}]}
    assert repeats(texts_in(told), ["12345678"])
    assert not repeats(texts_in(told), ["87654321"])


@pytest.mark.anyio
async def test_an_upstream_with_a_listing_of_before_is_ready_and_not_started() -> None:
    shop = upstream()
    shop.recall(listed(GOOD))
    async with Pegboard(sources=[shop]) as peg:
        assert await peg.ready(30) == ()
        assert peg.catalog.names == {"shop__good"}
        assert (shop.status().state, shop.status().starts) == ("ready", 0)
        assert peg.missing() == ()


@pytest.mark.anyio
async def test_a_listing_without_tools_is_one_too() -> None:
    shop = upstream()
    shop.recall(listed())
    async with Pegboard(sources=[shop]) as peg:
        assert await peg.ready(30) == ()
        assert shop.status().starts == 0


@pytest.mark.anyio
async def test_when_the_listing_is_doubted_the_upstream_is_started_and_its_tools_stay_meanwhile() -> None:
    shop = upstream()
    shop.recall(listed(GOOD))
    async with Pegboard(sources=[shop]) as peg:
        shop.doubt()
        assert not shop.recalled
        assert await peg.ready(30) == ()
        # It is no server: it was started, and failed.
        assert (shop.status().state, shop.status().starts) == ("failed", 1)
        assert peg.catalog.names == {"shop__good"}


@pytest.mark.parametrize("sound", [(), (0,), (0, 1, 2)])
def test_what_was_found_good_is_not_looked_at_again_and_all_else_is(sound: tuple[int, ...]) -> None:
    shop = upstream()
    shop.recall(listed(GOOD, BAD, HALF, sound=sound))
    names = {tool.bare_name: tool.output_schema for tool in shop.registry.tools()}
    if 1 in sound:  # whoever wrote the listing would have had to say so
        assert names.keys() == {"good", "bad", "half"}
    else:
        assert names.keys() == {"good", "half"}
        assert names["half"] is None
        assert [problem.name for problem in shop.status().problems] == ["bad"]


def test_publishing_tells_which_schemas_are_good() -> None:
    assert upstream().publish([GOOD, BAD, HALF, GOOD]).sound == (0, 3)
    assert upstream(exclude=("good",)).publish([GOOD, BAD]).sound == ()


@pytest.mark.anyio
async def test_skills_of_a_listing_of_before_are_there_without_a_start() -> None:
    offered = [{"uri": "skill://refunds/SKILL.md", "name": "refunds", "description": "How to refund."}]
    shop = upstream(skills="resources")
    shop.recall(replace(listed(GOOD), skills=SkillListing(kind="resources", items=offered)))
    async with Pegboard(sources=[shop]) as peg:
        assert await peg.ready(30) == ()
        (skill,) = peg.skills
        assert (skill.source, skill.description) == ("shop", "How to refund.")
        assert shop.status().starts == 0
