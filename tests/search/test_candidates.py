from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pegboard.search import Candidates
from pegboard.search.scheme import IndexedField, Scheme, Terms
from pegboard.tools import Entry
from tests.search.things import Thing

THINGS = [Thing("a", "red green"), Thing("b", "red"), Thing("c", "blue"), Thing("b2", "red", bare="b")]


SCHEME = Scheme(
    "test", (IndexedField(group=0),), lambda entry: ((entry.description,),), str.split, lambda token: Terms((token,))
)


def noting() -> tuple[Scheme, list[str]]:
    """A scheme, and the names of the entries whose texts it was asked for."""
    asked: list[str] = []

    def texts(entry: Entry) -> Sequence[tuple[str, ...]]:
        asked.append(entry.name)
        return SCHEME.texts(entry)

    return replace(SCHEME, texts=texts), asked


def test_candidates_are_a_sequence_of_their_entries() -> None:
    pool = Candidates.of(THINGS)
    assert len(pool) == 4
    assert list(pool) == THINGS
    assert pool[1] is THINGS[1]
    assert pool[-1] is THINGS[3]
    assert pool[1:3] == tuple(THINGS[1:3])
    assert THINGS[2] in pool


def test_candidates_of_candidates_are_the_same_object() -> None:
    pool = Candidates.of(THINGS)
    assert Candidates.of(pool) is pool


def test_a_slice_has_its_entries_in_order_and_can_be_sliced_again() -> None:
    half = Candidates.of(THINGS).only([True, False, True, True])
    assert [entry.name for entry in half] == ["a", "c", "b2"]
    assert [entry.name for entry in half.only([False, True, True])] == ["c", "b2"]


def test_equal_slices_are_one_object() -> None:
    pool = Candidates.of(THINGS)
    assert pool.only([True, False, True, False]) is pool.only([1, 0, 1, 0])  # type: ignore[list-item]
    assert pool.only([True] * 4) is pool
    assert pool.only([True, True, False, False]).only([True, False]) is pool.only([True, False, False, False])


def test_only_so_many_slices_are_kept() -> None:
    pool = Candidates.of(Thing(f"t{number}") for number in range(100))
    first = pool.only([place == 0 for place in range(100)])
    for number in range(1, 100):
        pool.only([place == number for place in range(100)])
    assert pool.only([place == 0 for place in range(100)]) is not first


def test_a_mask_of_another_length_is_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match="3 places for 4 candidates"):
        Candidates.of(THINGS).only([True] * 3)


def test_everything_is_counted_over_the_slice() -> None:
    pool = Candidates.of(THINGS)
    whole, half = (part.corpus(SCHEME) for part in (pool, pool.only([False, True, True, False])))
    assert (whole.size, whole.frequency("red"), whole.average_length()) == (4, 3, 1.25)
    assert (half.size, half.frequency("red"), half.average_length()) == (2, 1, 1.0)
    assert half.rows_with(["red", "green", "blue"]) == {1, 2}
    assert half.frequencies(half.postings(["red", "green", "blue"])) == [1, 0, 1]


def test_an_index_is_built_once_for_all_slices() -> None:
    counted, asked = noting()
    pool = Candidates.of(THINGS)
    for part in (pool, pool.only([True, True, False, False]), pool.only([False, True, True, True]), pool):
        part.corpus(counted)
    assert asked == ["a", "b", "c", "b2"]


def test_an_index_is_built_once_for_all_threads() -> None:
    counted, asked = noting()
    pool, together = Candidates.of(THINGS), threading.Barrier(8)

    def work() -> None:
        together.wait(timeout=30)
        pool.corpus(counted)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asked == ["a", "b", "c", "b2"]


def test_the_next_generation_indexes_what_is_new_and_nothing_else() -> None:
    counted, asked = noting()
    pool = Candidates.of(THINGS)
    pool.corpus(counted)
    asked.clear()
    changed = Thing("b", "red red")
    after = pool.after([Thing("new", "red"), THINGS[0], changed, THINGS[3]])
    corpus = after.corpus(counted)
    assert asked == ["new", "b"]
    assert (corpus.size, corpus.frequency("red"), corpus.frequency("blue")) == (4, 4, 0)
    assert pool.corpus(counted).frequency("blue") == 1


def test_a_generation_that_nobody_searched_is_passed_over() -> None:
    counted, asked = noting()
    pool = Candidates.of(THINGS)
    pool.corpus(counted)
    asked.clear()
    pool.after(THINGS[:2]).after(THINGS[1:]).corpus(counted)
    assert asked == []


def test_entries_are_found_by_name_and_by_bare_name_in_the_slice_only() -> None:
    pool = Candidates.of(THINGS)
    assert pool.named(["b", "a", "nothing", ""]) == {"b": [1, 3], "a": [0]}
    assert pool.only([True, False, True, True]).named(["b"]) == {"b": [3]}
    assert pool.places_of(["b", "b2"]) == [1, 3]


def test_an_empty_catalog_has_an_empty_corpus() -> None:
    corpus = Candidates.of([]).corpus(SCHEME)
    assert (corpus.size, corpus.frequency("red"), corpus.average_length()) == (0, 0, 1.0)


def test_what_names_nothing_is_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard.search.candidates._UNNAMED_KEPT", 3)
    pool = Candidates.of(THINGS)
    for _ in range(2):
        for start in range(0, 20, 4):
            asked = {f"no{number}" for number in range(start, start + 4)}
            assert pool.named([*asked, "b", "long" * 100]) == {"b": [1, 3]}
            assert pool._shared._unnamed == asked
    assert pool.after([Thing("no1")]).named(["no1", "b"]) == {"no1": [0]}
