"""The matrix of consumer groups: is a record ever skipped?"""

from __future__ import annotations

from neverlost.model.kafka.groups.state import Commit, Protocol, Reset
from neverlost.spec.matrix import Axis, Matrix

from .versions import VERSIONS

ASKED = ("kafka-groups-3.7", "kafka-groups-4.0", "kafka-groups-4.3.1")
"""Versions that have every protocol; what distinguishes older ones are mistakes that the ledger of bugs has."""

MATRIX = Matrix(
    question="Is a record ever skipped by its consumer group?",
    asks="none_skipped",
    violation="skip",
    versions=tuple(version for version in VERSIONS if version.name in ASKED),
    axes=(
        Axis(
            setting="protocol",
            values=dict(zip(Protocol.names, range(len(Protocol.names)), strict=True)),
            usual=("eager", "consumer"),
            label="protocol",
            title="protocol {}",
            opens="eager",
        ),
        Axis(
            setting="commit",
            values=dict(zip(Commit.names, range(len(Commit.names)), strict=True)),
            usual=("auto", "auto-threads", "sync", "async", "before"),
            label="commit",
            title="commit {}",
        ),
        Axis(
            setting="reset",
            values=dict(zip(Reset.names, range(len(Reset.names)), strict=True)),
            usual=("earliest", "latest"),
            label="reset",
            title="auto.offset.reset={}",
            opens="latest",
        ),
    ),
    faults={
        "nothing": {},
        "a later member": {"joins": 1},
        "a timeout": {"timeouts": 1},
        "a failed record": {"failures": 1},
        "expired offsets": {"leaves": 2, "expiries": 1},
        "an added partition": {"partition_adds": 1},
        "a truncation": {"truncations": 1},
        "a removed record": {"removals": 1},
    },
    short={
        "nothing": "nothing",
        "a later member": "member",
        "a timeout": "timeout",
        "a failed record": "failed",
        "expired offsets": "expired",
        "an added partition": "added",
        "a truncation": "cut",
        "a removed record": "removed",
    },
    other="",
    beside="crashes",
    times=(0, 1),
    of_times="crashes",
    legend=(
        "Expired offsets: both members are closed, and stay away for long. Below each: crashes of a consumer.\n"
        "The group has committed before, in each partition; one that has not begins where auto.offset.reset says."
    ),
    note="With --reset none no reset skips a record: the consumer fails, and the record waits.",
    meaning=(
        "auto is enable.auto.commit, with records that are processed between two polls; with auto-threads they are handed to other"
        " threads; sync and async commit after processing, and no more than was processed; before commits first. The group has"
        " committed before, in each partition."
    ),
)
