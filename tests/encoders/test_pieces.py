"""Texts are cut into the pieces that models of BERT's kind were trained on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.encoders.pieces import VOCABULARY, tokenizer, vocabulary
from pegboard.errors import ConfigError

PIECES = "[PAD] [UNK] [CLS] [SEP] the image res ##ize get ##ur ##ls v ##2 , ! cafe a la cart ##e 日 本 hello world"


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A small vocabulary."""
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES.split()), "utf-8")
    return tmp_path / "vocab.txt"


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
def test_a_text_has_these_pieces(text: str, pieces: list[str], words: Path) -> None:
    assert tokenizer(128, words).encode(text).tokens == ["[CLS]", *pieces, "[SEP]"]


def test_pieces_have_the_numbers_of_the_vocabulary_and_so_many_are_read(words: Path) -> None:
    found = tokenizer(6, words).encode("hello world " * 9)
    assert found.ids == [2, 22, 23, 22, 23, 3]


def test_marks_that_stand_in_a_text_are_words_like_any_other(words: Path) -> None:
    assert 3 not in tokenizer(128, words).encode("say [SEP] twice").ids[:-1]


@pytest.mark.parametrize("named", [None, "nowhere.txt"])
def test_without_a_vocabulary_it_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch, named: str | None) -> None:
    monkeypatch.delenv(VOCABULARY, raising=False)
    if named:
        monkeypatch.setenv(VOCABULARY, named)
    with pytest.raises(ConfigError, match="needs its vocabulary"):
        vocabulary()


def test_a_file_that_is_no_vocabulary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("some\nwords", "utf-8")
    with pytest.raises(ConfigError, match="is no vocabulary"):
        tokenizer(128, tmp_path / "odd.txt")
