from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import retrieval
from pegboard.evaluation.datasets import read_set
from pegboard.naming import legal_name
from pegboard.search import Candidates, LexicalRanker, lexical, unmatched_terms
from pegboard.search.fields import DESCRIPTION, NAME, SOURCE, Field, texts
from pegboard.search.text import Word, words
from tests.search.things import Thing, names, queries, read, rows, things

WORDS = ("send", "message", "channel", "create", "issue", "weather", "today", "file", "list", "the", "search")


def best(query: str, entries: list[Thing]) -> str:
    return names(LexicalRanker().rank(query, entries))[0]


def test_the_name_counts_more_than_the_description() -> None:
    entries = [Thing("archive", "Moves an invoice away"), Thing("invoice", "Moves an archive away")]
    assert best("invoice", entries) == "invoice"


@pytest.mark.parametrize("query", ["addPerson", "add person", "ADDPERSON", "addPerson_crm", "add-person"])
def test_a_camel_case_name_is_found_however_it_is_written(query: str) -> None:
    entries = [
        Thing("addActivity", "Log a meeting on a deal in the crm.", source="crm"),
        Thing("addPerson", "Create a contact.", source="crm"),
        Thing("getPerson", "Read a contact.", source="crm"),
        Thing("addDeal", "Open a deal in the crm pipeline.", source="crm"),
    ]
    assert best(query, entries) == "addPerson"


@pytest.mark.parametrize(("query", "expected"), [("条例を調べて", "find_rule"), ("会議室", "book_room")])
def test_descriptions_in_japanese_are_found(query: str, expected: str) -> None:
    entries = [
        Thing("send_mail", "メールを送ります。"),
        Thing("book_room", "会議室を予約します。"),
        Thing("find_rule", "市の条例を調べます。番号や題名で探せます。"),
    ]
    assert best(query, entries) == expected


def test_asking_words_do_not_steer_the_ranking() -> None:
    entries = [
        Thing("product_help", "How do I use the product? How to read the list of the steps, and how do I start."),
        Thing("cancel_order", "Cancel one order."),
    ]
    assert names(LexicalRanker().rank("how do I cancel the order of a customer", entries)) == ["cancel_order"]


def test_a_prefix_that_all_share_does_not_flood_the_result() -> None:
    things = ("comment", "issue", "branch", "release")
    entries = [Thing(f"hub_add_{what}", f"add a {what} on the hub") for what in things]
    entries.append(Thing("hub_get_me", "Show the profile of the account that is signed in."))
    assert best("hub profile", entries) == "hub_get_me"
    assert best("get me", entries) == "hub_get_me"


def prefixed(source: str, name: str, description: str) -> Thing:
    return Thing(legal_name(name, source), description, source=source, bare=name)


def test_a_source_in_the_ask_chooses_among_equal_tools() -> None:
    entries = [prefixed(source, "create_issue", "Open an issue") for source in ("gitea", "github", "gitlab")]
    assert best("create a github issue", entries) == "github__create_issue"
    assert len(LexicalRanker().rank("create a github issue", entries)) == 3


def test_a_source_alone_finds_its_tools() -> None:
    entries = [prefixed("github", "create_issue", "Open an issue"), prefixed("jira", "close_ticket", "Close it")]
    found = LexicalRanker().rank("github", entries)
    assert names(found) == ["github__create_issue"]
    assert found[0].reason == "matched: source"


def test_a_word_of_the_description_counts_more_than_the_source() -> None:
    entries = [prefixed("github", f"thing_{number}", "Does something") for number in range(5)]
    entries += [prefixed("office", f"thing_{number}", "Sends something by mail") for number in range(5)]
    entries += [prefixed("disk", f"thing_{number}", "Does something") for number in range(5)]
    assert best("mail from github", entries).startswith("office__")


