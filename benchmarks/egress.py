"""What the egress guard costs a request: our client against the bare library, to a server on loopback."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import httpx2

from benchmarks.report import Table
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from pegboard.net.urls import parse

ROUNDS = 30
REQUESTS = 50
"""In a row, each round, for each contender; the first round is not counted."""

Get = Callable[[str], Awaitable[object]]


def run() -> list[Table]:
    """Start the server, and measure."""
    with server() as port:
        return [asyncio.run(requests(port)), decisions()]


@contextmanager
def server() -> Iterator[int]:
    """A server in a process of its own; its port."""
    command = [sys.executable, "-m", "benchmarks.hello_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


async def requests(port: int) -> Table:
    """Times of one GET, on a connection that is open, and with a look-up and a connection of its own."""
    context = httpx2.create_ssl_context(trust_env=False)
    policy = EgressPolicy.allowing(schemes=["http"], private_hosts={"localhost": ["127.0.0.0/8", "::1/128"]})
    async with httpx2.AsyncClient(verify=context, trust_env=False) as bare, HttpClient(tls=context) as guarded:

        async def ours(url: str) -> object:
            return (await guarded.request("GET", url, policy=policy)).body

        async def theirs(url: str) -> object:
            return (await bare.get(url)).content

        rows = []
        for label, path in (("open connection", "/"), ("new connection", "/close")):
            rows += await compared(label, f"http://localhost:{port}{path}", {"httpx2": theirs, "guarded": ours})
    return Table(
        title="Egress guard: one request",
        columns=["request on", "client", "median ms", "p95 ms", "/ httpx2", "added ms"],
        rows=rows,
        note=f"GET of 5 bytes from loopback by name, system's resolver; {ROUNDS} rounds of {REQUESTS}, in turn.",
    )


async def compared(label: str, url: str, contenders: dict[str, Get]) -> list[list[str]]:
    """One row for each client."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(ROUNDS + 1):
        for name, get in contenders.items():
            for _ in range(REQUESTS):
                began = time.perf_counter()
                await get(url)
                if number:
                    times[name].append((time.perf_counter() - began) * 1_000)
    base = statistics.median(times["httpx2"])
    return [[label, name, *figures(found, base)] for name, found in times.items()]


def figures(found: list[float], base: float) -> list[str]:
    """Median, 95th percentile, and both against the base."""
    middle = statistics.median(found)
    return [
        f"{middle:.3f}",
        f"{statistics.quantiles(found, n=20)[-1]:.3f}",
        f"{middle / base:.2f}",
        f"{middle - base:.3f}",
    ]


DECISIONS = {
    "name, public answers": ("https://api.example.com/v1/items?limit=5", ["93.184.215.14", "2606:2800:21f:cb07::1"]),
    "name in another script": ("https://bücher.example/", ["93.184.215.14"]),
    "literal IPv6 address": ("https://[2606:4700:4700::1111]/", []),
}


def decisions() -> Table:
    """What the rules alone take: the address parsed, its policy and its answers checked."""
    policy = EgressPolicy()
    rows = []
    for label, (url, answers) in DECISIONS.items():
        spans = []
        for _ in range(2_000):
            began = time.perf_counter()
            target = parse(url)
            policy.admit(target)
            if answers:
                policy.admit_answers(target, answers)
            spans.append(time.perf_counter() - began)
        rows.append([label, f"{statistics.median(spans) * 1_000_000:.0f}"])
    return Table("Egress guard: the decision alone", ["address", "median µs"], rows, "Without any network.")
