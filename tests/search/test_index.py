"""Whatever an index went through, it gives what one that is built anew gives."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import Bm25Ranker, Candidates, LexicalRanker, index, occurrences
from pegboard.search.building import build
from pegboard.search.candidates import NAMES
from pegboard.search.index import Index
from pegboard.search.lexical import SCHEME
from pegboard.search.merging import merged
from pegboard.search.okapi import SCHEMES
from pegboard.search.segment import Segment
from tests.search.things import Thing, queries, rows, things

RANKERS = (LexicalRanker(), Bm25Ranker(), Bm25Ranker("plain"))
EVERY = (SCHEME, NAMES, *SCHEMES.values())


def same(one: Segment, other: Segment) -> bool:
    """Whether two segments are the same, byte by byte and type by type."""
    mine, theirs = one.arrays(), other.arrays()
    return mine.keys() == theirs.keys() and all(
        (array.dtype, array.shape, array.tobytes()) == (theirs[name].dtype, theirs[name].shape, theirs[name].tobytes())
        for name, array in mine.items()
    )


def wait_for_merge(found: Index) -> None:
    """Return when no merge is under way in the index."""
    for thread in threading.enumerate():
        if thread.name == "pegboard-index-merge":
            thread.join(timeout=30)
    assert found.merging is None or found.merging.done


edits = st.lists(
    st.tuples(st.sampled_from(("add", "replace", "remove", "remove source", "swap")), st.integers(0, 99), things),
    max_size=8,
)


def edited(entries: list[Thing], steps: Iterable[tuple[str, int, Thing]]) -> Iterable[list[Thing]]:
    """The catalogs that come of these edits, one after another."""
    for step, number, fresh in steps:
        entries = list(entries)
        place = number % (len(entries) or 1)
        match step:
            case "add":
                entries.insert(place, fresh)
            case "replace" if entries:
                entries[place] = fresh
            case "remove" if entries:
                del entries[place]
            case "remove source":
                entries = [entry for entry in entries if entry.source != fresh.source]
            case "swap" if entries:
                entries[0], entries[place] = entries[place], entries[0]
        yield entries


@given(
    entries=st.lists(things, max_size=8),
    steps=edits,
    query=queries,
    mask=st.integers(0, (1 << 20) - 1),
    tail=st.sampled_from((0, 2, 128)),
    frequent=st.sampled_from((1, 1024)),
)
def test_an_index_that_was_edited_ranks_as_one_that_is_built_anew(
    entries: list[Thing], steps: list[tuple[str, int, Thing]], query: str, mask: int, tail: int, frequent: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "TAIL", tail)
        patch.setattr(occurrences, "_FREQUENT", frequent)
        pool = Candidates.of(entries)
        for ranker in RANKERS:
            ranker.rank(query, pool)
        for after in edited(entries, steps):
            pool = pool.after(after)
            wait_for_merge(pool.indexed_by(SCHEME))
            seen = [bool(mask >> place & 1) for place in range(len(after))]
            alone = [entry for entry, on in zip(after, seen, strict=True) if on]
            for ranker in RANKERS:
                assert rows(ranker.rank(query, pool)) == rows(ranker.rank(query, after))
                assert rows(ranker.rank(query, pool.only(seen))) == rows(ranker.rank(query, alone))


@given(entries=st.lists(things, max_size=8), steps=edits, tail=st.sampled_from((0, 2, 128)))
def test_an_index_that_was_edited_compacts_to_the_bytes_of_one_that_is_built_anew(
    entries: list[Thing], steps: list[tuple[str, int, Thing]], tail: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "TAIL", tail)
        pool = Candidates.of(entries)
        for scheme in EVERY:
            pool.indexed_by(scheme)
        for after in edited(entries, steps):
            pool = pool.after(after)
            for scheme in EVERY:
                wait_for_merge(pool.indexed_by(scheme))
                assert same(pool.indexed_by(scheme).compact(), build(scheme, after))


@given(parts=st.lists(st.lists(things, max_size=5), min_size=1, max_size=4))
def test_segments_merge_to_that_of_all_their_entries(parts: list[list[Thing]]) -> None:
    everything = [entry for part in parts for entry in part]
    for scheme in EVERY:
        assert same(merged([(build(scheme, part), None) for part in parts]), build(scheme, everything))


@given(entries=st.lists(st.tuples(things, st.booleans()), max_size=8))
def test_a_segment_of_some_rows_is_that_of_their_entries_alone(entries: list[tuple[Thing, bool]]) -> None:
    keep = np.array([on for _, on in entries], np.bool_)
    for scheme in EVERY:
        part = merged([(build(scheme, [entry for entry, _ in entries]), keep)])
        assert same(part, build(scheme, [entry for entry, on in entries if on]))


def test_more_entries_than_a_batch_holds_are_one_segment() -> None:
    entries = [Thing(f"tool_{number}", f"word{number % 97} and word{number % 5003}") for number in range(9000)]
    whole = build(SCHEME, entries)
    assert same(whole, merged([(build(SCHEME, entries[:5000]), None), (build(SCHEME, entries[5000:]), None)]))
    assert whole.size == 9000


def test_a_word_that_stands_there_very_often_is_counted_in_full() -> None:
    entries = [Thing("a", "again " * 70_000), Thing("b", "again")]
    counts = build(SCHEME, entries).counts
    assert counts.max() == 70_000 * 20
    assert same(merged([(build(SCHEME, entries), np.array([False, True]))]), build(SCHEME, entries[1:]))


def test_a_long_tail_is_merged_away_and_its_dead_rows_are_dropped() -> None:
    entries = [Thing(f"t{number}", "old") for number in range(300)]
    pool = Candidates.of(entries)
    pool.corpus(SCHEME)
    for number in range(index.TAIL + 1):
        entries = [*entries[:number], Thing(f"t{number}", "new"), *entries[number + 1 :]]
        pool = pool.after(entries)
        pool.corpus(SCHEME)
    wait_for_merge(pool.indexed_by(SCHEME))
    pool = pool.after([*entries, Thing("last", "new")])
    found = pool.indexed_by(SCHEME)
    assert (found.base.size, found.tail.size) == (300, 1)
    assert pool.corpus(SCHEME).frequency("new") == index.TAIL + 2


def test_searches_and_changes_at_once_see_whole_generations() -> None:
    entries = [Thing(f"t{number}", "even" if number % 2 else "odd") for number in range(200)]
    current = [Candidates.of(entries)]
    wrong: list[object] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            pool = current[-1]
            found = LexicalRanker().rank("even", pool)
            expected = sum("even" in entry.description for entry in pool)
            if len(found) != expected:
                wrong.append((len(found), expected))

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(150):
        entries = list(entries)
        entries[number] = Thing(f"t{number}", "even even")
        current.append(current[-1].after(entries))
        LexicalRanker().rank("even", current[-1])
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
