"""A store of the compiled engine: a manifest, and one file with the packed states of all levels, one level after the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ..engines.blocks import FULL_DISK, Blocks
from ..engines.engine import Stopped
from .folder import begin_store
from .identity import REMEDY, Identity, StoreError
from .manifest import LevelCounts, read_manifest, write_manifest

ENGINE = "compiled"
STATES = "states.bin"
"""Each word of a state takes 8 bytes, the least significant one first."""

WORD_BYTES = 8


@dataclass(frozen=True, kw_only=True)
class StoredLevel(LevelCounts):
    """A complete level. `whole` counts its states without the symmetry; None if that is not known."""

    whole: int | None


@dataclass(frozen=True, kw_only=True)
class LevelsManifest:
    """The question of a search, and its complete levels: their states lie in the file in this order."""

    identity: Identity
    levels: Sequence[StoredLevel] = ()


class LevelStore:
    """A search of the compiled engine in a folder."""

    def __init__(self, folder: Path, manifest: LevelsManifest) -> None:
        self.folder, self.manifest = folder, manifest
        self.path = folder / STATES

    @classmethod
    def created(cls, folder: Path, identity: Identity) -> LevelStore:
        """A new store, without a level. Raises StoreError if the folder holds something else."""
        store = cls(folder, LevelsManifest(identity=identity))
        begin_store(folder, store.manifest)
        return store

    @classmethod
    def opened(cls, folder: Path) -> LevelStore:
        """The store in a folder. Raises StoreError if states are missing; the search itself checks each level that it reads."""
        store = cls(folder, read_manifest(folder, LevelsManifest, ENGINE))
        levels, words = store.levels, store.manifest.identity.words
        numbered = [level.level for level in levels] == list(range(len(levels)))
        if words < 1 or not numbered or any(level.new < 0 for level in levels):
            raise StoreError(f"{folder} contradicts itself: its levels are not numbered from 0 on. {REMEDY}")
        try:
            size = store.path.stat().st_size if store.path.is_file() else 0
        except OSError as error:
            raise StoreError(f"{store.path} cannot be read: {error.strerror}. {REMEDY}") from error
        if size < store.bytes:
            raise StoreError(
                f"{store.path} is damaged: it has {size:,} bytes, and its levels have {store.bytes:,}. {REMEDY}"
            )
        return store

    @property
    def levels(self) -> Sequence[StoredLevel]:
        return self.manifest.levels

    @property
    def bytes(self) -> int:
        """The bytes of the states of all complete levels."""
        return sum(level.new for level in self.levels) * self.manifest.identity.words * WORD_BYTES

    def blocks(self) -> Blocks:
        """The states, to be read and continued. Raises StoreError if the file cannot be opened."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be opened: {error.strerror}") from error
        return Blocks(self.manifest.identity.words, most_bytes=0, file=file)

    def commit(self, level: StoredLevel) -> None:
        """A level is complete: its states go to the disk, then the manifest names it. Raises Stopped if the disk is full."""
        manifest = replace(self.manifest, levels=(*self.levels, level))
        try:
            with self.path.open("rb") as file:
                os.fsync(file.fileno())
            write_manifest(self.folder, manifest)
        except OSError as error:
            if error.errno in FULL_DISK:
                raise Stopped("disk") from error
            raise
        self.manifest = manifest

    def remove_leftovers(self) -> None:
        """Remove the states of a level that was not complete when the search ended, and drafts of the manifest."""
        with suppress(OSError):
            os.truncate(self.path, self.bytes)
            for draft in self.folder.glob(".*.draft"):
                draft.unlink(missing_ok=True)
