"""Reading and running the code blocks of a Markdown page.

Blocks of one page run in order, in one namespace, one event loop and one folder:

- ``python``: executed; ``await`` is allowed anywhere.
- ``console``: when it begins with ``$ pegboard``, each command is run by bash and must exit with 0. Lines below a
  command are what it prints; ``...`` stands for anything, and nothing shown means nothing compared.
- any language after ``<!-- file: NAME -->``: written to NAME first.
- any after ``<!-- not run: REASON -->``: left alone.
"""

from __future__ import annotations

import ast
import asyncio
import codeop
import doctest
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n\n?)?^```(?P<language>\w+)[^\n]*\n(?P<code>.*?)^```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
COMPARED = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
COMMAND_TIMEOUT = 60
WAITING = re.compile(r"^Waiting for (?P<names>.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block. Immutable. ``line`` is that of its first line of code in ``page``."""

    page: Path
    line: int
    language: str
    code: str
    mark: str = ""

    @property
    def skipped(self) -> bool:
        return self.mark.startswith("not run: ") and len(self.mark) > len("not run: ")

    @property
    def file(self) -> str | None:
        return self.mark.removeprefix("file: ") if self.mark.startswith("file: ") else None

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, from top to bottom."""
    text = page.read_text("utf-8")
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("code")) + 1
        yield Block(page, line, found["language"], found["code"], found["mark"] or "")


def pasted(code: str) -> str:
    """What the prompt of ``python -m asyncio`` says of a text that is pasted, a line at a time; "" for nothing."""
    compiled = codeop.CommandCompiler()
    compiled.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    typed = ""
    for line in (*code.splitlines(), ""):
        typed += f"{line}\n"
        try:
            whole = compiled(typed.removesuffix("\n"), symbol="single") is not None
        except SyntaxError as error:
            return f"{error.msg}: {line}"
        typed = "" if whole else typed
    return f"it does not end: {typed}" if typed.strip() else ""


def run_page(page: Path, folder: Path) -> int:
    """Run a page's blocks with ``folder`` as the current one; how many ran.

    Raises what a block raises, and AssertionError for a command that fails or prints something else.
    """
    before = Path.cwd()
    os.chdir(folder)
    try:
        return asyncio.run(_run_all(list(blocks(page)), folder))
    finally:
        os.chdir(before)


async def _run_all(found: list[Block], folder: Path) -> int:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    ran = 0
    for block in found:
        if block.skipped:
            continue
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.code, "utf-8")
        elif block.language == "python":
            await run_python(block, namespace)
            ran += 1
        elif block.language == "console" and block.code.startswith("$ pegboard"):
            await asyncio.to_thread(run_console, block, folder)
            ran += 1
    return ran


async def run_python(block: Block, namespace: dict[str, Any]) -> None:
    """Execute a block; a traceback names the page and its line."""
    padded = "\n" * (block.line - 1) + block.code
    code = compile(padded, str(block.page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    outcome = eval(code, namespace)
    if inspect.iscoroutine(outcome):
        await outcome


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output shown for it."""
    for part in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, rest = part.split("\n", 1)
        while command.endswith("\\"):
            more, rest = rest.split("\n", 1)
            command = f"{command[:-1]} {more}"
        yield command, rest


def without_waiting(printed: str) -> str:
    """What a command printed, without how far its sources were: a slow machine tells it, a quick one has no time to."""
    told = WAITING.search(printed)
    if told is None:
        return printed
    names = "|".join(re.escape(name) for name in told["names"].split(", "))
    return re.sub(rf"^(?:{names}): .*\n", "", WAITING.sub("", printed, count=1), flags=re.MULTILINE)


def run_console(block: Block, folder: Path) -> None:
    """Run a console block's commands and compare what they print."""
    scripts = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    for command, shown in commands(block):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, f"{block.where}: {command!r} exited with {done.returncode}:\n{done.stdout}"
        matches = not shown.strip() or doctest.OutputChecker().check_output(
            shown, without_waiting(done.stdout), COMPARED
        )
        assert matches, f"{block.where}: {command!r} printed\n{done.stdout}\ninstead of\n{shown}"
