"""How sure a search is of what it found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import Bm25Ranker, Candidates, LexicalRanker, Ranked, search
from pegboard.search.confidence import CATEGORIES, WHOLE, certainty, confidence_of, nearest_categories
from pegboard.search.evidence import JUDGED, Evidence
from tests.search.things import Thing, queries, things

ENTRIES = st.lists(things, max_size=8, unique_by=lambda entry: entry.name)
MAILS = [Thing(f"send_mail_{number}", "Send a mail", category="mail") for number in range(2 * JUDGED)]


def sure(query: str, entries: Sequence[Thing]) -> float:
    confidence = confidence_of(search(query, LexicalRanker(), Candidates.of(entries)))
    assert confidence is not None
    return confidence


@given(entries=ENTRIES, query=queries, mask=st.integers(0, 255))
def test_it_is_a_likelihood_and_that_of_the_slice_alone(entries: list[Thing], query: str, mask: int) -> None:
    seen = [bool(mask >> place & 1) for place in range(len(entries))]
    alone = [entry for entry, on in zip(entries, seen, strict=True) if on]
    confidence = confidence_of(LexicalRanker().rank(query, Candidates.of(entries).only(seen)))
    assert confidence is not None
    assert 0 <= confidence <= 1
    assert confidence == confidence_of(LexicalRanker().rank(query, alone))


def test_what_brings_more_of_the_ask_makes_surer_and_much_that_is_as_good_less() -> None:
    found = Evidence(share=0.5, covered=0.5, flat=0.5, needs=0.5, whole=False)
    for better in ({"share": 0.6}, {"covered": 0.6}, {"flat": 0.4}, {"needs": 0.4}, {"whole": True}):
        assert certainty(found._replace(**better)) > certainty(found)


def test_nothing_found_is_no_confidence() -> None:
    assert sure("zeppelin", MAILS) == 0.0
    assert sure("zeppelin", []) == 0.0


def test_an_ask_that_the_best_has_whole_is_never_refused() -> None:
    assert sure("send mail", MAILS) >= WHOLE
    assert sure("please send the latest mail", MAILS) >= WHOLE  # what says little may be lacking
    assert sure("send mail to Oslo by zeppelin", MAILS) < WHOLE


def test_a_name_that_stands_in_the_ask_is_sure() -> None:
    assert sure("send_mail_3 through zeppelins over Oslo", MAILS) == 1.0


def test_rankers_that_know_nothing_of_it_tell_nothing() -> None:
    assert confidence_of(Bm25Ranker().rank("mail", MAILS)) is None
    assert confidence_of([Ranked(MAILS[0], 1.0, "")]) is None


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ((), ("mail", "files", "git")),  # the largest, then by name
        (("git", None, "git", "time", "mail", "files"), ("git", "time", "mail")),
    ],
)
def test_the_nearest_categories_are_those_of_the_best_and_else_the_largest(
    found: tuple[str | None, ...], told: tuple[str, ...]
) -> None:
    entries = [
        *MAILS,
        Thing("a", category="files"),
        Thing("b", category="git"),
        Thing("c", category="time"),
        Thing("d"),
    ]
    near = [Thing(f"f{place}", category=category) for place, category in enumerate(found)]
    assert nearest_categories(near, entries) == told
    assert len(told) == CATEGORIES
