"""The command line as a door: each call is a ``pegboard call`` in a process of its own.

It has a configuration of its own, in which the case's catalog is a Python file, and its policy is rules.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.runners.cases.answer import Answer, Clock, of_wire
from tests.runners.cases.configuration import Configuration, table, value
from tests.runners.cases.local import Called

CATALOG: Final = '''\
"""The tools of the catalog {file}."""

from pathlib import Path

from tests.runners.cases.local import noting, tools_of

for _tool in tools_of(Path({file!r}), noting(Path({log!r}))):
    globals()[f"tool_{{_tool.name}}"] = _tool
'''


class CommandDoor:
    """The command line, for one principal. Lives as long as one step.

    ``catalog`` is the case's file of tools, ``rights`` are the globs of its policy. ``called`` hears of every call that
    reached a handler, and ``heard`` of everything that was printed.
    """

    def __init__(
        self,
        configuration: Configuration,
        *,
        catalog: Path | None,
        rights: Mapping[str, Mapping[str, Sequence[str]]] | None,
        who: str | None,
        called: Called,
        heard: list[str],
    ) -> None:
        self._configuration = configuration
        self._catalog = catalog
        self._rights = rights
        self._who = who
        self._called = called
        self._heard = heard

    async def call(self, name: str, arguments: Any, *, meta: Mapping[str, Any] | None = None) -> Answer:
        """``pegboard call``; what it prints, with the words on stderr behind it."""
        given = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        with Clock() as clock:
            code, out, err = await self._run("call", "--json", "--", name, given)
        told = json.loads(out)
        answer = _refused(told["error"]) if "error" in told else of_wire(told, arguments)
        assert (code == 0) is not answer.is_error, f"exit code {code}: {out}{err}"
        answer.seconds = clock.seconds
        self._heard += [out, err]
        return answer

    async def listing(self) -> list[dict[str, Any]]:
        """``pegboard list``: the tools that the principal sees."""
        _, out, _ = await self._run("list", "--json", "--")
        tools: list[dict[str, Any]] = json.loads(out)["tools"]
        return tools

    async def _run(self, command: str, *words: str) -> tuple[int, str, str]:
        log = self._configuration.folder / "command.called.jsonl"
        log.write_text("", encoding="utf-8")
        whose = ["--as", self._who] if self._who else []
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "pegboard", command, "--config", str(self._write(log)), *whose, *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        for line in log.read_text(encoding="utf-8").splitlines():
            self._called(*json.loads(line))
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    def _write(self, log: Path) -> Path:
        """Write the configuration, and the file of tools that it names; the path."""
        folder = self._configuration.folder
        lines = [self._configuration.text()]
        if self._catalog is not None:
            tools = folder / "command_tools.py"
            tools.write_text(CATALOG.format(file=str(self._catalog), log=str(log)), encoding="utf-8")
            lines += ["[[python]]", f"file = {value(str(tools))}", ""]
        people = dict.fromkeys([*(self._rights or ()), *([self._who] if self._who else [])])
        lines += [line for name in people for line in table(f"principals.{value(name)}", {})]
        lines += _rules(self._rights) if self._rights is not None else []
        file = folder / "command.toml"
        file.write_text("\n".join(lines), encoding="utf-8")
        return file


def _rules(rights: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    """The policy as rules. Its globs speak of bare names, those of rules of names with their prefixes."""
    yield from table("policy", {})
    for who, allowed in rights.items():
        for action, globs in allowed.items():
            names = [form for glob in globs for form in dict.fromkeys((glob, f"*__{glob}"))]
            if names:
                yield from table("[policy.rules]", {"principals": [who], "names": names, "allow": [action]})


def _refused(error: Mapping[str, Any]) -> Answer:
    return Answer(
        text=f"{error['message']} {error.get('hint', '')}".strip(), is_error=True, structured={"error": error}
    )
