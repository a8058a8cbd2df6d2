"""Any bytes as a skill's file, any text as a resource's path: what is promised holds, and nothing else is raised.

``PEGBOARD_FUZZ=20000`` draws so many of each instead of some hundreds.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.skills.fuzzing import SEEDS, WORDS, Outside, judge_file

EXAMPLES = int(os.environ.get("PEGBOARD_FUZZ", "300"))

fuzzed = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])

FRONT = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=40).map("".join)
FIELDS = st.fixed_dictionaries({"name": st.just("a") | FRONT, "description": FRONT, "more": FRONT})


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    return Outside(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("data", SEEDS)
def test_what_fuzzing_begins_with_is_held(data: bytes) -> None:
    judge_file(data)


@fuzzed
@given(FIELDS, FRONT)
def test_any_fields_are_a_skill_or_one_problem(fields: dict[str, str], body: str) -> None:
    lines = f"name: {fields['name']}\ndescription: {fields['description']}\n{fields['more']}"
    judge_file(f"---\n{lines}\n---\n{body}".encode("utf-8", "replace"))


@fuzzed
@given(st.binary(max_size=200), st.sampled_from(SEEDS), st.integers(0, 300), st.integers(0, 20))
def test_any_bytes_within_a_skill_are_a_skill_or_one_problem(data: bytes, seed: bytes, at: int, lost: int) -> None:
    judge_file(seed[:at] + data + seed[at + lost :])


@fuzzed
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=8).map("".join), st.integers(0, 40))
@example("references/a.md", 0)
@example("caf\u00e9.md", 3)
def test_any_path_is_a_file_of_the_skill_or_is_refused(outside: Outside, path: str, offset: int) -> None:
    outside.judge_path(path, offset)


def test_the_files_of_the_skill_are_read(outside: Outside) -> None:
    assert all(outside.judge_path(path) for path in outside.inside)
