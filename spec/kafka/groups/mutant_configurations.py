"""The configurations in which mutants are looked for: small ones, so that each rule is reached in a short run."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.kafka.groups.state import Commit, Protocol, Reset
from neverlost.spec.mutant_configurations import Configuration

SMALL = {"members": 2, "partitions": 1, "records": 1, "generations": 6}
WIDE = {**SMALL, "partitions": 2}
LONG = {**SMALL, "records": 2}


def _of(bounds: Mapping[str, int], *settings: Mapping[str, int]) -> tuple[Configuration, ...]:
    return tuple(Configuration(bounds, chosen) for chosen in settings)


AFTER = {"commit": Commit.SYNC, "reset": Reset.EARLIEST}
ALWAYS = {"commit": Commit.AUTO, "reset": Reset.EARLIEST}
COOPERATIVE = {"protocol": Protocol.COOPERATIVE}
NEW = {"protocol": Protocol.CONSUMER}

CONFIGURATIONS = (
    *_of(
        SMALL,
        {**AFTER, "timeouts": 1, "crashes": 1},
        {**AFTER, **NEW, "timeouts": 1, "crashes": 1},
        {**AFTER, **NEW, "timeouts": 1, "leaves": 1},
        {**AFTER, **NEW, "commits_on_revoke": 0, "timeouts": 1},
        {"commit": Commit.BEFORE, "reset": Reset.EARLIEST, **NEW, "timeouts": 1},
        {**AFTER, **COOPERATIVE, "timeouts": 1},
        {**ALWAYS, "failures": 1},
        {**ALWAYS, "expiries": 1, "leaves": 2},
        {**ALWAYS, **NEW, "expiries": 1, "leaves": 2},
        {**ALWAYS, "idle_times": 1, "leaves": 2},
        {"commit": Commit.ASYNC, "reset": Reset.EARLIEST, "commit_failures": 1, "retries_async": 1, "timeouts": 1},
        {"commit": Commit.ASYNC, "reset": Reset.EARLIEST, "coordinator_moves": 1, "retries_async": 1},
        {**AFTER, "delays": 1, "joins": 1},
        {**AFTER, "passes_failed": 1, "failures": 1},
        {"commit": Commit.AUTO, "reset": Reset.LATEST, "partition_adds": 1},
        {"commit": Commit.BEFORE, "reset": Reset.EARLIEST, "timeouts": 1},
        {"commit": Commit.AUTO_THREADS, "reset": Reset.EARLIEST, "timeouts": 1},
        {**AFTER, "removals": 1},
        {**AFTER, "reset": Reset.LATEST, "removals": 1},
        {**AFTER, "reset": Reset.NONE, "removals": 1, "leaves": 1},
        {**AFTER, "new_group": 1},
        {**AFTER, "joins": 1, "coordinator_moves": 2},
        {**AFTER, "reset": Reset.LATEST, "new_group": 1, "leaves": 1},
    ),
    *_of(
        LONG,
        {**AFTER, "truncations": 1, "leaves": 1},
        {**AFTER, "rollbacks": 1, "leaves": 1},
        {**AFTER, "coordinator_moves": 1},
        {**AFTER, "commit_failures": 1, "coordinator_moves": 1, "crashes": 1},
    ),
    *_of(
        WIDE,
        {**ALWAYS, **COOPERATIVE, "joins": 1},
        {**AFTER, **COOPERATIVE, "joins": 1, "leaves": 1},
        {**AFTER, **NEW, "joins": 1},
        {**ALWAYS, **NEW, "joins": 1, "leaves": 1},
        {**AFTER, "partition_adds": 1},
        {**AFTER, **NEW, "partition_adds": 1},
        {**AFTER, **NEW, "delays": 1, "joins": 1},
        {**AFTER, **NEW, "timeouts": 1, "coordinator_moves": 2},
        {**AFTER, **NEW, "leaves": 1, "heartbeat_failures": 1},
    ),
)
