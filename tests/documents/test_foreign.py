"""JSON and YAML that strangers publish."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.documents import foreign
from pegboard.documents.foreign import ForeignSyntaxError, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, true, null]}', {"a": [1, 2.5, True, None]}),
        ("a: 2024-05-01", {"a": "2024-05-01"}),
        ("a: 2024-05-01T10:00:00Z", {"a": "2024-05-01T10:00:00Z"}),
        ("a: !!binary aGVsbG8=", {"a": "aGVsbG8="}),
        ("a: !!str 5", {"a": "5"}),
        ("a: !!set {x, y}", {"a": {"x": None, "y": None}}),
        ("no: on", {"no": "on"}),
        ("200: ok", {"200": "ok"}),
        ("a: .inf", {"a": ".inf"}),
        ("a: 1e999", {"a": "1e999"}),
        ('{"a": 1e999, "b": NaN}', {"a": "1e999", "b": "NaN"}),
        ("a: 1\na: 2", {"a": 2}),
        ("base: &b {x: 1}\nuse: *b", {"base": {"x": 1}, "use": {"x": 1}}),
        ("base: &b {x: 1, y: 1}\nuse:\n  <<: *b\n  y: 2", {"base": {"x": 1, "y": 1}, "use": {"x": 1, "y": 2}}),
        ("a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: [*a, *b]}", {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 1}}),
        ("{a: 1, b: [x],}", {"a": 1, "b": ["x"]}),
        ("", None),
    ],
)
def test_a_text_is_read_for_what_it_means(text: str, value: Any) -> None:
    assert parse(text) == value


def test_a_bomb_of_aliases_stays_small() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 60)]
    value = parse("\n".join(lines))
    assert value["a59"][0] is value["a59"][9]


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]",
        "a: [1",
        '{"a": ',
        "? [x]\n: 1",
        "[" * 100_000,
        "a:\n" + "\n".join(" " * n + "- " for n in range(300)),
    ],
)
def test_what_cannot_be_read_is_told_and_nothing_else_is_raised(text: str) -> None:
    with pytest.raises(ForeignSyntaxError) as caught:
        parse(text)
    assert str(caught.value)


def test_the_line_of_a_mistake_is_told() -> None:
    with pytest.raises(ForeignSyntaxError) as caught:
        parse("a: 1\nb: [1, 2\nc: 3\n")
    assert caught.value.line == 3
    with pytest.raises(ForeignSyntaxError) as caught:
        parse('{"a": 1,\n"b" 2}')
    assert caught.value.line == 2


def test_a_text_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "MAX_VALUES", 100)
    with pytest.raises(ForeignSyntaxError, match="more than 100 values"):
        parse("\n".join(f"- {n}" for n in range(200)))
