"""Entries to rank, hand-made or drawn, and the golden vectors of rankings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import strategies as st

from pegboard.search import Ranked
from pegboard.search.asked import Asked, said, shares_of, stand_ins
from pegboard.tools import JsonObject

GOLDEN: Final = Path(__file__).resolve().parents[1] / "data" / "golden"


@dataclass(frozen=True)
class Thing:
    """An entry under any name. Immutable."""

    name: str
    description: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    source: str = "here"
    bare: str = ""
    input_schema: JsonObject = field(default_factory=dict)
    kind: str = "tool"

    @property
    def bare_name(self) -> str:
        """The name without its prefix."""
        return self.bare or self.name


SIX: Final = [
    Thing("watch-todos", "Watch a folder for TODO comments", "code", ("todo", "watch"), ("comments",)),
    Thing("transcribe-audio", "Turn an audio file into text", "audio", ("speech",), ("whisper", "audio")),
    Thing("play-audio", "Play a sound file", "audio", ("sound",)),
    Thing("send-email", "Send an email message to a person", "mail", (), ("smtp",)),
    Thing("email", "Read mail", "mail"),
    Thing("search_web", "Search the web for pages. Web search!", None, ("web", "search")),
]


def read(ask: str) -> Asked:
    """The terms of an ask, and all that may stand for them, whether anything has it or not."""
    asked = said(ask)
    return asked.joined_by(shares_of(asked, {term: stand_ins(term) for term in asked.weights}))


def thing(told: dict[str, Any]) -> Thing:
    """The entry that a vector describes."""
    tags, keywords = (tuple(told.get(key) or ()) for key in ("tags", "keywords"))
    return Thing(told["name"], told.get("description") or "", told.get("category"), tags, keywords)


def names(found: Sequence[Ranked]) -> list[str]:
    """The names of a ranking."""
    return [ranked.entry.name for ranked in found]


def rows(found: Sequence[Ranked]) -> list[tuple[str, float, str]]:
    """A ranking, to be compared in full."""
    return [(ranked.entry.name, ranked.score, ranked.reason) for ranked in found]


def vectors(kind: str) -> list[Any]:
    """The vectors of one file whose outcome is right as observed, as parameters; one that skips when it is not here."""
    path = GOLDEN / f"{kind}.json"
    if not path.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"needs the golden vectors in {path}"))]
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [pytest.param(case, id=case["id"].rpartition("/")[2]) for case in cases if "improve" not in case]


NAMES: Final = (
    *("create_issue", "createIssue", "list_files", "weatherReport", "HTTPServer", "read-file", "mp3_send", "getURLs"),
    *("create", "mail", "天気", "x", "files_reading_list", "send_mail_v2.0", "straße"),
)
TEXTS: Final = (
    *("", "Send a mail", "the weather of the day", "create an issue, list files", "create create issue"),
    *("天気を調べる", "Straße ΟΔΟΣ", "reading mp3 files v2.0", "send Sends sending", "weather weather weather x"),
)
texts = st.sampled_from(TEXTS)
queries = st.builds(
    str.join,
    st.sampled_from((" ", ", ", " and ")),
    st.lists(st.sampled_from((*NAMES, *TEXTS, "the", "how do I", "github", "mp3")), max_size=4),
) | st.text(max_size=20)
schemas = st.sampled_from(
    [
        {},
        *({"properties": {name: {"description": text}}} for name, text in zip(NAMES, TEXTS, strict=False)),
    ]
)
things = st.builds(
    Thing,
    name=st.sampled_from(NAMES),
    description=texts,
    category=st.sampled_from((None, "mail", "weather files")),
    tags=st.sampled_from(((), ("mail",), ("list files", "x"))),
    keywords=st.sampled_from(((), ("send", "issue"))),
    source=st.sampled_from(("github", "weather-mail", "mp3", "here")),
    input_schema=schemas,
)
