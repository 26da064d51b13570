"""What distinguishes the transactions of releases: each rule with the releases that have it, and how that is known.

A version stands for brokers and Java clients of the same release. `--client tv0` is a client of an earlier one, `--server tv0` a
cluster whose `transaction.version` was not raised.
"""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.kafka.transactions.state import MarkerCheck, Protocol

from ..releases import EITHER, RELEASES, NamedVersion, ReleaseDifference, TimeLine

DIFFERENCES = (
    ReleaseDifference(
        rule="A client that gives a record up may go on in the same epoch: after its last retry, or while it commits.",
        settings={"keeps_epoch": 1},
        since="0.11.0.0",
        source="Sender.completeBatch, TransactionManager.maybeTransitionToErrorState",
        known="code read on the branches of 0.11, 2.4, 2.5, 3.6, 3.9 and 4.3",
    ),
    ReleaseDifference(
        rule="A fetch of committed records reads the high watermark twice, and may be answered what is open.",
        settings={"reads_above_stable": 1},
        since="0.11.0.0",
        until="2.4.1",
        source="KAFKA-9807; Log.read, fetchHighWatermarkMetadata",
        known="the fix's commit is on the branch of 2.5; code read",
    ),
    ReleaseDifference(
        rule="A new coordinator reads its log to the end, and acts on what is not acknowledged.",
        settings={"reads_to_log_end": 1},
        since="0.11.0.0",
        source="TransactionStateManager.loadTransactionMetadata, loadTransactionsForTxnTopicPartition",
        known="code read on the branches of 0.11, 2.4, 3.9 and 4.3",
    ),
    ReleaseDifference(
        rule="A transaction that times out is aborted in a newer epoch: its producer is fenced.",
        settings={"timeout_fences": 1},
        since="0.11.0.2",
        source="KAFKA-6119; TransactionCoordinator.abortTimedOutTransactions",
        known="the fix's commits are on the branches of 0.11.0 and 1.0, and in the tags 0.11.0.2 and 1.0.0",
    ),
    ReleaseDifference(
        rule="A client asks for a new epoch after an error for which it aborted; before, a record was fatal whose retry expired.",
        settings={"client_bumps": 1},
        since="2.5.0",
        source="KIP-360 (KAFKA-8805, KAFKA-8710); TransactionManager.requestEpochBumpForPartition, completeTransaction",
        known="code read on the branches of 2.4 and 2.5",
    ),
    ReleaseDifference(
        rule="A partition asks the coordinator whether it is in the transaction before it begins one.",
        settings={"verification": 1},
        since="3.6.0",
        source="KIP-890, part 1 (KAFKA-14402, KAFKA-14561); UnifiedLog.analyzeAndValidateProducerState",
        known="run: 3.0.2 appends what 3.6.2 refuses; code read",
    ),
    ReleaseDifference(
        rule="Each end of a transaction raises the epoch, and the leader of a partition adds it to the transaction.",
        settings={"client": Protocol.TV2, "server": Protocol.TV2},
        since="4.0.0",
        source="KIP-890, part 2 (KAFKA-14562); TransactionCoordinator.endTransaction",
        known="run: 4.1.1 and 4.3.1, with both versions; code read",
        feature="transaction.version=2",
    ),
    ReleaseDifference(
        rule="A partition refuses a record of an older epoch before it asks the coordinator.",
        settings={"compares_first": 1},
        since="4.0.0",
        source="KAFKA-14563; UnifiedLog.maybeStartTransactionVerification",
        known="code read on the branches of 3.9 and 4.0",
    ),
    ReleaseDifference(
        rule="In version 2, fencing raises the epoch twice.",
        settings={"fence_bumps_twice": 1},
        since="4.0.0",
        until="4.0.0",
        source="KAFKA-19367; TransactionMetadata.prepareFenceProducerEpoch, then prepareAbortOrCommit",
        known="the fix's commits are on the branches of 4.0.1 and 4.1.0",
    ),
    ReleaseDifference(
        rule="In version 2, a partition refuses a marker of the epoch that it knows while a transaction is open.",
        settings={"marker_check": MarkerCheck.NEWER_OR_REPEATED},
        since="4.2.0",
        source="KIP-1228 (KAFKA-19446), KAFKA-19999; ProducerAppendInfo.checkProducerEpoch",
        known="run: 4.1.1 accepts what 4.3.1 refuses; code read on the branches of 4.1 and 4.2",
    ),
)

NAMED = (
    NamedVersion(
        "kafka-transactions-0.11.0.0",
        "0.11.0.0",
        EITHER,
        "0.11.0.0 and 0.11.0.1: a transaction that times out is aborted in the epoch that its producer goes on in.",
    ),
    NamedVersion(
        "kafka-transactions-0.11",
        "0.11.0.2",
        EITHER,
        "0.11.0.2 to 2.4: one epoch for all transactions of a producer; a record without an answer is fatal.",
    ),
    NamedVersion(
        "kafka-transactions-2.5",
        "2.5.0",
        EITHER,
        "2.5 to 3.5: a producer goes on after errors, in a new epoch (KIP-360).",
    ),
    NamedVersion(
        "kafka-transactions-3.6",
        "3.6.0",
        EITHER,
        "3.6 to 3.9: a partition asks before it begins a transaction (KIP-890, part 1).",
    ),
    NamedVersion(
        "kafka-transactions-4.0.0",
        "4.0.0",
        EITHER,
        "4.0.0: an epoch for each transaction (KIP-890, part 2); fencing raises it twice.",
    ),
    NamedVersion(
        "kafka-transactions-4.0",
        "4.0.1",
        EITHER,
        "4.0.1 to 4.1: fencing raises the epoch once, and a producer goes on after it.",
    ),
    NamedVersion(
        "kafka-transactions-4.2",
        "4.2.0",
        EITHER,
        "4.2 and later: a late marker does not end the next transaction (KIP-1228, KAFKA-19999).",
    ),
)

TIME_LINE = TimeLine(differences=DIFFERENCES, named=NAMED, since="0.11.0.0", modes=(EITHER,))


def lacking(release: str) -> Mapping[str, Mapping[int, str]]:
    """The transaction versions that brokers of a release do not have."""
    if RELEASES.index(release) >= RELEASES.index("4.0.0"):
        return {}
    return {"server": {Protocol.TV2: "transaction version 2 came with 4.0 (KIP-890)"}}
