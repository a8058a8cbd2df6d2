"""Which server a listing comes from: everything that decides what it would list, in one digest.

What only decides how tools are taken in (prefix, globs, visibility) is left out: that is applied whenever they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from pegboard.sources.mcp.launch import is_secret_name, launch_of
from pegboard.sources.mcp.spec import HttpSpec, StdioSpec, UpstreamSpec
from pegboard.tools import canonical_json
from pegboard.version import __version__

_FORMAT: Final = 2
_SCRIPTS: Final = (".bat", ".cjs", ".cmd", ".jar", ".js", ".mjs", ".php", ".ps1", ".py", ".pyz", ".rb", ".sh", ".ts")
_SETTINGS: Final = (".conf", ".ini", ".json", ".jsonc", ".toml", ".yaml", ".yml")
_DECIDING: Final = frozenset((*_SCRIPTS, *_SETTINGS))
"""How files end that say what a server does. Others, such as logs and databases, change while it runs."""

_SHORTEST: Final = 8
"""Characters of a secret that is looked for: shorter ones stand in ordinary texts."""


def origin_of_process(spec: StdioSpec, environ: Mapping[str, str]) -> str:
    """The digest for a server that runs as a child process.

    Its program, and arguments that are scripts or settings, count with their sizes and times of change: an edited
    server is another one. Raises UpstreamError for one that cannot be started.
    """
    launch = launch_of(spec, environ)
    cwd = Path(launch.cwd or Path.cwd()).absolute()
    given = {name: launch.env[name] for name in sorted({*spec.inherit_env, *spec.env} & launch.env.keys())}
    program, *arguments = launch.argv
    deciding = (argument for argument in arguments if Path(argument).suffix.lower() in _DECIDING)
    files = [_stamp(cwd / path) for path in (program, *deciding)]
    return _digest(spec, "process", list(launch.argv), str(cwd), given, files)


def origin_of_address(spec: HttpSpec, headers: Mapping[str, str]) -> str:
    """The digest for a server over HTTP; ``headers`` are those that are sent: another caller may see other tools."""
    return _digest(spec, "address", spec.url, spec.transport, dict(headers))


def secrets_of(spec: StdioSpec, environ: Mapping[str, str]) -> Iterator[str]:
    """The values of variables whose names tell of a secret, which the server could repeat."""
    for name in (*spec.env, *spec.inherit_env):
        value = spec.env.get(name, environ.get(name, ""))
        if is_secret_name(name) and len(value) >= _SHORTEST:
            yield value


def repeats(texts: Iterable[str], secrets: Iterable[str]) -> bool:
    """Whether a secret stands in one of the texts."""
    wanted = tuple(secrets)
    return bool(wanted) and any(secret in text for text in texts for secret in wanted)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys too."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, list | tuple):
            waiting.extend(one)


def _digest(spec: UpstreamSpec, *facts: Any) -> str:
    told = [_FORMAT, __version__, spec.era, spec.skills, spec.max_line, *facts]
    return blake2b(canonical_json(told), digest_size=20).hexdigest()


def _stamp(path: Path) -> list[int] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return [found.st_size, found.st_mtime_ns] if path.is_file() else None
