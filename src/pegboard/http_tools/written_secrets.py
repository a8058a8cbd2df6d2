"""Secrets that a definition holds itself, told by what they are called or by how they look. Pure.

What is stored is kept in every version, and shown to whoever may read definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pegboard.documents.problems import KeyPath
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.mistakes import Mistake

_TELLING: Final = re.compile(r"auth|cookie|token|secret|passw|api.?key|credential|signature", re.IGNORECASE)
"""Names of headers and query pairs that hold what nobody else may know."""

_SHAPES: Final[Mapping[str, str]] = {
    "a key": r"sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}",
    "a key of a payment service": r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}",
    "a token of GitHub": r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}",
    "a token of GitLab": r"gl[a-z]{1,5}-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}",
    "a token of Slack": r"xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}",
    "the address of a Slack webhook": r"hooks\.slack\.com/services/[A-Za-z0-9]{5,}/[A-Za-z0-9]{5,}/[A-Za-z0-9]{10,}",
    "a key of AWS": r"(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])",
    "a key of Google": r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}",
    "a token of Hugging Face": r"hf_[A-Za-z0-9]{30,}",
    "a key of SendGrid": r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    "a token of Shopify": r"shp[a-z]{2}_[0-9a-fA-F]{32}",
    "a token of Notion or Linear": r"ntn_[A-Za-z0-9]{30,}|lin_api_[A-Za-z0-9]{30,}",
    "a JSON Web Token": r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    "a private key": r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----",
    "user and password in an address": r"https?://[^/?#\s@{}:]*:[^/?#\s@{}]+@",
}
"""How well-known secrets look, wherever in a text they stand."""

_SHAPE: Final = re.compile(
    "|".join(f"(?P<shape{at}>(?<![A-Za-z0-9])(?:{shape}))" for at, shape in enumerate(_SHAPES.values()))
)
_PROOF: Final = re.compile(r"[ \t]*(?:bearer|basic|token)[ \t]+[^\s{}]{12,}[ \t]*", re.IGNORECASE)
"""A text that is, whole, what proves who calls."""

_HINT: Final = "Keep the value where secrets are, and write {{secret.NAME}} in a header that secret_headers names."
_HINT_OF_SHAPE: Final = (
    "Keep the value where secrets are; write {{secret.NAME}} in a header that secret_headers names, "
    "or the secret's name in request.auth."
)
_DESCRIBING: Final = frozenset({"description", "title"})


def called_secrets(definition: HttpDefinition) -> Iterator[Mistake]:
    """Headers and query pairs that are called like a secret, and hold their value themselves."""
    request = definition.request
    texts: list[tuple[KeyPath, str, str]]
    texts = [(("request", "headers", name), name, text) for name, text in request.headers.items()]
    for name, several in request.query.items():
        for one in several if isinstance(several, tuple) else (several,):
            texts.append((("request", "query", name), name, one))
    for pair in request.url.partition("?")[2].split("&"):
        texts.append((("request", "url"), *pair.partition("=")[::2]))
    for at, name, text in texts:
        if _TELLING.search(name) and text.strip() and "{{" not in text:
            message = f"{name!r} holds its value itself, and what is stored stays in every version."
            yield Mistake(at, message, _HINT)


def shaped_secrets(written: Any, at: KeyPath = ()) -> Iterator[Mistake]:
    """Texts of a definition, as written, that look like a well-known kind of secret. Descriptions are passed over."""
    if isinstance(written, Mapping):
        for name, member in written.items():
            if name not in _DESCRIBING or not isinstance(member, str):
                yield from shaped_secrets(str(name), (*at, "a name"))
                yield from shaped_secrets(member, (*at, name))
    elif isinstance(written, (list, tuple)):
        for place, item in enumerate(written):
            yield from shaped_secrets(item, (*at, place))
    elif isinstance(written, str) and (what := shape_of(written)):
        yield Mistake(at, f"this looks like {what}, and what is stored stays in every version.", _HINT_OF_SHAPE)


def shape_of(text: str) -> str:
    """Which kind of secret a text has in it; "" for none."""
    match = _SHAPE.search(text)
    if match:
        return list(_SHAPES)[int(str(match.lastgroup).removeprefix("shape"))]
    return "what proves who calls" if _PROOF.fullmatch(text) else ""
