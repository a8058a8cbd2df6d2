"""Skills on a board: found beside tools, given, noted, kept; and hidden ones are not there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import (
    Action,
    Context,
    Decision,
    Limits,
    Pegboard,
    Principal,
    Rule,
    RulePolicy,
    SkillCatalog,
    SkillChoice,
    ToolRegistry,
    ToolResult,
)
from pegboard.board import Board
from pegboard.errors import CollisionError, DefinitionError, NoSkillError, ToolError
from pegboard.pins import PinState
from pegboard.skills.skill import Skill
from pegboard.tools import Entry
from tests.skills.still import StillSkills
from tests.skills.things import put, skill_text
from tests.support import ALICE, Receipts, Rules, make, registry_of

pytestmark = pytest.mark.anyio

TOOLS = [
    make("find_order", "Find an order."),
    make("shop__refund", "Refund an order.", bare_name="refund", source="shop"),
    make("clock", "What time it is.", always=True),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    allowed = "find_order Bash(git *) mcp__shop__refund clock refund"
    put(tmp_path, "refunds", skill_text("refunds", "Give money back.", **{"allowed-tools": allowed}))
    put(tmp_path, "wrapping", skill_text("wrapping", "Wrap a present."))
    (tmp_path / "wrapping" / "references").mkdir()
    (tmp_path / "wrapping" / "references" / "bows.md").write_text("Red ones.")
    return tmp_path


async def told(board: Board, called: str, **arguments: Any) -> Any:
    result = await board.call(called, arguments)
    assert isinstance(result, ToolResult)
    return result.structured if isinstance(result.structured, Mapping) and not result.is_error else result.text


async def test_skills_are_found_beside_tools_and_told_apart(folder: Path) -> None:
    board = await Pegboard([registry_of(*TOOLS)], skills=SkillCatalog(folder)).open()
    found = await told(board, "find_tools", query="give money back for an order")
    kinds = {item["name"]: item["kind"] for item in found["tools"]}
    assert kinds == {"refunds": "skill", "find_order": "tool", "shop__refund": "tool"}
    assert "a skill is no tool: skills gives its instructions" in found["notes"]
    listed = await told(board, "find_tools", query="")
    assert [item["name"] for item in listed["tools"]] == ["clock", "find_order", "refunds", "shop__refund", "wrapping"]
    searched = await told(board, "tool_search", query="wrap a present")
    assert [one["name"] for one in searched["skills"]] == ["wrapping"]
    assert board.pending == ((), ())


async def test_a_list_in_pages_has_a_skill_behind_the_tool_of_its_name(folder: Path) -> None:
    peg = Pegboard([registry_of(make("refunds"))], skills=SkillCatalog(folder), limits=Limits(page=1))
    board = await peg.open()
    names, cursor = [], None
    while True:
        page = await told(board, "find_tools", query="", **({"cursor": cursor} if cursor else {}))
        names += [(item["name"], item["kind"]) for item in page["tools"]]
        cursor = page.get("cursor")
        if not cursor:
            break
    assert names == [("refunds", "tool"), ("refunds", "skill"), ("wrapping", "skill")]


async def test_the_tools_of_skills_are_listed_where_there_are_skills(folder: Path) -> None:
    catalog = SkillCatalog(folder)
    peg = Pegboard(skills=catalog)
    assert {"skills", "read_skill_resource"} <= set((await peg.open()).listing().names)
    assert {"skills", "read_skill_resource"}.isdisjoint((await Pegboard().open()).listing().names)
    none = await peg.open(skills=())
    assert {"skills", "read_skill_resource"}.isdisjoint(none.listing().names)
    assert await told(none, "skills", skill_name="refunds") == "Unknown skill: 'refunds'. There are no skills."


async def test_a_new_skill_changes_neither_listing_nor_prompt_before_the_boundary(tmp_path: Path) -> None:
    catalog = SkillCatalog(tmp_path)
    board = await Pegboard(skills=catalog).open()
    listing, prompt = board.listing(), await board.prompt()
    put(tmp_path, "refunds")
    catalog.reload()
    assert (board.listing().bytes, await board.prompt(), prompt) == (listing.bytes, "", "")
    assert await board.stale()
    await board.commit()
    assert "skills" in board.listing().names
    before = await board.prompt()
    assert "<name>refunds</name>" in before
    put(tmp_path, "refunds", skill_text("refunds", "Says more."))
    catalog.reload()
    assert await board.prompt() == before
    await board.commit()
    assert "Says more." in await board.prompt()


async def test_an_activated_skill_is_given_and_its_tools_are_listed_from_the_next_boundary_on(folder: Path) -> None:
    receipts = Receipts()
    peg = Pegboard([registry_of(*TOOLS)], skills=SkillCatalog(folder), receipts=receipts)
    board = await peg.open()
    first = await board.call("skills", {"skill_name": "refunds"})
    assert isinstance(first, ToolResult)
    assert receipts.last.tool == "skills"
    instructions, note = (block["text"] for block in first.content)
    assert instructions.startswith("Do it.\n\n---\nAllowed tools: find_order,")
    assert note == "Listed from the next turn on, for this skill: find_order, shop__refund."
    assert board.pending == (("find_order", "shop__refund"), ())
    await board.commit()
    assert board.listing().names[-2:] == ("find_order", "shop__refund")
    board.unpin("find_order")
    again = await told(board, "skills", skill_name="refunds")
    assert again == instructions
    assert board.pin_state("find_order") is PinState.LEAVING
    await board.commit()
    resumed = await peg.open(board_id=board.id)
    assert await resumed.skills.instructions() == {"refunds": instructions}
    await told(resumed, "skills", skill_name="refunds")
    assert resumed.pending == ((), ())


async def test_a_skill_that_changed_may_load_other_tools(folder: Path) -> None:
    catalog = SkillCatalog(folder)
    board = await Pegboard([registry_of(*TOOLS)], skills=catalog).open()
    await board.skills.activate("wrapping")
    assert board.pending == ((), ())
    put(folder, "wrapping", skill_text("wrapping", **{"allowed-tools": "find_order"}))
    catalog.reload()
    assert (await board.skills.activate("wrapping")).pinned == ("find_order",)


@pytest.mark.parametrize(
    ("settings", "profile"), [({"pin_skill_tools": False}, "python"), ({}, "modern"), ({}, "boards")]
)
async def test_a_skill_loads_no_tools_where_that_is_off_or_lists_follow_no_pins(
    folder: Path, settings: Mapping[str, Any], profile: str
) -> None:
    board = await Pegboard([registry_of(*TOOLS)], skills=SkillCatalog(folder), **settings).open(profile=profile)
    assert (await board.skills.activate("refunds")).pinned == ()
    assert board.pending == ((), ())


async def test_what_a_skill_loads_is_bounded_and_never_what_is_hidden(folder: Path) -> None:
    policy = Rules(hidden=["find_order"])
    peg = Pegboard([registry_of(*TOOLS)], skills=SkillCatalog(folder), policy=policy)
    assert (await (await peg.open(ALICE)).skills.activate("refunds")).pinned == ("shop__refund",)
    bounded = Pegboard([registry_of(*TOOLS)], skills=SkillCatalog(folder), limits=Limits(load_best=1))
    assert (await (await bounded.open()).skills.activate("refunds")).pinned == ("find_order",)


async def test_a_bare_name_means_the_only_visible_tool_that_its_source_calls_so(folder: Path) -> None:
    other = make("depot__refund", "Another.", bare_name="refund", source="depot")
    put(folder, "refunds", skill_text("refunds", **{"allowed-tools": "refund"}))
    policy = Rules()
    peg = Pegboard([registry_of(*TOOLS, other)], skills=SkillCatalog(folder), policy=policy)
    assert (await (await peg.open(ALICE)).skills.activate("refunds")).pinned == ()
    policy.hidden.add("depot__refund")
    assert (await (await peg.open(ALICE)).skills.activate("refunds")).pinned == ("shop__refund",)


async def test_a_board_begins_with_the_skills_that_it_is_always_to_have(folder: Path) -> None:
    choice = SkillChoice(always="wrapping")
    board = await Pegboard(skills=SkillCatalog(folder)).open(skills=choice)
    assert [*await board.skills.instructions()] == ["wrapping"]
    prompt = await board.skills.prompt()
    assert "<name>refunds</name>" in prompt.text
    assert "wrapping" not in prompt.text
    await board.skills.activate("refunds")
    assert [*await board.skills.instructions()] == ["wrapping", "refunds"]


async def test_a_skill_that_cannot_be_given_takes_no_other_along(folder: Path) -> None:
    class Away(StillSkills):
        async def instructions_of(self, skill: Skill) -> str:
            raise ToolError("The server does not answer.")

    sources: list[Any] = [Away({"far": "Far away."}, "away"), SkillCatalog(folder)]
    board = await Pegboard(skills=sources).open(skills=SkillChoice(always=["far", "wrapping"]))
    given = await board.skills.instructions()
    assert given["wrapping"].startswith("Do it.")
    assert given["far"] == "The skill far cannot be given now: The server does not answer."


async def test_a_resource_is_read_through_the_board(folder: Path) -> None:
    board = await Pegboard(skills=SkillCatalog(folder)).open()
    assert await told(board, "read_skill_resource", skill="wrapping", path="references/bows.md") == "Red ones."
    assert "is no path inside" in await told(board, "read_skill_resource", skill="wrapping", path="../x")
    assert "path: expected string" in await told(board, "read_skill_resource", skill="wrapping", path=1)
    assert "skill_name: missing" in await told(board, "skills")


@pytest.mark.parametrize("meta", ["get_tool", "explain_tool", "load_tool", "unload_tool", "call_tool"])
async def test_the_name_of_a_skill_where_a_tool_is_wanted_says_how_it_is_used(folder: Path, meta: str) -> None:
    board = await Pegboard(skills=SkillCatalog(folder)).open()
    said = "'refunds' is a skill, not a tool. Get its instructions with skills."
    assert await told(board, meta, name="refunds") == said
    without = await Pegboard(skills=SkillCatalog(folder), profiles={"python": [meta, "find_tools"]}).open()
    assert await told(without, meta, name="refunds") == "No tool is named 'refunds'. Search with find_tools."
    assert (await told(without, "find_tools", query=""))["tools"] == []
    assert (await told(without, "find_tools", query="money back"))["tools"] == []


async def test_a_skill_that_is_called_says_how_it_is_read_by_every_way_of_calling(folder: Path) -> None:
    async def ask(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call(arguments["name"])

    tools = registry_of(make("ask", handler=ask), make("wrapping", "A tool, hidden."))
    policy = Hiding({("tool", "wrapping"), ("skill", "vault")})
    put(folder, "vault")
    receipts = Receipts()
    peg = Pegboard([tools], skills=SkillCatalog(folder), policy=policy, receipts=receipts)
    board = await peg.open(ALICE)
    ways: list[Callable[[str], Any]] = [
        lambda name: board.call(name, {}),
        lambda name: board.call(name, "nonsense"),
        lambda name: board.call("call_tool", {"name": name, "arguments": {}}),
        lambda name: board.call("ask", {"name": name}),
    ]
    for way in ways:
        for name in ("refunds", "wrapping"):
            result = await way(name)
            assert result.is_error
            assert result.text == f"{name!r} is a skill, not a tool. Get its instructions with skills."
        said, missing = [wire(await way(name)) for name in ("vault", "nowhere")]
        assert said.replace("vault", "NAME") == missing.replace("nowhere", "NAME")
        assert "No tool is named" in missing
    assert receipts.all[0].outcome == "not_found"
    without = await Pegboard(skills=SkillCatalog(folder), profiles={"python": ["find_tools"]}).open()
    assert await told(without, "refunds") == "No tool is named 'refunds'. Search with find_tools."
    limited = await peg.open(skills=["wrapping"])
    assert await told(limited, "refunds") == "No tool is named 'refunds'. Search with find_tools."
    for odd in (None, 3, "", "\ud800"):
        assert (await board.call(odd)).is_error  # type: ignore[arg-type,union-attr]


async def test_their_tools_names_are_taken_where_a_pegboard_has_skills(folder: Path) -> None:
    catalog = SkillCatalog(folder)
    registry = ToolRegistry()
    registry.register(catalog.tool())
    with pytest.raises(CollisionError, match="'skills'"):
        Pegboard([registry], skills=catalog)
    alone = await Pegboard([registry]).open()
    assert (await told(alone, "skills", skill_name="refunds")).startswith("Do it.")


# What is hidden is not there: two worlds, one with a skill that the rules hide, and one that never had it.

ANN = Principal(id="ann")
RULES = RulePolicy(
    [
        Rule(principals=["*"], names=["*"], allow=["discover", "invoke"]),
        Rule(principals=["*"], kinds=["skill"], sources=["vault"], deny=["discover"]),
    ]
)
ASKED: list[tuple[str, Mapping[str, Any]]] = [
    ("find_tools", {"query": "open the vault and give money back"}),
    ("find_tools", {"query": "vault"}),
    ("find_tools", {"query": "vault-keys", "detail": "full"}),
    ("find_tools", {"query": ""}),
    ("tool_search", {"query": "quasar money"}),
    ("skills", {"skill_name": "nothing"}),
    ("skills", {"skill_name": "refunds"}),
    ("read_skill_resource", {"skill": "nothing", "path": "SKILL.md"}),
    ("list_tools", {}),
]
NAMED: list[tuple[str, str]] = [
    ("skills", "skill_name"),
    ("get_tool", "name"),
    ("load_tool", "name"),
    ("call_tool", "name"),
    ("", ""),
]
"""Ways of asking for a name: a meta-tool and its argument, or as a call of its own."""


class Hiding(Rules):
    """Hides entries by kind and name."""

    def __init__(self, hides: set[tuple[str, str]]) -> None:
        super().__init__()
        self.hides = hides

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """Deny what is hidden."""
        return Decision(allowed=(entry.kind, entry.name) not in self.hides)

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """The same of many."""
        return [(entry.kind, entry.name) not in self.hides for entry in entries]


def worlds(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Pegboard, Pegboard]:
    """Two Pegboards over equal folders; in the first there is a skill besides that Ann may not discover."""
    secret = tmp_path_factory.mktemp("secret")
    put(secret, "vault", skill_text("vault-keys", "Open the vault. Quasar, money, back."))
    put(secret, "refunds", skill_text("refunds", "Hide the money of the vault.", "Hidden.\n"))
    shown = SkillCatalog(folder)
    return (
        Pegboard([registry_of(*TOOLS)], skills=[SkillCatalog(secret, name="vault"), shown], policy=RULES),
        Pegboard([registry_of(*TOOLS)], skills=shown, policy=RULES),
    )


def wire(result: Any) -> str:
    assert isinstance(result, ToolResult)
    return json.dumps(result.to_wire(), ensure_ascii=False)


async def test_a_hidden_skill_changes_no_answer(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    one, other = [await peg.open(ANN) for peg in worlds(folder, tmp_path_factory)]
    assert one.listing().bytes == other.listing().bytes
    for name, arguments in ASKED:
        assert wire(await one.call(name, arguments)) == wire(await other.call(name, arguments)), (name, arguments)
    assert one.pending == other.pending
    assert await one.prompt() == await other.prompt()
    for name, argument in NAMED:
        for hidden in ("vault-keys", "vault"):
            said, missing = [
                wire(await one.call(name or asked, {argument: asked} if name else {})) for asked in (hidden, "nowhere")
            ]
            assert said.replace(hidden, "NAME") == missing.replace("nowhere", "NAME")
    with pytest.raises(NoSkillError):
        await one.skills.activate("vault-keys")


async def test_who_may_discover_no_skill_is_shown_no_tool_for_them(tmp_path: Path) -> None:
    put(tmp_path, "vault")
    board = await Pegboard(skills=SkillCatalog(tmp_path, name="vault"), policy=RULES).open(ANN)
    assert board.listing().bytes == (await Pegboard(policy=RULES).open(ANN)).listing().bytes


async def test_a_right_that_is_lost_hides_a_skill_at_once(folder: Path) -> None:
    policy = Rules()
    board = await Pegboard([registry_of(*TOOLS)], skills=SkillCatalog(folder), policy=policy).open(ALICE)
    await board.skills.activate("refunds")
    await board.commit()
    policy.hidden.add("refunds")
    assert "refunds" not in await board.prompt()
    assert await board.skills.instructions() == {}
    assert await told(board, "skills", skill_name="refunds") == "Unknown skill: 'refunds'. Available skills: wrapping."


WORDS = ("money", "back", "order", "present", "wrap", "vault")


@given(
    st.dictionaries(st.text("abc-", min_size=1, max_size=6), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)),
    st.sets(st.integers(0, 20)),
    st.lists(st.sampled_from(WORDS), max_size=3),
)
def test_whatever_is_hidden_answers_are_those_of_a_world_without_it(
    described: dict[str, list[str]], hidden: set[int], query: list[str]
) -> None:
    texts = {name: " ".join(words) for name, words in described.items()}
    secret = {name for place, name in enumerate(texts) if place in hidden}
    shown = {name: text for name, text in texts.items() if name not in secret}

    async def answers(skills: Mapping[str, str], policy: Rules) -> list[str]:
        peg = Pegboard(
            [registry_of(*TOOLS)], skills=StillSkills(skills), policy=policy, limits=Limits(skills_chars=300)
        )
        board = await peg.open(ALICE)
        asked = [
            ("find_tools", {"query": " ".join(query)}),
            ("tool_search", {"query": " ".join(query)}),
            *(("skills", {"skill_name": name}) for name in ("x", *shown)),
        ]
        said = [wire(await board.call(name, arguments)) for name, arguments in asked]
        return [
            *said,
            await board.prompt(),
            board.listing().bytes.decode(),
            *(await board.skills.instructions()).values(),
        ]

    async def both() -> None:
        assert await answers(texts, Rules(hidden=[*secret])) == await answers(shown, Rules())

    anyio.run(both)


def test_what_is_no_catalog_of_skills_is_refused_with_the_way_to_make_one(tmp_path: Path) -> None:
    for wrong in (str(tmp_path), tmp_path, [tmp_path]):
        with pytest.raises(DefinitionError, match=r"takes catalogs of skills") as caught:
            Pegboard(skills=wrong)  # type: ignore[arg-type]
        assert str(tmp_path)[:80] in str(caught.value)
        assert "SkillCatalog(folder)" in str(caught.value.hint)