def jira_among_others() -> list[Thing]:
    """Two tools that fit, of which the named source's says a little more besides; and others of both sources."""
    long = "Create an issue by mail"
    entries = [prefixed("tracker", "create_issue", "Create an issue"), prefixed("jira", "create_issue", long)]
    entries += [prefixed("tracker", f"thing_{number}", "Does something") for number in range(5)]
    return [*entries, *(prefixed("jira", f"other_{number}", "Does something else") for number in range(5))]


def test_of_tools_that_fit_those_of_the_source_that_is_named_come_first() -> None:
    assert best("create an issue", jira_among_others()) == "tracker__create_issue"
    assert best("create an issue in jira", jira_among_others()) == "jira__create_issue"


def test_a_word_of_everyday_language_names_no_source() -> None:
    entries = [*jira_among_others(), *(Thing(f"jira_{n}", "Speaks of jira in passing") for n in range(30))]
    assert best("create an issue in jira", entries) == "tracker__create_issue"


def test_the_only_source_there_is_makes_no_score_higher() -> None:
    entries = [prefixed("mail", "send", "Sends a letter"), prefixed("mail", "read", "Reads a letter")]
    reading = LexicalRanker().explain("send a letter by mail", entries, {"mail__send"})
    assert "source named" not in {part.name for part in reading.shares["mail__send"].parts}


def test_a_name_that_was_shortened_is_searched_in_full() -> None:
    name = "listAllTheVeryLongNamesOfEverythingThatTheirsHasEverSeenAnywhereAtAll/invoices"
    entries = [prefixed("server", name, ""), prefixed("server", "other", "")]
    assert best("invoices", entries) == legal_name(name, "server")
    assert [found.reason for found in LexicalRanker().rank("server", entries)] == ["matched: source"] * 2


def test_a_renamed_tool_is_found_under_both_names() -> None:
    entries = [Thing("open_ticket", bare="createIssueV2"), Thing("close_ticket")]
    assert best("open ticket", entries) == best("create issue", entries) == "open_ticket"


def properties(**schemas: Any) -> dict[str, Any]:
    return {"type": "object", "properties": schemas}


@pytest.mark.parametrize(
    "schema",
    [
        properties(zipcode={"type": "string"}),
        properties(where={"type": "string", "description": "A zipcode"}),
        properties(where={"enum": ["zipcode", 3, None]}),
        properties(place=properties(zipcode={})),
        properties(places={"type": "array", "items": properties(zipcode={})}),
        properties(place={"anyOf": [{"type": "null"}, properties(zipcode={})]}),
        {"$defs": {"Place": properties(zipcode={})}, **properties(place={"$ref": "#/$defs/Place"})},
        {"$defs": {"of/a~place": properties(zipcode={})}, **properties(place={"$ref": "#/$defs/of~1a~0place"})},
        {"$defs": {"a b": properties(zipcode={})}, **properties(place={"$ref": "#/$defs/a%20b"})},
    ],
    ids=["name", "description", "choice", "nested", "array", "alternative", "reference", "escaped", "percent"],
)
def test_parameters_are_searched(schema: dict[str, Any]) -> None:
    entries = [Thing("lookup", input_schema=schema), Thing("other")]
    found = LexicalRanker().rank("zipcode", entries)
    assert names(found) == ["lookup"]
    assert "parameter" in found[0].reason


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"required": ["a"], "a": True, "b": False, "c": None}},
        {"properties": ["a"]},
        {"properties": {"a": {"items": [{"properties": {}}], "anyOf": "x", "enum": None, "description": 3}}},
        {"properties": {"a": {"enum": 5}, "b": {"enum": True}, "c": {"enum": {"x": 1}}, "d": {"enum": "lookup"}}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": {"$ref": "#/$defs/A"}}}}},
        {"items": {"$ref": "#"}},
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {f"p{n}": {"$ref": "#/$defs/A"} for n in range(500)}}}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}] * 2000}}},
        {"$ref": "#/properties", "properties": {"a": {"$ref": "https://example.com/schema.json"}}},
        True,
        None,
    ],
)
def test_a_strange_schema_keeps_no_tool_from_being_found(schema: Any) -> None:
    assert names(LexicalRanker().rank("lookup", [Thing("lookup", input_schema=schema)])) == ["lookup"]


