"""The documentation is executed: ``docs_blocks`` says how blocks are marked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs_blocks import blocks, pasted, run_page

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_a_page_runs(
    page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):  # a page finds nothing that another one kept
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp("state")))
    monkeypatch.syspath_prepend(tmp_path)  # as at the prompt, which finds what lies in the current folder
    run_page(page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_snippet_can_be_pasted_into_python_m_asyncio(page: Path) -> None:
    """A blank line ends a block there, and a block ends with nothing else."""
    snippets = [block for block in blocks(page) if block.language == "python" and block.file is None]
    wrong = {block.where: flaw for block in snippets if (flaw := pasted(block.code))}
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\((?!https?://|mailto:|#)([^)\s#]+)", prose)
    broken = [link for link in links if not (page.parent / link).exists()]
    assert not broken


def test_every_command_is_on_a_page() -> None:
    from pegboard.cli.commands import COMMANDS, GROUPS

    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    names = [*COMMANDS, *(f"{group} {name}" for group, (_, inside) in GROUPS.items() for name in inside)]
    missing = [name for name in names if f"pegboard {name}" not in text]
    assert not missing, f"show on a page how these commands are used: {missing}"


def write(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, "utf-8")
    return page


def test_blocks_share_a_namespace_and_may_await(tmp_path: Path) -> None:
    page = write(
        tmp_path,
        "```python\nimport asyncio\nfuture = asyncio.get_running_loop().create_future()\n```\n"
        "between\n\n```python\nfuture.set_result(7)\nassert await future == 7\n```\n",
    )
    assert run_page(page, tmp_path) == 2


def test_an_error_in_a_block_names_the_line_of_the_page(tmp_path: Path) -> None:
    page = write(tmp_path, "# Title\n\n```python\nok = 1\nraise KeyError('here')\n```\n")
    with pytest.raises(KeyError, match="here") as caught:
        run_page(page, tmp_path)
    assert (str(caught.traceback[-1].path), caught.traceback[-1].lineno + 1) == (str(page), 5)


def test_a_block_is_left_alone_only_with_a_reason(tmp_path: Path) -> None:
    marked = "<!-- not run: needs a key -->\n```python\n1 / 0\n```\n"
    assert run_page(write(tmp_path, marked), tmp_path) == 0
    with pytest.raises(ZeroDivisionError):
        run_page(write(tmp_path, marked.replace("needs a key ", "")), tmp_path)


def test_a_marked_file_is_there_for_the_blocks_below(tmp_path: Path) -> None:
    page = write(
        tmp_path,
        "<!-- file: conf/a.toml -->\n```toml\nx = 1\n```\n"
        "```python\nfrom pathlib import Path\nassert Path('conf/a.toml').read_text() == 'x = 1\\n'\n```\n",
    )
    assert run_page(page, tmp_path) == 1


def test_commands_are_run_and_what_they_print_is_compared(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    right = "```console\n$ pegboard() { echo one $1 three; }; pegboard two\none ... three\n```\n"
    page = write(tmp_path, right)
    assert [block.language for block in blocks(page)] == ["console"]
    assert run_page(page, tmp_path) == 1
    with pytest.raises(AssertionError, match="instead of"):
        run_page(write(tmp_path, right.replace("one ...", "four ...")), tmp_path)
    with pytest.raises(AssertionError, match="exited with 3"):
        run_page(write(tmp_path, "```console\n$ pegboard() { exit 3; }; pegboard\n```\n"), tmp_path)


def test_how_far_a_slow_machine_was_is_not_compared(tmp_path: Path) -> None:
    said = "printf 'Waiting for a, b.c\\nb.c: ready, 1 tool\\na: failed\\na tool\\n' # pegboard"
    run_page(write(tmp_path, f"```console\n$ pegboard --version >/dev/null; {said}\na tool\n```\n"), tmp_path)
    with pytest.raises(AssertionError):
        run_page(write(tmp_path, f"```console\n$ pegboard --version >/dev/null; {said}\na fool\n```\n"), tmp_path)
