"""Arrays that are remembered as long as there is room for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from pegboard.search.arrays import Array

Key = TypeVar("Key", bound=Hashable)


class Memo(Generic[Key]):
    """Arrays by key, of at most ``room`` bytes together; what was longest of no use makes room for what is new.

    Lives as long as what the arrays were computed of. Threads may share it: at worst, one computes what another has.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._arrays: dict[Key, Array] = {}

    def get(self, key: Key, computed: Callable[[], Array]) -> Array:
        """The array of this key, ``computed`` where it is not remembered."""
        found = self._arrays.pop(key, None)
        if found is None:
            found = computed()
            taken = found.nbytes + sum(array.nbytes for array in list(self._arrays.values()))
            for oldest in list(self._arrays):
                if taken <= self._room:
                    break
                taken -= self._forget(oldest)
        self._arrays[key] = found
        return found

    def _forget(self, key: Key) -> int:
        found = self._arrays.pop(key, None)
        return 0 if found is None else found.nbytes
