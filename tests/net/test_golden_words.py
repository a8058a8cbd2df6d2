"""What vectors about addresses only say in words: the guard refuses more than the one that they were observed on."""

from __future__ import annotations

import pytest

from tests.runners.golden.adapters.insika_egress import decided

ANSWERS = {"api.example.com": ["93.184.216.34"]}


@pytest.mark.golden(
    "insika_egress_guard/v4_nonglobal_224.0.0.1",
    "insika_egress_guard/v4_nonglobal_240.0.0.1",
    "insika_egress_guard/v4_nonglobal_255.255.255.255",
    "insika_egress_guard/v4_nonglobal_192.0.2.1",
    "insika_egress_guard/v4_nonglobal_198.51.100.7",
    "insika_egress_guard/v4_nonglobal_203.0.113.9",
    "insika_egress_guard/v6_nonglobal_ff02__1",
    "insika_egress_guard/v6_nonglobal_fec0__1",
    "insika_egress_guard/v6_nonglobal_64_ff9b__7f00_1",
    "insika_egress_guard/v6_nonglobal___127.0.0.1",
)
@pytest.mark.parametrize(
    "host",
    [
        *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
        *("192.0.2.1", "198.51.100.7", "203.0.113.9", "192.88.99.1"),
        *("[::]", "[ff02::1]", "[fec0::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "[2001:db8::1]"),
    ],
)
def test_no_range_that_is_not_global_passes(host: str) -> None:
    assert decided({"url": f"https://{host}/x"}) == "address"


@pytest.mark.golden("insika_egress_guard/allowlist_case", "insika_egress_guard/allowlist_trailing_dot")
@pytest.mark.parametrize("host", ["API.EXAMPLE.COM", "api.example.com.", "Api.Example.Com."])
def test_a_listed_host_is_one_in_every_case_and_with_a_trailing_dot(host: str) -> None:
    assert decided({"url": f"https://{host}/x", "host_allowlist": ["api.example.com"], "resolve": ANSWERS}) is None
    assert decided({"url": f"https://{host}/x", "host_allowlist": ["example.com"], "resolve": ANSWERS}) == "host list"


@pytest.mark.golden("insika_egress_guard/allowlist_v6_needs_brackets")
@pytest.mark.parametrize("listed", ["2001:4860:4860::8888", "[2001:4860:4860::8888]"])
def test_an_address_in_the_list_may_stand_in_brackets_or_not(listed: str) -> None:
    assert decided({"url": "https://[2001:4860:4860::8888]/x", "host_allowlist": [listed]}) is None
    assert decided({"url": "https://[2001:4860:4860::8844]/x", "host_allowlist": [listed]}) == "host list"
