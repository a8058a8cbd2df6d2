"""What use has taught on top of rankings: order, parts of scores, and who may see what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.search import Bm25Ranker, Candidates, Explains, LexicalRanker, Ranked, Ranker, Ranking, exact_first
from pegboard.search.counts import idf
from pegboard.search.lessons import lessons_of
from pegboard.search.usage import UNTRIED, UNUSED, USED, Recall, with_usage
from pegboard.tools import Entry
from tests.search.every import every_ranker
from tests.search.things import SIX, Thing, names, rows, things

WORDS = ("alpha", "beta", "gamma", "send", "mail", "weather")
ENTRIES = st.lists(things, min_size=1, max_size=8, unique_by=lambda entry: entry.name)
ASKS = st.lists(st.sampled_from((*WORDS, "unknown")), min_size=1, max_size=5).map(" ".join)


@dataclass
class Recalling:
    """A recall of what is written down."""

    known: Mapping[str, Mapping[str, float]]
    others: Sequence[str] = ()

    def uses(self, terms: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
        """Those of the words."""
        return {term: self.known[term] for term in terms if term in self.known}

    def used(self, tools: Iterable[str]) -> set[str]:
        """Those that a word led to, and the others."""
        return set(tools) & {*self.others, *(tool for found in self.known.values() for tool in found)}


def recalling(uses: Mapping[str, Mapping[str, float]], others: Sequence[str] = ()) -> Recall:
    """A recall of what is written down; ``others`` were used after other words."""
    return Recalling(uses, others)


@st.composite
def taught(draw: st.DrawFn) -> tuple[list[Thing], Mapping[str, Mapping[str, float]]]:
    """Entries, and what led to some of them and to a tool that is not there."""
    entries = draw(ENTRIES)
    tools = st.sampled_from([entry.name for entry in entries] + ["gone"])
    uses = st.dictionaries(tools, st.floats(0.05, 20), min_size=1, max_size=5)
    return entries, draw(st.dictionaries(st.sampled_from(WORDS), uses, max_size=5))


@every_ranker
@settings(max_examples=40)
@given(drawn=taught(), query=ASKS)
def test_the_parts_add_up_to_the_score_of_every_ranker(
    make: Callable[[], Ranker], drawn: tuple[list[Thing], Mapping[str, Mapping[str, float]]], query: str
) -> None:
    entries, uses = drawn
    ranker = with_usage(make(), recalling(uses))
    assert isinstance(ranker, Explains)
    scores = {ranked.entry.name: ranked.score for ranked in ranker.rank(query, entries)}
    reading = ranker.explain(query, entries, {entry.name for entry in entries})
    assert {name: shares.score for name, shares in reading.shares.items()} == pytest.approx(scores, rel=1e-9)
    for shares in reading.shares.values():
        used = sum(term.points for term in shares.terms if term.field == USED)
        assert used == pytest.approx(sum(part.points for part in shares.parts if part.name == USED))


@every_ranker
@settings(max_examples=40)
@given(drawn=taught(), query=ASKS, mask=st.integers(0, 255))
def test_a_slice_answers_as_a_catalog_that_has_nothing_else(
    make: Callable[[], Ranker], drawn: tuple[list[Thing], Mapping[str, Mapping[str, float]]], query: str, mask: int
) -> None:
    entries, uses = drawn
    seen = [bool(mask >> place & 1) for place in range(len(entries))]
    alone = [entry for entry, on in zip(entries, seen, strict=True) if on]
    visible = {entry.name for entry in alone}
    known = {term: {name: n for name, n in tools.items() if name in visible} for term, tools in uses.items()}
    ranker, knowing_less = with_usage(make(), recalling(uses)), with_usage(make(), recalling(known))
    first, second = ranker.rank(query, Candidates.of(entries).only(seen)), knowing_less.rank(query, alone)
    assert rows(first) == rows(second)
    assert _confidence(first) == _confidence(second)


def _confidence(found: Sequence[Ranked]) -> Any:
    return found.confidence if isinstance(found, Ranking) else None


@every_ranker
@settings(max_examples=40)
@given(drawn=taught(), query=ASKS)
def test_nothing_that_was_found_is_lost_and_none_falls_below_its_own_score(
    make: Callable[[], Ranker], drawn: tuple[list[Thing], Mapping[str, Mapping[str, float]]], query: str
) -> None:
    entries, uses = drawn
    before = {ranked.entry.name: ranked.score for ranked in make().rank(query, entries)}
    found = with_usage(make(), recalling(uses)).rank(query, entries)
    after = {ranked.entry.name: ranked.score for ranked in found}
    assert len(after) == len(found) == len(list(found))
    assert before.keys() <= after.keys()
    assert all(after[name] >= score for name, score in before.items())
    assert [ranked.score for ranked in found] == sorted(after.values(), reverse=True)
    led = {name for term in query.split() for name in uses.get(term, ())}
    assert after.keys() - before.keys() <= led


@every_ranker
def test_without_anything_learned_the_ranking_is_the_rankers_own(make: Callable[[], Ranker]) -> None:
    pool = Candidates.of(SIX)
    assert rows(with_usage(make(), recalling({})).rank("send mail", pool)) == rows(make().rank("send mail", pool))


PAIR = [Thing("send_mail", "Send a mail"), Thing("send_letter", "Send a letter"), Thing("weather", "Tell the weather")]


def test_a_word_that_led_to_a_tool_raises_it_and_the_reason_says_so() -> None:
    ranker = with_usage(LexicalRanker(), recalling({"parcel": {"send_letter": 3.0}}))
    before, after = LexicalRanker().rank("send parcel", PAIR), ranker.rank("send parcel", PAIR)
    assert names(before) == ["send_letter", "send_mail"] or names(before) == ["send_mail", "send_letter"]
    assert names(after)[0] == "send_letter"
    assert after[0].reason == "matched: name, description, used"
    assert after[1].reason == "matched: name, description"


def test_a_tool_with_no_word_of_the_ask_is_found_and_surely() -> None:
    ranker = with_usage(LexicalRanker(), recalling({"parcel": {"send_letter": 1.0}}))
    (found,) = ranking = ranker.rank("parcel", PAIR)
    assert (found.entry.name, found.reason) == ("send_letter", USED)
    assert isinstance(ranking, Ranking)
    assert ranking.confidence == pytest.approx(1 / 2)


def test_exact_names_come_first_all_the_same() -> None:
    pool = Candidates.of(PAIR)
    words = ("parcel", "stamp", "box", "tape", "knot")
    uses = {word: {"weather": 50.0} for word in words}
    ranker, ask = with_usage(Bm25Ranker(), recalling(uses)), " ".join([*words, "send_letter"])
    assert names(ranker.rank(ask, pool))[0] == "weather"
    assert names(exact_first(ask, ranker.rank(ask, pool), pool))[:2] == ["send_letter", "weather"]


def test_a_skill_of_the_same_name_gains_nothing() -> None:
    entries: list[Entry] = [Thing("notes", "Take notes"), Thing("notes", "How to take notes", kind="skill")]
    found = with_usage(LexicalRanker(), recalling({"zebra": {"notes": 2.0}})).rank("zebra", entries)
    assert [ranked.entry.kind for ranked in found] == ["tool"]


def test_a_ranker_that_explains_nothing_stays_one() -> None:
    class Plain:
        def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
            """All, as they stand."""
            return [Ranked(entry, 1.0, "all") for entry in candidates]

    ranker = with_usage(Plain(), recalling({"parcel": {"weather": 1.0}}))
    assert not isinstance(ranker, Explains)
    assert [(one.entry.name, one.reason) for one in ranker.rank("parcel", PAIR)] == [
        ("weather", f"all, {USED}"),
        ("send_mail", "all"),
        ("send_letter", "all"),
    ]


class Silent:
    """A ranker that finds nothing."""

    def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
        """Nothing."""
        return []


def gained(ranker: Ranker, query: str, entries: Sequence[Entry], part: str = USED) -> dict[str, float]:
    """What each entry gains as a part of its score."""
    assert isinstance(ranker, Explains)
    shares = ranker.explain(query, entries, [entry.name for entry in entries]).shares
    return {name: one.points for name, share in shares.items() for one in share.parts if one.name == part}


MANY = [
    *(Thing(f"send_{what}", f"Send a {what}") for what in ("mail", "letter", "telegram", "postcard")),
    *(Thing(f"other{number}", f"Something else {number}") for number in range(40)),
]


def test_a_tool_that_nobody_has_used_keeps_its_place_before_others_that_fit_no_better() -> None:
    uses = {"send": {"send_mail": 1.0}}
    before = names(LexicalRanker().rank("send letter", MANY))
    assert before[0] == "send_letter"
    ranker = with_usage(LexicalRanker(), recalling(uses))
    assert names(ranker.rank("send letter", MANY))[0] == "send_letter"
    used, unused = gained(ranker, "send letter", MANY), gained(ranker, "send letter", MANY, UNUSED)
    assert unused["send_letter"] == pytest.approx(UNTRIED * used["send_mail"])
    assert 0 < unused["send_telegram"] < unused["send_letter"]
    assert unused.keys().isdisjoint(used)


def test_a_tool_that_was_used_after_other_words_gains_nothing() -> None:
    ranker = with_usage(LexicalRanker(), recalling({"send": {"send_mail": 1.0}}, others=["send_letter"]))
    assert "send_letter" not in gained(ranker, "send letter", MANY, UNUSED)
    assert "send_telegram" in gained(ranker, "send letter", MANY, UNUSED)


def test_a_skill_counts_as_not_used_whatever_a_tool_of_its_name_did() -> None:
    entries: list[Entry] = [*MANY, Thing("send_letter", "How to send a letter", kind="skill")]
    ranker = with_usage(LexicalRanker(), recalling({"send": {"send_mail": 1.0}}, others=["send_letter"]))
    plain = {one.entry.kind: one.score for one in LexicalRanker().rank("letter send", entries)[:2]}
    raised = {one.entry.kind: one.score for one in ranker.rank("letter send", entries)[:2]}
    assert raised["skill"] > plain["skill"]
    assert raised["tool"] == pytest.approx(plain["tool"])


def test_the_surer_the_ranker_is_the_less_use_counts() -> None:
    uses = {"send": {"send_mail": 1.0}}
    points, sure = [], []
    for ask in ("send letter", "send letter somewhere nobody knows"):
        ranked = LexicalRanker().rank(ask, MANY)
        assert isinstance(ranked, Ranking)
        sure.append(ranked.confidence or 0.0)
        points.append(gained(with_usage(LexicalRanker(), recalling(uses)), ask, MANY)["send_mail"])
        # Of two words, and of five.
        points[-1] *= len(lessons_of(ask)) ** 0.5
    assert sure[0] > sure[1]
    assert points[0] / points[1] == pytest.approx((1 - sure[0]) / (1 - sure[1]))


def test_a_word_counts_less_among_many_that_led_nowhere() -> None:
    ranker = with_usage(Silent(), recalling({"send": {"send_mail": 1.0}}))
    short, long = (ranker.rank(ask, MANY)[0] for ask in ("send", "send parcels quickly overseas"))
    assert short.entry.name == long.entry.name == "send_mail"
    assert short.score == pytest.approx(len(lessons_of("send parcels quickly overseas")) ** 0.5 * long.score)
    assert short.score > 1.5 * long.score


def test_what_use_is_worth_grows_with_the_catalog_as_scores_do() -> None:
    ranker = with_usage(Silent(), recalling({"send": {"send_mail": 1.0}}))
    few, many = (ranker.rank("send", entries)[0].score for entries in (MANY[:4], MANY))
    assert many / few == pytest.approx(idf(len(MANY), 1) / idf(4, 1))


def test_a_word_that_led_elsewhere_too_counts_less() -> None:
    alone = gained(with_usage(LexicalRanker(), recalling({"send": {"send_mail": 2.0}})), "send", MANY)
    shared = {"send": {"send_mail": 2.0, "send_telegram": 6.0}}
    among = gained(with_usage(LexicalRanker(), recalling(shared)), "send", MANY)
    assert among["send_mail"] < alone["send_mail"] / 2 < among["send_telegram"]


def test_a_word_that_leads_everywhere_tells_little() -> None:
    uses = {"thing": {entry.name: 3.0 for entry in PAIR}, "storm": {"weather": 3.0}}
    points = {
        term.term: term.points
        for term in with_usage(LexicalRanker(), recalling(uses))  # type: ignore[attr-defined]
        .explain("thing storm", PAIR, ["weather"])
        .shares["weather"]
        .terms
        if term.field == USED
    }
    assert points["storm"] > 5 * points.get("thing", 0.0)
