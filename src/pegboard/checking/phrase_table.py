"""The phrases that instruct whoever reads them, each by the words that it begins with. Pure.

Each pattern repeats nothing without a bound, so that a text of a million characters costs one pass. It is tried only
where one of its words stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_S: Final = r"[\s*_]{1,20}"
"""What parts words: blanks and line ends, and the marks of Markdown."""

_WHOSE: Final = rf"(?:(?:all|any|every|the|your|my|our|of|these|those|other|and){_S}){{0,4}}"
_BEFORE: Final = r"(?:previous|prior|earlier|above|preceding|foregoing|existing|original|initial|system|developer)"
_ORDERS: Final = r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|constraints?)\b"
_USER: Final = rf"the{_S}(?:user|human|customer|operator)\b"
_OTHERS: Final = r"other[\s*_]{1,20}(?:tools?|skills?|servers?)\b"
_THIS: Final = rf"{_S}this{_S}(?:skill|tool|function|server)\b"
_USE: Final = "(?:use|call|invoke|run|prefer|choose|select|load|activate)"

Phrases = Sequence[tuple[str, re.Pattern[str]]]
"""The words that a phrase begins with, in small letters, and the whole of it."""


def _phrases(*rows: tuple[str | tuple[str, ...], str]) -> Phrases:
    """The table of rows that hold words (many in one text, with ``|`` between them) and what follows them."""
    split = ((words.split("|") if isinstance(words, str) else words, rest) for words, rest in rows)
    return [
        (word, re.compile(re.escape(word).replace(r"\ ", _S) + rest, re.IGNORECASE))
        for words, rest in split
        for word in words
    ]


OVERRIDES: Final = _phrases(
    ("ignore|disregard|forget|discard", rf"{_S}{_WHOSE}{_BEFORE}{_S}(?:\w{{1,20}}{_S})?{_ORDERS}"),
    ("ignore|disregard|forget", rf"{_S}(?:all|your|any){_S}(?:of{_S})?(?:your{_S})?{_ORDERS}"),
    ("ignore|disregard|forget", rf"{_S}(?:everything|anything|all){_S}(?:above|before|you{_S}were{_S}told)\b"),
    ("override|bypass", rf"{_S}{_WHOSE}(?:system|safety){_S}(?:prompts?|rules?|guidelines?|filters?|instructions?)\b"),
    (
        "reveal|print|repeat|output|leak|disclose|send",
        rf"{_S}(?:me{_S})?(?:your|the){_S}(?:(?:full|entire|hidden){_S})?system{_S}prompt\b",
    ),
    (
        "do not|don't|don\u2019t|never",
        (
            rf"{_S}(?:ever{_S})?(?:(?:tell|inform|notify|alert)\w{{0,8}}{_S}|"
            rf"(?:mention|reveal|disclose|tell)\w{{0,8}}{_S}(?:(?:this|it|that|these|about|any|of|anything){_S}){{0,3}}to{_S})"
            rf"{_USER}(?!['\u2019]s|{_S}to\b)"
        ),
    ),
    ("without", rf"{_S}(?:telling|informing|notifying|alerting){_S}{_USER}"),
    (
        "you are now",
        rf"{_S}(?:in{_S})?(?:an?{_S})?(?:DAN|developer|debug|god|admin|jailbroken|unrestricted|unfiltered)\b",
    ),
    # The same in some other languages that models read as well.
    ("忽略", r"(?:之前|以上|先前|前面)的?(?:所有)?的?(?:指令|指示|提示|规则)"),
    ("以前|これまで|上記", r"の(?:すべての)?(?:指示|命令)を(?:すべて)?無視"),
    ("ignorier", rf"\w{{0,3}}{_S}(?:alle{_S})?(?:vorherigen|bisherigen|obigen){_S}(?:anweisungen|regeln)"),
    ("ignor", rf"\w{{1,3}}{_S}(?:todas{_S})?las{_S}instrucciones{_S}(?:anteriores|previas)"),
    ("ignore", rf"[rz]?{_S}(?:toutes{_S})?les{_S}(?:instructions|consignes){_S}pr\xe9c\xe9dentes"),
    ("ignora", rf"{_S}(?:tutte{_S})?le{_S}istruzioni{_S}precedenti"),
    ("ignor", rf"\w{{1,3}}{_S}(?:todas{_S})?as{_S}instru\xe7\xf5es{_S}anteriores"),
    ("negeer", rf"{_S}(?:alle{_S})?(?:vorige|eerdere){_S}(?:instructies|regels)"),
    ("请无视|無視", r"(?:之前|以上|先前|前面)的?(?:所有)?的?(?:指令|指示|提示|规则)"),
    ("이전", r"의?\s?(?:모든\s)?(?:지시|명령)(?:를|을)?\s?(?:모두\s)?무시"),
    ("تجاهل", r"\s(?:جميع\s|كل\s)?التعليمات\sالسابقة"),
    ("игнорируй", rf"\w{{0,2}}{_S}(?:все{_S})?предыдущие{_S}(?:инструкции|указания)"),
)
"""Other instructions are to be dropped, something is to be hidden from the user, the prompt is to be given away."""

MARKUP: Final = _phrases(
    (("<|",), r"(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>"),
    ("[inst|[/inst", r"\]"),
    ("<<", r"/?SYS>>"),
    (
        "<|</",
        (
            r"(?:system|system[-_]reminder|system[-_]prompt|assistant|developer|important|available_skills|"
            r"available_tools|skill_content|function_calls|function_results|tool_result)>"
        ),
    ),
)
"""Marks with which prompts are put together."""

DEMANDS: Final = _phrases(
    ("always", rf"{_S}{_USE}{_THIS}"),
    (
        "use|call|invoke|run|choose|load",
        (
            rf"{_THIS}{_S}(?:first|before{_S}(?:any|all|every|each|using|calling|doing)|instead{_S}of|over{_S}(?:any|all)|"
            rf"for{_S}everything)\b"
        ),
    ),
    (
        "must",
        (
            rf"{_S}(?:(?:always|first){_S})?be{_S}(?:used|called|invoked|run|loaded){_S}"
            rf"(?:first|always|before{_S}(?:any|all|every|each))\b"
        ),
    ),
    ("never|do not|don't|don\u2019t", rf"{_S}(?:use|call|choose|trust){_S}(?:any{_S})?{_OTHERS}"),
    ("instead of", rf"{_S}(?:any|all|every){_S}{_OTHERS}"),
    ("system", rf"{_S}prompts?\b"),
    ("you must", rf"{_S}(?:always|never|first|immediately)\b"),
    ("<instructions|</instructions", r">"),
    ("this overrides|it overrides", rf"{_S}(?:all|any|every)\b"),
)
"""A description wants to be chosen always, first, or instead of others."""

SECRETS: Final = _phrases(
    ("~|$home|%userprofile%|/root", r"[/\\]\.(?:ssh|aws|gnupg|kube|cursor|docker|netrc|npmrc)\b"),
    ("/home/", r"\w{1,40}/\.(?:ssh|aws|gnupg|kube|cursor|docker|netrc|npmrc)\b"),
    ("id_rsa|id_ed25519|id_ecdsa", r"\b"),
    ("/etc/", r"(?:passwd|shadow)\b"),
)
"""Files that hold keys."""

SPEAKS: Final = _phrases(
    ("you|the model|the assistant|the agent|the ai", rf"{_S}(?:must|should|shall|will{_S}now|are{_S}to|have{_S}to)\b"),
    (
        "claude|chatgpt|gemini|copilot|assistant|agent",
        rf"[,:]?{_S}(?:please{_S})?(?:must|should|always|never|do|run|read|send)\b",
    ),
)
"""Somebody speaks to the model."""
