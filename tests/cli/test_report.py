from __future__ import annotations

from pathlib import Path

from pegboard.cli.report import Costs
from tests.cli.conftest import Run, client_file, page


def test_status_tells_how_every_source_is_doing(pegboard: Run, shop: Path) -> None:
    done = pegboard("status")
    assert done.code == 0
    assert done.lines[1].split() == ["tools.py", "python", "ready", "8"]
    told = pegboard("status", "--json").json
    assert (told["tools"], told["set_aside"], told["configuration"]) == (8, [], [])


def test_status_is_a_health_check(pegboard: Run, here: Path) -> None:
    file = client_file(here, files=page("read"), gone={"quit_at": "start"})
    done = pegboard("status", "--from", str(file))
    assert done.code == 5
    assert any(line.split()[:4] == ["files", "mcp", "ready", "1"] for line in done.lines)


def test_status_fails_on_a_wrong_configuration_and_tells_of_the_rest(pegboard: Run, shop: Path) -> None:
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write("[limits]\npage = 0\n")
    done = pegboard("status")
    assert done.code == 3
    assert "8 tools in the catalog" in done.out
    assert "limits.page" in done.err
    [problem] = pegboard("status", "--json").json["configuration"]
    assert (problem["key"], problem["level"]) == ("limits.page", "error")


def test_status_names_a_tool_that_was_set_aside(pegboard: Run, here: Path) -> None:
    script = {
        "pages": [{"tools": [{"name": "good", "inputSchema": {"type": "object"}}, {"name": "bad", "inputSchema": 7}]}]
    }
    done = pegboard("status", "--from", str(client_file(here, files=script)))
    assert any(line.startswith("Set aside: files: bad: ") for line in done.lines)


def test_status_tells_where_boards_are_kept_and_what_was_set_aside(pegboard: Run, shop: Path) -> None:
    file = shop / "kept" / "boards.sqlite3"
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as configuration:
        configuration.write('[store]\npath = "kept/boards.sqlite3"\n')
    assert f"Boards will be kept in {file}, which is not there yet" in pegboard("status").lines
    assert not file.parent.exists()
    file.parent.mkdir()
    file.write_text("{", "utf-8")
    assert pegboard("find", "refund").code == 0
    assert file.read_text("utf-8") == "{"
    done = pegboard("status")
    assert done.code == 0
    assert f"0 boards in {file}" in done.lines
    [aside] = file.parent.glob("*.unreadable-*")
    assert aside.read_text("utf-8") == "{"
    assert any(line.startswith(f"Set aside: {aside}: ") for line in done.lines)
    [told] = pegboard("status", "--json").json["store"]["set_aside"]
    assert told["where"] == str(aside)


def test_status_fails_where_boards_cannot_be_kept(pegboard: Run, shop: Path) -> None:
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as configuration:
        configuration.write('[store]\npath = "tools.py"\n')
    before = (shop / "tools.py").read_bytes()
    done = pegboard("status")
    assert done.code == 5
    assert "tools.py is no database" in done.out
    assert "Set another path in [store]" in done.out
    assert (shop / "tools.py").read_bytes() == before


def test_status_says_when_boards_are_kept_in_memory(pegboard: Run, shop: Path) -> None:
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as configuration:
        configuration.write('[store]\npath = "memory"\n')
    assert "Boards are kept in memory" in pegboard("status").lines


def test_stats_add_up(pegboard: Run, shop: Path) -> None:
    told = pegboard("stats", "--json", "--all").json
    assert told["everything"] == {"tools": 8, "tokens": sum(tool["tokens"] for tool in told["tools"])}
    shown = told["shown"]
    assert shown["tokens"] == shown["definition_tokens"] + shown["instruction_tokens"] > 0
    assert shown["definitions"] == 5


def test_stats_list_the_costliest_tools_first(pegboard: Run, shop: Path) -> None:
    done = pegboard("stats", "--top", "2")
    assert "the 2 costliest of 8  tokens" in done.out
    tokens = [tool["tokens"] for tool in pegboard("stats", "--json", "--top", "3").json["tools"]]
    assert tokens == sorted(tokens, reverse=True)
    assert len(tokens) == 3


def test_stats_say_where_nothing_is_saved(pegboard: Run, shop: Path) -> None:
    assert "With so few tools, the meta-tools cost more than they save." in pegboard("stats").out


def test_stats_of_nothing_have_their_own_code(pegboard: Run, here: Path) -> None:
    assert pegboard("stats", "--from", str(client_file(here, empty=page()))).code == 4


def test_always_visible_tools_are_shown(pegboard: Run, shop: Path) -> None:
    with (shop / "tools.py").open("a", encoding="utf-8") as file:
        file.write('\n@tool(visibility="always")\ndef near() -> str:\n    """Always there."""\n    return ""\n')
    assert pegboard("stats", "--json").json["shown"]["definitions"] == 6


def test_the_saving_is_in_percent_of_everything() -> None:
    assert Costs({"a": 600, "b": 400}, {"find_tools": 40}, 10).saved_percent == 95.0
    assert Costs({"a": 25}, {"find_tools": 40}, 10).saved_percent == -100.0
    assert Costs({}, {"find_tools": 40}, 10).saved_percent == 0.0
