"""Definitions, and calls of them over a scripted network: template, guard and client are the real ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard import Halt, Pegboard, ToolRegistry, ToolResult
from pegboard.documents.problems import Level
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.request_reading import BESIDE_KEYS
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import HttpCall, HttpRuntime, HttpTool
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from tests.net.scripted import Network, Received, reply

URL = "http://8.8.8.8/v1"
CONTEXT = ("chat_id", "agent_id", "tenant_id", "store_id")


def told(**fields: Any) -> dict[str, Any]:
    """A definition as it is written; ``url``, ``query``, ``body`` and others are the request's, ``places`` its
    ``parameters``."""
    parts: dict[str, Any] = {key: fields.pop(key) for key in BESIDE_KEYS if key in fields}
    if "places" in fields:
        parts["parameters"] = fields.pop("places")
    return {"name": "t", "description": "A tool", "request": {"url": URL, **parts}, **fields}


def define(**fields: Any) -> HttpDefinition:
    """The definition, which has no mistake."""
    read = read_definition(told(**fields), context=CONTEXT)
    assert read.definition is not None, [str(mistake) for mistake in read.mistakes]
    return read.definition


def mistakes(**fields: Any) -> dict[str, str]:
    """What is wrong with a definition, by where it stands."""
    return mistakes_of(told(**fields))


def mistakes_of(value: Any) -> dict[str, str]:
    """What is wrong with a value, by where it stands."""
    read = read_definition(value, context=CONTEXT)
    wrong = [mistake for mistake in read.mistakes if mistake.level is Level.ERROR]
    assert bool(wrong) is (read.definition is None)
    return {".".join(map(str, mistake.path)): str(mistake) for mistake in wrong}


class Called:
    """A call, and what it sent. Lives inside one test."""

    def __init__(self, result: ToolResult | Halt, network: Network, events: list[HttpCall]) -> None:
        self.halt = result if isinstance(result, Halt) else None
        self.result = result.result if isinstance(result, Halt) else result
        self.requests = network.requests
        self.connects = network.connects
        self.events = events

    @property
    def request(self) -> Received:
        """The only request."""
        (request,) = self.requests
        return request

    @property
    def text(self) -> str:
        """What the model reads."""
        return self.result.text


async def call(
    definition: HttpDefinition,
    arguments: Mapping[str, Any] | None = None,
    *,
    answer: bytes = reply(body=b"OK"),
    context: Mapping[str, Any] | None = None,
    secrets: Mapping[str, str] | None = None,
    **runtime: Any,
) -> Called:
    """Call a definition through a board, with a network that gives this answer."""
    network, events = Network(answer=lambda request: answer), list[HttpCall]()
    policy = EgressPolicy.allowing(schemes=["http", "https"])
    async with HttpClient(network=network) as client:
        made = {"policy": policy, "secrets": GivenSecrets(secrets or {}), "events": events.append, **runtime}
        registry = ToolRegistry("http")
        registry.register(HttpTool(definition, HttpRuntime(client=client, context=CONTEXT, **made)).tool)
        board = await Pegboard([registry]).open(context=context)
        return Called(await board.call(definition.name, dict(arguments or {})), network, events)
