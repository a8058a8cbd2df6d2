"""What became of a listing when it was taken in, to be kept beside it: the same is not found out twice. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any, Final

from pegboard.registry import Problem
from pegboard.sources.mcp.listing import Listing
from pegboard.sources.mcp.payload import HandlerOf, Intake, tool_of
from pegboard.sources.mcp.spec import UpstreamSpec
from pegboard.tools import OutputCheck, Tool, canonical_json

_PROBLEM: Final = tuple(one.name for one in fields(Problem))


@dataclass(frozen=True, kw_only=True)
class Taken:
    """An intake without the definitions, which are in the listing. Immutable.

    ``rows`` have of each tool its place in the listing, its name, and the upstream's name for it; ``stamps`` are what
    search tells them from others by.
    """

    rows: Sequence[tuple[int, str, str]]
    stamps: bytes
    problems: tuple[Problem, ...] = ()
    excluded: Mapping[str, str]
    notes: tuple[str, ...] = ()
    sound: tuple[int, ...] = ()

    @classmethod
    def of(cls, intake: Intake, stamps: Sequence[bytes]) -> Taken:
        """That of an intake, with the stamps of its tools."""
        places = zip(intake.places, intake.tools, strict=True)
        return cls(
            rows=[(place, tool.name, tool.bare_name) for place, tool in places],
            stamps=b"".join(stamps),
            problems=intake.problems,
            excluded=intake.excluded,
            notes=intake.notes,
            sound=intake.sound,
        )

    def intake(self, listing: Listing, spec: UpstreamSpec, handler_of: HandlerOf) -> Intake:
        """The intake of the listing that this was made of. Definitions are read when somebody looks at them."""
        size = len(self.stamps) // len(self.rows) if self.rows else 0
        known = frozenset(self.sound)
        late = _Late(listing.tools, spec, handler_of)
        return Intake(
            tools=tuple(
                late.tool(place, name, bare_name, self.stamps[at * size : (at + 1) * size], sound=place in known)
                for at, (place, name, bare_name) in enumerate(self.rows)
            ),
            places=tuple(place for place, _, _ in self.rows),
            problems=self.problems,
            excluded=self.excluded,
            notes=self.notes,
            sound=self.sound,
        )

    def to_json(self) -> dict[str, Any]:
        """This as a JSON object."""
        return {
            "rows": [list(row) for row in self.rows],
            "stamps": self.stamps.hex(),
            "problems": [[getattr(problem, name) for name in _PROBLEM] for problem in self.problems],
            "excluded": dict(self.excluded),
            "notes": list(self.notes),
            "sound": list(self.sound),
        }

    @classmethod
    def from_json(cls, told: Any) -> Taken:
        """What a JSON object tells. Raises LookupError, TypeError or ValueError for any other than ours."""
        taken = cls(
            rows=[(_whole(place), _text(name), _text(bare_name)) for place, name, bare_name in told["rows"]],
            stamps=bytes.fromhex(told["stamps"]),
            problems=tuple(Problem(**dict(zip(_PROBLEM, map(_text, one), strict=True))) for one in told["problems"]),
            excluded={name: _text(why) for name, why in dict(told["excluded"]).items()},
            notes=tuple(map(_text, told["notes"])),
            sound=tuple(map(_whole, told["sound"])),
        )
        if len(taken.stamps) % max(1, len(taken.rows)):
            raise ValueError("The stamps are not those of so many tools.")
        return taken


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(f"Wanted a whole number from 0, got {value!r:.40}.")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"Wanted a text, got {value!r:.40}.")
    return value


def way_in(spec: UpstreamSpec) -> str:
    """A digest of what decides which tools of a listing are taken in, and under which names."""
    deciding = [spec.name, spec.tool_prefix, list(spec.include), list(spec.exclude)]
    return blake2b(canonical_json(deciding), digest_size=8).hexdigest()


class _Late:
    """Makes the tools of one listing. Lives as long as they do."""

    def __init__(self, raw_tools: Sequence[Any], spec: UpstreamSpec, handler_of: HandlerOf) -> None:
        self._raw = raw_tools
        self._spec = spec
        self._handler_of = handler_of
        self._alike = {
            "source": spec.name,
            "timeout": spec.call_timeout,
            "source_concurrency": spec.concurrency,
            "output_check": OutputCheck(spec.output_check),
        }
        self._by_name: list[tuple[str, Callable[[str], Any]]] = []
        for field, setting, of_name in (
            ("visibility", spec.visibility, spec.visibility_of),
            ("approval", spec.approval, spec.approval_of),
        ):
            if isinstance(setting, Mapping):
                self._by_name.append((field, of_name))
            else:
                self._alike[field] = of_name("")

    def tool(self, place: int, name: str, bare_name: str, stamp: bytes, *, sound: bool) -> Tool:
        spec, handler = self._spec, self._handler_of(bare_name)
        own = {field: of_name(bare_name) for field, of_name in self._by_name}

        def whole() -> Tool:
            return tool_of(spec.name, bare_name, self._raw[place], spec, lambda _: handler, sound=sound)

        return Tool.late(whole, name=name, bare_name=bare_name, handler=handler, stamp=stamp, **self._alike, **own)
