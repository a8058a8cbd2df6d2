"""``why-not`` and ``find --explain``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, client_file, page

pytestmark = pytest.mark.usefixtures("shop")


def test_a_tool_that_nothing_keeps_is_told_so_with_exit_code_0(pegboard: Run) -> None:
    done = pegboard("why-not", "refund", "--query", "refund an order")
    assert (done.code, done.err) == (0, "printed while loading\n")
    assert done.lines[0] == "refund: not seen from the start, found at rank 1 of 2, callable"
    assert done.lines[1].startswith("- not seen: It is on demand")
    assert any(line.split() == ["refund", "refund", "1", "tool"] for line in done.lines)
    assert any(line.split()[:2] == ["name", "covered"] for line in done.lines)


def test_a_query_that_does_not_find_it_has_the_code_of_nothing_found(pegboard: Run) -> None:
    done = pegboard("why-not", "refund", "--query", "zeppelin")
    assert done.code == 4
    assert "- not found: No word of the query stands in it; nothing else fits either" in done.out
    below = pegboard("why-not", "refund", "--query", "where is an order", "--limit", "1", "--json")
    assert (below.code, below.json["found"], below.json["place"]["rank"]) == (4, False, 2)
    assert [finding["what"] for finding in below.json["findings"]] == ["on_demand", "below_limit"]


def test_a_name_that_is_none_is_answered_with_those_close_by(pegboard: Run) -> None:
    done = pegboard("why-not", "refunds")
    assert done.code == 4
    assert done.lines[0] == "refunds: not seen from the start, not found, not callable"
    assert "- not seen, found or called: No tool is named 'refunds'." in done.lines
    assert "  Did you mean refund, refuse?" in done.lines


def test_a_source_that_is_away_is_the_reason_and_has_its_own_code(pegboard: Run, here: Path) -> None:
    file = client_file(here, gone={"quit_at": "initialize", "quit_code": 3})
    done = pegboard("why-not", "gone__read", "--from", str(file), "--json")
    assert done.code == 5
    assert [finding["what"] for finding in done.json["findings"]] == ["source_failed", "no_such_tool"]
    assert "exit code 3" in done.json["findings"][0]["message"]


def test_what_the_configuration_leaves_out_is_named_with_its_line(pegboard: Run, here: Path) -> None:
    file = client_file(here, files=page("read", "write"))
    (here / "pegboard.toml").write_text(
        f"""\
[[import]]
file = {str(file)!r}
exclude = ["nothing"]
[upstreams.files]
exclude = ["wr*"]
[upstreams.old]
command = "old"
disabled = true
""",
        "utf-8",
    )
    excluded = pegboard("why-not", "files__write")
    assert excluded.code == 4
    assert "Source 'files' has it, but the exclude pattern 'wr*' leaves it out." in excluded.out
    disabled = pegboard("why-not", "old__tool").out
    assert f"Source 'old', which may have it, is left out. {here / 'pegboard.toml'}:8: " in disabled


def test_it_tells_the_truth_about_what_is_hidden(pegboard: Run, here: Path) -> None:
    with (here / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write(
            '[principals.ann]\n[[policy.rules]]\nprincipals = ["*"]\nnames = ["*"]\nallow = ["discover", "invoke"]\n'
            '[[policy.rules]]\nprincipals = ["ann"]\nnames = ["refund"]\ndeny = ["discover"]\n'
        )
    done = pegboard("why-not", "refund", "--as", "ann")
    assert done.code == 4
    assert done.lines[0].startswith("refund for ann: ")
    assert "rule 2 at pegboard.toml:8 denies discover" in done.out
    assert pegboard("why-not", "refund", "--as", "ann", "--json").json["as"] == "ann"


def test_find_explains_each_score_and_how_the_query_was_read(pegboard: Run) -> None:
    done = pegboard("find", "please", "refund", "an", "order", "zeppelin", "--explain")
    assert done.code == 0
    assert done.lines[0].startswith("confidence ")
    assert done.lines[1].startswith("1. refund ")
    parts = {line.split()[0] for line in done.lines if line.startswith("  ")}
    assert {"name", "description", "tags", "parameters", "best"} <= parts
    assert any(line.split() == ["zeppelin", "zeppelin", "no", "tool"] for line in done.lines)
    assert any(line.split()[:2] == ["please", "not"] for line in done.lines)


def test_find_explains_in_json_with_parts_that_add_up(pegboard: Run) -> None:
    told = pegboard("find", "where", "is", "an", "order", "--explain", "--json").json
    for tool in told["tools"]:
        assert sum(part["points"] for part in tool["parts"]) == pytest.approx(tool["score"], abs=0.001)
        assert tool["terms"]
    assert {word["word"]: word["counts"] for word in told["words"]}["where"] is False
    assert "parts" not in pegboard("find", "order", "--json").json["tools"][0]


def test_find_explains_why_an_exact_name_comes_first(pegboard: Run) -> None:
    assert "comes first whatever its score" in pegboard("find", "track", "refund", "--explain").out


def test_find_that_finds_nothing_still_tells_how_the_query_was_read(pegboard: Run) -> None:
    done = pegboard("find", "zeppelin", "--explain")
    assert done.code == 4
    assert any(line.split()[0] == "zeppelin" for line in done.lines)


@pytest.mark.parametrize("ranker", ["lexical", "bm25", "substring", "keyword"])
def test_every_ranker_explains_itself(pegboard: Run, here: Path, ranker: str) -> None:
    with (here / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write(f'[search]\nranker = "{ranker}"\n')
    told = pegboard("find", "order", "--explain", "--json").json
    assert sum(part["points"] for part in told["tools"][0]["parts"]) == pytest.approx(
        told["tools"][0]["score"], abs=0.001
    )
