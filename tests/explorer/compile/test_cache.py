"""A kernel on disk is used only if it is whole and made for this very text and these versions; otherwise it is made anew, silently."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from samples import SMALL_MODELS

from neverlost.explorer.compile import cache
from neverlost.explorer.compile.cache import is_cached, kernel_key, load_kernel
from neverlost.explorer.compile.generate import kernel_source, positions_source
from neverlost.explorer.files.kept import DRAFT, LOCK, clear_left
from neverlost.explorer.symmetry import Symmetry
from neverlost.spark_explore.session import _package_archive
from neverlost.spec import profiles

SOURCE = positions_source(1)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a kernel that was just compiled, in a cache of its own."""
    monkeypatch.setenv("NEVERLOST_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_LOADED", {})
    assert seconds_to_load() > 0
    (found,) = (tmp_path / "kernels").iterdir()
    return found


def seconds_to_load() -> float:
    """The seconds of compiling. What is loaded has the constants and does the work of the kernel."""
    kernel, seconds = load_kernel(SOURCE)
    assert kernel.WORDS == 1
    states, index, found = np.array([[7], [9]], np.int64), np.zeros(1024, np.uint32), np.zeros(1, np.int64)
    kernel.rebuild(states, 2, index, np.zeros(kernel.CHUNK, np.int64), np.zeros(kernel.CHUNK, np.uint64))
    kernel.find(np.array([[9]], np.int64), 1, states, index, 40, found)
    assert found == 41
    return seconds


def test_a_kernel_is_compiled_once(file: Path) -> None:
    assert is_cached(SOURCE)
    assert seconds_to_load() == 0.0
    assert list(file.parent.iterdir()) == [file]


def test_no_bit_of_a_kernel_can_be_changed(file: Path) -> None:
    whole, randomness = file.read_bytes(), random.Random(1)
    for position in [*range(200), *(randomness.randrange(len(whole)) for _ in range(200))]:
        damaged = bytearray(whole)
        damaged[position] ^= 1 << randomness.randrange(8)
        file.write_bytes(damaged)
        assert not is_cached(SOURCE)
    assert seconds_to_load() > 0
    assert file.read_bytes() == whole


@pytest.mark.parametrize("damage", ["cut", "gone", "empty", "another kernel", "folder"])
def test_a_damaged_kernel_is_made_anew(file: Path, damage: str) -> None:
    match damage:
        case "cut":
            file.write_bytes(file.read_bytes()[:100])
        case "gone":
            file.unlink()
        case "empty":
            file.write_bytes(b"")
        case "another kernel":
            load_kernel(positions_source(2))
            (other,) = set(file.parent.iterdir()) - {file}
            shutil.copy(other, file)
        case "folder":
            file.unlink()
            file.mkdir()
    assert not is_cached(SOURCE)
    assert seconds_to_load() > 0
    if damage != "folder":
        assert is_cached(SOURCE)


def test_what_a_killed_process_left_is_cleared_by_the_next_and_what_another_works_on_is_not(file: Path) -> None:
    left = [file.parent / f"{DRAFT}left", file.parent / f"left{LOCK}"]
    held = [file.parent / f"{DRAFT}held", file.parent / f"held{LOCK}"]
    with ExitStack() as holding:
        for path in (*left, *held):
            stream = holding.enter_context(path.open("wb"))
            if path in held:
                fcntl.flock(stream, fcntl.LOCK_EX)
        clear_left.cache_clear()
        assert seconds_to_load() == 0.0
        assert sorted(file.parent.iterdir()) == sorted([file, *held])


@pytest.mark.parametrize("moment", ["compiling", "writing"])
def test_a_kill_while_a_kernel_is_made_leaves_nothing_that_the_next_does_not_clear(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process kills itself: at a place that a timer would hardly ever hit."""
    place = {"compiling": "cache.object_code", "writing": "kept.hashlib.sha256"}[moment]
    program = f"""
import os, signal
from neverlost.explorer.files import kept
from neverlost.explorer.compile import cache
from neverlost.explorer.compile.generate import positions_source

def killed(*ignored):
    os.kill(os.getpid(), signal.SIGKILL)

cache.kernel_key("")
{place} = killed
cache.kernel_key = lambda text: "0" * 64
cache.load_kernel(positions_source(1))
"""
    environment = {**os.environ, "NEVERLOST_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, timeout=300, check=False)
    assert ran.returncode == -signal.SIGKILL
    assert len(list((tmp_path / "cache" / "kernels").iterdir())) == {"compiling": 1, "writing": 2}[moment]
    monkeypatch.setenv("NEVERLOST_CACHE", str(tmp_path / "cache"))
    clear_left.cache_clear()
    assert seconds_to_load() > 0
    (kernel,) = (tmp_path / "cache" / "kernels").iterdir()
    assert kernel.suffix == ".kernel"
    assert list(tmp_path.iterdir()) == [tmp_path / "cache"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("NEVERLOST_CACHE", str(tmp_path / "file"))
    assert seconds_to_load() > 0


def test_the_key_of_a_kernel_depends_on_its_text_and_on_what_compiles_it(monkeypatch: pytest.MonkeyPatch) -> None:
    key = kernel_key(SOURCE)
    assert key == kernel_key(SOURCE)
    assert key != kernel_key(SOURCE + "\n")
    monkeypatch.setattr(cache, "_emitter", lambda: "another")
    assert key != kernel_key(SOURCE)


def test_the_text_of_a_kernel_depends_on_bounds_properties_and_functions() -> None:
    model = SMALL_MODELS[0]
    other = model.profile.bounded(replicas=2)
    fewer = replace(model.profile, properties=model.profile.properties[:1])
    models = (model, other, fewer.bounded(**model.bounds), SMALL_MODELS[1])
    assert len({kernel_source(m, Symmetry(m)) for m in models}) == 4


def test_one_kernel_serves_every_choice_of_settings() -> None:
    profile = profiles()["kafka-3.5"]
    models = (profile.bounded(), profile.bounded(acks=1, crashes=2), profiles()["kafka-0.8"].bounded(min_isr=2))
    assert len({kernel_source(m, Symmetry(m)) for m in models}) == 1


def test_the_key_of_a_kernel_is_the_same_where_the_package_is_an_archive() -> None:
    """As it is on executors that have no neverlost installed."""
    program = """
import sys
from neverlost.explorer.compile import cache
print(".zip" in cache.__file__, cache.kernel_key("some text"))
"""
    environment = {**os.environ, "PYTHONPATH": str(_package_archive())}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    assert ran.stdout.split() == ["True", kernel_key("some text")]
