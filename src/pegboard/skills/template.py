"""What a skill says before anybody has written it. Pure."""

from __future__ import annotations

from typing import Final

STEPS: Final = """\
1. Say what to look at first.
2. Say what to do, step by step, and which tools to use.
3. Say how to see that it is done.
"""

_TEXT: Final = """\
---
name: {name}
description: >-
  {description}
---
# {title}

{steps}"""


def description_for(name: str) -> str:
    """The description that stands there until somebody writes one."""
    return f"Says in one sentence what {name} does. Use it when somebody asks for what it does."


def text_for(name: str, description: str = "") -> str:
    """The text of a ``SKILL.md`` to begin with; ``description`` is one line."""
    title = name.replace("-", " ").capitalize()
    return _TEXT.format(name=name, description=description or description_for(name), title=title, steps=STEPS)
