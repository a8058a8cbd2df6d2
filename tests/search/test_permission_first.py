from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import RANKERS, Bm25Ranker, Candidates, Ranker, exact_first, lexical, unmatched_terms
from pegboard.search.hybrid import HybridRanker
from tests.search.encoders import Hashed
from tests.search.things import Thing, queries, rows, things

ALL: dict[str, Callable[[], Ranker]] = {
    **RANKERS,
    "plain": lambda: Bm25Ranker("plain"),
    "hybrid": lambda: HybridRanker(Hashed()),
}

catalogs = st.lists(st.tuples(things, st.booleans()), max_size=10)


@given(catalog=catalogs, query=queries, frequent=st.sampled_from((1, 2, 4096)))
def test_a_slice_is_ranked_as_if_the_rest_did_not_exist(
    catalog: list[tuple[Thing, bool]], query: str, frequent: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "_FREQUENT", frequent)
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
