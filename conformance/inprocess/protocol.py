"""The behaviour of brokers of each version: the settings in which versions differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class EpochPerShrink(Enum):
    """Which ISRs that lose a member come with a new leader epoch (KAFKA-15021)."""

    NONE = "none"
    OF_THE_CONTROLLER = "those that the controller decides on by itself"
    EVERY = "every one, also those that a leader asks for"


class Truncation(Enum):
    """Where a new follower cuts its log (R-TRUNC-1..4)."""

    TO_HIGH_WATERMARK = "its own high watermark"
    LAST_EPOCH = "the leader's end of its last epoch (KIP-101)"
    SHARED_EPOCH = "the end of the largest epoch that both know (KIP-279)"
    ON_FETCH = "the same, found out by fetching (from 2.8 on)"


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The behaviour of brokers and controller of one version."""

    name: str
    truncation: Truncation
    fences_fetches: bool = False
    """Is a request with another leader epoch refused (KIP-320)?"""
    asks_for_isr: bool = False
    """Does a leader ask the controller for an ISR, and learn the answer later (KIP-497)? Else it writes the ISR itself, at once."""
    rechecks_high_watermark: bool = True
    """Does the leader update its high watermark when it learns that its ISR was recorded (KAFKA-13091)?"""
    refuses_fenced_members: bool = False
    """Does the controller refuse an ISR with a fenced broker (KIP-841)?"""
    checks_broker_epochs: bool = False
    """Does the controller refuse an ISR with a broker that has restarted since (KIP-903)?"""
    strict_min_isr: bool = False
    """Does the high watermark stay while the ISR is below min ISR (KAFKA-15583)?"""
    eligible_leaders: bool = False
    """Does the controller keep eligible leader replicas (KIP-966)?"""
    keeps_known_ends: bool = True
    """Does a leader that hears of a newer epoch of its own keep what it knew of its followers (KAFKA-2721)?"""
    guards_epoch_start: bool = True
    """Must a follower reach the start of the leader's epoch before it enters the ISR (KAFKA-7128)?"""
    notices_missed_epoch: bool = True
    """Does a follower that has missed a leader epoch ask again where to cut its log (KAFKA-7164)?"""
    notes_epoch_at_start: bool = True
    """Does a leader record where its epoch starts, and so know every epoch before it (KAFKA-7415)?"""
    starts_over: bool = False
    """Does a follower beyond its leader's log ask where that ends, and drop its own log if the leader's has grown (KAFKA-2143)?"""
    reads_past_high_watermark: bool = False
    """May a consumer's fetch return a record that is appended while it reads (KAFKA-9835)?"""
    counts_diverging_fetch: bool = False
    """Does a fetch that only tells the follower where to cut its log count as progress (KAFKA-13141)?"""
    drops_caught_up: bool = False
    """Is a follower that is silent for too long dropped although it has caught up (up to 2.0)?"""
    epoch_per_shrink: EpochPerShrink = EpochPerShrink.OF_THE_CONTROLLER
    """Which ISRs that lose a member come with a new leader epoch?"""
    registers_unfenced: bool = False
    """May a broker that returns before it was fenced stay leader and in the ISR (KRaft, until KAFKA-18106)?"""
    halts_on_storage_error: bool = False
    """Does a broker whose disk fails halt? Later ones answer KAFKA_STORAGE_ERROR."""
    responses_know_epoch: bool = False
    """Does a follower drop the response to a fetch of an earlier leader epoch?

    From 1.1 to 2.7 it does because it is not ready before it has cut its log, from KAFKA-18991 on because it compares the epochs.
    """
    refuses_newer_records: bool = False
    """Does a follower drop records of a newer leader epoch than its own, and what comes after them (KAFKA-18723)?"""
    refuses_older_records: bool = False
    """Does a follower drop records of an older leader epoch than that of the record before, and what comes after them?"""
    produces_know_epoch: bool = False
    """Does a delayed produce fail when the leader epoch is another than that of the append (KAFKA-1148)?"""
    fetches_know_epoch: bool = False
    """Is a fetch counted only in the leader epoch in which it was checked?"""
    cuts_know_epoch: bool = False
    """Does a follower cut its log in the lock in which it compares the epochs? In no release."""
    responses_keep_bytes: bool = False
    """Are the records of a response read when the fetch is checked, and not when the response is sent?"""
    late_counts_are_lost: bool = False
    """Does a broker that follows forget what it noted as a leader, so that a fetch checked before is noted nowhere (from 3.3 on)?"""
    takes_back_proposals: bool = False
    """Does a leader that reads metadata with the ISR that it knows forget what it has asked for (KRaft)?"""
    ignores_unclean: bool = False
    """Does the controller ignore that unclean election is allowed (KRaft to 3.8, KAFKA-12670)?"""
    directory_moves_clear_elr: bool = False
    """Does the controller clear the eligible leader replicas when a replica moves to another log directory (4.1 and 4.2)?"""


