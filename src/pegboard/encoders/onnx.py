"""What stands in an ONNX file: the numbers that it is told with, and the steps that take them. Pure.

The file is a message of Protocol Buffers; only what a small model needs of it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_KINDS: Final = {1: "<f4", 3: "i1"}
_GRAPH: Final = 7  # of a model
_STEP, _CONSTANT = 1, 5  # of a graph
_TAKES, _GIVES, _KIND = 1, 2, 4  # of a step
_SHAPE, _TYPE, _NAME, _NUMBERS = 1, 2, 8, 9  # of a constant


class Step(NamedTuple):
    """One step: what it does, and the names of what it takes and gives. Immutable."""

    kind: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]


class Graph(NamedTuple):
    """A model: its numbers by name, views of the file, and its steps in order. Immutable."""

    constants: dict[str, Array]
    steps: tuple[Step, ...]


def graph_in(data: memoryview) -> Graph:
    """The graph of a file; of its numbers, those of 32 bits with a fraction and those of 8 bits without.

    Raises ValueError for what is no such file.
    """
    graph = [value for number, value in _fields(data) if number == _GRAPH]
    if len(graph) != 1 or not isinstance(graph[0], memoryview):
        raise ValueError("The file is no ONNX model.")
    parts = [(number, value) for number, value in _fields(graph[0]) if isinstance(value, memoryview)]
    constants = (_constant(value) for number, value in parts if number == _CONSTANT)
    return Graph(dict(filter(None, constants)), tuple(_step(value) for number, value in parts if number == _STEP))


def _step(data: memoryview) -> Step:
    found: dict[int, list[str]] = {_TAKES: [], _GIVES: [], _KIND: []}
    for number, value in _fields(data):
        if number in found and isinstance(value, memoryview):
            found[number].append(bytes(value).decode())
    return Step("".join(found[_KIND]), tuple(found[_TAKES]), tuple(found[_GIVES]))


def _constant(data: memoryview) -> tuple[str, Array] | None:
    """(its name, its numbers); None for numbers of another kind."""
    import numpy as np

    shape: list[int] = []
    kind, name, numbers = 0, "", memoryview(b"")
    for number, value in _fields(data):
        if number == _SHAPE:
            shape += [value] if isinstance(value, int) else _whole(value)
        elif number == _TYPE and isinstance(value, int):
            kind = value
        elif number == _NAME and isinstance(value, memoryview):
            name = bytes(value).decode()
        elif number == _NUMBERS and isinstance(value, memoryview):
            numbers = value
    return (name, np.frombuffer(numbers, _KINDS[kind]).reshape(shape)) if kind in _KINDS else None


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The number and the value of each field of a message: a whole number, or bytes."""
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        if key & 7 == 0:
            value, at = _number(data, at)
            yield key >> 3, value
            continue
        length = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 2:
            length, at = _number(data, at)
        if length is None or at + length > len(data):
            raise ValueError("The file is no ONNX model, or a part of it is missing.")
        yield key >> 3, data[at : at + length]
        at += length


def _whole(data: memoryview) -> list[int]:
    """Whole numbers, one behind the other."""
    found, at = [], 0
    while at < len(data):
        value, at = _number(data, at)
        found.append(value)
    return found


def _number(data: memoryview, at: int) -> tuple[int, int]:
    """(the whole number at a place, the place behind it): seven bits a byte, the last has no eighth."""
    value = shift = 0
    while at < len(data):
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise ValueError("The file is no ONNX model, or a part of it is missing.")
