"""Texts that instruct whoever reads them: phrases, marks of prompts, and what is not shown. Pure, linear."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import accumulate
from typing import Final
from urllib.parse import unquote

from pegboard.checking.characters import Found
from pegboard.checking.phrase_table import DEMANDS, MARKUP, OVERRIDES, SECRETS, SPEAKS, Phrases
from pegboard.checking.scripts import latinised
from pegboard.texts import UNSEEN

_UNSEEN: Final = re.compile(f"[{UNSEEN}\u200c\u200d\u00ad\ufe00-\ufe0f]")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_HIDDEN_ELEMENT: Final = re.compile(
    r"<\w{1,20}[^<>]{1,300}(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|\shidden\b)"
    r"[^<>]{0,300}>",
    re.IGNORECASE,
)
_QUOTES: Final[Mapping[str, str]] = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u2018": "\u2019",
    "\u00ab": "\u00bb",
    "\u300c": "\u300d",
}


def overrides(text: str) -> tuple[int, str] | None:
    """The first phrase that tells a model to disobey: where it stands, and the phrase.

    Letters of other scripts that look Latin are read as Latin, what is not seen and accents are passed over, entities
    and escapes of addresses are resolved; where that was needed, the place is the beginning of the text.
    """
    found = next(_found(OVERRIDES, text), None)
    if found is not None:
        return found.start(), found[0]
    plain = _plain(text)
    found = None if plain == text else next(_found(OVERRIDES, plain), None)
    return None if found is None else (0, found[0])


def _plain(text: str) -> str:
    """A text as somebody reads it who is shown it, in Latin letters as far as they look so."""
    shown = unquote(unescape(text) if "&" in text else text)
    if shown.isascii():
        return shown
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", _UNSEEN.sub("", shown)))
    return latinised(unicodedata.normalize("NFC", bare))


def _found(phrases: Phrases, text: str) -> Iterator[re.Match[str]]:
    """The places where phrases stand: those of one phrase in the order of the text."""
    small = text.lower()
    if len(small) != len(text):
        small = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    small = small.replace("\n", " ")
    for word, pattern in phrases:
        at = small.find(word)
        while at >= 0:
            match = pattern.match(text, at) if _begins(small, at) else None
            if match:
                yield match
            at = small.find(word, at + 1)


def _at(code: str, match: re.Match[str]) -> Found:
    return Found(code, match.start(), match.end() - match.start())


def _begins(text: str, at: int) -> bool:
    """Whether a word begins here; scripts without blanks between words have no such places."""
    return at == 0 or not (text[at].isalnum() and text[at].isascii() and text[at - 1].isalnum())


def is_quoted(text: str, at: int, length: int) -> bool:
    """Whether a phrase stands in quotation marks, or begins a quotation: an example of it rather than the thing."""
    before = text[at - 1 : at]
    return before in _QUOTES and _QUOTES[before] in text[at + length : at + length + 80]


def is_denied(text: str, at: int, phrase: str) -> bool:
    """Whether a phrase is what is *not* to be done, or is named as an example of what is looked for."""
    before = text[max(0, at - _NEAR) : at]
    return any(
        words.search(before) is not None for start, words in _DENIALS if phrase[: len(start)].casefold() == start
    )


_NEAR: Final = 120
"""Characters before a phrase among which the word may stand that turns it round."""

_DENIALS: Final = (
    ("without", re.compile(r"(?:\b(?:not|never|no|nothing)\b|n['\u2019]t\b)[^.!?:;\n]{0,100}\Z", re.IGNORECASE)),
    ("", re.compile(r"(?:\b(?:not|never)|n['\u2019]t)\s{1,3}(?:ever\s{1,3})?\Z", re.IGNORECASE)),
    ("", re.compile(r"\b(?:such as|like|e\.g\.|for example|for instance)[,:]?\s{1,3}\Z", re.IGNORECASE)),
)
"""How phrases begin, and what turns those round that begin so."""


def instructing(text: str) -> Iterator[Found]:
    """Marks of prompts."""
    for match in _found(MARKUP, text):
        yield _at("instruction-markup", match)


def demanding(text: str) -> Iterator[Found]:
    """What a description should not say."""
    for code, phrases in (("instruction-like", DEMANDS), ("secret-files", SECRETS)):
        for match in _found(phrases, text):
            yield _at(code, match)


def unshown(text: str) -> Iterator[Found]:
    """HTML comments and hidden elements that instruct, or speak to the model."""
    yield from _in_comments(list(_comments(text)))
    for match in _HIDDEN_ELEMENT.finditer(text):
        inside = text[match.end() : match.end() + 2_000].partition("</")[0]
        if overrides(inside) or _holds(SPEAKS, inside):
            yield _at("comment-instruction", match)


def _in_comments(comments: Sequence[tuple[int, str]]) -> Iterator[Found]:
    """The comments that instruct, and the others that speak to the model. All are looked at as one text."""
    starts = list(accumulate((len(inside) + len(_BETWEEN) for _, inside in comments), initial=0))
    joined = _BETWEEN.join(inside for _, inside in comments)
    first = overrides(joined)
    places = [*([first[0]] if first else ()), *(found.start() for found in _found((*OVERRIDES, *MARKUP), joined))]
    instruct = {bisect_right(starts, place) - 1 for place in places}
    speak = {bisect_right(starts, found.start()) - 1 for found in _found((*SPEAKS, *DEMANDS), joined)}
    yield from (Found("comment-instruction", comments[number][0], 4) for number in sorted(instruct))
    yield from (Found("comment-hidden", comments[number][0], 4) for number in sorted(speak - instruct))


_BETWEEN: Final = "\n\x00\n"
"""Parts comments: no phrase goes over it."""


def _holds(phrases: Phrases, text: str) -> bool:
    return any(True for _ in _found(phrases, text))


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """HTML comments, and definitions of links that Markdown shows nowhere (``[//]: # (text)``)."""
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 4)
        if end < 0:
            yield at, text[at + 4 :]
            return
        yield at, text[at + 4 : end]
        at = text.find("<!--", end + 3)
    for match in _LINK_COMMENT.finditer(text):
        yield match.start(), match[1]


_LINK_COMMENT: Final = re.compile(
    r"^\[(?://|comment|_)\]:[ \t]{1,20}(?:#|<>)[ \t]{1,20}[(\"'](.{1,2000})", re.MULTILINE | re.IGNORECASE
)
