"""Words of one family that stemming leaves apart: ``extension`` for ``extend``. Rules and what reads them.

The rules speak of stems, and say what to look for, not what there is: a word that no tool has is not found, and costs
little. American and British spellings are among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_PAIRS: Final = """
    crib=cript lv=lut rt=rs nd=ns mit=miss id=is ud=us pli=plic yz=ysi yz=ys yz=yt ysi=ys ysi=yt
    our=or tr=ter br=ber ogu=og enc=ens
    """
_SWAPS: Final = tuple(
    swap for one, other in (pair.split("=") for pair in _PAIRS.split()) for swap in ((one, other), (other, one))
)
"""Endings that stand for one another: ``describe`` and ``description``, ``colour`` and ``color``."""

_ENDINGS: Final = {"er": 3, "or": 4, "i": 4, "ment": 3, "al": 4, "ist": 3, "ism": 4, "ian": 3, "is": 4, "ee": 3}
"""Endings that a word of the family may lack, and how many letters are left at least."""
_ADDED: Final = {"er": "", "or": "ts", "i": "", "ment": ""}
"""Endings that a word of the family may have besides, and the letters that each is put behind, any if none is told:
those that are common enough to be looked for everywhere."""
_NO_E: Final = ("er", "or")  # before these an ``e`` falls off

_LEAST: Final = 4  # letters of a word that has a family
_LEFT: Final = 2  # letters before an ending that is swapped
_VOWELS: Final = "aeiou"
_DOUBLED: Final = "bdgmnprt"


@lru_cache(maxsize=1 << 14)
def kin(term: str) -> tuple[str, ...]:
    """Stems that may be of the same family as ``term``, which is one; none for what is not of the letters ``a-z``."""
    if len(term) < _LEAST or not (term.isascii() and term.isalpha()):
        return ()
    found = dict.fromkeys((*_swapped(term), *_shorter(term), *_longer(term)))
    found.pop(term, None)
    return tuple(found)


def _swapped(term: str) -> Iterator[str]:
    for one, other in _SWAPS:
        if term.endswith(one) and len(term) - len(one) >= _LEFT:
            yield term.removesuffix(one) + other


def _shorter(term: str) -> Iterator[str]:
    """``converter`` to ``convert``, ``planner`` to ``plan``, ``writer`` to ``write``."""
    for ending, least in _ENDINGS.items():
        rest = term.removesuffix(ending)
        if least <= len(rest) < len(term):
            yield rest
            if len(rest) > 3 and rest[-1] == rest[-2]:
                yield rest[:-1]
            if ending in ("er", "or"):
                yield rest + "e"


def _longer(term: str) -> Iterator[str]:
    """``convert`` to ``converter``, ``write`` to ``writer``, ``plan`` to ``planner``."""
    for ending, behind in _ADDED.items():
        rest = term.removesuffix("e") if ending in _NO_E else term
        if not behind or rest[-1] in behind:
            yield rest + ending
    if term[-1] in _DOUBLED and term[-2] in _VOWELS and term[-3] not in _VOWELS:
        yield f"{term}{term[-1]}er"
