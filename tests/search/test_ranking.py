"""A ranking is made as far as somebody looks, and is the same however far that is."""

from __future__ import annotations

import random
from typing import cast

import numpy as np
import pytest

from pegboard.search import Candidates, LexicalRanker
from pegboard.search.lexical import SCHEME
from pegboard.search.ranking import Ranking
from pegboard.search.scores import Scores
from tests.search.things import Thing, names


def ranked(scores: dict[int, float], entries: list[Thing]) -> Ranking:
    pool = Candidates.of(entries)
    found = np.array([scores.get(row, 0.0) for row in range(len(entries))])
    bounded = Scores(found / 2, 3.0, found.__getitem__)
    return Ranking(pool, pool.corpus(SCHEME), bounded, lambda chosen: [f"row {row}" for row in chosen.tolist()])


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
    found = LexicalRanker().rank("red", [Thing("b", "red"), Thing("c", "blue"), Thing("a", "red green")])
    assert found == list(found)
    assert found != list(found)[1:]
    assert names(found) == ["b", "a"]


def test_an_entry_that_is_looked_at_alone_has_the_score_that_it_has_among_others() -> None:
    chance = random.Random(1)
    words = [front + back for front in ("mail", "file", "map", "song") for back in "bcdfghjklm"]
    for _ in range(60):
        entries = [Thing(f"tool_{number}", " ".join(chance.choices(words, k=15))) for number in range(40)]
        found = LexicalRanker().rank(" and ".join(chance.sample(words, 14)), Candidates.of(entries))
        assert isinstance(found, Ranking)
        one = found[len(found) // 2]
        assert found.led_by([entries.index(cast("Thing", one.entry))], "first")[0].score == one.score
