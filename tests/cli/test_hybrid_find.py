"""``find`` with the hybrid ranker: what it keeps between commands, and what it says where the encoder fails."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import FAILING, Run


def with_failing_encoder(folder: Path) -> None:
    (folder / "failing.py").write_text(FAILING, "utf-8")
    with (folder / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('encoder = "failing.py"\n')


def test_what_meaning_brought_is_explained(hybrid: Path, pegboard: Run) -> None:
    done = pegboard("find", "refund the money", "--explain", "--limit", "1")
    assert done.out.splitlines()[1].startswith("1. refund")
    assert "meaning" in done.out
    assert "% alike" in done.out


def test_vectors_are_kept_beside_the_index(hybrid: Path, pegboard: Run) -> None:
    first = pegboard("find", "refund", "--json").json
    kept = {file.suffix: file.read_bytes() for file in (hybrid / "cache").iterdir()}
    assert {".index", ".vectors"} <= kept.keys()
    assert pegboard("find", "refund", "--json").json == first
    assert {file.suffix: file.read_bytes() for file in (hybrid / "cache").iterdir()} == kept


def test_where_words_answered_alone_stderr_says_why(hybrid: Path, pegboard: Run) -> None:
    with_failing_encoder(hybrid)
    done = pegboard("find", "refund")
    assert (done.code, done.lines[0].split()[0]) == (0, "refund")
    assert "Only words were compared, not what they mean: the encoder cannot be used" in done.err
    told = pegboard("find", "refund", "--json").json
    assert "it failed with RuntimeError" in told["degraded"]
    assert "sk-123" not in str(told)


def test_what_is_known_of_the_encoder_and_how_to_mend_it_is_told_as_a_status_tells_it(
    hybrid: Path, pegboard: Run
) -> None:
    with_failing_encoder(hybrid)
    assert "RuntimeError. --debug shows more." in pegboard("find", "refund").err
    (hybrid / "failing.py").write_text("encoder = 3", "utf-8")
    done = pegboard("find", "refund")
    assert (done.code, done.lines[0].split()[0], "--debug" in done.err) == (0, "refund", False)
    reason = "failing.py has no `encoder` with identity, dimension and encode(texts). docs/search.md shows one."
    assert reason in done.err
    (hybrid / "failing.py").write_text("encoder = 1 / 0", "utf-8")
    assert "failing.py, line 1: ZeroDivisionError: division by zero. Correct" in pegboard("find", "refund").err


def test_where_all_was_searched_the_document_says_so(hybrid: Path, pegboard: Run) -> None:
    assert pegboard("find", "refund", "--json").json["degraded"] is None


def test_what_was_nearest_is_explained_where_nothing_is_sure_enough(hybrid: Path, pegboard: Run) -> None:
    with (hybrid / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write("\n[limits]\nno_match_below = 1\n")
    done = pegboard("find", "parcel", "--explain")
    assert done.code == 4
    assert done.lines[1] == "the nearest, which the answer leaves out:"
    assert done.lines[2].startswith("1. ")
    assert "% alike" in done.out
    told = pegboard("find", "parcel", "--explain", "--json").json
    assert told["tools"] == []
    assert 1 <= len(told["nearest"]) <= 3
    assert all(one["parts"] for one in told["nearest"])
    assert [one.keys() & {"parts"} for one in pegboard("find", "parcel", "--json").json["nearest"]] == [set()] * len(
        told["nearest"]
    )
