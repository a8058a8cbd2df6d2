"""One egress vector through the real client: only the resolver and the sockets below the guard follow its script."""

from __future__ import annotations

import asyncio
import functools
import os
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from pegboard.errors import EgressError, RefusedRequestError, UnreachableError
from pegboard.net.addresses import read_address, unmapped
from pegboard.net.client import MAX_REDIRECTS, HttpClient
from pegboard.net.egress import EgressPolicy
from pegboard.net.headers import OURS
from pegboard.net.replies import Reply
from tests.net.scripted import Network, Received, reply

Vector = dict[str, Any]

SCHEMES = ("http", "https")
"""What the vectors' own default policy takes; ours is https alone."""


@functools.cache
def tls() -> ssl.SSLContext:
    """One context for all vectors: loading the system's certificates takes long."""
    return ssl.create_default_context()


def policy_of(text: str | None) -> EgressPolicy:
    """The policy that a vector names."""
    kind, _, rest = (text or "default-ports").partition(":")
    listed = [entry for entry in rest.split(",") if entry]
    match kind:
        case "default-ports":
            return EgressPolicy.allowing(schemes=SCHEMES)
        case "https-only":
            return EgressPolicy.allowing()
        case "allow":
            return EgressPolicy.allowing(schemes=SCHEMES, networks=listed)
        case "allow-host":
            pairs = [entry.partition("=") for entry in listed]
            hosts = {host: [net for name, _, net in pairs if name == host] for host, _, _ in pairs}
            return EgressPolicy.allowing(schemes=SCHEMES, private_hosts=hosts)
        case "only-hosts":
            return EgressPolicy.allowing(schemes=SCHEMES, hosts=listed)
    raise ValueError(f"the policy {text!r} is none of those that the page on vectors names")


@dataclass
class Script:
    """What the world does in one vector, and what it saw. Lives as long as the vector's run."""

    vector: Vector
    asked: list[str] = field(default_factory=list)
    redirects_given: int = 0
    answered: int = 0
    closes: bool = False

    @property
    def hops(self) -> int:
        """How many replies redirect."""
        return int(self.vector.get("redirects", 1 if "redirect_to" in self.vector else 0))

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        vector = self.vector
        first = vector.get("resolves_to")
        later = vector.get("resolves_to_next", first)
        answers = first if len(self.asked) == 1 else later
        if self.redirects_given:
            answers = vector.get("redirect_resolves_to", later)
        if answers is None:
            raise OSError("the vector has no answer for this name")
        return list(answers)

    def answer(self, request: Received) -> bytes:
        """The redirects first, then a plain answer; the vector's own headers and status come once."""
        vector, first = self.vector, not self.answered
        self.answered += 1
        headers = list(pairs(vector.get("headers", {}))) if first else []
        if self.redirects_given < self.hops:
            self.redirects_given += 1
            location = ("Location", vector.get("redirect_to", "/next"))
            return reply(vector.get("status", 302), b"", location, *headers)
        closing = [("Connection", "close")] if self.closes else []
        return reply(vector.get("status", 200) if first else 200, b"reached", *headers, *closing)


def pairs(headers: Any) -> Iterator[tuple[str, str]]:
    """Headers written as an object, or as a list of pairs."""
    for name, value in headers.items() if isinstance(headers, dict) else headers:
        for one in value if isinstance(value, list) else [value]:
            yield name, one


def check(vector: Vector) -> list[str]:
    """What the guard did wrong with one vector; empty when it did what the vector expects."""
    try:
        policy = policy_of(vector.get("policy"))
    except ValueError as error:
        return [str(error)]
    with patch.dict(os.environ, vector.get("env", {})):
        return asyncio.run(problems_of(vector, policy))


