"""Kernels on disk. A file's name is a digest of everything that the kernel depends on, and the file holds a digest of its content."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from ..files.folders import cache_folder
from ..files.kept import LOCK, clear_left, read_kept, write_kept
from . import emitter
from .emitter.ir_module import Emitted, EntryPoint, emitted
from .emitter.machine import Kernel, object_code, target

BASELINE = "# Compiled without optimisation.\n"
"""How the text of a kernel begins that is there soon and runs slowly."""

OPTIMISED_A_SECOND = 50_000
"""About so many characters of a text are optimised in a second. Optimising pays when searches of this process have taken as long with
a baseline kernel as optimising takes: then it costs no search much more than double. Most end before."""

AGAIN_SECONDS = 0.4
"""Optimising pays after so long at most if an earlier process has left the baseline in the cache: searches like this are repeated."""


@cache
def _emitter() -> str:
    """A digest of what compiles a text: the emitter, LLVM and the processor."""
    folder = sorted(files(emitter).iterdir(), key=lambda file: file.name)
    texts = [file.read_bytes() for file in folder if file.name.endswith(".py")]
    return hashlib.sha256(repr((texts, target())).encode()).hexdigest()


def kernel_key(text: str) -> str:
    """The name of a kernel: a digest of its text, which holds functions, bounds and layout, and of what compiles it."""
    return hashlib.sha256(f"{_emitter()}\n{text}".encode()).hexdigest()


def first_text(text: str) -> str:
    """What a search begins with: the kernel itself if it is already compiled, else its baseline."""
    return text if is_cached(text) else BASELINE + text


def load_kernel(text: str) -> tuple[Kernel, float]:
    """The compiled kernel of this text, and the seconds that compiling took: 0.0 if it came from the cache.

    A file that is damaged, or that holds another kernel, is made again. A cache that cannot be read or written is not used.
    """
    with suppress(RuntimeError):
        clear_left(_folder())
    kept = _read(text)
    if kept is not None:
        return Kernel(*kept), 0.0
    with _alone(text):
        kept = _read(text)
        if kept is not None:
            return Kernel(*kept), 0.0
        started = time.perf_counter()
        module = _emitted(text.removeprefix(BASELINE))
        code = object_code(module.ir, module.wide, not text.startswith(BASELINE))
        kernel = Kernel(code, module.entries, module.constants)
        seconds = time.perf_counter() - started
        _write(text, code, module.entries, module.constants)
        return kernel, seconds


_COUNTING = threading.Lock()
_LOADING: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
"""Of each text: threads that need the same kernel wait for the one that loads it."""

_LOADED: dict[str, Kernel] = {}
"""The kernels of this process, by text: the next search of the same model loads nothing."""

_FOUND: set[str] = set()
"""The texts whose kernels were in the cache when this process first needed them."""


def loaded_kernel(text: str) -> tuple[Kernel, float]:
    """As `load_kernel`, but read from disk only once per process, for all threads."""
    seconds = 0.0
    with _COUNTING:
        loading = _LOADING[text]
    with loading:
        if text not in _LOADED:
            _LOADED[text], seconds = load_kernel(text)
            if not seconds:
                _FOUND.add(text)
        return _LOADED[text], seconds


@lru_cache(maxsize=4)
def _emitted(text: str) -> Emitted:
    """A baseline and its kernel have the same IR."""
    return emitted(text)


def is_cached(text: str) -> bool:
    """Whether `load_kernel` finds this kernel compiled."""
    return text in _LOADED or _read(text) is not None


_SEARCHED: defaultdict[str, float] = defaultdict(float)
"""For how many seconds this process has searched with the baseline of a kernel, by the text of the kernel."""


_BEING_OPTIMISED: set[str] = set()
"""The texts of kernels that a search of this process is waiting for; others go on with the baselines meanwhile."""


def optimised(text: str, seconds: float) -> tuple[Kernel, float] | None:
    """The kernel itself, as `loaded_kernel` returns it, once that pays after so many more seconds of searching with its baseline."""
    with _COUNTING:
        _SEARCHED[text] += seconds
        if text not in _LOADED and (text in _BEING_OPTIMISED or not _optimising_pays(text)):
            return None
        _BEING_OPTIMISED.add(text)
    try:
        return loaded_kernel(text)
    finally:
        _BEING_OPTIMISED.discard(text)


def _optimising_pays(text: str) -> bool:
    optimising = len(text) / OPTIMISED_A_SECOND
    return _SEARCHED[text] > (min(optimising, AGAIN_SECONDS) if BASELINE + text in _FOUND else optimising)


@contextmanager
def _alone(text: str) -> Iterator[None]:
    """If several processes need the same kernel, one makes it and the others wait; without a cache each makes its own."""
    try:
        lock = (_folder() / _name(text)).with_suffix(LOCK)
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
    except (OSError, RuntimeError):
        yield
        return
    try:
        # On a file system without locks, each makes its own too.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(handle)


def _folder() -> Path:
    return cache_folder() / "kernels"


def _name(text: str) -> str:
    return f"{kernel_key(text)}.kernel"


def _read(text: str) -> tuple[bytes, dict[str, EntryPoint], dict[str, int]] | None:
    """The content of a kernel's file; None if there is none, or if it is not what was written for this text."""
    try:
        content = read_kept(_folder() / _name(text))
    except RuntimeError:
        return None
    if content is None:
        return None
    head, _, code = content.partition(b"\n")
    try:
        about = json.loads(head)
        if about["key"] != kernel_key(text):
            return None
        entries = {name: EntryPoint(parameters=tuple(p), results=tuple(r)) for name, (p, r) in about["entries"].items()}
        return code, entries, dict(about["constants"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(text: str, code: bytes, entries: dict[str, EntryPoint], constants: dict[str, int]) -> None:
    about = {
        "key": kernel_key(text),
        "entries": {name: [entry.parameters, entry.results] for name, entry in entries.items()},
        "constants": constants,
    }
    with suppress(RuntimeError):
        write_kept(_folder(), _name(text), json.dumps(about).encode() + b"\n" + code)
