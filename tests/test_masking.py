from __future__ import annotations

import html
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.masking import MASK, Scrubber

SECRETS = ["s3cr3t-token_0123456789", 'k3y+/=&"<>%é;, z', "p4ss:w/ord\\u0041%41&amp;", "пароль-w0rd", "🗝️k3y"]


def in_units(text: str) -> str:
    """Every character as JSON's escapes, in pairs beyond the first plane."""
    units = text.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def every_second(text: str, spelt: Callable[[str], str]) -> str:
    """Every second character spelt so."""
    return "".join(spelt(char) if place % 2 else char for place, char in enumerate(text))


def in_percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON in UTF-8": lambda text: json.dumps(text, ensure_ascii=False)[1:-1].replace("/", "\\/"),
    "JSON in JSON in JSON": lambda text: json.dumps(json.dumps(json.dumps(text)[1:-1])[1:-1])[1:-1],
    "JSON, every character": in_units,
    "JSON, every character, in capitals": lambda text: in_units(text).upper().replace("\\U", "\\u"),
    "address": quote,
    "address, whole": lambda text: quote(text, safe=""),
    "address, every byte": in_percent,
    "address, every byte, in capitals": lambda text: in_percent(text).upper(),
    "address, in part": lambda text: every_second(text, in_percent) if "%" not in text else quote(text),
    "address in an address": lambda text: quote(quote(text, safe=""), safe=""),
    "form": quote_plus,
    "HTML": html.escape,
    "HTML, decimal": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "HTML, hexadecimal": lambda text: "".join(f"&#x{ord(char):X};" for char in text),
    "HTML in JSON": lambda text: json.dumps(html.escape(text))[1:-1],
    "bytes of a program": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, in capitals": lambda text: text.encode().hex().upper(),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in an address": lambda text: quote(b64encode(text.encode()).decode(), safe=""),
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_secret_is_masked_however_a_service_spells_it(spelling: str, secret: str) -> None:
    spelt = SPELLINGS[spelling](secret)
    assert Scrubber(["other", secret]).text(f"you sent <{spelt}>, é") == f"you sent <{MASK}>, é"


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(("before", "after"), [("", ":x"), ("u:", ""), ("us:", "y"), ("Bearer ", ""), ("é:", "é")])
def test_a_secret_is_masked_within_base64_wherever_it_begins(secret: str, before: str, after: str) -> None:
    whole = before.encode() + secret.encode() + after.encode()
    told = Scrubber([secret]).text(b64encode(whole).decode())
    assert MASK in told
    left = sum(map(len, told.split(MASK)))
    assert left <= len(b64encode((before + after).encode())) + 8  # what shares its bits with what stands around


@pytest.mark.parametrize(
    "text", ["", "plain", "100%", "a&b;", "\\", "\\u12", "%4", "&#;", "&nothing;", "é%E9é", "\ud800"]
)
def test_a_text_without_a_secret_is_left_as_it_is(text: str) -> None:
    assert Scrubber(["s3cr3t"]).text(text) is text


_pieces = st.lists(
    st.one_of(
        st.text(max_size=5),
        st.sampled_from(["s3cr3t", "%73", "\\u0073", "&#115;", "3cr3t", "é", "\\\\", "%25", "s3cr", "czNjcjN0"]),
    ),
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(_pieces)
def test_what_stands_around_a_secret_stays(pieces: list[str]) -> None:
    text = "".join(pieces)
    told = Scrubber(["s3cr3t"]).text(text)
    assert "s3cr3t" not in told
    at = 0
    for kept in told.split(MASK):
        at = text.index(kept, at) + len(kept)


def test_no_character_is_cut_where_its_bytes_begin_like_a_secret() -> None:
    assert Scrubber(["abcé"]).text("abc\u9fff, abcé, abc%E9.") == f"{MASK}, {MASK}, {MASK}."


def test_secrets_that_overlap_leave_nothing_of_either() -> None:
    assert Scrubber(["abcdef", "defghi"]).text("xabcdefghix abcdefghi") == f"x{MASK}x {MASK}"


VALUE = {"data": [1234, 91234, 1234.0, "1234", {"deep": None, "true": True}], "e": ["x", "", "data: é"]}


@pytest.mark.parametrize(
    ("secret", "told"),
    [
        ("data", {MASK: VALUE["data"], "e": ["x", "", f"{MASK}: é"]}),
        ("true", {**VALUE, "data": [1234, 91234, 1234.0, "1234", {"deep": None, MASK: True}]}),
        ("null", VALUE),
        ("1234", {**VALUE, "data": [MASK, 91234, MASK, MASK, {"deep": None, "true": True}]}),
        ("absent", VALUE),
    ],
)
def test_a_value_keeps_its_form_whatever_a_secret_is(secret: str, told: Any) -> None:
    assert Scrubber([secret]).value(VALUE) == told
    assert json.dumps(Scrubber([secret]).value(VALUE, keys=False)["data"][4]) == '{"deep": null, "true": true}'


def test_halves_of_characters_in_a_value_hide_no_secret() -> None:
    value = {"\udfff": ["a\udfffs3cr3t", "\udfff"], "s3cr3t": "s3cr\udfff3t"}
    assert Scrubber(["s3cr3t"]).value(value) == {"\udfff": [f"a\udfff{MASK}", "\udfff"], MASK: "s3cr\udfff3t"}


def test_bytes_are_searched_as_texts_are() -> None:
    assert Scrubber(["k3y/z"]).holds(b"a=1&key=k3y%2fz")
    assert not Scrubber(["k3y/z"]).holds(b"a=1&key=k3y%2f")


def test_a_secret_is_masked_where_a_server_read_its_header_in_the_old_encoding() -> None:
    misread = "pässwort".encode().decode("latin-1")
    assert Scrubber(["pässwort"]).text(f"your key is {misread}, pässwort") == "your key is [secret], [secret]"


def test_the_longest_of_two_secrets_is_masked_first() -> None:
    assert Scrubber(["abcd", "abcdef"]).text("abcdefg abcd") == "[secret]g [secret]"


def test_short_secrets_are_not_looked_for() -> None:
    assert Scrubber(["abc", ""]).text("abc abc") == "abc abc"


@pytest.mark.parametrize(
    ("secret", "told"),
    [
        ("k3y+a/b=&c", r"k3y\u002Ba/b=\u0026c"),
        ("k3y'<é>`", r"k3y\u0027\u003C\u00E9\u003E\u0060"),
        ('k3y"\\u00ez', r"k3y\u0022\\u00ez"),
        ("k3y&<>é", r"k3y\u0026\u003c\u003eé"),
        ('k3y"é', r"k3y\"é"),
    ],
)
def test_a_secret_is_masked_as_the_json_of_common_libraries_writes_it(secret: str, told: str) -> None:
    assert json.loads(f'"{told}"') == secret
    assert Scrubber([secret]).text(f'{{"a":"{told}"}}') == f'{{"a":"{MASK}"}}'
