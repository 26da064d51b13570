"""What brokers and producers of a release do with transactions: the settings in which releases differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class MarkerEpochs(Enum):
    """Which producer epochs a leader accepts in a marker of version 2 (ProducerAppendInfo.checkProducerEpoch)."""

    NOT_OLDER = "any that is not older, as in versions 0 and 1"
    NEWER = "newer ones only (KIP-1228)"
    NEWER_OR_REPEATED = "newer ones, and the newest again while nothing is open (KAFKA-19999)"


@dataclass(frozen=True, kw_only=True)
class Release:
    """The behaviour of brokers and of the Java producer of one release."""

    name: str
    transaction_version: int = 0
    """The `transaction.version` of a new cluster. Versions 0 and 1 differ in the format of the coordinator's log only."""
    client_version: int = 0
    """The newest transaction version that the producer has."""
    verifies: bool = False
    """Does a leader ask the coordinator before it begins a transaction (`transaction.partition.verification.enable`)?"""
    asks_by_epoch: bool = False
    """Does an open transaction spare the question only if it has the epoch of the batch (KAFKA-14563)? From 4.0 on."""
    compares_first: bool = False
    """Is a batch of an older epoch refused before the coordinator is asked (KAFKA-14563)? From 4.0 on."""
    compares_sequences_that_ask: bool = False
    """Is a batch refused if one with a lower sequence has asked, and was not appended (VerificationStateEntry.lowestSequence)?"""
    takes_any_first_sequence: bool = False
    """May the first batch that a partition knows of a producer have any sequence (KIP-360)? Up to 2.4 it has to be 0."""
    fence_raises_twice: bool = False
    """Does a fence in version 2 raise the epoch by two (KAFKA-19367)?"""
    marker_epochs: MarkerEpochs = MarkerEpochs.NOT_OLDER
    """Which epochs a leader accepts in a marker of version 2."""
    markers_have_version: bool = True
    """Do markers have their version? Those of a coordinator before 4.2 do not."""
    producer_bumps: bool = False
    """Does a producer ask for a new epoch after an error (KIP-360)?"""
    timeout_fences: bool = False
    """Is a transaction that times out aborted in a newer epoch (KAFKA-6119)?"""
    reads_above_stable: bool = False
    """Is a fetch of committed records answered what is open, if the high watermark moves meanwhile (KAFKA-9807)?"""


KAFKA_0_11_0_0 = Release(name="kafka-transactions-0.11.0.0", reads_above_stable=True)
KAFKA_0_11 = replace(KAFKA_0_11_0_0, name="kafka-transactions-0.11", timeout_fences=True)
KAFKA_2_5 = replace(
    KAFKA_0_11,
    name="kafka-transactions-2.5",
    producer_bumps=True,
    takes_any_first_sequence=True,
    reads_above_stable=False,
)
KAFKA_3_6 = replace(KAFKA_2_5, name="kafka-transactions-3.6", verifies=True, compares_sequences_that_ask=True)
KAFKA_4_0_0 = replace(
    KAFKA_3_6,
    name="kafka-transactions-4.0.0",
    transaction_version=2,
    client_version=2,
    asks_by_epoch=True,
    compares_first=True,
    fence_raises_twice=True,
)
KAFKA_4_0 = replace(KAFKA_4_0_0, name="kafka-transactions-4.0", fence_raises_twice=False)
KAFKA_4_2 = replace(KAFKA_4_0, name="kafka-transactions-4.2", marker_epochs=MarkerEpochs.NEWER_OR_REPEATED)

RELEASES = {
    release.name: release
    for release in (KAFKA_0_11_0_0, KAFKA_0_11, KAFKA_2_5, KAFKA_3_6, KAFKA_4_0_0, KAFKA_4_0, KAFKA_4_2)
}
"""By the names of the models' versions."""
