"""YAML as people mean it, and where everything stands. Pure: text in, values and offsets out.

Values are those of YAML 1.2: ``no``, ``on`` and ``2026-01-31`` are texts. What can make a short file endless, or run
code, is refused: anchors, aliases, tags. So are keys that are given twice, and keys that are no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from pegboard.documents.jsonc import MAX_DEPTH, ParsedText
from pegboard.documents.problems import KeyPath

if TYPE_CHECKING:
    from yaml.events import Event

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,4000}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASED: Final = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)")
_NO_NUMBER: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_HINTS: Final = (
    ("found character that cannot start any token", "Indent with blanks, not tabs; put text with @ or ` in quotes."),
    ("mapping values are not allowed", "Put text that holds ': ' in quotes."),
    ("did not find expected", "Look at the line before too: a bracket, a quote or the indentation is wrong."),
    ("could not find expected ':'", "Write key: value."),
    ("found unexpected end of stream", "Close the quote or bracket that was opened."),
)


class YamlSyntaxError(ValueError):
    """The text is not YAML that is read here. ``offset`` is the character where; ``hint`` is the fix."""

    def __init__(self, offset: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.hint = hint


def parse(text: str) -> ParsedText:
    """The value of a YAML text of one document, with the offset of each key and item.

    Raises YamlSyntaxError, also for nesting beyond MAX_DEPTH.
    """
    from yaml import MarkedYAMLError, YAMLError

    try:
        reader = _Reader(text)
        value = reader.document()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "something is wrong"
        hint = next((hint for start, hint in _HINTS if what.startswith(start)), "")
        raise YamlSyntaxError(mark.index if mark else len(text), what, hint) from error
    except YAMLError as error:  # characters that YAML cannot hold
        raise YamlSyntaxError(getattr(error, "position", 0), "a character that may not stand in YAML") from error
    return ParsedText(value, lambda: reader.at)


class _Reader:
    """One pass over one text's events. Lives as long as one ``parse``."""

    def __init__(self, text: str) -> None:
        import yaml

        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where it was built without its C part
        self.events: Iterator[Event] = yaml.parse(text, Loader=loader)
        self.at: dict[KeyPath, int] = {}

    def document(self) -> Any:
        """The value of the only document; None where there is none."""
        from yaml import events

        value: Any = None
        count = 0
        for event in self.events:
            if isinstance(event, events.DocumentStartEvent):
                count += 1
                if count > 1:
                    raise YamlSyntaxError(_offset(event), "a second document begins here", "Keep one in a file.")
                value = self.value(next(self.events), ())
        return value

    def value(self, event: Event, path: KeyPath) -> Any:
        """The value that begins with an event."""
        from yaml import events

        _refuse(event)
        if len(path) > MAX_DEPTH:
            raise YamlSyntaxError(_offset(event), f"nests deeper than {MAX_DEPTH} levels")
        if isinstance(event, events.MappingStartEvent):
            return self.members(path)
        if isinstance(event, events.SequenceStartEvent):
            return self.items(path)
        return scalar(event)

    def members(self, path: KeyPath) -> dict[str, Any]:
        from yaml import events

        table: dict[str, Any] = {}
        while not isinstance(event := next(self.events), events.MappingEndEvent):
            _refuse(event)
            if not isinstance(event, events.ScalarEvent):
                raise YamlSyntaxError(_offset(event), "a key is text, not a list or a table", "Put it in quotes.")
            key = str(event.value)
            if key in table:
                raise YamlSyntaxError(_offset(event), f"{key!r} is given twice", "Remove one of the two.")
            if key == "<<":
                raise YamlSyntaxError(_offset(event), "merge keys are not read", "Write the members out.")
            self.at[(*path, key)] = _offset(event)
            table[key] = self.value(next(self.events), (*path, key))
        return table

    def items(self, path: KeyPath) -> list[Any]:
        from yaml import events

        items: list[Any] = []
        while not isinstance(event := next(self.events), events.SequenceEndEvent):
            here = (*path, len(items))
            self.at[here] = _offset(event)
            items.append(self.value(event, here))
        return items


def _refuse(event: Any) -> None:
    from yaml import events

    if isinstance(event, events.AliasEvent):
        raise YamlSyntaxError(_offset(event), f"*{event.anchor} repeats another value", "Write the value out.")
    if getattr(event, "anchor", None):
        raise YamlSyntaxError(_offset(event), f"&{event.anchor} names a value", "Write values out where they stand.")
    if getattr(event, "tag", None):
        raise YamlSyntaxError(_offset(event), f"the tag {event.tag} is not read", "Leave it out.")


def _offset(event: Any) -> int:
    return int(event.start_mark.index)


def scalar(event: Any) -> Any:
    """A plain scalar as YAML 1.2 has it; one in quotes, and block text, as it stands."""
    text = str(event.value)
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _NO_NUMBER.fullmatch(text):
        raise YamlSyntaxError(_offset(event), f"{text} is no number that JSON has", "Put it in quotes for text.")
    for pattern, make in _NUMBERS:
        if pattern.fullmatch(text):
            return make(text)
    return text


def _based(text: str) -> int:
    return int(text, 0)


_NUMBERS: Final[tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...]] = (
    (_INTEGER, int),
    (_BASED, _based),
    (_FLOAT, float),
)
