from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import Bm25Ranker, Candidates, Ranked, Ranker, SubstringRanker, keyword_ranker
from tests.search.every import ALL, every_ranker
from tests.search.things import SIX, Thing, names, queries, rows, thing, things, vectors


@pytest.mark.parametrize("case", vectors("gonk_bm25_search"))
def test_bm25_with_the_plain_analyzer_gives_the_scores_of_the_reference(case: dict[str, Any]) -> None:
    entries = [thing(told) for told in case["input"]["tools"]]
    found = Bm25Ranker(analyzer="plain").rank(case["input"]["query"], entries)
    expected = case["expected"]["returns"]
    assert [(name, reason) for name, _, reason in rows(found)] == [(one["name"], one["reason"]) for one in expected]
    assert [score for _, score, _ in rows(found)] == pytest.approx([one["score"] for one in expected], rel=1e-12)


@pytest.mark.golden("gonk_bm25_search/part_of_hyphenated_name_misses_name")
def test_bm25_finds_a_word_of_a_name() -> None:
    assert names(Bm25Ranker().rank("transcribe", SIX)) == ["transcribe-audio"]
    assert Bm25Ranker().rank("transcribe", SIX)[0].reason == "bm25:name"


@pytest.mark.golden("gonk_bm25_search/part_of_hyphenated_name_found_by_tag_only")
def test_bm25_counts_a_word_of_a_name_in_the_name() -> None:
    assert rows(Bm25Ranker().rank("watch", SIX))[0][0::2] == ("watch-todos", "bm25:name")


@pytest.mark.golden("gonk_bm25_search/plural_does_not_match")
def test_bm25_finds_the_plural_of_a_word() -> None:
    assert names(Bm25Ranker().rank("todos", SIX)) == names(Bm25Ranker().rank("todo", SIX)) == ["watch-todos"]
    assert names(Bm25Ranker().rank("comment", SIX)) == ["watch-todos"]


@pytest.mark.golden("gonk_bm25_search/tie_locale_accents")
@pytest.mark.parametrize("name", ["plain", "bm25", "lexical", "keyword"])
def test_equal_scores_are_in_the_order_of_code_points(name: str) -> None:
    entries = [Thing(name, "same") for name in ("zeta", "éclair", "eclair", "ecru", "Zulu", "ä")]
    assert names(ALL[name]().rank("same", entries)) == ["Zulu", "eclair", "ecru", "zeta", "ä", "éclair"]


def test_bm25_drops_asking_words_unless_there_is_nothing_else() -> None:
    helper = Thing("how_to", "How do I do the tour of the product")
    assert names(Bm25Ranker().rank("how do I play the sound", [*SIX, helper])) == ["play-audio"]
    assert names(Bm25Ranker().rank("how do I", [*SIX, helper])) == ["how_to"]


@pytest.mark.parametrize("case", vectors("gonk_legacy_search"))
def test_the_keyword_ranker_gives_the_older_sums(case: dict[str, Any]) -> None:
    found = keyword_ranker.rank(case["input"]["query"], [thing(told) for told in case["input"]["tools"]])
    expected = case["expected"]["returns"]
    assert rows(found) == [(one["name"], one["score"], one["reason"]) for one in expected]


@pytest.mark.parametrize("case", vectors("insika_tool_catalog_search"))
def test_the_substring_ranker_finds_what_the_reference_finds(case: dict[str, Any]) -> None:
    query = case["input"]["query"]
    query = query["$sym"] if isinstance(query, dict) else str(query or "")
    entries = [thing(told) for told in case["input"]["tools"]]
    within = case["input"].get("within")
    if within is not None:
        entries = [entry for entry in entries if entry.name in ([within] if isinstance(within, str) else within)]
    assert names(SubstringRanker().rank(query, entries)) == case["expected"]["returns"]


@pytest.mark.golden("insika_tool_catalog_search/ideographic_space")
def test_the_substring_ranker_splits_at_any_blank() -> None:
    entries = [Thing("weather"), Thing("refund", "by email"), Thing("create_invoice", "and emails it"), Thing("email")]
    assert names(SubstringRanker().rank("email\u3000invoice", entries)) == ["create_invoice", "email", "refund"]


@pytest.mark.golden("insika_tool_catalog_search/final_sigma_word_form")
def test_the_substring_ranker_takes_both_sigmas_for_one() -> None:
    assert names(SubstringRanker().rank("οδος", [Thing("greek", "ΟΔΟΣ και ΣΟΦΟΣ")])) == ["greek"]
    assert names(SubstringRanker().rank("σοφοσ", [Thing("greek", "σοφος")])) == ["greek"]


def test_the_substring_ranker_says_where_it_found_the_words() -> None:
    found = SubstringRanker().rank("audio file", SIX)
    assert rows(found) == [
        ("transcribe-audio", 4.0, "name,description"),
        ("play-audio", 3.0, "name,description"),
    ]


@pytest.mark.golden("insika_tool_catalog_search/nbsp_only_query_is_a_term")
@every_ranker
def test_a_blank_query_finds_nothing(make: Callable[[], Ranker]) -> None:
    entries = [*SIX, Thing("blank", "a b\u00a0c  d")]
    for query in ("", " ", "\t\n", "\u00a0", "\u3000 \u2003"):
        assert make().rank(query, entries) == []


@every_ranker
def test_nothing_is_found_among_nothing(make: Callable[[], Ranker]) -> None:
    assert make().rank("audio", []) == []


@given(entries=st.lists(things, max_size=8), query=queries)
def test_any_query_gives_distinct_candidates_with_scores_above_0_best_first(entries: list[Thing], query: str) -> None:
    for make in ALL.values():
        found = make().rank(query, entries)
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        assert all(one.score > 0 for one in found)
        assert len({id(one.entry) for one in found}) == len(found)
        assert all(any(one.entry is entry for entry in entries) for one in found)


@given(entries=st.lists(things, max_size=8), query=queries)
def test_equal_input_gives_equal_output(entries: list[Thing], query: str) -> None:
    for make in ALL.values():
        assert rows(make().rank(query, entries)) == rows(make().rank(query, Candidates.of(entries)))


@given(entries=st.lists(things, max_size=8, unique_by=lambda entry: entry.name), query=queries, data=st.data())
def test_the_order_of_the_candidates_does_not_matter(entries: list[Thing], query: str, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(entries))
    for name in ("plain", "bm25", "lexical", "keyword"):
        first, second = (ALL[name]().rank(query, some) for some in (entries, shuffled))
        assert rows(first) == rows(second)


def test_a_ranked_entry_cannot_be_changed() -> None:
    ranked = Ranked(SIX[0], 1.0, "")
    with pytest.raises(AttributeError):
        ranked.score = 2.0  # type: ignore[misc]
