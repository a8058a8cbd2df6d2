"""What kind of address an IP address is, from tables of our own.

The standard library's ``is_global`` and ``is_private`` differ between patch releases of Python, and call many reserved
addresses global. Here the longest matching prefix decides; what no row names is reserved.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address

PUBLIC: Final = "public"
CLOUD: Final = "a cloud's metadata service"
EMBEDS: Final = "embeds"
"""The last 32 bits are the IPv4 address that is reached in truth: it decides."""

KINDS: Final[Mapping[str, str]] = {
    "0.0.0.0/0": PUBLIC,
    "0.0.0.0/8": "unspecified",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a carrier's customers",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "for protocol assignments",
    "192.0.0.9/32": PUBLIC,
    "192.0.0.10/32": PUBLIC,
    "192.0.2.0/24": "for documentation",
    "192.88.99.0/24": "for 6to4 relays",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "for benchmarking",
    "198.51.100.0/24": "for documentation",
    "203.0.113.0/24": "for documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "255.255.255.255/32": "broadcast",
    "::/0": "reserved",
    "::/96": "IPv4-compatible",
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::ffff:0:0/96": EMBEDS,
    "::ffff:0:0:0/96": "IPv4-translated",
    "64:ff9b::/96": EMBEDS,
    "64:ff9b:1::/48": "behind a local NAT64",
    "100::/64": "discarded",
    "2000::/3": PUBLIC,
    "2001::/23": "for protocol assignments",
    "2001::/32": "a Teredo tunnel",
    "2001:1::1/128": PUBLIC,
    "2001:1::2/128": PUBLIC,
    "2001:1::3/128": PUBLIC,
    "2001:2::/48": "for benchmarking",
    "2001:3::/32": PUBLIC,
    "2001:4:112::/48": PUBLIC,
    "2001:20::/28": PUBLIC,
    "2001:30::/28": PUBLIC,
    "2001:db8::/32": "for documentation",
    "2002::/16": "a 6to4 tunnel",
    "3fff::/20": "for documentation",
    "5f00::/16": "for segment routing",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}

METADATA: Final = frozenset(
    map(
        ip_address,
        (
            "100.100.100.200",  # Alibaba
            "168.63.129.16",  # Azure's wire server: public by its number
            "169.254.42.42",  # Scaleway
            "169.254.169.254",  # nearly everyone
            "169.254.170.2",  # ECS
            "169.254.170.23",  # EKS
            "192.0.0.192",  # Oracle
            "fd00:42::42",  # Scaleway
            "fd00:ec2::23",  # EKS
            "fd00:ec2::254",  # EC2
            "fd20:ce::254",  # Google
        ),
    )
)
"""Where clouds hand credentials to whoever asks."""

_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})
"""The third quarter of an IPv6 address that tunnels to the IPv4 address in the fourth."""

_Row = tuple[int, int, str]


def _rows(version: int) -> list[_Row]:
    """Mask, network and kind of every row, the longest prefix first."""
    networks = [(ip_network(text), kind) for text, kind in KINDS.items()]
    rows = [(int(net.netmask), int(net.network_address), kind) for net, kind in networks if net.version == version]
    return sorted(rows, reverse=True)


_ROWS: Final[Mapping[int, list[_Row]]] = {4: _rows(4), 6: _rows(6)}


def kind_of(address: Address) -> str:
    """``PUBLIC``, or words for what the address is instead; ``CLOUD`` before anything else."""
    if address in METADATA:
        return CLOUD
    value = int(address)
    kind = next(kind for mask, network, kind in _ROWS[address.version] if value & mask == network)
    tunnels = address.version == 6 and kind == PUBLIC and (value >> 32) & 0xFFFFFFFF in _ISATAP
    return kind_of(IPv4Address(value & 0xFFFFFFFF)) if kind == EMBEDS or tunnels else kind


_MAPPED: Final = int(IPv6Address("::ffff:0:0")) >> 32


def unmapped(address: Address) -> Address:
    """The IPv4 address that an IPv4-mapped one stands for; any other as it is."""
    if address.version == 6 and int(address) >> 32 == _MAPPED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def read_address(text: str) -> Address | None:
    """The address that a text is in its canonical spelling, without a zone; None for anything else."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return None if "%" in text else address
