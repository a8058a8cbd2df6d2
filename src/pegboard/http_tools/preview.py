"""What a call of an HTTP tool would send, without sending it: no secret is in it, since none is asked for its value."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pegboard.dispatch import checked_arguments
from pegboard.errors import RefusedRequestError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.filling import Values
from pegboard.http_tools.template import Built, template_of
from pegboard.http_tools.tool import HttpRuntime, HttpTool, secret_names, with_files
from pegboard.masking import MASK
from pegboard.net.urls import parse


@dataclass(frozen=True, kw_only=True)
class Preview:
    """The request of one call. Immutable. ``[secret]`` stands for each secret.

    ``body`` is text, in base64 where it is none. ``notes`` say what would keep the request from being sent.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: str
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` shows it."""
        return {"method": self.method, "url": self.url, "headers": dict(self.headers), "body": self.body}


async def preview(
    definition: HttpDefinition, arguments: Any, context: Mapping[str, Any], runtime: HttpRuntime
) -> Preview:
    """The request that a call would send, with these arguments and values of its context.

    Raises CallError where the call would be refused before anything is sent; for an address that the guard would
    refuse, and for a secret that is not set, there are notes.
    """
    tool = HttpTool(definition, runtime).tool
    given = checked_arguments(tool, arguments)
    names = secret_names(definition)
    template = template_of(definition)
    masks = dict.fromkeys(names, MASK)
    values = Values(given, runtime.held(context), masks, dict.fromkeys(definition.request.auth, MASK))
    built = template.build(await with_files(values, template, runtime.files))
    absent = [name for name in names if await runtime.secrets.get(name) is None]
    notes = [f"The secret {name!r} is not set: without it the call is refused." for name in absent]
    try:
        runtime.policy.admit(parse(built.url))
    except RefusedRequestError as error:
        notes.append(f"The address would be refused: {error.detail}; allow it under [http].")
    return _shown(built, tuple(notes))


def _shown(built: Built, notes: tuple[str, ...]) -> Preview:
    return Preview(
        method=built.method,
        url=built.url.replace(quote(MASK, safe=""), MASK),
        headers={name: _unpacked(text) for name, text in built.headers.items()},
        body=_text(built.body),
        notes=notes,
    )


def _unpacked(header: str) -> str:
    """A header with what stands for secrets in base64 told as that."""
    for packed in (f"{MASK}:{MASK}", f"{MASK}:"):
        header = header.replace(base64.b64encode(packed.encode()).decode(), MASK)
    return header


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(body).decode("ascii")
