"""A file of HTTP tools as a source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from pegboard.http_tools.files import Loaded, load_file
from pegboard.http_tools.tool import Client, HttpRuntime
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.http_source import Closable, HttpSource
from pegboard.threads import in_thread


class HttpToolFile(HttpSource):
    """A file whose tools are HTTP requests. Process-wide; used from one event loop.

    ``environ`` (default: the process's own) fills ``{{env.*}}`` in.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        runtime: Callable[[Client], HttpRuntime],
        *,
        spec: DataToolSpec | None = None,
        client: Callable[[], Closable] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(name, runtime, spec=spec, client=client)
        self.path = path
        self._environ = environ

    @property
    def where(self) -> str:
        """The file's path."""
        return str(self.path)

    async def load(self, context: Collection[str]) -> Loaded:
        """What the file says now."""
        return await in_thread(
            lambda: load_file(self.path, environ=self._environ, context=context), name=f"file {self.name}"
        )
