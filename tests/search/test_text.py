from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search.text import (
    ASKING_WORDS,
    clauses,
    content_words,
    pieces,
    plain_terms,
    plain_word,
    stem,
    terms,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("create_issue", ["creat", "issu", "createissu"]),
        ("transcribe-audio", ["transcrib", "audio", "transcribeaudio"]),
        ("addPerson", ["add", "person", "addperson"]),
        ("addPerson_crm", ["add", "person", "crm", "addpersoncrm", "addperson"]),
        ("math.hypot", ["math", "hypot", "mathhypot"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("getURLs", ["get", "url", "geturl"]),
        ("mp3", ["mp", "3", "mp3"]),
        ("weather", ["weather"]),
        ("ADDPERSON", ["addperson"]),
    ],
)
def test_a_name_gives_its_parts_and_itself_in_one_piece(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("createIssue", "create_issue"),
        ("create-issue", "create.issue"),
        ("listFiles", "LIST_FILE"),
        ("e-mail", "e_mail"),
        ("ＡＢＣ", "abc"),
        ("Straße", "STRASSE"),
        ("οδος", "ΟΔΟΣ"),
        ("customer's", "customers"),
        ("boss's", "boss"),
        ("don’t", "don't"),
    ],
)
def test_spellings_of_one_name_give_the_same_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_a_name_written_as_one_word_meets_the_name_in_parts() -> None:
    assert set(terms("listfiles")) & set(terms("listFiles"))


def test_forms_of_a_word_have_one_stem() -> None:
    assert terms("todo todos") == ["todo", "todo"]
    assert stem("reading") == stem("reads") == "read"


def test_words_that_are_not_english_letters_are_not_stemmed() -> None:
    assert terms("promoções 42s") == ["promoções", "42", "s", "42s"]


def test_scripts_without_blanks_give_characters_and_pairs() -> None:
    assert terms("条例を") == ["条", "例", "を", "条例", "例を"]
    assert terms("อากาศ")[:2] == ["อ", "า"]


def test_a_change_of_script_ends_a_word() -> None:
    assert [word.text for word in words("使用GitHub检索")] == ["使用", "GitHub", "检索"]


def test_marks_inside_words_do_not_split_them() -> None:
    assert [word.text for word in words("हिन्दी में")] == ["हिन्दी", "में"]


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_a_letter_outside_ascii_changes_nothing_in_the_words_before_it(text: str) -> None:
    assert [word for word in words(f"{text} é") if word.text != "é"] == words(text)


@given(st.text(max_size=60))
def test_the_full_analyzer_takes_any_text_and_gives_no_empty_terms(text: str) -> None:
    assert all(terms(text))


def test_a_run_of_pasted_data_is_cut() -> None:
    assert len(terms("a" * 100_000)[0]) <= 200


def test_a_long_run_of_separators_is_read_in_a_moment() -> None:
    assert terms("a" + "_" * 200_000 + " é") == ["a", "é"]


def test_the_plain_analyzer_keeps_names_whole() -> None:
    assert plain_terms("Search_Web, play-audio; ação 42") == ["search_web", "play-audio", "a", "o", "42"]


def test_asking_words_are_dropped_from_an_ask() -> None:
    assert [word.text for word in content_words("Could you please get me the weather")] == ["get", "weather"]
    assert [word.text for word in content_words("What’s the weather? I'd go.")] == ["weather", "go"]


def test_an_ask_of_nothing_but_asking_words_keeps_them() -> None:
    assert [word.text for word in content_words("what of the")] == ["what", "of", "the"]


def test_no_asking_word_names_what_a_tool_may_do() -> None:
    doing = {"get", "find", "list", "search", "show", "tool", "send", "use", "give", "make", "create", "read", "open"}
    assert not doing & ASKING_WORDS


def test_an_ask_is_split_where_needs_are_joined() -> None:
    parts = clauses("Convert report.pdf to text, then mail it and the logo. 天気を調べて。予約する")
    assert [[word.text for word in part] for part in parts] == [
        ["Convert", "report.pdf", "text"],
        ["mail"],
        ["logo"],
        ["天気を調べて"],
        ["予約する"],
    ]


def test_names_numbers_and_addresses_are_not_split_into_clauses() -> None:
    ask = "search-and-load the 1,000 rows of http://example.com at 10:30 with this.or.that"
    assert len(clauses(ask)) == 1


def test_stemming_in_many_threads_gives_what_one_gives() -> None:
    middles = [f"{first}a{last}" for first in "bcdfghklmnprstvw" for last in "bcdfghklmnprstvw"]
    fresh = [f"{middle}{ending}" for middle in middles for ending in ("alizations", "ingly", "ousness")]
    expected = {word: stem(word) for word in fresh}
    stem.cache_clear()
    wrong: list[str] = []

    def work() -> None:
        wrong.extend(word for word in fresh if stem(word) != expected[word])

    threads = [threading.Thread(target=work) for _ in range(8)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)
    assert not wrong


def test_importing_search_does_not_load_numpy() -> None:
    code = "import sys, pegboard.search; print([m for m in ('numpy',) if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(
    st.text(max_size=30)
    | st.sampled_from(["(e.g.,", "don't", "dogs'", "'Dogs", "URLs", "aB", "x" * 300, "_a_", "A", "\u0130"])
)
def test_the_words_of_a_text_are_those_of_its_pieces(text: str) -> None:
    found = [word for piece in pieces(text) for word in words(piece)]
    assert found == words(text)
    for piece in pieces(text):
        if plain_word(piece):
            assert [word.terms for word in words(piece)] == [(stem(plain_word(piece)),)]


@given(st.text(alphabet="aB_1.- ", max_size=12))
def test_a_text_has_the_words_that_its_pieces_have_beside_others(text: str) -> None:
    among = [word for word in words(f"{text} 1st") if word.text != "1st"]
    assert words(text) == among