def test_a_name_that_the_ask_covers_comes_before_one_that_it_covers_in_part() -> None:
    entries = [Thing("create_issue_comment", "x"), Thing("create_issue", "x"), Thing("create_issue_label", "x")]
    assert best("create an issue", entries) == "create_issue"


def test_a_tool_that_fits_one_need_well_comes_before_one_that_fits_each_a_little() -> None:
    entries = [
        Thing("a_bit_of_all", "weather rooms logo things"),
        Thing("weather_forecast", "Forecast of the weather for a city"),
        *(Thing(f"other_{number}", "rooms logo city forecast") for number in range(4)),
    ]
    assert best("the weather forecast for a city, then rooms, then a logo", entries) == "weather_forecast"


def test_the_reason_names_the_fields_that_matched() -> None:
    entry = Thing("send_mail", "Send a letter", "post", ("letter",), source="office")
    assert LexicalRanker().rank("mail", [entry])[0].reason == "matched: name"
    assert LexicalRanker().rank("office letter", [entry])[0].reason == "matched: description, tags, source"


def formula(query: str, entries: list[Thing]) -> dict[str, float]:
    """The scores by the words of ``pegboard.search.lexical``, entry by entry and without an index."""
    told = [{field: words(text) for field, text in texts(entry).items()} for entry in entries]
    counts = [_counts(fields) for fields in told]
    lengths = [sum(field.weight * len(word.parts) for field in fields for word in fields[field]) for fields in told]
    average = sum(lengths) / len(lengths) or 1.0

    def rarity(term: str) -> float:
        having = sum(term in count for count in counts)
        return math.log(1 + (len(entries) - having + 0.5) / (having + 0.5))

    def gain(term: str, place: int) -> float:
        count = counts[place].get(term, 0.0)
        tamed = count + lexical.K1 * (1 - lexical.B + lexical.B * lengths[place] / average)
        return worth(term) * (count * (lexical.K1 + 1) / tamed + lexical.DELTA * min(1.0, count))

    def worth(term: str) -> float:
        having = sum(term in count for count in counts)
        naming = sum(term in {part for word in fields[NAME] for part in word.parts} for fields in told)
        most = max(map(rarity, asked.stands_for[term])) if term in asked.stands_for else math.inf
        named = 1 + lexical.NAMED * naming / having if having else 1.0
        return asked.weights[term] * min(rarity(term), most) * named

    def share(place: int, field: Field) -> float:
        parts = {term for word in told[place].get(field, ()) for term in word.parts}
        has = {term for word in told[place].get(field, ()) for term in word.terms} & own
        return min(1.0, sum(map(rarity, has)) / sum(map(rarity, parts))) if parts else 0.0

    def naming(term: str, place: int) -> float:
        of_source = sum(term in {part for word in fields[SOURCE] for part in word.parts} for fields in told)
        having = sum(term in count for count in counts)
        here = any(term in word.terms for word in told[place][SOURCE])
        return of_source / having * (1 - of_source / len(entries)) if here and having else 0.0

    asked = read(query)
    own = set(list(asked.weights)[: asked.own])
    scores = {}
    for place, entry in enumerate(entries):
        best = max((sum(gain(term, place) for term in need) for need in asked.needs), default=0.0)
        total = sum(gain(term, place) for term in asked.weights) + lexical.CLAUSE * best
        factor = 1 + lexical.NAME_SHARE * share(place, NAME) + lexical.DESCRIPTION_SHARE * share(place, DESCRIPTION)
        factor += lexical.SOURCE_NAMED * min(1.0, sum(naming(term, place) for term in own))
        scores[entry.name] = total * factor
    return {name: score for name, score in scores.items() if score > 0}


