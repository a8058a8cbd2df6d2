from __future__ import annotations

import threading

import pytest

from pegboard.search import Candidates
from pegboard.search.index import Document
from pegboard.tools import Entry
from tests.search.things import Thing

THINGS = [Thing("a", "red green"), Thing("b", "red"), Thing("c", "blue"), Thing("b2", "red", bare="b")]


def described(entry: Entry) -> Document:
    found = entry.description.split()
    return Document(dict.fromkeys(found, 1.0), len(found), groups=(frozenset(found),))


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
    whole, half = (part.corpus("test", described) for part in (pool, pool.only([False, True, True, False])))
    red = whole.id("red")
    assert red is not None
    assert (whole.size, whole.frequencies[red], whole.average_length) == (4, 3, 1.25)
    assert (half.size, half.frequencies[red], half.average_length) == (2, 1, 1.0)
    assert [row for row, _, _ in half.postings(red)] == [1]
    assert half.id("green") is None
    assert list(half.rows) == [1, 2]


def test_an_index_is_built_once_for_all_slices() -> None:
    asked: list[str] = []

    def counting(entry: Entry) -> Document:
        asked.append(entry.name)
        return described(entry)

    pool = Candidates.of(THINGS)
    for part in (pool, pool.only([True, True, False, False]), pool.only([False, True, True, True]), pool):
        part.corpus("counting", counting)
    assert asked == ["a", "b", "c", "b2"]


def test_an_index_is_built_once_for_all_threads() -> None:
    asked: list[str] = []
    together = threading.Barrier(8)

    def counting(entry: Entry) -> Document:
        asked.append(entry.name)
        return described(entry)

    pool = Candidates.of(THINGS)

    def work() -> None:
        together.wait(timeout=30)
        pool.corpus("counting", counting)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asked == ["a", "b", "c", "b2"]


def test_rows_are_found_by_name_and_by_bare_name_in_the_slice_only() -> None:
    pool = Candidates.of(THINGS)
    assert pool.rows_named("b") == [1, 3]
    assert pool.only([True, False, True, True]).rows_named("b") == [3]
    assert pool.rows_named("nothing") == []


def test_rows_are_ordered_by_score_then_name_then_place() -> None:
    pool = Candidates.of([Thing("b"), Thing("a"), Thing("Z"), Thing("a"), Thing("é")])
    assert pool.ordered({0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0, 4: 2.0}) == [4, 2, 1, 3, 0]


def test_an_empty_catalog_has_an_empty_corpus() -> None:
    corpus = Candidates.of([]).corpus("test", described)
    assert (corpus.size, corpus.id("red"), corpus.average_length) == (0, None, 1.0)
