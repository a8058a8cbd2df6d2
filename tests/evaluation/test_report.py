"""The report: one page that holds everything, fetches nothing, and takes no text for markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pegboard.evaluation.datasets import read_set
from pegboard.evaluation.evaluation import Evaluation, Options, evaluate
from pegboard.evaluation.figures import FIGURES
from pegboard.evaluation.markup import joined, tag
from pegboard.evaluation.plots import logarithmic
from pegboard.evaluation.report import page
from pegboard.evaluation.report_words import ABOUT
from pegboard.search import Bm25Ranker, LexicalRanker, Ranker
from tests.evaluation.things import write_set

HOSTILE = '</title><script>alert(1)</script> "quoted" https://evil.example/x\u202e'
VOID = {"meta"}


class Page(HTMLParser):
    """What a page holds. Refuses elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it."""
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Hold it against the one that is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep it."""
        self.text += data


def parsed(text: str) -> Page:
    found = Page()
    found.feed(text)
    found.close()
    assert not found.open
    return found


@pytest.fixture
def found(tmp_path: Path) -> Evaluation:
    """Two sets with texts of strangers, two rankers, and everything that can be told."""
    tools = [
        {"name": f"mail.send {HOSTILE}", "description": "Send a mail"},
        {"name": "weather", "description": "Tell the weather", "source": HOSTILE},
    ]
    questions = [
        (f"send a mail {HOSTILE}", ["weather"]),
        ("weather", ["weather"]),
        ("Can you bake bread?", ["weather"]),
        ("给我发一封邮件", [f"mail.send {HOSTILE}"]),
        {"query": "gone", "relevant": [HOSTILE]},
    ]
    sets = [read_set(write_set(tmp_path / name, tools, questions)) for name in ("one & <two>", "three")]
    rankers: dict[str, Ranker] = {"lexical": LexicalRanker(), '"><img src=x>': Bm25Ranker()}
    return evaluate(sets, rankers, Options(unanswerable=True, content_words=True, sample=100))


def test_the_page_parses_and_its_elements_are_closed(found: Evaluation) -> None:
    seen = parsed(page(found))
    names = {name for name, _ in seen.seen}
    assert {"html", "title", "h1", "table", "svg", "polyline", "rect", "circle", "dl"} <= names
    assert seen.seen[0] == ("html", {"lang": "en"})


def test_nothing_is_fetched_and_nothing_runs(found: Evaluation) -> None:
    seen = parsed(page(found))
    assert not {"script", "link", "img", "iframe", "object", "a", "form", "image", "use"} & {
        name for name, _ in seen.seen
    }
    for name, attributes in seen.seen:
        assert not {"src", "href", "xlink:href", "action"} & attributes.keys()
        assert not any(key.startswith("on") for key in attributes)
        for value in attributes.values():
            assert "//" not in (value or "") or name == "svg", (name, attributes)
    policies = [one["content"] for name, one in seen.seen if name == "meta" and "http-equiv" in one]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    style = page(found).split("<style>")[1].split("</style>")[0]
    assert not re.search(r"url\(|@import|//", style)


def test_texts_of_strangers_stay_text_and_hide_nothing(found: Evaluation) -> None:
    text = page(found)
    seen = parsed(text)
    assert "<script>alert(1)</script>" in seen.text
    assert '"><img src=x>' in seen.text
    assert "one & <two>" in seen.text
    assert "\u202e" not in text


def test_every_plot_is_told_in_words(found: Evaluation) -> None:
    seen = parsed(page(found))
    plots = [attributes for name, attributes in seen.seen if name == "svg"]
    assert len(plots) >= 5
    for attributes in plots:
        assert attributes["role"] == "img"
        assert len(attributes["aria-label"] or "") > 20


def test_the_page_has_the_figures_that_the_document_has(found: Evaluation) -> None:
    text = parsed(page(found)).text
    for result in found.results:
        for name in ("recall@1", "ndcg@10", "mrr"):
            value = result.overall.values[name]
            assert f"{value:.3f}" in text
    assert "bake bread" in text
    assert "Set aside" in text
    assert "no such tool" in text


def test_every_figure_is_explained() -> None:
    assert all(ABOUT[name].endswith(".") for name in FIGURES)


def test_one_ranker_on_questions_that_nothing_answers_makes_a_page_too(tmp_path: Path) -> None:
    data = read_set(write_set(tmp_path, ["a"], [("x", [])]))
    parsed(page(evaluate([data], {"lexical": LexicalRanker()})))


def test_markup_is_built_of_text_and_elements() -> None:
    assert (
        tag("p", "a < b", tag("b", "c"), class_="x", data_y='"') == '<p class="x" data-y="&quot;">a &lt; b<b>c</b></p>'
    )
    assert joined("&", tag("meta", charset="utf-8")) == '&amp;<meta charset="utf-8">'
    assert tag("i", title=None) == "<i></i>"


def test_an_axis_of_powers_of_ten_holds_all_values() -> None:
    assert logarithmic([0.5, 30]) == ({0.0: "0.1", 1 / 3: "1", 2 / 3: "10", 1.0: "100"}, -1, 2)
    assert logarithmic([]) == ({0.0: "1", 1.0: "10"}, 0, 1)
    assert logarithmic([10]) == ({0.0: "10", 1.0: "100"}, 1, 2)
