"""From text to terms: one analyzer for what is indexed and for what is asked. Pure functions, results cached.

Two analyzers, by name in ``ANALYZERS``:

- ``"full"`` (``terms``): NFKC, case folding, the parts of snake, kebab, camel, dotted and letter-digit names *and* the
  whole name, English Snowball stems, and for scripts without blanks between words single characters and pairs.
- ``"plain"`` (``plain_terms``): lower case, split on everything but ``a-z 0-9 _ -``. The reference's.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

from pegboard.search.stemming import english_stem

Analyzer = Callable[[str], list[str]]
"""Text to terms, in the order of the text, repetitions kept."""

_ASKING: Final = """
    a about all also am an and any are as at be been being but by can could did do does for from had has have having he
    hello help her here hey hi him his how i if in into is it its just kindly know let like may me might my myself need
    now of on or our out over please shall she should so some that the their them then there these they this those to
    too up us very want was we were what when where which who will wish with would you your
"""
ASKING_WORDS: Final = frozenset(_ASKING.split())
"""Words of asking and of grammar. An ask drops them unless it holds nothing else; the index keeps them.
No word for something that a tool may do or handle belongs here."""

_LIGHT: Final = """
    able actually after again ago already always another anything around assist assistance available away because
    become before below best better between both certain couple current currently curious detail details different
    during each easily either else enough ensure especially etc even ever every everything exactly example few final
    finally first following further general get give given giving go going good got great happen happy hear helpful
    however important include including information interested interesting keep kind last later latest least less
    likely little look looking lot love main many mean more most much must needed never new next nice no nothing
    often okay once one only onto order other others own particular per perhaps possible potential potentially previous
    probably provide provided quickly quite rather ready real really recent related relevant right said same say second
    see seem several similar simple simply since single something soon specific still sure tell than thank thanks thing
    things think thinking though three through throughout today together try trying two under understand until upcoming
    upon use used using usually various via way well whether while whole within without wonder wondering yes yet
    """
LIGHT_WORDS: Final = frozenset(_LIGHT.split())
"""Words that say little of what a tool should do, though a tool may be about them: they count, but less."""

_LONGEST_WORD: Final = 200  # characters; what follows is cut, so that pasted data cannot fill the caches
# Scripts written without blanks between words: Thai, Lao, Myanmar, Khmer, kana, ideographs, Hangul.
_DENSE: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u3005\u3041-\u309f\u30a1-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks that stand inside words and that Python's \w leaves out (accents, Hebrew, Arabic, the scripts of India).
_MARKS: Final = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_LETTER: Final = f"(?:(?![{_DENSE}])[^\\W_]|[{_MARKS}])"
_WORDS: Final = re.compile(f"[{_DENSE}]+|{_LETTER}+(?:(?:[_.-]++|'){_LETTER}+)*")
_ASCII_WORDS: Final = re.compile(r"[A-Za-z0-9]+(?:(?:[_.-]++|')[A-Za-z0-9]+)*")
_DENSE_START: Final = re.compile(f"[{_DENSE}]")
_SEPARATORS: Final = re.compile(r"[_.-]+")
# Over the shape of a segment: U upper case, s the letter s, l other letters and marks, d digits.
_PARTS: Final = re.compile("UU+s(?![ls])|U+(?=U[ls])|U?[ls]+|U+|d+")
_ASCII_PARTS: Final = re.compile(_PARTS.pattern.replace("[ls]", "[a-z]").replace("U", "[A-Z]").replace("d", "[0-9]"))
_PLAIN: Final = re.compile(r"[a-z0-9_-]+")
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'"})
# A clause of an ask ends at the punctuation of a sentence, or at a word that joins one need to the next.
_CLAUSE_ENDS: Final = re.compile(
    r"[.!?,;:](?=\s|$)|[\n\u3002\u3001\uff0c\uff1b]|(?<![\w.-])(?:and|then|also|but|or)(?![\w.-])", re.IGNORECASE
)


class Word(NamedTuple):
    """A word of a text. Immutable. ``parts`` are its terms, ``wholes`` those of a compound name in one piece."""

    text: str
    parts: tuple[str, ...]
    wholes: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        """Parts and wholes."""
        return self.parts + self.wholes

    @property
    def asks(self) -> bool:
        """Whether it only asks: see ``asks``."""
        return asks(self.text)


def asks(word: str) -> bool:
    """Whether a word is one of ``ASKING_WORDS``, or one drawn together with another: ``what's``, ``I'd``."""
    return word.casefold().partition("'")[0] in ASKING_WORDS


def words(text: str) -> list[Word]:
    """The words of ``text`` in order; an identifier is one word."""
    if text.isascii():
        bare = text.strip("_")
        # One word or name, as most are that an index reads: the expression finds the same, in many times the time.
        if bare.replace("_", "").isalpha():
            return [_named(bare[:_LONGEST_WORD])]
        return [_named(word[:_LONGEST_WORD]) for word in _ASCII_WORDS.findall(text)]
    found = _WORDS.findall(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES))
    return [_dense(word) if _DENSE_START.match(word) else _named(word[:_LONGEST_WORD]) for word in found]


def pieces(text: str) -> list[str]:
    """What stands between blanks: no word goes beyond a piece, so that the words of a text are those of its pieces."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).split()


