"""A file with everything it imports, to settings."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pegboard.config import Level, Upstream, load
from pegboard.errors import ConfigError
from pegboard.sources.mcp import StdioSpec
from tests.config.conftest import Load, Write, spec_of

SERVERS = """
{"mcpServers": {
  "git": {"command": "git-mcp", "args": ["."], "env": {"A": "1", "B": "2"}},
  "web": {"command": "w"}
}}
"""


def test_a_whole_file(load_text: Load, write: Write, tmp_path: Path) -> None:
    write("tools.py", "")
    text = """
    collisions = "prefix"
    [gateway]
    name = "tools of the shop"
    boards = true
    [limits]
    call_timeout = 5
    concurrency = 50
    [log]
    file = "logs/pegboard.log"
    level = "debug"
    [search]
    ranker = "bm25"
    [profiles]
    modern = ["find_tools", "call_tool"]
    [upstreams."a b"]
    command = "~/bin/server"
    args = ["--root", "${ROOT}", "~"]
    env = { TOKEN = "${TOKEN}" }
    inherit_env = ["HTTPS_PROXY"]
    cwd = "sub"
    visibility = { "read_*" = "always" }
    include = ["read_*"]
    exclude = ["*_all"]
    approval = "write"
    start_timeout = 10
    call_timeout = 2.5
    concurrency = 4
    output_check = "strict"
    max_line = 1000000
    era = "handshake"
    lazy = true
    [upstreams.bare]
    command = "./run.sh"
    prefix = false
    [[python]]
    file = "tools.py"
    """
    loaded = load_text(text, ROOT="/r", TOKEN="t")
    settings = loaded.settings
    assert not loaded.problems
    assert (settings.gateway.name, settings.gateway.boards) == ("tools of the shop", True)
    assert settings.limits.concurrency == 50
    assert (settings.limits.call_timeout, settings.ranker, settings.collisions) == (5.0, "bm25", "prefix")
    assert (settings.log_file, settings.log_level) == (tmp_path / "logs/pegboard.log", "debug")
    assert settings.profiles == {"modern": ("find_tools", "call_tool")}
    assert settings.python == (tmp_path / "tools.py",)
    assert settings.upstreams["a b"] == Upstream(
        spec=StdioSpec(
            name="a b",
            command=str(tmp_path / "home/bin/server"),
            args=("--root", "/r", "~"),
            env={"TOKEN": "t"},
            inherit_env=("HTTPS_PROXY",),
            cwd=tmp_path / "sub",
            visibility={"read_*": "always"},
            include=("read_*",),
            exclude=("*_all",),
            approval="write",
            start_timeout=10.0,
            call_timeout=2.5,
            concurrency=4,
            output_check="strict",
            max_line=1_000_000,
            era="handshake",
        ),
        lazy=True,
    )
    assert settings.upstreams["bare"] == Upstream(spec=StdioSpec(name="bare", command="./run.sh", prefix=False))


def test_imports_bring_their_servers_in_order(load_text: Load, write: Write, tmp_path: Path) -> None:
    write("a.json", SERVERS)
    write("b.json", '{"servers": {"web": {"command": "other"}, "db": {"command": "d"}}}')
    loaded = load_text('[[import]]\nfile = "a.json"\n[[import]]\nfile = "${DIR}/b.json"', DIR=str(tmp_path))
    assert [(name, spec_of(loaded, name).command) for name in loaded.settings.upstreams] == [
        ("git", "git-mcp"),
        ("web", "w"),
        ("db", "d"),
    ]
    (loser,) = loaded.problems
    assert (loser.file, loser.key, loser.level) == (tmp_path / "b.json", "servers.web", Level.NOTE)
    assert loaded.files == (tmp_path / "pegboard.toml", tmp_path / "a.json", tmp_path / "b.json")


def test_globs_choose_servers_and_one_that_matches_none_is_told(load_text: Load, write: Write) -> None:
    write("a.json", SERVERS)
    loaded = load_text('[[import]]\nfile = "a.json"\ninclude = ["g*", "weeb"]\nexclude = ["other"]')
    assert list(loaded.settings.upstreams) == ["git"]
    assert [(problem.key, problem.level) for problem in loaded.problems] == [
        ("import[0].include[1]", Level.WARNING),
        ("import[0].exclude[0]", Level.WARNING),
    ]
    assert "'weeb' matches none of the servers there: git, web." in loaded.problems[0].message


def test_an_own_entry_wins_and_the_loser_is_named(load_text: Load, write: Write) -> None:
    write("a.json", SERVERS)
    loaded = load_text('[[import]]\nfile = "a.json"\n[upstreams.git]\ncommand = "mine"')
    assert loaded.settings.upstreams["git"] == Upstream(spec=StdioSpec(name="git", command="mine"))
    (loser,) = loaded.problems
    assert loser.key == "mcpServers.git"


def test_an_own_entry_with_a_mistake_still_keeps_the_imported_one_out(load_text: Load, write: Write) -> None:
    write("a.json", SERVERS)
    loaded = load_text('[[import]]\nfile = "a.json"\n[upstreams.git]\ncommand = "mine"\nexlude = ["push"]')
    assert list(loaded.settings.upstreams) == ["web"]
    assert loaded.held == {"git"}
    assert "Did you mean exclude?" in str(loaded.errors[0])


def test_an_own_entry_without_a_command_adjusts_the_imported_one(load_text: Load, write: Write, tmp_path: Path) -> None:
    write("a.json", SERVERS)
    own = '[upstreams.git]\nexclude = ["push"]\nenv = { B = "3", C = "${C}" }\ncwd = "sub"\nprefix = "g"'
    loaded = load_text(f'[[import]]\nfile = "a.json"\n{own}', C="4")
    assert not loaded.problems
    git = spec_of(loaded, "git")
    assert (git.command, git.args, git.exclude, git.prefix) == ("git-mcp", (".",), ("push",), "g")
    assert git.env == {"A": "1", "B": "3", "C": "4"}
    assert git.cwd == tmp_path / "sub"


def test_an_own_entry_can_switch_an_imported_one_off(load_text: Load, write: Write) -> None:
    write("a.json", SERVERS)
    loaded = load_text('[[import]]\nfile = "a.json"\n[upstreams.git]\ndisabled = true')
    assert list(loaded.settings.upstreams) == ["web"]
    assert [str(problem).partition(": ")[2] for problem in loaded.problems] == ["upstreams.git.disabled: is disabled."]


def test_an_own_entry_without_a_command_and_an_import_is_a_mistake(load_text: Load) -> None:
    (problem,) = load_text('[upstreams.gti]\nvisibility = "always"').errors
    assert "no import brings an entry of this name" in problem.message


def test_a_broken_import_takes_nothing_else_away(load_text: Load, write: Write, tmp_path: Path) -> None:
    write("good.json", SERVERS)
    write("broken.json", '{"mcpServers": {')
    imports = "".join(f'[[import]]\nfile = "{name}.json"\n' for name in ("missing", "broken", "good"))
    loaded = load_text(f'{imports}[upstreams.own]\ncommand = "x"')
    assert list(loaded.settings.upstreams) == ["own", "git", "web"]
    assert loaded.broken == {tmp_path / "missing.json", tmp_path / "broken.json"}
    missing, broken = loaded.errors
    assert missing.place == f"{tmp_path}/pegboard.toml:2"
    assert missing.message == f"{tmp_path}/missing.json: there is no such file."
    assert broken.place == f"{tmp_path}/broken.json:1:17"


def test_an_entry_without_a_name_takes_nothing_else_away(load_text: Load, write: Write) -> None:
    write("mcp.json", '{"mcpServers": {" ": {"command": "x"}, "web": {"command": "w"}}}')
    loaded = load_text('[upstreams.""]\ncommand = "a"\n[upstreams.git]\ncommand = "g"\n[[import]]\nfile = "mcp.json"')
    assert list(loaded.settings.upstreams) == ["git", "web"]
    assert [(problem.level, problem.message) for problem in loaded.problems] == [
        (Level.ERROR, "an upstream needs a name.")
    ] * 2


def test_a_python_file_that_is_not_there_is_told_and_kept_in_case_it_comes(load_text: Load, tmp_path: Path) -> None:
    loaded = load_text('[[python]]\nfile = "tools.py"')
    (problem,) = loaded.errors
    assert (problem.key, problem.line) == ("python[0].file", 2)
    assert loaded.settings.python == (tmp_path / "tools.py",)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("[[import]]\nflie = 'x'", {"import"}),
        ("[[python]]\nfile = 5", {"python"}),
        ("upstreams = 5", {"upstreams"}),
        ("[upstrems.a]\ncommand = 'x'", {"upstreams", "import", "python", "http_tools", "openapi", "skills"}),
        ("[upstreams.a]\ncommand = 5\n[limits]\npage = 0", set()),
    ],
)
def test_it_is_known_of_which_sections_a_part_could_not_be_told(load_text: Load, text: str, unread: set[str]) -> None:
    assert load_text(text).unread == unread


def test_a_variable_in_the_path_of_an_import_that_is_not_set_is_told(load_text: Load) -> None:
    (problem,) = load_text('[[import]]\nfile = "${NOPE}/x.json"').errors
    assert problem.key == "import[0].file"
    assert "NOPE" in problem.message


def test_an_import_of_no_clients_file_is_told(load_text: Load, write: Write, tmp_path: Path) -> None:
    write("other.toml", '[upstreams.a]\ncommand = "x"')
    (problem,) = load_text('[[import]]\nfile = "other.toml"').errors
    assert problem.file == tmp_path / "other.toml"
    assert "no MCP servers" in problem.message


def test_the_home_of_nobody_is_a_path_like_any_other(load_text: Load) -> None:
    path = "'~no-such-user/x'"
    text = f"[[import]]\nfile = {path}\n[upstreams.a]\ncommand = {path}\n[log]\nfile = {path}"
    loaded = load_text(text)
    assert spec_of(loaded, "a").command == "~no-such-user/x"
    assert "no such file" in loaded.errors[0].message


def test_links_that_lead_round_in_a_circle_are_a_mistake_not_a_crash(load_text: Load, tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to(tmp_path / "b.json")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    (problem,) = load_text('[[import]]\nfile = "a.json"').errors
    assert "cannot be read: Too many levels of symbolic links" in problem.message


def test_the_workspace_of_an_import_can_be_given(load_text: Load, data: Path) -> None:
    file = data / "clients" / "claude_code.json"
    loaded = load_text(f'[[import]]\nfile = "{file}"\nworkspace = "/home/ada/blog"\ninclude = ["ghost"]', HOME="/h")
    assert spec_of(loaded, "ghost").cwd == Path("/home/ada/blog")


def test_clients_can_be_named_beside_a_file_or_alone(write: Write) -> None:
    own = write("pegboard.toml", "[limits]\npage = 7\n[upstreams.git]\nexclude = ['push']")
    first, second = write("a.json", SERVERS), write("b.json", '{"servers": {"web": {"command": "other"}}}')
    both = load(own, clients=[first, second])
    assert both.settings.limits.page == 7
    assert spec_of(both, "git").exclude == ("push",)
    assert [problem.key for problem in both.problems] == ["servers.web"]
    assert both.files == (own, first, second)
    alone = load(None, clients=[second, first])
    assert spec_of(alone, "web").command == "other"
    with pytest.raises(ConfigError, match=r"missing.json: there is no such file"):
        load(own, clients=[first, "missing.json"])


def test_a_file_that_cannot_be_understood_is_an_error_at_once(load_text: Load, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pegboard.toml:2:\d+: not TOML"):
        load_text("a = 1\nb = ")
    with pytest.raises(ConfigError, match="there is no such file"):
        load(tmp_path / "missing.toml")


def test_strict_refuses_mistakes_and_lists_them_all(write: Write) -> None:
    file = write("pegboard.toml", "[gatway]\n[limits]\npage = 0\n[upstreams.web]\nurl = 'http://x'")
    with pytest.raises(ConfigError) as caught:
        load(file, strict=True)
    assert str(caught.value).splitlines() == [
        "The configuration has 2 mistakes:",
        f"{file}:1: gatway: is not known here. Did you mean [gateway]?",
        f"{file}:3: limits.page: wanted at least 1, got 0.",
    ]
    assert [problem["line"] for problem in caught.value.data["problems"]] == [1, 3]


def test_strict_lets_warnings_and_notes_pass(write: Write) -> None:
    text = (
        "[gateway]\nhost = '::'\n[[import]]\nfile = 'mcp.json'\nexclude = ['x']\n[upstreams.me]\ncommand = 'pegboard'"
    )
    write("mcp.json", '{"mcpServers": {"web": {"url": "http://x"}}}')
    loaded = load(write("pegboard.toml", text), strict=True)
    assert [problem.level for problem in loaded.problems] == [Level.WARNING, Level.NOTE]


def test_secrets_are_in_no_repr_and_no_message(load_text: Load) -> None:
    text = """
    [upstreams.a]
    command = "x"
    args = ["--token=${TOKEN}", "${UNSET}"]
    env = { KEY = "sk-literal", OTHER = "${TOKEN}" }
    [upstreams.b]
    command = "x"
    args = ["--token=${TOKEN}"]
    env = { KEY = "sk-literal", OTHER = "${TOKEN}" }
    """
    loaded = load_text(text, TOKEN="sk-environ")
    assert spec_of(loaded, "b").env["OTHER"] == "sk-environ"
    shown = repr(loaded) + "".join(f"{problem} {problem!r} {problem.to_json()}" for problem in loaded.problems)
    assert "UNSET" in shown
    assert "sk-" not in shown


def test_the_process_s_own_environment_fills_in_by_default(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEGBOARD_TEST_VALUE", "from the process")
    file = write("pegboard.toml", "[upstreams.a]\ncommand = 'x'\nargs = ['${PEGBOARD_TEST_VALUE}']")
    assert spec_of(load(file), "a").args == ("from the process",)


def test_equal_files_give_equal_settings_wherever_they_lie(write: Write) -> None:
    text = "[upstreams.a]\ncommand = 'x'\n"
    first, second = (load(write(name, text)).settings for name in ("1/pegboard.toml", "2/pegboard.toml"))
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first  # values, nothing alive


RIGHTS = """
[principals.ann]
[[policy.rules]]
principals = ["ann"]
names = ["*"]
allow = ["discover"]
"""


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ('[log]\nprincipal = "ann"', ":2: log.principal: is not known here. It belongs in [gateway]."),
        ('[boards]\nprincipel = "ann"', ":2: boards.principel: is not known here."),
        ('[upstreams.x]\ncommand = "x"\nprincipal = "ann"', ":3: upstreams.x.principal: is not known here."),
        ('[[python]]\nfile = "x.py"\nprincipal = "ann"', ":3: python[0].principal: is not known here."),
        ("[[limits.policy.rules]]", ":1: limits.policy: is not known here."),
        ("[log]\nmandatory = true", ":2: log.mandatory: is not known here. It belongs in [receipts]."),
        ('[boards]\non_drift = "quarantin"', ':2: boards.on_drift: wanted "accept", "warn" or "quarantine"'),
        ('[boards]\non_drfit = "quarantine"', ":2: boards.on_drfit: is not known here. Did you mean on_drift?"),
        ('[gateway]\non_drift = "quarantine"', ":2: gateway.on_drift: is not known here. It belongs in [boards]."),
    ],
)
def test_what_decides_is_refused_in_a_wrong_table_too(load_text: Load, before: str, told: str) -> None:
    for rest in ("", RIGHTS):
        with pytest.raises(ConfigError) as raised:
            load_text(f"{before}\n{rest}")
        assert told in str(raised.value)


def test_names_of_ones_own_are_not_taken_for_what_decides(load_text: Load) -> None:
    text = """
    [upstreams.principal]
    command = "x"
    env = { principal = "a", on_drift = "b" }
    visibility = { policy = "always" }
    [upstreams.policy]
    command = 5
    """
    loaded = load_text(text)
    assert [problem.key for problem in loaded.problems] == ["upstreams.policy.command"]
    assert list(loaded.settings.upstreams) == ["principal"]
