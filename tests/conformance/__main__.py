"""``python -m tests.conformance``: the suite against the gateway at both revisions, the Skills extension, the
Inspector, and the suite for clients against upstreams over HTTP.

    --fixture       the suite against the fixture alone: is it the gateway's fault?
    --if-possible   end well when npm or the network is missing

Exits with 0 when all went as expected, 1 when something did not, 2 when npm or the network is missing.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Final

import anyio
from mcp import Client
from mcp.types import Resource

from tests.conformance import client_suite, inspector, suite
from tests.conformance.programs import CACHE, ROOT, CannotRunError, Programs, programs
from tests.conformance.report import explanation, figures
from tests.conformance.serving import FIXTURE, gateway, serving
from tests.conformance.skills import gateway_with_skills
from tests.conformance.suite import expected_file
from tests.conformance.verdict import FAILING, read_expected

REVISIONS: Final = ("2025-11-25", "2026-07-28")

READY_SECONDS: Final = 60.0

UPSTREAM_ERAS: Final = ("handshake", "modern")
"""How the gateway talks to the server behind it; its clients see no difference."""


def main() -> int:
    """Run what is asked for; the exit code."""
    parser = ArgumentParser("python -m tests.conformance", description="Run the official MCP conformance suite.")
    parser.add_argument("--fixture", action="store_true", help="score the fixture alone, without a gateway")
    parser.add_argument("--if-possible", action="store_true", help="end well when npm or the network is missing")
    asked = parser.parse_args()
    try:
        found = programs()
    except CannotRunError as error:
        print(f"The conformance suite cannot run here: {error}", file=sys.stderr)
        return 0 if asked.if_possible else 2
    parts = (fixture_alone,) if asked.fixture else (through_gateway, with_skills, by_inspector, as_client)
    went = [part(found) for part in parts]
    went_well = all(went)
    print("\nAll as expected." if went_well else "\nNot as expected: see the lines with '!'.")
    return 0 if went_well else 1


def fixture_alone(found: Programs) -> bool:
    """Score the server that stands behind the gateway otherwise."""
    with serving([*FIXTURE, "--http"]) as address:
        ends = [scored(found, revision, address, "fixture-alone", None) for revision in REVISIONS]
    return all(ends)


def through_gateway(found: Programs) -> bool:
    """Score the gateway, with an upstream of either era."""
    went_well = True
    for era in UPSTREAM_ERAS:
        with gateway(settings(era)) as address:
            anyio.run(upstream_ready, address)
            for revision in REVISIONS:
                went_well &= scored(found, revision, address, f"{era}-upstream", expected_file(revision))
    for revision in REVISIONS:
        print(f"\nExpected to fail of MCP {revision}")
        print(explanation(read_expected(expected_file(revision).read_text("utf-8"))))
    return went_well


def with_skills(found: Programs) -> bool:
    """Score the Skills extension, for skills of folders and of an upstream: every check has to pass."""
    print()
    went_well = True
    with tempfile.TemporaryDirectory() as folder, gateway_with_skills(Path(folder)) as address:
        anyio.run(skills_ready, address)
        for revision in REVISIONS:
            checks = suite.run_skills(found, revision, address, CACHE / "results" / f"{revision}-skills")
            failing = [check for check in checks if check.status in FAILING]
            passed = sum(check.status == "SUCCESS" for check in checks)
            print(f"Skills, MCP {revision}: {passed} of {passed + len(failing)} checks", flush=True)
            for check in failing:
                print(f"! {check.place} {check.message}")
            went_well &= passed > 0 and not failing
    return went_well


def by_inspector(found: Programs) -> bool:
    """Go through the gateway as the Inspector does."""
    print()
    began = time.monotonic()
    problems = []
    for step, problem in inspector.run(found):
        print(f"Inspector, {step.what}: {'! FAILS' if problem else 'as expected'}", flush=True)
        if problem:
            problems.append(problem)
            print(problem)
    print(f"Inspector: {time.monotonic() - began:.0f} s")
    return not problems


def as_client(found: Programs) -> bool:
    """Score upstreams over HTTP as the clients that they are."""
    print()
    went_well = True
    for score in client_suite.run(found):
        print(
            f"As a client, {score.scenario}: {'! FAILS, ' if score.told else ''}{score.passed} of {score.checks} checks"
        )
        went_well &= not score.told
        print(score.told, end="")
    return went_well


def scored(found: Programs, revision: str, address: str, label: str, expected: Path | None) -> bool:
    """Run the suite once, and tell what came of it."""
    began = time.monotonic()
    verdict = suite.run(found, revision, address, CACHE / "results" / f"{revision}-{label}", expected)
    told = figures(verdict)
    print(f"MCP {revision}, {label.replace('-', ' ')} ({time.monotonic() - began:.0f} s): {told}", flush=True)
    return verdict.as_expected


def settings(era: str) -> str:
    """The fixture behind the gateway, its tools under their own names and all of them listed."""
    command, *arguments = FIXTURE
    return f"""
[upstreams.fixture]
command = {json.dumps(command)}
args = {json.dumps(arguments)}
cwd = {json.dumps(str(ROOT))}
prefix = false
visibility = "always"
era = {json.dumps(era)}
"""


async def upstream_ready(address: str) -> None:
    """Search once: that waits for upstreams, while a list is given as it is."""
    async with Client(address) as client:
        found = await client.call_tool("find_tools", {"query": "test_simple_text"})
    if "test_simple_text" not in str(found.content):
        raise RuntimeError(f"The fixture's tools are not there: {found.content}")


async def skills_ready(address: str) -> None:
    """List the skills until those of the upstream are there; a list waits for it only so long."""
    async with Client(address) as client:
        with anyio.fail_after(READY_SECONDS):
            while not any("skill://shop.mcp/" in one.uri for one in (await listed(client))):
                await anyio.sleep(0.2)


async def listed(client: Client) -> list[Resource]:
    """The resources of now."""
    return (await client.list_resources(cache_mode="bypass")).resources


if __name__ == "__main__":
    sys.exit(main())
