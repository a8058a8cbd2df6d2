"""Evidence: results that are checked and made lean, and what is attached to them.

- Their step takes any tool's result; ours runs in the HTTP tool. A declaration is read as a definition's.
- Their step writes into the ledger of a conversation; ours is the host's: the adapter keeps the ids of each call.
- Their flush tells nothing; ours tells whether it came to pass.
- Their halt with a text is an object of two members, ours has a field for it.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pegboard.errors import ServiceError
from pegboard.http_tools.definition import Evidence
from pegboard.http_tools.evidence import attachments_of, flaw_of
from pegboard.http_tools.ledger import EvidenceLedger
from pegboard.http_tools.response import Answer, result_of, said
from pegboard.tools import MISSING, Halt, ToolResult
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.insika_definitions import ERRORS, made, plain
from tests.runners.golden.adapters.insika_http import BODY, PAYLOAD, SAY, same_evidence, shown
from tests.runners.golden.outcome import Comparison, Outcome, Returned, facts, named

DEFINITION: Final = {"name": "t", "description": "d", "request": {"url": "https://8.8.8.8/"}}


def declared(evidence: Any) -> Evidence | None:
    """A declaration as a definition has it."""
    return made({**DEFINITION, "evidence": evidence}).evidence


def processed(values: dict[str, Any]) -> dict[str, Any]:
    """A result that has gone through the step, the ids that were recorded, and the attachments."""
    given = plain(values["result"])
    if isinstance(given, dict) and given.get("error"):
        return {"result": _failed(str(given["error"])), "ledger_ids": [], "attachments": None}
    body = given[BODY] if isinstance(given, dict) and BODY in given else json.dumps(given)
    ids: dict[str, None] = {}
    attachments: list[Any] = []
    result: Any = None
    for _ in range(2 if values.get("repeat") else 1):
        try:
            definition = made({**DEFINITION, **_parts(values.get("evidence"))})
            result = result_of(definition, Answer(200, body))
        except Exception as error:
            result = _failed(str(error))
        told = shown(result)
        ids |= dict.fromkeys(told["ledger_ids"])
        attachments += told["attachments"] or []
    if not values.get("evidence"):
        result = ToolResult.of(given)
    kept = values.get("state") != "none"
    return {
        "result": result,
        "ledger_ids": list(ids) if kept else None,
        "attachments": (attachments or None) if kept else None,
    }


def _parts(evidence: Any) -> dict[str, Any]:
    if evidence in (None, False):
        return {}
    return {"evidence": evidence, "response": {"extract": "evidence_envelope"}}


def _failed(message: str) -> ToolResult:
    return ToolResult.of_error(ServiceError(message))


def attached(values: dict[str, Any]) -> list[dict[str, Any]]:
    """The attachments of a list."""
    return [dict(one) for one in attachments_of(plain(values["list"]))]


def checked(values: dict[str, Any]) -> str | None:
    """What keeps a result from being evidence."""
    evidence = declared(values["evidence"])
    return (flaw_of(evidence, plain(values["raw"])) or None) if evidence else None


def same_flaw(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Whether there is one, and that ours names what theirs does."""
    if not isinstance(got, Returned) or "returns" not in expected:
        return comparison.outcome(expected, got)
    wanted, told = expected["returns"], got.value
    if wanted is None or told is None:
        return comparison.value(wanted, told)
    absent = [fact for fact in facts(wanted, comparison.values) if not named(fact, told)]
    return f"does not name {absent}: {told!r}" if absent else ""


def wrapped(values: dict[str, Any]) -> Any:
    """A halt with its text and payload in the form of theirs; or the text of one."""
    if values["op"] == "wrap":
        halt = Halt(result=ToolResult.of(values["payload"]), say=values["say"])
        payload = halt.result.structured if halt.result.structured is not MISSING else halt.result.text or None
        return {SAY: halt.say, PAYLOAD: payload}
    content = values["content"]
    if not isinstance(content, dict) or SAY not in content:
        return None
    when = made({**DEFINITION, "halt_when": {"json_path": "a", "equals": "x", "say": {"json_path": SAY}}}).halt_when
    assert when is not None
    return said(when, content)


def kept(values: dict[str, Any]) -> dict[str, Any]:
    """What a ledger says after each step, and what it handed to a store."""
    session = values["session"]
    evidence = (session or {}).get("evidence") or {}
    ledger = EvidenceLedger(evidence.get("ids") or ())
    appended: list[Any] = []

    def append(told: dict[str, Any]) -> None:
        if session.get("fail_append") or session.get("missing"):
            raise OSError("no store")
        appended.append(told)

    def step(name: str, *given: Any) -> Any:
        if name in ("ids", "ids_summary", "count"):
            ids = list(ledger.ids)
            return {"ids": ids, "ids_summary": [len(ids), *ids[:1], *ids[-1:]], "count": len(ids)}[name]
        if name == "record":
            ledger.record(given[0])
        elif name == "record_range":
            ledger.record(list(range(given[0], given[1] + 1)))
        elif name == "ungrounded":
            ledger.note_ungrounded()
        else:
            ledger.flush(append if session else None)
        return True

    return {"results": [step(*one) for one in values["ops"]], "appended": appended if session else None}


ADAPTERS: Final = {
    "insika_evidence_ledger": Adapter(kept, ERRORS),
    "insika_evidence_process": Adapter(processed, ERRORS, same_evidence),
    "insika_evidence_attachments": Adapter(attached, ERRORS),
    "insika_schema_guard_output": Adapter(checked, ERRORS, same_flaw),
    "insika_halt_wrap": Adapter(wrapped, ERRORS),
}
