"""``gonk_bm25_search``, ``gonk_legacy_search``, ``gonk_recommend``, ``gonk_search_options``: rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pegboard.errors import InvalidArgumentsError
from pegboard.finding import find
from pegboard.limits import Limits
from pegboard.metatools import META_TOOLS
from pegboard.peg import Pegboard
from pegboard.registry import ToolRegistry
from pegboard.search import Bm25Ranker, Ranked, Ranker, keyword_ranker, recommend
from pegboard.tools import Entry as EntryProtocol
from pegboard.view import View
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.adapters.searching import Entry, scored

ERRORS: Final = {"Error": InvalidArgumentsError}


def bm25(values: dict[str, Any]) -> Any:
    """``Bm25Ranker`` with the plain analyzer, which is the reference's."""
    entries = [Entry.of(told) for told in values["tools"]]
    return scored(Bm25Ranker(analyzer="plain").rank(values["query"], entries))


def legacy(values: dict[str, Any]) -> Any:
    """``keyword_ranker``: the older sums."""
    return scored(keyword_ranker.rank(values["query"], [Entry.of(told) for told in values["tools"]]))


def recommended(values: dict[str, Any]) -> Any:
    """Their list of recent texts is one text here, with blanks between; they give no reasons.

    The limit is a count of what is kept, absent for the default of 5, as Limits has it.
    """
    context = values["ctx"]
    limit = (values.get("opts") or {}).get("limit")
    found = recommend(
        " ".join(context.get("recentText") or []),
        [Entry.of(told) for told in values["tools"]],
        set(context.get("activeTools") or ()),
        Limits().recommend if limit is None else int(limit),
    )
    return [{"name": ranked.entry.name, "score": ranked.score} for ranked in found]


class Reversed:
    """The vectors' own ranker: everything, last first, with score 1. Immutable. Their corpus is in order of names."""

    def rank(self, query: str, candidates: Sequence[EntryProtocol]) -> list[Ranked]:
        """Every candidate."""
        ordered = sorted(candidates, key=lambda entry: entry.name, reverse=True)
        return [Ranked(entry, 1.0, "") for entry in ordered]


def searched(values: dict[str, Any]) -> Any:
    """Search is ``finding.find`` over the catalog of a Pegboard; a candidate list is what a principal may discover.

    Their ``allTools`` is sorted by name and has the meta-tools in it: ours keeps them out of the catalog, and a list is
    sorted where it is told. With the vectors' own ranker there is no reason to compare.
    """
    registries = []
    for index, tools in enumerate(values["registries"]):
        registries.append(ToolRegistry(f"r{index}"))
        registries[-1].register(*(tool(told, source=f"r{index}") for told in tools))
    peg = Pegboard(registries, collisions="first")
    if values["op"] == "allTools":
        return sorted(entry.name for entry in peg.catalog.all())
    names = frozenset(values["candidates"]) if values.get("candidates") is not None else None
    ranker: Ranker = Reversed() if values.get("ranker") == "reverse" else Bm25Ranker(analyzer="plain")
    found = find(View(peg.catalog, names), ranker, values["query"], values.get("limit"), Limits())
    return [_without_empty_reason(ranked) for ranked in scored(found.matches)]


def _without_empty_reason(ranked: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in ranked.items() if key != "reason" or value}


def without_meta(comparison: Any, expected: dict[str, Any], got: Any) -> str:
    """Their names of meta-tools are left out of lists of names."""
    listed = expected.get("returns")
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        expected = {"returns": [name for name in listed if name not in META_NAMES]}
    return str(comparison.outcome(expected, got))


META_NAMES: Final = {*META_TOOLS, "tool_explain"}

ADAPTERS: Final = {
    "gonk_bm25_search": Adapter(bm25),
    "gonk_legacy_search": Adapter(legacy),
    "gonk_recommend": Adapter(recommended),
    "gonk_search_options": Adapter(searched, ERRORS, without_meta),
}
