"""Tools that are made on the first look at them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from pegboard.admission import check_tool
from pegboard.errors import told
from pegboard.requirements import admitted
from pegboard.tools import Tool

logger = logging.getLogger(__name__)

Make = Callable[[], Tool]


@dataclass
class Factory:
    """A tool that is not made yet. Belongs to its registry; ``anew`` gives what a reload puts in its place.

    ``failure`` says why there is no tool, once that is known.
    """

    name: str
    make: Make
    strict: bool
    tool: Tool | None = None
    failure: str = ""
    _making: bool = field(default=False, repr=False)

    def look(self) -> Tool | None:
        """The tool, made on the first look. None when it cannot be made, and while it is being made.

        With ``strict`` an error of ``make`` is raised, and the next look tries again.
        """
        if self.tool is None and not self.failure and not self._making:
            self._making = True  # a factory may look at the registry that it belongs to
            try:
                self._make()
            finally:
                self._making = False
        return self.tool

    def anew(self) -> Factory:
        """The same, not made yet."""
        return Factory(self.name, self.make, self.strict)

    def _make(self) -> None:
        try:
            made = check_tool(self.make())
            taken = admitted(made if made.name == self.name else made.with_(name=self.name))
        except (Exception, SystemExit) as error:
            if self.strict:
                raise
            logger.warning("the factory of tool %r failed", self.name, exc_info=True)
            self.failure = f"Its factory failed with {told(error)}. Mend the factory, then reload."
            return
        if isinstance(taken, Tool):
            self.tool = taken
        else:
            self.failure = taken
