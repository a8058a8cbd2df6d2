"""``skill://`` addresses: every path has one, and none leads elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.skills.published.addresses import address_of, document_address, is_step, splits, steps_of

steps = st.text(min_size=1, max_size=20).filter(is_step)


@given(st.lists(steps, min_size=1, max_size=4), st.lists(steps, min_size=1, max_size=4))
def test_every_path_of_plain_names_has_an_address_that_leads_back_to_it(path: list[str], file: list[str]) -> None:
    assert steps_of(address_of(path, "/".join(file))) == (*path, *file)


def test_an_address_is_made_of_the_skills_path_and_the_files() -> None:
    assert document_address(("acme", "billing", "refunds")) == "skill://acme/billing/refunds/SKILL.md"
    assert address_of(("refunds",)) == "skill://refunds"
    assert address_of(("refunds",), "references/a b&c#d.md") == "skill://refunds/references/a%20b&c%23d.md"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "skill:",
        "skill://",
        "skill:///SKILL.md",
        "file:///etc/passwd",
        "SKILL://refunds/SKILL.md",
        "skill://refunds/",
        "skill://refunds/../other/SKILL.md",
        "skill://refunds/%2e%2e/other/SKILL.md",
        "skill://refunds/.",
        "skill://refunds/a%2Fb",
        "skill://refunds/a%5Cb",
        "skill://refunds/a\\b",
        "skill://refunds/%00",
        "skill://refunds/%0A",
        "skill://refunds/%FF",
        "skill://refunds/SKILL.md?x=1",
        "skill://refunds/SKILL.md#x",
        "skill://" + "a" * 5_000,
    ],
)
def test_what_is_no_address_or_a_way_by_itself_is_none(address: str) -> None:
    assert steps_of(address) is None


def test_the_longest_path_of_a_skill_is_tried_first() -> None:
    assert list(splits(("a", "b", "SKILL.md"))) == [
        (("a", "b", "SKILL.md"), ""),
        (("a", "b"), "SKILL.md"),
        (("a",), "b/SKILL.md"),
    ]
