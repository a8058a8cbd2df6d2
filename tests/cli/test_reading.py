"""Values of the command line: the short cut gives what typer gives, or leaves them to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.core import TyperCommand

from pegboard.cli.reading import UNSURE, Command, plainly

SEEN: list[dict[str, Any]] = []


def asked(
    text: Annotated[str, typer.Argument()],
    more: Annotated[list[str] | None, typer.Argument()] = None,
    size: Annotated[int | None, typer.Option(min=1, max=50)] = None,
    wait: Annotated[float, typer.Option(min=0)] = 30.0,
    file: Annotated[Path | None, typer.Option()] = None,
    files: Annotated[list[Path] | None, typer.Option("--from")] = None,
    there: Annotated[Path | None, typer.Option(exists=True)] = None,
    word: Annotated[Literal["brief", "full"], typer.Option()] = "brief",
    flag: Annotated[bool, typer.Option("--flag")] = False,
) -> None:
    SEEN.append(dict(locals()))


def read(kind: type[TyperCommand], words: Sequence[str]) -> dict[str, Any] | str:
    """What a command of a kind makes of a command line: the values, or the message."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(cls=kind)(asked)
    SEEN.clear()
    try:
        typer.main.get_command(app).main(args=list(words), standalone_mode=False)
    except typer.TyperException as error:
        return error.format_message()
    return SEEN[0]


LINES = [
    "a",
    "",
    "a b c",
    "a --size 1 --wait 0",
    "a --size 50 --wait 2.5",
    "a --size 51",
    "a --size 0",
    "a --size 007",
    "a --size 1.0",
    "a --size ٣",
    "a --size many",
    "a --wait -1",
    "a --wait 1e3",
    "a --wait nan",
    "a --wait inf",
    "a --wait .5",
    "a --file x.toml --from y --from z",
    "a --file .",
    "a --there nowhere",
    "a --there .",
    "a --word full",
    "a --word FULL",
    "a --word long",
    "a --flag",
    "a --nothing",
    "--size 3",
]


@pytest.mark.parametrize("line", LINES)
def test_every_line_is_read_as_typer_reads_it(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(Command, line.split()) == read(TyperCommand, line.split())


@pytest.fixture
def parameter() -> Callable[[str], Any]:
    """A parameter of the command by its name."""
    app = typer.Typer(add_completion=False)
    app.command(cls=Command)(asked)
    found = {one.name: one for one in typer.main.get_command(app).params}
    return found.__getitem__


@pytest.mark.parametrize(
    ("name", "value", "plain"),
    [
        ("text", "a", "a"),
        ("text", None, UNSURE),
        ("more", None, ()),
        ("more", ("b", "c"), ["b", "c"]),
        ("size", None, None),
        ("size", "12", 12),
        ("size", "51", UNSURE),
        ("wait", "2.5", 2.5),
        ("file", "nowhere", Path("nowhere")),
        ("there", "nowhere", UNSURE),
        ("word", "full", "full"),
        ("word", "FULL", UNSURE),
        ("flag", True, True),
        ("flag", "yes", UNSURE),
    ],
)
def test_what_is_plainly_right_is_taken_as_it_is(
    parameter: Callable[[str], Any], name: str, value: Any, plain: Any
) -> None:
    assert plainly(parameter(name), value) == plain
