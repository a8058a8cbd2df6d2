"""What commands keep of upstreams for those that follow, with real servers that write down that they were started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import PATIENCE, SCRIPTED, Run, alive, command, page, pids


@pytest.fixture
def folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, and where things are kept: nothing yet."""
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(here / "state"))
    return here


def write(folder: Path, scripts: Mapping[str, dict[str, Any]], more: str = "") -> None:
    """A configuration with a scripted server for each script."""
    lines = [more]
    for name, script in scripts.items():
        path = folder / f"{name}.json"
        if not path.exists() or json.loads(path.read_text("utf-8")) != script:
            path.write_text(json.dumps(script), "utf-8")
        words = json.dumps([str(SCRIPTED), str(path), str(folder / f"{name}.jsonl")])
        lines.append(
            f"[upstreams.{name}]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\nstart_timeout = 600\n"
        )
    (folder / "pegboard.toml").write_text("\n".join(lines), "utf-8")


def starts(folder: Path, *names: str) -> list[int]:
    """How often each server was started."""
    return [len(pids(folder, name)) for name in names]


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "state").rglob("*.listing"))


TWO: dict[str, dict[str, Any]] = {"mail": page("send_mail", "read_mail"), "shop": page("refund_order")}


def test_the_second_find_starts_no_process_and_finds_the_same(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    first = pegboard("find", "refund", "an", "order")
    assert (first.code, starts(folder, "mail", "shop")) == (0, [1, 1])
    second = pegboard("find", "refund", "an", "order")
    assert (second.code, second.out, starts(folder, "mail", "shop")) == (0, first.out, [1, 1])
    assert ("--fresh" in first.err, "--fresh" in second.err) == (False, True)


def test_what_one_command_listed_serves_the_others(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    pegboard("status")
    told = pegboard("list", "--json").json
    assert [tool["name"] for tool in told["tools"]] == ["mail__read_mail", "mail__send_mail", "shop__refund_order"]
    assert (told["not_ready"], told["listed_seconds_ago"] >= 0) == ([], True)
    shown = pegboard("show", "shop__refund_order", "--json").json
    assert (shown["name"], "listed_seconds_ago" in shown) == ("shop__refund_order", True)
    assert "listed_seconds_ago" in pegboard("find", "mail", "--json").json
    assert starts(folder, "mail", "shop") == [1, 1]


@pytest.mark.parametrize("words", [["list"], ["find", "mail"], ["show", "mail__send_mail"]])
def test_fresh_asks_the_upstreams(pegboard: Run, folder: Path, words: list[str]) -> None:
    write(folder, TWO)
    pegboard("list")
    assert "--fresh" not in pegboard(*words, "--fresh").err
    assert starts(folder, "mail") == [2]


def test_a_call_starts_only_the_upstream_that_it_needs(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    pegboard("list")
    done = pegboard("call", "shop__refund_order")
    assert (done.code, done.out, starts(folder, "mail", "shop")) == (0, "ok\n", [1, 2])
    assert not any(alive(pid) for pid in pids(folder, "shop"))


def test_a_call_goes_by_what_the_upstream_lists_now(pegboard: Run, folder: Path) -> None:
    needs = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
    changed = {"pages": [{"tools": [{"name": "refund_order", "inputSchema": needs}]}]}
    write(folder, TWO)
    pegboard("list")
    listing = next(path for path in kept(folder) if b"refund_order" in path.read_bytes())
    old, before = listing.read_bytes(), set(kept(folder))
    write(folder, {**TWO, "shop": changed})
    pegboard("status")
    (fresh,) = set(kept(folder)) - before
    fresh.write_bytes(old)
    assert "It takes no parameters." in pegboard("show", "shop__refund_order").out
    assert pegboard("call", "shop__refund_order").code == 2
    assert "order" in pegboard("show", "shop__refund_order").out.split("parameter", 1)[1]


def test_a_name_that_no_listing_has_is_asked_of_the_upstreams(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    pegboard("list")
    assert pegboard("show", "shop__missing").code == 4
    assert starts(folder, "mail", "shop") == [2, 2]


def test_an_edited_script_is_asked_anew_and_no_other_server(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    pegboard("list")
    write(folder, {**TWO, "shop": page("refund_order", "cancel_order")})
    assert "shop__cancel_order" in pegboard("list").out
    assert starts(folder, "mail", "shop") == [1, 2]


def test_how_tools_are_taken_in_is_read_from_the_configuration_of_now(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    pegboard("list")
    text = (folder / "pegboard.toml").read_text("utf-8")
    (folder / "pegboard.toml").write_text(f'{text}exclude = ["refund_*"]\n', "utf-8")
    assert [line.split()[0] for line in pegboard("list").lines] == ["mail__read_mail", "mail__send_mail"]
    assert starts(folder, "mail", "shop") == [1, 1]


def test_how_a_listing_is_taken_in_is_kept_for_each_way(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    first = pegboard("find", "refund", "an", "order")
    text = (folder / "pegboard.toml").read_text("utf-8")
    (folder / "pegboard.toml").write_text(f'{text}prefix = "store"\n', "utf-8")
    for _ in range(2):
        assert [line.split()[0] for line in pegboard("find", "refund", "an", "order").lines] == ["store__refund_order"]
    assert len(sorted((folder / "state").rglob("*.intake"))) == 3
    (folder / "pegboard.toml").write_text(text, "utf-8")
    assert pegboard("find", "refund", "an", "order").out == first.out
    assert starts(folder, "mail", "shop") == [1, 1]


@pytest.mark.parametrize("harm", ["broken", "of another listing", "missing"])
def test_how_a_listing_is_taken_in_is_found_out_again(pegboard: Run, folder: Path, harm: str) -> None:
    write(folder, TWO)
    first = pegboard("find", "refund", "an", "order")
    mail, shop = sorted((folder / "state").rglob("*.intake"), key=lambda path: b"refund" in path.read_bytes())
    sound = shop.read_bytes()
    if harm == "missing":
        shop.unlink()
    else:
        shop.write_bytes(mail.read_bytes() if harm == "of another listing" else sound[:-5])
    told = pegboard("find", "refund", "an", "order", "--debug")
    assert (told.out, shop.read_bytes(), starts(folder, "mail", "shop")) == (first.out, sound, [1, 1])
    assert ("not the ones that were written" in told.err) == (harm == "broken")


def test_files_of_tools_are_read_every_time(pegboard: Run, folder: Path) -> None:
    tool = "from pegboard import tool\n\n@tool\ndef {}() -> str:\n    '''Do.'''\n    return ''\n"
    write(folder, TWO, '[[python]]\nfile = "tools.py"\n')
    (folder / "tools.py").write_text(tool.format("first"), "utf-8")
    assert "first " in pegboard("list").out
    (folder / "tools.py").write_text(tool.format("second"), "utf-8")
    assert pegboard("find", "second").lines[0].split()[0] == "second"
    assert starts(folder, "mail") == [1]


def test_a_listing_that_is_too_old_is_not_gone_by(pegboard: Run, folder: Path) -> None:
    write(folder, TWO, "[cache]\nage = 0.001\n")
    pegboard("list")
    assert "--fresh" not in pegboard("list").err
    assert starts(folder, "mail") == [2]


@pytest.mark.parametrize("cache", ['[cache]\npath = "memory"\n', "[cache]\nage = 0\n", '[store]\npath = "memory"\n'])
def test_nothing_is_kept_where_the_configuration_says_so(pegboard: Run, folder: Path, cache: str) -> None:
    write(folder, TWO, cache)
    pegboard("find", "mail")
    pegboard("find", "mail")
    assert (starts(folder, "mail"), kept(folder)) == ([2], [])


@pytest.mark.parametrize("harm", [b"", b"nothing", None])
def test_what_is_broken_is_made_anew_and_only_the_log_tells(pegboard: Run, folder: Path, harm: bytes | None) -> None:
    write(folder, TWO)
    first = pegboard("find", "refund", "an", "order")
    for path in (folder / "state").rglob("catalog/*"):
        path.write_bytes(path.read_bytes()[:-10] if harm is None else harm)
    told = pegboard("find", "refund", "an", "order", "--debug")
    assert (told.out, starts(folder, "mail", "shop")) == (first.out, [2, 2])
    assert "not the ones that were written" in told.err
    again = pegboard("find", "refund", "an", "order")
    assert (again.out, starts(folder, "mail", "shop")) == (first.out, [2, 2])
    assert "cannot be used" not in again.err


@pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")
def test_a_folder_that_others_may_write_into_is_not_used(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    pegboard("list")
    (folder / "state" / "pegboard" / "catalog").chmod(0o777)
    done = pegboard("list")
    assert (done.code, done.err, starts(folder, "mail")) == (0, "", [2])


@pytest.mark.parametrize("place", ["taken/catalog", "/proc/self/nobody/catalog", "readonly/catalog"])
def test_where_nothing_can_be_written_commands_go_on_without(pegboard: Run, folder: Path, place: str) -> None:
    (folder / "taken").write_text("", "utf-8")
    (folder / "readonly").mkdir(mode=0o500)
    if place.startswith("readonly") and os.access(folder / "readonly", os.W_OK):
        pytest.skip("this user may write everywhere")
    write(folder, TWO, f'[cache]\npath = "{place}"\n')
    for _ in range(2):
        done = pegboard("find", "mail")
        assert (done.code, done.err) == (0, "")
    assert starts(folder, "mail") == [2]


def test_what_serve_hears_serves_the_commands(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(command("serve"), stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere) as serving:
        until = time.monotonic() + PATIENCE
        while len(kept(folder)) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        assert pegboard("list").code == 0
        assert starts(folder, "mail", "shop") == [1, 1]
        assert serving.stdin is not None
        serving.stdin.close()
        assert serving.wait(PATIENCE) == 0


POLICY = """
[principals.guest]
[[policy.rules]]
principals = ["guest"]
names = ["mail__*"]
allow = ["discover"]
"""


@pytest.mark.parametrize("words", [["list", "--json"], ["find", "order mail", "--json", "--explain"]])
def test_who_may_see_what_is_as_without_anything_kept(pegboard: Run, folder: Path, words: list[str]) -> None:
    write(folder, TWO, POLICY)
    live = pegboard(*words, "--as", "guest").json
    told = pegboard(*words, "--as", "guest").json
    assert told.pop("listed_seconds_ago") >= 0
    assert told == live
    assert "refund" not in json.dumps(told)
    hidden = pegboard("show", "shop__refund_order", "--as", "guest")
    missing = pegboard("show", "shop__nothing_here", "--as", "guest")
    assert hidden.code == missing.code == 4
    assert hidden.out == missing.out


def test_a_policy_that_was_changed_since_decides(pegboard: Run, folder: Path) -> None:
    write(folder, TWO, POLICY)
    pegboard("find", "order")
    write(folder, TWO, POLICY.replace("mail__", "shop__"))
    found = pegboard("find", "order mail", "--as", "guest", "--json").json
    assert ([tool["name"] for tool in found["tools"]], found["total"]) == (["shop__refund_order"], 1)
    assert starts(folder, "mail", "shop") == [1, 1]


def test_no_secret_is_kept(pegboard: Run, folder: Path) -> None:
    secret = "s3cr3t-t0ken-0123456789"
    tools = [{"name": "leak", "description": f"Uses {secret}.", "inputSchema": {"type": "object"}}]
    write(folder, {**TWO, "leaking": {"pages": [{"tools": tools}]}})
    text = (folder / "pegboard.toml").read_text("utf-8")
    given = f'env = {{ API_TOKEN = "{secret}" }}\n'
    text = text.replace("[upstreams.shop]\n", f"[upstreams.shop]\n{given}") + given
    (folder / "pegboard.toml").write_text(text, "utf-8")
    pegboard("find", "leak")
    pegboard("find", "leak")
    assert starts(folder, "mail", "shop", "leaking") == [1, 1, 2]
    assert len(kept(folder)) == 2
    assert not [path for path in kept(folder) if secret.encode() in path.read_bytes()]


def test_commands_at_the_same_time_leave_what_the_next_can_use(pegboard: Run, folder: Path) -> None:
    write(folder, TWO)
    running = [
        subprocess.Popen(command("find", "mail"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(3)
    ]
    outs = {process.communicate(timeout=600)[0] for process in running}
    assert ([process.returncode for process in running], len(outs)) == ([0, 0, 0], 1)
    before = starts(folder, "mail", "shop")
    assert pegboard("find", "mail").out.encode() in outs
    assert starts(folder, "mail", "shop") == before
