"""Sets as they are read: what holds, and what is set aside with its line and fix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pegboard.errors import DataSetError
from pegboard.evaluation.datasets import DataSet, Question, read_set, sets_of
from pegboard.search import LexicalRanker
from tests.evaluation.things import write_set


def told(data: DataSet) -> list[str]:
    """The problems, each as file name, line, message and fix."""
    return [f"{one.file.name}:{one.line}: {one.message} {one.hint}" for one in data.problems]


def test_names_that_are_not_legal_are_mapped_and_questions_keep_the_authors_own(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path / "one", ["mail.send", "Mail.send", "x"], [("send", ["mail.send"])]))
    assert data.name == "one"
    assert set(data.known) == {"mail.send", "Mail.send", "x"}
    assert len({entry.name for entry in data.known.values()}) == 3
    assert data.questions[0].relevant == {"mail.send": 1.0}
    assert not data.problems


def test_tools_may_have_everything_that_a_search_looks_at(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"to": {"type": "string"}}}
    tool = {"name": "send", "description": "Send it", "category": "mail", "tags": ["out"], "inputSchema": schema}
    found = read_set(write_set(tmp_path, [tool, "x"], [("x", ["send"])])).known["send"]
    assert (found.description, found.category, found.tags, found.input_schema) == ("Send it", "mail", ("out",), schema)


def test_grades_are_read_and_a_grade_of_0_is_none(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, ["a", "b"], [{"query": "x", "relevant": {"a": 3, "b": 0}, "language": "es"}]))
    assert data.questions == (Question(id="line 1", text="x", relevant={"a": 3.0}, language="es"),)


def test_a_question_with_no_right_tool_is_one_that_nothing_answers(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, ["a"], [("x", [])]))
    assert not data.questions[0].answerable
    assert not data.problems


def test_a_key_that_may_be_misspelt_is_told_once_and_sets_nothing_aside(tmp_path: Path) -> None:
    tools = [{"name": name, "descripton": "Send it", "weight": 3} for name in ("a", "b")]
    both = {"name": "c", "description": "Send it", "descriptions": ["Send it"]}
    data = read_set(write_set(tmp_path, [*tools, both], [{"query": "x", "relevant": ["a"], "lang": "es"}]))
    assert told(data) == [
        "tools.jsonl:1: 'descripton' is no key that is read. Did you mean 'description'?",
        "queries.jsonl:1: 'lang' is no key that is read. Did you mean 'language'?",
    ]
    assert (set(data.known), len(data.questions), data.aside) == ({"a", "b", "c"}, 1, 0)


BAD: list[tuple[Any, str]] = [
    ("{nope", "This line is not JSON: Expecting property name enclosed in double quotes."),
    ("[" * 100_000, "nested too deeply"),
    ("[1]", "Wanted an object, got a list."),
    ({"id": "7", "relevant": ["a"]}, '"query": wanted a text, it is missing.'),
    ({"id": "7", "query": 5, "relevant": ["a"]}, '"query": wanted a text, got an integer.'),
    ({"id": "7", "query": " ", "relevant": ["a"]}, '"query" is blank.'),
    ({"id": "7", "query": "x"}, '"relevant": wanted a list of tools'),
    ({"id": "7", "query": "x", "relevant": "a"}, "got text."),
    ({"id": "7", "query": "x", "relevant": [1]}, "wanted a list of texts"),
    ({"id": "7", "query": "x", "relevant": {"a": -1}}, "the grade of 'a' is -1. Give grades of 0 and more"),
    ({"id": "7", "query": "x", "relevant": {"a": 2, "b": "a"}}, "the grade of 'b' is \"a\"."),
    ({"id": "7", "query": "x", "relevant": {"a": True}}, "the grade of 'a' is true."),
    ('{"id": "7", "query": "x", "relevant": {"a": NaN}}', "the grade of 'a' is NaN."),
    ({"id": "7", "query": "x", "relevant": {"a": 1_000_001}}, "1,000,000 at most"),
    ({"id": "7", "query": "x", "relevant": {"a": 10**400}}, "1,000,000 at most"),
    ({"id": True, "query": "x", "relevant": ["a"]}, '"id": wanted a text'),
    ({"id": "7", "query": "\ud800", "relevant": ["a"]}, "half of a character"),
    ({"id": "7", "query": "x", "relevant": ["send_mial"]}, "no such tool. Did you mean 'send_mail'?"),
    ({"id": "good", "query": "x", "relevant": ["a"]}, "that of line 1 already."),
    ({"id": "7", "query": "x", "relevant": ["a"], "language": ["en"]}, '"language": wanted a text, got a list.'),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_line_with_a_mistake_is_set_aside_and_the_others_go_on(tmp_path: Path, line: Any, message: str) -> None:
    questions = [{"id": "good", "query": "x", "relevant": ["a"]}, line, {"id": "last", "query": "y", "relevant": ["a"]}]
    data = read_set(write_set(tmp_path, ["a", "send_mail"], questions))
    assert [question.id for question in data.questions] == ["good", "last"]
    assert data.aside == 1
    problem = told(data)[0]
    assert problem.startswith("queries.jsonl:2: ")
    assert message in problem
    assert problem.endswith((".", "?", "...}."))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"description": "x"}, '"name": wanted a text, it is missing.'),
        ({"name": "a"}, "A tool is called 'a' on line 1 already."),
        ({"name": "b", "input_schema": []}, '"input_schema": wanted an object, got a list.'),
        ({"name": "b", "tags": "x"}, '"tags": wanted a list of texts'),
        ({"name": " "}, '"name" is blank.'),
    ],
)
def test_a_tool_with_a_mistake_is_set_aside_and_the_others_go_on(tmp_path: Path, line: Any, message: str) -> None:
    data = read_set(write_set(tmp_path, ["a", line, "z"], [("x", ["a"])]))
    assert set(data.known) == {"a", "z"}
    assert data.aside == 0
    assert told(data)[0].startswith("tools.jsonl:2: ")
    assert message in told(data)[0]


def test_blank_lines_and_a_byte_order_mark_are_no_mistakes(tmp_path: Path) -> None:
    write_set(tmp_path, ["a"], [("x", ["a"])])
    queries = tmp_path / "queries.jsonl"
    queries.write_text("\ufeff\r\n" + queries.read_text("utf-8") + "\n\n", "utf-8")
    assert not read_set(tmp_path).problems


def test_what_is_wrong_with_a_file_is_told_line_by_line(tmp_path: Path) -> None:
    tools = [{"name": "a", "descripton": "x"}, {"name": " "}, "b", {"name": "b"}, {"name": "d", "tgas": []}]
    asks = [{"query": "x", "relevant": ["a"], "langauge": "en"}, ("y", ["c"]), "{", {"query": " ", "relevant": []}]
    data = read_set(write_set(tmp_path, tools, asks))
    lines = [(problem.file.name, problem.line) for problem in data.problems]
    assert lines == [("tools.jsonl", n) for n in (1, 2, 4, 5)] + [("queries.jsonl", n) for n in (1, 2, 3, 4)]
    assert data.aside == 3
    with pytest.raises(DataSetError) as caught:
        read_set(write_set(tmp_path / "other", ["a"], [("y", ["c"]), "{", ("z", ["d"])]))
    assert [one["line"] for one in caught.value.data["problems"]] == [1, 2, 3]


def test_a_missing_file_is_named_with_its_fix(tmp_path: Path) -> None:
    write_set(tmp_path, ["a"], [("x", ["a"])])
    (tmp_path / "tools.jsonl").unlink()
    with pytest.raises(DataSetError, match=r"tools\.jsonl: there is no such file\. Check the path\."):
        sets_of(tmp_path)


@pytest.mark.parametrize("name", ["tools.jsonl", "queries.jsonl"])
def test_a_file_that_has_nothing_is_refused_with_an_example(tmp_path: Path, name: str) -> None:
    write_set(tmp_path, ["a"], [("x", ["a"])])
    (tmp_path / name).write_text("\n")
    with pytest.raises(DataSetError, match=r"such as \{") as caught:
        sets_of(tmp_path)
    assert name in caught.value.message


def test_a_set_of_which_every_question_is_wrong_tells_what_is_wrong(tmp_path: Path) -> None:
    write_set(tmp_path, ["a"], [("x", ["b"]), ("y", ["c"])])
    with pytest.raises(DataSetError, match=r"queries\.jsonl:1: .*'b'"):
        sets_of(tmp_path)


def test_a_folder_of_sets_is_all_of_them_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write_set(tmp_path / name, ["t"], [("x", ["t"])])
    assert [data.name for data in sets_of(tmp_path)] == ["a", "b"]
    (tmp_path / "nothing").mkdir()
    with pytest.raises(DataSetError, match="there is no data set in this folder"):
        sets_of(tmp_path / "nothing")


def numbered(tmp_path: Path, count: int) -> DataSet:
    return read_set(write_set(tmp_path, ["t", "u"], [(f"{number} please", ["t"]) for number in range(count)]))


def test_a_sample_is_drawn_by_its_seed_and_keeps_the_order(tmp_path: Path) -> None:
    data = numbered(tmp_path, 50)
    drawn = data.sampled(10, 1).questions
    assert len(drawn) == 10
    assert drawn == data.sampled(10, 1).questions
    assert drawn != data.sampled(10, 2).questions
    places = [data.questions.index(one) for one in drawn]
    assert places == sorted(places)
    assert data.sampled(None, 1) == data.sampled(60, 1) == data


def test_content_words_are_what_is_left_of_a_question(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, ["t"], [("Can you please send an e-mail to Bob?", ["t"]), ("please", ["t"])]))
    assert [one.text for one in data.reduced().questions] == ["send e-mail Bob", "please"]


def test_a_need_without_its_right_tools_is_asked_of_all_the_others(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, ["a.b", "c", "d"], [("x", ["a.b", "c"]), ("y", [])])).with_unanswerable()
    assert [one.id for one in data.questions] == ["x", "y", "x/without"]
    twin = data.questions[-1]
    assert not twin.answerable
    assert [tool.name for tool in data.view_for(twin).tools] == ["d"]
    assert len(data.view_for(data.questions[0]).tools) == 3


def test_a_tool_without_a_source_has_no_words_that_a_question_could_meet(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, ["t"], [("tools of a data set", ["t"])]))
    assert not LexicalRanker().rank("tools of a data set in a file", data.view.candidates)
    assert data.source_of("t") == ""
