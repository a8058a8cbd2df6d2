from __future__ import annotations

import json

import pytest

from pegboard.masking import MASK, Scrubber


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
