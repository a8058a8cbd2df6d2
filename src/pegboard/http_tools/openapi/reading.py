"""A text to a document of a known version. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pegboard.documents.foreign import ForeignSyntaxError, parse
from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi.values import table, text

Dialect = Literal["2.0", "3.0", "3.1"]

_VERSION: Final = re.compile(r"(\d+)(?:\.(\d+))?(?:\.\d+)?.*", re.DOTALL)


@dataclass(frozen=True)
class OpenApi:
    """A document that was read. Immutable; nothing in it is checked but that it is an object. ``version`` as written.

    ``dialect`` says by which rules it is read: 3.1 stands for what is newer too.
    """

    value: Mapping[str, Any]
    version: str
    dialect: Dialect

    @property
    def title(self) -> str:
        """Its own title, on one line."""
        return " ".join(text(table(self.value.get("info")).get("title")).split())


def read(document: str | Mapping[str, Any]) -> OpenApi:
    """A document as text, or as a value that was parsed already.

    Raises DefinitionError for what is no OpenAPI of a version that is known.
    """
    value = _parsed(document) if isinstance(document, str) else document
    if not isinstance(value, Mapping):
        raise DefinitionError("This is no OpenAPI document: an object is wanted at its top.", hint=_HINT)
    version, dialect = _version(value)
    if not isinstance(value.get("paths"), Mapping):
        raise DefinitionError(
            f"This OpenAPI {version} document has no 'paths', so it has no operations.", hint="Is it a part of one?"
        )
    return OpenApi(value, version, dialect)


_HINT: Final = "It has a member 'openapi' (3.x) or 'swagger' (2.0)."


def _parsed(document: str) -> Any:
    try:
        return parse(document)
    except ForeignSyntaxError as error:
        line = f" (line {error.line})" if error.line else ""
        raise DefinitionError(f"This document cannot be read: {error}{line}.") from None


def _version(value: Mapping[str, Any]) -> tuple[str, Dialect]:
    given = value.get("openapi", value.get("swagger"))
    if not isinstance(given, str | int | float) or isinstance(given, bool):
        raise DefinitionError("This is no OpenAPI document: it names no version.", hint=_HINT)
    match = _VERSION.fullmatch(str(given).strip())
    major, minor = (int(match[1][:3]), int((match[2] or "0")[:3])) if match else (0, 0)
    shown = str(given)[:20]
    if major == 2:
        return shown, "2.0"
    if major == 3:
        return shown, "3.0" if minor == 0 else "3.1"
    hint = "Convert it: 2.0, 3.0 and 3.1 are read."
    raise DefinitionError(f"OpenAPI {shown!r} is a version that is not known.", hint=hint)
