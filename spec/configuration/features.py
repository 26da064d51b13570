"""Levels of a cluster's features (KIP-584), and the metadata versions that they need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .configuration_file import ConfigEntry
from .notices import Notice

ELR_KEY, KRAFT_KEY, METADATA_KEY = "eligible.leader.replicas.version", "kraft.version", "metadata.version"

NEEDS: Mapping[str, tuple[int, int, int]] = {ELR_KEY: (4, 0, 1), KRAFT_KEY: (3, 9, 0)}
"""The metadata version that level 1 of a feature depends on: 4.0-IV1 and 3.9-IV0 (Kafka's Feature.dependencies)."""


def has_feature(key: str, metadata_version: str) -> bool:
    """May a cluster with this metadata version have level 1 of a feature? It may if the version is not read."""
    matched = re.match(r"(\d+)\.(\d+)(?:-IV(\d+))?", metadata_version.strip())
    if matched is None:
        return True
    major, minor, level = (int(part or 99) if part != "0" else 0 for part in matched.groups())
    return (major, minor, level) >= NEEDS[key]


def rules_out(key: str, entries: Iterable[ConfigEntry]) -> bool:
    """Does some metadata version among these not allow level 1 of a feature?"""
    return any(entry.key == METADATA_KEY and not has_feature(key, entry.value) for entry in entries)


def impossible_levels(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """Of levels that no cluster has together, the one that its metadata version does not allow."""
    metadata = next((entry for entry in entries if entry.key == METADATA_KEY), None)
    for entry in entries:
        if metadata is None or entry.key not in NEEDS or entry.value == "0" or has_feature(entry.key, metadata.value):
            continue
        major, minor, level = NEEDS[entry.key]
        what = f"no cluster has level {entry.value} with {METADATA_KEY} {metadata.value}."
        why = f"It needs {major}.{minor}-IV{level}, and Kafka refuses it before."
        yield entry.notice(what, why, "Write the output of kafka-features.sh describe into the file, unchanged.")
