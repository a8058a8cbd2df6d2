"""A ``pegboard.toml`` against the model: every mistake, with its place, what was wanted, what came, and the fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.config import Settings
from pegboard.config.kinds import PREFIX
from pegboard.config.model import SECTIONS
from pegboard.limits import Limits
from tests.config.conftest import Load


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('\n[gatway]\nname = "x"', ":2: gatway: is not known here. Did you mean [gateway]?"),
        ("[gateway]\nprot = 1", ":2: gateway.prot: is not known here. Did you mean port?"),
        ('ranker = "bm25"', ":1: ranker: is not known here. It belongs in [search]."),
        ("[gateway]\npage = 5", ":2: gateway.page: is not known here. It belongs in [limits]."),
        ("[mcpServers.x]", ":1: mcpServers: is not known here. Did you mean [upstreams.NAME]?"),
        ("[log]\ncolour = 1", ":2: log.colour: is not known here. Known are file, level."),
        ("gateway = 5", ":1: gateway: wanted a table, got an integer."),
        ('[gateway]\nboards = "yes"', ':2: gateway.boards: wanted true or false, got "yes". Write it without quotes.'),
        ("[gateway]\nname = 5", ":2: gateway.name: wanted text in quotes, got 5. Put it in quotes."),
        ('[gateway]\nname = ""', ':2: gateway.name: wanted text that is not empty, got "".'),
        ("[gateway]\nname = 2026-01-01", ":2: gateway.name: wanted text in quotes, got a date."),
        ("[gateway]\nport = 70000", ":2: gateway.port: wanted 0 to 65535, got 70000."),
        ("[gateway]\nport = true", ":2: gateway.port: wanted an integer, got true."),
        ("[gateway]\nport = 1.0", ":2: gateway.port: wanted an integer, got 1.0."),
        ("[limits]\npage = 0", ":2: limits.page: wanted at least 1, got 0."),
        ("[limits]\ncall_timeout = 0", ":2: limits.call_timeout: wanted seconds above 0, got 0."),
        ("[limits]\ncall_timeout = inf", ":2: limits.call_timeout: wanted seconds above 0, got inf."),
        ("[limits]\nsearch_cap = 5", ":2: limits.search_cap: wanted at least 20, the value of search, got 5."),
        (
            'collisions = "prefx"',
            ':1: collisions: wanted "refuse", "prefix" or "first", got "prefx". Did you mean "prefix"?',
        ),
        (
            '[upstreams.a]\ncommand = "x"\nargs = "-y x"',
            ':3: upstreams.a.args: wanted a list, got text. Write a list: ["..."].',
        ),
        (
            '[upstreams.a]\ncommand = "x"\nenvironment = {}',
            ":3: upstreams.a.environment: is not known here. Did you mean env?",
        ),
        (
            '[upstreams.a]\ncommand = "x"\nprefix = true',
            f":3: upstreams.a.prefix: wanted {PREFIX.wanted}, got true.",
        ),
        (
            '[upstreams.a]\ncommand = "x"\nargs = ["a\\u0000"]',
            ":3: upstreams.a.args[0]: wanted text without NUL characters and lone surrogates, got text.",
        ),
        ("[upstreams]\na = 1", ":2: upstreams.a: wanted a table, got an integer."),
        ("[[gateway]]", ":1: gateway: wanted a table, got a list. Write the table with one bracket: [...]."),
        ("upstreams = []", ":1: upstreams: wanted [upstreams.NAME], got a list."),
        (
            '[upstreams.a]\ncommand = "x"\n[upstreams.a.approval]\n"get_*" = "raed"',
            ':4: upstreams.a.approval."get_*": wanted "read", "write" or "exec", got "raed". Did you mean "read"?',
        ),
        ("[[import]]", ":1: import[0].file: is missing."),
        (
            '[import]\nfile = "x"',
            ":1: import: wanted [[import]], got a table. Write the table with two brackets: [[...]].",
        ),
    ],
)
def test_a_mistake_is_told_with_place_wanted_got_and_fix(load_text: Load, text: str, says: str) -> None:
    (problem,) = load_text(text).errors
    assert str(problem) == f"{problem.file}{says}"


def test_a_misspelt_meta_tool_gets_the_nearest_one(load_text: Load) -> None:
    (problem,) = load_text('[profiles]\nmodern = ["find_tools", "get_tols"]').errors
    assert problem.key == "profiles.modern[1]"
    assert problem.hint == 'Did you mean "get_tool"?'


def test_every_mistake_is_told_not_only_the_first(load_text: Load) -> None:
    text = "[gatway]\n[gateway]\nport = -1\nname = 1\n[limits]\npage = 0\n[upstreams.a]\nargs = 1\nenv = 2\n"
    assert [problem.line for problem in load_text(text).errors] == [1, 3, 4, 6, 8, 9]


def test_what_is_wrong_keeps_its_default_and_what_is_right_holds(load_text: Load) -> None:
    loaded = load_text("[gateway]\nport = -1\nhost = '::1'\n[limits]\npage = 7\nsearch = 0\n[nonsense]\n")
    assert (loaded.settings.gateway.port, loaded.settings.gateway.host) == (8765, "::1")
    assert (loaded.settings.limits.page, loaded.settings.limits.search) == (7, 20)


def test_a_secret_is_not_repeated_when_it_is_wrong(load_text: Load) -> None:
    text = """
    [upstreams.a]
    command = "x"
    env = { TOKEN = 123456789, "" = "sk-hidden" }
    args = ["--key", 987654321]
    headers = { Authorization = 555555555 }
    [[import]]
    file = "x"
    inputs = { token = 444444444 }
    """
    said = "\n".join(str(problem) for problem in load_text(text).problems)
    assert "upstreams.a.env.TOKEN: wanted text in quotes, got an integer." in said
    for secret in ("123456789", "sk-hidden", "987654321", "555555555", "444444444"):
        assert secret not in said


def test_an_empty_file_is_all_defaults(load_text: Load, home: Path) -> None:
    loaded = load_text("")
    state = home / ".local" / "state" / "pegboard"
    assert loaded.settings == Settings(store_file=state / "boards.sqlite3", cache_folder=state / "catalog")
    assert not loaded.problems


def test_limits_are_those_of_the_core() -> None:
    assert Limits(**vars(SECTIONS["limits"]())) == Limits()
