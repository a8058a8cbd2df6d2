"""Rankers by name: those that come with Pegboard, and anybody's own as ``module:attribute``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from pegboard.errors import EvaluationError, told

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker


def ranker_named(name: str) -> Ranker:
    """The ranker of a name.

    ``module:attribute`` is imported: an object with ``rank``, or a class or function without arguments that gives one.
    Raises EvaluationError for a name that is none.
    """
    from pegboard.search import RANKERS

    module, colon, attribute = name.partition(":")
    if not colon:
        if name not in RANKERS:
            raise EvaluationError(
                f"No ranker is called {name!r}.",
                hint=f"There are {', '.join(RANKERS)}; one of your own is module:attribute.",
            )
        return RANKERS[name]()
    return _own(name, _imported(name, module, attribute))


def _imported(name: str, module: str, attribute: str) -> Any:
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        # What a stranger's module does when it is imported is anybody's guess.
        hint = "Write module:attribute, with the module in this folder or installed."
        raise EvaluationError(f"The ranker {name!r} cannot be imported: {told(error)}.", hint=hint) from error
    return found


def _own(name: str, found: Any) -> Ranker:
    """The ranker that an attribute is, or that it makes."""
    try:
        ranker = found() if isinstance(found, type) or not hasattr(found, "rank") else found
    except Exception as error:
        hint = "Name an object with rank(query, candidates), or what makes one without arguments."
        raise EvaluationError(f"The ranker {name!r} cannot be made: {told(error)}.", hint=hint) from error
    if not callable(getattr(ranker, "rank", None)):
        raise EvaluationError(
            f"{name!r} is no ranker: it has no rank(query, candidates).",
            hint="Write one that gives a sequence of Ranked, best first.",
        )
    return cast("Ranker", ranker)
