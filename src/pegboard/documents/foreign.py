"""JSON and YAML that strangers publish, read for what they mean. Pure: text in, plain JSON values out.

Wider than what is written for Pegboard: YAML may have anchors, aliases, merge keys and tags, a key given twice counts
as its last value, and no places are kept. Dates, binaries and numbers that JSON does not have stay the text that was
written. What an alias repeats is one shared value, so that a short text stays small in memory; whoever walks the value
has to count.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

from pegboard.documents.yaml import YamlSyntaxError, events_of, scalar, told

MAX_DEPTH: Final = 200
"""How deep objects and lists may nest in YAML; JSON's own reader stops by itself."""

MAX_VALUES: Final = 1_500_000
"""Values in one YAML text. The largest API descriptions that are published have some hundred thousand."""


class ForeignSyntaxError(ValueError):
    """The text is neither JSON nor YAML. ``line`` counts from 1; None where it is not known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def parse(text: str) -> Any:
    """The value of a text: JSON where it begins with a bracket and is JSON, else YAML.

    Raises ForeignSyntaxError.
    """
    flaw: ForeignSyntaxError | None = None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text, parse_constant=str, parse_float=_float, parse_int=_integer)
        except RecursionError:
            raise ForeignSyntaxError("it nests too deep") from None
        except json.JSONDecodeError as error:
            flaw = ForeignSyntaxError(f"not JSON: {error.msg}", error.lineno)
    try:
        return _yaml(text)
    except ForeignSyntaxError as error:
        raise flaw or error from None


def _float(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _integer(text: str) -> int | str:
    return int(text) if len(text) <= 1000 else text


def _yaml(text: str) -> Any:
    from yaml import MarkedYAMLError, YAMLError

    try:
        return _Reader(text).document()
    except MarkedYAMLError as error:
        what, mark = told(error)
        raise ForeignSyntaxError(f"not YAML: {what}", mark.line + 1 if mark else None) from None
    except YAMLError:
        raise ForeignSyntaxError("not YAML: it holds a character that may not stand there") from None
    except (YamlSyntaxError, RecursionError) as error:
        raise ForeignSyntaxError(f"not YAML that can be read: {error}") from None


class _Reader:
    """One pass over one text's events. Lives as long as one ``parse``."""

    def __init__(self, text: str) -> None:
        self.events = events_of(text)
        self.anchors: dict[str, Any] = {}
        self.left = MAX_VALUES

    def document(self) -> Any:
        """The value of the first document; None where there is none."""
        from yaml import events

        for event in self.events:
            if isinstance(event, events.DocumentStartEvent):
                return self.value(next(self.events), 0)
        return None

    def value(self, event: Any, depth: int) -> Any:
        """The value that begins with an event."""
        from yaml import events

        self.left -= 1
        if self.left < 0:
            raise _flaw(event, f"it holds more than {MAX_VALUES:,} values")
        if depth > MAX_DEPTH:
            raise _flaw(event, f"it nests deeper than {MAX_DEPTH} levels")
        if isinstance(event, events.AliasEvent):
            if event.anchor not in self.anchors:
                raise _flaw(event, f"*{event.anchor} repeats a value that does not stand before it, or holds it")
            return self.anchors[event.anchor]
        if isinstance(event, events.MappingStartEvent):
            value: Any = self.members(depth)
        elif isinstance(event, events.SequenceStartEvent):
            value = self.items(depth)
        else:
            value = _scalar(event)
        if event.anchor:
            self.anchors[event.anchor] = value
        return value

    def members(self, depth: int) -> dict[str, Any]:
        from yaml import events

        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        while not isinstance(event := next(self.events), events.MappingEndEvent):
            key = self.key(event)
            value = self.value(next(self.events), depth + 1)
            if key == "<<" and isinstance(value, dict | list):
                for table in value if isinstance(value, list) else [value]:
                    merged = {**table, **merged} if isinstance(table, dict) else merged
            else:
                own[key] = value
        self.left -= len(merged)
        return {**merged, **own}

    def key(self, event: Any) -> str:
        from yaml import events

        if isinstance(event, events.AliasEvent) and isinstance(known := self.anchors.get(str(event.anchor)), str):
            return known
        if not isinstance(event, events.ScalarEvent):
            raise _flaw(event, "a key is text, not a list or a table")
        key = str(event.value)
        if event.anchor:
            self.anchors[event.anchor] = key
        return key

    def items(self, depth: int) -> list[Any]:
        from yaml import events

        items: list[Any] = []
        while not isinstance(event := next(self.events), events.SequenceEndEvent):
            items.append(self.value(event, depth + 1))
        return items


def _scalar(event: Any) -> Any:
    """A scalar: of a plain one without a tag what it means in YAML 1.2, of any other its text."""
    if event.tag:
        return str(event.value)
    try:
        value = scalar(event)
    except YamlSyntaxError:  # no number that JSON has
        return str(event.value)
    return str(event.value) if isinstance(value, float) and not math.isfinite(value) else value


def _flaw(event: Any, what: str) -> ForeignSyntaxError:
    return ForeignSyntaxError(f"not YAML that can be read: {what}", event.start_mark.line + 1)
