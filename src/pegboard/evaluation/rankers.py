"""Rankers by name: those that come with Pegboard, and anybody's own as ``module:attribute``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from pegboard.errors import ConfigError, EvaluationError, told

if TYPE_CHECKING:
    from pegboard.search.encoder import Encoder
    from pegboard.search.rankers import Ranker


HYBRID: Final = "hybrid"
PATIENCE: Final = 3600.0
"""Seconds that the hybrid ranker waits for its encoder: what is measured is all of it."""


def ranker_named(name: str, encoder: Callable[[], Encoder] | None = None) -> Ranker:
    """The ranker of a name; ``encoder`` makes that of the hybrid one (default: the best that is installed).

    ``module:attribute`` is imported: an object with ``rank``, or a class or function without arguments that gives one.
    Raises EvaluationError for a name that is none, and where the hybrid one needs what is not installed.
    """
    from pegboard.search import RANKERS

    module, colon, attribute = name.partition(":")
    if name == HYBRID:
        return _hybrid(encoder)
    if not colon:
        if name not in RANKERS:
            raise EvaluationError(
                f"No ranker is called {name!r}.",
                hint=f"There are {', '.join((*RANKERS, HYBRID))}; one of your own is module:attribute.",
            )
        return RANKERS[name]()
    return _own(name, _imported(name, module, attribute))


def _hybrid(encoder: Callable[[], Encoder] | None) -> Ranker:
    from pegboard.encoders import installed
    from pegboard.search.hybrid import HybridRanker

    try:
        return HybridRanker(encoder or installed()[0], patience=PATIENCE)
    except ConfigError as error:
        raise EvaluationError(error.message, hint=error.hint) from error


def _imported(name: str, module: str, attribute: str) -> Any:
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # What a stranger's module does when it is imported is anybody's guess. One that ends the program would look
        # like an evaluation in which all is well.
        hint = "Write module:attribute, with the module in this folder or installed."
        raise EvaluationError(f"The ranker {name!r} cannot be imported: {told(error)}.", hint=hint) from error
    return found


def _own(name: str, found: Any) -> Ranker:
    """The ranker that an attribute is, or that it makes."""
    try:
        ranker = found() if isinstance(found, type) or not hasattr(found, "rank") else found
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        hint = "Name an object with rank(query, candidates), or what makes one without arguments."
        raise EvaluationError(f"The ranker {name!r} cannot be made: {told(error)}.", hint=hint) from error
    if not callable(getattr(ranker, "rank", None)):
        raise EvaluationError(
            f"{name!r} is no ranker: it has no rank(query, candidates).",
            hint="Write one that gives a sequence of Ranked, best first.",
        )
    return cast("Ranker", ranker)
