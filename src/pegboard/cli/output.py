"""Where a command's words go: what was asked for to stdout, progress and problems to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from pegboard.cli.visible import json_text, one_line, visible

if TYPE_CHECKING:
    from rich.console import Console

Row = Sequence[str]

_GAP: Final = "  "
_STYLES: Final = {"Error": "bold red", "Warning": "yellow", "Note": "dim"}


class Output:
    """The two streams of one command, as they were at its start; lives as long as it.

    On a terminal, columns are fitted to its width and a little colour is used; in a pipe or a file everything is plain
    and whole. Texts of strangers never reach a terminal with control characters in them. With ``json``, what was asked
    for is one JSON document; problems that do not end the command still go to stderr.
    """

    def __init__(self, *, json: bool = False) -> None:
        self.json = json
        self._stdout = sys.stdout
        self._stderr = sys.stderr
        self._mixed = _mixed(self._stdout, self._stderr)

    def document(self, value: Any) -> None:
        """The one JSON document."""
        _write(self._stdout, json_text(value))

    def say(self, text: str = "") -> None:
        """Words of our own, a line or more."""
        _write(self._stdout, visible(text))

    def heading(self, text: str) -> None:
        """A line that stands above others."""
        _styled(self._stdout, one_line(text), "bold")

    def raw(self, text: str) -> None:
        """A tool's own output: unchanged in a pipe, with visible control characters on a terminal."""
        shown = visible(text) if self._stdout.isatty() else text
        _write(self._stdout, shown.removesuffix("\n"))

    def rows(self, rows: Sequence[Row], *, head: Row = (), numbers: Collection[int] = (), indent: int = 0) -> None:
        """Aligned columns, each cell one line of text; nothing without rows. ``numbers`` are columns of numbers."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        if not cells:
            return
        if self._stdout.isatty():
            _table(self._stdout, cells, head, numbers, indent)
        else:
            for line in _aligned([list(head), *cells] if head else cells, numbers):
                _write(self._stdout, " " * indent + line)

    def problem(self, text: str, level: str = "Warning") -> None:
        """Something to know that does not end the command. ``level`` is a word of ``Error, Warning, Note``."""
        _styled(self._stderr, visible(f"{level}: {text}"), _STYLES[level])

    def ask(self, question: str) -> None:
        """A question to the person at the terminal, who answers on the same line."""
        self._stderr.write(visible(question))
        self._stderr.flush()

    def progress(self, text: str) -> None:
        """How far something is. Not said where both streams end in one pipe or file: it would stand in the result."""
        if not self._mixed:
            _styled(self._stderr, visible(text), "dim")

    def flush(self) -> None:
        """Hand on what is still in a buffer. Raises BrokenPipeError when nobody reads it."""
        self._stdout.flush()

    def error(self, message: str, *, code: str, hint: str = "", data: dict[str, Any] | None = None) -> None:
        """What ended the command."""
        if self.json:
            body = {"code": code, "message": message} | ({"hint": hint} if hint else {}) | (data or {})
            self.document({"error": body})
        else:
            self.problem(f"{message} {hint}".strip(), "Error")


def console(stream: IO[str]) -> Console:
    """A rich console that takes every text as it is: no markup, no emoji codes, no highlighting."""
    from rich.console import Console

    return Console(file=stream, markup=False, emoji=False, highlight=False)


def _mixed(stdout: IO[str], stderr: IO[str]) -> bool:
    """Whether two streams end in the same pipe or file, as with ``2>&1``."""
    try:
        return not stdout.isatty() and os.path.sameopenfile(stdout.fileno(), stderr.fileno())
    except (OSError, ValueError):
        return False


def _write(stream: IO[str], text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()


def _styled(stream: IO[str], text: str, style: str) -> None:
    if stream.isatty():
        console(stream).print(text, style=style, soft_wrap=True)
    else:
        _write(stream, text)


def _table(stream: IO[str], rows: Sequence[Row], head: Row, numbers: Collection[int], indent: int) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=bool(head), pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    to = console(stream)
    for column in range(max(map(len, (*rows, head)))):
        title = head[column] if head else ""
        style = "cyan" if column == 0 else ""
        # A name is broken only where it would leave no room for the rest.
        whole = column == 0 and 2 * max(len(row[0]) for row in (*rows, head or ("",))) <= to.width
        justify: Literal["left", "right"] = "right" if column in numbers else "left"
        table.add_column(title, style=style, overflow="fold", justify=justify, no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    to.print(Padding.indent(table, indent))


def _aligned(rows: Sequence[Row], numbers: Collection[int]) -> list[str]:
    """The rows as lines; the last column is never padded."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(_GAP.join(cells).rstrip())
    return lines
