"""Several skills of one name: everybody has the first that they may discover, as if there were no other before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import Limits, Pegboard, Principal, Rule, RulePolicy, SkillCatalog, SkillRoot
from pegboard.auth import Action
from pegboard.board import Board
from pegboard.explaining import why_not
from pegboard.tools import Entry, ToolResult
from tests.skills.still import StillSkills
from tests.skills.things import codes, put, skill_text
from tests.support import ALICE, Rules, make, registry_of

pytestmark = pytest.mark.anyio

ANN = Principal(id="ann")
RULES = RulePolicy(
    [
        Rule(principals=["*"], names=["*"], allow=["discover", "invoke"]),
        Rule(principals=["ann"], kinds=["skill"], sources=["own"], deny=["discover"]),
    ]
)


@pytest.fixture
def peg(tmp_path: Path) -> Pegboard:
    """Two sources with a skill of one name; Ann may discover that of the second alone."""
    own = put(tmp_path / "own", "refunds", skill_text("refunds", "Quasar gold.", "Ours.\n"))
    theirs = put(tmp_path / "theirs", "refunds", skill_text("refunds", "Give money back.", "Theirs.\n"))
    for folder in (own, theirs):
        (folder / "references").mkdir()
        (folder / "references" / "x.md").write_text(f"of {folder.parent.name}")
    catalogs = [SkillCatalog(tmp_path / name, name=name) for name in ("own", "theirs")]
    return Pegboard(skills=catalogs, policy=RULES)


async def told(board: Board, called: str, **arguments: Any) -> str:
    result = await board.call(called, arguments)
    assert isinstance(result, ToolResult)
    return json.dumps(result.to_wire(), ensure_ascii=False)


async def test_who_may_not_discover_a_skill_has_the_next_of_its_name(peg: Pegboard) -> None:
    everybody, ann = await peg.open(), await peg.open(ANN)
    for board, its, whose in ((everybody, "Quasar gold.", "own"), (ann, "Give money back.", "theirs")):
        (skill,) = (await board.view()).skills
        assert (skill.description, skill.source) == (its, whose)
        body = "Ours." if whose == "own" else "Theirs."
        assert body in await told(board, "skills", skill_name="refunds")
        assert f"of {whose}" in await told(board, "read_skill_resource", skill="refunds", path="references/x.md")
        assert its in await board.prompt()
    assert "refunds" in await told(ann, "find_tools", query="give money back")
    assert '"refunds"' not in await told(ann, "find_tools", query="quasar")
    assert '"refunds"' not in await told(everybody, "find_tools", query="give money back")
    (note,) = peg.catalog.problems
    assert (note.source, note.name) == ("theirs", "refunds")
    assert "Source 'own' has a skill of this name too" in note.reason


async def test_a_right_that_is_lost_or_won_changes_whose_skill_it_is(tmp_path: Path) -> None:
    for name, text in (("own", "Ours."), ("theirs", "Theirs.")):
        put(tmp_path / name, "refunds", skill_text("refunds", text))
    policy = BySource(())
    catalogs = [SkillCatalog(tmp_path / name, name=name) for name in ("own", "theirs")]
    board = await Pegboard(skills=catalogs, policy=policy).open(ALICE)
    assert "Ours." in await board.prompt()
    policy.hides = {("own", "refunds")}
    assert await board.prompt() == ""
    assert "Theirs." in await told(board, "find_tools", query="refunds")
    await board.commit()
    assert "Theirs." in await board.prompt()
    policy.hides = set()
    assert "Theirs." in await board.prompt()
    await board.commit()
    assert "Ours." in await board.prompt()


async def test_of_two_roots_too_the_second_is_for_whoever_may_not_discover_the_first(tmp_path: Path) -> None:
    for name in ("one", "two"):
        put(tmp_path / name, "refunds", skill_text("refunds", f"Of root {name}."))
    catalog = SkillCatalog([SkillRoot(tmp_path / "one"), SkillRoot(tmp_path / "two")])
    assert codes(catalog) == ["name-shadowed"]
    assert [skill.description for skill in catalog] == ["Of root one."]
    assert len(catalog) == 1

    class Below(Rules):
        async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
            return ["/one/" not in getattr(entry, "path", "") for entry in entries]

    board = await Pegboard(skills=catalog, policy=Below()).open(ALICE)
    assert [skill.description for skill in (await board.view()).skills] == ["Of root two."]
    put(tmp_path / "two", "refunds", skill_text("refunds", "Of root two, anew."))
    before = board.limits
    catalog.reload()
    assert [skill.description for skill in (await board.view()).skills] == ["Of root two, anew."]
    assert board.limits is before


async def test_why_not_explains_the_skill_that_one_has_and_says_which_comes_before_it(peg: Pegboard) -> None:
    found = await why_not(peg, await peg.open(ANN), "refunds", "give money back")
    assert found.free
    (before,) = (one for one in found.findings if one.what == "first_is_hidden")
    assert "'own'" in before.message
    assert not before.keeps_from
    plain = await why_not(peg, await peg.open(), "refunds")
    assert all(one.what != "first_is_hidden" for one in plain.findings)


class BySource(Rules):
    """Hides entries by their source and name."""

    def __init__(self, hides: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self.hides = set(hides)

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """Everything but what is hidden."""
        return [(entry.source, entry.name) not in self.hides for entry in entries]


WORDS = ("money", "back", "order", "present", "wrap", "vault")
NAMES = ("a", "b", "c-a", "vault")
SOURCES = ("first", "second", "third")
SKILLS = st.lists(
    st.tuples(
        st.sampled_from(SOURCES),
        st.sampled_from(NAMES),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    ),
    unique_by=lambda one: one[:2],
    max_size=8,
)


@given(SKILLS, st.sets(st.tuples(st.sampled_from(SOURCES), st.sampled_from(NAMES))), st.lists(st.sampled_from(WORDS)))
def test_whatever_is_hidden_all_answers_are_those_of_a_world_without_it(
    skills: list[tuple[str, str, str]], hidden: set[tuple[str, str]], query: list[str]
) -> None:
    async def answers(there: list[tuple[str, str, str]], policy: Rules) -> list[str]:
        sources = [StillSkills({one: text for source, one, text in there if source == name}, name) for name in SOURCES]
        peg = Pegboard(
            [registry_of(make("b", "Back."))], skills=sources, policy=policy, limits=Limits(skills_chars=400, page=2)
        )
        board = await peg.open(ALICE)
        asked: list[tuple[str, dict[str, Any]]] = [
            ("find_tools", {"query": " ".join(query)}),
            ("tool_search", {"query": " ".join((*query, "a"))}),
            ("list_tools", {}),
            *(("skills", {"skill_name": name}) for name in (*NAMES, "x")),
            *((meta, {"name": name}) for meta in ("call_tool", "get_tool", "load_tool") for name in NAMES),
            *((name, {}) for name in NAMES),
        ]
        said = [await told(board, name, **arguments) for name, arguments in asked]
        listed = board.listing().bytes.decode()
        return [*said, await board.prompt(), listed, *(await board.skills.instructions()).values()]

    async def both() -> None:
        shown = [one for one in skills if one[:2] not in hidden]
        assert await answers(skills, BySource(hidden)) == await answers(shown, BySource(()))

    anyio.run(both)
