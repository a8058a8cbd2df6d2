from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import abstention, engines, held_out, mapping, meaning, retrieval
from benchmarks.peers.answering import Answers
from pegboard.errors import ConfigError
from pegboard.evaluation.datasets import Question, read_set
from pegboard.search import Candidates, LexicalRanker, asked, spelling
from pegboard.stores.index_file import save
from tests.evaluation.things import write_set
from tests.search.encoders import Hashed
from tests.search.things import Thing, read


def test_names_that_are_not_legal_are_scored_as_their_authors_wrote_them(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "one", ["mail.send", "Mail.send", "x"], [("send mail", ["mail.send", "Mail.send"])])
    found = retrieval.figures(retrieval.SEARCHES["lexical"], read_set(folder))
    assert found == {"nDCG@10": 1.0, "recall@5": 1.0, "MRR": 1.0}


def test_every_set_is_measured_and_their_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_set(tmp_path / "bad", ["send", "read"], [("send", ["read"])])
    write_set(tmp_path / "good", ["send", "read"], [("send", ["send"]), ("read", ["read"])])
    assert retrieval.main([str(tmp_path), "lexical"]) == 0
    assert "| lexical | 0.000 | 1.000 | 0.500 |" in capsys.readouterr().out


def test_a_folder_without_sets_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieval.main([]) == retrieval.main([str(tmp_path)]) == 2
    assert "give the folder" in capsys.readouterr().err


def test_an_unknown_ranker_is_refused_with_the_known_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_set(tmp_path / "one", ["send"], [("send", ["send"])])
    assert retrieval.main([str(tmp_path), "nope"]) == 2
    assert "lexical" in capsys.readouterr().err


def test_other_constants_are_in_force_for_a_block_alone() -> None:
    before = asked.RELATED
    with held_out.constants({"RELATED": 0.125}):
        assert read("film").weights["movi"] == 0.125
    assert asked.RELATED == before == held_out.SHIPPED["RELATED"]


def test_what_is_chosen_for_a_set_is_chosen_on_sets_of_other_tools(tmp_path: Path) -> None:
    one, two, three = (
        read_set(write_set(tmp_path / name, tools, [("send", tools[:1])]))
        for name, tools in {"a": ["send", "read"], "b": ["read", "send"], "c": ["send", "call"]}.items()
    )
    assert held_out.others([one, two, three], one) == [three]
    assert held_out.others([one, two, three], three) == [one, two]


def test_a_question_is_misspelled_in_one_letter_of_a_longer_word_and_always_alike() -> None:
    question = Question(id="1", text="Go and translate IT")
    slips = {held_out.misspelled(replace(question, id=str(number))).text for number in range(60)}
    assert all(text.startswith("Go and t") and text.endswith(" IT") for text in slips)
    assert all(text[7:-3] in {*spelling.slips("translate"), "translate"} for text in slips)
    assert len(slips) > 20
    assert held_out.misspelled(question) == held_out.misspelled(question)
    assert held_out.misspelled(Question(id="1", text="Go IT")).text == "Go IT"


def test_a_gate_tells_how_often_it_is_right_and_wrong() -> None:
    sure = abstention.Judged((3.0, 1.0, 0.1, 0.1), 0.0, 1.0)
    unsure = abstention.Judged((0.2, 0.1, 0.9, 0.9), 0.0, 0.5)
    wrong = unsure._replace(recall=0.0)
    case = abstention.Cases(
        right=[sure, sure, sure, unsure], removed=[wrong, wrong, sure._replace(recall=0.0), wrong], foreign=[wrong]
    )
    effect = abstention.Effect.of(case, abstention.SHIPPED, 0.5)
    assert effect == (0.75, 1.0, 0.25, 0.125)
    assert effect.cells() == ["0.750", "1.000", "0.250", "0.125", "0.750", "0.778"]
    whole = unsure._replace(least=0.8)
    case = abstention.Cases([sure], [whole, unsure], [whole])
    assert abstention.Effect.of(case, abstention.SHIPPED, 0.7)[:2] == (0.5, 0.0)
    assert abstention.Effect.mean([effect, effect._replace(wrong=0.5)], [3, 1]).wrong == 0.3125