async def problems_of(vector: Vector, policy: EgressPolicy) -> list[str]:
    script = Script(vector)
    network = Network(answer=script.answer, fails=[canonical(one) for one in vector.get("connect_fails", ())])
    retries = 1 if "connect_fails" in vector else 0  # such a vector asks what a second attempt does
    async with HttpClient(resolver=script, network=network, tls=tls(), retries=retries) as client:
        outcome = await send(client, vector, policy)
        problems = [*judged(vector, outcome), *connections(vector, network), *stripped(vector, network)]
        looked_up = len(script.asked)
        if looked_up > 1 + script.redirects_given + retries:
            problems.append(f"{looked_up} look-ups were made")
        if "resolves_to_next" in vector and isinstance(outcome, Reply):
            problems += await again(client, vector, policy, script, network)
    return problems


async def send(client: HttpClient, vector: Vector, policy: EgressPolicy) -> Reply | EgressError:
    named = vector.get("must_strip", [])
    names = [name for name in ([named] if isinstance(named, str) else named) if name.lower() not in OURS]
    headers = {name: f"secret of {name}" for name in names}
    method = vector.get("method", "GET")
    body = b"a body" if method in ("POST", "PUT", "PATCH") else b""
    try:
        return await client.request(
            method, vector["url"], policy=policy, headers=headers, body=body, redirects=MAX_REDIRECTS
        )
    except EgressError as error:
        return error


def judged(vector: Vector, outcome: Reply | EgressError) -> Iterator[str]:
    """Whether it was allowed or blocked as expected. A failure of the network is neither, unless it is scripted."""
    if isinstance(outcome, Reply):
        got = "allow"
    elif isinstance(outcome, RefusedRequestError):
        got = "block"
    else:
        got = "block" if isinstance(outcome, UnreachableError) and "connect_fails" in vector else "fail"
    if got != vector["expect"]:
        how = "it was allowed" if got == "allow" else f"{got}: {getattr(outcome, 'rule', '')}: {outcome}"
        yield f"{vector['expect']} is expected, and {how}"


def connections(vector: Vector, network: Network) -> Iterator[str]:
    """Whether sockets went where they may go only."""
    if "must_connect_only" in vector:
        may = vector["must_connect_only"]
    elif vector["expect"] == "allow":
        return
    else:
        may = [*harmless(vector)]
    known = {canonical(address) for address in may}
    strays = [address for address in network.connects if canonical(address) not in known]
    if strays:
        yield f"it connected to {', '.join(strays)}"


def harmless(vector: Vector) -> Iterator[str]:
    """What a request that is blocked in the end may connect to on its way there."""
    if {"redirect_to", "redirects", "headers", "connect_fails"} & vector.keys():
        yield from vector.get("resolves_to") or ()
    if vector.get("redirects", 1) > 1:  # the hop that is one too many is the one that is blocked
        yield from vector.get("redirect_resolves_to", ())


def canonical(text: str) -> str:
    """One text for an address, however it is written, IPv4-mapped too."""
    address = read_address(text)
    return text if address is None else str(unmapped(address))


def stripped(vector: Vector, network: Network) -> Iterator[str]:
    """Whether what must be gone after the first hop is gone."""
    named = vector.get("must_strip", [])
    for name in [named] if isinstance(named, str) else named:
        sent_on = [request for request in network.requests[1:] if request.header(name) is not None]
        if sent_on:
            yield f"{name} was sent on"
        if name.lower() not in OURS and network.requests and network.requests[0].header(name) is None:
            yield f"{name} was not sent at all"


async def again(
    client: HttpClient, vector: Vector, policy: EgressPolicy, script: Script, network: Network
) -> list[str]:
    """The same request on the open connection, and on a new one, when the name leads elsewhere by now."""
    script.closes = True
    before = len(script.asked), len(network.connects)
    if "connect_fails" not in vector and not isinstance(await send(client, vector, policy), Reply):
        return ["the open connection was not used again"]
    problems = []
    if "connect_fails" not in vector and (len(script.asked), len(network.connects)) != before:
        problems.append("the open connection was not used again")
    await send(client, vector, policy)
    return [*problems, *connections(vector, network)]
