"""Calls of HTTP tools, with a client that follows the vector.

- The calls go through a board, with the values of the turn as its context and lossless arguments.
- Their guard is asked by the tool, ours stands in the client: what it was asked is not compared.
- Their error is an object with ``error``, ours a result that is an error: it has to name the same values, and to hold
  the same body. What a client raises is told to the operator; the model is told that the request failed.
- Their client adds a Content-Type to a body, our tool does: it is not compared where the definition names none.
- What their tool hands on to a later step, as the body of evidence, ours has taken that step with already.
- Their interrupt is Python's: nothing swallows it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from pegboard.errors import EgressError, RefusedRequestError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.evidence import EVIDENCE_KEY
from pegboard.http_tools.tool import HttpCall, HttpRuntime, HttpTool
from pegboard.net.client import HttpLimits
from pegboard.net.egress import EgressPolicy
from pegboard.net.replies import Reply
from pegboard.net.urls import parse
from pegboard.peg import Pegboard
from pegboard.registry import ToolRegistry
from pegboard.schema.flat import flat_parameters
from pegboard.tools import MISSING, Halt, ToolResult
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.insika_definitions import CONTEXT, ERRORS, made
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned, facts, named

PRIVATE: Final = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
BODY: Final = "__insika_body"
SAY: Final = "__insika_halt_say"
PAYLOAD: Final = "__insika_halt_payload"


class Scripted:
    """A client that gives the vector's answer. Belongs to one vector; ``requests`` are those that it was to send."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._http = values.get("http", {"status": 200, "body": "OK"})
        self._egress = values.get("egress")
        self.requests: list[dict[str, Any]] = []

    async def request(
        self,
        method: str,
        url: str,
        *,
        policy: EgressPolicy,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        redirects: int = 0,
        secrets: Collection[str] = (),
        limits: HttpLimits | None = None,
    ) -> Reply:
        """The answer, once the guard has let the request pass."""
        target = parse(url)
        self._admit(policy, url)
        seconds = limits.total_seconds if limits else None
        sent = {"method": method, "url": url, "headers": dict(headers or {}), "body": body.decode(), "timeout": seconds}
        self.requests.append(sent)
        if self._http is None:
            return None  # type: ignore[return-value]  # a client that breaks its contract
        if "raise" in self._http:
            raise _raised(self._http)
        text = self._http["body"]
        data = text if isinstance(text, bytes) else (text or "").encode()
        location = self._http.get("location")
        told = (("location", location),) if location is not None else ()
        return Reply(self._http["status"], told, data, target)

    def _admit(self, policy: EgressPolicy, url: str) -> None:
        if isinstance(self._egress, dict):
            raise RuntimeError(self._egress["raise"])
        if self._egress == "real":
            target = parse(url)
            policy.admit(target)
            policy.admit_answers(target, [str(target.literal)] if target.literal else [])
        elif self._egress is not None:
            raise RefusedRequestError("This address cannot be reached from here.", rule="test", detail=self._egress)


def _raised(http: Mapping[str, Any]) -> BaseException:
    if http["raise"] == "Interrupt":
        return KeyboardInterrupt(http["message"])
    if "Insika" in http["raise"]:
        return EgressError(http["message"], rule="size")
    return RuntimeError(http.get("message", http["raise"]))


def call(values: dict[str, Any]) -> dict[str, Any]:
    """The result of a call, the requests that were sent, and the events."""
    definition = made({**values["definition"], "arguments": "lossless"})
    client, events = Scripted(values), list[HttpCall]()

    def told(event: HttpCall) -> None:
        events.append(event)
        if values.get("stream") == "raises":
            raise RuntimeError("the stream fails")

    runtime = HttpRuntime(client=client, policy=_policy(values), context=CONTEXT, events=told)
    arguments = values["call_args"] if "call_args" in values else values.get("args") or {}
    try:
        result: Any = asyncio.run(_called(definition, runtime, arguments, values.get("ctx") or {}))
    except KeyboardInterrupt as error:
        result = Raised(error)  # type: ignore[arg-type]  # what must not be swallowed is no Exception
    return {"result": result, "requests": client.requests, "events": events, "definition": definition}


async def _called(definition: HttpDefinition, runtime: HttpRuntime, arguments: Any, context: Any) -> ToolResult | Halt:
    registry = ToolRegistry("http")
    registry.register(HttpTool(definition, runtime).tool)
    board = await Pegboard([registry]).open(context=context)
    return await board.call(definition.name, arguments)


def _policy(values: Mapping[str, Any]) -> EgressPolicy:
    options = dict(values.get("egress_options") or {})
    policy = EgressPolicy.allowing(
        schemes=["https", "http"] if options.pop("allow_http", False) else ["https"],
        hosts=options.pop("host_allowlist", None),
        networks=PRIVATE if options.pop("allow_private", False) else (),
    )
    return EgressPolicy.allowing(**options) if options else policy


