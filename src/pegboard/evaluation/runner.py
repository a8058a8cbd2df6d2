"""Asking every question of a set, with one ranker."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pegboard.budget import within_budget
from pegboard.detail import Detail
from pegboard.errors import EvaluationError, told
from pegboard.evaluation.datasets import DataSet, Question
from pegboard.evaluation.metrics import DEPTH
from pegboard.finding import answer, ranking
from pegboard.limits import Limits
from pegboard.tokens import count_tokens

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker
    from pegboard.search.ranking import Ranked


COUNTED: Final = 200
"""Questions of a set, evenly taken, for which tokens are counted: it takes longer than the search itself."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one question came to. Immutable.

    ``found`` are the names of the tools found, as questions write them, best first and each once: ten of them, and
    more as far as the first right one. ``refused`` says that the search answered that nothing fits. ``seconds`` is the
    time of the search, None where tools were taken away for this question alone: what is counted for the first time
    takes its own time; ``tokens`` what the answer of ``find_tools`` costs, None where it was not counted.
    """

    question: Question
    found: tuple[str, ...]
    refused: bool
    seconds: float | None
    tokens: int | None


def run(data: DataSet, ranker: Ranker, limits: Limits | None = None) -> Iterator[Answer]:
    """Ask every question as ``find_tools`` is asked: names that stand in the question first, then the ranker's order.

    A first search that builds the index is not timed. Raises EvaluationError when the ranker fails, or does a part of
    its work alone.
    """
    limits = limits or Limits()
    step = -(-len(data.questions) // COUNTED)
    for place, question in enumerate(data.questions):
        if not place:
            _asked(data, question, ranker, limits, counted=False)
        yield _asked(data, question, ranker, limits, counted=place % step == 0)


def _asked(data: DataSet, question: Question, ranker: Ranker, limits: Limits, *, counted: bool) -> Answer:
    view = data.view_for(question)
    try:
        began = time.perf_counter()
        order = ranking(view, ranker, question.text, limits)
        answered = answer(view, order, question.text, None, limits)
        seconds = time.perf_counter() - began
        # The order is looked at further down than an answer reaches, and where the answer is that nothing fits.
        found = tuple(_names(data, question, order))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # Strangers write rankers.
        raise EvaluationError(
            f"The ranker {type(ranker).__name__} fails on the question {question.id!r} of {data.name}: {told(error)}.",
            hint="Mend it: rank(query, candidates) gives a sequence of Ranked, best first.",
        ) from error
    if answered.degraded:
        raise EvaluationError(
            f"The ranker {type(ranker).__name__} did not do all of its work on the question {question.id!r} of "
            f"{data.name}: {answered.degraded}",
            hint="Figures of a part of it would be told as those of the whole: see to the encoder.",
        )
    return Answer(
        question=question,
        found=found,
        refused=not answered.matches,
        seconds=None if question.without else seconds,
        tokens=_tokens(answered.matches, limits.find_tokens) if counted else None,
    )


def _names(data: DataSet, question: Question, ranked: Sequence[Ranked]) -> Iterator[str]:
    seen: set[str] = set()
    met = not question.relevant
    for one in ranked:
        name = data.written.get(one.entry.name, one.entry.name)
        if name in seen:
            continue
        seen.add(name)
        met = met or name in question.relevant
        yield name
        if met and len(seen) >= DEPTH:
            return


def _tokens(matches: Sequence[Ranked], budget: int) -> int:
    """What the matches cost where they are shown, in as much detail as the budget of an answer lets them have."""
    items = within_budget(matches, Detail.DETAILED, budget).items
    return count_tokens(json.dumps(items, ensure_ascii=False, separators=(",", ":")))
