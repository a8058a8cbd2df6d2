"""Tools and the questions that they are right for: read from files, checked line by line."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pegboard.catalog import Catalog
from pegboard.context import Context
from pegboard.documents.problems import ConfigProblem
from pegboard.errors import DataSetError, PegboardError
from pegboard.evaluation.lines import Line, in_order, misspelt, objects
from pegboard.evaluation.metrics import Grades
from pegboard.naming import legal_name
from pegboard.search.text import content_words
from pegboard.tools import Entry, Tool
from pegboard.view import View

TOOLS_FILE: Final = "tools.jsonl"
QUERIES_FILE: Final = "queries.jsonl"

_TOOL_KEYS: Final = ("name", "description", "category", "tags", "keywords", "input_schema", "inputSchema", "source")
_QUESTION_KEYS: Final = ("id", "query", "relevant", "language", "source")

_HINTED: Final = 20
"""Unknown tools for which the nearest name is looked up; a whole file of them would take minutes."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A need in somebody's words, and the tools that meet it with their grades. Immutable.

    Without ``relevant`` no tool meets it: the right answer is that nothing fits. ``without`` are tools that are taken
    away while it is asked. ``language`` and ``source`` are what the file says of it, ``""`` for nothing.
    """

    id: str
    text: str
    relevant: Grades = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    language: str = ""
    source: str = ""

    @property
    def answerable(self) -> bool:
        """Whether there is a right tool."""
        return bool(self.relevant)


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """Tools, as somebody sees them, and questions. Immutable.

    ``written`` has the names of those tools that are called otherwise in the catalog, as their authors wrote them, by
    the catalog's; questions speak of tools by these. ``problems`` are what was set aside, and keys that were
    passed over and may be misspelt; ``aside`` is how many questions were.
    """

    name: str
    view: View
    questions: tuple[Question, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[ConfigProblem, ...] = ()
    aside: int = 0

    @cached_property
    def known(self) -> Mapping[str, Entry]:
        """The tools and skills by the names that questions have for them."""
        entries: Iterable[Entry] = (*self.view.skills, *self.view.tools)
        return {self.written.get(entry.name, entry.name): entry for entry in entries}

    def source_of(self, name: str) -> str:
        """The source of a tool; ``""`` for those of a file, which has none."""
        entry = self.known.get(name)
        source = entry.source if isinstance(entry, Tool) else ""
        return "" if source == FILE_SOURCE else source

    def view_for(self, question: Question) -> View:
        """What can be seen while a question is asked."""
        if not question.without:
            return self.view
        gone = {self.known[name].name for name in question.without}
        names = self.view.catalog.names if self.view.names is None else self.view.names
        skills = self.view.skills.subset(frozenset(self.view.skills.names) - gone)
        return replace(self.view, names=names - gone, skills=skills)

    def sampled(self, most: int | None, seed: int) -> DataSet:
        """The same with at most ``most`` questions, drawn by ``seed``, in their order."""
        if most is None or most >= len(self.questions):
            return self
        # A draw that depends on the set's name too: equal places of two sets are no sample of both.
        drawn = random.Random(f"{seed}/{self.name}").sample(range(len(self.questions)), most)  # noqa: S311
        return replace(self, questions=tuple(self.questions[place] for place in sorted(drawn)))

    def reduced(self) -> DataSet:
        """The same with every question cut to its content words, which is how models ask."""
        cut = (" ".join(word.text for word in content_words(question.text)) for question in self.questions)
        asked = zip(self.questions, cut, strict=True)
        return replace(self, questions=tuple(replace(question, text=text) for question, text in asked))

    def with_unanswerable(self) -> DataSet:
        """The same and, for each question that has right tools, one whose right tools are taken away."""
        twins = (
            replace(question, id=f"{question.id}/without", relevant={}, without=frozenset(question.relevant))
            for question in self.questions
            if question.answerable
        )
        return replace(self, questions=(*self.questions, *twins))


FILE_SOURCE: Final = "python"
"""The source of tools that a file names none for: a Tool's own default, since searches read the words of a source."""


async def _no_handler(arguments: dict[str, Any], context: Context) -> None:
    return None


def sets_of(folder: Path) -> list[DataSet]:
    """The set that a folder is, or those in its folders, by name.

    Raises DataSetError where there is none, and where one cannot be used at all.
    """
    if not folder.is_dir():
        raise DataSetError(f"{folder}: there is no such folder or file.", hint="Check the path.")
    found = [folder] if (folder / QUERIES_FILE).exists() or (folder / TOOLS_FILE).exists() else []
    found = found or sorted(file.parent for file in folder.glob(f"*/{QUERIES_FILE}"))
    if not found:
        raise DataSetError(
            f"{folder}: there is no data set in this folder.",
            hint=f"It needs {TOOLS_FILE} and {QUERIES_FILE}, or folders that have both.",
        )
    return [read_set(one) for one in found]


