"""What a release does by an older protocol, to which `inter.broker.protocol.version` or the metadata version holds its brokers.

MetadataVersion of Kafka 3.8 says what depends on it, and KafkaConfig and ReplicaFetcherThread before: what followers send, and when
the controller begins a leader epoch. Whatever else distinguishes releases is their code's, whichever protocol they speak.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neverlost.model.arguments import argument
from neverlost.model.kafka.replication.state import EVERY_SHRINK, KIP_101, KIP_279, TO_HIGH_WATERMARK, Partition
from neverlost.spec.kafka.releases import KRAFT, MODES, ZOOKEEPER
from neverlost.spec.kafka.replication.differences import TIME_LINE

from .configuration_file import ConfigEntry, ConfigurationFile, entries_of
from .notices import Notice
from .version_choice import ChosenVersion
from .versions import at_least, version_line

KEYS = {KRAFT: "metadata.version", ZOOKEEPER: "inter.broker.protocol.version"}
"""The key that says the protocol, by mode; the other one is then without effect."""
LAST = 99
"""What a version without `-IV` stands for: its last protocol."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A setting of the model, the protocol from which on a release has its own value, its value before, and where that stands."""

    setting: str
    since: tuple[int, int, int]
    before: int
    source: str
    modes: tuple[str, ...] = MODES


GATES = (
    Gate(setting="truncation", since=(2, 7, 1), before=KIP_279, source="isTruncationOnFetchSupported"),
    Gate(setting="truncation", since=(2, 0, 0), before=KIP_101, source="offsetForLeaderEpochRequestVersion is 0"),
    Gate(setting="truncation", since=(0, 11, 2), before=TO_HIGH_WATERMARK, source="isOffsetForLeaderEpochSupported"),
    Gate(
        setting="fencing",
        since=(2, 1, 2),
        before=0,
        source="fetchRequestVersion is 8 at most, in which there is no leader epoch",
    ),
    Gate(
        setting="broker_epochs",
        since=(3, 5, 1),
        before=0,
        source="fetchRequestVersion is 14 at most, in which there is no broker epoch",
        modes=(KRAFT,),
    ),
    Gate(
        setting="epoch_per_shrink",
        since=(3, 6, 0),
        before=EVERY_SHRINK,
        source="isLeaderEpochBumpRequiredOnIsrShrink",
        modes=(KRAFT,),
    ),
)


def protocol_of(files: Sequence[ConfigurationFile], chosen: ChosenVersion) -> ConfigEntry | None:
    """The entry that holds brokers of this release to an older protocol; the oldest one, if several do."""
    given = [e for e in entries_of(files, "broker") if e.key == KEYS[chosen.mode] and e.layer != "default"]
    older = [entry for entry in given if (line := version_line(entry.value)) and not at_least(line, chosen.version)]
    return min(older, key=lambda entry: _level(entry.value), default=None)


def held_settings(entry: ConfigEntry, chosen: ChosenVersion) -> Mapping[str, str | int | bool]:
    """What the model has otherwise than the release, because of its protocol."""
    own, level = TIME_LINE.settings_of(chosen.release, chosen.mode), _level(entry.value)
    settings = {setting.name: setting for setting in Partition.settings}
    return {
        gate.setting: settings[gate.setting].plain(gate.before)
        for gate in GATES
        if chosen.mode in gate.modes and level < gate.since and _is_newer(gate, own)
    }


def about_protocol(entry: ConfigEntry, chosen: ChosenVersion) -> Notice:
    """The doubt about what else may depend on the protocol."""
    line, held = version_line(entry.value), held_settings(entry, chosen)
    what = f"brokers of Kafka {chosen.version} are held to the protocol of {line}."
    why = "What followers ask leaders for, and when the controller begins an epoch, is audited by that protocol"
    why += f": {', '.join(f'{name}={value}' for name, value in held.items())}." if held else "; here it is the same."
    advice = f"Finish the upgrade, or audit with {argument('kafka_version', line or entry.value)} too."
    return entry.notice(what, f"{why} Other differences are not.", advice, decides=True)


def _is_newer(gate: Gate, own: Mapping[str, int]) -> bool:
    """Has the release itself what came with the gate?"""
    value = own.get(gate.setting, 0)
    return value < gate.before if gate.setting == "epoch_per_shrink" else value > gate.before


def _level(text: str) -> tuple[int, int, int]:
    """A protocol as numbers: 2.7-IV1 is (2, 7, 1), 0.11.0-IV2 is (0, 11, 2)."""
    matched = re.match(r"(\d+)\.(\d+)(?:\.\d+)*(?:-IV(\d+))?", text.strip())
    if matched is None:
        return LAST, LAST, LAST
    return int(matched[1]), int(matched[2]), LAST if matched[3] is None else int(matched[3])
