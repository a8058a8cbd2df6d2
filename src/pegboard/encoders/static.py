"""A static embedding: a text is the mean of its pieces' vectors, which stand in a table. No network, no model."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pegboard.encoders.tensors import tensors
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

INSTALL: Final = "pip install 'pegboard[semantic]'"

_PACKAGE: Final = "wordllama"
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_MOST: Final = 2000  # pieces of a text that are read: later ones change its mean by little


class StaticEncoder:
    """The embedding that the ``wordllama`` wheel carries: 32,000 pieces, 256 dimensions. Process-wide.

    Its two files are read as they are, and mapped: processes share them. Nothing is read before the first text is
    encoded. Raises ConfigError where the extra ``semantic`` is not installed.
    """

    identity: Final = "wordllama/l2_supercat_256/mean"
    dimension: Final = 256

    def __init__(self) -> None:
        self._folder = _folder()

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """The mean of the vectors of each text's pieces: float32, (texts, 256); zeros for a text without any."""
        import numpy as np

        found = np.zeros((len(texts), self.dimension), np.float32)
        for place, text in enumerate(texts):
            # One by one: for many at once the library starts threads, and complains in every process forked later.
            # Its pieces know no line breaks, and take each further blank for a word.
            pieces = self._tokenizer.encode(" ".join(text.split()), add_special_tokens=False).ids[:_MOST]
            if pieces:
                found[place] = self._table[pieces].mean(axis=0, dtype=np.float32)
        return found

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _table(self) -> np.ndarray[Any, Any]:
        return _mapped(self._folder / _WEIGHTS)


def _folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or find_spec("tokenizers") is None or not spec.submodule_search_locations:
        raise ConfigError("The hybrid ranker needs what is not installed.", hint=f"Install it: {INSTALL}")
    return Path(spec.submodule_search_locations[0])


def _mapped(file: Path) -> np.ndarray[Any, Any]:
    """The only array of a file, mapped."""
    with file.open("rb") as opened:
        data = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    (table,) = tensors(data).values()
    return table
