"""Folders in the temporary directory go with their process, however that ends; what others put there stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from neverlost.explorer.files import temporary
from neverlost.explorer.files.temporary import PREFIX, own_folder
from neverlost.spark_explore.session import _package_archive

PROGRAM = """
from neverlost.explorer.files.temporary import own_folder
(own_folder() / "file").touch()
print("made", flush=True)
input()
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary directory that is looked through anew."""
    monkeypatch.setattr(temporary.tempfile, "tempdir", str(tmp_path))
    temporary._clear_left.cache_clear()
    yield tmp_path
    while temporary._OWN:
        made, stream = temporary._OWN.pop()
        stream.close()
        made.cleanup()


def process_with_a_folder(directory: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(directory)}
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "made\n"
    return child


def test_a_folder_goes_when_its_process_ends(directory: Path) -> None:
    with process_with_a_folder(directory) as child:
        assert len(list(directory.iterdir())) == 1
        child.communicate("\n")
    assert list(directory.iterdir()) == []


def test_the_folder_of_a_killed_process_is_cleared_by_the_next_and_that_of_one_that_lives_is_not(
    directory: Path,
) -> None:
    with process_with_a_folder(directory) as killed, process_with_a_folder(directory) as living:
        before = set(directory.iterdir())
        assert len(before) == 2
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        mine = own_folder()
        (left,) = set(directory.iterdir()) - {mine}
        assert left in before
        assert (left / "file").exists()
        living.communicate("\n")
    assert list(directory.iterdir()) == [mine]


def test_a_folder_of_somebody_else_stays_whatever_it_is_called(directory: Path) -> None:
    others = [directory / f"{PREFIX}notes", directory / "neverlost-results"]
    for folder in others:
        folder.mkdir()
        (folder / "file").touch()
    mine = own_folder()
    assert sorted(directory.iterdir()) == sorted([*others, mine])


def test_whatever_neverlost_puts_into_the_temporary_directory_is_in_such_a_folder(directory: Path) -> None:
    made = [_package_archive().parent]
    assert list(directory.iterdir()) == made
    assert all(folder.name.startswith(PREFIX) for folder in made)
