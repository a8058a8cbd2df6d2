"""``docs/configuration.md`` tells every key, and its examples hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pegboard.config import Level, load
from pegboard.config.model import INSIDE, SECTIONS
from pegboard.sources.mcp import StdioSpec
from tests.config.conftest import spec_of
from tests.docs_blocks import Block, blocks

HEADINGS = {
    "principals": "[principals.NAME]",
    "policy.rules": "[[policy.rules]]",
    "upstreams": "[upstreams.NAME]",
    "import": "[[import]]",
    "python": "[[python]]",
    "http_tools": "[[http_tools]]",
    "openapi": "[[openapi]]",
    "skills": "[[skills]]",
}
TABLES = {**SECTIONS, **{".".join(at): model for at, model in INSIDE.items()}}
ENVIRON = {"GITHUB_TOKEN": "t"}


@pytest.fixture(scope="module")
def page(root: Path) -> Path:
    return root / "docs" / "configuration.md"


def rows(page: Path, section: str) -> dict[str, str]:
    """The keys in the table of a section, each with its default as written."""
    heading = HEADINGS.get(section, f"[{section}]")
    text = page.read_text("utf-8").split(f"\n### `{heading}`\n", 1)[1].split("\n#", 1)[0]
    return dict(re.findall(r"^\| `(\w+)` \| (?:`([^|]*)`)? ?\|", text, re.MULTILINE))


def written(value: Any) -> str:
    """A default as the page writes it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(written(item) for item in value) + "]"
    return "{}" if value == {} else f"{value:g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("section", [section for section in TABLES if section != "upstreams"])
def test_every_key_stands_in_the_table_of_its_section_with_its_default(page: Path, section: str) -> None:
    defaults = {name: written(one.default) for name, one in TABLES[section].declared.items()}
    required = TABLES[section].required()
    assert rows(page, section) == {name: "" if name in required else default for name, default in defaults.items()}


def test_every_key_of_an_upstream_stands_in_its_table_with_the_default_of_the_source(page: Path) -> None:
    spec = StdioSpec(name="x", command="x")
    ours = {"lazy": False, "disabled": False, "transport": None, "command": None}
    defaults = {name: written(ours.get(name, getattr(spec, name, None))) for name in SECTIONS["upstreams"].declared}
    assert rows(page, "upstreams") == defaults


def test_the_key_at_the_top_is_told(page: Path) -> None:
    assert '\n| `collisions` | `"refuse"` |' in page.read_text("utf-8")


@pytest.fixture
def folder(page: Path, tmp_path: Path) -> Path:
    """A folder with every file that the page shows."""
    for block in blocks(page):
        if block.file:
            file = tmp_path / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.code, "utf-8")
    return tmp_path


def of_language(page: Path, *languages: str) -> list[Block]:
    found = [block for block in blocks(page) if block.language in languages]
    assert found, f"no block in {languages}"
    return found


def test_every_example_is_right_but_the_one_that_shows_mistakes(page: Path, folder: Path) -> None:
    for block in of_language(page, "toml", "json"):
        file = folder / (block.file or "example.toml")
        file.write_text(block.code, "utf-8")
        loaded = load(file, environ=ENVIRON, folder=folder)
        wrong = [str(problem) for problem in loaded.errors]
        expected = block.file == "wrong.toml" or "${input:" in block.code
        assert bool(wrong) is expected, f"{block.where}: {wrong}"


def test_the_mistakes_are_told_as_the_page_says(page: Path, folder: Path) -> None:
    (shown,) = of_language(page, "text")
    loaded = load(folder / "wrong.toml", environ={}, folder=folder)
    said = "".join(f"{problem.level} {problem}\n" for problem in loaded.problems)
    assert said.replace(f"{folder}/", "") == shown.code


def test_the_first_example_does_what_the_page_says(folder: Path) -> None:
    loaded = load(folder / "pegboard.toml", environ=ENVIRON, folder=folder)
    github, notes = (spec_of(loaded, name) for name in loaded.settings.upstreams)
    assert (github.command, github.exclude, github.env) == ("npx", ("delete_*",), {"GITHUB_TOKEN": "t"})
    assert notes.args[-1] == "/srv/notes"
    assert notes.approval_of("read_text_file") == "read"
    assert [(problem.level, problem.entry) for problem in loaded.problems] == [(Level.NOTE, "pegboard")]


def test_the_example_with_an_input_and_the_one_with_a_file_of_variables_hold(page: Path, folder: Path) -> None:
    texts = {block.code for block in of_language(page, "toml")}
    with_input = next(text for text in texts if "inputs" in text)
    with_file = next(text for text in texts if "env_file" in text)
    (folder / "example.toml").write_text(with_input + with_file, "utf-8")
    loaded = load(folder / "example.toml", environ=ENVIRON, folder=folder)
    assert not loaded.problems
    assert spec_of(loaded, "github").env == {"GITHUB_TOKEN": "t"}
    assert spec_of(loaded, "github").cwd == folder
    assert spec_of(loaded, "shop").env == {
        "SHOP_KEY": "two words",
        "SHOP_PATTERN": "as it stands",
        "SHOP_MODE": "up to the end of the line, or to a blank and a",
    }
