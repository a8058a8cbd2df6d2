"""Fuzz the reading of skills, led by coverage, for as long as wanted; ends at the first thing that is not as promised.

    pip install atheris
    python scripts/fuzz_skills.py --seconds 600 --corpus build/fuzz

Every input is a ``SKILL.md`` or, where its first byte is a slash, the path of a resource; what is promised of both is
in ``tests/skills/fuzzing.py``. An input that takes longer than ten seconds, or 2 GB, is a find too. What was found is
written to the folder of the corpus, where the next run goes on.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

SLOWEST_SECONDS = 10
MOST_BYTES = 20_000
MOST_MEGABYTES = 2_048


def main() -> None:
    """Run until the time is over or something is found."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    asked.add_argument("--seconds", type=int, default=600, help="how long (default: 600)")
    asked.add_argument("--corpus", type=Path, default=Path("build/fuzz"), help="a folder to go on with")
    options = asked.parse_args()
    atheris: Any = import_module("atheris")
    with atheris.instrument_imports(include=["pegboard"]):
        fuzzing = import_module("tests.skills.fuzzing")
    corpus = options.corpus / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate((*fuzzing.SEEDS, b"/references/b/c.md", b"/../outside/a.md")):
        (corpus / f"seed{number}").write_bytes(seed)
    words = options.corpus / "words"
    words.write_text("".join(f'"{_quoted(word)}"\n' for word in fuzzing.WORDS), encoding="ascii")
    with tempfile.TemporaryDirectory() as folder:
        outside = fuzzing.Outside(Path(folder).resolve())

        def judge(data: bytes) -> None:
            if data.startswith(b"/"):
                outside.judge_path(data[1:].decode("utf-8", "surrogateescape"), len(data) % 7)
            else:
                fuzzing.judge_file(data)

        limits = [
            "-len_control=10",
            f"-max_total_time={options.seconds}",
            f"-timeout={SLOWEST_SECONDS}",
            f"-max_len={MOST_BYTES}",
        ]
        places = [f"-dict={words}", f"-artifact_prefix={options.corpus}/", f"-rss_limit_mb={MOST_MEGABYTES}"]
        atheris.Setup([sys.argv[0], *limits, *places, str(corpus)], judge)
        atheris.Fuzz()


def _quoted(word: str) -> str:
    """A word as a dictionary of libFuzzer has it."""
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    main()
