from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import (
    Candidates,
    LexicalRanker,
    corpus,
    counts,
    exact_first,
    occurrences,
    ranking,
    scores,
    unmatched_terms,
)
from tests.search.every import ALL
from tests.search.things import Thing, queries, rows, things

catalogs = st.lists(st.tuples(things, st.booleans()), max_size=10)


@given(
    catalog=catalogs,
    query=queries,
    frequent=st.sampled_from((1, 2, 4096)),
    steps=st.sampled_from(((1, 3), (20, 100))),
    common=st.sampled_from((1, 4, 1000)),
    few=st.sampled_from((1, 8)),
    many=st.sampled_from((0, 40)),
)
def test_a_slice_is_ranked_as_if_the_rest_did_not_exist(
    catalog: list[tuple[Thing, bool]],
    query: str,
    frequent: int,
    common: int,
    few: int,
    steps: tuple[int, int],
    many: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(occurrences, "_FREQUENT", frequent)
        patch.setattr(occurrences, "_MOST", common)
        patch.setattr(corpus, "_FEW", few)
        patch.setattr(counts, "_FEW", few)
        patch.setattr(ranking, "_STEPS", steps)
        patch.setattr(scores, "_MANY", many)
        compare(catalog, query)


def compare(catalog: list[tuple[Thing, bool]], query: str) -> None:
    """Rank in a slice twice, and in a catalog of its entries."""
    whole = Candidates.of(entry for entry, _ in catalog)
    part = whole.only([visible for _, visible in catalog])
    alone = [entry for entry, visible in catalog if visible]
    for make in ALL.values():
        make().rank(query, whole)
        assert rows(make().rank(query, part)) == rows(make().rank(query, part)) == rows(make().rank(query, alone))


@given(catalog=catalogs, query=queries)
def test_exact_names_and_unmatched_words_know_nothing_of_what_is_hidden(
    catalog: list[tuple[Thing, bool]], query: str
) -> None:
    part = Candidates.of(entry for entry, _ in catalog).only([visible for _, visible in catalog])
    alone = [entry for entry, visible in catalog if visible]
    assert rows(exact_first(query, [], part)) == rows(exact_first(query, [], alone))
    assert unmatched_terms(query, part) == unmatched_terms(query, alone)


def test_hidden_tools_do_not_change_a_score() -> None:
    seen = [Thing("send_mail", "Send a mail"), Thing("read_file", "Read a file")]
    hidden = [Thing(f"mail_{number}", "mail mail mail " * 20) for number in range(50)]
    part = Candidates.of([*seen, *hidden]).only([True, True, *[False] * 50])
    for make in ALL.values():
        assert rows(make().rank("mail", part)) == rows(make().rank("mail", seen))


def drawn(chance: random.Random, count: int) -> list[Thing]:
    """Entries in words as frequent as those of a language: the first stands in most of them, the last in a few."""
    words = [f"{front}{back}" for front in ("mail", "file", "map", "song") for back in "abcdefghijklmnopqrstuvwxyz"]
    weights = [1 / place for place in range(1, len(words) + 1)]

    def text(most: int) -> str:
        return " ".join(chance.choices(words, weights, k=chance.randint(1, most)))

    return [Thing(f"{text(2).replace(' ', '_')}_{number}", text(25), tags=(text(2),)) for number in range(count)]


@pytest.mark.parametrize("share", [0.5, 0.02])
def test_the_best_of_many_are_those_of_a_catalog_of_what_is_seen(share: float) -> None:
    chance = random.Random(share)
    entries = drawn(chance, 3_000)
    seen = [chance.random() < share for _ in entries]
    part = Candidates.of(entries).only(seen)
    alone = Candidates.of(entry for entry, visible in zip(entries, seen, strict=True) if visible)
    for _ in range(20):
        query = chance.choice([" ", " and "]).join(chance.choice(entries).description for _ in range(2))
        mine, theirs = (LexicalRanker().rank(query, pool) for pool in (part, alone))
        assert rows(mine[:20]) == rows(theirs[:20])
        assert (len(mine), rows(mine[:100])) == (len(theirs), rows(theirs)[:100])


@given(catalog=st.lists(things, max_size=10), query=queries)
def test_the_order_is_total_and_the_same_each_time(catalog: list[Thing], query: str) -> None:
    for name, make in ALL.items():
        found = rows(make().rank(query, catalog))
        assert found == rows(make().rank(query, catalog))
        if name != "substring":  # of which equal scores stay as the candidates are
            assert found == sorted(found, key=lambda one: (-one[1], one[0]))
