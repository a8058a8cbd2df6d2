"""Python values as plain JSON."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import ipaddress
import itertools
import pathlib
import threading
import types
import uuid
from typing import Any, NamedTuple, TypedDict

import numpy as np
import pytest
from hypothesis import given
from pydantic import BaseModel, ConfigDict, Field

from pegboard.values import NotJsonError, plain_json
from tests.test_tools import JSON


@dataclasses.dataclass
class Span:
    start: dt.date
    days: int = 1


@dataclasses.dataclass
class Holder:
    span: Span
    lock: Any = None


class Node(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    label: str = Field(serialization_alias="theLabel")
    kids: list[Node] = []
    own: Any = None


class Level(enum.StrEnum):
    HIGH = "high"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: int
    y: float


class Options(TypedDict):
    deep: bool


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


RING: list[Any] = []
RING.append(RING)


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("text", "text"),
        (None, None),
        (10**30, 10**30),
        (True, True),
        ({1: (2, 3)}, {"1": [2, 3]}),
        (Holder(Span(dt.date(2024, 2, 29))), {"span": {"start": "2024-02-29", "days": 1}, "lock": None}),
        (Node(label="a", kids=[Node(label="b")])
         , {"theLabel": "a", "kids": [{"theLabel": "b", "kids": [], "own": None}], "own": None}),
        (Options(deep=True), {"deep": True}),
        (Point(1, 2.5), [1, 2.5]),
        (Level.HIGH, "high"),
        (Rights.READ | Rights.WRITE, 3),
        (dt.datetime(2024, 5, 1, tzinfo=dt.UTC), "2024-05-01T00:00:00Z"),
        (dt.timedelta(hours=36), "P1DT12H"),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (decimal.Decimal("1.50"), "1.50"),
        (pathlib.PurePosixPath("/a/b"), "/a/b"),
        (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
        ({"a"}, ["a"]),
        (frozenset([1]), [1]),
        (collections.deque([1, 2]), [1, 2]),
        (types.MappingProxyType({"a": {1}}), {"a": [1]}),
        (range(3), [0, 1, 2]),
        ({"a": 1}.keys(), ["a"]),
        ((n for n in range(3)), [0, 1, 2]),
        ({"rows": map(str, [1, 2])}, {"rows": ["1", "2"]}),
        (float("nan"), None),
        ({"x": float("inf")}, {"x": None}),
        ("é".encode(), "é"),
        ({"raw": b"ok"}, {"raw": "ok"}),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ({"mean": np.float64(1.5), "n": np.int64(2)}, {"mean": 1.5, "n": 2}),
    ],
    ids=range(31),
)  # fmt: skip
def test_what_people_return_has_a_json_form(value: Any, given: Any) -> None:
    plain = plain_json(value)
    assert plain == given
    assert type(plain) is type(given)


@given(JSON)
def test_plain_json_stays_as_it_is(value: Any) -> None:
    assert plain_json(value) == value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (object(), "result: an object has no JSON form"),
        (int, "result: a type has no JSON form"),
        (print, "result: a builtin_function_or_method has no JSON form"),
        (b"\xff", "result: bytes that are no text in UTF-8"),
        (bytearray(b"\xff"), "result: bytearray that are no text in UTF-8"),
        ({"items": [1, 2, 3, {"when": threading.Lock()}]}, "result.items[3].when: a lock has no JSON form"),
        (Holder(Span(dt.date.min), threading.Lock()), "result.lock: a lock has no JSON form"),
        ([Node(label="a", own=[object()])], "result[0].own[0]: an object has no JSON form"),
        ({"a": types.MappingProxyType({"b": [object()]})}, "result.a.b[0]: an object has no JSON form"),
        ({"a": {object(): 1}}, "result.a: an object has no JSON form"),
        ({"a": {"\ud800": 1}}, "result.a: a key with half a character"),
        (np.array([object()]), "result: an object has no JSON form"),
        (RING, "nested more than 200 deep, or inside itself"),
        (nested(300), "nested more than 200 deep"),
        (nested(100_000), "nested more than 200 deep"),
        (itertools.count(), "result: an iterator of more than 100,000 items"),
    ],
    ids=range(16),
)
def test_what_has_no_json_form_is_named_by_its_place(value: Any, told: str) -> None:
    with pytest.raises(NotJsonError) as caught:
        plain_json(value)
    assert told in str(caught.value)
    assert caught.value.hint


def test_bytes_that_are_no_text_are_refused_with_the_way_out() -> None:
    with pytest.raises(NotJsonError) as caught:
        plain_json({"picture": b"\x89PNG"})
    assert "base64" in caught.value.hint


def test_what_breaks_while_it_is_read_is_refused() -> None:
    class Broken(collections.abc.Mapping[str, int]):
        def __getitem__(self, key: str) -> int:
            raise RuntimeError("away")

        def __iter__(self) -> Any:
            return iter(["a"])

        def __len__(self) -> int:
            return 1

    with pytest.raises(NotJsonError, match=r"result\.x: RuntimeError: away"):
        plain_json({"x": Broken()})
