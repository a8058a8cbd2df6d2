"""What an encoder gives is taken for vectors only when it is what it should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search.arrays import Array
from pegboard.search.encoder import LONGEST, SCALE, EncodingError, text_of, usual_of, vectors_of
from pegboard.tools import JsonObject
from tests.search.encoders import Broken, Hashed
from tests.search.things import Thing

DIRECTIONS = st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3)


def taken(vectors: Any, dimension: int = 2) -> Array:
    """What is made of what an encoder gave for two texts."""
    broken = Broken(lambda texts: vectors)
    broken.dimension = dimension
    return vectors_of(broken, ["one", "two"])


@given(vectors=st.lists(DIRECTIONS, min_size=2, max_size=2))
def test_vectors_keep_their_directions_and_get_one_length(vectors: list[list[float]]) -> None:
    largest = np.abs(np.array(vectors)).max(axis=1, keepdims=True)
    scaled = np.array(vectors) / np.where(largest > 0, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    found = taken(vectors, 3)
    assert found.dtype == np.int16
    assert np.abs(found - scaled / np.where(lengths > 0, lengths, 1) * SCALE).max() <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("vectors", "told"),
    [
        (np.zeros((3, 2)), r"the shape \(3, 2\), and \(2, 2\)"),
        (np.zeros((2, 3)), r"the shape \(2, 3\), and \(2, 2\)"),
        (np.zeros(4), r"the shape \(4,\), and \(2, 2\)"),
        (None, r"the shape \(\), and"),
        ([[1.0, float("nan")], [1.0, 2.0]], "not finite"),
        ([[1.0, float("inf")], [1.0, 2.0]], "not finite"),
        ([["a", "b"], ["c", "d"]], "something else than an array of numbers"),
        ([[1.0], [1.0, 2.0]], "something else than an array of numbers"),
    ],
)
def test_anything_else_is_refused_with_what_is_wrong(vectors: Any, told: str) -> None:
    with pytest.raises(EncodingError, match=told):
        taken(vectors)


def test_sums_stay_exact_however_many_numbers_a_vector_has() -> None:
    one, other = taken(np.random.default_rng(7).normal(size=(2, 4096)), 4096).astype(np.int64)
    assert np.abs(one * other).sum() <= max((one * one).sum(), (other * other).sum()) < 2**24


def test_halves_of_characters_and_endless_texts_reach_no_encoder() -> None:
    encoder = Hashed()
    vectors_of(encoder, [text_of(Thing("odd", "half \ud83d of a character")), "x" * (LONGEST + 1)])
    assert encoder.given[0].encode()
    assert len(encoder.given[1]) == LONGEST


def test_an_entry_is_told_by_its_name_its_description_and_its_parameters() -> None:
    assert text_of(Thing("getURLs_v2", "Gets them")) == "get urls v 2: Gets them"
    schema = {"properties": {"repoName": {"type": "string", "properties": {"inner": {}}}, "since": {}}}
    assert text_of(Thing("list_commits", "Newest first", input_schema=schema)) == (
        "list commits: Newest first (repo name, since)"
    )
    many: JsonObject = {"properties": {f"p{number}": {} for number in range(1000)}}
    assert text_of(Thing("many", input_schema=many)).endswith(", p 49)")
    assert text_of(Thing("odd", "Odd", input_schema={"properties": ["a"]})) == "odd: Odd"


def test_what_an_encoder_makes_of_strangers_is_its_usual_cosine() -> None:
    draw = np.random.default_rng(7)

    def leaning(texts: Any) -> Any:
        return draw.normal(size=(len(texts), 16)) + 1.0

    assert usual_of(Broken(leaning)) == pytest.approx(0.5, abs=0.1)
    assert usual_of(Broken(lambda texts: np.ones((len(texts), 16)))) == 0.9
    assert usual_of(Broken(lambda texts: np.zeros((len(texts), 16)))) == 0.0
