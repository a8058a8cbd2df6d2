"""``--as``: commands tell and do what a principal may, and nothing besides."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import PATIENCE, Run, client_file, command, page

TOOLS = '''
from pegboard import Approval, tool


@tool(approval="read")
def track(order: str) -> str:
    """Tell where an order is."""
    return f"{order} is on its way"


@tool(approval="write", category="shop")
def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


@tool(category="secret", tags=["hush"])
def wipe_disk() -> str:
    """Erase the secret disk."""
    return "wiped"
'''
WITHOUT = TOOLS[: TOOLS.index('@tool(category="secret"')]

RULES = """
[[python]]
file = "tools.py"

[principals.ann]
[principals.bob]
[gateway]
principal = "ann"

[[policy.rules]]
principals = ["ann"]
names = ["track", "refund"]
allow = ["discover"]

[[policy.rules]]
principals = ["ann"]
names = ["track", "wipe_disk"]
allow = ["invoke"]

[[policy.rules]]
principals = ["bob"]
names = ["*"]
allow = ["discover", "invoke"]
approves = "read"
"""


@pytest.fixture
def office(here: Path) -> Path:
    """The current folder, with tools, two people and rules."""
    (here / "tools.py").write_text(TOOLS, "utf-8")
    (here / "pegboard.toml").write_text(RULES, "utf-8")
    return here


COMMANDS = [
    ["list"],
    ["list", "--json"],
    ["list", "--category", "secret"],
    ["list", "--tag", "hush", "--json"],
    ["find", "erase the secret disk"],
    ["find", "--json", "wipe_disk"],
    ["find", "--explain", "wipe disk of the order"],
    ["find", "--explain", "--json", "wipe_disk order"],
    ["show", "wipe_disk"],
    ["show", "wipe_disc", "--json"],
    ["call", "wipe_disk"],
    ["call", "wipe_disk", "--json", "{}"],
    ["call", "wipe_disk", "--yes"],
    ["call", "wipe_disk", "broken"],
    ["call", "get_tool", "name=wipe_disk"],
    ["call", "call_tool", "name=wipe_disk", "--json"],
    ["call", "list_tools"],
    ["call", "find_tools", "query=erase disk"],
    ["stats"],
    ["stats", "--json"],
]


@pytest.mark.usefixtures("office")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_hidden_tool_is_told_of_like_one_that_is_not_there(pegboard: Run, here: Path, words: list[str]) -> None:
    with_it = pegboard(*words, "--as", "ann")
    (here / "tools.py").write_text(WITHOUT, "utf-8")
    without = pegboard(*words, "--as", "ann")
    assert with_it == without
    assert "Erase" not in with_it.out + with_it.err


@pytest.mark.usefixtures("office")
def test_without_a_name_everything_is_there_and_needs_no_approval(pegboard: Run) -> None:
    assert [line.split()[0] for line in pegboard("list").lines] == ["refund", "track", "wipe_disk"]
    assert pegboard("call", "wipe_disk").out == "wiped\n"


@pytest.mark.usefixtures("office")
def test_each_principal_has_its_own_catalog(pegboard: Run) -> None:
    assert [line.split()[0] for line in pegboard("list", "--as", "ann").lines] == ["refund", "track"]
    assert [line.split()[0] for line in pegboard("list", "--as", "bob").lines] == ["refund", "track", "wipe_disk"]
    assert pegboard("stats", "--as", "ann", "--json").json["everything"]["tools"] == 2


@pytest.mark.usefixtures("office")
def test_what_may_be_seen_but_not_called_is_refused(pegboard: Run) -> None:
    done = pegboard("call", "refund", "order=A", "--as", "ann")
    assert (done.code, done.out) == (6, "")
    assert "not allowed" in done.err
    assert pegboard("call", "track", "order=A", "--as", "ann").out == "A is on its way\n"


@pytest.mark.usefixtures("office")
@pytest.mark.parametrize("name", [" track", "TRACK", "tools.py.track", "track ", "tools.track"])
def test_a_name_is_taken_as_it_is(pegboard: Run, name: str) -> None:
    assert pegboard("call", "--as", "ann", name, "order=A").code == 4


@pytest.mark.usefixtures("office")
def test_an_unknown_principal_is_answered_with_those_that_there_are(pegboard: Run) -> None:
    done = pegboard("list", "--as", "anne")
    assert (done.code, done.out) == (2, "")
    assert "no principal is named 'anne'. Did you mean ann? There are ann, bob." in done.err
    assert pegboard("list", "--as", "anne", "--json").json["error"]["code"] == "usage"


def test_without_any_principals_the_way_to_have_one_is_told(pegboard: Run, shop: Path) -> None:
    assert "[principals.NAME]" in pegboard("list", "--as", "ann").err


@pytest.mark.usefixtures("office")
def test_where_nobody_can_be_asked_what_needs_approval_is_refused(pegboard: Run) -> None:
    done = pegboard("call", "refund", "order=A", "--as", "bob")
    assert (done.code, done.out) == (6, "")
    assert "needs approval (write)" in done.err
    assert "--yes" in done.err
    assert pegboard("call", "refund", "order=A", "--as", "bob", "--yes").out == "refunded A\n"
    assert pegboard("call", "track", "order=A", "--as", "bob").code == 0
    assert pegboard("call", "refund", "order=A", "--as", "ann", "--yes").code == 6


@pytest.mark.usefixtures("office")
def test_a_receipt_has_the_true_reason_of_a_refusal(pegboard: Run, here: Path) -> None:
    (here / "pegboard.toml").write_text(f"{RULES}\n[receipts]\nfile = 'calls.jsonl'\n", "utf-8")
    pegboard("call", "wipe_disk", "--as", "ann")
    [line] = (here / "calls.jsonl").read_text("utf-8").splitlines()
    assert "no rule allows discover" in line
    assert '"ann"' in line


def test_sources_that_are_away_have_no_names_for_a_principal(pegboard: Run, here: Path, office: Path) -> None:
    file = client_file(here, silent={"silent_at": "initialize"}, files=page("read"))
    for words in (["list"], ["find", "read"], ["show", "silent__read"], ["call", "wipe_disk"]):
        options = ["--from", str(file), "--config", "pegboard.toml", "--wait", "4"]
        plain, as_json = pegboard(*words, *options, "--as", "ann"), pegboard(*words, *options, "--as", "ann", "--json")
        assert "1 of the sources are not ready" in plain.err
        told = as_json.json
        assert (told.get("error") or told)["not_ready"] == [{"state": "starting"}]
        assert "silent is not ready" not in plain.err


CTRL_C = b"\x03"
QUESTION = re.compile(rb"Call it\? \[y/N\] $")


def on_a_terminal(answer: bytes, *words: str, folder: Path) -> tuple[int, str]:
    """Run a command line on a terminal and answer its question: its exit code, and all that was to be seen."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        command(*words), stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, start_new_session=True
    )
    os.close(theirs)
    seen, answered, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([ours], [], [], 0.1)[0]:
            continue
        try:
            chunk = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        seen += chunk
        if not answered and QUESTION.search(seen):
            answered = True
            if answer == CTRL_C:  # it is not the process's controlling terminal, which would send the signal
                running.send_signal(signal.SIGINT)
            else:
                os.write(ours, answer)
    try:
        return running.wait(PATIENCE), seen.decode()
    finally:
        running.kill()
        running.wait()
        os.close(ours)


