from __future__ import annotations

from ipaddress import IPv4Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.net.addresses import CLOUD, EMBEDS, KINDS, METADATA, PUBLIC, kind_of, read_address, unmapped

FOUR = st.integers(0, 2**32 - 1).map(IPv4Address)


@pytest.mark.parametrize(
    "text",
    [
        *("8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0", "192.0.0.9", "223.255.255.255"),
        *("192.31.196.1", "2606:4700::1111", "2001:4:112::1", "2001:20::1", "2001:3::1", "2620:4f:8000::1", "3ffe::1"),
        *("::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:470::5efe:8.8.8.8"),
    ],
)
def test_what_everyone_can_reach_is_public(text: str) -> None:
    assert kind_of(ip_address(text)) == PUBLIC


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("127.255.255.255", "loopback"),
        ("::1", "loopback"),
        ("10.0.0.0", "private"),
        ("fdff::1", "private"),
        ("169.254.1.1", "link-local"),
        ("febf::1", "link-local"),
        ("239.1.1.1", "multicast"),
        ("ff0e::1", "multicast"),
        ("0.0.0.0", "unspecified"),
        ("255.255.255.255", "broadcast"),
        ("::8.8.8.8", "IPv4-compatible"),
        ("::ffff:0:8.8.8.8", "IPv4-translated"),
        ("2002:808:808::1", "a 6to4 tunnel"),
        ("2001::808:808", "a Teredo tunnel"),
        ("64:ff9b:1::808:808", "behind a local NAT64"),
        ("4000::1", "reserved"),
        ("fec0::1", "site-local"),
        ("168.63.129.16", CLOUD),
        ("fd00:ec2::254", CLOUD),
    ],
)
def test_what_is_inside_or_reserved_is_named(text: str, kind: str) -> None:
    assert kind_of(ip_address(text)) == kind


@given(FOUR)
def test_an_address_that_embeds_another_is_what_that_one_is(four: IPv4Address) -> None:
    for form in (f"::ffff:{four}", f"64:ff9b::{four}", f"2001:470::200:5efe:{four}", f"2606:4700::5efe:{four}"):
        assert kind_of(ip_address(form)) == kind_of(four)


@pytest.mark.parametrize("address", sorted(map(str, METADATA)))
def test_metadata_of_a_cloud_is_that_before_anything_else(address: str) -> None:
    assert kind_of(ip_address(address)) == CLOUD


@pytest.mark.parametrize("network", KINDS)
def test_every_row_decides_on_its_own_first_and_last_address_unless_a_narrower_one_does(network: str) -> None:
    whole = ip_network(network)
    for value in (int(whole.network_address), int(whole.broadcast_address)):
        address = whole.network_address.__class__(value)
        narrower = [net for net in map(ip_network, KINDS) if address in net and net.prefixlen > whole.prefixlen]
        if not narrower and address not in METADATA and KINDS[network] != EMBEDS:
            assert kind_of(address) == KINDS[network]


def test_only_mapped_addresses_stand_for_an_ipv4_address() -> None:
    assert unmapped(ip_address("::ffff:10.0.0.1")) == ip_address("10.0.0.1")
    for same in ("64:ff9b::10.0.0.1", "::10.0.0.1", "10.0.0.1", "::fffe:ffff:10.0.0.1"):
        assert unmapped(ip_address(same)) == ip_address(same)


@pytest.mark.parametrize("text", ["127.1", "0177.0.0.1", "2130706433", "fe80::1%2", "1.1.1.1 ", "", "x", "１.1.1.1"])
def test_other_spellings_and_zones_are_no_address(text: str) -> None:
    assert read_address(text) is None
