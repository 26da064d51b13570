"""A kernel on disk is used only if it is whole and made for this very text and these versions; otherwise it is made anew, silently."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from samples import SMALL_MODELS

from neverlost.explorer.compile import cache
from neverlost.explorer.compile.cache import DRAFT, is_cached, kernel_key, load_kernel
from neverlost.explorer.compile.generate import kernel_source, visited_source
from neverlost.explorer.hashing import state_hash
from neverlost.explorer.symmetry import Symmetry
from neverlost.spec import profiles

SOURCE = visited_source(1)


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
    states, index = np.zeros((300, 1), np.int64), np.zeros(1024, np.uint32)
    spare = (np.zeros(kernel.CHUNK, np.int64), np.zeros(kernel.CHUNK, np.uint64))
    _, count, digest = kernel.insert(np.array([[7], [7]], np.int64), 0, 2, states, 0, 300, index, *spare)
    assert (count, digest) == (1, state_hash((7,)))
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
            load_kernel(visited_source(2))
            (other,) = set(file.parent.iterdir()) - {file}
            shutil.copy(other, file)
        case "folder":
            file.unlink()
            file.mkdir()
    assert not is_cached(SOURCE)
    assert seconds_to_load() > 0
    if damage != "folder":
        assert is_cached(SOURCE)


def test_what_a_killed_process_left_is_cleared(file: Path) -> None:
    old, new = (file.parent / f"{DRAFT}{name}" for name in ("old", "new"))
    for draft in (old, new):
        draft.write_bytes(b"half of it")
    os.utime(old, (0, 0))
    load_kernel(visited_source(3))
    assert not old.exists()
    assert new.exists()


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