def spoken(name: str) -> str:
    """A name as one would say it: ``getURLs_v2`` to ``get urls v 2``."""
    segments = (_SEPARATORS.split(word.text) for word in words(name))
    return " ".join(part for found in segments for segment in found for part in _parts(segment))


def terms(text: str) -> list[str]:
    """The full analyzer."""
    return [term for word in words(text) for term in word.terms]


def plain_terms(text: str) -> list[str]:
    """The plain analyzer."""
    return _PLAIN.findall(text.lower())


ANALYZERS: Final[Mapping[str, Analyzer]] = {"full": terms, "plain": plain_terms}


def content_words(ask: str) -> list[Word]:
    """The words of an ask without ``ASKING_WORDS``; all of them when it holds nothing else."""
    found = words(ask)
    return [word for word in found if not word.asks] or found


def only_asks(ask: str) -> bool:
    """Whether no word of an ask says what is needed: it has those of ``ASKING_WORDS`` alone, or none."""
    return all(word.asks for word in words(ask))


def clauses(ask: str) -> list[list[Word]]:
    """The content words of an ask, clause by clause; clauses without any are left out."""
    parts = [_asked_words(part) for part in _CLAUSE_ENDS.split(ask)]
    content = [[word for word in part if not word.asks] for part in parts]
    return [part for part in content if part] or [part for part in parts if part]


def plain_word(piece: str) -> str:
    """The one word of a piece, folded, where it is one of letters alone, punctuation around it or not; else nothing.

    A short cut: nearly all pieces are of this kind, and ``words`` takes several times as long to find the same.
    """
    bare = piece.strip(string.punctuation)
    return bare.lower() if _is_plain(bare) and len(bare) <= _LONGEST_WORD else ""


def _stemmed(word: str) -> str:
    return english_stem(word) if word.isascii() and word.isalpha() else word


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The English stem of a case-folded word; a word that is not ``a-z`` throughout stays as it is."""
    return _stemmed(word)


def _asked_words(part: str) -> list[Word]:
    """``words`` of a part of an ask. Asks have the same words again and again, texts that are indexed each once."""
    return list(map(_asked_word, _ASCII_WORDS.findall(part))) if part.isascii() else words(part)


@lru_cache(maxsize=1 << 14)
def _asked_word(word: str) -> Word:
    return _named(word[:_LONGEST_WORD])


def _dense(run: str) -> Word:
    """A run of a script without blanks: its characters and its pairs."""
    pairs = map("".join, pairwise(run))
    return Word(run, (*run, *pairs))


def _named(word: str) -> Word:
    """A word or identifier: its parts; itself, and each of its segments, in one piece where they have parts."""
    if _is_plain(word):
        return Word(word, (stem(word.lower()),))
    letters = word.replace("_", "")
    if letters.isascii() and letters.isalpha() and letters.islower():  # as most names: the rules would find the same
        return Word(word, tuple(map(stem, filter(None, word.split("_")))), (english_stem(letters),))
    segments = map(_segment, _SEPARATORS.split(word.removesuffix("'s").replace("'", "")))
    texts, parts, wholes = zip(*segments, strict=True)
    if len(texts) == 1:
        return Word(word, parts[0], wholes[0])
    whole = _stemmed("".join(texts))
    return Word(word, tuple(chain(*parts)), tuple(dict.fromkeys((whole, *chain(*wholes)))))


@lru_cache(maxsize=1 << 15)
def _segment(segment: str) -> Word:
    """What stands between two separators; its text is folded."""
    parts = _parts(segment)
    text = "".join(parts)
    return Word(text, tuple(map(stem, parts)), (_stemmed(text),) if len(parts) > 1 else ())


def _parts(segment: str) -> list[str]:
    """``getURLs2`` to ``get, urls, 2``: cut where case or kind changes, and folded."""
    if segment.isascii() and segment.isalnum():
        return list(map(str.lower, _ASCII_PARTS.findall(segment)))
    shape = "".join(map(_shape, segment))
    return [_fold(segment[match.start() : match.end()]) for match in _PARTS.finditer(shape)]


def _is_plain(word: str) -> bool:
    """Whether a word has one part, as nearly all have: the rules would find the same, in five times the time."""
    return word.isascii() and word.isalpha() and (word.islower() or word[1:].islower() or word.isupper())


def _shape(char: str) -> str:
    if char.isdigit():
        return "d"
    if char.isupper():
        return "U"
    return "s" if char == "s" else "l"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text.casefold())
