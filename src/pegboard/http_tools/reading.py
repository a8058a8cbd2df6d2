"""A value to a definition: every field read, every mistake told. Pure.

The value has the shape that ``HttpDefinition.to_json`` gives; ``normal`` brings what people write into it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.documents.jsonc import MAX_DEPTH, nests_deeper
from pegboard.documents.problems import KeyPath, shown
from pegboard.errors import InvalidNameError
from pegboard.http_tools.checks import check
from pegboard.http_tools.definition import (
    ARGUMENTS,
    EXTRACTS,
    SCHEMA_FORMS,
    Evidence,
    HaltWhen,
    HttpDefinition,
    SchemaForm,
)
from pegboard.http_tools.mistakes import Mistake, Mistakes
from pegboard.http_tools.parameters import parameters_of
from pegboard.http_tools.paths import flaw_of
from pegboard.http_tools.request_reading import read_request
from pegboard.http_tools.scalars import flag, seconds, text_of
from pegboard.http_tools.tables import table_of, texts_of, unknown_keys, word_of
from pegboard.http_tools.words import CONTEXT_NAMES, WITHOUT_EFFECT
from pegboard.naming import check_name

KEYS: Final = (
    *("name", "description", "parameters", "request", "response", "secret_headers", "side_effect", "timeout", "group"),
    *("tags", "halt_when", "evidence", "arguments", "schema"),
)
RESPONSE_KEYS: Final = ("extract", "path")


@dataclass(frozen=True)
class Read:
    """What a value came to. Immutable. ``definition`` is None where a mistake keeps it from being used."""

    definition: HttpDefinition | None
    mistakes: tuple[Mistake, ...] = ()


def read_definition(value: Any, *, context: Collection[str] = CONTEXT_NAMES, imported: bool = False) -> Read:
    """The definition that a value is, and everything that is wrong with it.

    ``context`` are the names that ``{{ctx.*}}`` may have. An ``imported`` definition has ``schema`` ``full``: it may
    have any JSON Schema that tools can have, and parameters of any name.
    """
    mistakes = Mistakes()
    if not isinstance(value, Mapping):
        mistakes.wanted((), "an object", value)
        return Read(None, tuple(mistakes.all))
    unknown_keys(value, KEYS, (), mistakes)
    if _too_deep(value, mistakes):
        return Read(None, tuple(mistakes.all))
    form: Any = "full" if imported else word_of(value.get("schema") or "safe", SCHEMA_FORMS, ("schema",), mistakes)
    definition = _definition(value, mistakes, form)
    if not mistakes.fatal_in("parameters"):  # a placeholder of a parameter that is wrong is not wrong itself
        check(definition, context, mistakes)
    return Read(None if mistakes.fatal else definition, tuple(mistakes.all))


def _too_deep(value: Mapping[str, Any], mistakes: Mistakes) -> bool:
    """Whether a field nests deeper than files may: nothing else of it is read then."""
    fields: list[tuple[KeyPath, Any]] = [((key,), member) for key, member in value.items() if key != "request"]
    request = value.get("request")
    if isinstance(request, Mapping):
        fields += [(("request", key), member) for key, member in request.items()]
    deep = [at for at, member in fields if nests_deeper(member, MAX_DEPTH)]
    for at in deep:
        told = f"lists and objects nest deeper than {MAX_DEPTH} levels."
        mistakes.wrong(at, told, "Flatten it, or send the inner part as an argument.")
    return bool(deep)


def _definition(value: Mapping[str, Any], mistakes: Mistakes, form: SchemaForm) -> HttpDefinition:
    request = read_request(value.get("request"), mistakes)
    response = table_of(value.get("response"), RESPONSE_KEYS, ("response",), mistakes)
    evidence = _evidence(value.get("evidence"), mistakes)
    extract = _extract(response, evidence, mistakes)
    return HttpDefinition(
        name=_name(value.get("name"), mistakes),
        description=_description(value.get("description"), mistakes),
        parameters=parameters_of(value.get("parameters"), ("parameters",), mistakes, full=form == "full"),
        request=request,
        extract=extract,  # type: ignore[arg-type]  # one of them, or the definition is not used
        path=_path(response.get("path"), ("response", "path"), mistakes),
        secret_headers=tuple(texts_of(value.get("secret_headers"), ("secret_headers",), mistakes)),
        side_effect=flag(
            value.get("side_effect"), ("side_effect",), mistakes, default=request.method not in WITHOUT_EFFECT
        ),
        timeout=seconds(value.get("timeout"), ("timeout",), mistakes),
        group=text_of(value.get("group"), ("group",), mistakes).strip() or None,
        tags=tuple(texts_of(value.get("tags"), ("tags",), mistakes)),
        halt_when=_halt_when(value.get("halt_when"), mistakes),
        evidence=evidence,
        arguments=word_of(value.get("arguments") or "strict", ARGUMENTS, ("arguments",), mistakes),
        schema=form,
    )


def _name(value: Any, mistakes: Mistakes) -> str:
    if value is None or value == "":
        mistakes.wrong(("name",), "a tool needs a name.", "Give it 1 to 64 of A-Z a-z 0-9 _ -.")
        return ""
    try:
        return check_name(value)
    except InvalidNameError as error:
        mistakes.wrong(("name",), error.message, error.hint)
        return ""


def _description(value: Any, mistakes: Mistakes) -> str:
    text = text_of(value, ("description",), mistakes)
    if not text.strip() and not isinstance(value, (list, dict)):
        mistakes.wrong(("description",), "a description is required: models choose by it.", "Say what the tool does.")
    return text


def _extract(response: Mapping[str, Any], evidence: Evidence | None, mistakes: Mistakes) -> str:
    extract: str = word_of(response.get("extract") or "body_raw", EXTRACTS, ("response", "extract"), mistakes)
    if extract == "json_path" and not response.get("path"):
        mistakes.wrong(("response", "path"), "extract 'json_path' requires a path.", "Write it like data.items.")
    if extract == "evidence_envelope" and evidence is None:
        hint = 'Write evidence = "products", or what the items are.'
        mistakes.wrong(("evidence",), "extract 'evidence_envelope' requires an 'evidence' declaration.", hint)
    return extract


def _halt_when(value: Any, mistakes: Mistakes) -> HaltWhen | None:
    if value is None or value is False:
        return None
    at: KeyPath = ("halt_when",)
    table = table_of(value, ("json_path", "equals", "say"), at, mistakes)
    path = _path(table.get("json_path"), (*at, "json_path"), mistakes)
    if isinstance(value, Mapping) and path is None:
        mistakes.wrong((*at, "json_path"), "halt_when requires json_path.", "Write it like result.status.")
    equals = table.get("equals", [])
    values = equals if isinstance(equals, list) else [equals]
    if isinstance(value, Mapping) and not values:
        mistakes.wrong((*at, "equals"), "halt_when requires a value in 'equals', or a list with at least one.")
    texts = tuple(text_of(item, (*at, "equals"), mistakes) for item in values)
    text, say_path = _say(table.get("say"), (*at, "say"), mistakes)
    return HaltWhen(json_path=path or "", equals=texts, say_text=text, say_path=say_path)


def _say(value: Any, at: KeyPath, mistakes: Mistakes) -> tuple[str | None, str | None]:
    if value is None:
        return None, None
    table = table_of(value, ("text", "json_path"), at, mistakes)
    given = [key for key in ("text", "json_path") if table.get(key) not in (None, "")]
    if isinstance(value, Mapping) and len(given) != 1:
        mistakes.wrong(at, f"'say' takes exactly one of 'text' and 'json_path', and has {len(given)}.")
    text = text_of(table.get("text"), (*at, "text"), mistakes) if "text" in given else None
    if text is not None and not text.strip():
        mistakes.wrong((*at, "text"), "a blank text cannot be said.", "Leave 'say' out, or write what to say.")
    path = _path(table.get("json_path"), (*at, "json_path"), mistakes) if "json_path" in given else None
    return text, path


def _evidence(value: Any, mistakes: Mistakes) -> Evidence | None:
    if value is None or value is False:
        return None
    at: KeyPath = ("evidence",)
    keys = ("kind", "items", "attachments")
    table = {"kind": value} if isinstance(value, str) else table_of(value, keys, at, mistakes)
    kind = text_of(table.get("kind"), (*at, "kind"), mistakes).strip()
    if not kind:
        mistakes.wrong((*at, "kind"), "evidence.kind is required: a word for what the items are.")
    paths = {}
    for key in ("items", "attachments"):
        path = text_of(table.get(key), (*at, key), mistakes) or key
        if not _is_dotted(path):
            mistakes.wrong(
                (*at, key), f"evidence.{key} is not a dotted path: {shown(path)}.", "Write it like data.items."
            )
        paths[key] = path
    return Evidence(kind=kind, items=paths["items"], attachments=paths["attachments"])


def _is_dotted(path: str) -> bool:
    return all(part.replace("_", "a").isalnum() and part.isascii() for part in path.split("."))


def _path(value: Any, at: KeyPath, mistakes: Mistakes) -> str | None:
    """A path; None where none is given."""
    text = text_of(value, at, mistakes)
    if not text:
        return None
    flaw = flaw_of(text)
    if flaw:
        mistakes.wrong(at, f"{shown(text)} is no path: {flaw}.", "Write it like data.items, or $.data.items[0].")
    return text
