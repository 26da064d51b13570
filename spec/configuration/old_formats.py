"""Logs in a format without leader epochs: followers of a newer release then cut them as those of 0.10 do."""

from __future__ import annotations

from collections.abc import Sequence

from .configuration_file import ConfigurationFile, entries_of
from .notices import Notice
from .versions import at_least, version_line

KEYS = ("message.format.version", "log.message.format.version")
PROTOCOL = "inter.broker.protocol.version"
TO_HIGH_WATERMARK = "high-watermark"
"""The model's setting of truncation."""
WITH_EPOCHS = "0.11"
"""Records of this format and later have the epoch of their leader (KIP-101; Log.initializeLeaderEpochCache of Kafka 2.4.1)."""
IGNORED = "3.0"
"""From here on the keys count only below a protocol of this version (KIP-724)."""


def formats_without_epochs(files: Sequence[ConfigurationFile], version: str) -> Notice | None:
    """The warning about a format without epochs that is in force; None if there is none."""
    if not at_least(version, WITH_EPOCHS):
        return None
    entries = entries_of(files, "topic", "broker")
    lines = {entry.key: version_line(entry.value) for entry in entries if entry.key in (*KEYS, PROTOCOL)}
    protocol = lines.get(PROTOCOL)
    if at_least(version, IGNORED) and (protocol is None or at_least(protocol, IGNORED)):
        return None
    key = next((key for key in KEYS if key in lines), None)  # the topic's goes before the broker's
    line = None if key is None else lines[key]
    if line is None or at_least(line, WITH_EPOCHS):
        return None
    entry = next(entry for entry in entries if entry.key == key)
    what = f"records in the format of {line} have no leader epochs: followers cut their logs to the high watermark."
    return entry.notice(what, "What KIP-101 prevents can happen.", "Leave the key out.")
