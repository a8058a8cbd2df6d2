"""What a docstring says of a function and of its parameters: Google, NumPy and Sphinx styles."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from griffe import Docstring, DocstringSection


class Documented(NamedTuple):
    """The text for the tool, and the text of each parameter that has one."""

    description: str
    parameters: dict[str, str]


_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_GOOGLE: Final = re.compile(
    r"^(args|arguments|params|parameters|keyword args|keyword arguments|other parameters|returns|yields|raises"
    r"|examples?|notes?):[ \t]*$",
    _FLAGS,
)
_NUMPY: Final = re.compile(
    r"^(other parameters|parameters|returns|yields|raises|notes|examples)[ \t]*\n-{3,}[ \t]*$", _FLAGS
)
_SPHINX: Final = re.compile(
    r"^:(param|parameter|arg|argument|key|keyword|type|returns?|rtype|raises?|except|exception)\b[^:\n]*:", _FLAGS
)


def documented(docstring: str | None) -> Documented:
    """A docstring read in the style it is written in.

    The description is the summary and the body; what it says of parameters goes to them, what it raises is left out,
    what it returns stays as one sentence. A docstring without sections costs no parser.
    """
    text = inspect.cleandoc(docstring or "")
    parse = _parser(text)
    if parse is None:
        return Documented(text.strip(), {})
    sections = parse(text)
    parts = (_TEXTS[section.kind.value](section) for section in sections if section.kind.value in _TEXTS)
    parameters = (item for section in sections if section.kind.value in _PARAMETERS for item in section.value)
    return Documented(
        "\n\n".join(part.strip() for part in parts if part.strip()),
        {item.name.lstrip("*"): _joined(item.description) for item in parameters if item.description.strip()},
    )


_PARAMETERS: Final = ("parameters", "other parameters")

_Parser = Callable[[str], "list[DocstringSection]"]


def _parser(text: str) -> _Parser | None:
    for pattern, parse in ((_SPHINX, _sphinx), (_NUMPY, _numpy), (_GOOGLE, _google)):
        if pattern.search(text):
            return parse
    return None


def _sphinx(text: str) -> list[DocstringSection]:
    import griffe

    return griffe.parse_sphinx(_held(text), warnings=False)


def _numpy(text: str) -> list[DocstringSection]:
    import griffe

    return griffe.parse_numpy(_held(_NUMPY.sub(r"\n\g<0>", text)), warnings=False)


def _google(text: str) -> list[DocstringSection]:
    """Sections are set off by blank lines first, which people leave out and the parser needs."""
    import griffe

    spaced = _held(_GOOGLE.sub(r"\n\g<0>", text))
    return griffe.parse_google(spaced, warnings=False, returns_multiple_items=False)


def _held(text: str) -> Docstring:
    from griffe import Docstring

    return Docstring(text, lineno=1)


def _admonition(section: Any) -> str:
    return f"{section.title}:\n{section.value.contents}"


def _examples(section: Any) -> str:
    return "Examples:\n" + "\n\n".join(text for _, text in section.value)


def _returns(section: Any) -> str:
    items = [(item.name, _joined(item.description)) for item in section.value if item.description.strip()]
    told = "; ".join(f"{name}: {text}" if name else text for name, text in items)
    return f"Returns: {told}" if told else ""


_TEXTS: Final[dict[str, Callable[[Any], str]]] = {
    "text": lambda section: str(section.value),
    "admonition": _admonition,
    "examples": _examples,
    "returns": _returns,
}
"""How each kind of section goes into the description; other kinds do not."""


def _joined(text: str) -> str:
    """Lines of one paragraph joined by blanks; paragraphs and lists stay apart."""
    return re.sub(r"(?<!\n)\n(?![\n\s*-])", " ", inspect.cleandoc(text)).strip()
