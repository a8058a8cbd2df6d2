"""Clients' own files, as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pegboard.config import Level, Loaded, load
from tests.config.conftest import Load, Write


@pytest.fixture
def clients(data: Path) -> Path:
    return data / "clients"


def specs(loaded: Loaded) -> dict[str, Any]:
    """What the upstreams are, of either kind, by name."""
    return {name: upstream.spec for name, upstream in loaded.settings.upstreams.items()}


def of(file: Path, folder: str = "/home/ada/elsewhere", **environ: str) -> Loaded:
    return load(file, environ=environ, folder=Path(folder))


def said(loaded: Loaded, level: Level) -> list[str]:
    return [
        f"{problem.line}: {problem.key}: {problem.message}" for problem in loaded.problems if problem.level is level
    ]


def test_claude_desktop(clients: Path) -> None:
    loaded = of(clients / "claude_desktop.json")
    filesystem, search, linear = specs(loaded).values()
    assert (filesystem.command, filesystem.args[-1]) == ("npx", "/srv/notes")
    assert search.tool_prefix == "My_Search_Server"
    assert search.env == {"FETCH_TIMEOUT": "30", "FETCH_DEBUG": "false"}
    assert linear.args[-1] == "Authorization:${AUTH_HEADER}"
    assert said(loaded, Level.NOTE) == ["18: mcpServers.pegboard: would start Pegboard itself, so it is left out."]
    assert not loaded.errors


def test_claude_code_takes_the_project_around_the_folder_before_what_is_general(clients: Path) -> None:
    loaded = of(clients / "claude_code.json", "/home/ada/shop/api", HOME="/home/ada", ORDERS_DB="/db", SENTRY_TOKEN="t")
    assert list(specs(loaded)) == ["orders", "memory", "sentry"]
    assert specs(loaded)["sentry"].url == "https://mcp.sentry.example/mcp"
    assert specs(loaded)["sentry"].headers == {"Authorization": "Bearer t"}
    assert specs(loaded)["orders"].command == "orders-mcp"
    assert specs(loaded)["memory"].command == "memory-for-shop"
    notes = said(loaded, Level.NOTE)
    assert notes[0] == '14: projects."/home/ada/blog".mcpServers: not used here: ghost.'
    assert notes[1] == "21: mcpServers.memory: another entry named 'memory' comes before this one."


def test_claude_code_elsewhere_has_what_is_general(clients: Path) -> None:
    loaded = of(clients / "claude_code.json", HOME="/home/ada")
    assert list(specs(loaded)) == ["memory"]
    [missing] = said(loaded, Level.ERROR)
    assert missing.startswith(
        "22: mcpServers.sentry.headers.Authorization: the environment variable SENTRY_TOKEN is not"
    )
    assert specs(loaded)["memory"].env == {"MEMORY_FILE_PATH": "/home/ada/memory.json"}


def test_cursor(clients: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / ".cursor").mkdir(parents=True)
    (folder / ".env").write_text("FROM_FILE=1\nGITHUB_TOKEN=loses\n")
    file = folder / ".cursor" / "mcp.json"
    file.write_text((clients / "cursor.json").read_text())
    loaded = of(file, GITHUB_TOKEN="ghp")
    git, remote = specs(loaded).values()
    assert (remote.url, remote.transport) == ("https://example.com/mcp", "streamable-http")
    assert git.args == ("mcp-server-git", "--repository", str(folder))
    assert git.env == {"FROM_FILE": "1", "GITHUB_TOKEN": "ghp"}
    assert git.cwd == folder
    assert folder / ".env" in loaded.files
    assert said(loaded, Level.NOTE) == ["9: mcpServers.old.disabled: is disabled."]


def test_vscode(clients: Path) -> None:
    loaded = of(clients / "vscode_mcp.json", "/w")
    playwright, docs = specs(loaded).values()
    assert docs.headers == {"X-Key": "https://not//a comment"}
    assert playwright.args[-1] == "--output-dir=/w/shots"
    assert [(problem.line, problem.entry) for problem in loaded.errors] == [(17, "github"), (20, "python")]
    assert "input 'github-token'" in loaded.errors[0].message
    assert "inputs = { github-token" in loaded.errors[0].hint


def test_vscode_with_an_answer_to_its_input(clients: Path, load_text: Load) -> None:
    text = f"""
    [[import]]
    file = '{clients / "vscode_mcp.json"}'
    exclude = ["python", "docs"]
    inputs = {{ github-token = "${{GH}}" }}
    """
    loaded = load_text(text, GH="ghp")
    assert specs(loaded)["github"].env == {"GITHUB_TOKEN": "ghp"}
    assert not loaded.problems


def test_settings_of_vscode_and_amp(clients: Path) -> None:
    assert list(specs(of(clients / "vscode_settings.json"))) == ["time", "memory"]


def test_codex(clients: Path) -> None:
    loaded = of(clients / "codex.toml", FIGMA_TOKEN="t")
    context7, mine, figma = specs(loaded).values()
    assert (figma.url, figma.headers) == ("https://mcp.figma.example/mcp", {"Authorization": "Bearer t"})
    assert (context7.start_timeout, context7.call_timeout) == (20.0, 45.5)
    assert context7.include == ("resolve-library-id", "get-library-docs")
    assert context7.inherit_env == ("CONTEXT7_API_KEY", "HTTPS_PROXY")
    assert context7.env == {"LOG": "info"}
    assert (mine.command, mine.cwd, mine.exclude) == (r"C:\tools\server.exe", Path("/srv"), ("drop_[[]all]",))
    assert said(loaded, Level.NOTE) == ["31: mcp_servers.off.enabled: is disabled."]


def test_gemini(clients: Path) -> None:
    tools, web = specs(of(clients / "gemini.json", "/w")).values()
    assert web.url == "http://localhost:3000/mcp"
    assert tools.args == ("server.py", "--port", "8080")
    assert (tools.include, tools.exclude) == (("safe_tool", "file_reader"), ("file_reader",))
    assert tools.cwd == Path("/w/mcp_tools/python")
    assert tools.call_timeout is None


def test_windsurf(clients: Path) -> None:
    figma, slack = specs(of(clients / "windsurf.json")).values()
    assert figma.headers == {"API_KEY": "value"}
    assert slack.exclude == ("post_message",)


def test_opencode(clients: Path) -> None:
    loaded = of(clients / "opencode.json", LOG="debug")
    everything, jira = specs(loaded).values()
    assert jira.url == "https://jira.example/mcp"
    assert (everything.command, everything.args[0]) == ("npx", "-y")
    assert everything.env == {"LOG_LEVEL": "debug"}


def test_zed(clients: Path) -> None:
    loaded = of(clients / "zed.json")
    assert [(one.command, one.args, one.env) for one in specs(loaded).values()] == [
        ("uv", ("run", "main.py"), {}),
        ("node", ("index.js",), {"A": "b"}),
    ]
    assert said(loaded, Level.ERROR) == ["5: context_servers.extension: has no command."]


def test_copilot(clients: Path) -> None:
    local, few = specs(of(clients / "copilot_cli.json")).values()
    assert (local.include, few.include) == (("*",), ("one", "two"))


def test_entries_at_the_top(clients: Path) -> None:
    (database,) = specs(of(clients / "plugin.json")).values()
    assert database.command == "/opt/plugin/server"


def entry(load_text: Load, value: Any, **environ: str) -> tuple[Any, list[str]]:
    text = json.dumps({"mcpServers": {"bad": value, "good": {"command": "good"}}})
    loaded = load_text(text, "mcp.json", **environ)
    assert "good" in loaded.settings.upstreams, "one bad entry took another away"
    return specs(loaded).get("bad"), [f"{p.key}: {p.message} {p.hint}".strip() for p in loaded.problems]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (5, "mcpServers.bad: wanted a table, got an integer."),
        (None, "mcpServers.bad: wanted a table, got null."),
        ({}, "mcpServers.bad: has no command."),
        ({"command": 5}, "mcpServers.bad.command: wanted text in quotes, got 5."),
        ({"command": ""}, "mcpServers.bad.command: wanted text that is not empty"),
        ({"command": "x", "args": "-y"}, "mcpServers.bad.args: wanted a list, got text."),
        ({"command": "x", "args": [["a"]]}, "mcpServers.bad.args[0]: wanted text in quotes, got a list."),
        ({"command": "x", "env": ["A=b"]}, "mcpServers.bad.env: wanted a table, got a list."),
        ({"command": "x", "env": {"A": {}}}, "mcpServers.bad.env.A: wanted text in quotes, got a table."),
        ({"command": "x", "env": {"A": "a\0"}}, "mcpServers.bad.env.A: wanted text without NUL"),
        ({"command": "x", "disabled": "no"}, "mcpServers.bad.disabled: wanted true or false"),
        ({"command": "x", "envFile": "/no/such"}, "mcpServers.bad.envFile: /no/such: there is no such file"),
        ({"command": "${NOPE}"}, "mcpServers.bad.command: the environment variable NOPE is not set"),
        ({"command": "x", "cwd": "${NOPE}"}, "mcpServers.bad.cwd: the environment variable NOPE is not set"),
        ({"command": "x", "env": {"A": "${A}"}}, "mcpServers.bad.env.A: the environment variable A is not set"),
        ({"type": "streamable-http"}, "mcpServers.bad.type: has no url. Write the address"),
        ({"type": "sse", "command": "x"}, "mcpServers.bad.type: has no url."),
        ({"command": "x", "url": "http://x/mcp"}, "mcpServers.bad.url: has a command and a url. Keep one of them"),
        ({"url": "x"}, "mcpServers.bad.url: its url cannot be used: the address does not begin with scheme://host"),
        ({"url": "http://ada:s3cret@x/"}, "mcpServers.bad.url: its url cannot be used: the host has user, password"),
        ({"url": "https://x/{{secret.K}}"}, "mcpServers.bad.url: its url holds a placeholder"),
        ({"url": "https://x/${NOPE}"}, "mcpServers.bad.url: the environment variable NOPE is not set"),
        ({"url": "https://x", "headers": {"A": "${NOPE}"}}, "mcpServers.bad.headers.A: the environment variable NOPE"),
        ({"url": "https://x", "headers": {"A": "{{x}}"}}, "mcpServers.bad.headers.A: the header 'A' refers to 'x'"),
        ({"url": "https://x", "headers": {"A": "a\nb"}}, "mcpServers.bad.headers.A: the header 'A' holds a line break"),
        ({"url": "https://x", "headers": {"Host": "y"}}, "mcpServers.bad.headers.Host: the header 'Host' is set by"),
        ({"url": "https://x", "headers": 5}, "mcpServers.bad.headers: wanted a table, got an integer."),
        ({"command": "env", "args": ["uvx", "pegboard"]}, "mcpServers.bad: would start Pegboard itself"),
        ({"command": "${P}board"}, "mcpServers.bad: would start Pegboard itself"),
        ({"command": "x", "args": 1, "disabled": True}, "mcpServers.bad.disabled: is disabled."),
    ],
)
def test_one_bad_entry_is_set_aside_alone(load_text: Load, value: Any, says: str) -> None:
    upstream, problems = entry(load_text, value, P="peg")
    assert upstream is None
    assert len(problems) == 1
    assert problems[0].startswith(says)


@pytest.mark.parametrize(
    ("value", "transport"),
    [
        ({"url": "http://x/mcp"}, "streamable-http"),
        ({"serverUrl": "http://x/mcp"}, "streamable-http"),
        ({"type": "http", "url": "http://x/mcp"}, "streamable-http"),
        ({"type": "streamableHttp", "url": "http://x/mcp"}, "streamable-http"),
        ({"type": "remote", "url": "http://x/mcp"}, "streamable-http"),
        ({"transport": "sse", "url": "http://x/mcp"}, "sse"),
        ({"type": "sse", "url": "http://x/mcp", "command": "y"}, "sse"),
    ],
)
def test_a_server_over_http_is_known_by_whatever_a_client_writes(load_text: Load, value: Any, transport: str) -> None:
    upstream, problems = entry(load_text, value)
    assert not problems
    assert (upstream.url, upstream.transport) == ("http://x/mcp", transport)


def test_headers_of_a_client_refer_to_the_environment_and_to_secrets(load_text: Load) -> None:
    headers = {"Authorization": "Bearer ${env:TOKEN}", "X-Number": 5, "X-Key": "{{secret.KEY}}"}
    value = {"url": "https://x/mcp", "headers": headers, "env_http_headers": {"X-Name": "NAME"}}
    upstream, problems = entry(load_text, value, TOKEN="t", NAME="n")
    assert not problems
    assert upstream.headers == {
        "Authorization": "Bearer t",
        "X-Number": "5",
        "X-Key": "{{secret.KEY}}",
        "X-Name": "n",
    }
    assert "Bearer" not in repr(upstream)


@pytest.mark.parametrize(
    "value",
    [
        {"command": "x", "alwaysAllow": ["a"], "autoApprove": [], "timeout": 60, "trust": True, "icon": "i", "x": {}},
        {"command": "x", "type": "stdio", "disabled": False},
        {"command": "x", "enabled": True, "transport": "stdio"},
        {"command": "x", "args": None, "env": None, "cwd": None, "url": None, "type": None},
        {"command": "x", "env": [], "args": []},
        {"command": "x", "env": {"GONE": None}},
        {"command": ["x"]},
    ],
)
def test_what_clients_write_beside_the_command_is_no_mistake(load_text: Load, value: Any) -> None:
    upstream, problems = entry(load_text, value)
    assert not problems
    assert upstream is not None
    assert (upstream.command, upstream.args, upstream.env) == ("x", (), {})


@pytest.mark.parametrize(
    "text", ["{}", '{"theme": "dark"}', '{"mcp": {"allowed": ["a"]}}', "[mcp_servers]\n", "{ // x\n}"]
)
def test_a_client_without_servers_is_told_where_was_looked(load_text: Load, text: str) -> None:
    loaded = load_text(text, "mcp.json")
    assert not loaded.settings.upstreams
    assert all("no MCP servers are in this file" in problem.message for problem in loaded.problems)
    assert bool(loaded.problems) is ("mcp_servers" not in text)


def test_servers_that_are_no_table_are_a_mistake(load_text: Load) -> None:
    (problem,) = load_text('{"mcpServers": [{"command": "x"}]}', "mcp.json").errors
    assert str(problem).endswith(":1: mcpServers: wanted a table, got a list.")


def test_a_name_given_twice_in_one_file_is_told(load_text: Load) -> None:
    loaded = load_text('{"mcpServers": {"a": {"command": "x"},\n"a": {"command": "y"}}}', "mcp.json")
    assert specs(loaded)["a"].command == "y"
    (problem,) = loaded.problems
    assert (problem.line, problem.level, problem.key) == (2, Level.WARNING, "mcpServers.a")


def test_servers_of_a_project_start_in_it_and_those_of_the_user_where_pegboard_does(write: Write, home: Path) -> None:
    text = '{"mcpServers": {"a": {"command": "x"}}}'
    project = write("project/.mcp.json", text).parent
    for file, cwd in [
        (project / ".mcp.json", project),
        (write("project/.vscode/mcp.json", text), project),
        (write("project/.kiro/settings/mcp.json", text), project),
        (write("home/.cursor/mcp.json", text), None),
        (write("home/.claude.json", text), None),
        (write("home/.config/client/mcp.json", text), None),
    ]:
        assert specs(of(file))["a"].cwd == cwd, file


def test_an_entry_that_its_client_has_switched_off_can_be_switched_on(load_text: Load, write: Write) -> None:
    write(
        "mcp.json", '{"mcpServers": {"a": {"command": "x", "disabled": true}, "b": {"command": 5, "disabled": true}}}'
    )
    text = '[[import]]\nfile = "mcp.json"\n[upstreams.a]\ndisabled = false\n[upstreams.b]\ndisabled = false'
    loaded = load_text(text)
    assert specs(loaded)["a"].command == "x"
    assert said(loaded, Level.ERROR) == ["5: upstreams.b: has no command."]
