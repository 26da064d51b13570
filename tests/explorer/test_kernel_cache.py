"""A kernel on disk is used only if it is whole and made for this very text and these versions; otherwise it is made anew, silently."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numba
import pytest
from samples import SMALL_MODELS

from neverlost.explorer.compile import cache
from neverlost.explorer.compile.cache import is_cached, kernel_key, load_kernel
from neverlost.explorer.compile.generate import kernel_source, visited_source
from neverlost.explorer.symmetry import Symmetry
from neverlost.spec import profiles

SOURCE = visited_source(1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a kernel that was just compiled, in a cache of its own."""
    monkeypatch.setenv("NEVERLOST_CACHE", str(tmp_path))
    _, seconds = load_kernel(SOURCE)
    assert seconds > 0
    (found,) = (tmp_path / "kernels").iterdir()
    return found


def reload() -> float:
    """The seconds of compiling, after the process has forgotten the kernel."""
    for name in [n for n in sys.modules if n.startswith("neverlost_kernel_")]:
        del sys.modules[name]
    module, seconds = load_kernel(SOURCE)
    assert module.WORDS == 1
    return seconds


def test_a_kernel_is_compiled_once(folder: Path) -> None:
    assert is_cached(SOURCE)
    assert reload() == 0.0
    assert [f for f in folder.parent.iterdir() if f.name.startswith("draft-")] == []


@pytest.mark.parametrize("damage", ["cut", "changed", "gone", "manifest", "folder"])
def test_a_damaged_kernel_is_made_anew(folder: Path, damage: str) -> None:
    compiled = max(folder.rglob("*.nbc"), key=lambda f: f.stat().st_size)
    match damage:
        case "cut":
            compiled.write_bytes(compiled.read_bytes()[:100])
        case "changed":
            compiled.write_bytes(compiled.read_bytes()[::-1])
        case "gone":
            compiled.unlink()
        case "manifest":
            (folder / cache.MANIFEST).write_text("{", encoding="utf-8")
        case "folder":
            shutil.rmtree(folder)
            folder.write_text("in the way", encoding="utf-8")
    assert not is_cached(SOURCE)
    assert reload() > 0
    if damage != "folder":
        assert is_cached(SOURCE)


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("NEVERLOST_CACHE", str(tmp_path / "file"))
    assert reload() > 0


def test_the_key_of_a_kernel_depends_on_its_text_and_on_what_compiles_it(monkeypatch: pytest.MonkeyPatch) -> None:
    key = kernel_key(SOURCE)
    assert key == kernel_key(SOURCE)
    assert key != kernel_key(SOURCE + "\n")
    monkeypatch.setattr(numba, "__version__", "0.0")
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