@pytest.mark.skipif(sys.platform == "win32", reason="the terminal is that of POSIX")
@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (b"y\n", 0, "refunded A"),
        (b"YES\n", 0, "refunded A"),
        (b"\n", 6, "rejected"),
        (b"no\n", 6, "rejected"),
        (b"yy\n", 6, "rejected"),
        (b"\x04", 6, "rejected"),
        (CTRL_C, 130, "Call it?"),
    ],
    ids=["y", "YES", "nothing", "no", "yy", "end of input", "Ctrl-C"],
)
def test_on_a_terminal_the_person_is_asked(office: Path, answer: bytes, code: int, said: str) -> None:
    ended, seen = on_a_terminal(answer, "call", "refund", "order=A", "--as", "bob", folder=office)
    assert ended == code, seen
    assert "refund of tools.py needs approval (write)" in seen
    assert said in seen
    assert ("refunded" in seen) is (code == 0)


@pytest.mark.skipif(sys.platform == "win32", reason="the terminal is that of POSIX")
def test_what_is_asked_shows_arguments_without_their_control_characters_and_not_without_end(office: Path) -> None:
    order = "\x1b[2K\u202e" + "x" * 5_000
    _, seen = on_a_terminal(b"n\n", "call", "refund", f"order={order}", "--as", "bob", folder=office)
    question = seen[seen.index("needs approval") : seen.index("Call it?")]
    assert "\\u001b[2K\\u202e" in question
    assert "\x1b[2K" not in question
    assert "characters more" in question
    assert "x" * 3_000 not in question
