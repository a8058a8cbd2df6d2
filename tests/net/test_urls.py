from __future__ import annotations

import string
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import RefusedRequestError
from pegboard.net.urls import MAX_URL, Origin, next_target, parse


@pytest.mark.parametrize(
    ("written", "rebuilt"),
    [
        ("HTTPS://EXAMPLE.com", "https://example.com/"),
        ("https://example.com.", "https://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:0443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://example.com:?q", "https://example.com/?q"),
        ("https://bücher.example/ü?q=ü#ü", "https://xn--bcher-kva.example/%C3%BC?q=%C3%BC"),
        ("https://example。com/", "https://example.com/"),
        ("https://example.com/a/../b/./c/..", "https://example.com/b/"),
        ("https://example.com/../..", "https://example.com/"),
        ("https://example.com/a%2Fb/%zz/100%", "https://example.com/a%2Fb/%25zz/100%25"),
        ("https://example.com/a\\b{c}", "https://example.com/a%5Cb%7Bc%7D"),
        ("https://example.com/@scope/pkg?x=//a@b", "https://example.com/@scope/pkg?x=//a@b"),
        ("https://[2606:4700:0:0::1111]:8443/x", "https://[2606:4700::1111]:8443/x"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("https://my_service.example.com/", "https://my_service.example.com/"),
        ("https://example.com#@evil.example", "https://example.com/"),
    ],
)
def test_an_address_is_rebuilt_from_its_parts(written: str, rebuilt: str) -> None:
    assert parse(written).url == rebuilt


@pytest.mark.parametrize(
    "url",
    [
        *("http://0x7f.1/", "http://2130706433/", "http://127.1/", "http://0177.0.0.1/", "http://127.0.0.0x1/"),
        *("http://１２７.１/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://example.123/", "http://a.0x/"),
        *("http://127.0.0.0_1/", "http://127.0.0.1a/", "http://example.0b1/"),
        *("http://user@example.com/", "http://:@example.com/", "http://example.com%2f.x.example/", "http://%31.1.1.1/"),
        *("http://example.com\\@evil.example/", "http:\\\\example.com/", "http:/example.com/", "http:example.com"),
        *("//example.com/", "example.com", "", "http://", "http:///x", "http://:80/", "http://a..b/", "http://.a.b/"),
        *("http://-a.example/", "http://a-.example/", f"http://{'a' * 64}.example/", f"http://{'a.' * 127}example/"),
        *("http://[::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[v1.x]/", "http://[::1", "http://[::1]x/"),
        *("http://[]/", "http://[1.2.3.4]/", "http://[2606:4700::1111/", "http://::1/", "http://a b/"),
        *("http://a\t.b/", "http://a.b/ ", "http://a.b\n", "\x01http://a.b/", "http://a.b/\x7f", "http://a.b:0/"),
        *("http://a.b:65536/", "http://a.b:+80/", "http://a.b:8_0/", "http://a.b:８０/", "http://a.b:-1/"),
        *("http://a.b:80:80/", "http://a.b:" + "9" * 5000, "http://evil℀.example/", "http://xn--a.example/"),
        *("http://xn--.example/", "http://a\u200d.example/", "http://a.b/\ud800", f"http://a.b/{'x' * MAX_URL}"),
        "http://" + "ü" * 255 + ".example/",
    ],
)
def test_what_parsers_read_differently_is_refused(url: str) -> None:
    with pytest.raises(RefusedRequestError) as caught:
        parse(url)
    assert caught.value.rule == "syntax"
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("url", ["ftp://a.b/", "file:///etc/passwd", "HTTPX://a.b/", "ws://a.b/", "gopher://a.b:70/_"])
def test_other_schemes_are_refused(url: str) -> None:
    with pytest.raises(RefusedRequestError) as caught:
        parse(url)
    assert caught.value.rule == "scheme"


@given(st.text(alphabet=string.printable + "äß。１\u200d@\\%[]:/?#", max_size=40))
def test_what_was_rebuilt_is_plain_ascii_and_read_as_the_same_by_every_parser(text: str) -> None:
    try:
        target = parse(f"https://{text}")
    except RefusedRequestError:
        return
    assert parse(target.url) == target
    assert target.url.isascii()
    assert not set(target.url) & set(" \t\r\n\\\x0b\x0c")
    theirs, others = httpx2.URL(target.url), urlsplit(target.url)
    assert theirs.raw_host.decode("ascii") == others.hostname == target.origin.host
    assert (theirs.port or 443) == (others.port or 443) == target.origin.port


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("/x", "https://a.example/x"),
        ("x", "https://a.example/deep/x"),
        ("../x", "https://a.example/x"),
        ("?r=2", "https://a.example/deep/page?r=2"),
        ("#part", "https://a.example/deep/page?q=1"),
        ("//b.example/y", "https://b.example/y"),
        ("https://b.example", "https://b.example/"),
        ("/x:y", "https://a.example/x:y"),
    ],
)
def test_a_location_is_read_from_where_it_was_given(location: str, leads_to: str) -> None:
    assert next_target(parse("https://a.example/deep/page?q=1"), location).url == leads_to


@pytest.mark.parametrize("location", ["", "/\\b.example", "/x y", "/x\n", "\\\\b.example", "http://a.example/"])
def test_a_location_that_clients_read_differently_or_that_leaves_https_is_refused(location: str) -> None:
    with pytest.raises(RefusedRequestError) as caught:
        next_target(parse("https://a.example/"), location)
    assert caught.value.rule == "redirect"


@pytest.mark.parametrize(
    "location", ["https:b.example", "javascript:alert(1)", "https://u@b.example/", "///b.example/"]
)
def test_a_location_is_parsed_as_strictly_as_any_address(location: str) -> None:
    with pytest.raises(RefusedRequestError):
        next_target(parse("https://a.example/"), location)


def test_the_authority_names_the_port_unless_it_is_the_schemes_own() -> None:
    assert Origin("https", "a.example", 443).authority == "a.example"
    assert Origin("http", "a.example", 443).authority == "a.example:443"
    assert Origin("http", "::1", 80).authority == "[::1]"
    assert Origin("http", "::1", 8080).authority == "[::1]:8080"
