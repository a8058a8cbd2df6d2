"""What stands in the way of a skill, besides what stands in that of a tool. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from pegboard.explaining.facts import Facts
from pegboard.explaining.values import Aspect, Finding


def not_readable(facts: Facts) -> Iterator[Finding]:
    """The profile has no meta-tool that gives skills."""
    if not facts.gives_skills:
        yield Finding(
            what="not_in_profile",
            message=f"The profile {facts.profile!r} has no meta-tool that gives skills, so none is found either.",
            keeps_from=(Aspect.FOUND, Aspect.CALLED),
            mend=f"Add skills to {facts.profile} under [profiles].",
        )


def first_is_hidden(facts: Facts) -> Iterator[Finding]:
    """Another skill of its name comes before it, and is hidden."""
    if facts.before:
        yield Finding(
            what="first_is_hidden",
            message=f"The skill of this name in source {facts.before.source!r} comes first, and is hidden.",
            mend="Rename one of the two, if they are for different jobs.",
            data={"source": facts.before.source},
        )


def not_told(facts: Facts) -> Iterator[Finding]:
    """The prompt does not tell of it."""
    if facts.visible and not facts.listed:
        yield Finding(
            what="left_out_of_prompt",
            message="The list of skills in the prompt has no room for it, or it has come since the last boundary.",
            keeps_from=(Aspect.SEEN,),
            mend="Raise skills_tokens and skills_chars in [limits]; it can be found all the same.",
        )
