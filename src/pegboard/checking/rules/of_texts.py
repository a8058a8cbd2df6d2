"""The rules about any text that a model may read: what nobody sees, what looks like another, what instructs. Pure."""

from __future__ import annotations

from typing import Final

from pegboard.checking.rules.rule import Rule
from pegboard.documents.problems import Level

ERROR, NOTE, WARNING = Level.ERROR, Level.NOTE, Level.WARNING

OF_TEXTS: Final = (
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
)
