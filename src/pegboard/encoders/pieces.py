"""The pieces of words that models of BERT's kind read, of texts in small letters. No network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_VOCABULARY: Final = Path(__file__).parent / "uncased.txt"
_UNKNOWN, _BEGIN, _END = "[UNK]", "[CLS]", "[SEP]"


def tokenizer(longest: int) -> Tokenizer:
    """What tells a text's pieces by their numbers, with a mark before and behind; ``longest`` of them at most."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing

    pieces = {piece: number for number, piece in enumerate(_VOCABULARY.read_text("utf-8").split("\n")) if piece}
    made = Tokenizer(WordPiece(pieces, unk_token=_UNKNOWN))
    made.normalizer = BertNormalizer()
    made.pre_tokenizer = BertPreTokenizer()
    marks = [(mark, pieces[mark]) for mark in (_BEGIN, _END)]
    made.post_processor = TemplateProcessing(single=f"{_BEGIN} $A {_END}", special_tokens=marks)
    made.enable_truncation(longest)
    return made
