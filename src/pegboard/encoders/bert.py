"""A model of BERT's kind, computed with numpy alone: what each piece of a text means beside the others.

Products of matrices are computed in pieces that libraries do not share out among threads: these wait for one another,
by turning in circles, where a machine is busy or a container has fewer processors than its host, and take twenty times
as long. What a text comes to depends on itself alone, not on what is computed beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

LAYERS: Final = 6
HEADS: Final = 12
_EPSILON: Final = 1e-12

_ROWS: Final = 16
"""Rows of a product that are computed together, at most."""
_SHARED_OUT: Final = 2**18
"""Multiplications of a product from which on OpenBLAS shares it out among threads."""


def tiled(matrix: Array) -> Array:
    """A matrix cut into groups of its columns, one behind the other: (groups, rows, columns of a group)."""
    import numpy as np

    rows, columns = matrix.shape
    most = max(1, (_SHARED_OUT - 1) // (_ROWS * rows))
    width = next(width for width in range(min(most, columns), 0, -1) if columns % width == 0)
    return np.ascontiguousarray(matrix.reshape(rows, -1, width).transpose(1, 0, 2))


def forward(weights: Mapping[str, Any], ids: Array) -> Array:
    """The mean of the last layer's vectors of each row of pieces; all rows are of one length.

    Of the matrices in ``weights``, each column gives one number; those of the layers are ``tiled``.
    """
    import numpy as np

    embedded = "embeddings."
    states = weights[f"{embedded}word_embeddings.weight"][ids]
    states = states + weights[f"{embedded}position_embeddings.weight"][: ids.shape[1]]
    states = states + weights[f"{embedded}token_type_embeddings.weight"][0]
    states, length = _normal(weights, f"{embedded}LayerNorm", states), ids.shape[1]
    states = np.pad(states, ((0, 0), (0, -length % _groups(length)), (0, 0)))
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        seen = _attention(weights, f"{layer}attention.self.", states, length)
        seen = _linear(weights, f"{layer}attention.output.dense", seen)
        states = _normal(weights, f"{layer}attention.output.LayerNorm", states + seen)
        wide = _gelu(_linear(weights, f"{layer}intermediate.dense", states))
        states = _normal(weights, f"{layer}output.LayerNorm", states + _linear(weights, f"{layer}output.dense", wide))
    mean: Array = states[:, :length].mean(axis=1)
    return mean


def _attention(weights: Mapping[str, Any], name: str, states: Array, length: int) -> Array:
    """What each row of ``states`` sees of those that are pieces of the text: the first ``length``."""
    import numpy as np

    texts, filled, width = states.shape
    size = width // HEADS
    query, key, value = (
        _linear(weights, name + part, states).reshape(texts, filled, HEADS, size).transpose(0, 2, 1, 3)
        for part in ("query", "key", "value")
    )
    query = query.reshape(texts, HEADS, _groups(filled), -1, size)
    key, value = (one[:, :, None, :length] for one in (key, value))
    likeness = query @ key.swapaxes(-1, -2) / np.float32(np.sqrt(size))
    likeness = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
    likeness /= likeness.sum(axis=-1, keepdims=True)
    seen: Array = (likeness @ value).reshape(texts, HEADS, filled, size)
    return seen.transpose(0, 2, 1, 3).reshape(texts, filled, width)


def _linear(weights: Mapping[str, Any], name: str, states: Array) -> Array:
    texts, filled, width = states.shape
    grouped = states.reshape(texts * _groups(filled), 1, -1, width)
    product: Array = (grouped @ weights[f"{name}.weight"]).swapaxes(1, 2)
    given: Array = product.reshape(texts, filled, -1) + weights[f"{name}.bias"]
    return given


def _groups(rows: int) -> int:
    """Of equal size, or nearly."""
    return -(-rows // _ROWS)


def _normal(weights: Mapping[str, Any], name: str, states: Array) -> Array:
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
