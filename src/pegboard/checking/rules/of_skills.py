"""The rules about good skills, beside those of the format. Pure."""

from __future__ import annotations

from typing import Final

from pegboard.checking.rules.rule import Rule
from pegboard.documents.problems import Level

NOTE, WARNING = Level.NOTE, Level.WARNING

OF_SKILLS: Final = (
    Rule(
        "resource-missing",
        WARNING,
        "A file that is not there",
        "The text names a file of the skill's folder; a model will try to read it.",
        "Add the file, or mend the path: it is relative to the skill's folder.",
    ),
    Rule(
        "resource-outside",
        WARNING,
        "A file outside the skill's folder",
        "Nothing outside the folder can be read, and a copied skill loses it.",
        "Move the file into the skill's folder.",
    ),
    Rule(
        "body-empty",
        WARNING,
        "No instructions",
        "A model that asks for the skill gets nothing.",
        "Write how the job is done below the front matter.",
    ),
    Rule(
        "body-lines",
        WARNING,
        "A body of more than 500 lines",
        "The whole body is read when the skill is chosen; the format advises at most 500 lines.",
        "Move parts that only some jobs need into references/, and name them in the body.",
    ),
    Rule(
        "body-tokens",
        WARNING,
        "A body of more than 5,000 tokens",
        "The whole body is paid for when the skill is chosen; the format advises less than 5,000 tokens.",
        "Move parts that only some jobs need into references/, and name them in the body.",
    ),
    Rule(
        "template-unchanged",
        WARNING,
        "A text as pegboard skills new writes it",
        "It says nothing of this job: a model cannot tell when the skill fits, or what to do.",
        "Write what the skill is for, and how its job is done.",
    ),
    Rule(
        "description-similar",
        WARNING,
        "Nearly the description of another skill",
        "Nothing tells a model which of the two to take.",
        "Say in each when it is the better one, or join them.",
    ),
    Rule(
        "name-format",
        NOTE,
        "A name that other loaders refuse",
        "The format wants lower-case letters, digits and single hyphens between them.",
        "Write the name, and that of the folder, in that form.",
    ),
    Rule(
        "description-markup",
        NOTE,
        "Angle brackets in a description",
        "Some loaders refuse them.",
        "Write it without < and >.",
    ),
    Rule(
        "key-unknown",
        NOTE,
        "A key that the format does not have",
        "It means nothing here, and strict loaders refuse it.",
        "Move it below metadata, if other programs need it.",
    ),
    Rule(
        "key-misspelt",
        WARNING,
        "A key that looks like one of the format",
        "It means nothing as it is written.",
        "Write the key as the format spells it.",
    ),
    Rule(
        "metadata-values",
        NOTE,
        "Metadata that is no text",
        "The format has texts below metadata alone; other loaders refuse lists and tables.",
        "Write each value as text.",
    ),
)
