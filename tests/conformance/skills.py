"""Skills for the suite and the Inspector: in a folder of the gateway's own, and behind an upstream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.conformance.serving import gateway

OWN: Final = {
    "refunds/SKILL.md": """---
name: refunds
description: Refund policy: when to give money back, and how much.
metadata:
  version: "1.0"
---
Look the order up first; see references/limits.md.
""",
    "refunds/references/limits.md": "Gold customers: 500.\n",
}
"""A skill whose front matter is no YAML."""

THEIRS: Final = {
    "search/SKILL.md": "---\nname: search\ndescription: How to search.\nlicense: MIT\n---\nSearch well.\n",
    "search/deep/SKILL.md": "---\nname: deep\ndescription: A nested skill.\n---\nDig.\n",
}
"""A skill with another skill inside."""

SETTINGS: Final = """
[[skills]]
paths = [{path}]
"""

UPSTREAM: Final = """
[upstreams.shop]
url = {address}
"""


def put_skills(folder: Path, files: Mapping[str, str]) -> str:
    """Write skills into a folder; the settings that take them in."""
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return SETTINGS.format(path=json.dumps(str(folder)))


@contextmanager
def gateway_with_skills(folder: Path) -> Iterator[str]:
    """The address of a gateway that has these skills, and those of another gateway behind it."""
    own, theirs = put_skills(folder / "own", OWN), put_skills(folder / "theirs", THEIRS)
    with gateway(theirs) as behind, gateway(own + UPSTREAM.format(address=json.dumps(behind))) as address:
        yield address
