from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

from pegboard.search import Candidates, LexicalRanker
from pegboard.search.ranking import Ranking
from pegboard.search.scheme import IndexedField, Scheme, Terms
from pegboard.search.scores import Scores
from pegboard.tools import Entry
from tests.search.things import Thing, names

THINGS = [Thing("a", "red green"), Thing("b", "red"), Thing("c", "blue"), Thing("b2", "red", bare="b")]


def scheme(text: Callable[[Entry], str] = lambda entry: entry.description) -> Scheme:
    fields = (IndexedField(group=0),)
    return Scheme("test", fields, lambda entry: ((text(entry),),), str.split, lambda token: Terms((token,)))


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
    whole, half = (part.corpus(scheme()) for part in (pool, pool.only([False, True, True, False])))
    assert (whole.size, whole.frequency("red"), whole.average_length()) == (4, 3, 1.25)
    assert (half.size, half.frequency("red"), half.average_length()) == (2, 1, 1.0)
    assert half.rows_with(["red", "green", "blue"]) == {1, 2}
    for _ in range(2):  # before the slice's terms have been counted, and after
        assert half.frequencies(half.postings(["red", "green", "blue"])) == [1, 0, 1]
        half.totals(np.array([0, 1, 2, 3]), 0)


def test_an_index_is_built_once_for_all_slices() -> None:
    asked: list[str] = []

    def counting(entry: Entry) -> str:
        asked.append(entry.name)
        return entry.description

    pool, counted = Candidates.of(THINGS), scheme(counting)
    for part in (pool, pool.only([True, True, False, False]), pool.only([False, True, True, True]), pool):
        part.corpus(counted)
    assert asked == ["a", "b", "c", "b2"]


def test_an_index_is_built_once_for_all_threads() -> None:
    asked: list[str] = []
    together = threading.Barrier(8)

    def counting(entry: Entry) -> str:
        asked.append(entry.name)
        return entry.description

    pool, counted = Candidates.of(THINGS), scheme(counting)

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
    asked: list[str] = []

    def counting(entry: Entry) -> str:
        asked.append(entry.name)
        return entry.description

    pool, counted = Candidates.of(THINGS), scheme(counting)
    pool.corpus(counted)
    asked.clear()
    changed = Thing("b", "red red")
    after = pool.after([Thing("new", "red"), THINGS[0], changed, THINGS[3]])
    corpus = after.corpus(counted)
    assert asked == ["new", "b"]
    assert (corpus.size, corpus.frequency("red"), corpus.frequency("blue")) == (4, 4, 0)
    assert pool.corpus(counted).frequency("blue") == 1


def test_a_generation_that_nobody_searched_is_passed_over() -> None:
    asked: list[str] = []

    def counting(entry: Entry) -> str:
        asked.append(entry.name)
        return entry.description

    counted = scheme(counting)
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


def ranked(scores: dict[int, float], entries: list[Thing]) -> Ranking:
    pool = Candidates.of(entries)
    found = np.array([scores.get(row, 0.0) for row in range(len(entries))])
    bounded = Scores(found / 2, 3.0, found.__getitem__)
    return Ranking(pool, pool.corpus(scheme()), bounded, lambda chosen: [f"row {row}" for row in chosen.tolist()])


def test_a_ranking_is_by_score_then_name_then_place() -> None:
    entries = [Thing("b"), Thing("a"), Thing("Z"), Thing("a"), Thing("\u00e9")]
    found = ranked({0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0, 4: 2.0}, entries)
    assert [one.reason for one in found] == ["row 4", "row 2", "row 1", "row 3", "row 0"]


@pytest.mark.parametrize("many", [0, 40])
@pytest.mark.parametrize("count", [0, 1, 5, 19, 20, 21, 100, 101, 400])
def test_a_ranking_is_the_same_however_much_of_it_is_looked_at_first(
    count: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.search.scores._MANY", many)
    entries = [Thing(f"t{number * 7919 % 300:03}") for number in range(300)]
    scores = {row: float(1 + row * 31 % 11) for row in range(300)}
    whole = sorted(scores, key=lambda row: (-scores[row], entries[row].name))
    found = ranked(scores, entries)
    assert [one.reason for one in found[:count]] == [f"row {row}" for row in whole[:count]]
    assert [one.reason for one in found] == [f"row {row}" for row in whole]
    assert (len(found), found[-1].reason, found[3].reason) == (300, f"row {whole[-1]}", f"row {whole[3]}")
    assert found[5:2:-2] == [found[5], found[3]]
    with pytest.raises(IndexError):
        found[300]


def test_a_ranking_equals_a_list_of_the_same() -> None:
    found = LexicalRanker().rank("red", THINGS)
    assert found == list(found)
    assert found != list(found)[1:]
    assert names(found) == ["b", "b2", "a"]


def test_an_empty_catalog_has_an_empty_corpus() -> None:
    corpus = Candidates.of([]).corpus(scheme())
    assert (corpus.size, corpus.frequency("red"), corpus.average_length()) == (0, 0, 1.0)
