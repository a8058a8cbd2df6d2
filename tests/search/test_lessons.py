"""Which words of an ask may be learned."""

from __future__ import annotations

import pytest

from pegboard.search.lessons import LONGEST, LONGEST_CAPITALS, TERMS, lessons_of


@pytest.mark.parametrize(
    ("ask", "terms"),
    [
        ("Could you please give the money back for a parcel?", ("money", "back", "parcel")),
        ("refund refunds REFUNDED", ("refund",)),
        ("What's the weather in Wien?", ("weather", "wien")),
        ("follow-up and/or read-only", ("follow", "up", "read", "onli")),
        ("wie spät ist es in Köln", ("wie", "spät", "ist", "es", "köln")),
        ("天気", ("天気",)),
        ("some information about several other things", ()),
        ("", ()),
        ("   \n ", ()),
    ],
)
def test_stems_of_words_that_say_something_are_learned(ask: str, terms: tuple[str, ...]) -> None:
    assert lessons_of(ask) == terms


@pytest.mark.parametrize(
    "secret",
    [
        "jane.doe@example.com",
        "https://shop.example/orders/a",
        "example.com",
        "/home/jane/letter",
        "C:\\secrets\\key",
        "hunter2",
        "4711",
        "DE89-3704-0044",
        "sk_live_abcdefgh",
        "AbCdEfGhIjKlMnOp",
        "correcthorsebatterystaplepass",
        "ABCDEFGHIJKLMNOP",
        "xkcdqzwv",
        "key=value",
        "api_key",
        '"Jane"',
        '"Jane Doe of Leeds"',
        "'jane doe'",
        "`jane`",
        "\u201cjane\u201d",
        "\u300c天気\u300d",
        "\ud800",
    ],
)
def test_what_may_be_a_secret_or_is_quoted_is_not_learned(secret: str) -> None:
    assert lessons_of(f"send mail {secret} tomorrow") == ("send", "mail", "tomorrow")


def test_an_apostrophe_quotes_nothing() -> None:
    assert lessons_of("my boss's parcel and the customers' invoices") == ("boss", "parcel", "custom", "invoic")


@pytest.mark.parametrize(
    ("ask", "terms"),
    [
        ("send “my “dear friend” mail", ("send", "mail")),
        ("send “mail\nto” friend", ("send", "mail", "friend")),
        ("send ‘dear’ mail ‘dear’s friend", ("send", "mail", "dear", "friend")),
        ("send “mail 'dear friend' 「money」", ("send", "mail")),
        ("send `mail ”dear` friend”", ("send", "friend")),
        ("send 'don't tell hunter' to bob", ("send", "bob")),
        ("mail ‘we can’t pay zanzibar’ to boss", ("mail", "boss")),
    ],
)
def test_a_quotation_ends_with_its_mark_in_its_line_or_is_none(ask: str, terms: tuple[str, ...]) -> None:
    assert lessons_of(ask) == terms


@pytest.mark.parametrize("opening", ["“", "‘", "「", "“‘「'a "])
def test_marks_that_nothing_ends_are_read_in_one_go(opening: str) -> None:
    assert lessons_of("mail " + opening * 400_000 + " money") == ("mail", "money")


def test_long_words_are_learned_up_to_a_bound() -> None:
    assert lessons_of("a" * LONGEST)
    assert not lessons_of("a" * (LONGEST + 1))
    assert lessons_of("A" * LONGEST_CAPITALS)
    assert not lessons_of("A" * (LONGEST_CAPITALS + 1))


def test_of_a_long_ask_the_first_terms_are_learned() -> None:
    ask = " ".join("word" + chr(97 + n // 26) + chr(97 + n % 26) for n in range(100))
    assert len(lessons_of(ask)) == TERMS
    assert lessons_of(ask)[0] == "wordaa"
