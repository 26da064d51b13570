"""What coordinators and Java consumers of a release do with groups: the settings in which releases differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class Expiry(Enum):
    """When an offset expires that was committed long ago (GroupMetadata.removeExpiredOffsets)."""

    BY_COMMIT = "whatever the group does"
    EMPTY_OR_NOT_SUBSCRIBED = (
        "in an empty group, and where the topics of the last generation are not the offset's (KAFKA-13636)"
    )
    EMPTY = "in an empty group (KIP-211)"


@dataclass(frozen=True, kw_only=True)
class Release:
    """The behaviour of a coordinator and of consumers of one release."""

    name: str
    expiry: Expiry = Expiry.EMPTY
    """When offsets expire. With KIP-848 always in empty groups only."""
    loads_first_part_only: bool = False
    """Does a coordinator that reads its log know what the first part of it says of a group? Up to 0.10.2 it reads to the high watermark
    (KAFKA-5059), and that of 0.11.0.0 keeps what it has read first (KAFKA-5600)."""
    replays_writes: bool = True
    """Has the coordinator its state from what it writes (CoordinatorRuntime)? With KIP-848 always. The one before it takes an offset
    over when it is replicated, if that is in time (GroupMetadataManager.storeOffsets)."""
    checks_epochs: bool = True
    """Do consumers compare leader epochs (KIP-320)?"""
    knows_every_epoch: bool = False
    """Has a position its record's epoch wherever it comes from? In Kafka if records were polled, or if it was committed with it."""
    names_generation: bool = True
    """Have the metadata with which a member joins its generation (KIP-792)? Else those of one that joins again may be the same."""
    polls_in_rebalance: bool = True
    """Does poll return records while the group rebalances (KAFKA-8421)?"""
    ignores_old_generations: bool = False
    """Does the cooperative assignor heed only what members of the newest generation own (KAFKA-14639)?"""
    commits_before_revoking: bool = True
    """Does a consumer wait, without returning records, until its last automatic commit is answered (KAFKA-14196)?"""
    epoch_of_partition: bool = True
    """Is a commit accepted from the epoch on in which the member was assigned the partition (KIP-1251)?"""
    resets_unfetched: bool = False
    """Is each partition without a position reset when the committed offsets of some are fetched (KAFKA-17674)? From 3.7 to 3.9."""
    raises_epoch_while_revoking: bool = False
    """Is a member that has given up what it was asked for in the next epoch, even if it must give up more? From 3.8 to 4.1."""
    assigns_when_joining: bool = True
    """Has the answer to the heartbeat with which a member joins its first assignment? Not if `group.consumer.assignment.interval.ms`
    has yet to pass (4.3)."""


KAFKA_0_9 = Release(
    name="kafka-groups-0.9.0.0",
    expiry=Expiry.BY_COMMIT,
    loads_first_part_only=True,
    replays_writes=False,
    checks_epochs=False,
    names_generation=False,
    polls_in_rebalance=False,
    epoch_of_partition=False,
)
KAFKA_0_11_0_0 = replace(KAFKA_0_9, name="kafka-groups-0.11.0.0")
KAFKA_2_1 = replace(KAFKA_0_9, name="kafka-groups-2.1", expiry=Expiry.EMPTY, loads_first_part_only=False)
KAFKA_2_3 = replace(KAFKA_2_1, name="kafka-groups-2.3", checks_epochs=True)
KAFKA_2_4 = replace(KAFKA_2_3, name="kafka-groups-2.4", expiry=Expiry.EMPTY_OR_NOT_SUBSCRIBED)
KAFKA_2_5 = replace(KAFKA_2_4, name="kafka-groups-2.5", polls_in_rebalance=True)
KAFKA_2_8_1 = replace(KAFKA_2_5, name="kafka-groups-2.8.1", ignores_old_generations=True)
KAFKA_2_8_2 = replace(KAFKA_2_8_1, name="kafka-groups-2.8.2", expiry=Expiry.EMPTY)
KAFKA_3_2_0 = replace(KAFKA_2_8_2, name="kafka-groups-3.2.0", commits_before_revoking=False)
KAFKA_3_4_0 = replace(KAFKA_2_8_2, name="kafka-groups-3.4.0", names_generation=True)
KAFKA_3_4_1 = replace(KAFKA_3_4_0, name="kafka-groups-3.4.1", ignores_old_generations=False)
KAFKA_4_0 = replace(KAFKA_3_4_1, name="kafka-groups-4.0", replays_writes=True, raises_epoch_while_revoking=True)
KAFKA_4_2_2 = replace(KAFKA_4_0, name="kafka-groups-4.2.2", raises_epoch_while_revoking=False)
KAFKA_4_3_1 = replace(KAFKA_4_2_2, name="kafka-groups-4.3.1", epoch_of_partition=True)

RELEASES = {
    release.name: release
    for release in (
        *(KAFKA_0_9, KAFKA_0_11_0_0, KAFKA_2_1, KAFKA_2_3, KAFKA_2_4, KAFKA_2_5, KAFKA_2_8_1, KAFKA_2_8_2),
        *(KAFKA_3_2_0, KAFKA_3_4_0, KAFKA_3_4_1, KAFKA_4_0, KAFKA_4_2_2, KAFKA_4_3_1),
    )
}
"""By the names of the models' versions."""