def _counts(fields: dict[Field, list[Word]]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for field, found in fields.items():
        for word in found:
            for term in word.parts:
                counts[term] = counts.get(term, 0.0) + field.weight
            for term in word.wholes:
                counts[term] = counts.get(term, 0.0) + field.weight * lexical.WHOLE_NAME
    return counts


@given(entries=st.lists(things, min_size=1, max_size=8, unique_by=lambda entry: entry.name), query=queries)
def test_the_scores_are_those_of_the_formula(entries: list[Thing], query: str) -> None:
    found = {one.entry.name: one.score for one in LexicalRanker().rank(query, entries)}
    assert found == pytest.approx(formula(query, entries), rel=1e-9)


@given(seed=st.integers(0, 999), query=st.lists(st.sampled_from((*WORDS, ", and", ".")), max_size=9).map(" ".join))
def test_the_first_are_those_of_the_whole_order(seed: int, query: str) -> None:
    draw = Random(seed)
    entries = [
        Thing(f"{draw.choice(WORDS)}_{n}", " ".join(draw.choices(WORDS, k=draw.randint(1, 9)))) for n in range(90)
    ]
    whole = LexicalRanker().rank(query, entries)
    everything = rows(whole[: len(whole)])
    assert rows(LexicalRanker().rank(query, entries)[:20]) == everything[:20]


@pytest.mark.parametrize(("name", "floor"), [("restbench", 0.59), ("livemcp_step", 0.62), ("livemcp_task", 0.42)])
def test_the_right_tools_are_found_in_public_sets(shared: Path, name: str, floor: float) -> None:
    data = read_set(shared / "retrieval" / name)
    assert retrieval.figures(retrieval.as_searched(LexicalRanker()), data)["nDCG@10"] >= floor


def test_words_that_match_nothing_are_named_once_in_the_order_of_the_ask() -> None:
    entries = [Thing("send_mail", "Send a mail"), Thing("天気", "天気を調べる")]
    ask = "Please send Pigeons by carrier-pigeon to the mailbox, pigeons!"
    assert unmatched_terms(ask, entries) == ("Pigeons", "carrier-pigeon", "mailbox")
    assert unmatched_terms("天気 温泉", entries) == ("温泉",)
    assert unmatched_terms("", entries) == ()
    assert unmatched_terms("sending mails", entries) == ()


def test_what_may_stand_for_a_term_is_known_slice_by_slice_and_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard.search.lexical._STAND_INS_KEPT", 0)
    pool = Candidates.of([Thing("movie"), Thing("planner"), Thing("film")])
    half = pool.only([False, True, True])
    for _ in range(2):
        for slice_, expected in ((pool, {"movi"}), (half, set())):
            corpus = slice_.corpus(lexical.SCHEME)
            assert lexical.looked_up(corpus, "film").asked.stands_for.keys() == expected
            assert lexical.looked_up(corpus, "plan").asked.stands_for.keys() == {"planner"}
            assert len(corpus.stand_ins) == 1


def test_what_stands_for_others_comes_after_those_terms_of_the_ask_that_are_left() -> None:
    corpus = Candidates.of([Thing("rent"), Thing("film"), Thing("movie")]).corpus(lexical.SCHEME)
    asked = lexical.looked_up(corpus, "rent film").asked  # nothing is named rentfilm
    assert (list(asked.weights), asked.own) == (["rent", "film", "movi"], 2)


def test_a_reason_tells_of_frequent_words_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard.search.occurrences._FREQUENT", 2)
    entries = [Thing("send_mail"), Thing("read", "Read a mail"), Thing("show_mail", "Show a file")]
    found = LexicalRanker().rank("mail file", entries)
    assert {one.entry.name: one.reason for one in found} == {
        "send_mail": "matched: name",
        "read": "matched: description",
        "show_mail": "matched: name, description",
    }
