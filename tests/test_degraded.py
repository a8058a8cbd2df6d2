"""A board whose ranker asks something outside: only the search waits for it, and the answer says what is missing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from pegboard import Board, HybridRanker, Pegboard, ToolResult
from pegboard.finding import FindResult, Searches
from tests.search.encoders import Broken, Hashed
from tests.support import make, registry_of

pytestmark = pytest.mark.anyio

TOOLS = (make("send_mail", "Sends a mail"), make("read_file", "Reads a file"))


def boom(texts: Sequence[str]) -> None:
    raise RuntimeError("key=sk-123")


async def board_with(ranker: HybridRanker) -> Board:
    return await Pegboard([registry_of(*TOOLS)], ranker=ranker).open()


async def told(board: Board, name: str, query: str) -> tuple[Any, str]:
    """What a meta-tool answers, as data and as text."""
    result = await board.call(name, {"query": query})
    assert isinstance(result, ToolResult)
    assert isinstance(result.structured, dict)
    return result.structured, str(result.to_wire())


@pytest.mark.parametrize("name", ["find_tools", "tool_search"])
async def test_an_answer_of_words_alone_says_why(name: str) -> None:
    board = await board_with(HybridRanker(Broken(boom)))
    answer, text = await told(board, name, "mail")
    assert "send_mail" in text
    assert "RuntimeError" in answer["degraded"]
    assert "sk-123" not in text
    assert "degraded" in (await told(board, name, "zzzz"))[0]


async def test_an_answer_of_everything_says_nothing_of_it() -> None:
    board = await board_with(HybridRanker(Hashed()))
    answer, _ = await told(board, "find_tools", "mail")
    assert "degraded" not in answer
    assert (await board.find("mail")).degraded == ""


async def test_the_event_loop_goes_on_while_the_encoder_works() -> None:
    go, hashed = threading.Event(), Hashed()

    def waits(texts: Sequence[str]) -> Any:
        assert go.wait(30)
        return hashed.encode(texts)

    board = await board_with(HybridRanker(Broken(waits), patience=60))

    async def let_go() -> None:
        await asyncio.sleep(0)
        go.set()

    found, _ = await asyncio.gather(board.find("mail"), let_go())
    assert found.degraded == ""
    assert found.matches[0].entry.name == "send_mail"


async def test_a_limit_that_is_none_is_refused_before_anything_is_encoded() -> None:
    encoder = Hashed()
    board = await board_with(HybridRanker(encoder))
    with pytest.raises(Exception, match="whole number"):
        await board.find("mail", 0)
    assert not encoder.given


async def test_a_search_in_part_that_finds_nothing_does_not_count_toward_the_last_one() -> None:
    board = await board_with(HybridRanker(Broken(boom)))
    for name in ("find_tools", "tool_search", "find_tools", "find_tools"):
        answer, _ = await told(board, name, "zeppelin")
        assert "only a part of the search" in answer["hint"]
    assert (await board.find("zeppelin")).fruitless == 0


async def test_a_search_in_part_leaves_the_count_as_it_is_unless_it_finds_something() -> None:
    searches, nothing = Searches(), FindResult()
    in_part = FindResult(degraded="by words alone")
    assert [searches.ended(one, "zeppelin", 1) for one in (nothing, nothing, in_part, in_part)] == [1, 2, 2, 2]
    assert searches.ended(nothing, "zeppelin", 1) == 3
    found = await (await board_with(HybridRanker(Broken(boom)))).find("mail")
    assert found.matches
    assert found.degraded
    assert searches.ended(found, "mail", 1) == 0
