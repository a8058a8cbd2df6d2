"""Answers and sets that several tests use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pegboard.evaluation.datasets import Question
from pegboard.evaluation.runner import Answer


def answered(
    *found: str,
    right: Iterable[str] | Mapping[str, float] = (),
    refused: bool = False,
    text: str = "a need",
    **more: Any,
) -> Answer:
    """An answer that found these names."""
    grades = dict(right) if isinstance(right, Mapping) else dict.fromkeys(right, 1.0)
    question = Question(id=text, text=text, relevant=grades)
    return Answer(question=question, found=found, refused=refused, **{"seconds": 0.001, "tokens": 10, **more})


def write_set(folder: Path, tools: Sequence[Any], questions: Sequence[Any]) -> Path:
    """A folder that is a data set; tools may be bare names, questions (text, names of the right tools)."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"name": tool, "description": ""} if isinstance(tool, str) else tool for tool in tools]
    asks = [{"id": ask[0], "query": ask[0], "relevant": ask[1]} if isinstance(ask, tuple) else ask for ask in questions]
    for name, values in (("tools.jsonl", lines), ("queries.jsonl", asks)):
        text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in values)
        (folder / name).write_text(text, "utf-8")
    return folder
