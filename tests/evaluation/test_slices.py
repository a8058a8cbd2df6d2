"""The kinds of questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.evaluation.datasets import Question, read_set
from pegboard.evaluation.slices import KINDS, in_order, language, length
from tests.evaluation.things import write_set


def asked(text: str, **more: str) -> Question:
    return Question(id="1", text=text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("send a mail", "Latin"),
        ("发送邮件 to Bob", "Han"),
        ("メールを送信する", "Japanese"),
        ("이메일 보내기", "Korean"),
        ("отправить письмо", "Cyrillic"),
        ("שלח דואר", "Hebrew"),
        ("123 + 4", "none"),
        ("", "none"),
    ],
)
def test_the_language_is_told_by_the_script(text: str, script: str) -> None:
    assert language(asked(text)) == script


def test_the_language_that_is_said_counts_more_than_the_script() -> None:
    assert language(asked("enviar un correo", language="es")) == "es"


@pytest.mark.parametrize(
    ("text", "band"),
    [
        ("send mail", "1-3 words"),
        ("create_issue_comment now", "1-3 words"),
        ("send a mail to my boss", "4-7 words"),
        ("发送邮件", "1-3 words"),
        ("发送邮件给我的老板", "4-7 words"),
        ("word " * 32, "32 words and more"),
    ],
)
def test_the_length_is_told_in_bands(text: str, band: str) -> None:
    assert length(asked(text)) == band


def test_the_source_is_the_questions_or_that_of_its_tools(tmp_path: Path) -> None:
    tools = [{"name": "a", "source": "mail"}, {"name": "b", "source": "mail"}, {"name": "c", "source": "web"}, "d"]
    data = read_set(write_set(tmp_path, tools, [("x", ["a"])]))
    sources = [
        KINDS["source"](Question(id="1", text="x", relevant=dict.fromkeys(names, 1.0)), data)
        for names in ("ab", "ac", "d", "")
    ]
    assert sources == ["mail", "several", "none", "none"]
    assert KINDS["source"](asked("x", source="told"), data) == "told"


def test_bands_come_in_the_order_of_length_and_others_by_name() -> None:
    assert in_order("length", ["8-15 words", "32 words and more", "1-3 words"])[0] == "1-3 words"
    assert in_order("language", ["Latin", "Han"]) == ["Han", "Latin"]
