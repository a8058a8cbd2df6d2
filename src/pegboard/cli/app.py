"""The command line: what becomes of its words, and of whatever commands raise."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import wraps
from typing import Annotated, Any, Final

import typer

from pegboard.cli.commands import COMMANDS, GROUPS, PAIRS, loaded, only
from pegboard.cli.exits import Exit, exit_for
from pegboard.cli.faults import FaultLog, kept_log
from pegboard.cli.options import Common, reordered, with_options
from pegboard.cli.output import Output
from pegboard.cli.reading import Command, Group
from pegboard.errors import PegboardError

_LOGGING: Final = frozenset({COMMANDS["serve"]})
"""Commands that see to the log themselves."""

_PROGRAM: Final = "pegboard"
_VERSION: Final = "--version"
_COMPLETION: Final = "_PEGBOARD_COMPLETE"
"""Set by shells that ask for completions."""
_FLAGS: Final = frozenset({"--install-completion", "--show-completion"})

_EPILOG: Final = (
    "Every command also takes --json, --config, --from, --wait and --debug. "
    "Exit codes: 0 ok, 1 the tool failed or a floor was missed, 2 usage, 3 configuration, 4 not found, "
    "5 an upstream is away, 6 refused, 7 took too long. For completion in your shell: pegboard --install-completion."
)


def run(words: Sequence[str]) -> int:
    """Run one command line, without the program's name, and give its exit code. Prints errors, raises none."""
    _open_streams()
    ours = words[: list(words).index("--")] if "--" in words else words
    output = Output(json="--json" in ours)
    line = reordered(words, GROUPS, PAIRS)
    app = _app(line, completion=_COMPLETION in os.environ or not _FLAGS.isdisjoint(words[:1]))
    try:
        return app(args=line, standalone_mode=False, prog_name=_PROGRAM) or Exit.OK
    except typer.TyperException as error:
        return _usage(error, output)
    except typer.Abort:
        return Exit.INTERRUPTED


def _open_streams() -> None:
    """See to it that there are streams, and that they can print anything: a shell may have closed them (``>&-``)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _app(line: Sequence[str], *, completion: bool) -> typer.Typer:
    """The commands, as far as a command line needs them.

    Typer's own flags for completion and help load pydantic even where they are not given: the former are there only
    when they are used, and the latter is ours.
    """
    app = _typer(
        "Hang every tool your agent owns on one board; show the model only what the job needs.",
        add_help_option=False,
        add_completion=completion,
        epilog=_EPILOG,
    )
    app.callback(invoke_without_command=True)(_main)
    if list(line) == [_VERSION]:
        return app
    first, second = (*line, "", "")[:2]
    _add(app, {} if first in GROUPS else only(first, COMMANDS))
    for group, (about, commands) in ({} if first in COMMANDS else only(first, GROUPS)).items():
        inside = _typer(about, invoke_without_command=True)
        inside.callback()(_group)
        _add(inside, only(second, commands))
        app.add_typer(inside, name=group)
    return app


def _add(app: typer.Typer, commands: Mapping[str, str]) -> None:
    for name, place in commands.items():
        app.command(name, cls=Command)(with_options(_guarded(loaded(place), logs=place in _LOGGING)))


def _typer(about: str, **options: Any) -> typer.Typer:
    return typer.Typer(
        cls=Group,
        help=about,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **options,
    )


def _main(
    context: typer.Context,
    version: Annotated[bool, typer.Option(_VERSION, help="Print the version.")] = False,
    asked: Annotated[bool, typer.Option("--help", "-h", help="Show this message.")] = False,
) -> None:
    if version:
        from pegboard import __version__

        typer.echo(f"pegboard {__version__}")
        raise typer.Exit(Exit.OK)
    if asked or context.invoked_subcommand is None:
        typer.echo(context.get_help().rstrip())
        raise typer.Exit(Exit.OK if asked else Exit.USAGE)


def _group(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help().rstrip())
        raise typer.Exit(Exit.USAGE)


def _guarded(command: Callable[..., Exit], *, logs: bool) -> Callable[..., int]:
    """A command that gives an exit code whatever happens in it; usage errors pass through.

    What tools written in Python print goes to stderr: stdout belongs to the command. ``logs`` says that the command
    sees to the log itself.
    """

    @wraps(command)
    def guarded(common: Common, **values: Any) -> int:
        with kept_log(screen=common.debug and not logs) as faults, redirect_stdout(sys.stderr):
            try:
                code = command(common, **values)
                common.output.flush()
            except (typer.TyperException, typer.Exit):
                raise
            except PegboardError as error:
                common.output.error(error.message, code=error.code, hint=error.hint, data=error.data)
                return exit_for(error)
            except KeyboardInterrupt:
                return Exit.INTERRUPTED
            except BrokenPipeError:
                return _pipe_closed()
            except (Exception, SystemExit) as error:
                # Strangers' code that ends the program would look like a command in which all went well.
                return _fault(error, common, faults)
            if code is Exit.INTERNAL and not common.debug:
                common.output.problem(f"What happened is in {faults.write()}; --debug shows it.", "Note")
            return code

    return guarded


def _usage(error: typer.TyperException, output: Output) -> int:
    context = getattr(error, "ctx", None)
    hint = f"See: {context.command_path} --help" if context is not None else "See: pegboard --help"
    message = error.format_message().rstrip(".").replace("Value error, ", "", 1)
    output.error(message if message.endswith("?") else f"{message}.", code="usage", hint=hint)
    return Exit.USAGE


def _fault(error: BaseException, common: Common, faults: FaultLog) -> int:
    """An exception that nobody expected: one line, and the rest in a file."""
    if common.debug:
        traceback.print_exception(error)
    hint = f"The details are in {faults.write(error)}; --debug shows them."
    message = f"Pegboard failed unexpectedly: {type(error).__name__}: {error}."
    common.output.error(message, code="internal_error", hint=hint)
    return Exit.INTERNAL


def _pipe_closed() -> int:
    """The reader of stdout is gone: nothing more can be said there, not even by Python on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.PIPE_CLOSED
