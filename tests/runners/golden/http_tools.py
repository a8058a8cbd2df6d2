"""What the definitions and calls of HTTP tools in vectors are like, for the rules of deviation. Pure functions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from pegboard.errors import ConfigError
from pegboard.naming import is_legal
from pegboard.tools import Halt, ToolResult
from tests.runners.golden.outcome import Outcome, Raised, Returned
from tests.runners.golden.vectors import Case

NARROW: Final = re.compile(r"[a-z][a-z0-9_]*")
PLACEHOLDER: Final = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
OPTIONS: Final = frozenset({"allow_http", "allow_private", "host_allowlist"})


def definition(case: Case) -> Mapping[str, Any]:
    """The definition of a vector; an empty one where it has none."""
    told = case.input.get("definition")
    return told if isinstance(told, dict) else {}


def request(case: Case) -> Mapping[str, Any]:
    """The request of a vector's definition."""
    told = definition(case).get("request")
    return told if isinstance(told, dict) else {}


def authority(case: Case) -> str:
    """What stands between the slashes and the path of a definition's address."""
    return str(request(case).get("url") or "").partition("://")[2].partition("/")[0]


def arguments(case: Case) -> Mapping[str, Any]:
    """The arguments of a call."""
    told = case.input.get("call_args") or case.input.get("args")
    return told if isinstance(told, dict) else {}


def result(got: Outcome) -> ToolResult | None:
    """The result of a call; None where there is none."""
    told = got.value.get("result") if isinstance(got, Returned) and isinstance(got.value, dict) else None
    return told.result if isinstance(told, Halt) else told if isinstance(told, ToolResult) else None


def failed(case: Case, got: Outcome) -> bool:
    """Whether a call ended in an error, and nothing was sent."""
    told = result(got)
    return told is not None and told.is_error and isinstance(got, Returned) and not got.value["requests"]


def refused(case: Case, got: Outcome) -> bool:
    """Whether a definition was refused."""
    return isinstance(got, Raised) and isinstance(got.error, ConfigError)


def answered(case: Case, got: Outcome) -> bool:
    """Whether a call was answered without an error."""
    told = result(got)
    return told is not None and not told.is_error


def has_wider_name(case: Case) -> bool:
    """Whether a definition has a name that is one for us and not for them."""
    name = definition(case).get("name")
    return is_legal(name) and not NARROW.fullmatch(str(name))


def has_plain_secret_header(case: Case) -> bool:
    """Whether a definition says that a header is secret, and writes its value out."""
    secret = {str(name).lower() for name in definition(case).get("secret_headers") or ()}
    headers = request(case).get("headers") or {}
    return any(name.lower() in secret and "{{secret." not in str(text) for name, text in headers.items())


def has_wide_address(case: Case) -> bool:
    """Whether a definition's address has characters outside ASCII."""
    return not str(request(case).get("url") or "").isascii()


def names_planted_variable(case: Case) -> bool:
    """Whether a manifest names a variable of the environment whose value holds a placeholder."""
    environment = case.input.get("env") or {}
    text = json.dumps([case.input.get("defaults"), case.input.get("tool")])
    named = (name.removeprefix("env.") for name in PLACEHOLDER.findall(text) if name.startswith("env."))
    return any("{{" in str(environment.get(name)) for name in named)


def sets_aside(case: Case, got: Outcome) -> bool:
    """Whether tools of a manifest were set aside, each with its reason."""
    return isinstance(got, Returned) and isinstance(got.value, dict) and bool(got.value.get("set_aside"))


def has_no_arguments(case: Case) -> bool:
    """Whether a call comes with something else than an object."""
    return isinstance(case.input.get("call_args"), (str, list, int, bool))


def has_blank_argument(case: Case) -> bool:
    """Whether an argument is a text of nothing but blanks, and not empty."""
    return any(isinstance(value, str) and value and not value.strip() for value in arguments(case).values())


def has_unknown_option(case: Case) -> bool:
    """Whether the guard is given an option that neither has."""
    return bool((case.input.get("egress_options") or {}).keys() - OPTIONS)


def fills_path_with_nothing(case: Case) -> bool:
    """Whether an argument that is empty, or only dots, is a segment of the path."""
    path = str(request(case).get("url") or "").partition("://")[2].partition("/")[2].partition("?")[0]
    return any(str(arguments(case).get(name, "")) in ("", ".", "..") for name in PLACEHOLDER.findall(path))


def breaks_header(case: Case) -> bool:
    """Whether an argument or a value of the context with a control character is put into a header."""
    values = {**arguments(case), **{f"ctx.{name}": value for name, value in (case.input.get("ctx") or {}).items()}}
    names = PLACEHOLDER.findall(json.dumps(request(case).get("headers") or {}))
    return any(re.search(r"[\x00-\x08\x0a-\x1f\x7f]", str(values.get(name, ""))) for name in names)


def leaves_something_out(case: Case) -> bool:
    """Whether a call leaves out a parameter that stands in the query, a header or the body."""
    text = json.dumps([request(case).get(key) for key in ("url", "query", "headers", "body")])
    return any(
        arguments(case).get(name) is None
        for name in PLACEHOLDER.findall(text)
        if not name.startswith(("ctx.", "secret."))
    )


def left_out(case: Case, got: Outcome) -> bool:
    """Whether the request is theirs, less empty pairs and headers, and members of the body that are null."""
    if not isinstance(got, Returned):
        return False
    theirs = [_without_absent(one) for one in case.accepted[0]["returns"]["requests"]]
    return bool(theirs) and theirs == [_without_absent(one) for one in got.value["requests"]]


def _without_absent(sent: Mapping[str, Any]) -> list[Any]:
    parts = urlsplit(sent["url"])
    headers = {name: text for name, text in sent["headers"].items() if text and name != "Content-Type"}
    try:
        body = _without_null(json.loads(sent["body"] or "null"))
    except ValueError:
        body = sent["body"]
    return [sent["method"], parts.netloc, parts.path, parse_qsl(parts.query), headers, body]


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(member) for key, member in value.items() if member not in (None, "null")}
    return [_without_null(item) for item in value if item is not None] if isinstance(value, list) else value


def paths(case: Case) -> Iterator[str]:
    """The paths into JSON of a definition."""
    told = definition(case)
    for table in (told.get("response"), told.get("halt_when")):
        if isinstance(table, dict):
            yield from (str(table[key]) for key in ("path", "json_path") if table.get(key))


def has_json_path(case: Case) -> bool:
    """Whether a path begins as JSONPath does."""
    return any(path.startswith("$") for path in paths(case))
