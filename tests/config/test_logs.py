"""Where the log goes."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pegboard.config.logs import FILE_BYTES, LogHandler, setup_logging
from pegboard.errors import ConfigError

logger = logging.getLogger("pegboard.test")


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Logging as it was before."""
    root, ours = logging.getLogger(), logging.getLogger("pegboard")
    level, handlers = ours.level, list(root.handlers)
    yield
    for handler in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(handler)
        handler.close()
    ours.setLevel(level)
    logging.captureWarnings(False)


def test_the_log_goes_to_a_file_from_its_level(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "pegboard.log"
    setup_logging(file, "info")
    logger.debug("too small")
    logger.info("an %s", "information")
    logging.getLogger("somebody.else").info("chatter")
    logging.getLogger("somebody.else").warning("a warning")
    lines = file.read_text().splitlines()
    assert [line.partition(" pegboard.")[2] or line.partition(" somebody.")[2] for line in lines] == [
        "test: an information",
        "else: a warning",
    ]


def test_secrets_are_blotted_out_in_messages_and_tracebacks(tmp_path: Path) -> None:
    file = tmp_path / "log"
    handler = setup_logging(file, secrets=["sk-environ", "no"])
    handler.hide(["sk-later"])
    try:
        raise ValueError("sk-environ is no key")
    except ValueError:
        logger.exception("failed with %s", {"key": "sk-later"})
    text = file.read_text()
    assert "ValueError: *** is no key" in text
    assert "{'key': '***'}" in text
    assert "sk-" not in text


def test_a_file_that_grows_is_rotated(tmp_path: Path) -> None:
    file = tmp_path / "log"
    setup_logging(file)
    for _ in range(6):
        logger.error("x" * (FILE_BYTES // 2))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1", "log.2", "log.3"]
    assert all(path.stat().st_size <= FILE_BYTES for path in tmp_path.iterdir())


def test_setting_up_again_replaces_the_first(tmp_path: Path) -> None:
    setup_logging(tmp_path / "first")
    setup_logging(tmp_path / "second")
    logger.error("once")
    assert (tmp_path / "first").read_text() == ""
    assert (tmp_path / "second").read_text().count("once") == 1
    assert sum(isinstance(handler, LogHandler) for handler in logging.getLogger().handlers) == 1


def test_a_file_that_cannot_be_opened_is_told_with_the_fix(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be opened: Is a directory") as caught:
        setup_logging(tmp_path)
    assert "[log]" in caught.value.hint


def test_stdout_stays_empty() -> None:
    program = (
        "import logging, warnings; from pegboard.config.logs import setup_logging; setup_logging(level='debug');"
        "logging.getLogger('pegboard').debug('seen'); logging.warning('root'); warnings.warn('careful')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == ""
    assert "DEBUG pegboard: seen" in done.stderr
    assert "WARNING root: root" in done.stderr
    assert "careful" in done.stderr
