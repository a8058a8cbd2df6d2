"""Rankers by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.encoders import carried
from pegboard.errors import EvaluationError
from pegboard.evaluation.rankers import ranker_named
from pegboard.search import RANKERS
from pegboard.search.hybrid import HybridRanker
from tests.search.encoders import Hashed
from tests.search.things import Thing, names

MODULE = """
class Mine:
    def rank(self, query, candidates):
        return []

def made():
    return Mine()

def broken():
    raise OSError("no disk")

class Ending:
    def __init__(self):
        raise SystemExit(0)

class Stop(BaseException):
    pass

def stops():
    raise Stop("here")

class Inner:
    one = Mine()

ready = Mine()
other = 5
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of rankers."""
    (tmp_path / "my_rankers_here.py").write_text(MODULE)
    (tmp_path / "my_failing_rankers.py").write_text("raise SystemError('not today')")
    (tmp_path / "my_ending_rankers.py").write_text("raise SystemExit(0)")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("name", RANKERS)
def test_those_that_come_with_pegboard_are_known_by_their_names(name: str) -> None:
    assert type(ranker_named(name)) is RANKERS[name] or ranker_named(name) is RANKERS[name]()


def test_the_hybrid_one_has_the_encoder_that_it_is_given_or_the_best_that_is_installed() -> None:
    given = ranker_named("hybrid", lambda: Hashed(same={"cinema": "film"}))
    assert names(given.rank("cinema", [Thing("show_film")])) == ["show_film"]
    assert isinstance(ranker_named("hybrid"), HybridRanker)


def test_the_hybrid_one_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "find_spec", lambda name: None)
    with pytest.raises(EvaluationError, match=r"pip install 'pegboard\[semantic\]'"):
        ranker_named("hybrid")


@pytest.mark.parametrize("attribute", ["Mine", "made", "ready", "Inner.one"])
def test_a_class_a_function_or_an_object_of_ones_own_will_do(mine: None, attribute: str) -> None:
    assert type(ranker_named(f"my_rankers_here:{attribute}")).__name__ == "Mine"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lexicla", "No ranker is called 'lexicla'. There are lexical, bm25"),
        ("no_such_module_here:Mine", "cannot be imported: ModuleNotFoundError"),
        ("my_rankers_here:Other", "cannot be imported: AttributeError"),
        ("my_failing_rankers:Mine", "cannot be imported: SystemError: not today"),
        ("my_ending_rankers:Mine", "cannot be imported: SystemExit: 0"),
        ("my_rankers_here:broken", "cannot be made: OSError: no disk"),
        ("my_rankers_here:Ending", "cannot be made: SystemExit: 0"),
        ("my_rankers_here:stops", "cannot be made: Stop: here"),
        ("my_rankers_here:other", "cannot be made: TypeError"),
        ("my_rankers_here:Inner", "is no ranker: it has no rank(query, candidates)"),
        (":", "cannot be imported"),
    ],
)
def test_what_is_no_ranker_is_refused_with_what_to_write(mine: None, name: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        ranker_named(name)
    assert message in str(caught.value)
    assert caught.value.hint
