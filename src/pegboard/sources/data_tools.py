"""What tools that are data are like, as a configuration says it of a whole source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pegboard.naming import is_legal, legal_name
from pegboard.rules.globs import Glob
from pegboard.tools import Approval, Tool, Visibility

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class DataToolSpec:
    """What a source's tools are like. Immutable; two are equal when the same tools would come of the same definitions.

    ``prefix`` stands before their names, with ``__``; "" for none. ``visibility`` and ``approval`` hold for every tool,
    or are mappings from globs of their own names, of which the first that matches counts; without an approval the
    tool's own ``side_effect`` decides: ``read`` or ``write``. Of ``include`` and ``exclude``, the latter wins.
    """

    prefix: str = ""
    visibility: str | Mapping[str, str] = Visibility.ON_DEMAND
    approval: str | Mapping[str, str] | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def excludes(self, name: str) -> str:
        """What leaves a tool out, in words; "" when nothing does."""
        found = next((glob for glob in self.exclude if Glob(glob).matches(name)), None)
        if found is not None:
            return f"the exclude pattern {found!r} leaves it out"
        taken = not self.include or any(Glob(glob).matches(name) for glob in self.include)
        return "" if taken else "no include pattern takes it in"

    def shown(self, name: str) -> str:
        """The name that a tool is shown under and called by; what can be no tool's name stays as it is."""
        return legal_name(name, self.prefix) if is_legal(name) else name

    def applied(self, tool: Tool, own_name: str) -> Tool:
        """A tool, which has its shown name, with what this says of the one called ``own_name``."""
        visibility = _by_glob(self.visibility, own_name) or Visibility.ON_DEMAND
        approval = _by_glob(self.approval, own_name)
        return tool.with_(
            bare_name=own_name,
            visibility=Visibility(visibility),
            approval=tool.approval if approval is None else Approval(approval),
        )


def _by_glob(setting: T | Mapping[str, T], name: str) -> T | None:
    """The setting for a name: of a mapping from globs, the first that matches."""
    if not isinstance(setting, Mapping):
        return setting
    return next((value for glob, value in setting.items() if Glob(glob).matches(name)), None)
