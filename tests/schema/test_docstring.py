"""What docstrings say."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from pegboard.schema.docstring import documented

GOOGLE = """Search the orders.

    Looks at titles and
    at texts.

    Args:
        query: What to look for,
            in any language.
        limit (int, optional): How many.
        **filters: More of it.

    Example:
        search("rice")

    Returns:
        list[str]: The ids: newest first.

    Raises:
        ValueError: never.
    """

GOOGLE_WITHOUT_BLANKS = """Search the orders.
    Args:
      query: What to look for, in any language.
      limit: How many.
    Returns:
      The ids: newest first.
    """

NUMPY = """Search the orders.

    Looks at titles and
    at texts.

    Parameters
    ----------
    query : str
        What to look for,
        in any language.
    limit : int, optional
        How many.

    Returns
    -------
    list of str
        The ids: newest first.

    Notes
    -----
    Slow.
    """

SPHINX = """Search the orders.

    Looks at titles and
    at texts.

    :param query: What to look for,
        in any language.
    :param int limit: How many.
    :type query: str
    :returns: The ids: newest first.
    :rtype: list
    :raises ValueError: never.
    """


@pytest.mark.parametrize(
    "text", [GOOGLE, GOOGLE_WITHOUT_BLANKS, NUMPY, SPHINX], ids=["google", "tight", "numpy", "sphinx"]
)
def test_parameters_are_read_in_every_style(text: str) -> None:
    parameters = documented(text).parameters
    assert parameters["query"] == "What to look for, in any language."
    assert parameters["limit"] == "How many."


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_the_description_is_summary_and_body_without_the_parameters(text: str) -> None:
    description = documented(text).description
    assert description.startswith("Search the orders.\n\nLooks at titles and\nat texts.")
    for word in ("query", "limit", "ValueError", "Args", "Parameters", ":param"):
        assert word not in description


@pytest.mark.parametrize(
    "text", [GOOGLE, GOOGLE_WITHOUT_BLANKS, NUMPY, SPHINX], ids=["google", "tight", "numpy", "sphinx"]
)
def test_what_is_returned_stays_as_one_line(text: str) -> None:
    assert "The ids: newest first." in documented(text).description
    assert "\n\nReturns: " in documented(text).description


def test_notes_and_examples_stay() -> None:
    assert 'Example:\nsearch("rice")' in documented(GOOGLE).description
    assert "Notes:\nSlow." in documented(NUMPY).description


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (None, ""),
        ("", ""),
        ("One line.", "One line."),
        ("One.\n\n    Two:\n        - three\n    ", "One.\n\nTwo:\n    - three"),
        ("Ratio: a to b.", "Ratio: a to b."),
    ],
)
def test_a_docstring_without_sections_is_the_description(text: str | None, description: str) -> None:
    assert documented(text) == (description, {})


def test_a_list_in_a_description_keeps_its_lines() -> None:
    text = "S.\n\nArgs:\n    kind: One of:\n        - a\n        - b\n"
    assert documented(text).parameters["kind"] == "One of:\n- a\n- b"


@pytest.mark.parametrize(
    "text",
    [
        "S.\n\nArgs:\n    no colon here\n    limit:\n",
        "S.\n\nArgs:\n",
        "S.\n\nParameters\n----------\n",
        "S.\n\n:param:\n:param x\n",
        "Args:\n    x: only this.",
    ],
)
def test_a_careless_docstring_is_read_without_noise(text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        documented(text)
    assert caplog.text == ""


def test_the_parser_is_loaded_only_for_docstrings_with_sections() -> None:
    code = (
        "import sys\n"
        "from pegboard.schema.docstring import documented\n"
        "documented('One line.\\n\\nTwo lines.')\n"
        "assert 'griffe' not in sys.modules\n"
        "documented('One.\\n\\nArgs:\\n    x: y')\n"
        "assert 'griffe' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
