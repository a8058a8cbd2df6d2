"""What ``status`` and ``check`` tell of encoders that cannot be used, and how to mend it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pegboard.encoders import MiniLmEncoder, StaticEncoder, carried
from tests.cli.conftest import FAILING, Done, Run

WORKING = FAILING.replace('raise RuntimeError("key=sk-123")', "return [[len(text)] * 8 for text in texts]")


@pytest.fixture
def own(hybrid: Path) -> Path:
    """A file that is to have an encoder, and has one that works."""
    with (hybrid / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('encoder = "encoder.py"\n')
    (hybrid / "encoder.py").write_text(WORKING, "utf-8")
    return hybrid / "encoder.py"


def without(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Have a package look as if it were not installed."""
    monkeypatch.setattr(carried, "find_spec", lambda name: None if name == missing else find_spec(name))


def found_of_search(done: Done) -> list[dict[str, Any]]:
    """What a check found in the section of searches."""
    return [one for one in done.json["findings"] if one.get("key", "").startswith("search.")]


def test_nothing_is_told_of_encoders_where_none_is_asked_for(shop: Path, pegboard: Run) -> None:
    assert "encoders" not in pegboard("status", "--json").json
    assert "Encoder" not in pegboard("status").out


def test_encoders_that_work_are_told_as_ready(hybrid: Path, pegboard: Run) -> None:
    done = pegboard("status", "--json")
    names = [MiniLmEncoder.identity, StaticEncoder.identity]
    assert done.json["encoders"] == [{"name": name, "state": "ready"} for name in names]
    assert f"Encoder {names[0]}: ready\n" in pegboard("status").out
    assert not found_of_search(pegboard("check", "--json"))


def test_one_that_is_not_installed_is_told_with_the_command_that_installs_it(
    hybrid: Path, pegboard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "onnxruntime")
    told = pegboard("status", "--json").json["encoders"]
    assert [(one["name"], one["state"]) for one in told] == [
        (StaticEncoder.identity, "ready"),
        (MiniLmEncoder.identity, "missing"),
    ]
    assert "the package onnxruntime" in told[1]["reason"]
    assert "pip install 'pegboard[semantic]'" in told[1]["mend"]
    text = pegboard("status").out
    assert f"Encoder {MiniLmEncoder.identity}: missing: " in text
    assert "\n  Install it: pip install 'pegboard[semantic]'\n" in text


def test_a_check_warns_of_one_that_is_missing_while_another_stands_in(
    hybrid: Path, pegboard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "onnxruntime")
    (found,) = found_of_search(pegboard("check", "--json"))
    assert (found["level"], found["file"], found["key"]) == ("warning", "pegboard.toml", "search.ranker")
    assert found["message"].startswith(f"the encoder {MiniLmEncoder.identity} cannot be used: ")
    assert "the package onnxruntime" in found["message"]
    assert found["hint"] == "Install it: pip install 'pegboard[semantic]'"


def test_one_that_fails_is_told_without_what_its_error_said(own: Path, pegboard: Run) -> None:
    own.write_text(FAILING, "utf-8")
    done = pegboard("status")
    assert f"Encoder {own}: failed: it failed with RuntimeError\n  What the error said is in the log;" in done.out
    (told,) = pegboard("status", "--json").json["encoders"]
    assert told["state"] == "failed"
    assert "--debug" in told["mend"]
    assert "sk-123" not in done.out + done.err + str(told)
    assert "sk-123" in pegboard("status", "--debug").err


def test_a_check_tells_of_one_that_fails(own: Path, pegboard: Run) -> None:
    assert "search.encoder" not in pegboard("check", "--json").out
    own.write_text(FAILING, "utf-8")
    done = pegboard("check")
    assert done.code == 3
    assert "Error: encoder.py: search.encoder: its encoder cannot be used: it failed with RuntimeError." in done.out
    assert "sk-123" not in done.out + done.err


@pytest.mark.parametrize(
    ("text", "checked", "state"),
    [
        (
            "encoder = 3",
            "encoder.py: search.encoder: has no `encoder` with identity, dimension and encode(texts).",
            "has no `encoder` with identity, dimension and encode(texts).\n  docs/search.md shows one.\n",
        ),
        (
            "\nencoder = 1 / 0",
            "encoder.py:2: search.encoder: ZeroDivisionError: division by zero",
            ", line 2: ZeroDivisionError: division by zero\n  Correct what the reason names.\n",
        ),
    ],
)
def test_a_file_that_has_no_encoder_is_told_of(own: Path, pegboard: Run, text: str, checked: str, state: str) -> None:
    own.write_text(text, "utf-8")
    done = pegboard("check")
    assert done.code == 3
    assert checked in done.out
    assert state in pegboard("status").out


def test_a_file_that_is_not_there_is_one_mistake_of_the_configuration(own: Path, pegboard: Run) -> None:
    own.unlink()
    (found,) = found_of_search(pegboard("check", "--json"))
    assert "there is no such file" in found["message"]
    (told,) = pegboard("status", "--json").json["encoders"]
    assert (told["state"], told["mend"]) == ("failed", "Correct the path.")
