"""What a changed configuration means for what is running. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Generic, TypeVar

Name = TypeVar("Name")
Spec = TypeVar("Spec")


@dataclass(frozen=True, kw_only=True)
class Difference(Generic[Name, Spec]):
    """What to do to get from the old configuration to the new one, by name. Immutable.

    ``keep`` has the names of what runs on untouched; ``change`` the new specs of what has to be restarted.
    """

    start: Mapping[Name, Spec]
    stop: tuple[Name, ...]
    keep: tuple[Name, ...]
    change: Mapping[Name, Spec]

    def __bool__(self) -> bool:
        return bool(self.start or self.stop or self.change)


def diff(old: Mapping[Name, Spec], new: Mapping[Name, Spec], held: Set[Name] = frozenset()) -> Difference[Name, Spec]:
    """The difference between two sets of specs, which are compared with ``==``.

    Names in ``held`` have no usable spec at present: what runs under them keeps running as it was.
    """
    return Difference(
        start={name: spec for name, spec in new.items() if name not in old},
        stop=tuple(name for name in old if name not in new and name not in held),
        keep=tuple(name for name in old if (name in held and name not in new) or new.get(name) == old[name]),
        change={name: spec for name, spec in new.items() if name in old and old[name] != spec},
    )
