"""Texts are cut into the pieces that models of BERT's kind were trained on."""

from __future__ import annotations

import pytest

from pegboard.encoders.pieces import tokenizer


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Resize the image", ["res", "##ize", "the", "image"]),
        ("getURLs, v2!", ["get", "##ur", "##ls", ",", "v", "##2", "!"]),
        ("Café À LA CARTE", ["cafe", "a", "la", "cart", "##e"]),
        ("日本", ["日", "本"]),
        ("\U0001f9ff", ["[UNK]"]),
        ("", []),
    ],
)
def test_a_text_has_these_pieces(text: str, pieces: list[str]) -> None:
    assert tokenizer(128).encode(text).tokens == ["[CLS]", *pieces, "[SEP]"]


def test_pieces_have_the_numbers_of_the_vocabulary_and_so_many_are_read() -> None:
    found = tokenizer(6).encode("hello world " * 9)
    assert found.ids == [101, 7592, 2088, 7592, 2088, 102]


def test_marks_that_stand_in_a_text_are_words_like_any_other() -> None:
    assert 102 not in tokenizer(128).encode("say [SEP] twice").ids[:-1]
