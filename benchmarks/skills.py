"""What reading skills costs, against their bytes and a YAML parse of each front matter; what checking them finds."""

from __future__ import annotations

import base64
import gzip
import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from benchmarks import checks
from benchmarks.report import Table
from pegboard.skills.catalog import SkillCatalog

ROUNDS = 5
FRONT = re.compile(rb"\s*---[ \t]*\r?\n(.*?)^---", re.DOTALL | re.MULTILINE)


def run(corpora: Path) -> list[Table]:
    """Lay the corpus out, a folder a skill, and measure both in turn."""
    with tempfile.TemporaryDirectory(prefix="pegboard-skills-") as folder:
        root = Path(folder)
        count = lay_out(corpora / "skills.jsonl.gz", root)
        bare, ours = [], []
        for _ in range(ROUNDS):
            bare.append(seconds(lambda: bare_parse(root)))
            ours.append(seconds(lambda: SkillCatalog(root, max_skills=count)))
        loaded = SkillCatalog(root, max_skills=count)
    base = statistics.median(bare)
    rows = [
        ["bytes and a bare safe YAML parse", f"{base * 1e3:.0f}", "1.0"],
        ["SkillCatalog", f"{statistics.median(ours) * 1e3:.0f}", f"{statistics.median(ours) / base:.1f}"],
    ]
    note = (
        f"{count:,} real files, {len(loaded):,} of them loaded under names of their own; "
        f"median of {ROUNDS} rounds, in turn; PyYAML with libyaml."
    )
    read = Table(title="Skills: a whole corpus", columns=["reader", "ms", "ratio"], rows=rows, note=note)
    return [read, checks.table(corpora)]


def lay_out(corpus: Path, root: Path) -> int:
    """Write each file of the corpus into a folder; how many there are."""
    count = 0
    with gzip.open(corpus) as lines:
        for count, line in enumerate(lines, start=1):
            folder = root / f"{count:05}"
            folder.mkdir()
            (folder / "SKILL.md").write_bytes(base64.b64decode(json.loads(line)["content_base64"]))
    return count


def bare_parse(root: Path) -> None:
    """The least that any loader does."""
    for folder in sorted(root.iterdir()):
        found = FRONT.match((folder / "SKILL.md").read_bytes())
        if found:
            yaml.load(found[1], Loader=yaml.CSafeLoader)


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
