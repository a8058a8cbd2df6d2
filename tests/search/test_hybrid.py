"""The hybrid ranker: what texts mean beside what they say, and words alone where the encoder fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from pegboard.limits import Limits
from pegboard.search import Candidates, LexicalRanker, guarded, meaning, search
from pegboard.search.confidence import confidence_of, degraded_by
from pegboard.search.encoder import Encoder
from pegboard.search.hybrid import HybridRanker
from tests.search.encoders import DIMENSION, Broken, Hashed
from tests.search.things import Thing, names, rows

FILM = Thing("show_film", "Shows a picture")
MAIL = Thing("send_mail", "Sends a letter")
FILES = [Thing(f"file_{number}", f"Reads the file number {number}") for number in range(20)]
ALL = [FILM, MAIL, *FILES]


def meaning_the_same() -> Hashed:
    """An encoder that takes "cinema" for "film"."""
    return Hashed(same={"cinema": "film"})


def test_what_shares_no_word_is_found_by_its_meaning() -> None:
    assert names(LexicalRanker().rank("cinema", ALL)) == []
    ranked = HybridRanker(meaning_the_same()).rank("cinema", ALL)
    assert names(ranked)[0] == "show_film"
    assert ranked[0].reason == "alike in meaning"


def test_so_many_are_found_by_their_meaning_alone_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "MOST_NEW", 3)
    films = [Thing(f"film_{number}", "x" * number) for number in range(9)]
    ranked = HybridRanker(meaning_the_same()).rank("cinema", [*films, *FILES])
    assert 0 < len(ranked) <= 3


def test_what_is_hardly_alike_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = HybridRanker(meaning_the_same()).rank("cinema", ALL)
    monkeypatch.setattr(meaning, "NEAR", 1.1)  # more than anything can be
    assert len(HybridRanker(meaning_the_same()).rank("cinema", ALL)) == 0 < len(found)


def test_names_that_stand_in_the_ask_come_first() -> None:
    found = search("use send_mail for the cinema", HybridRanker(meaning_the_same()), Candidates.of(ALL))
    assert names(found)[0] == "send_mail"
    assert confidence_of(found) == 1.0


def test_a_blank_ask_finds_nothing() -> None:
    encoder = meaning_the_same()
    assert not len(HybridRanker(encoder).rank("  ", ALL))
    assert not encoder.given


FAILURES: dict[str, tuple[Callable[[Sequence[str]], Any], str]] = {
    "raises": (lambda texts: 1 / 0, "it failed with ZeroDivisionError"),
    "shape": (lambda texts: np.zeros((len(texts), 1)), "it gave an array of the shape"),
    "nan": (lambda texts: np.full((len(texts), DIMENSION), np.nan), "it gave numbers that are not finite"),
    "nothing": (lambda texts: None, "it gave an array of the shape"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_words_answer_alone_where_the_encoder_fails_and_the_answer_says_so(kind: str) -> None:
    does, told = FAILURES[kind]
    ranked = HybridRanker(Broken(does)).rank("send mail", ALL)
    assert rows(ranked) == rows(LexicalRanker().rank("send mail", ALL))
    assert confidence_of(ranked) == confidence_of(LexicalRanker().rank("send mail", ALL))
    assert told in degraded_by(ranked)
    assert told in degraded_by(search("use send_mail", HybridRanker(Broken(does)), Candidates.of(ALL)))


def test_words_answer_alone_where_the_encoder_takes_too_long() -> None:
    go = threading.Event()
    try:
        ranked = HybridRanker(Broken(lambda texts: go.wait()), patience=0.05).rank("send mail", ALL)
    finally:
        go.set()
    assert names(ranked) == ["send_mail"]
    assert "has not answered within 0.05 seconds" in degraded_by(ranked)


def test_another_encoder_stands_in_for_one_that_fails_and_the_answer_says_so() -> None:
    ranker = HybridRanker(Broken(lambda texts: 1 / 0), meaning_the_same())
    ranked = ranker.rank("cinema", ALL)
    assert rows(ranked) == rows(HybridRanker(meaning_the_same()).rank("cinema", ALL))
    assert degraded_by(ranked).startswith("What words mean was compared by a simpler encoder")
    assert "it failed with ZeroDivisionError" in degraded_by(ranked)
    assert ranker.explain("cinema", ALL, ["show_film"]).shares["show_film"].score == pytest.approx(ranked[0].score)


def test_another_encoder_stands_in_until_the_first_is_done() -> None:
    go, film = threading.Event(), meaning_the_same()
    stands_in = Hashed("stands in", same={"cinema": "send"})

    def encode(texts: Sequence[str]) -> Any:
        go.wait()
        return film.encode(texts)

    ranker, pool = HybridRanker(Broken(encode), stands_in, patience=0.05), Candidates.of(ALL)
    try:
        ranked = ranker.rank("cinema", pool)
        assert names(ranked)[0] == "send_mail"
        assert "has not answered within 0.05 seconds" in degraded_by(ranked)
    finally:
        go.set()
    for _ in range(200):
        ranked = ranker.rank("cinema", pool)
        if not degraded_by(ranked):
            break
        threading.Event().wait(0.02)
    assert names(ranked)[0] == "show_film"
    stands_in.given.clear()
    ranker.rank("cinema", pool)
    assert not stands_in.given


def test_words_answer_alone_where_all_encoders_fail() -> None:
    ranked = HybridRanker(Broken(lambda texts: 1 / 0), Broken(lambda texts: None)).rank("send mail", ALL)
    assert rows(ranked) == rows(LexicalRanker().rank("send mail", ALL))
    assert degraded_by(ranked).startswith("Only words were compared")
    assert "ZeroDivisionError" in degraded_by(ranked)


def test_what_an_error_says_is_in_no_answer() -> None:
    def boom(texts: Sequence[str]) -> None:
        raise RuntimeError("key=sk-123")

    assert "sk-123" not in degraded_by(HybridRanker(Broken(boom)).rank("send mail", ALL))


def test_an_encoder_that_cannot_be_made_is_one_that_fails_and_is_made_anew_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guarded, "RETRY", 0.0)
    made: list[Encoder] = []

    def make() -> Encoder:
        made.append(meaning_the_same())
        if len(made) == 1:
            raise ImportError("no such module")
        return made[-1]

    ranker = HybridRanker(make)
    assert "it failed with ImportError" in degraded_by(ranker.rank("cinema", ALL))
    assert not degraded_by(ranker.rank("cinema", ALL))
    assert not degraded_by(ranker.rank("cinema", ALL))
    assert len(made) == 2


def test_a_query_that_the_encoder_refuses_is_searched_without_it_and_others_with_it() -> None:
    def refuse(texts: Sequence[str]) -> Any:
        if "poison" in texts[0]:
            raise ValueError("poison")
        return Hashed().encode(texts)

    ranker = HybridRanker(Broken(refuse))
    assert "it refuses the text of this search" in ranker.rank("mail poison", ALL).degraded
    assert not ranker.rank("mail somebody", ALL).degraded


def test_an_encoder_that_failed_is_left_alone_for_a_while() -> None:
    broken = Broken(lambda texts: 1 / 0)
    ranker = HybridRanker(broken)
    for _ in range(3):
        assert degraded_by(ranker.rank("send mail", ALL))
    assert broken.times == 1


def test_entries_are_encoded_once_and_asks_each_time() -> None:
    encoder = meaning_the_same()
    ranker, pool = HybridRanker(encoder), Candidates.of(ALL)
    ranker.rank("cinema", pool)
    encoder.given.clear()
    ranker.rank("mail", pool.only([True] * 2 + [False] * len(FILES)))
    assert encoder.given == ["mail"]


def test_the_more_alike_of_two_comes_first_though_both_have_the_words() -> None:
    twins = [Thing("a_play", "play stone film stone"), Thing("b_play", "play film film film")]
    assert names(HybridRanker(Hashed()).rank("play", twins)) == names(LexicalRanker().rank("play", twins))
    found = HybridRanker(Hashed(same={"plai": "film"})).rank("play", [*twins, *FILES])
    assert names(found)[0] == "b_play"


def test_no_match_is_told_where_neither_words_nor_meaning_fit() -> None:
    confidence = confidence_of(HybridRanker(meaning_the_same()).rank("zebra", ALL))
    assert confidence is not None
    assert confidence < Limits().no_match_below


def test_how_sure_it_is_depends_on_what_else_means_the_same() -> None:
    played, others = Thing("play_it", "Plays a film"), [Thing(f"show_{number}", "film") for number in range(20)]
    ranker = HybridRanker(meaning_the_same())
    alone, among = (ranker.rank("play cinema", [played, *some]) for some in (FILES, others))
    assert names(alone)[0] == names(among)[0] == "play_it"
    assert (confidence_of(alone) or 0) > (confidence_of(among) or 0)


def test_explaining_where_the_encoder_fails_tells_of_words_alone() -> None:
    reading = HybridRanker(Broken(lambda texts: 1 / 0)).explain("send mail", ALL, ["send_mail"])
    assert reading == LexicalRanker().explain("send mail", ALL, ["send_mail"])


def test_explaining_tells_what_meaning_brought() -> None:
    ranker = HybridRanker(meaning_the_same())
    shares = ranker.explain("cinema", ALL, ["show_film", "file_1"]).shares
    assert [part.name for part in shares["show_film"].parts] == ["meaning"]
    assert shares["show_film"].score == pytest.approx(ranker.rank("cinema", ALL)[0].score)


def test_how_encoders_are_doing_is_told_as_of_their_last_use_and_after_a_look_as_of_now() -> None:
    class Nameless(Hashed):
        @property
        def identity(self) -> str:
            raise OSError("no name")

        @identity.setter
        def identity(self, name: str) -> None:
            pass

    ranker = HybridRanker(Broken(lambda texts: 1 / 0), meaning_the_same(), Nameless, Nameless())
    assert [(one.name, one.state) for one in ranker.encoders()] == [
        ("Broken", "idle"),
        ("Hashed", "idle"),
        ("Nameless", "idle"),
        ("Nameless", "idle"),
    ]
    ranker.rank("cinema", ALL)
    assert [one.state for one in ranker.encoders()] == ["failed", "ready", "idle", "idle"]
    assert [one.state for one in ranker.look()] == ["failed", "ready", "failed", "failed"]
    assert [one.usable for one in ranker.encoders()] == [False, True, False, False]
