"""The manifest of a store of the Spark engine: the files of each level, and the tables of the result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neverlost.explorer.stores.identity import REMEDY, Identity, StoreError
from neverlost.explorer.stores.manifest import MANIFEST, LevelCounts
from neverlost.explorer.stores.manifest import read_manifest as read_manifest_of

from .tables import Written

ENGINE = "spark"
STATES = re.compile(r"states/level=(\d+)/shard=(\d+)/[0-9a-f]+\.parquet")
TRANSITIONS = re.compile(r"transitions/level=\d+/shard=\d+/[0-9a-f]+\.parquet")
TABLES = ("findings/findings.parquet", "actions/actions.parquet")

MOST_SHARDS = 65_536


@dataclass(frozen=True, kw_only=True)
class ShardedIdentity(Identity):
    """The identity of a search on Spark."""

    shards: int
    keep_transitions: bool


@dataclass(frozen=True, kw_only=True)
class LevelRecord(LevelCounts):
    """A complete level, and its files. `shuffled_bytes` is what Spark reports; 0 if the driver did the work."""

    ran: str
    candidates: int
    shuffled_bytes: int
    files: Sequence[Written]

    @property
    def bytes(self) -> int:
        """The bytes of its files."""
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The question of a search, and its progress."""

    identity: ShardedIdentity
    levels: Sequence[LevelRecord] = ()
    tables: Sequence[Written] = ()
    result: Mapping[str, Any] | None = field(default=None)

    @property
    def complete(self) -> bool:
        """Whether every state has been expanded."""
        return bool(self.levels) and self.levels[-1].new == 0

    @property
    def files(self) -> list[Written]:
        """Every file of the store but the manifest."""
        return [*(file for level in self.levels for file in level.files), *self.tables]

    @property
    def bytes(self) -> int:
        """The bytes of all files."""
        return sum(file.bytes for file in self.files)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a store. Raises StoreError if there is none, if it was changed, or is another engine's."""
    manifest = read_manifest_of(folder, Manifest, ENGINE)
    _ensure_consistent(folder / MANIFEST, manifest)
    return manifest


def _ensure_consistent(path: Path, manifest: Manifest) -> None:
    """Raises StoreError if the parts of a manifest contradict each other, or have content that no search writes."""
    identity, levels = manifest.identity, manifest.levels
    at_fault = next((file.path for file in manifest.tables if file.path not in TABLES), None)
    for number, level in enumerate(levels):
        states = [(file, STATES.fullmatch(file.path)) for file in level.files]
        here = [(file, matched) for file, matched in states if matched is not None]
        others = [file.path for file, matched in states if matched is None and not TRANSITIONS.fullmatch(file.path)]
        fits = (
            level.level == number
            and not others
            and all((int(of[1]), 0 <= int(of[2]) < identity.shards) == (number, True) for _, of in here)
            and level.new == sum(file.rows for file, _ in here)
            and len(level.generated) == len(levels[0].generated)
            and all(
                len(t.least) == identity.words for t in (*level.state_tallies.values(), *level.step_tallies.values())
            )
        )
        if not fits:
            at_fault = f"level {number}"
    if at_fault is not None or identity.words < 1 or not 1 <= identity.shards <= MOST_SHARDS:
        raise StoreError(f"{path} contradicts itself ({at_fault or 'identity'}). {REMEDY}")
