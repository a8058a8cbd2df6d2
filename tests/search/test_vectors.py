"""Vectors are made once for each text, pass from generation to generation, and are told apart exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import Candidates, vectors
from pegboard.search.arrays import Array
from pegboard.search.encoder import SCALE, EncodingError, text_of, vectors_of
from pegboard.search.vectors import KEY, Stored
from tests.search.encoders import DIMENSION, Broken, Hashed, Shelf
from tests.search.things import Thing, things

CATALOGS = st.lists(things, max_size=6, unique_by=lambda entry: entry.name)
ONE, TWO, THREE = (Thing(f"tool_{name}", f"Does {name}") for name in ("one", "two", "three"))


def filled(pool: Candidates, encoder: Any, store: Shelf | None = None) -> Candidates:
    pool.vectors_of(encoder.identity).fill(encoder, store)
    return pool


def alike(pool: Candidates, text: str) -> list[float]:
    """How much each candidate is like a text."""
    found: Array = pool.vectors_of("hashed").alike(way(text), pool.places)
    return list(found)


def way(text: str) -> Array:
    row: Array = vectors_of(Hashed(), [text])[0]
    return row


def expected(entries: Sequence[Thing], text: str) -> list[float]:
    """The same, computed one by one."""
    return [float((way(text_of(entry)).astype(np.int64) * way(text)).sum()) for entry in entries]


@given(
    generations=st.lists(CATALOGS, min_size=1, max_size=4), mask=st.integers(0, 63), tail=st.sampled_from((1, 3, 99))
)
def test_every_generation_and_slice_has_the_vectors_of_its_own_entries(
    generations: list[list[Thing]], mask: int, tail: int
) -> None:
    pool = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "TAIL", tail)
        for entries in generations:
            pool = filled(Candidates.of(entries) if pool is None else pool.after(entries), Hashed())
            assert alike(pool, "send mail") == expected(entries, "send mail")
            seen = [bool(mask >> place & 1) for place in range(len(entries))]
            visible = [entry for entry, on in zip(entries, seen, strict=True) if on]
            assert alike(pool.only(seen), "send mail") == expected(visible, "send mail")


def test_only_what_is_new_or_has_changed_is_encoded() -> None:
    encoder = Hashed()
    pool = filled(Candidates.of([ONE, TWO]), encoder)
    encoder.given.clear()
    changed = Thing("tool_two", "Does something else")
    pool = filled(pool.after([THREE, ONE, changed]), encoder)
    assert sorted(encoder.given) == sorted(map(text_of, [THREE, changed]))
    encoder.given.clear()
    filled(pool.after([changed, ONE]), encoder)
    assert not encoder.given


def test_equal_texts_are_encoded_once() -> None:
    encoder = Hashed()
    twins = [Thing(f"p{number}__send", "Send it", bare="send") for number in range(3)]
    pool = filled(Candidates.of(twins), encoder)
    assert len(encoder.given) == 1
    assert alike(pool, "send") == expected(twins, "send")


def test_another_encoder_has_vectors_of_its_own() -> None:
    one, other = Hashed(), Hashed("other")
    pool = filled(filled(Candidates.of([ONE]), one), other)
    assert len(one.given) == len(other.given) == 1
    assert pool.vectors_of("hashed") is not pool.vectors_of("other")


def test_what_was_kept_is_not_encoded_again() -> None:
    shelf, again = Shelf(), Hashed()
    filled(Candidates.of([ONE, TWO]), Hashed(), shelf)
    pool = filled(Candidates.of([TWO, ONE]), again, shelf)
    assert not again.given
    assert alike(pool, "two") == expected([TWO, ONE], "two")
    assert shelf.saves == 1


def test_vectors_of_a_text_that_nobody_has_any_more_are_not_kept() -> None:
    shelf = Shelf()
    filled(Candidates.of([ONE, TWO]), Hashed(), shelf)
    filled(Candidates.of([THREE]), Hashed(), shelf)
    assert len(shelf.kept["hashed"].keys) == KEY


def test_a_few_new_vectors_are_not_worth_writing_the_file() -> None:
    shelf = Shelf()
    many = [Thing(f"tool_{number}", f"Does {number}") for number in range(vectors.WORTH_KEEPING + 1)]
    pool = filled(Candidates.of(many), Hashed(), shelf)
    filled(pool.after([*many, ONE]), Hashed(), shelf)
    assert shelf.saves == 1


def test_kept_vectors_of_another_dimension_are_not_used() -> None:
    shelf, encoder = Shelf(), Hashed()
    shelf.kept["hashed"] = Stored(bytes(KEY), np.zeros((1, DIMENSION + 1), np.int16))
    pool = filled(Candidates.of([ONE]), encoder, shelf)
    assert alike(pool, "one") == expected([ONE], "one")


def test_what_was_encoded_before_a_failure_stays() -> None:
    many = [Thing(f"tool_{number}", f"Does {number}") for number in range(vectors.BATCH + 1)]
    encoder = Hashed()

    def fails_later(texts: Sequence[str]) -> Any:
        if len(encoder.given) >= vectors.BATCH:
            raise RuntimeError("away")
        return encoder.encode(texts)

    broken, shelf = Broken(fails_later), Shelf()
    broken.identity = "hashed"
    pool = Candidates.of(many)
    with pytest.raises(RuntimeError, match="away"):
        filled(pool, broken, shelf)
    encoder.given.clear()
    filled(pool, encoder)
    assert encoder.given == [text_of(many[-1])]
    assert len(shelf.kept["hashed"].keys) == vectors.BATCH * KEY


def test_work_that_takes_long_is_kept_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(vectors, "BATCH", 1)
    shelf = Shelf()
    pool = filled(Candidates.of([ONE, TWO, THREE]), Hashed(), shelf)
    assert shelf.saves == 3
    assert alike(pool, "two") == expected([ONE, TWO, THREE], "two")


def test_wrong_vectors_are_refused() -> None:
    with pytest.raises(EncodingError, match="shape"):
        filled(Candidates.of([ONE]), Broken(lambda texts: np.zeros((len(texts), 3))))


def refusing(word: str) -> Broken:
    """An encoder that takes no text with this word; its identity is that of ``Hashed``."""

    def encode(texts: Sequence[str]) -> Any:
        if any(word in text for text in texts):
            raise ValueError(word)
        return Hashed().encode(texts)

    encoder = Broken(encode)
    encoder.identity = "hashed"
    return encoder


def test_a_text_that_the_encoder_refuses_is_like_nothing_and_costs_the_others_nothing() -> None:
    shelf, bad = Shelf(), Thing("bad", "Refused")
    pool = filled(Candidates.of([ONE, bad, TWO]), refusing("Refused"), shelf)
    first, none, second = alike(pool, "one")
    assert [first, second] == expected([ONE, TWO], "one")
    assert none == 0
    assert len(shelf.kept["hashed"].keys) == 2 * KEY


def test_an_encoder_that_fails_while_it_is_asked_for_parts_fails() -> None:
    encoder = refusing("Refused")
    refuses, asked = encoder.does, [0]

    def goes_away(texts: Sequence[str]) -> Any:
        asked[0] += 1
        if asked[0] > 2:
            raise OSError("away")
        return refuses(texts)

    encoder.does = goes_away
    pool = Candidates.of([ONE, Thing("bad", "Refused"), TWO])
    with pytest.raises(OSError, match="away"):
        filled(pool, encoder)
    assert alike(filled(pool, Hashed()), "one")[::2] == expected([ONE, TWO], "one")


def test_many_small_pieces_are_worth_writing_the_file_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(vectors, "BATCH", 1)
    shelf = Shelf()
    filled(Candidates.of([Thing(f"tool_{number}", f"Does {number}") for number in range(200)]), Hashed(), shelf)
    assert shelf.saves == 50  # of four each: more than one in 64


def test_where_all_texts_of_a_batch_are_refused_others_have_their_vectors() -> None:
    many = [Thing(f"bad_{number}", "Refused") for number in range(vectors.BATCH)]
    pool = filled(Candidates.of([*many, ONE]), refusing("Refused"))
    assert alike(pool, "one")[-1:] == expected([ONE], "one")


def test_a_slice_has_vectors_made_of_its_own_entries_alone() -> None:
    encoder, pool = Hashed(), Candidates.of([ONE, TWO, THREE])
    part = pool.only([False, True, False])
    pool.vectors_of("hashed").fill(encoder, places=part.places)
    assert encoder.given == [text_of(TWO)]
    assert alike(part, "two") == expected([TWO], "two")
    filled(pool, encoder)
    assert encoder.given == [text_of(TWO), text_of(ONE), text_of(THREE)]
    assert alike(pool, "two") == expected([ONE, TWO, THREE], "two")


def test_what_was_kept_of_other_entries_stays_kept_when_a_slice_is_filled() -> None:
    shelf = Shelf()
    filled(Candidates.of([ONE, TWO]), Hashed(), shelf)
    pool = Candidates.of([ONE, TWO, THREE])
    pool.vectors_of("hashed").fill(Hashed(), shelf, places=pool.only([False, False, True]).places)
    assert len(shelf.kept["hashed"].keys) == 3 * KEY


def test_vectors_of_another_length_under_the_same_identity_are_refused() -> None:
    pool, short = filled(Candidates.of([ONE]), Hashed()), Hashed()
    short.dimension = 3
    with pytest.raises(EncodingError, match="same identity"):
        filled(pool, short)
    with pytest.raises(EncodingError, match="same identity"):
        pool.vectors_of("hashed").alike(np.zeros(3, np.int16), None)


class Shut:
    """Neither reads nor keeps. Lives as long as the test."""

    def load(self, identity: str) -> Stored | None:
        """Fails."""
        raise OSError(identity)

    def save(self, identity: str, vectors: Stored) -> None:
        """Fails."""
        raise OSError(identity)


def test_a_store_that_fails_is_told_in_the_log_and_the_vectors_are_used(caplog: pytest.LogCaptureFixture) -> None:
    pool = Candidates.of([ONE])
    pool.vectors_of("hashed").fill(Hashed(), Shut())
    assert alike(pool, "one") == expected([ONE], "one")
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2


@pytest.mark.parametrize("kind", ["complex64", "bool", "datetime64[s]", "U3"])
def test_only_numbers_are_vectors(kind: str) -> None:
    given = Broken(lambda texts: np.zeros((len(texts), DIMENSION)).astype(kind))
    with pytest.raises(EncodingError, match="array of numbers"):
        filled(Candidates.of([ONE]), given)


def test_a_text_is_as_like_itself_as_can_be() -> None:
    pool = filled(Candidates.of([ONE, TWO]), Hashed())
    found = alike(pool, text_of(ONE))
    assert found[0] == pytest.approx(SCALE**2, rel=0.01)
    assert found[0] > found[1]
