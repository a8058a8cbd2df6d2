"""The list of skills that a model is told of at the beginning, within a budget. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from pegboard.skill_source import SkillEntry
from pegboard.texts import one_line

MAX_DESCRIPTION: Final = 1_024
"""Characters of a description by the format; a longer one is cut there, whatever the budget."""

_SHORTEST: Final = 20
"""Characters below which a cut description says nothing any more: then names alone are told."""


@dataclass(frozen=True, kw_only=True)
class SkillsPrompt:
    """The text, and what had to give. Immutable. ``text`` is "" where there is nothing to tell, or no room for it.

    ``names`` are those that it tells of. ``shortened`` counts the skills whose description is cut or left out,
    ``left_out`` those that are not named.
    """

    text: str = ""
    names: tuple[str, ...] = ()
    shortened: int = 0
    left_out: int = 0

    def notes(self) -> tuple[str, ...]:
        """What had to give, in words."""
        cut = f"descriptions of skills that are shortened in the prompt: {self.shortened}"
        out = f"skills that are left out of the prompt: {self.left_out}"
        return tuple(note for note, count in ((cut, self.shortened), (out, self.left_out)) if count)


def skills_prompt(
    skills: Iterable[SkillEntry],
    *,
    max_tokens: int | None = None,
    max_chars: int | None = None,
    finder: str | None = None,
) -> SkillsPrompt:
    """``<available_skills>`` with name, description and location of each, escaped; metadata only.

    Within ``max_tokens`` and ``max_chars`` (None: no bound) the long descriptions are cut first, all at one length;
    where that is not enough, names alone are told, and then the last skills left out. The block says what was done,
    and how to find the rest: ``finder`` is the tool that finds skills, None where there is none. Equal skills and
    bounds give equal bytes.
    """
    told = tuple(skills)
    if not told:
        return SkillsPrompt()

    def fits(prompt: SkillsPrompt) -> bool:
        if max_chars is not None and len(prompt.text) > max_chars:
            return False
        if max_tokens is None:
            return True
        from pegboard.tokens import count_tokens

        return count_tokens(prompt.text) <= max_tokens

    whole = _cut(told, MAX_DESCRIPTION, finder)
    if fits(whole):
        return whole
    cut = _largest(_SHORTEST, MAX_DESCRIPTION - 1, lambda length: _cut(told, length, finder), fits)
    named = cut or _largest(1, len(told), lambda count: _named(told, count, finder), fits)
    return named or SkillsPrompt(left_out=len(told))


def _largest(
    low: int, high: int, made: Callable[[int], SkillsPrompt], fits: Callable[[SkillsPrompt], bool]
) -> SkillsPrompt | None:
    """The prompt of the largest number that was seen to fit; None where none was."""
    best: SkillsPrompt | None = None
    while low <= high:
        middle = (low + high) // 2
        prompt = made(middle)
        if fits(prompt):
            best, low = prompt, middle + 1
        else:
            high = middle - 1
    return best


def _cut(skills: Sequence[SkillEntry], length: int, finder: str | None) -> SkillsPrompt:
    """Every skill, with its description within a length."""
    texts = [bounded(skill.description, length) for skill in skills]
    entries = [line for skill, text in zip(skills, texts, strict=True) for line in _entry(skill, text)]
    # What the format cuts anyway is no doing of the budget.
    shortened = sum(text != bounded(skill.description) for skill, text in zip(skills, texts, strict=True))
    names = tuple(skill.name for skill in skills)
    return SkillsPrompt(text=_block(entries, len(skills), shortened, 0, finder), names=names, shortened=shortened)


def _named(skills: Sequence[SkillEntry], count: int, finder: str | None) -> SkillsPrompt:
    """The names of the first skills."""
    entries = [
        line for skill in skills[:count] for line in ("<skill>", f"<name>{escaped(skill.name)}</name>", "</skill>")
    ]
    left_out = len(skills) - count
    return SkillsPrompt(
        text=_block(entries, len(skills), count, left_out, finder),
        names=tuple(skill.name for skill in skills[:count]),
        shortened=count,
        left_out=left_out,
    )


def _entry(skill: SkillEntry, description: str) -> list[str]:
    return [
        "<skill>",
        f"<name>{escaped(skill.name)}</name>",
        f"<description>{escaped(one_line(description))}</description>",
        f"<location>{escaped(skill.path)}</location>",
        "</skill>",
    ]


def _block(entries: Sequence[str], count: int, shortened: int, left_out: int, finder: str | None) -> str:
    parts = [f"{shortened} of {count} descriptions are shortened"] if shortened else []
    parts += [f"{left_out} of {count} skills are left out"] if left_out else []
    way = f" {finder} finds skills by what they do." if finder else ""
    note = [f"<note>{' and '.join(parts)} to save room.{way}</note>"] if parts else []
    return "\n".join(["<available_skills>", *entries, *note, "</available_skills>"])


def bounded(description: str, length: int = MAX_DESCRIPTION) -> str:
    """A description within a length; one that is cut ends in three dots."""
    return description if len(description) <= length else f"{description[: length - 3].rstrip()}..."


def escaped(text: str) -> str:
    """A text in which nothing ends its element."""
    return escape(text, quote=True).replace("&#x27;", "&#39;")
