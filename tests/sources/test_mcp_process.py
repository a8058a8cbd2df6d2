from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pegboard.errors import UpstreamError
from pegboard.sources.mcp.launch import Launch
from pegboard.sources.mcp.process import ServerProcess, exit_words
from tests.sources.servers import PATIENCE, until

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and groups are those of POSIX"),
]


class Heard:
    """What a process said, and whether its end was told."""

    def __init__(self) -> None:
        self.output = b""
        self.ends = 0

    def on_output(self, chunk: bytes) -> None:
        self.output += chunk

    def on_end(self) -> None:
        self.ends += 1


@asynccontextmanager
async def process(code: str) -> AsyncIterator[tuple[ServerProcess, Heard]]:
    """A Python process that runs ``code``; closed in the end."""
    heard = Heard()
    launch = Launch(argv=(sys.executable, "-u", "-c", code), env=dict(os.environ), cwd=None)
    async with asyncio.timeout(PATIENCE):
        running = await ServerProcess.spawn("up", launch, heard.on_output, heard.on_end)
        try:
            yield running, heard
        finally:
            await running.close()


def lives(pid: int) -> bool:
    """Whether a process is there, a zombie not counted."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except FileNotFoundError:
        return False


async def test_bytes_go_in_and_out_and_the_end_is_told_once() -> None:
    async with process("import sys; [print(line, end='') for line in sys.stdin]") as (running, heard):
        assert running.write(b"hello\n")
        await until(lambda: heard.output == b"hello\n")
        assert heard.ends == 0
    assert heard.ends == 1
    assert running.returncode == 0
    assert not running.write(b"more\n")


async def test_the_exit_code_and_the_last_words_are_there_when_the_end_is_told() -> None:
    code = "import sys; print('no licence', file=sys.stderr); sys.stdout.write('bye'); sys.exit(3)"
    async with process(code) as (running, heard):
        await until(lambda: heard.ends)
        assert running.returncode == 3
        assert str(running.last_words) == "no licence"
        assert heard.output == b"bye"
        assert exit_words(running.returncode) == "ended with exit code 3"


async def test_a_server_that_only_closes_its_output_has_ended() -> None:
    async with process("import os, time; os.close(1); time.sleep(600)") as (running, heard):
        await until(lambda: heard.ends)
        assert running.returncode is None
        pid = running.pid
    assert not lives(pid)


async def test_a_grandchild_that_holds_the_pipes_does_not_hide_that_the_server_has_exited() -> None:
    code = "import subprocess, sys; subprocess.Popen(['sleep', '600']); print('up', flush=True); sys.exit(4)"
    async with process(code) as (running, heard):
        await until(lambda: heard.ends)
        assert running.returncode == 4


async def test_a_server_that_leaves_when_its_input_closes_gets_no_signal() -> None:
    code = "import sys; sys.stdin.read(); print('left by itself', flush=True); sys.exit(7)"
    async with process(code) as (running, _):
        pass
    assert running.returncode == 7


async def test_a_server_that_ignores_its_input_and_sigterm_is_killed() -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up'); time.sleep(600)"
    async with process(code) as (running, heard):
        await until(lambda: heard.output)
        pid = running.pid
    assert running.returncode == -9
    assert not lives(pid)


async def test_what_the_server_started_ends_with_it() -> None:
    code = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); sys.stdin.read()"
    async with process(code) as (_, heard):
        await until(lambda: heard.output.endswith(b"\n"))
        child = int(heard.output)
        assert lives(child)
    await until(lambda: not lives(child))


async def test_what_the_server_left_behind_is_first_asked_to_end(tmp_path: Path) -> None:
    child = f"trap 'echo asked > {tmp_path}/asked; exit' TERM; sleep 600 & echo up; wait"
    code = f"import subprocess, sys; subprocess.Popen(['sh', '-c', {child!r}]); sys.stdin.read()"
    async with process(code) as (_, heard):
        await until(lambda: heard.output == b"up\n")
    assert (tmp_path / "asked").exists()


async def test_a_cancelled_close_still_leaves_no_process() -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up'); time.sleep(600)"
    async with process(code) as (running, heard):
        await until(lambda: heard.output)
        closing = asyncio.create_task(running.close())
        await asyncio.sleep(0.1)
        closing.cancel()
        await asyncio.wait([closing])
        assert closing.cancelled()
        assert running.returncode == -9


async def test_held_output_is_not_read_until_it_is_let_go() -> None:
    async with process("import sys; sys.stdin.readline(); print('said')") as (running, heard):
        running.hold_output(True)
        running.write(b"\n")
        await until(lambda: running._exited.is_set())
        assert heard.output == b""
        running.hold_output(False)
        await until(lambda: heard.output == b"said\n")


async def test_writing_waits_while_the_server_does_not_read_and_ends_with_it() -> None:
    async with process("import time; print('up'); time.sleep(600)") as (running, heard):
        await until(lambda: heard.output)
        assert running.write(b"x" * 10_000_000)
        waiting = asyncio.create_task(running.room())
        await asyncio.sleep(0.05)
        assert not waiting.done()
    await waiting


async def test_a_program_that_the_system_cannot_run_is_refused_with_a_reason(tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    launch = Launch(argv=(str(program),), env={}, cwd=None)
    with pytest.raises(UpstreamError, match="Upstream 'up' cannot be started: No such file"):
        await ServerProcess.spawn("up", launch, print, lambda: None)


def test_the_end_of_a_process_is_put_into_words() -> None:
    assert exit_words(-15) == "was ended by signal 15"
    assert "closed" in exit_words(None)
