"""Every real skill that there is: none is lost without a reason, none is described wrongly."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest

from pegboard.skills.catalog import SkillCatalog
from tests.skills.things import put

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "skills.jsonl.gz"


@pytest.mark.skipif(not CORPUS.is_file(), reason="../shared/corpora/skills.jsonl.gz is not here")
def test_the_corpus_loads(tmp_path: Path) -> None:
    with gzip.open(CORPUS) as lines:
        files = [base64.b64decode(json.loads(line)["content_base64"]) for line in lines]
    for number, data in enumerate(files):
        put(tmp_path / f"{number:05}", "skill", data)
    roots = sorted(tmp_path.iterdir())
    with_front_matter = sum(data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"---") for data in files)
    alone = [SkillCatalog(root) for root in roots]
    loaded = [skill for catalog in alone for skill in catalog]
    assert len(loaded) >= 0.99 * with_front_matter
    assert not [skill for skill in loaded if skill.description.strip() in ("", ">", "|", ">-", "|-")]
    reasons = [problem for catalog in alone if not len(catalog) for problem in catalog.problems]
    assert len(reasons) == len(files) - len(loaded)
    assert all(problem.message and problem.hint for problem in reasons)
