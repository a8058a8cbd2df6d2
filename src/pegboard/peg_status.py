"""How a Pegboard is doing, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pegboard.pin_store import status_of
from pegboard.registry import Source
from pegboard.skill_prompt import skills_prompt

if TYPE_CHECKING:
    from pegboard.peg import Pegboard
    from pegboard.search.rankers import Ranker


def told_of(peg: Pegboard, ranker: Ranker | None) -> dict[str, Any]:
    """How the sources, the store and the ranker's encoders are doing, what was set aside, which definitions changed.

    Also who waits. What is told of the store and of encoders is as of their last use.
    """
    catalog, waiting = peg.catalog, _waiting(peg)
    return {
        "generation": catalog.generation,
        "tools": len(catalog),
        "skills": len(catalog.skills),
        "sources": [_source(source) for source in peg.sources],
        "store": status_of(peg.store).to_json(),
        "set_aside": [problem.to_json() for problem in catalog.problems],
        "drift": peg.drifts.to_json(),
        "skills_prompt": _skills_prompt_notes(peg),
        **_encoders(ranker),
        **({} if peg.usage is None else {"usage": peg.usage.status()}),
        **({"waiting": waiting} if waiting else {}),
    }


def _encoders(ranker: Ranker | None) -> dict[str, Any]:
    """How the encoders of a ranker are doing; no member for one that has none."""
    if ranker is None:
        return {}
    from pegboard.search.encoder_state import HasEncoders

    return {"encoders": [one.to_json() for one in ranker.encoders()]} if isinstance(ranker, HasEncoders) else {}


def _source(source: Source) -> dict[str, Any]:
    state = source.status()
    told = {"name": state.name, "kind": state.kind, "state": state.state, "tools": state.tools}
    told |= {"skills": state.skills} if state.skills else {}
    optional = {"reason": state.reason, "starts": state.starts, "notes": list(state.notes)}
    return told | {key: value for key, value in optional.items() if value}


def _waiting(peg: Pegboard) -> list[dict[str, Any]]:
    places = peg.dispatcher.places
    found = {} if places is None else places.waiting()
    return [{"at": " ".join(gate) or "all", "calls": calls} for gate, calls in found.items()]


def _skills_prompt_notes(peg: Pegboard) -> list[str]:
    """What has to give in a prompt that tells of all skills."""
    limits = peg.limits
    told = skills_prompt(peg.skills, max_tokens=limits.skills_tokens, max_chars=limits.skills_chars)
    return list(told.notes())
