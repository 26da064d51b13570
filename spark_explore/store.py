"""A store: the folder that holds a search. Only files that its manifest names count; others are from an incomplete level."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neverlost.explorer.engines.hashing import state_hash
from neverlost.explorer.stores.folder import begin_store
from neverlost.explorer.stores.identity import REMEDY, StoreError
from neverlost.explorer.stores.manifest import write_manifest
from neverlost.model.core import Packed

from .manifest import STATES, LevelRecord, Manifest, ShardedIdentity, read_manifest
from .tables import Words, Written, checksum, read_rows, word_columns

WRITTEN_BY_SEARCHES = re.compile(
    r"(states|transitions)/level=\d+/shard=\d+/[0-9a-f]{32}\.parquet|exchange/.*|(.*/)?\.[^/]*\.draft"
)


class Store:
    """A search in a folder, level by level."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest

    @classmethod
    def created(cls, folder: Path, identity: ShardedIdentity) -> Store:
        """A new store, without a level. Raises StoreError if the folder holds something else."""
        store = cls(folder, Manifest(identity=identity))
        begin_store(folder, store.manifest)
        return store

    @classmethod
    def opened(cls, folder: Path) -> Store:
        """The store in a folder, after a check that no file was changed. Raises StoreError."""
        store = cls(folder, read_manifest(folder))
        for file in store.manifest.files:
            _ensure_intact(folder, file)
        return store

    @property
    def identity(self) -> ShardedIdentity:
        return self.manifest.identity

    @property
    def levels(self) -> Sequence[LevelRecord]:
        return self.manifest.levels

    def remove_leftovers(self) -> None:
        """Remove files of a search that the manifest does not name: those of a level that was incomplete when the process ended.

        Other files in the folder stay.
        """
        named = {file.path for file in self.manifest.files}
        for path in sorted(self.folder.rglob("*"), reverse=True):
            place = path.relative_to(self.folder).as_posix()
            if path.is_dir():
                # A folder that is not empty stays; an abandoned task may still be writing there.
                with suppress(OSError):
                    path.rmdir()
            elif place not in named and WRITTEN_BY_SEARCHES.fullmatch(place):
                path.unlink(missing_ok=True)

    def discard(self, folder: str) -> None:
        """Remove a folder below the store."""
        shutil.rmtree(self.folder / folder, ignore_errors=True)

    def commit(self, level: LevelRecord) -> None:
        """A level is complete: its files are written, and now the manifest names them."""
        self.manifest = replace(self.manifest, levels=(*self.levels, level))
        write_manifest(self.folder, self.manifest)

    def finish(self, tables: Sequence[Written], result: Mapping[str, Any] | None) -> None:
        """The search has ended for now: keep its tables and its result, in place of earlier ones."""
        if (tuple(tables), result) != (self.manifest.tables, self.manifest.result):
            self.manifest = replace(self.manifest, tables=tuple(tables), result=result)
            write_manifest(self.folder, self.manifest)

    def parts(self, level: int) -> list[Written]:
        """Each shard's part of a level; a shard without states has no file."""
        found = [Written(path="", rows=0, bytes=0, sha256="")] * self.identity.shards
        for file in self.levels[level].files:
            matched = STATES.fullmatch(file.path)
            if matched is not None:
                found[int(matched[2])] = file
        return found

    def states_files(self, level: int) -> list[Path]:
        """The files of the states of a level, shard by shard."""
        return [self.folder / file.path for file in self.parts(level) if file.rows]

    def shard_of(self, words: Packed) -> int:
        """Which shard owns a state."""
        return (state_hash(words) >> 32) * self.identity.shards >> 32

    def block_with(self, level: int, words: Packed, names: Sequence[str]) -> Words:
        """Some columns of the row of a state on a level: one row, or none."""
        part = self.parts(level)[self.shard_of(words)]
        width = self.identity.words
        blocks = read_rows(self.folder / part.path, [*word_columns(width), *names]) if part.rows else ()
        for block in blocks:
            here = (block[:, :width] == words).all(axis=1)
            if here.any():
                found: Words = block[here][:, width:]
                return found
        return np.empty((0, len(names)), np.int64)


def _ensure_intact(folder: Path, file: Written) -> None:
    path = folder / file.path
    try:
        if not path.is_file():
            raise StoreError(f"{path} is missing. {REMEDY}")
        size = path.stat().st_size
        intact = size == file.bytes and checksum(path) == file.sha256
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}. {REMEDY}") from error
    if size != file.bytes:
        raise StoreError(f"{path} is damaged: it has {size:,} bytes, but was written with {file.bytes:,}. {REMEDY}")
    if not intact:
        raise StoreError(f"{path} is damaged or was edited: its checksum is not that of what was written. {REMEDY}")
