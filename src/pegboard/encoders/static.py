"""A static embedding: a text is the mean of its pieces' vectors, which stand in a table. No network, no model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pegboard.encoders.carried import carried, mapped, needed
from pegboard.encoders.tensors import tensors
from pegboard.search.leaving import COMPILED

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

_WEIGHTS: Final = ("wordllama", "weights/l2_supercat_256.safetensors")
_TOKENIZER: Final = ("wordllama", "tokenizers/l2_supercat_tokenizer_config.json")
_MOST: Final = 2000  # pieces of a text that are read: later ones change its mean by little


class StaticEncoder:
    """The embedding that the ``wordllama`` wheel carries: 32,000 pieces, 256 dimensions. Process-wide.

    Its two files are read as they are, and mapped: processes share them. Nothing is read before the first text is
    encoded. Raises ConfigError where the extra ``semantic`` is not installed.
    """

    identity: Final = "wordllama/l2_supercat_256/mean"
    dimension: Final = 256

    def __init__(self) -> None:
        needed("tokenizers")
        self._weights, self._pieces = carried(*_WEIGHTS), carried(*_TOKENIZER)

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """The mean of the vectors of each text's pieces: float32, (texts, 256); zeros for a text without any."""
        import numpy as np

        found = np.zeros((len(texts), self.dimension), np.float32)
        for place, text in enumerate(texts):
            # One by one: for many at once the library starts threads, and complains in every process forked later.
            # Its pieces know no line breaks, and take each further blank for a word.
            with COMPILED.inside():
                pieces = self._tokenizer.encode(" ".join(text.split()), add_special_tokens=False).ids[:_MOST]
            if pieces:
                found[place] = self._table[pieces].mean(axis=0, dtype=np.float32)
        return found

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._pieces))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _table(self) -> np.ndarray[Any, Any]:
        (table,) = tensors(mapped(self._weights)).values()
        return table
