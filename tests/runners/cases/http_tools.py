"""Steps on HTTP tools: what they are, what they may reach, and what they send.

- A case writes a tool flat, with its path into the reply under ``response.extract``: the adapter writes our definition.
- A case names no secret headers: those are the headers that refer to a secret.
- Unless a case says what may be reached, that is its own scripted server, as the address that its operator wrote.
- An address that is one placeholder is refused by us: each address that a call gives is written out as a tool of its
  own, as somebody would who means it.
- A case's lenient calls go to a second tool, which says ``arguments = "lossless"``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import httpcore2

from pegboard.net.client import HttpClient
from tests.runners.cases.answer import Answer
from tests.runners.cases.case import Step
from tests.runners.cases.doors import BoardDoor
from tests.runners.cases.servers import HttpServer
from tests.runners.cases.step import Do
from tests.runners.cases.world import World

SECRETS: Final = "CASE_SECRET_"
LENIENT: Final = "_lenient"
ONE_PLACEHOLDER: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class NoNetwork(httpcore2.AsyncNetworkBackend):
    """Opens no connection. Lives as long as the case; ``connects`` are the addresses that were tried."""

    def __init__(self) -> None:
        self.connects: list[str] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Note the address, and fail."""
        self.connects.append(host)
        raise httpcore2.ConnectError("the case has no network")

    async def sleep(self, seconds: float) -> None:
        """No waiting."""


class Names:
    """Looks names up in a table. Lives as long as the case."""

    def __init__(self, answers: dict[str, list[list[str]]]) -> None:
        self._answers = answers

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The next answer for a name."""
        answers = self._answers.get(host, [])
        if not answers:
            raise OSError(f"no address for {host}")
        return answers.pop(0) if len(answers) > 1 else answers[0]


async def http_tool(world: World, step: Step) -> Answer:
    """A tool that is a request."""
    told = json.loads((world.folder / step["file"]).read_bytes())
    add(world, told)
    if any("mode" in other for other in world.case.steps):
        add(world, {**told, "name": told["name"] + LENIENT, "arguments": "lossless"})
    if not ONE_PLACEHOLDER.fullmatch(told["url"]):
        serve(world, told["url"])
    return Answer()


def add(world: World, told: dict[str, Any]) -> None:
    """Write a tool of a case as a file of ours, and name it in the configuration."""
    path = world.folder / f"http_{told['name']}.json"
    path.write_text(json.dumps(definition(told)), encoding="utf-8")
    world.configuration.http_tools.append(str(path))
    world.configuration.http.setdefault("schemes", ["https", "http"])
    world.configuration.http["secrets_prefix"] = SECRETS
    world.changed()


def definition(told: dict[str, Any]) -> dict[str, Any]:
    """A case's tool as a definition."""
    headers = told.get("headers") or {}
    path = (told.get("response") or {}).get("extract")
    found: dict[str, Any] = {key: told[key] for key in ("name", "description", "timeout", "arguments") if key in told}
    return {
        **found,
        "parameters": told.get("input_schema"),
        "request": {key: told[key] for key in ("method", "url", "query", "body", "headers") if key in told},
        "response": {"extract": "json_path", "path": path} if path else {},
        "secret_headers": [name for name, text in headers.items() if "{{secret." in text],
    }


def serve(world: World, url: str) -> None:
    """Allow the case's own server, and start it where no step has."""
    origin = url.partition("/{{")[0].partition("?")[0]
    if not world.reach_is_told:
        world.configuration.http.setdefault("origins", [])
        world.configuration.http["origins"].append("/".join(origin.split("/")[:3]))
    port = world.ports[0]
    if f":{port}/" in url and all(server.port != port for server in world.http):
        script, log = world.folder / "own_server.json", world.folder / f"http.{port}.log.jsonl"
        script.write_text("{}", encoding="utf-8")
        world.http.append(HttpServer(world.case.harness, script, port, log))


async def egress_allow(world: World, step: Step) -> Answer:
    """What may be reached, exactly."""
    world.reach_is_told = True
    world.configuration.http["origins"] = [f"http://{host}" for host in step["hosts"]]
    world.changed()
    return Answer()


async def secrets(world: World, step: Step) -> Answer:
    """Secrets, in the environment."""
    os.environ.update({SECRETS + name: value for name, value in step["values"].items()})
    return Answer()


async def limits(world: World, step: Step) -> Answer:
    """Limits of replies, and of the list of skills in a prompt."""
    if "max_response_bytes" in step:
        world.configuration.http["max_body"] = step["max_response_bytes"]
    if "skills_prompt_chars" in step:
        world.configuration.limits["skills_chars"] = step["skills_prompt_chars"]
    world.changed()
    return Answer()


async def call_each_line(world: World, step: Step) -> Answer:
    """A call for each line of a file, which is one of its arguments. No connection is opened, but each is noted."""
    lines = (world.folder / step["file"]).read_text(encoding="utf-8").split("\n")
    parts = [await written_out(world, step["tool"], {step["arg"]: line}) for line in lines if line]
    return Answer(
        text="\n".join(part.text for part in parts),
        is_error=all(part.is_error for part in parts),
        parts=parts,
        connects=[connects for part in parts for connects in part.connects],
    )


def means_any_address(world: World, tool: str) -> bool:
    """Whether a tool's address is one placeholder."""
    path = world.folder / f"http_{tool}.json"
    told = json.loads(path.read_bytes()) if path.is_file() else None
    return told is not None and ONE_PLACEHOLDER.fullmatch(told["request"]["url"]) is not None


async def written_out(
    world: World, tool: str, arguments: dict[str, Any], answers: dict[str, list[list[str]]] | None = None
) -> Answer:
    """Call a tool whose address is one placeholder, with the address written out, and no network below the guard."""
    told = json.loads((world.folder / f"http_{tool}.json").read_bytes())
    placeholder = ONE_PLACEHOLDER.fullmatch(told["request"]["url"])
    assert placeholder is not None
    name = f"{tool}_{len(world.configuration.http_tools)}"
    path = Path(world.folder / f"http_{name}.json")
    told |= {"name": name, "parameters": {}, "request": {**told["request"], "url": arguments[placeholder[1]]}}
    path.write_text(json.dumps(told), encoding="utf-8")
    world.configuration.http_tools.append(str(path))
    network = NoNetwork()
    world.http_client = lambda: HttpClient(network=network, resolver=Names(dict(answers or {})))
    world.changed()
    try:
        board = await world.board({})
        answer = await BoardDoor(board).call(name, {})
    finally:
        world.http_client = HttpClient
        world.configuration.http_tools.remove(str(path))
        world.changed()
    answer.connects = [network.connects]
    return answer


STEPS: Final = {
    "http_tool": Do(http_tool, {"file"}),
    "egress_allow": Do(egress_allow, {"hosts"}),
    "secrets": Do(secrets, {"values"}),
    "limits": Do(limits, {"max_response_bytes", "skills_prompt_chars"}),
    "call_each_line": Do(call_each_line, {"tool", "arg", "file", "transport"}),
}
