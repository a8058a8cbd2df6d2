"""How scores come about: the parts, the terms behind them, and how a query was read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import Candidates, Explains, LexicalRanker, Ranker, unmatched_terms
from tests.search.every import every_ranker
from tests.search.things import SIX, Thing, queries, things

ENTRIES = st.lists(things, max_size=8, unique_by=lambda entry: entry.name)


@every_ranker
@given(entries=ENTRIES, query=queries)
def test_the_parts_add_up_to_the_score_of_every_ranker(
    make: Callable[[], Ranker], entries: list[Thing], query: str
) -> None:
    ranker = make()
    assert isinstance(ranker, Explains)
    scores = {ranked.entry.name: ranked.score for ranked in ranker.rank(query, entries)}
    reading = ranker.explain(query, entries, {entry.name for entry in entries})
    assert {name: shares.score for name, shares in reading.shares.items()} == pytest.approx(scores, rel=1e-9)


@given(entries=ENTRIES, query=queries, mask=st.integers(0, 255))
def test_statistics_are_those_of_the_slice(entries: list[Thing], query: str, mask: int) -> None:
    seen = [bool(mask >> place & 1) for place in range(len(entries))]
    pool = Candidates.of(entries).only(seen)
    alone = [entry for entry, on in zip(entries, seen, strict=True) if on]
    names = {entry.name for entry in entries}
    ranker = LexicalRanker()
    assert ranker.explain(query, pool, names) == ranker.explain(query, alone, names)


@given(entries=ENTRIES, query=queries)
def test_words_that_stand_nowhere_are_those_that_the_search_names(entries: list[Thing], query: str) -> None:
    told = LexicalRanker().explain(query, entries, ()).unmatched
    assert told == unmatched_terms(query, entries)


def test_words_that_differ_in_case_alone_are_told_as_the_ask_has_them_first() -> None:
    reading = LexicalRanker().explain("URLS or urls, Straße or STRASSE", SIX, ())
    assert reading.unmatched == unmatched_terms("URLS or urls, Straße or STRASSE", SIX) == ("URLS", "Straße")


def test_each_term_is_told_with_its_field_its_rarity_and_what_it_brought() -> None:
    reading = LexicalRanker().explain("please transcribe the audio, zeppelin", SIX, ["transcribe-audio", "email"])
    assert [(word.text, word.counts, word.entries) for word in reading.words] == [
        ("please", False, 0),
        ("transcribe", True, 1),
        ("the", False, 1),
        ("audio", True, 2),
        ("zeppelin", True, 0),
    ]
    assert reading.unmatched == ("zeppelin",)
    assert list(reading.shares) == ["transcribe-audio"]
    shares = reading.shares["transcribe-audio"]
    parts = {part.name: part for part in shares.parts}
    assert list(parts) == [
        "name",
        "description",
        "category",
        "tags",
        "best clause",
        "name covered",
        "description covered",
    ]
    assert parts["name covered"].about == "100%"
    assert parts["best clause"].about == "transcrib audio transcribeaudio"
    rare, common = (
        next(t for t in shares.terms if (t.term, t.field) == (term, "name")) for term in ("transcrib", "audio")
    )
    assert rare.idf > common.idf
    assert (rare.count, common.count) == (1, 1)
    assert sum(term.points for term in shares.terms if term.field == "name") == pytest.approx(parts["name"].points)


def test_nothing_is_told_of_entries_that_were_not_asked_for() -> None:
    assert LexicalRanker().explain("audio", SIX, ["play-audio"]).shares.keys() == {"play-audio"}


@pytest.mark.parametrize("ask", ["email, audio, email, audio", " and ".join(["transcribe audio", "send email"] * 150)])
def test_a_need_that_is_told_again_and_again_counts_once(ask: str) -> None:
    ranker, names = LexicalRanker(), [entry.name for entry in SIX]
    reading = ranker.explain(ask, SIX, names)
    scores = {ranked.entry.name: ranked.score for ranked in ranker.rank(ask, SIX)}
    assert {name: shares.score for name, shares in reading.shares.items()} == pytest.approx(scores, rel=1e-9)
    once = ranker.rank(" and ".join(dict.fromkeys(ask.replace(",", " and").split(" and "))), SIX)
    assert [one.entry.name for one in once] == list(scores)
