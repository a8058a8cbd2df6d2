"""Which addresses outgoing HTTP may reach: rules over values, no I/O.

``EgressPolicy.admit`` checks what can be known of an address before a look-up, ``admit_answers`` what the look-up gave.
Both raise RefusedRequestError, which says to the operator which rule refused what.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from pegboard.errors import ConfigError, RefusedRequestError
from pegboard.net.addresses import CLOUD, PUBLIC, Address, kind_of, read_address, unmapped
from pegboard.net.refusals import refuse
from pegboard.net.urls import DEFAULT_PORTS, Origin, Target, parse, read_host

Network = IPv4Network | IPv6Network

SERVICE_PORTS: Final = frozenset(
    {2049, 2375, 2376, 3306, 3389, 5432, 5672, 5900, 6379, 9200, 9300, 10250, 11211, 27017}
)
"""Ports above 1023 where databases, brokers and machines listen, not web servers."""

INSIDE_NAMES: Final = frozenset(
    {"metadata.packet.net", "metadata.tencentyun.com", "kubernetes.default", "localtest.me", "lvh.me"}
)
INSIDE_SUFFIXES: Final = (
    *(".localhost", ".localdomain", ".local", ".lan", ".internal", ".home.arpa", ".onion", ".consul"),
    *(".svc", ".intranet", ".corp", ".home", ".private"),
)
"""Names that mean something inside only. One without a dot does as well: it is resolved with the search list."""


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """What one tool, source or import may reach. Immutable; connections are shared among equal ones only.

    Made with ``allowing``. ``ports`` None: 80, 443, and those from 1024 on that belong to no well-known service.
    ``hosts`` None: any; empty: none. ``networks`` are open to every host, ``private_hosts`` pairs of a name and the
    range it may resolve to. ``origins`` are the operator's own and skip all other rules, but for cloud metadata.
    """

    schemes: frozenset[str] = frozenset({"https"})
    ports: frozenset[int] | None = None
    hosts: frozenset[str] | None = None
    networks: frozenset[Network] = frozenset()
    private_hosts: frozenset[tuple[str, Network]] = frozenset()
    origins: frozenset[Origin] = frozenset()

    @classmethod
    def allowing(
        cls,
        *,
        schemes: Collection[str] = ("https",),
        ports: Collection[int] | None = None,
        hosts: Collection[str] | None = None,
        networks: Collection[str] = (),
        private_hosts: Mapping[str, Collection[str]] | None = None,
        origins: Collection[str] = (),
    ) -> EgressPolicy:
        """A policy from what a configuration says: ``hosts`` are names, literals, or ``*.b`` for all names below b;
        networks are in CIDR form; origins are addresses whose path does not matter. Raises ConfigError."""
        unknown = set(schemes) - DEFAULT_PORTS.keys()
        if unknown:
            raise ConfigError(f"{min(unknown)!r} is no scheme of HTTP.", hint="Give http, https or both.")
        strange = [port for port in ports or () if not 0 < port < 65_536]
        if strange:
            raise ConfigError(f"There is no port {strange[0]}.", hint="Give ports from 1 to 65535.")
        pairs = [(_listed(host), net) for host, nets in (private_hosts or {}).items() for net in nets]
        return cls(
            schemes=frozenset(schemes),
            ports=None if ports is None else frozenset(ports),
            hosts=None if hosts is None else frozenset(map(_listed, hosts)),
            networks=frozenset(map(_network, networks)),
            private_hosts=frozenset((host, _network(net)) for host, net in pairs),
            origins=frozenset(map(_origin, origins)),
        )

    def admit(self, target: Target) -> None:
        """Check all that needs no look-up."""
        origin = target.origin
        if origin in self.origins:
            return
        if origin.scheme not in self.schemes:
            raise refuse("scheme", f"{origin} is not over {' or '.join(sorted(self.schemes)) or 'any scheme'}")
        if not self._admits_port(origin.port):
            raise refuse("port", f"{origin} is on a port for other services, or on none that is listed")
        if self.hosts is not None and not any(_covers(listed, origin.host) for listed in self.hosts):
            raise refuse("host list", f"{origin.host} is not on the list of hosts")
        if target.literal is not None:
            self._admit_address(target, target.literal)
        elif _is_inside(origin.host) and all(host != origin.host for host, _ in self.private_hosts):
            raise refuse("name", f"{origin.host} is a name of hosts inside")

    def admit_answers(self, target: Target, answers: Sequence[str]) -> tuple[str, ...]:
        """The addresses that a look-up gave, in its order: all of them, or none."""
        if not answers:
            raise refuse("resolution", f"{target.origin.host} has no address")
        return tuple(self._admit_answer(target, answer) for answer in answers)

    def without_origins(self) -> EgressPolicy:
        """For addresses that came from elsewhere than the operator: a redirect may not use what was allowed to them."""
        return replace(self, origins=frozenset())

    def _admits_port(self, port: int) -> bool:
        if self.ports is not None:
            return port in self.ports
        return port in DEFAULT_PORTS.values() or (port >= 1024 and port not in SERVICE_PORTS)

    def _admit_answer(self, target: Target, answer: str) -> str:
        address = read_address(answer)
        if address is None:
            raise refuse("resolution", f"{target.origin.host} has an answer that is no address, or has a zone")
        self._admit_address(target, address)
        return str(address)

    def _admit_address(self, target: Target, address: Address) -> None:
        kind, plain = kind_of(address), unmapped(address)
        if kind == PUBLIC or self._excepts(target, plain, metadata=kind == CLOUD):
            return
        at = f"{address}" if target.literal is not None else f"{target.origin.host} is at {address}, which"
        raise refuse("address", f"{at} is {kind}")

    def _excepts(self, target: Target, address: Address, *, metadata: bool) -> bool:
        """Whether the operator allowed this address to this host. Metadata must have been named to the last bit."""
        if target.origin in self.origins:
            return not metadata
        own = {net for host, net in self.private_hosts if host == target.origin.host}
        if metadata:
            return any(net.num_addresses == 1 and address in net for net in own)
        return any(address in net for net in own | self.networks)


def _listed(host: str) -> str:
    """An entry of a host list as it is compared."""
    star = "*." if host.startswith("*.") else ""
    bare = host[len(star) :]
    literal = read_address(bare.strip("[]"))
    if literal is not None:
        return str(literal)
    try:
        return star + read_host(bare)[0]
    except RefusedRequestError as error:
        raise ConfigError(
            f"{host!r} is no host: {error.detail}.", hint="Give names, addresses, or *.name for all below it."
        ) from error


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise ConfigError(f"{text!r} is no network: {error}.", hint="Write it like 10.1.2.0/24.") from error


def _origin(url: str) -> Origin:
    try:
        return parse(url).origin
    except RefusedRequestError as error:
        raise ConfigError(
            f"An address cannot be used: {error.detail}.", hint="Write it like https://host:port."
        ) from error


def _covers(listed: str, host: str) -> bool:
    return host.endswith(listed[1:]) if listed.startswith("*.") else host == listed


def _is_inside(name: str) -> bool:
    return "." not in name or name in INSIDE_NAMES or name.endswith(INSIDE_SUFFIXES)
