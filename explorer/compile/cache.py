"""Kernels on disk: each in a folder named by a digest of everything that it depends on."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

import llvmlite
import numba
import numpy

MANIFEST = "manifest.json"


def cache_folder() -> Path:
    """Where kernels are kept: NEVERLOST_CACHE, or the user's cache folder."""
    given = os.environ.get("NEVERLOST_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "neverlost"


def kernel_key(source: str) -> str:
    """The name of a kernel: a digest of its text, which holds functions, bounds and layout, and of what compiles it."""
    processor = numba.core.codegen.get_host_cpu_features()  # type: ignore[no-untyped-call]
    versions = (sys.version, numba.__version__, llvmlite.__version__, numpy.__version__, platform.machine(), processor)
    return hashlib.sha256(repr((source, versions)).encode()).hexdigest()[:32]


def load_kernel(source: str) -> tuple[ModuleType, float]:
    """The compiled kernel of this text, and the seconds that compiling took: 0.0 if it came from the cache.

    A folder that is damaged or incomplete is made anew; a cache that cannot be written is done without.
    """
    name = f"neverlost_kernel_{kernel_key(source)}"
    folder = cache_folder() / "kernels" / name
    if _intact(folder):
        try:
            return _import(name, folder / "kernel.py"), 0.0
        except Exception:  # whatever a damaged cache raises, compiling anew mends it
            sys.modules.pop(name, None)
    return _compile(name, source, folder)


_LOADED: dict[str, ModuleType] = {}
"""The kernels of this process, by their texts: a search for one more question about a model loads nothing."""


def loaded_kernel(source: str) -> tuple[ModuleType, float]:
    """As `load_kernel`, but read from disk only once in a process."""
    seconds = 0.0
    if source not in _LOADED:
        _LOADED[source], seconds = load_kernel(source)
    return _LOADED[source], seconds


def is_cached(source: str) -> bool:
    """Would `load_kernel` find this kernel compiled?"""
    return _intact(cache_folder() / "kernels" / f"neverlost_kernel_{kernel_key(source)}")


def _compile(name: str, source: str, folder: Path) -> tuple[ModuleType, float]:
    """Compile in a folder of its own, and only then put it in its place, so that no half-made kernel is ever found there."""
    started = time.perf_counter()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=folder.parent))
    except OSError:
        folder, draft = Path(), Path(tempfile.mkdtemp(prefix="neverlost-"))
    try:
        (draft / "kernel.py").write_text(source, encoding="utf-8")
        module = _import(name, draft / "kernel.py")
        seconds = time.perf_counter() - started
        (draft / MANIFEST).write_text(json.dumps(_digests(draft)), encoding="utf-8")
        if folder.name:
            shutil.rmtree(folder, ignore_errors=True)
            draft.replace(folder)
    except OSError:
        pass  # another process put the same kernel there first, or the disk is full: this one is loaded already
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return module, seconds


def _import(name: str, file: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(f for f in folder.rglob("*") if f.is_file() and f.name != MANIFEST and f.suffix != ".pyc")
    return {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def _intact(folder: Path) -> bool:
    try:
        wanted = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return bool(wanted == _digests(folder))
    except (OSError, ValueError):
        return False
