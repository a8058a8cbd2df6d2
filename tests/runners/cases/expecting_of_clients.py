"""Expectations about what a client of the gateway saw on its wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check, claim
from tests.runners.cases.expecting_of_world import soon
from tests.runners.cases.world import World


async def client_notified(wanted: Any, answer: Answer, world: World) -> str:
    """The connected client got a notification of this method."""
    client = world.client
    if client is None:
        return "no client is connected"
    return await soon(
        lambda: claim(
            any(note["method"] == wanted for note in client.notifications),
            f"notifications are {[note['method'] for note in client.notifications]}",
        )
    )


def client_progress(wanted: Any, answer: Answer, world: World) -> str:
    """So many notes on progress came during the call, under this token."""
    tokens = [note["progressToken"] for note in answer.progress]
    right = len(tokens) == wanted["n"] and all(
        token == wanted["token"] and type(token) is type(wanted["token"]) for token in tokens
    )
    return claim(right, f"progress came for {tokens}")


def every_stdout_line_is_json_rpc(wanted: Any, answer: Answer, world: World) -> str:
    """All that the server wrote is protocol."""
    if world.client is None:
        return "no client is connected"
    other = [line for line in world.client.lines if not _is_protocol(line)]
    return claim(not other, f"other lines: {other[:3]}")


def _is_protocol(line: bytes) -> bool:
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("jsonrpc") == "2.0"


def reply_for(number: str) -> Check:
    """The text of the reply to a request of this id."""

    def check(wanted: Any, answer: Answer, world: World) -> str:
        texts = {str(part.given): part.text for part in answer.parts}
        return claim(texts.get(number) == wanted, f"replies are {texts}")

    return check


CHECKS: Final[dict[str, Check]] = {
    "client_notified": client_notified,
    "client_progress": client_progress,
    "every_stdout_line_is_json_rpc": every_stdout_line_is_json_rpc,
}

NAMED: Final[dict[str, Callable[[str], Check]]] = {r"reply_for_(.+)": reply_for}
"""Expectations with a request's id in them."""
