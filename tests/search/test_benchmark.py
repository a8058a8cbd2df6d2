from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import retrieval
from pegboard.evaluation.datasets import read_set
from tests.evaluation.things import write_set


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
