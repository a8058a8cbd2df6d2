from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from pegboard.config.keys import COUNT, Keys, key
from pegboard.config.kinds import NAME
from pegboard.config.model import SECTIONS


class ShelfKeys(Keys):
    name: str = key(NAME, "Its name.", required=True)
    boards: int = key(COUNT, "How many.", 3)


def test_keys_have_what_was_given_and_else_their_defaults() -> None:
    keys = ShelfKeys(name="oak")
    assert (keys.name, keys.boards, vars(keys)) == ("oak", 3, {"name": "oak", "boards": 3})
    assert ShelfKeys.boards == 3
    assert repr(keys) == "ShelfKeys(name='oak', boards=3)"


def test_equal_keys_are_equal_only_within_a_table() -> None:
    class OtherKeys(Keys):
        name: str = key(NAME, "Its name.")
        boards: int = key(COUNT, "How many.", 3)

    assert ShelfKeys(name="oak") == ShelfKeys(name="oak", boards=3) != ShelfKeys(name="elm")
    assert hash(ShelfKeys(name="oak")) == hash(ShelfKeys(name="oak"))
    assert ShelfKeys(name="oak") != OtherKeys(name="oak")


def test_keys_cannot_be_changed() -> None:
    keys = ShelfKeys(name="oak")
    with pytest.raises(FrozenInstanceError, match="'boards'"):
        keys.boards = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="'boards'"):
        del keys.boards


def test_a_key_that_is_not_declared_is_refused() -> None:
    with pytest.raises(TypeError, match="ShelfKeys has no key depth"):
        ShelfKeys(name="oak", depth=4)  # type: ignore[call-arg]


def test_what_is_declared_is_told() -> None:
    assert list(ShelfKeys.keys_known()) == ["name", "boards"]
    assert ShelfKeys.required() == ["name"]
    assert all(one.about.endswith((".", "`", ")")) for model in SECTIONS.values() for one in model.declared.values())