KAFKA_0_8 = Protocol(
    name="kafka-0.8",
    truncation=Truncation.TO_HIGH_WATERMARK,
    keeps_known_ends=False,
    guards_epoch_start=False,
    notices_missed_epoch=False,
    notes_epoch_at_start=False,
    starts_over=True,
    drops_caught_up=True,
    halts_on_storage_error=True,
)
KAFKA_0_9_0_0 = replace(KAFKA_0_8, name="kafka-0.9.0.0", keeps_known_ends=True)
KAFKA_0_9 = replace(KAFKA_0_9_0_0, name="kafka-0.9", starts_over=False)
KAFKA_0_11 = replace(KAFKA_0_9, name="kafka-0.11", truncation=Truncation.LAST_EPOCH, halts_on_storage_error=False)
KAFKA_1_1 = replace(KAFKA_0_11, name="kafka-1.1", reads_past_high_watermark=True, responses_know_epoch=True)
KAFKA_2_0_0 = replace(KAFKA_1_1, name="kafka-2.0.0", truncation=Truncation.SHARED_EPOCH)
KAFKA_2_0 = replace(
    KAFKA_2_0_0, name="kafka-2.0", guards_epoch_start=True, notices_missed_epoch=True, notes_epoch_at_start=True
)
KAFKA_2_1 = replace(KAFKA_2_0, name="kafka-2.1", fences_fetches=True, drops_caught_up=False)
KAFKA_2_5_1 = replace(KAFKA_2_1, name="kafka-2.5.1", reads_past_high_watermark=False)
KAFKA_2_7 = replace(KAFKA_2_5_1, name="kafka-2.7", asks_for_isr=True, rechecks_high_watermark=False)
KAFKA_2_8_0 = replace(
    KAFKA_2_7,
    name="kafka-2.8.0",
    truncation=Truncation.ON_FETCH,
    counts_diverging_fetch=True,
    responses_know_epoch=False,
)
KAFKA_2_8 = replace(KAFKA_2_8_0, name="kafka-2.8", counts_diverging_fetch=False)
KAFKA_3_1 = replace(KAFKA_2_8, name="kafka-3.1", rechecks_high_watermark=True)
KAFKA_3_3_ZK = replace(KAFKA_3_1, name="kafka-3.3-zk", refuses_fenced_members=True, late_counts_are_lost=True)
KAFKA_3_4_1 = replace(KAFKA_3_3_ZK, name="kafka-3.4.1")
KAFKA_3_7_ZK = replace(KAFKA_3_4_1, name="kafka-3.7-zk", strict_min_isr=True)
KAFKA_3_9_ZK = replace(KAFKA_3_7_ZK, name="kafka-3.9-zk", responses_know_epoch=True, refuses_newer_records=True)
KAFKA_3_1_KRAFT = replace(
    KAFKA_3_1,
    name="kafka-3.1-kraft",
    epoch_per_shrink=EpochPerShrink.EVERY,
    registers_unfenced=True,
    takes_back_proposals=True,
    ignores_unclean=True,
)
KAFKA_3_3 = replace(KAFKA_3_1_KRAFT, name="kafka-3.3", refuses_fenced_members=True, late_counts_are_lost=True)
KAFKA_3_4_1_KRAFT = replace(KAFKA_3_3, name="kafka-3.4.1-kraft")
KAFKA_3_5 = replace(KAFKA_3_4_1_KRAFT, name="kafka-3.5", checks_broker_epochs=True)
KAFKA_3_6 = replace(KAFKA_3_5, name="kafka-3.6", epoch_per_shrink=EpochPerShrink.NONE)
KAFKA_3_7 = replace(KAFKA_3_6, name="kafka-3.7", strict_min_isr=True)
KAFKA_3_9_0 = replace(KAFKA_3_7, name="kafka-3.9.0", ignores_unclean=False)
KAFKA_3_9 = replace(KAFKA_3_9_0, name="kafka-3.9", responses_know_epoch=True, refuses_newer_records=True)
KAFKA_4_0_0 = replace(KAFKA_3_9_0, name="kafka-4.0.0", registers_unfenced=False)
KAFKA_4_0 = replace(KAFKA_4_0_0, name="kafka-4.0", responses_know_epoch=True, refuses_newer_records=True)
KAFKA_4_1 = replace(KAFKA_4_0, name="kafka-4.1", eligible_leaders=True, directory_moves_clear_elr=True)
KAFKA_4_3 = replace(KAFKA_4_1, name="kafka-4.3", directory_moves_clear_elr=False)

PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        KAFKA_0_8, KAFKA_0_9_0_0, KAFKA_0_9, KAFKA_0_11, KAFKA_1_1, KAFKA_2_0_0, KAFKA_2_0, KAFKA_2_1, KAFKA_2_5_1, KAFKA_2_7,
        KAFKA_2_8_0, KAFKA_2_8, KAFKA_3_1, KAFKA_3_3_ZK, KAFKA_3_4_1, KAFKA_3_7_ZK, KAFKA_3_9_ZK, KAFKA_3_1_KRAFT, KAFKA_3_3,
        KAFKA_3_4_1_KRAFT, KAFKA_3_5, KAFKA_3_6, KAFKA_3_7, KAFKA_3_9_0, KAFKA_3_9, KAFKA_4_0_0, KAFKA_4_0, KAFKA_4_1, KAFKA_4_3,
    )
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TopicSettings:
    """The configuration of a topic."""

    min_isr: int = 1
    unclean_election: bool = False
    flush_every_record: bool = False
    internal: bool = False
    replicas_of_first: int | None = None
    """How many replicas partition 0 of the topic has, if not as many as the others."""


@dataclass(frozen=True, kw_only=True, order=True)
class TopicPartition:
    """One partition of a topic."""

    topic: str
    partition: int = 0

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


OFFSETS_TOPIC = "__consumer_offsets"
