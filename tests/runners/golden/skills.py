"""Where skills do something else than the vectors of two other systems: what each rule looks at. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from pegboard.skills.problems import SetAsideError
from tests.runners.golden.outcome import Outcome, Raised, Returned
from tests.runners.golden.vectors import Case

KINDS: Final = ("littleghost_", "insika_skill_catalog", "insika_load_skill")


def texts(case: Case) -> list[str]:
    """The texts of the files of a vector about folders of skills; none for any other vector."""
    files = case.input.get("files") if case.kind.startswith(KINDS) else None
    return [text for text in (files or {}).values() if isinstance(text, str)]


def leaves(value: Any) -> Iterator[Any]:
    """Every value that holds no other."""
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from leaves(member)
    else:
        yield value


def returned(case: Case) -> Any:
    """What the vector expects to come back; None where it expects an error."""
    return (case.raw.get("expected") or {}).get("returns")


def message(case: Case) -> str:
    """The words of the error that the vector expects; empty where it expects none."""
    return str(((case.raw.get("expected") or {}).get("raises") or {}).get("message", ""))


def is_front_matter(case: Case) -> bool:
    """Whether a vector is about front matter alone."""
    return case.kind == "insika_frontmatter"


def has_typed_scalars(case: Case) -> bool:
    """Whether a value is expected to be a number, a boolean or a date."""
    return is_front_matter(case) and any(not isinstance(one, str | None) for one in leaves(returned(case)))


def keeps_quotes(case: Case) -> bool:
    """Whether a value is expected with the quotes that it was written in."""
    return is_front_matter(case) and any(_quoted(one) for one in leaves(returned(case)))


def _quoted(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"'


def is_list(case: Case) -> bool:
    """Whether the front matter is a list."""
    return is_front_matter(case) and case.input["text"].lstrip().startswith("- ")


def gives_texts(case: Case, got: Outcome) -> bool:
    """Whether every value is text, or nothing."""
    return isinstance(got, Returned) and all(isinstance(one, str | None) for one in leaves(got.value))


def gives_no_quotes(case: Case, got: Outcome) -> bool:
    """Whether no value has its quotes."""
    return isinstance(got, Returned) and not any(_quoted(one) for one in leaves(got.value))


def sets_aside(code: str) -> Callable[[Case, Outcome], bool]:
    """Whether the file was set aside by this rule."""
    return lambda case, got: (
        isinstance(got, Raised) and isinstance(got.error, SetAsideError) and got.error.problem.code == code
    )


def gives_nothing(case: Case, got: Outcome) -> bool:
    """Whether there are no keys."""
    return isinstance(got, Returned) and got.value == {}


def any_text(test: Callable[[str], bool]) -> Callable[[Case], bool]:
    """Whether a file of the vector is one that the test finds."""
    return lambda case: any(map(test, texts(case)))


def head(text: str) -> str:
    """The front matter of a file that begins with it."""
    return text.split("\n---", 1)[0]


def name_in(text: str) -> str:
    """The name that the front matter of a file gives, as it is written."""
    return next((line.partition(":")[2].strip() for line in head(text).split("\n") if line.startswith("name:")), "")


def loads_without_companions(case: Case, got: Outcome) -> bool:
    """Whether everything is as expected but for triggers and companions, which are not there."""
    if not isinstance(got, Returned):
        return False
    if case.kind == "insika_load_skill":
        wanted = [_first_body(one) for one in returned(case)["results"]]
        return bool(wanted == got.value)
    return bool(_without_later(returned(case)) == _without_later(got.value))


def _first_body(told: Any) -> Any:
    """The instructions of the skill that was asked for, which stand before those of its companions."""
    return told.split(">\n", 1)[1].split("\n</skill>", 1)[0] if isinstance(told, str) else told


def _without_later(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_later(member) for key, member in value.items() if key not in ("triggers", "companions")}
    if isinstance(value, str) and value.startswith("<available_skills>"):
        return "a prompt"
    return [_without_later(member) for member in value] if isinstance(value, list) else value


def loads_the_others(case: Case, got: Outcome) -> bool:
    """Whether every skill is loaded but the one that the expected error names."""
    if not isinstance(got, Returned):
        return False
    only = (case.input.get("options") or {}).get("only")
    good = [
        name_in(text)
        for path, text in sorted(case.input["files"].items())
        if isinstance(text, str) and path.startswith("r1/") and not message(case).endswith(f"<tmp>/{path}")
    ]
    return bool(got.value == [[name for name in good if only is None or name in only]])


def joins(odd: Callable[[str], bool]) -> Callable[[Case, Outcome], bool]:
    """Whether the odd skills are loaded with descriptions of one line, and all others as expected."""

    def holds(case: Case, got: Outcome) -> bool:
        if not isinstance(got, Returned):
            return False
        names = {name_in(text) for text in texts(case) if odd(text)}
        told = [one for one in _objects(got.value) if one.get("name") in names]
        one_line = all(one["description"] and not set(one["description"]) & set('\r\n[]"') for one in told)
        return (
            one_line
            and bool(names & set(names_of(case, got)))
            and _less(got.value, names) == _less(returned(case), names)
        )

    return holds


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for member in value:
            yield from _objects(member)


def _less(value: Any, names: set[str]) -> Any:
    """A value without the skills of these names."""
    if not isinstance(value, list):
        return value
    named = [one.get("name") if isinstance(one, dict) else one for one in value]
    kept = [one for one, name in zip(value, named, strict=True) if not (isinstance(name, str) and name in names)]
    return [_less(one, names) for one in kept]


def names_of(case: Case, got: Outcome) -> list[str]:
    """Every text of an outcome that is a list of them."""
    return [one for one in leaves(got.value) if isinstance(one, str)] if isinstance(got, Returned) else []


def loads_more(case: Case, got: Outcome) -> bool:
    """Whether more is loaded than was expected."""
    return isinstance(got, Returned) and len(str(got.value)) > len(str(returned(case)))


def loads_less(case: Case, got: Outcome) -> bool:
    """Whether less is loaded than was expected."""
    return isinstance(got, Returned) and len(str(got.value)) < len(str(returned(case)))


def in_lines(text: str) -> bool:
    """Whether a description has several lines, or items."""
    return any(sign in head(text) for sign in ("description: [", "description: |", "\\r", "\\n", "- "))


def has_wide_name(text: str) -> bool:
    """Whether a name has letters outside ASCII, or blanks."""
    name = name_in(text)
    return not name.isascii() or " " in name


RULES: Final = (
    (
        "front matter holds texts",
        "a date, no or 0123 is what its author wrote; YAML's types turn them into something else",
        has_typed_scalars,
        gives_texts,
    ),
    (
        "one broken line costs no other its quotes",
        "what is YAML by itself is read as YAML, also where another line is none",
        keeps_quotes,
        gives_no_quotes,
    ),
    (
        "keys that are given twice are refused",
        "nobody can tell which of the two was meant",
        is_front_matter,
        sets_aside("yaml-duplicate-key"),
    ),
    ("front matter is no list", "its items have no names that could mean something", is_list, gives_nothing),
    (
        "blank lines may stand before the front matter",
        "an editor's empty first line must not cost a skill",
        any_text(lambda text: text[:1].isspace() and text.lstrip().startswith("---")),
        loads_more,
    ),
    (
        "a skill without a description is left out",
        "nothing tells a model when to use it; the problems say so",
        any_text(lambda text: "description:" not in head(text)),
        loads_less,
    ),
    (
        "triggers and companions are for later",
        "they are kept among the fields of a skill and mean nothing yet",
        any_text(lambda text: "\ntriggers:" in head(text) or "\ncompanions:" in head(text)),
        loads_without_companions,
    ),
    (
        "one bad skill does not keep the others from loading",
        "what is too large or leads out is left out with its reason; strict mode raises",
        lambda case: (
            case.kind.startswith("littleghost_")
            and ("escapes its configured root" in message(case) or message(case).startswith("Skill exceeds"))
        ),
        loads_the_others,
    ),
    (
        "names have letters of any script, and blanks become hyphens",
        "people name skills in their own language; ascii_names has the narrower rule",
        any_text(has_wide_name),
        loads_more,
    ),
    (
        "a description of several lines or items is joined",
        "that is what its author meant; strict mode leaves it out",
        any_text(in_lines),
        joins(in_lines),
    ),
)
"""Name, reason, and what the vector and the outcome have to be."""
