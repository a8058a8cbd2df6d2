"""Findings as SARIF 2.1.0, the form that code scanning takes. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any, Final
from urllib.parse import quote

from pegboard.checking.finding import Finding
from pegboard.checking.rules import RULES, Rule
from pegboard.version import __version__

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT: Final = "%SRCROOT%"
"""What relative addresses are relative to: the folder that the check was run in."""

FINGERPRINT: Final = "pegboard/v1"

_SECURITY: Final = frozenset(
    ["hidden", "bidi", "control", "instruction", "comment", "encoded", "mixed", "secret", "path"]
)
"""The first words of the codes of rules that are about attacks."""


def sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """One run with every rule and each finding as a result.

    Files that are relative get relative addresses. Fingerprints stay the same when lines move; a second finding with
    the same one is counted.
    """
    numbers = {code: number for number, code in enumerate(RULES)}
    seen: Counter[str] = Counter()
    results = []
    for one in findings:
        mark = _fingerprint(one)
        seen[mark] += 1
        results.append(_result(one, numbers[one.code], f"{mark}:{seen[mark]}"))
    driver = {
        "name": "pegboard",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in RULES.values()],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    security = rule.code.partition("-")[0] in _SECURITY
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.code.split("-")),
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": f"{rule.title}. {rule.reason}"},
        "help": {"text": f"{rule.reason} {rule.fix}"},
        "defaultConfiguration": {"level": str(rule.level)},
        "properties": {"tags": ["security"] if security else ["maintainability"]},
    }


def _result(one: Finding, number: int, fingerprint: str) -> dict[str, Any]:
    whose = ": ".join(part for part in (one.subject, one.key) if part)
    message = f"{whose}: {one.message}" if whose else one.message
    return {
        "ruleId": one.code,
        "ruleIndex": number,
        "level": str(one.level),
        "message": {"text": f"{message} {one.hint}".strip()},
        "locations": [_location(one)],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }


def _location(one: Finding) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if one.file:
        physical: dict[str, Any] = {"artifactLocation": _artifact(one.file)}
        if one.line is not None:
            column = {"startColumn": one.column} if one.column is not None else {}
            physical["region"] = {"startLine": one.line, **column}
        found["physicalLocation"] = physical
    whole = ".".join(part for part in (one.subject, one.key) if part)
    if whole:
        found["logicalLocations"] = [{"fullyQualifiedName": whole}]
    return found


def _artifact(file: str) -> dict[str, Any]:
    if PurePath(file).is_absolute():
        return {"uri": Path(file).as_uri()}
    return {"uri": quote(PurePath(file).as_posix()), "uriBaseId": ROOT}


def _fingerprint(one: Finding) -> str:
    parts = (one.code, PurePath(one.file).as_posix(), one.subject, one.key, one.message)
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