def test_the_curve_and_gate_are_chosen_that_refuse_most_and_lose_little() -> None:
    # Lines are gates: removed, foreign, wrong, lost. The second curve refuses more, but loses too much at its last.
    first = [[0.1, 0, 0, 0.0], [0.3, 0, 0, 0.01]]
    second = [[0.4, 0, 0, 0.015], [0.9, 0, 0, 0.5]]
    assert abstention.chosen([np.array([first, second])]) == (1, 0)
    worse = np.array([first, [[0.0, 0, 0, 0.0], [0.0, 0, 0, 0.0]]])
    assert abstention.chosen([np.array([first, second]), worse]) == (0, 1)


def test_questions_are_asked_with_their_tools_without_them_and_of_other_tools(tmp_path: Path) -> None:
    one, other = (
        read_set(write_set(tmp_path / name, tools, [(ask, tools[:1])]))
        for name, tools, ask in (("a", ["send_mail", "read"], "send it"), ("b", ["call_me", "mail"], "call somebody"))
    )
    (right,), (removed,), (foreign,) = vars(abstention.cases([one, other], one, LexicalRanker())).values()
    assert right.recall == 1.0
    assert right.figures[0] > 0
    assert removed == foreign == (None, 0.0, 0.0)
    table = abstention.no_match([one, other], LexicalRanker(), "")
    assert [row[0] for row in table.rows[:3]] == ["a", "b", "mean of the sets, chosen on other sets"]
    assert table.rows[4][:3] == ["mean of the sets, as shipped", "0.300", "1.000"]


def test_engines_of_others_find_the_text_that_has_the_words() -> None:
    texts = ["send a mail to somebody", "read a file from the disk", "the weather of tomorrow"]
    for name in ("bm25s", "SQLite FTS5, porter", "SQLite FTS5, trigrams", "tantivy"):
        found = engines.ENGINES[name](texts, ["read file", "weather forecast", "zzz"], 2)
        assert found.found == [[1], [2], []], name
        assert len(found.searches) == 3


def test_an_engine_that_is_not_here_is_left_out_with_a_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def missing(texts: Sequence[str], needs: Sequence[str], limit: int) -> Answers:
        raise ModuleNotFoundError("No module named 'engine'")

    some = {"gone": missing, "bm25s": engines.ENGINES["bm25s"]}
    assert [name for name, _ in engines.present(engines=some)] == ["bm25s"]
    assert "left out: gone (No module named 'engine')" in capsys.readouterr().err


def test_an_engine_is_judged_by_the_names_of_the_texts_that_it_finds(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "one", ["mail.send", "read"], [("send mail", ["mail.send"]), ("read", ["mail.send"])])
    found = retrieval.engine_figures(engines.ENGINES["SQLite FTS5, porter"], read_set(folder))
    assert found == {"nDCG@10": 0.5, "recall@5": 0.5, "MRR": 0.5}


def test_what_meaning_adds_is_measured_with_constants_of_other_sets_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(meaning, "ENCODERS", {"taught": lambda: Hashed(same={"cinema": "film"}), "absent": absent})
    monkeypatch.setattr(meaning, "SIZES", (200,))
    write_set(tmp_path / "films", ["film", "read"], [("cinema", ["film"])])
    write_set(tmp_path / "mails", ["send", "read"], [("send", ["send"])])
    assert meaning.main([str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "| lexical | 0.000 | 1.000 | 0.500 |" in told.out
    assert told.out.count("| taught | 1.000 | 1.000 | 1.000 |") == 2
    assert "| taught, constants chosen on the other sets | 1.000 | 1.000 | 1.000 |" in told.out
    assert "look through 200 vectors for all" in told.out
    assert "left out: absent (not here)" in told.err


def absent() -> Hashed:
    raise ConfigError("not here")


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="this system does not tell what a process has")
def test_processes_that_map_a_file_tell_what_they_have_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapping, "PROCESSES", 2)
    path = tmp_path / "tools.index"
    save(path, Candidates.of([Thing("send_mail", "Send a mail")]))
    (table,) = mapping.shared_by_processes(path, 1)
    told = dict(zip(table.columns, map(float, table.rows[0]), strict=True))
    assert told["processes"] == 2
    assert 0 < told["unique, sum, MB"] <= told["resident, sum, MB"]
