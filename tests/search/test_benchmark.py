from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import retrieval

RIGHT = frozenset({"a", "b"})


@pytest.mark.parametrize(
    ("found", "ndcg", "recall", "reciprocal"),
    [
        (["a", "b"], 1.0, 1.0, 1.0),
        (["x", "a", "y", "b"], (0.63093 + 0.43068) / 1.63093, 1.0, 0.5),
        (["x"] * 5 + ["a"], 0.35621 / 1.63093, 0.0, 1 / 6),
        (["x"] * 10 + ["a"], 0.0, 0.0, 1 / 11),
        ([], 0.0, 0.0, 0.0),
    ],
)
def test_the_metrics_are_the_usual_ones(found: list[str], ndcg: float, recall: float, reciprocal: float) -> None:
    assert retrieval.ndcg(found, RIGHT) == pytest.approx(ndcg, abs=1e-4)
    assert retrieval.recall(found, RIGHT) == pytest.approx(recall)
    assert retrieval.reciprocal_rank(found, RIGHT) == pytest.approx(reciprocal)


def write(folder: Path, tools: list[str], queries: dict[str, list[str]]) -> None:
    folder.mkdir()
    lines = [json.dumps({"name": name, "description": ""}) for name in tools]
    (folder / "tools.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asks = [json.dumps({"id": query, "query": query, "relevant": names}) for query, names in queries.items()]
    (folder / "queries.jsonl").write_text("\n".join(asks), encoding="utf-8")


def test_names_that_are_not_legal_are_scored_as_their_authors_wrote_them(tmp_path: Path) -> None:
    write(tmp_path / "one", ["mail.send", "Mail.send", "x"], {"send mail": ["mail.send", "Mail.send"]})
    data = retrieval.load(tmp_path / "one")
    assert len({tool.name for tool in data.tools}) == 3
    assert retrieval.figures(retrieval.SEARCHES["lexical"], data) == {"nDCG@10": 1.0, "recall@5": 1.0, "MRR": 1.0}


def test_every_set_is_measured_and_their_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "bad", ["send", "read"], {"send": ["read"]})
    write(tmp_path / "good", ["send", "read"], {"send": ["send"], "read": ["read"]})
    assert retrieval.main([str(tmp_path), "lexical"]) == 0
    assert "| lexical | 0.000 | 1.000 | 0.500 |" in capsys.readouterr().out


def test_a_folder_without_sets_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieval.main([]) == retrieval.main([str(tmp_path)]) == 2
    assert "give the folder" in capsys.readouterr().err


def test_an_unknown_ranker_is_refused_with_the_known_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "one", ["send"], {"send": ["send"]})
    assert retrieval.main([str(tmp_path), "nope"]) == 2
    assert "lexical" in capsys.readouterr().err
