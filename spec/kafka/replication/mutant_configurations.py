"""The configurations in which mutants are looked for: small ones, so that each rule is reached in a short run."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.kafka.replication import faults
from neverlost.model.kafka.replication.state import (
    ACKS_ALL,
    ACKS_NONE,
    ACKS_ONE,
    COMMIT_AFTER,
    COMMIT_AUTO,
    COMMIT_BEFORE,
    KIP_279,
    Replica,
)
from neverlost.spec.derived_state import Derived, Made
from neverlost.spec.mutant_configurations import Configuration

from .versions import PROTOCOL

TINY = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 4}
"""One record on two replicas: a complete graph, with several faults."""
SMALL = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 5}
PAIR = {"replicas": 2, "log_size": 2, "values": 2, "leader_epochs": 4}
PARTED = {"replicas": 2, "log_size": 2, "values": 3, "leader_epochs": 3}
"""Logs that part behind a record of the same epoch, which one of them has more of."""
PARTED_TWICE = {"replicas": 2, "log_size": 2, "values": 3, "leader_epochs": 4}
"""Two epochs of a follower's log that its leader lacks, with an epoch of the leader's between them: KIP-279 asks twice."""
USUAL = {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4}

TINY_ELIGIBLE = {**TINY, "min_isr_changes": 1, "directory_moves": 1}
"""Operators meet eligible replicas."""

ALL = {"acks": ACKS_ALL, "min_isr": 2, "unclean": 0}
ONE = {"acks": ACKS_ONE, "min_isr": 1, "unclean": 0}
ALONE = ALL | {"min_isr": 1}
CONSUMER = {"consumer_crashes": 1}


def _of(
    bounds: Mapping[str, int], *settings: Mapping[str, int], needs: Mapping[str, int] | None = None, again: str = ""
) -> tuple[Configuration, ...]:
    return tuple(Configuration(bounds, chosen, needs or {}, again) for chosen in settings)


CONFIGURATIONS = (
    *_of(
        TINY,
        ALONE | {"crashes": 1, "leader_moves": 1},
        ALL | {"crashes": 1, "leader_moves": 1},
        ONE | {"min_isr": 2, "crashes": 1, "leader_moves": 1},
        ONE | {"pauses": 1, "leader_moves": 1},
        ALL | {"pauses": 1},
        ONE | {"min_isr": 2, "crashes": 2, "unclean": 1},
        ONE | {"min_isr": 2, "shutdowns": 2, "crashes": 1},
        ALONE | {"power_losses": 1, "flush": 1},
        ONE | {"unclean": 1, "power_losses": 1, "disk_losses": 1},
        ALL | {"power_losses": 1, "shutdowns": 1},
        ONE | {"acks": ACKS_NONE, "leader_moves": 1, "retries": 1},
        ALONE | {"idempotence": 1, "retries": 1, "leader_moves": 2},
        ALONE | {"idempotence": 1, "retries": 1, "crashes": 1},
        ONE | {"leader_moves": 2, "controller_changes": 1},
    ),
    *_of(
        SMALL,
        ALL,
        ALL | {"leader_moves": 2},
        ALL | {"crashes": 1, "pauses": 1, "min_isr": 3},
        ALL | {"crashes": 1, "pauses": 1},
        ALL | {"shutdowns": 2, "leader_moves": 1},
        ALL | {"power_losses": 1, "crashes": 1},
        ALL | {"shutdowns": 1, "power_losses": 1},
        ALL | {"disk_losses": 1, "pauses": 1},
        ALL | {"unclean": 1, "power_losses": 1, "crashes": 1},
        ONE | {"unclean": 1, "crashes": 2},
        ALONE | {"leader_moves": 2, "controller_changes": 1},
        ALONE | {"leader_moves": 2, "pauses": 1},
        ALONE | {"leader_moves": 3},
        ALONE | {"shutdowns": 1, "pauses": 1},
        ALONE | {"shutdowns": 1, "unclean": 1, "power_losses": 1},
    ),
    *_of(
        PAIR,
        ALONE | {"leader_moves": 2},
        ALONE | {"leader_moves": 1, "crashes": 1},
        ONE | {"leader_moves": 2, "crashes": 1},
        ONE | {"leader_moves": 2},
        ONE | {"unclean": 1, "crashes": 1},
        ONE | {"unclean": 1, "crashes": 1, "pauses": 1, "lost_responses": 1},
        ALONE | {"power_losses": 1, "leader_moves": 1},
        ALONE | {"retries": 1, "idempotence": 0, "leader_moves": 1},
        ALONE | {"retries": 1, "idempotence": 1, "leader_moves": 1, "crashes": 1},
        ALONE | {"retries": 1, "idempotence": 1, "pipelined": 1},
        ALL | {"retries": 1, "idempotence": 1, "pipelined": 1, "leader_moves": 2},
        ONE | {"acks": ACKS_NONE, "retries": 1, "leader_moves": 1},
        ALONE | CONSUMER | {"commit": COMMIT_AFTER},
        ALONE | CONSUMER | {"commit": COMMIT_BEFORE, "leader_moves": 1},
        ALONE | CONSUMER | {"commit": COMMIT_AUTO},
        ALONE | {"commit": COMMIT_BEFORE, "fetch_from_followers": 1, "leader_moves": 1},
        ALONE | {"compacted": 1, "leader_moves": 1},
        ALONE | {"power_losses": 1, "flush": 1},
    ),
    *_of(PARTED, ONE | {"leader_moves": 2}),
    *_of(TINY_ELIGIBLE, ALL | {"crashes": 1}, ALL | {"crashes": 2, "pauses": 1}, needs={"elr": 1}),
    *_of(
        USUAL,
        ALL,
        ALL | {"leader_moves": 1},
        ALL | {"crashes": 1},
        ALL | {"pauses": 1},
        ALL | {"power_losses": 1},
        ALL | {"unclean": 1, "crashes": 2},
        ONE | {"leader_moves": 2, "crashes": 1},
    ),
    *_of(
        PARTED_TWICE,
        ONE | {"unclean": 1, "crashes": 3},
        needs={"truncation": KIP_279},
        again="broker.cut_as_leader_says",
    ),
)
"""For versions of Kafka, the smaller ones first by and large."""

LOG = ("log_end", "record_value", "record_epoch")
DERIVED = (
    Derived(name="log", member=Replica, fields=LOG, runs="up", made=Made.CHANGED),
    Derived(name="log at the start", member=Replica, fields=LOG, runs="up", made=Made.STARTED),
    Derived(name="high watermark at the end", member=Replica, fields=("high_watermark",), runs="up", made=Made.ENDED),
)
"""What brokers keep beside a log: its epochs, the last records of each producer, and the high watermark in a file."""

SURROUNDINGS = tuple(action.name for action in PROTOCOL.actions if action.function.__module__ == faults.__name__)
"""The actions that are faults, and no deeds of brokers."""
UNSEEN = ("become_leader", "become_follower")
"""What real brokers do with news that the model cannot take in yet is to wait, which nobody sees."""
