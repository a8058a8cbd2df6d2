"""The ranker that a configuration names, its encoder, and what is kept of vectors between processes."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from pegboard.config import load
from pegboard.config.kept_vectors import KeptVectors
from pegboard.config.ranker import encoder_in, ranker_of
from pegboard.errors import ConfigError, DefinitionError
from pegboard.search import RANKERS, LexicalRanker
from pegboard.search.confidence import degraded_by
from pegboard.search.hybrid import HybridRanker
from pegboard.search.vectors import KEY, Stored
from pegboard.stores.kept_files import KeptFiles
from tests.search.things import Thing, names

ENCODER = """
import numpy as np

class Letters:
    identity, dimension = "letters", 26

    def encode(self, texts):
        with open(__file__ + ".log", "a") as log:
            print("encoding", *texts, sep="|", file=log)
        return np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], float)

encoder = Letters()
"""
TOOLS = [Thing("send_mail", "Sends a mail"), Thing("read_file", "Reads a file")]


def configured(folder: Path, search: str) -> Path:
    file = folder / "pegboard.toml"
    file.write_text(f'[cache]\npath = "cache"\n[search]\n{search}\n')
    return file


def hybrid(folder: Path, encoder: str = ENCODER) -> HybridRanker:
    (folder / "letters.py").write_text(encoder)
    ranker = ranker_of(load(configured(folder, 'ranker = "hybrid"\nencoder = "letters.py"')).settings)
    assert isinstance(ranker, HybridRanker)
    return ranker


def encoded(folder: Path) -> list[str]:
    """The texts that were encoded since the last time, but those of calibration."""
    log = folder / "letters.py.log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return [text for line in lines if line.count("|") < 10 for text in line.split("|")[1:]]


@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_has_its_name(name: str, tmp_path: Path) -> None:
    found = ranker_of(load(configured(tmp_path, f'ranker = "{name}"')).settings)
    assert found is None if name == "lexical" else type(found) is type(RANKERS[name]())


def test_the_hybrid_ranker_has_the_encoders_of_its_extra_unless_told_otherwise(tmp_path: Path) -> None:
    ranker = ranker_of(load(configured(tmp_path, 'ranker = "hybrid"')).settings)
    assert ranker is not None
    tools = [Thing("lava_alerts", "Eruptions and ash"), *TOOLS]
    assert names(LexicalRanker().rank("volcanoes", tools)) == []
    ranked = ranker.rank("volcanoes", tools)
    assert names(ranked)[0] == "lava_alerts"
    assert "Only words" not in degraded_by(ranked)  # where the machine is busy, the quick one may stand in


def test_an_encoder_of_ones_own_is_a_file_that_runs_when_it_is_needed(tmp_path: Path) -> None:
    ranker = hybrid(tmp_path)
    assert not encoded(tmp_path)
    assert not degraded_by(ranker.rank("mail", TOOLS))
    assert encoded(tmp_path) == ["send mail: Sends a mail", "read file: Reads a file", "mail"]


def test_another_process_encodes_only_the_ask_and_what_has_changed(tmp_path: Path) -> None:
    hybrid(tmp_path).rank("mail", TOOLS)
    encoded(tmp_path)
    hybrid(tmp_path).rank("mail", [*TOOLS, Thing("new_one", "Is new")])
    assert encoded(tmp_path) == ["new one: Is new", "mail"]


def test_vectors_of_another_encoder_are_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hybrid(tmp_path).rank("mail", TOOLS)
    encoded(tmp_path)
    with caplog.at_level(logging.INFO):
        hybrid(tmp_path, ENCODER.replace('"letters"', '"letters 2"')).rank("mail", TOOLS)
    assert len(encoded(tmp_path)) == 3
    assert "another encoder" in caplog.text


def test_a_damaged_file_is_told_of_and_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = hybrid(tmp_path).rank("mail", TOOLS)[0].score
    (file,) = (tmp_path / "cache").glob("*.vectors")
    data = bytearray(file.read_bytes())
    data[-70] ^= 1
    file.write_bytes(data)
    encoded(tmp_path)
    ranked = hybrid(tmp_path).rank("mail", TOOLS)
    assert ranked[0].score == before
    assert not degraded_by(ranked)
    assert len(encoded(tmp_path)) == 3
    assert "not the ones that were written" in caplog.text
    hybrid(tmp_path).rank("mail", TOOLS)
    assert encoded(tmp_path) == ["mail"]


def test_without_a_place_to_keep_them_vectors_are_made_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    ranked = hybrid(tmp_path).rank("mail", TOOLS)
    assert not degraded_by(ranked)
    assert "vectors are not kept" in caplog.text


def test_a_file_of_other_arrays_is_not_taken_for_vectors(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = KeptVectors(KeptFiles(tmp_path), "some.vectors")
    kept.save("letters", Stored(bytes(KEY), np.zeros((2, 26), np.int16)))
    assert kept.load("letters") is None
    assert "holds something else" in caplog.text


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("encoder = 5", "has no `encoder`"),
        ("", "has no `encoder`"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_file_that_is_no_encoder_is_told(tmp_path: Path, code: str, told: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(code)
    with pytest.raises((ConfigError, DefinitionError), match=told):
        encoder_in(file)


def test_a_file_that_fails_leaves_the_search_to_words(tmp_path: Path) -> None:
    ranked = hybrid(tmp_path, "1 / 0").rank("mail", TOOLS)
    assert names(ranked) == ["send_mail"]
    assert "DefinitionError" in degraded_by(ranked)


@pytest.mark.parametrize(
    ("search", "told"),
    [
        ('encoder = "letters.py"', 'wanted ranker = "hybrid" beside it.'),
        ('ranker = "hybrid"\nencoder = "nowhere.py"', "there is no such file"),
    ],
)
def test_mistakes_about_encoders_are_told(tmp_path: Path, search: str, told: str) -> None:
    found = load(configured(tmp_path, search))
    assert any(told in problem.message for problem in found.problems)
