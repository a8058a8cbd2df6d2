"""``pegboard eval harvest``: from searches and calls of a real board to questions that can be asked again."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard
from pegboard.config import load
from pegboard.config.wire import build
from tests.cli.conftest import Run

RECEIPTS = '[receipts]\nfile = "receipts.jsonl"\n'


async def used(peg: Pegboard) -> None:
    """Two conversations: searches, and calls of what they found."""
    async with peg:
        await peg.ready(60)
        board = await peg.open()
        await board.call("find_tools", {"query": "give money back for an order"})
        await board.call("call_tool", {"name": "refund", "arguments": {"order": "7", "amount": 1.5}})
        await board.call("tool_search", {"query": "where is my parcel or order"})
        await board.call("track", {"order": "7"})
        await board.call("find_tools", {"query": ""})
        await board.call("picture", {})
        await board.call("find_tools", {"query": "say no"})


def serve(shop: Path, *, searches: bool) -> None:
    """Use the tools of the configuration, which keeps receipts."""
    file = shop / "pegboard.toml"
    file.write_text(file.read_text() + RECEIPTS + ("searches = true\n" if searches else ""))
    asyncio.run(used(build(load(file).settings).peg))


@pytest.fixture
def served(shop: Path) -> Path:
    """A folder whose tools were searched for and called."""
    serve(shop, searches=True)
    return shop


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_a_conversation_becomes_questions_that_eval_can_ask(served: Path, pegboard: Run) -> None:
    done = pegboard("eval", "harvest", "--output", "questions.jsonl", "--yes")
    assert done.code == 0, done.err
    assert done.lines == ["questions.jsonl: 2 questions, of 3 searches and 3 calls"]
    found = {one["query"]: one["relevant"] for one in lines(served / "questions.jsonl")}
    assert found == {"give money back for an order": ["refund"], "where is my parcel or order": ["track"]}
    asked = pegboard("eval", "questions.jsonl", "--json")
    assert asked.json["sets"][0]["set_aside"] == 0
    assert asked.json["rankers"]["lexical"]["recall@5"] == 1.0


def test_what_is_written_is_said_before_and_nobody_else_may_read_it(served: Path, pegboard: Run) -> None:
    done = pegboard("eval", "harvest", "-o", "questions.jsonl", "--yes")
    assert "the words of searches as they were written, which may be private" in done.err
    assert "no arguments, results, principals, boards or times" in done.err
    assert stat.S_IMODE((served / "questions.jsonl").stat().st_mode) == 0o600
    text = (served / "questions.jsonl").read_text("utf-8")
    assert "1.5" not in text
    assert set(lines(served / "questions.jsonl")[0]) == {"id", "query", "relevant"}


def test_nothing_is_written_that_nobody_agreed_to(served: Path, pegboard: Run) -> None:
    done = pegboard("eval", "harvest", "-o", "questions.jsonl")
    assert done.code == 6
    assert "Nothing was written. Agree to it with --yes." in done.err
    assert not (served / "questions.jsonl").exists()


def test_the_same_receipts_give_the_same_bytes(served: Path, pegboard: Run) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        assert pegboard("eval", "harvest", "receipts.jsonl", "-o", name, "--yes").code == 0
    assert (served / "a.jsonl").read_bytes() == (served / "b.jsonl").read_bytes()


def test_receipts_tell_nothing_of_searches_unless_the_operator_wants_it(shop: Path, pegboard: Run) -> None:
    serve(shop, searches=False)
    receipts = (shop / "receipts.jsonl").read_text("utf-8")
    assert "money back" not in receipts
    assert "parcel" not in receipts
    done = pegboard("eval", "harvest", "-o", "questions.jsonl", "--yes")
    assert done.code == 3
    assert "Write file and searches = true under [receipts]" in done.err
    named = pegboard("eval", "harvest", "receipts.jsonl", "-o", "questions.jsonl", "--yes")
    assert named.code == 4
    assert "No receipt says what was searched for." in named.err


def test_a_file_that_is_there_is_written_over_only_when_asked(served: Path, pegboard: Run) -> None:
    (served / "mine.jsonl").write_text("mine")
    assert pegboard("eval", "harvest", "-o", "mine.jsonl", "--yes").code == 2
    assert (served / "mine.jsonl").read_text() == "mine"
    assert pegboard("eval", "harvest", "-o", "mine.jsonl", "--yes", "--force").code == 0
    assert len(lines(served / "mine.jsonl")) == 2


def test_lines_that_cannot_be_read_are_counted_and_the_others_go_on(served: Path, pegboard: Run) -> None:
    with (served / "receipts.jsonl").open("a") as file:
        file.write('{"half": \n')
    done = pegboard("eval", "harvest", "-o", "q.jsonl", "--yes", "--json")
    assert done.json == {"file": "q.jsonl", "questions": 2, "searches": 3, "calls": 3, "unreadable_lines": 1}
    assert "1 line of the receipts cannot be read" in done.err


def test_too_few_boards_leave_nothing(served: Path, pegboard: Run) -> None:
    done = pegboard("eval", "harvest", "-o", "q.jsonl", "--yes", "--at-least", "2")
    assert done.code == 4
    assert not (served / "q.jsonl").exists()
