"""The wheel that users install."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import pegboard


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints. Fails the test with all its output when it exits with another code than 0."""
    done = subprocess.run(
        command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, root, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of an environment with the wheel, and the dependencies of the one that runs the tests."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False, symlinks=True)
    scripts = home / Path(sysconfig.get_path("scripts")).name
    python = scripts / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=home)
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip()
    # A path file inside a folder that a path file adds is not read: the checkout stays out of sight.
    Path(packages, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return scripts


def test_the_wheel_holds_the_package_its_types_and_its_licence_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "pegboard/py.typed" in names
    assert any(name.endswith("/LICENSE") for name in names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"pegboard"}
    assert not [name for name in names if name.endswith((".pyc", ".log"))]


def test_the_installed_command_says_its_version(installed: Path) -> None:
    assert pegboard.__version__ in run(installed / "pegboard", "--version", cwd=installed)


KEEPING = """
import asyncio
from pegboard.pins import PinRecord
from pegboard.stores import SqlPinStore

async def main():
    store = SqlPinStore("boards.sqlite3")
    assert await store.save("board", PinRecord(generation=1))
    print((await store.look()).boards)
    await store.close()

asyncio.run(main())
"""


def test_the_installed_package_has_what_makes_a_database(installed: Path) -> None:
    assert run(installed / "python", "-c", KEEPING, cwd=installed).strip() == "1"


def test_the_installed_package_is_imported_from_where_it_was_installed(installed: Path) -> None:
    place = run(installed / "python", "-c", "import pegboard; print(pegboard.__file__)", cwd=installed)
    assert Path(place).is_relative_to(installed.parent)
