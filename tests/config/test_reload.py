"""What a changed configuration means for what is running."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pegboard.config import diff

specs = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2))


def test_each_kind_of_difference() -> None:
    found = diff({"same": 1, "other": 1, "gone": 1, "held": 1}, {"same": 1, "other": 2, "new": 1}, held={"held"})
    assert found.start == {"new": 1}
    assert found.stop == ("gone",)
    assert found.keep == ("same", "held")
    assert found.change == {"other": 2}
    assert found


def test_nothing_to_do_is_false() -> None:
    assert not diff({"a": 1}, {"a": 1})
    assert not diff({"a": 1}, {}, held={"a"})


@given(specs, specs, st.sets(st.sampled_from("abcdef")))
def test_every_name_is_in_exactly_one_part_and_applying_them_gives_the_new_state(
    old: dict[str, int], new: dict[str, int], held: set[str]
) -> None:
    found = diff(old, new, held)
    parts = [*found.start, *found.stop, *found.keep, *found.change]
    assert sorted(parts) == sorted({*old, *new})
    running = {name: old[name] for name in found.keep} | dict(found.start) | dict(found.change)
    assert running == {name: spec for name, spec in old.items() if name in held} | new
