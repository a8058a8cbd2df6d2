"""How a key of ``pegboard.toml`` is declared, and the kinds that several tables share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, Final, NamedTuple, dataclass_transform

from pegboard.config.kinds import NAME, Kind, by_glob, choice, integer, list_of
from pegboard.tools import Approval, Visibility

Word = str | Mapping[str, str] | None
COUNT: Final = integer(1)
VISIBILITY: Final = by_glob(choice(*Visibility))
APPROVAL: Final = by_glob(choice(*Approval))
NAMES: Final = list_of(NAME)


class Key(NamedTuple):
    """The declaration of a key. Immutable, shared."""

    kind: Kind
    about: str
    default: Any
    required: bool


def key(kind: Kind, about: str, default: Any = None, *, required: bool = False) -> Any:
    """The declaration of a key. ``about`` is its line in the documentation."""
    return Key(kind, about, default, required)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Keys:
    """The keys of one table, as written. Immutable; belongs to one load.

    A class for a table declares them as attributes, each with ``key``. It is used like a frozen dataclass, and made in
    a fraction of the time: every command waits for all of them.
    """

    declared: ClassVar[Mapping[str, Key]] = {}

    def __init_subclass__(cls) -> None:
        cls.declared = {name: value for name, value in vars(cls).items() if isinstance(value, Key)}
        for name, one in cls.declared.items():
            setattr(cls, name, one.default)

    def __init__(self, **values: Any) -> None:
        if strange := values.keys() - self.declared.keys():
            raise TypeError(f"{type(self).__name__} has no key {', '.join(sorted(strange))}")
        vars(self).update({name: values.get(name, one.default) for name, one in self.declared.items()})

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to key {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete key {name!r}")

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @classmethod
    def keys_known(cls) -> dict[str, Kind]:
        """Every key with its kind."""
        return {name: one.kind for name, one in cls.declared.items()}

    @classmethod
    def required(cls) -> list[str]:
        """The keys that must be there."""
        return [name for name, one in cls.declared.items() if one.required]

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Keys that are right by themselves but not beside another, each with the message."""
        yield from ()
