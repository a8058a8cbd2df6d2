"""What of a Pegboard's skills one caller may have, at their addresses."""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from pegboard.skill_source import SkillEntry, Skills
from pegboard.skills.published.addresses import document_address, splits, steps_of
from pegboard.skills.published.document import NotPublishedError
from pegboard.skills.published.published import NoFileOfSkillError, Published, Publishes
from pegboard.view import View

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Place:
    """Something on a shelf: a skill, and a file or folder of it ("" for its own folder). Immutable."""

    published: Published
    inside: str


MOST_REFUSED: Final = 1_000
"""Skills of which it is remembered that they cannot be published."""

ByPath = Mapping[tuple[str, ...], tuple[SkillEntry, Publishes]]
"""Skills, each with its source, by what their addresses are made of."""


class Shelves:
    """Makes the shelves of one gateway, and lives as long as it.

    The skills of a view are put in order once, however many requests look at the same ones.
    """

    def __init__(self) -> None:
        self._by_path: WeakKeyDictionary[Skills[SkillEntry], ByPath] = WeakKeyDictionary()
        self._refused: OrderedDict[tuple[str, str], None] = OrderedDict()

    def of(self, view: View) -> Shelf:
        """The shelf of what may be discovered."""
        found = self._by_path.get(view.skills)
        if found is None:
            found = self._by_path[view.skills] = dict(_paths(view))
        return Shelf(found, self._refuse)

    def _refuse(self, skill: SkillEntry, error: NotPublishedError) -> None:
        """Log, once for a skill and a reason, what cannot be published."""
        seen = (skill.digest, str(error))
        if seen not in self._refused:
            logger.warning("the skill %r is not served over MCP: it %s", skill.name, error)
        self._refused[seen] = None
        self._refused.move_to_end(seen)
        if len(self._refused) > MOST_REFUSED:
            self._refused.popitem(last=False)


class Shelf:
    """The skills that one caller may discover, by their addresses. Lives as long as one request.

    ``refuse`` is told of a skill that cannot be published, and why.
    """

    def __init__(self, skills: ByPath, refuse: Callable[[SkillEntry, NotPublishedError], None]) -> None:
        self._refuse = refuse
        self._skills = skills

    @property
    def addresses(self) -> tuple[str, ...]:
        """The address of each skill's ``SKILL.md``. Some of them may turn out not to be published."""
        return tuple(map(document_address, self._skills))

    async def all(self, addresses: Iterable[str]) -> AsyncIterator[Published]:
        """What is published at these addresses of skills, in their order; what cannot be published is passed over."""
        for address in addresses:
            if (found := await self.skill(address)) is not None:
                yield found

    async def skill(self, address: str) -> Published | None:
        """The skill whose ``SKILL.md`` has this address; None for all else."""
        steps = steps_of(address)
        if steps is None or document_address(steps[:-1]) != address:
            return None
        return await self._published(steps[:-1])

    async def places(self, address: str) -> AsyncIterator[Place]:
        """What an address may stand for: a file of a skill that is nested in another is one of that too."""
        for path, inside in splits(steps_of(address) or ()):
            if (found := await self._published(path)) is not None:
                yield Place(found, inside)

    async def read(self, address: str) -> tuple[str, bytes] | None:
        """The path and the bytes of a file; None where no skill has one at this address."""
        async for place in self.places(address):
            try:
                return place.inside, await place.published.read(place.inside)
            except NoFileOfSkillError:
                continue
        return None

    async def _published(self, path: tuple[str, ...]) -> Published | None:
        skill, source = self._skills.get(path, (None, None))
        if skill is None or source is None:
            return None
        try:
            return await source.publish(skill)
        except NotPublishedError as error:
            self._refuse(skill, error)
            return None


def fingerprint_of(view: View) -> str:
    """What changes when the caller's list of skills does."""
    told = "\n".join(f"{skill.name} {skill.source} {skill.digest}" for skill in view.skills)
    return hashlib.sha256(told.encode()).hexdigest()


def _paths(view: View) -> Iterable[tuple[tuple[str, ...], tuple[SkillEntry, Publishes]]]:
    for skill in view.skills:
        source: Any = view.catalog.source_of(skill)
        if isinstance(source, Publishes):
            yield source.path_of(skill), (skill, source)
