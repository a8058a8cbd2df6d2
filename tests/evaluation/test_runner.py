"""Asking questions as find_tools is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pegboard import Limits
from pegboard.errors import EvaluationError
from pegboard.evaluation.datasets import DataSet, read_set
from pegboard.evaluation.evaluation import Options, evaluate
from pegboard.evaluation.runner import COUNTED, run
from pegboard.search import LexicalRanker, Ranked, Ranker
from pegboard.search.hybrid import HybridRanker
from pegboard.tools import Entry
from tests.evaluation.things import write_set
from tests.search.encoders import Broken

TOOLS = [
    {"name": "mail.send", "description": "Send a mail to somebody"},
    {"name": "mail.read", "description": "Read what came by mail"},
    {"name": "weather", "description": "Tell the weather of a place"},
]


class Fixed:
    """A ranker that gives these names, whatever is asked."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
        """The candidates of the names, in their order."""
        by_name = {entry.name: entry for entry in candidates}
        return [Ranked(by_name[name], 1.0, "") for name in self.names if name in by_name]


@pytest.fixture
def mail(tmp_path: Path) -> DataSet:
    """A small set."""
    questions = [("send a mail", ["mail.send"]), ("weather in Paris", ["weather"]), ("bake bread", [])]
    return read_set(write_set(tmp_path / "mail", TOOLS, questions))


def test_what_is_found_is_told_by_the_names_of_the_questions(mail: DataSet) -> None:
    send, weather, bread = run(mail, LexicalRanker())
    assert send.found == ("mail.send", "mail.read")
    assert weather.found[0] == "weather"
    assert (bread.found, bread.refused) == ((), True)
    assert not send.refused
    assert send.seconds is not None
    assert send.tokens is not None
    assert send.tokens > 20


def test_a_name_that_stands_in_the_question_comes_first_as_in_a_search(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, TOOLS, [("use mail.read to send a mail", ["mail.read"])]))
    assert next(run(data, LexicalRanker())).found[0] == "mail.read"


def test_a_name_that_a_ranker_gives_twice_counts_once(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, ["a", "b"], [("x", ["a", "b"])]))
    assert next(run(data, Fixed("a", "a", "b"))).found == ("a", "b")


def test_what_was_found_is_looked_at_as_far_as_the_first_right_tool(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(30)]
    data = read_set(write_set(tmp_path, names, [("x", ["t14"]), ("y", ["t0"]), ("z", [])]))
    late, early, none = run(data, Fixed(*names), Limits(search=5))
    assert len(late.found) == 15
    assert len(early.found) == len(none.found) == 10


def test_a_ranker_that_fails_is_named_with_the_question_that_it_fails_on(mail: DataSet) -> None:
    class Failing:
        def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
            """Fail on one question."""
            if "weather" in query:
                raise KeyError("storm")
            return []

    with pytest.raises(EvaluationError, match=r"Failing fails on the question 'weather in Paris' of mail: KeyError"):
        list(run(mail, Failing()))


def test_tokens_are_counted_for_questions_evenly_taken(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, TOOLS, [(f"mail {number}", ["weather"]) for number in range(2 * COUNTED)]))
    counted = [place for place, answer in enumerate(run(data, Fixed())) if answer.tokens is not None]
    assert counted == list(range(0, 2 * COUNTED, 2))


def test_without_its_right_tools_a_need_finds_others_or_nothing(mail: DataSet) -> None:
    options = Options(unanswerable=True)
    found = evaluate([mail], {"lexical": LexicalRanker()}, options).results[0]
    by_id = {answer.question.id: answer for answer in found.answers[0]}
    assert by_id["send a mail/without"].found == ("mail.read",)
    assert by_id["weather in Paris/without"].refused
    assert by_id["weather in Paris/without"].seconds is None
    assert found.overall.values["no_match_recall"] == pytest.approx(2 / 3)
    assert found.overall.values["no_match_precision"] == 1.0
    assert found.overall.values["false_no_match"] == 0.0


def contenders(**rankers: Ranker) -> dict[str, Ranker]:
    return rankers


def test_rankers_stand_side_by_side_in_the_document(mail: DataSet) -> None:
    told: list[tuple[str, str, int, int]] = []
    rankers = contenders(lexical=LexicalRanker(), fixed=Fixed("weather"))
    document = evaluate([mail], rankers, told=lambda *step: told.append(step)).to_json()
    assert list(document["rankers"]) == ["lexical", "fixed"]
    lexical, fixed = document["rankers"].values()
    assert [lexical[key] for key in ("recall@1", "recall@5", "recall@10", "ndcg@10", "mrr")] == [1.0] * 5
    assert fixed["recall@1"] == 0.5
    assert fixed["sets"]["mail"]["recall@1"] == 0.5
    assert fixed["slices"]["length"]["1-3 words"]["answerable"] == 2
    difference = {one["measure"]: one for one in document["differences"]}["recall@1"]
    assert (difference["ranker"], difference["against"], difference["value"]) == ("fixed", "lexical", -0.5)
    assert document["sets"] == [{"name": "mail", "tools": 3, "questions": 3, "set_aside": 0, "problems": []}]
    assert told[:3] == [("lexical", "mail", 1, 3), ("lexical", "mail", 2, 3), ("lexical", "mail", 3, 3)]
    assert told[-1] == ("fixed", "mail", 3, 3)


def test_the_same_questions_give_the_same_document_but_for_times(mail: DataSet) -> None:
    def figures() -> str:
        document = evaluate([mail], contenders(lexical=LexicalRanker(), fixed=Fixed("weather")), Options(seed=3))
        return repr([(one.ranker, one.intervals) for one in document.results]) + repr(document.differences)

    assert figures() == figures()


def test_what_a_part_of_a_ranker_found_is_not_told_as_the_work_of_all(mail: DataSet) -> None:
    broken = HybridRanker(Broken(lambda texts: 1 / 0))
    with pytest.raises(EvaluationError, match=r"did not do all of its work .* it failed with ZeroDivisionError"):
        list(run(mail, broken))
