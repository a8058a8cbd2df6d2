"""``pegboard eval``: sets in folders, questions for the configuration's tools, floors, reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pegboard.evaluation.figures import FIGURES
from tests.cli.conftest import Run
from tests.evaluation.things import write_set

TOOLS = [
    {"name": "mail.send", "description": "Send a mail to somebody"},
    {"name": "mail.read", "description": "Read what came by mail"},
    {"name": "weather", "description": "Tell the weather of a place"},
]
QUESTIONS = [("send a mail", ["mail.send"]), ("weather in Paris", ["weather"]), ("post", ["mail.read"])]

RANKER = """
import asyncio

from pegboard import Ranked

class Backwards:
    def rank(self, query, candidates):
        return [Ranked(entry, 1.0, "") for entry in reversed(list(candidates))]

class Failing:
    def rank(self, query, candidates):
        raise KeyError("storm")

class Ending:
    def rank(self, query, candidates):
        raise SystemExit(0)

class Cancelled:
    def rank(self, query, candidates):
        raise asyncio.CancelledError

class Looked:
    @property
    def rank(self):
        raise SystemExit(0)

class Interrupted:
    def rank(self, query, candidates):
        raise KeyboardInterrupt
"""


@pytest.fixture
def sets(here: Path) -> Path:
    """The current folder, with two sets in a folder and a module of rankers."""
    write_set(here / "sets" / "mail", TOOLS, QUESTIONS)
    write_set(here / "sets" / "small", ["send", "read"], [("send it", ["send"])])
    (here / "backwards_rankers.py").write_text(RANKER)
    return here


def test_a_folder_is_measured_and_told_in_a_table(sets: Path, pegboard: Run) -> None:
    done = pegboard("eval", "sets/mail")
    assert done.code == 0
    assert done.lines[0] == "mail: 3 tools, 3 questions"
    rows = {line.split()[0]: line.split()[1:] for line in done.lines if line}
    assert rows["recall@1"] == ["0.667"]
    assert rows["mrr"] == ["0.667"]
    assert "latency_p95_ms" in rows
    assert "no_match_recall" not in rows


def test_the_document_has_every_figure_under_its_ranker(sets: Path, pegboard: Run) -> None:
    told = pegboard("eval", "sets", "--ranker", "lexical", "--ranker", "substring", "--json").json
    assert list(told["rankers"]) == ["lexical", "substring"]
    assert list(told["rankers"]["lexical"])[: len(FIGURES)] == list(FIGURES)
    assert told["rankers"]["lexical"]["recall@5"] == pytest.approx((2 / 3 + 1) / 2, abs=1e-5)
    assert [one["name"] for one in told["sets"]] == ["mail", "small"]
    assert {one["measure"] for one in told["differences"]} >= {"recall@1", "ndcg@10", "mrr"}
    assert told["options"] == {"sample": None, "seed": 0, "content_words": False, "unanswerable": False}


def test_a_ranker_of_ones_own_is_found_in_this_folder_and_compared(sets: Path, pegboard: Run) -> None:
    done = pegboard("eval", "sets/mail", "--ranker", "lexical", "--ranker", "backwards_rankers:Backwards")
    assert done.code == 0
    assert any(line.startswith("backwards_rankers:Backwards against lexical") for line in done.lines)
    failed = pegboard("eval", "sets/mail", "--ranker", "backwards_rankers:Failing")
    assert failed.code == 1
    assert "Failing fails on the question 'send a mail' of mail: KeyError" in failed.err


def test_a_ranker_that_ends_the_program_has_failed_and_its_floor_with_it(sets: Path, pegboard: Run) -> None:
    (sets / "ending.py").write_text("raise SystemExit(0)")
    for name, told in (
        ("backwards_rankers:Ending", "Ending fails on the question 'send a mail' of mail: SystemExit: 0."),
        ("backwards_rankers:Cancelled", "Cancelled fails on the question 'send a mail' of mail: CancelledError"),
        ("backwards_rankers:Looked", "SystemExit: 0"),
        ("ending:Ranker", "The ranker 'ending:Ranker' cannot be imported: SystemExit: 0."),
    ):
        done = pegboard("eval", "sets/mail", "--ranker", name, "--floor", "recall@5=0.9")
        assert (done.code > 0, told in done.err) == (True, True), done.err
    assert pegboard("eval", "sets/mail", "--ranker", "backwards_rankers:Interrupted").code == 130


def test_floors_decide_about_the_exit_code_and_each_that_fails_has_a_line(sets: Path, pegboard: Run) -> None:
    assert pegboard("eval", "sets/mail", "--floor", "recall@5=0.6", "--floor", "tokens=2000").code == 0
    done = pegboard("eval", "sets/mail", "--floor", "recall@5=0.7", "--floor", "mrr=0.9", "--floor", "recall@1=0.5")
    assert done.code == 1
    assert [line for line in done.err.splitlines() if line.startswith("Error")] == [
        "Error: lexical: recall@5 is 0.6667, wanted at least 0.7.",
        "Error: lexical: mrr is 0.6667, wanted at least 0.9.",
    ]
    assert "recall@5" in done.out
    told = pegboard("eval", "sets/mail", "--floor", "recall@5=0.7", "--json")
    assert told.code == 1
    assert told.json["floors"] == {"given": 1, "broken": ["lexical: recall@5 is 0.6667, wanted at least 0.7."]}


def test_questions_are_asked_of_the_tools_of_the_configuration(shop: Path, pegboard: Run) -> None:
    questions = [
        {"id": "1", "query": "where is my order", "relevant": ["track"]},
        {"id": "2", "query": "money back", "relevant": ["refnud"]},
        {"id": "3", "query": "bake bread", "relevant": []},
    ]
    Path("questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    done = pegboard("eval", "questions.jsonl", "--json")
    assert done.code == 0
    assert done.json["rankers"]["lexical"]["recall@1"] == 1.0
    assert done.json["rankers"]["lexical"]["no_match_recall"] == 1.0
    assert done.json["sets"][0]["set_aside"] == 1
    assert (
        "questions.jsonl:2: \"relevant\" names 'refnud', and there is no such tool. Did you mean 'refund'?" in done.err
    )
    assert "questions: 1 of 3 questions were set aside." in done.err


def test_the_ranker_of_the_configuration_is_the_one_that_is_measured(shop: Path, pegboard: Run) -> None:
    file = Path("pegboard.toml")
    file.write_text(file.read_text() + '[search]\nranker = "substring"\n')
    Path("q.jsonl").write_text('{"query": "track", "relevant": ["track"]}')
    assert list(pegboard("eval", "q.jsonl", "--json").json["rankers"]) == ["substring"]


def test_what_a_principal_may_not_see_is_no_tool_of_its_questions(shop: Path, pegboard: Run) -> None:
    file = Path("pegboard.toml")
    rule = '[principals.ann]\n[[policy.rules]]\nprincipals = ["ann"]\nnames = ["track"]\nallow = ["discover"]\n'
    file.write_text(file.read_text() + rule)
    Path("q.jsonl").write_text('{"query": "x", "relevant": ["refund"]}\n{"query": "order", "relevant": ["track"]}')
    assert pegboard("eval", "q.jsonl", "--json").json["sets"][0]["set_aside"] == 0
    seen = pegboard("eval", "q.jsonl", "--as", "ann", "--json")
    assert seen.json["sets"][0]["tools"] == 1
    assert "names 'refund', and there is no such tool" in seen.err


def test_a_report_is_written_and_says_nothing_on_stdout(sets: Path, pegboard: Run) -> None:
    assert pegboard("eval", "sets", "--html", "report.html", "--json").json["rankers"]
    text = Path("report.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "recall@5" in text
    done = pegboard("eval", "sets", "--html", "no/such/report.html")
    assert done.code == 3
    assert "the report cannot be written: No such file or directory. Check the path." in done.err


def test_a_sample_and_reduced_questions_are_told(sets: Path, pegboard: Run) -> None:
    done = pegboard("eval", "sets", "--sample", "1", "--seed", "4", "--content-words", "--unanswerable", "--json").json
    assert done["options"] == {"sample": 1, "seed": 4, "content_words": True, "unanswerable": True}
    assert [one["questions"] for one in done["sets"]] == [2, 2]


def test_sets_of_one_name_are_told_apart(sets: Path, pegboard: Run) -> None:
    told = pegboard("eval", "sets/mail", "sets/mail", "--json").json
    assert list(told["rankers"]["lexical"]["sets"]) == ["mail", "mail (2)"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "Missing argument"),
        (("gone",), 3, "gone: there is no such folder or file. Check the path."),
        (("empty",), 3, "empty: there is no data set in this folder. It needs tools.jsonl and queries.jsonl"),
        (("sets", "--ranker", "lexicla"), 2, "No ranker is called 'lexicla'."),
        (("sets", "--floor", "recall@7=1"), 2, "'recall@7' is no figure; there are recall@1"),
        (("sets", "--floor", "bm25:mrr=1"), 2, "'bm25' is not among the rankers that are compared: lexical."),
        (("sets", "--as", "ann"), 2, "only the tools of the configuration are seen by somebody"),
        (("sets", "--sample", "0"), 2, "greater than or equal to 1"),
        (("backwards_rankers.py",), 3, "There is no configuration"),
    ],
)
def test_what_cannot_be_measured_is_told(sets: Path, pegboard: Run, words: Any, code: int, message: str) -> None:
    Path("empty").mkdir()
    done = pegboard("eval", *words)
    assert (done.code, message in done.err) == (code, True), done.err
