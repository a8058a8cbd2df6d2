"""The table of rules: what is looked for, how heavy it is, why, and how it is mended. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pegboard.checking.finding import Finding, Kind, Text
from pegboard.checking.format_rules import FORMAT
from pegboard.documents.problems import Level
from pegboard.skills.problems import level_of

ERROR, WARNING, NOTE = Level.ERROR, Level.WARNING, Level.NOTE


@dataclass(frozen=True)
class Rule:
    """One rule. Immutable.

    ``level`` is that in names and descriptions, and everywhere unless ``later`` is set: the level in bodies and in
    files beside a skill, which a model reads only once it chose the skill.
    """

    code: str
    level: Level
    title: str
    reason: str
    fix: str
    later: Level | None = None

    def level_in(self, kind: Kind) -> Level:
        """How heavy it is in a text of this kind."""
        return self.level if kind.early or self.later is None else self.later


_TABLE: Final = (
    # What nobody sees.
    Rule(
        "hidden-tags",
        ERROR,
        "Invisible twins of ASCII",
        "Tag characters spell whole sentences that models read and people do not see; outside three flags nobody needs "
        "them.",
        "Remove them; what they say stands in the message.",
    ),
    Rule(
        "hidden-flag",
        WARNING,
        "A flag that few systems show",
        "A black flag with tag characters behind it is legal, but only those of England, Scotland and Wales are shown "
        "everywhere.",
        "Remove the tag characters behind the flag, unless it is meant.",
    ),
    Rule(
        "hidden-selectors",
        ERROR,
        "Variation selectors that carry data",
        "Several selectors in a row, or one of the 240 supplementary ones behind anything but an ideograph, change no "
        "glyph: each is a byte that only models read.",
        "Remove them.",
    ),
    Rule(
        "stray-selector",
        NOTE,
        "A variation selector behind a letter or a blank",
        "It changes nothing there; mostly an emoji was deleted and its selector was left.",
        "Remove it.",
    ),
    Rule(
        "hidden-characters",
        ERROR,
        "Characters that are not seen",
        "Zero-width and other invisible characters part words so that people and filters read other ones than models "
        "do. Joiners in scripts and emoji that need them are no finding.",
        "Remove them.",
        later=WARNING,
    ),
    Rule(
        "soft-hyphen",
        WARNING,
        "A hyphen that is shown at line ends alone",
        "Soft hyphens come along with texts that were copied from pages; for models they part words.",
        "Remove it.",
        later=NOTE,
    ),
    Rule(
        "hidden-run",
        ERROR,
        "A run of characters that are not seen",
        "Four and more invisible characters in a row spell something: one of them would be enough for any script.",
        "Remove them.",
    ),
    Rule(
        "bidi-override",
        ERROR,
        "Characters in another order than they are shown",
        "Overrides show a text in another order than models read it. No language needs them.",
        "Remove U+202D and U+202E; write the text in the order in which it is read.",
    ),
    Rule(
        "bidi-unbalanced",
        ERROR,
        "A change of direction that does not end",
        "An embedding or isolate without its end on the line, or an end without a beginning, reorders what stands "
        "beside it.",
        "Remove it, or end it on the same line.",
    ),
    Rule(
        "bidi-control",
        WARNING,
        "A change of direction",
        "Embeddings and isolates are legitimate in texts of both directions, and rare there.",
        "Remove it, unless the text is shown wrongly without it.",
        later=NOTE,
    ),
    Rule(
        "bidi-mark",
        WARNING,
        "A direction mark among left-to-right text",
        "Where no letter is written from right to left, a direction mark does nothing that can be seen.",
        "Remove it.",
        later=NOTE,
    ),
    Rule(
        "control-characters",
        ERROR,
        "Control characters",
        "Escape sequences and other controls change what a terminal shows, not what a model reads.",
        "Remove them, or write them as \\x1b.",
        later=WARNING,
    ),
    # Letters that look like others.
    Rule(
        "mixed-scripts",
        ERROR,
        "A word of letters that look like those of another script",
        "A word with Latin letters and their Cyrillic or Greek twins reads like one that it is not.",
        "Write the word in one script.",
        later=WARNING,
    ),
    Rule(
        "name-lookalike",
        ERROR,
        "Two names that look the same",
        "People and models mix them up, and one may be meant to be taken for the other.",
        "Rename one of the two.",
    ),
    Rule(
        "name-confusable",
        WARNING,
        "A name in one script that looks like another one",
        "Every letter of it looks like a Latin one: people who read it will type another name.",
        "Use Latin letters, if it is an English word.",
    ),
    # Texts that instruct, where they should describe.
    Rule(
        "instruction-override",
        ERROR,
        "A text that tells models to disobey",
        "It tells whoever reads it to drop other instructions, to hide something from the user or to give its prompt "
        "away: injection, or a quotation of it.",
        "Remove it; where it is an example, quote it and move it out of the description.",
        later=WARNING,
    ),
    Rule(
        "instruction-markup",
        ERROR,
        "A mark of a prompt's structure",
        "Marks such as <system> or [INST] let a text speak as somebody else.",
        "Remove them; in an example, write them apart from the description.",
        later=NOTE,
    ),
    Rule(
        "instruction-like",
        WARNING,
        "A description that gives orders",
        "Descriptions say what something does and when it fits. One that demands to be used always or first "
        "steers choices that are not its own.",
        "Say what it does and when to use it.",
    ),
    Rule(
        "secret-files",
        WARNING,
        "A description that names files with secrets",
        "A known way to steal keys is a tool that asks for a private file as one of its arguments.",
        "Remove the path, unless the tool is about that very file.",
    ),
    Rule(
        "comment-instruction",
        ERROR,
        "Instructions in what is not shown",
        "HTML comments and hidden elements vanish when Markdown is shown; models read them.",
        "Remove the comment, or write it as text that everybody sees.",
    ),
    Rule(
        "comment-hidden",
        WARNING,
        "A comment that speaks to the model",
        "People who read the page do not see it.",
        "Write it as text that everybody sees, or remove it.",
        later=NOTE,
    ),
    Rule(
        "encoded-instruction",
        ERROR,
        "Instructions in an encoded text",
        "Decoded, it tells models to disobey: nobody who reads the page sees that.",
        "Remove it.",
    ),
    Rule(
        "encoded-blob",
        WARNING,
        "A long encoded text",
        "People cannot read it, models can, and it costs many tokens.",
        "Move it into a file beside the text, or say it in plain words.",
    ),
    # Good skills.
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
    # Configurations.
    Rule(
        "configuration",
        ERROR,
        "A mistake in a configuration or a file of tools",
        "What it is about was set aside, or does not do what was written.",
        "See the message.",
    ),
    Rule(
        "tool-set-aside",
        ERROR,
        "A tool that was set aside",
        "Nobody can use it.",
        "See the reason in the message.",
    ),
    Rule(
        "foreign-set-aside",
        WARNING,
        "Something of a server or a document that was set aside",
        "Nobody can use it. It was not written here, and the rest of its source works.",
        "Exclude it in the entry that brings it, or have it mended where it comes from.",
    ),
    Rule(
        "source-away",
        WARNING,
        "A source that was not checked",
        "It was not ready, so that its tools could not be looked at.",
        "See: pegboard status",
    ),
)

_FORMAT: Final = (Rule(code, level_of(code), title, reason, fix) for code, (title, reason, fix) in FORMAT.items())

RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.code: rule for rule in (*_FORMAT, *_TABLE)})
"""Every rule by its code: first those of the format of skills, which loading applies."""


def finding(code: str, text: Text, at: int, length: int, message: str) -> Finding:
    """The finding of a rule in a text, at a character of it."""
    rule = RULES[code]
    line, column = text.place(at, length)
    return Finding(
        code=code,
        level=rule.level_in(text.kind),
        message=message,
        hint=rule.fix,
        file=text.file,
        line=line,
        column=column,
        subject=text.subject,
        key=text.key,
    )
