"""Where Pegboard does something else than a vector or a case expects, on purpose.

A rule is a predicate with its reason, never a list of ids: vectors that nobody here has seen are run with the same
rules. It counts only where the outcome is not the expected one and ``holds`` finds in it what Pegboard does instead, so
that a rule excuses one difference and no other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Any, Final

from pegboard.errors import CollisionError, ConfigError, InvalidNameError, PrincipalError
from pegboard.limits import Limits
from pegboard.metatools import META_TOOLS
from pegboard.naming import is_legal
from tests.runners.cases.case import Case as CaseToRun
from tests.runners.golden import egress, http_tools, principals, schemas, skills
from tests.runners.golden.outcome import Outcome, Raised, Returned
from tests.runners.golden.vectors import Case


@dataclass(frozen=True)
class Rule:
    """One deliberate difference. Immutable. ``applies`` looks at the vector, ``holds`` at what Pegboard did."""

    name: str
    reason: str
    applies: Callable[[Case], bool]
    holds: Callable[[Case, Outcome], bool]


def names_of_tools(value: Any) -> Iterator[Any]:
    """Every ``name`` beside a description or handler, and every ``["register", name, ...]``, in a vector's input."""
    if isinstance(value, dict):
        if "name" in value:
            yield value["name"]
        for key, member in value.items():
            if key not in ("properties", "query"):
                yield from names_of_tools(member)
    elif isinstance(value, list):
        if len(value) > 1 and value[0] == "register" and not isinstance(value[1], list):
            yield value[1]
        for member in value:
            yield from names_of_tools(member)


