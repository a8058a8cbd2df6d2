"""The pieces of words that models of BERT's kind read, of texts in small letters. No network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY: Final = "PEGBOARD_MINILM_VOCABULARY"
"""The environment variable that names the file of pieces, a line each in the order of their numbers."""
_UNKNOWN, _BEGIN, _END = "[UNK]", "[CLS]", "[SEP]"


def vocabulary() -> Path:
    """The file of pieces. Raises ConfigError where there is none."""
    named = os.environ.get(VOCABULARY, "")
    if not named or not Path(named).is_file():
        what = f"{named} is no file" if named else f"{VOCABULARY} is not set"
        hint = f"Set {VOCABULARY} to the vocab.txt that all-MiniLM-L6-v2 is published with."
        raise ConfigError(f"all-MiniLM-L6-v2 needs its vocabulary, and {what}.", hint=hint)
    return Path(named)


def tokenizer(longest: int, words: Path) -> Tokenizer:
    """What tells a text's pieces by their numbers, with a mark before and behind; ``longest`` of them at most.

    ``words`` is the file of pieces. Raises ConfigError for one that lacks the marks.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing

    pieces = {piece: number for number, piece in enumerate(words.read_text("utf-8", "replace").split("\n")) if piece}
    if not {_UNKNOWN, _BEGIN, _END} <= pieces.keys():
        raise ConfigError(f"{words} is no vocabulary of BERT's kind: it lacks {_BEGIN}, {_END} or {_UNKNOWN}.")
    made = Tokenizer(WordPiece(pieces, unk_token=_UNKNOWN))
    made.normalizer = BertNormalizer()
    made.pre_tokenizer = BertPreTokenizer()
    marks = [(mark, pieces[mark]) for mark in (_BEGIN, _END)]
    made.post_processor = TemplateProcessing(single=f"{_BEGIN} $A {_END}", special_tokens=marks)
    made.enable_truncation(longest)
    return made
