"""The folder of a store: one process at a time works in it, and a new store begins in an empty one."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .identity import StoreError
from .manifest import write_manifest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder, and keep other processes out of it in this block. Raises StoreError if one works in it.

    On a file system without locks, other processes are not kept out.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made a store: {error.strerror}") from error
    try:
        with suppress(OSError):
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"another process works in {folder}; wait until it has ended, or end it") from None
        yield
    finally:
        os.close(opened)


def begin_store(folder: Path, manifest: DataclassInstance) -> None:
    """Write the first manifest of a store. Raises StoreError if the folder holds something else."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise StoreError(f"{folder} is not a store, and not empty; give a new folder")
        write_manifest(folder, manifest)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made a store: {error.strerror}") from error