def read_set(folder: Path) -> DataSet:
    """A folder's tools and questions. Raises DataSetError for a file that cannot be read, and where nothing is left."""
    lines, problems = objects(folder / TOOLS_FILE)
    tools, wrong = _tools(lines)
    if not tools:
        example = '{"name": "send_mail", "description": "Send a mail"}'
        raise _nothing(folder / TOOLS_FILE, "tool", example, in_order([*problems, *wrong]))
    catalog = Catalog(tools)
    written = {tool.name: tool.bare_name for tool in tools if tool.name != tool.bare_name}
    told = in_order([*problems, *wrong, *misspelt(lines, _TOOL_KEYS)])
    bare = DataSet(name=folder.resolve().name, view=View(catalog), written=written, problems=tuple(told))
    return with_questions(bare, folder / QUERIES_FILE)


def with_questions(data: DataSet, file: Path) -> DataSet:
    """The same tools with the questions of a file. Raises DataSetError for one that has none that can be asked."""
    lines, problems = objects(file)
    questions, wrong = _questions(lines, data)
    wrong = in_order([*problems, *wrong])
    if not questions:
        raise _nothing(file, "question", '{"id": "1", "query": "tell my boss", "relevant": ["send_mail"]}', wrong)
    told = in_order([*wrong, *misspelt(lines, _QUESTION_KEYS)])
    return replace(data, questions=tuple(questions), problems=(*data.problems, *told), aside=len(wrong))


def _nothing(file: Path, what: str, example: str, wrong: Sequence[ConfigProblem]) -> DataSetError:
    listed = "\n".join(map(str, wrong[:10]))
    return DataSetError(
        f"{file}: there is no {what} in it that can be used." + (f"\n{listed}\n" if listed else ""),
        hint=f"Write one on each line, such as {example}.",
        data={"problems": [problem.to_json() for problem in wrong[:100]]},
    )


def _tools(lines: Iterable[Line]) -> tuple[list[Tool], list[ConfigProblem]]:
    tools: dict[str, Tool] = {}
    where: dict[str, int] = {}
    problems = []
    for line in lines:
        try:
            tool = _tool(line)
        except PegboardError as error:
            problems.append(line.problem(error.message, error.hint))
            continue
        if tool.name in tools:
            first = f"A tool is called {tool.bare_name!r} on line {where[tool.name]} already."
            problems.append(line.problem(first, "Rename or remove one of the two."))
            continue
        tools[tool.name], where[tool.name] = tool, line.number
    return list(tools.values()), problems


def _tool(line: Line) -> Tool:
    """The tool of a line; names that are not legal are mapped to ones that are."""
    name = line.filled("name")
    return Tool(
        name=legal_name(name),
        bare_name=name,
        description=line.text("description", ""),
        category=line.text("category", "") or None,
        tags=line.texts("tags"),
        keywords=line.texts("keywords"),
        input_schema=line.table("input_schema", "inputSchema"),
        source=line.text("source", "") or FILE_SOURCE,
        handler=_no_handler,
    )


def _questions(lines: Iterable[Line], data: DataSet) -> tuple[list[Question], list[ConfigProblem]]:
    questions: dict[str, Question] = {}
    where: dict[str, int] = {}
    problems: list[ConfigProblem] = []
    for line in lines:
        try:
            question = _question(line)
        except DataSetError as error:
            problems.append(line.problem(error.message, error.hint))
            continue
        problem = next(_doubts(line, question, data, where, hinted=len(problems) < _HINTED), None)
        if problem is not None:
            problems.append(problem)
            continue
        questions[question.id], where[question.id] = question, line.number
    return list(questions.values()), problems


def _question(line: Line) -> Question:
    return Question(
        id=line.id(),
        text=line.filled("query"),
        relevant=line.grades("relevant"),
        language=line.text("language", ""),
        source=line.text("source", ""),
    )


def _doubts(
    line: Line, question: Question, data: DataSet, where: Mapping[str, int], *, hinted: bool
) -> Iterator[ConfigProblem]:
    """Why a question cannot be asked of these tools."""
    if question.id in where:
        message = f"The id {question.id!r} is that of line {where[question.id]} already."
        yield line.problem(message, "Give each question an id of its own.")
    for name in question.relevant:
        if name not in data.known:
            yield line.problem(f'"relevant" names {name!r}, and there is no such tool.', _meant(name, data, hinted))


def _meant(name: str, data: DataSet, hinted: bool) -> str:
    from pegboard.schema.names import nearest

    close = nearest(name, data.known) if hinted else None
    return f"Did you mean {close!r}?" if close else "Name a tool that there is, or remove the line."
