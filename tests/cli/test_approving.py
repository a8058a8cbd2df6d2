"""Asking the person at the terminal: one question after the other."""

from __future__ import annotations

import asyncio
import os
import pty
import sys
from typing import Any

import pytest

from pegboard import Approval, Context, Pegboard, ToolResult
from pegboard.cli.approving import Person
from pegboard.cli.output import Output
from tests.support import ALICE, Rules, make, registry_of

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="the terminal is that of POSIX"),
]


async def test_calls_that_ask_at_once_are_asked_about_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    terminal = os.fdopen(os.dup(theirs))
    monkeypatch.setattr(sys, "stdin", terminal)

    async def both(arguments: dict[str, Any], context: Context) -> list[bool]:
        results = await asyncio.gather(context.call("a"), context.call("b"))
        return [isinstance(result, ToolResult) and result.is_error for result in results]

    rules = Rules()
    rules.approves = Approval.READ
    tools = registry_of(make("both", handler=both, approval=Approval.READ), make("a"), make("b"))
    board = await Pegboard([tools], policy=rules, approver=Person(Output(json=False))).open(ALICE)
    try:
        os.write(ours, b"y\nn\n")
        async with asyncio.timeout(30):
            outcome = await board.call("both")
    finally:
        terminal.close()
        os.close(theirs)
        os.close(ours)
    assert isinstance(outcome, ToolResult)
    assert outcome.text == "[false, true]"
