"""The static encoder reads the files of its wheel as they are, and says what to install where they are not."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from pegboard.encoders import StaticEncoder, carried
from pegboard.errors import ConfigError
from pegboard.search.encoder import Encoder, vectors_of


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return StaticEncoder()


def likeness(encoder: Encoder, one: str, other: str) -> float:
    """The cosine of two texts."""
    first, second = vectors_of(encoder, [one, other]).astype(np.float64)
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def test_texts_of_one_meaning_point_the_same_way(encoder: Encoder) -> None:
    assert likeness(encoder, "book a flight to Rome", "reserve an airline ticket") > 0.3
    assert likeness(encoder, "book a flight to Rome", "reserve an airline ticket") > likeness(
        encoder, "book a flight to Rome", "delete a row of a database"
    )


def test_a_row_depends_on_its_text_alone(encoder: Encoder) -> None:
    texts = ["Send a mail", "", "weather", "Send a mail " * 50]
    together = encoder.encode(texts)
    assert together.shape == (4, encoder.dimension)
    assert together.dtype == np.float32
    for row, text in zip(together, texts, strict=True):
        assert (encoder.encode([text])[0] == row).all()
    assert not together[1].any()


def test_no_texts_are_no_rows(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.dimension)


@pytest.mark.parametrize("missing", ["wordllama", "tokenizers"])
def test_what_is_not_installed_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr(carried, "find_spec", lambda name: None if name == missing else find_spec(name))
    with pytest.raises(ConfigError, match=r"pip install 'pegboard\[semantic\]'"):
        StaticEncoder()


def test_making_one_loads_neither_tokenizers_nor_numpy() -> None:
    program = "import sys; from pegboard.encoders import StaticEncoder; StaticEncoder(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert {"numpy", "tokenizers", "wordllama"}.isdisjoint(loaded.stdout.split())