def same_call(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Result, requests and events."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    definition: HttpDefinition = answer["definition"]
    wanted, result = told["result"], answer["result"]
    if definition.evidence and isinstance(wanted.get("returns"), str):
        wanted = {"returns": {BODY: wanted["returns"]}}
    return (
        result_differs(comparison, wanted, result)
        or _requests_differ(comparison, told["requests"], answer["requests"], definition)
        or _events_differ(comparison, told.get("events"), answer["events"])
        or ("" if "surface" not in told else comparison.value(told["surface"], _surface(definition), "surface"))
    )


def result_differs(comparison: Comparison, told: dict[str, Any], got: Any) -> str:
    """What of a result is not as expected."""
    if "raises" in told:
        return comparison.value(told, got, "result")
    wanted, result = told["returns"], got.result if isinstance(got, Halt) else got
    if isinstance(wanted, dict) and set(wanted) == {"$halt"}:
        return _halt_differs(comparison, wanted["$halt"], got)
    if isinstance(got, Halt):
        return f"result: wanted {wanted!r}, got a halt"
    if isinstance(wanted, dict) and wanted.keys() in ({"error"}, {"error", "body"}):
        return _error_differs(comparison, wanted, result)
    if isinstance(wanted, dict) and set(wanted) == {BODY}:
        return _evidence_differs(comparison, wanted[BODY], result)
    if result.is_error:
        return f"result: wanted {wanted!r}, got the error {result.text!r}"
    return comparison.value(wanted, value_of(result, wanted), "result")


def _halt_differs(comparison: Comparison, wanted: Any, got: Any) -> str:
    if not isinstance(got, Halt):
        return f"result: wanted a halt with {wanted!r}, got {got.text!r}"
    say = wanted.get(SAY) if isinstance(wanted, dict) else None
    payload = wanted[PAYLOAD] if say is not None else wanted
    return comparison.value(say, got.say, "say") or result_differs(comparison, {"returns": payload}, got.result)


def _evidence_differs(comparison: Comparison, body: str, result: ToolResult) -> str:
    try:
        items = json.loads(body)["items"]
    except (ValueError, LookupError, TypeError):
        return "" if result.is_error else f"result: wanted an error, as there is no evidence in {body!r}"
    return comparison.value({"items": items}, result.structured, "result")


def _error_differs(comparison: Comparison, wanted: dict[str, Any], result: ToolResult) -> str:
    message = wanted["error"]
    if not result.is_error:
        return f"result: wanted an error ({message}), got {result.text!r}"
    by_client = message.startswith("HTTP call failed")
    told = message.replace(" got a ", " got ")  # an article is no fact
    absent = [fact for fact in facts(told, comparison.values) if not named(fact, result.text)]
    if absent and comparison.words and not by_client:
        return f"the error does not name {absent}: {result.text!r}"
    body = result.structured["error"].get("body", MISSING)
    return "" if "body" not in wanted else comparison.value(wanted["body"], body, "body")


def value_of(result: ToolResult, wanted: Any) -> Any:
    """What a tool gave, from its result; a text where a text is wanted."""
    if result.structured is not MISSING:
        return result.structured
    if not result.content:
        return None
    return result.text if isinstance(wanted, str) else json.loads(result.text)


def _requests_differ(
    comparison: Comparison, told: list[Any], sent: list[dict[str, Any]], definition: HttpDefinition
) -> str:
    named_type = any(name.lower() == "content-type" for name in definition.request.headers)
    ours = []
    for request in sent:
        headers = {
            name: text for name, text in request["headers"].items() if named_type or name.lower() != "content-type"
        }
        timeout = definition.timeout if definition.timeout == request["timeout"] else None
        ours.append({**request, "headers": headers, "timeout": timeout})
    theirs = [{**request, "body": request["body"] or ""} for request in told]
    return comparison.value(theirs, ours, "requests")


def _events_differ(comparison: Comparison, told: list[Any] | None, events: list[HttpCall]) -> str:
    if told is None:
        return ""
    ours = [{"tool": event.tool, "status": event.status} for event in events]
    return comparison.value([event["data"] for event in told], ours, "events")


def _surface(definition: HttpDefinition) -> dict[str, Any]:
    """What is shown of the tool besides."""
    properties = definition.parameters["properties"]
    flat = {
        one["name"]: {**one, "type": properties[one["name"]]["type"]} for one in flat_parameters(definition.parameters)
    }
    return {
        "name": definition.name,
        "description": definition.description,
        "params_schema": dict(definition.parameters),
        "parameters": flat,
        "evidence": definition.evidence.to_json() if definition.evidence else None,
    }


def evidence(values: dict[str, Any]) -> dict[str, Any]:
    """The result of a call, the ids that the model sees, and what is attached."""
    return shown(call(values)["result"])


def shown(result: ToolResult | Halt) -> dict[str, Any]:
    """The parts of a result that is evidence."""
    whole = result.result if isinstance(result, Halt) else result
    told = whole.meta.get(EVIDENCE_KEY, {})
    return {"result": whole, "ledger_ids": told.get("ids", []), "attachments": told.get("attachments") or None}


def same_evidence(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """The result, the ids and the attachments."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    return (
        result_differs(comparison, {"returns": told["result"]}, answer["result"])
        or comparison.value(told["ledger_ids"], answer["ledger_ids"], "ledger_ids")
        or comparison.value(told["attachments"], answer["attachments"], "attachments")
    )


_ERRORS: Final = {**ERRORS, "Interrupt": KeyboardInterrupt}

ADAPTERS: Final = {
    **{
        f"insika_data_tool_{kind}": Adapter(call, _ERRORS, same_call) for kind in ("call", "guard", "request", "result")
    },
    "insika_evidence_data_tool": Adapter(evidence, ERRORS, same_evidence),
}
