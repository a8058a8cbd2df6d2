"""An ONNX file's numbers and steps are read as they are, and what is no such file is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.encoders.onnx import Step, graph_in


def number(value: int) -> bytes:
    """A whole number as the format has it."""
    found = b""
    while value >= 128:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def field(key: int, value: int | bytes) -> bytes:
    """A field with a whole number, or with bytes."""
    if isinstance(value, int):
        return number(key << 3) + number(value)
    return number(key << 3 | 2) + number(len(value)) + value


def constant(name: str, kind: int, shape: bytes, numbers: bytes) -> bytes:
    """A constant of a graph."""
    return field(5, shape + field(2, kind) + field(8, name.encode()) + field(9, numbers))


FLOATS = constant("floats", 1, field(1, 2) + field(1, 1), struct.pack("<2f", 0.5, -2))
WHOLE = constant("whole", 3, field(1, number(1) + number(200)), bytes(range(200)))
LONG = constant("long", 7, field(1, 1), struct.pack("<q", 9))
STEP = field(
    1, field(1, b"states") + field(1, b"whole") + field(2, b"product") + field(3, b"a name") + field(4, b"MatMul")
)
MODEL = field(1, 10) + field(2, b"somebody") + field(7, FLOATS + WHOLE + LONG + STEP + field(2, b"graph"))


def test_numbers_and_steps_are_read() -> None:
    graph = graph_in(memoryview(MODEL))
    assert graph.steps == (Step("MatMul", ("states", "whole"), ("product",)),)
    assert graph.constants.keys() == {"floats", "whole"}
    assert graph.constants["floats"].tolist() == [[0.5], [-2.0]]
    assert graph.constants["whole"].shape == (1, 200)
    assert graph.constants["whole"][0, 199] == np.int8(199 - 256)


def test_fields_of_fixed_length_are_passed_over() -> None:
    fixed = number(90 << 3 | 5) + b"1234" + number(91 << 3 | 1) + b"12345678"
    assert graph_in(memoryview(fixed + MODEL + fixed)).constants.keys() == {"floats", "whole"}


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 something else", field(1, 10), MODEL + MODEL, field(7, 3)])
def test_what_is_no_model_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="is no ONNX model"):
        graph_in(memoryview(data))


@given(st.integers(0, len(MODEL) - 1))
def test_a_part_of_a_file_is_refused_wherever_it_ends(end: int) -> None:
    with pytest.raises(ValueError, match="is no ONNX model"):
        graph_in(memoryview(MODEL[:end]))
