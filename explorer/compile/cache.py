"""Kernels on disk: each in a file named by a digest of everything that it depends on, and with a digest of everything that is in it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from ..folders import cache_folder
from . import expressions, ir_module, kernel_types, lower, machine, operands
from .ir_module import Entry, emitted
from .machine import Kernel, object_code, target

DRAFT, LOCK = "draft-", ".lock"
STALE_SECONDS = 3600
"""A draft as old as this was left by a process that was killed: writing one takes far less."""


@cache
def _emitter() -> str:
    """A digest of what makes object code of a text: another emitter, LLVM or processor makes other code."""
    files = (
        getattr(module, "__file__", None) for module in (expressions, ir_module, kernel_types, lower, machine, operands)
    )
    texts = [Path(file).read_bytes() for file in files if file]
    return hashlib.sha256(repr((texts, target())).encode()).hexdigest()


def kernel_key(text: str) -> str:
    """The name of a kernel: a digest of its text, which holds functions, bounds and layout, and of what compiles it."""
    return hashlib.sha256(f"{_emitter()}\n{text}".encode()).hexdigest()


def load_kernel(text: str) -> tuple[Kernel, float]:
    """The compiled kernel of this text, and the seconds that compiling took: 0.0 if it came from the cache.

    A file that is damaged, or that another kernel was put into, is made anew; a cache that cannot be read or written is done without.
    """
    kept = _read(text)
    if kept is not None:
        return Kernel(*kept), 0.0
    with _alone(text):
        kept = _read(text)
        if kept is not None:
            return Kernel(*kept), 0.0
        started = time.perf_counter()
        module = emitted(text)
        code = object_code(module.ir)
        kernel = Kernel(code, module.entries, module.constants)
        seconds = time.perf_counter() - started
        _write(text, code, module.entries, module.constants)
        return kernel, seconds


_LOADING = threading.Lock()
_LOADED: dict[str, Kernel] = {}
"""The kernels of this process, by their texts: a search for one more question about a model loads nothing."""


def loaded_kernel(text: str) -> tuple[Kernel, float]:
    """As `load_kernel`, but read from disk only once in a process, whichever thread asks first."""
    seconds = 0.0
    with _LOADING:
        if text not in _LOADED:
            _LOADED[text], seconds = load_kernel(text)
        return _LOADED[text], seconds


def is_cached(text: str) -> bool:
    """Would `load_kernel` find this kernel compiled?"""
    return text in _LOADED or _read(text) is not None


@contextmanager
def _alone(text: str) -> Iterator[None]:
    """Of the processes that want the same kernel at once, one makes it, and the others wait; without a cache each makes its own."""
    try:
        lock = _file(text).with_suffix(LOCK)
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
    except (OSError, RuntimeError):
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(handle)


def _file(text: str) -> Path:
    return cache_folder() / "kernels" / f"{kernel_key(text)}.kernel"


def _read(text: str) -> tuple[bytes, dict[str, Entry], dict[str, int]] | None:
    """What the file of a kernel holds; None if there is none, or it is not just what was written for this text."""
    try:
        digest, _, content = _file(text).read_bytes().partition(b"\n")
    except (OSError, RuntimeError):
        return None
    if digest != hashlib.sha256(content).hexdigest().encode():
        return None
    head, _, code = content.partition(b"\n")
    about = json.loads(head)
    if about["key"] != kernel_key(text):
        return None
    entries = {name: Entry(parameters=tuple(p), results=tuple(r)) for name, (p, r) in about["entries"].items()}
    return code, entries, about["constants"]


def _write(text: str, code: bytes, entries: dict[str, Entry], constants: dict[str, int]) -> None:
    """Write the file of a kernel beside its place, and only then put it there: no half-made kernel is ever found."""
    about = {
        "key": kernel_key(text),
        "entries": {name: [entry.parameters, entry.results] for name, entry in entries.items()},
        "constants": constants,
    }
    content = json.dumps(about).encode() + b"\n" + code
    try:
        file = _file(text)
        file.parent.mkdir(parents=True, exist_ok=True)
        _clear_drafts(file.parent)
        handle, draft = tempfile.mkstemp(prefix=DRAFT, dir=file.parent)
    except (OSError, RuntimeError):
        return
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
        os.replace(draft, file)
    except OSError:
        Path(draft).unlink(missing_ok=True)


def _clear_drafts(folder: Path) -> None:
    for left in (*folder.glob(f"{DRAFT}*"), *folder.glob(f"*{LOCK}")):
        if time.time() - left.stat().st_mtime > STALE_SECONDS:
            left.unlink(missing_ok=True)
