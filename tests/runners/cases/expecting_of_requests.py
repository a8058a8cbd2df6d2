"""Expectations about what a scripted HTTP server got. Each gives what is wrong, or nothing."""

from __future__ import annotations

import base64
import json
import resource
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check, claim
from tests.runners.cases.servers import Message
from tests.runners.cases.world import World

Reads = Callable[[Message], Any]


def _body(request: Message) -> bytes:
    return base64.b64decode(request["body_b64"])


def _query(request: Message) -> list[list[str]]:
    return [list(pair) for pair in parse_qsl(urlsplit(request["target"]).query, keep_blank_values=True)]


def _form(request: Message) -> list[list[str]]:
    return [list(pair) for pair in parse_qsl(_body(request).decode(), keep_blank_values=True)]


EQUAL: Final[dict[str, Reads]] = {
    "method": lambda request: request["method"],
    "target": lambda request: request["target"],
    "body_json": lambda request: json.loads(_body(request)),
    "body_text": lambda request: _body(request).decode(),
    "query_decoded": _query,
    "form_decoded": _form,
}
"""Members of a request that have to be as expected."""


def request(wanted: Any, answer: Answer, world: World) -> str:
    """Since the step began, exactly one request came, and is as expected."""
    got = world.requests_of_step()
    if len(got) != 1:
        return f"{len(got)} requests reached the server"
    if wanted.get("body_text", "") is None:  # how the JSON is written is open, but not what it says
        wanted = {key: value for key, value in wanted.items() if key != "body_text"} | {"body_json": world.body_given}
    return fits(_with_value(wanted, answer), got[0])


def _with_value(wanted: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """A body whose text is null is JSON, of the value that the step gives."""
    if wanted.get("body_text", "") is not None:
        return wanted
    rest = {key: value for key, value in wanted.items() if key != "body_text"}
    return {**rest, "body_json": answer.step["args_by_place"]["body"]}


def last_request(wanted: Any, answer: Answer, world: World) -> str:
    """The newest request is as expected."""
    got = [one for server in world.http for one in server.requests]
    return fits(wanted, got[-1]) if got else "no request reached the server"


def fits(wanted: dict[str, Any], got: Message) -> str:
    """What of a request is not as expected."""
    headers = {name.lower(): value for name, value in got["headers"]}
    for key, value in wanted.items():
        if key == "headers":
            wrong = {name: headers.get(name.lower()) for name in value if headers.get(name.lower()) != value[name]}
        elif key == "headers_absent":
            wrong = {name: headers[name.lower()] for name in value if name.lower() in headers}
        elif key == "target_one_of":
            wrong = {} if got["target"] in value else {key: got["target"]}
        else:
            found = EQUAL[key](got)
            wrong = {} if found == value else {key: found}
        if wrong:
            return f"the request has {wrong!r}"
    return ""


def no_request(wanted: Any, answer: Answer, world: World) -> str:
    """Nothing came since the step began."""
    got = world.requests_of_step()
    return claim(not got, f"{len(got)} requests reached the server: {got[:2]}")


def no_request_on(port: Any, answer: Answer, world: World) -> str:
    """Nothing ever came to the server on that port."""
    got = [one for server in world.http if str(server.port) == str(port) for one in server.requests]
    return claim(not got, f"{len(got)} requests reached it: {got[:2]}")


def requests_on(wanted: Any, answer: Answer, world: World) -> str:
    """The servers on some ports ever got so many requests, and all of them are as expected."""
    for port, told in wanted.items():
        got = [one for server in world.http if str(server.port) == str(port) for one in server.requests]
        if len(got) != told["n"]:
            return f"{len(got)} requests reached it"
        members = {key: value for key, value in told.items() if key not in ("n", "text_excludes")}
        if wrong := next((found for one in got if (found := fits(members, one))), ""):
            return wrong
        if "text_excludes" in told and told["text_excludes"] in json.dumps(got, ensure_ascii=False):
            return f"{told['text_excludes']!r} is in what it got"
    return ""


def no_connection(wanted: Any, answer: Answer, world: World) -> str:
    """No call of the step tried to open a connection, and each had the chance to."""
    tried = [one for one in answer.connects if one]
    return claim(bool(answer.connects) and not tried, f"connections were tried: {tried}")


def connection_attempted(wanted: Any, answer: Answer, world: World) -> str:
    """Every call of the step tried to open one."""
    return claim(bool(answer.connects) and all(answer.connects), f"connections were tried: {answer.connects}")


def memory_growth_mb_max(wanted: Any, answer: Answer, world: World) -> str:
    """The most memory that the process ever took, above what it had taken when the step began."""
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - world.memory_mark) / 1024
    return claim(grown <= wanted, f"it took {grown:.0f} MB more")


CHECKS: Final[dict[str, Check]] = {
    "connection_attempted": connection_attempted,
    "last_request": last_request,
    "memory_growth_mb_max": memory_growth_mb_max,
    "no_connection": no_connection,
    "no_request": no_request,
    "no_request_on": no_request_on,
    "request": request,
    "requests_on": requests_on,
}
