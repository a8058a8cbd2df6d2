"""What is counted of a slice is counted right, however few or many rows it shows."""

from __future__ import annotations

import pytest

from pegboard.search import Candidates
from pegboard.search.lexical import SCHEME
from tests.search.things import Thing

ENTRIES = [Thing(f"mail_{number}", f"word{number % 7} and word{number % 11}") for number in range(200)]


@pytest.mark.parametrize("shown", [0, 1, 10, 25, 26, 100, 174, 175, 190, 199, 200])
def test_terms_are_counted_over_what_is_shown(shown: int) -> None:
    seen = [number * 7 % 200 < shown for number in range(200)]
    corpus = Candidates.of(ENTRIES).only(seen).corpus(SCHEME)
    alone = [entry for entry, visible in zip(ENTRIES, seen, strict=True) if visible]
    terms = ["mail", "word3", "word10", "nothing"]
    found = corpus.known(terms)
    assert [one.frequency for one in found] == [
        sum(term in f"{entry.name.replace('_', ' ')} {entry.description}".split() for entry in alone) for term in terms
    ]
    assert [one.in_group for one in found] == [len(alone), 0, 0, 0]
    assert corpus.known(terms) == found
    assert corpus.counts.of(corpus.numbers(terms)) == [one.frequency for one in found]


def test_what_is_known_of_words_is_bounded_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard.search.corpus._LOOK_UPS_KEPT", 3)
    corpus = Candidates.of(ENTRIES).corpus(SCHEME)
    whole = Candidates.of(ENTRIES).corpus(SCHEME)
    for start in range(12):
        terms = [f"word{number % 12}" for number in range(start, start + 5)]
        assert [one.frequency for one in corpus.known(terms)] == whole.counts.of(whole.numbers(terms))
        assert len(corpus._known) <= 3 + len(terms)