def errors_in(value: Any) -> Iterator[Exception]:
    """Every error that an outcome is, or holds."""
    if isinstance(value, Raised):
        yield value.error
    elif isinstance(value, Returned):
        yield from errors_in(value.value)
    elif isinstance(value, dict):
        for member in value.values():
            yield from errors_in(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from errors_in(member)


def raised(*classes: type[Exception]) -> Callable[[Case, Outcome], bool]:
    """Whether an error of these classes is in the outcome."""
    return lambda case, got: any(isinstance(error, classes) for error in errors_in(got))


def has_illegal_name(case: Case) -> bool:
    """Whether a tool of the vector has a name outside ``^[A-Za-z0-9_-]{1,64}$``."""
    return any(not is_legal(name) for name in names_of_tools(case.input) if not isinstance(name, dict))


def registers_twice(case: Case) -> bool:
    """Whether a vector registers two tools of one name."""
    counts = Counter(name for name in names_of_tools(case.input) if isinstance(name, str))
    return max(counts.values(), default=0) > 1


def says(code: str) -> Callable[[Case, Outcome], bool]:
    """Whether a refusal with this code of ours is in the outcome, raised or as an answer."""
    return lambda case, got: (
        any(getattr(error, "code", "") == code for error in errors_in(got))
        or (isinstance(got, Returned) and any(told == code for told in members("code", got.value)))
    )


def says_event(code: str) -> Callable[[Case, Outcome], bool]:
    """Whether a call ended in an error with this code of ours."""
    return lambda case, got: isinstance(got, Returned) and got.value.get("event", {}).get("code") == code


def members(key: str, value: Any) -> Iterator[Any]:
    """Every member of that name, however deep."""
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        for member in value.values():
            yield from members(key, member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from members(key, member)


def objects(value: Any) -> list[Any]:
    """What may be one, or a list of them, as a list."""
    return value if isinstance(value, list) else [value]


def has_odd_limit(case: Case) -> bool:
    """Whether a vector asks for a number of results that is not a whole number from 1."""
    limits = [limit for limit in members("limit", case.input) if limit is not None]
    return any(isinstance(limit, bool) or not isinstance(limit, int) or limit < 1 for limit in limits)


def unloads_what_is_not_loaded(case: Case) -> bool:
    """Whether a vector unloads a tool that nothing before has pinned."""
    asked = case.input
    pinned = {op[1] for op in asked.get("before", ()) if op[0] == "pin"}
    return bool(asked.get("call") == "unload_tool" and asked["input"].get("name") not in pinned)


def is_about_meta_tool(case: Case) -> bool:
    """Whether a vector asks about a meta-tool as if it were one of the tools."""
    return bool((case.input.get("input") or {}).get("name") in META)


def policy_is_about_meta_tool(case: Case) -> bool:
    """Whether a vector's policy speaks of a meta-tool by name."""
    by = ((case.input.get("auth") or {}).get("policy") or {}).get("by") or {}
    return any(key.split()[-1] in META for key in by)


def fits(case: Case, got: Outcome) -> bool:
    """Whether Pegboard found nothing wrong with the arguments."""
    return isinstance(got, Returned) and got.value == []


def does_not_fit(case: Case, got: Outcome) -> bool:
    """Whether Pegboard told what is wrong with the arguments."""
    return isinstance(got, Returned) and isinstance(got.value, list) and bool(got.value)


def gives_no_object(case: Case) -> bool:
    """Whether a call comes without any arguments."""
    return "input" in case.input and case.input["input"] is None


def without_error(case: Case, got: Outcome) -> bool:
    """Whether Pegboard answered as it does where nothing is wrong."""
    return isinstance(got, Returned) and got.value.get("event", {}).get("type") == "result"


def hides_what_is_called_inside(case: Case) -> bool:
    """Whether a policy hides a tool that another calls."""
    by = ((case.input.get("auth") or {}).get("policy") or {}).get("by") or {}
    hidden = {key.split()[-1] for key, value in by.items() if key.startswith("tool.discover ") and value == "deny"}
    calls = {name for calls in members("invoke", case.input.get("tools")) for name, _ in calls}
    return bool(hidden & calls)


def validates_arguments(case: Case) -> bool:
    """Whether a vector asks which arguments a meta-tool takes."""
    return case.input.get("op") == "validate"


def takes_by_name(case: Case, got: Outcome) -> bool:
    """Whether each verdict that differs is one that the rule on the arguments of meta-tools speaks of."""
    known = META_TOOLS.get(case.input["name"], META_TOOLS["explain_tool"]).input_schema["properties"].keys()
    return isinstance(got, Returned) and all(
        holds_nothing(given) if taken else is_mistaken(given, known)
        for given, told, taken in zip(case.input["inputs"], case.accepted[0]["returns"], got.value, strict=True)
        if taken is not ("ok" in told)
    )


def holds_nothing(given: Any) -> bool:
    """Whether arguments are null, or one of them is, or is an empty text."""
    return given is None or (isinstance(given, dict) and any(value in (None, "") for value in given.values()))


def is_mistaken(given: Any, known: Set[str]) -> bool:
    """Whether arguments are a list, or hold an unknown name or a limit in the form of text."""
    if not isinstance(given, dict):
        return isinstance(given, list)
    return not given.keys() <= known or isinstance(given.get("limit"), str)


def coerces(*functions: str, kind: type | tuple[type, ...]) -> Callable[[Case], bool]:
    """Whether a vector gives one of these coercions a value of that kind."""
    return lambda case: case.input.get("op") in functions and isinstance(case.input.get("value"), kind)


def ends_without_result(case: Case) -> bool:
    """Whether a handler streams, and no result is in its stream."""
    streams = [*members("events", case.input.get("tools"))]
    return any(all(event["type"] not in ("result", "error") for event in events) for events in streams)


def has_broken_validator(case: Case) -> bool:
    """Whether a validator of a tool's own raises."""
    tools = [told for told in case.input.get("tools", ()) if isinstance(told, dict)]
    return any("throws" in (told.get(key) or {}) for told in tools for key in ("input", "output"))


META: Final = frozenset({*META_TOOLS, "tool_explain"})

GOLDEN: Final = (
    Rule(
        "illegal names are refused",
        "a name is what models call: ^[A-Za-z0-9_-]{1,64}$, the widest that all providers take",
        has_illegal_name,
        raised(InvalidNameError),
    ),
    Rule(
        "duplicates are refused",
        "a registry refuses a name that is taken, with the fix, where the other lets the first win",
        registers_twice,
        raised(CollisionError),
    ),
    Rule(
        "names of meta-tools are reserved",
        "a tool that a meta-tool would hide is refused at once, where the other hides it in silence",
        lambda case: any(name in META for name in names_of_tools(case.input) if isinstance(name, str)),
        raised(CollisionError),
    ),
    Rule(
        "one bad tool of a source is set aside",
        "it alone, with its reason: a whole source is never refused for it",
        lambda case: any(op[0] == "source" for op in case.input.get("ops", ())),
        lambda case, got: isinstance(got, Returned) and any(members("set_aside", got.value)),
    ),
    Rule(
        "odd limits are refused",
        "0, negative and fractional numbers of results are refused by name: none of them can have been meant",
        has_odd_limit,
        says("invalid_arguments"),
    ),
    Rule(
        "a board is open once its pins are loaded",
        "an open that returns before leaves a board that forgets pins",
        lambda case: bool((case.input.get("store") or {}).get("async")),
        lambda case, got: isinstance(got, Returned) and bool(got.value),
    ),
    Rule(
        "a search sees the tools of its moment",
        "what has been taken away in between is not told as if it could be had",
        lambda case: bool(case.input.get("removed")),
        lambda case, got: (
            isinstance(got, Returned)
            and not set(case.input["removed"]) & {match["name"] for found in got.value["matched"] for match in found}
        ),
    ),
    Rule(
        "unloading what is not loaded says so",
        "a confirmation of what did not happen misleads the model",
        unloads_what_is_not_loaded,
        lambda case, got: isinstance(got, Returned) and got.value["data"] == {"queued": None},
    ),
    Rule(
        "meta-tools are in no catalog",
        "they are found by being listed, so nothing is looked up, counted or decided about them as about a tool",
        is_about_meta_tool,
        lambda case, got: isinstance(got, Returned) and got.value["data"] == {"tool": None},
    ),
    Rule(
        "meta-tools are authorized by what they touch",
        "a profile says which of them there are; a policy decides about the tools that they tell of, load or call",
        policy_is_about_meta_tool,
        without_error,
    ),
    Rule(
        "a call from inside a call is decided about whole",
        "what its caller may not discover does not exist for a tool that acts for the caller either",
        hides_what_is_called_inside,
        says("not_found"),
    ),
    Rule(
        "meta-tools are always visible",
        "a profile has a meta-tool or has it not; one that has to be found first finds nothing",
        lambda case: case.input.get("op") == "definition" and case.accepted[0]["returns"]["visibility"] != "always",
        lambda case, got: isinstance(got, Returned) and got.value["visibility"] == "always",
    ),
    Rule(
        "meta-tools take the arguments that they name",
        "what nothing reads, a list and a limit of text are mistakes to tell; null is not given, '' names no tool",
        validates_arguments,
        takes_by_name,
    ),
    Rule(
        "empty texts are values",
        'false, 0 and "" have been given, for required arguments too; a text that must not be empty has a minLength',
        schemas.has_blank_text,
        fits,
    ),
    Rule(
        "what is no JSON Schema is refused",
        "such a schema keeps a tool out of the catalog, with the reason; none of it is passed over in silence",
        schemas.is_no_schema,
        does_not_fit,
    ),
    Rule(
        "every keyword of a schema counts",
        "arguments are held against JSON Schema 2020-12, all of it",
        schemas.asks_for_more,
        does_not_fit,
    ),
    Rule(
        "what a schema leaves open is open",
        "a schema without a type takes any value, one with several takes a value of each",
        schemas.leaves_types_open,
        fits,
    ),
    Rule(
        "null inside an argument is a value",
        "only an argument that is null counts as not given; deeper down, the schema says where null may stand",
        schemas.has_null_inside,
        does_not_fit,
    ),
    Rule(
        "3.0 is an integer",
        "JSON Schema has it so, and it reaches Python as 3",
        schemas.has_whole_float,
        fits,
    ),
    Rule(
        "no arguments are an empty object",
        "several clients leave them out for a tool without required ones",
        gives_no_object,
        without_error,
    ),
    Rule(
        "success without a result is success",
        "a tool that gives nothing has done what it was asked",
        ends_without_result,
        lambda case, got: isinstance(got, Returned) and got.value["event"] == {"type": "result", "data": None},
    ),
    Rule(
        "a broken validator is the tool's own failure",
        "the arguments may be right: the model is given an id for the log, and nothing that it could mend",
        has_broken_validator,
        says_event("internal_error"),
    ),
    Rule(
        "a turn that is run again leaves out what has its result",
        "the host has the results; receipts and handlers know each call by its provider's id, for a service to tell",
        lambda case: (case.input.get("call_id") or "t") in (case.input.get("skip") or ()),
        lambda case, got: isinstance(got, Returned) and got.value["tool_calls"] == case.input.get("times", 1),
    ),
    Rule(
        "texts reach tools as they came",
        "blanks round them, and texts of nothing else, are values",
        coerces("presence", kind=str),
        lambda case, got: isinstance(got, Returned) and got.value == case.input["value"],
    ),
    Rule(
        "what is no text is not made one",
        "arguments are never coerced: a list or a number where a text is wanted is a mistake to tell",
        coerces("presence", kind=(list, dict, int, float)),
        says("invalid_arguments"),
    ),
    Rule(
        "flags are true or false",
        "a word that looks like yes is a mistake to tell, with its place, and never read as no",
        coerces("truthy?", kind=(str, int, float, list, dict)),
        raised(ConfigError),
    ),
    Rule(
        "blank is what Unicode calls blank",
        "a query of blanks of any script finds nothing; control characters are not among them",
        lambda case: coerces("blank?", "present?", kind=str)(case) and not case.input["value"].strip(" \t\r\n\0\xa0"),
        lambda case, got: (
            isinstance(got, Returned)
            and got.value is ((case.input["op"] == "blank?") is not bool(case.input["value"].strip()))
        ),
    ),
    Rule(
        "a result that is no text is JSON",
        "models read JSON, and no language's own way of writing values",
        coerces("utf8", kind=(list, dict)),
        lambda case, got: isinstance(got, Returned) and json.loads(got.value) == case.input["value"],
    ),
    Rule(
        "how somebody signed in is the door's matter",
        "kind, method, delegates and linked identities are checked by whoever signs people in, and not once more",
        lambda case: case.kind == "gonk_is_principal" and principals.says_how_it_signed_in(case),
        principals.is_one,
    ),
    Rule(
        "a key tells issuer, id and tenant apart",
        "these own boards; what changes from one sign-in to the next would lose them",
        lambda case: case.kind == "gonk_auth_keys" and principals.says_how_it_signed_in(case),
        principals.is_known_by_its_names,
    ),
    Rule(
        "roles and scopes that are left out are none",
        "somebody without roles is somebody, and is allowed nothing that a role would allow",
        principals.leaves_out_a_list,
        principals.is_one,
    ),
    Rule(
        "a principal may have no issuer",
        "a configuration names people whom nobody else vouches for; they are no others' namesakes",
        principals.has_no_issuer,
        principals.is_one,
    ),
    Rule(
        "what is no principal is refused where it is made",
        "it never gets as far as a call, so no call of it can be denied",
        lambda case: case.kind == "gonk_auth_dispatch" and "principal" in case.input["auth"],
        raised(PrincipalError),
    ),
    Rule(
        "receipts name kind, target and tenant",
        "what else a resource has are facts for the policy, and stay with it",
        lambda case: case.input.get("op") in ("redact", "redact_list"),
        lambda case, got: (
            isinstance(got, Returned)
            and all(
                isinstance(told, dict) and told.keys() <= {"kind", "target", "tenantId"} for told in objects(got.value)
            )
        ),
    ),
    Rule(
        "a definition's name is a tool's name",
        "what every provider takes may be given in a file too; all mistakes are told, not the first alone",
        http_tools.has_wider_name,
        lambda case, got: isinstance(got, Returned) or http_tools.refused(case, got),
    ),
    Rule(
        "a secret header refers to a secret",
        "a secret that is written out in a file is read by whoever reads the file",
        http_tools.has_plain_secret_header,
        http_tools.refused,
    ),
    Rule(
        "user and password do not stand in an address",
        "addresses are logged and told; what is secret goes into a secret header",
        lambda case: "@" in http_tools.authority(case),
        http_tools.refused,
    ),
    Rule(
        "no argument chooses the host",
        "a placeholder in the host is the operator's variable, or a parameter with a fixed list",
        lambda case: "{{" in http_tools.authority(case),
        http_tools.refused,
    ),
    Rule(
        "addresses are encoded",
        "characters outside ASCII in path and query are percent-encoded by the client",
        http_tools.has_wide_address,
        lambda case, got: isinstance(got, Returned),
    ),
    Rule(
        "variables hold no placeholders",
        "what is filled in at load is plain configuration, whatever it says of secrets and parameters",
        http_tools.names_planted_variable,
        http_tools.refused,
    ),
    Rule(
        "one bad tool of a manifest is set aside",
        "it alone, with all its mistakes: the others of the manifest work",
        lambda case: case.kind == "insika_tool_manifest_batch",
        http_tools.sets_aside,
    ),
    Rule(
        "arguments are an object",
        "a text or a list in their place is told as that, not as parameters that are missing",
        http_tools.has_no_arguments,
        http_tools.failed,
    ),
    Rule(
        "blank arguments are values",
        "a text of blanks was given; a text that must not be blank has a minLength or an enum",
        http_tools.has_blank_argument,
        http_tools.answered,
    ),
    Rule(
        "a guard is made before it is asked",
        "a policy with an option that does not exist stops the start, and no call",
        http_tools.has_unknown_option,
        raised(TypeError),
    ),
    Rule(
        "a path segment is not empty, '.' or '..'",
        "each of them names another resource than the definition does",
        http_tools.fills_path_with_nothing,
        http_tools.failed,
    ),
    Rule(
        "no header gains a line",
        "a value with a line break or a control character is refused, not made another one",
        http_tools.breaks_header,
        http_tools.failed,
    ),
    Rule(
        "what is absent takes its place along",
        "an empty pair, header or null is a value, and services act on it",
        http_tools.leaves_something_out,
        http_tools.left_out,
    ),
    Rule(
        "a path that begins with $ is JSONPath",
        "dotted paths are theirs; what they cannot say, RFC 9535 can",
        http_tools.has_json_path,
        http_tools.answered,
    ),
    *(Rule(*told) for told in (*egress.RULES, *skills.RULES)),
)
"""The rules for golden vectors, in the order they are tried."""


@dataclass(frozen=True)
class Setting:
    """A case that runs with other limits than the default ones. Immutable."""

    name: str
    reason: str
    limits: Callable[[CaseToRun], dict[str, Any]]
    """The limits that it takes; none where the setting has nothing to do with the case."""


def long_results(case: CaseToRun) -> dict[str, Any]:
    """Room for the longest result that the case expects, where that is above the default."""
    longest = max((value for key, value in case.expectations() if key == "result_min_chars"), default=0)
    return {"result_chars": longest + 1_000} if longest > Limits.result_chars else {}


CASES: Final = (
    Setting(
        "a long result is asked for",
        "results are kept within limits.result_chars, which whoever wants longer ones sets",
        long_results,
    ),
)
"""The settings that cases run with."""


def settings_of(case: CaseToRun) -> dict[str, Any]:
    """The limits that a case runs with, in place of the default ones."""
    limits: dict[str, Any] = {}
    for setting in CASES:
        limits |= setting.limits(case)
    return limits
