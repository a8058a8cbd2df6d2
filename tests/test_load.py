"""What importing loads, seen in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
before = set(sys.modules)
import {module}
print(json.dumps(sorted({{name.partition(".")[0] for name in set(sys.modules) - before}})))
"""


def loaded_by(module: str) -> set[str]:
    """The top-level modules that importing ``module`` adds to a fresh interpreter."""
    program = [sys.executable, "-W", "error", "-c", PROGRAM.format(module=module)]
    found = subprocess.run(program, capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(found.stdout))


def test_import_pegboard_loads_the_standard_library_alone() -> None:
    assert loaded_by("pegboard") - sys.stdlib_module_names == {"pegboard"}


@pytest.mark.parametrize("module", ["addresses", "egress", "redirects", "refusals", "urls", "decoding"])
def test_the_rules_for_outgoing_http_load_no_http_library(module: str) -> None:
    assert loaded_by(f"pegboard.net.{module}") - sys.stdlib_module_names == {"pegboard"}


def test_what_is_loaded_late_would_be_seen() -> None:
    assert "pydantic" in loaded_by("pydantic")
