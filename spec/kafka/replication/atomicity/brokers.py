"""What makes one step of what brokers do with produce requests, fetches, news of leader epochs, and the ISR."""

from __future__ import annotations

from neverlost.model.kafka.replication import broker, leader, producer

from ...atomicity import (
    ABSENT,
    EVENT,
    FETCHER,
    IN_THREAD,
    MONITOR,
    READ_SIDE,
    WRITE_SIDE,
    Gap,
    LedgerRow,
    Merged,
    at,
    both,
    kraft,
    zookeeper,
)
from ...releases import FIRST_WITH_KRAFT
from .gaps import (
    ANSWER_LATER,
    ANSWERED_LATER,
    APPEND_THEN_HIGH_WATERMARK,
    COUNTED_LATER,
    COUNTED_THEN_MOVED,
    CUT_AFTER_CHECK,
    CUT_ELSEWHERE,
    CUT_IN_ROUNDS,
    CUT_LATER,
    CUT_LEFT_OUT,
    FETCHER_ENDED,
    HIGH_WATERMARK_BACK,
    IDLE_FETCH,
    LATE_ANSWER,
    LEADERSHIP_BEFORE_LOCK,
    LOOK_LATER,
    LOOK_WITHOUT_LOCK,
    OLD_FETCHER,
    OLDER_COPY,
    SENT_LATER,
    TAKEN_BACK,
    UNANSWERED,
    UNDER_WAY,
    UNKNOWN_WRITE,
    UNWATCHED,
)

PRODUCING = (
    LedgerRow(
        action=producer.produce,
        when=zookeeper("0.8.0", "0.8.1.1"),
        by=f"{MONITOR}, for one partition of the request: who leads, the append, the high watermark",
        places=at("Partition.scala: appendMessagesToLeader", "KafkaApis.scala: handleProducerRequest"),
        gaps=(UNWATCHED, LOOK_LATER),
        read=("0.8.0", "0.8.1.1"),
    ),
    LedgerRow(
        action=producer.produce,
        when=zookeeper("0.8.2.0", "0.8.2.2"),
        by=f"{READ_SIDE} for who leads and min ISR, and the log's lock for the append; for one partition of the request",
        places=at(
            "Partition.scala: appendMessagesToLeader, maybeIncrementLeaderHW",
            "Log.scala: append",
            "KafkaApis.scala: handleProducerOrOffsetCommitRequest",
        ),
        gaps=(UNWATCHED, LOOK_LATER, LOOK_WITHOUT_LOCK, HIGH_WATERMARK_BACK),
        read=("0.8.2.2",),
    ),
    LedgerRow(
        action=producer.produce,
        when=zookeeper("0.9.0.0", "0.10.1.1"),
        by=f"{READ_SIDE} for who leads and min ISR, and the log's lock for the append; for one partition of the request",
        places=at(
            "Partition.scala: appendMessagesToLeader, maybeIncrementLeaderHW",
            "Log.scala: append",
            "ReplicaManager.scala: appendMessages",
        ),
        gaps=(UNWATCHED, LOOK_LATER, LOOK_WITHOUT_LOCK, HIGH_WATERMARK_BACK),
        read=("0.9.0.1", "0.10.0.0"),
    ),
    LedgerRow(
        action=producer.produce,
        when=both("0.10.2.0"),
        by=f"{READ_SIDE} for who leads and min ISR, and the log's lock for the append; for one partition of the request",
        places=at(
            "Partition.scala: appendRecordsToLeader, maybeIncrementLeaderHW", "ReplicaManager.scala: appendRecords"
        ),
        gaps=(UNWATCHED, LOOK_LATER, LOOK_WITHOUT_LOCK, HIGH_WATERMARK_BACK),
        read=("0.10.2.2", "2.1.1", "2.3.1", "2.7.2", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=producer.refuse_as_not_leader,
        when=both("0.8.0"),
        by="the same lock as that of an append: the leader is looked up, and nothing is changed",
        places=at("Partition.scala: appendMessagesToLeader, appendRecordsToLeader"),
        read=("0.8.0", "0.8.2.2", "0.10.2.2", "2.1.1", "2.7.2", "4.1.1"),
    ),
    LedgerRow(
        action=producer.retry,
        when=zookeeper("0.8.0", "0.10.2.2"),
        by="as produce: these brokers do not know what was sent before",
        places=at("Partition.scala: appendMessagesToLeader, appendRecordsToLeader"),
        gaps=(UNWATCHED, LOOK_LATER, LOOK_WITHOUT_LOCK, HIGH_WATERMARK_BACK),
        read=("0.8.0", "0.8.2.2", "0.10.2.2"),
    ),
    LedgerRow(
        action=producer.retry,
        when=zookeeper("0.11.0.0", "3.0.2"),
        by="the log's lock, under which the sequence is compared with the last batches and the batch appended",
        places=at("Log.scala: append, analyzeAndValidateProducerState"),
        gaps=(UNWATCHED, LOOK_LATER, LOOK_WITHOUT_LOCK, HIGH_WATERMARK_BACK),
        read=("0.11.0.3",),
    ),
    LedgerRow(
        action=producer.retry,
        when=both("3.1.0"),
        by="the log's lock, under which the sequence is compared with the last batches and the batch appended",
        places=at(
            "UnifiedLog.scala: append, analyzeAndValidateProducerState",
            "UnifiedLog.java: append, analyzeAndValidateProducerState",
        ),
        gaps=(UNWATCHED, LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("3.6.2", "4.1.1"),
    ),
    LedgerRow(
        action=producer.time_out,
        when=zookeeper("0.8.0", "0.8.2.2"),
        by="one atomic comparison of the request's mark that it is satisfied",
        places=at("RequestPurgatory.scala: pollExpired"),
        read=("0.8.2.2",),
    ),
    LedgerRow(
        action=producer.time_out,
        when=both("0.9.0.0"),
        by="one atomic comparison of the operation's mark that it has completed; from 4.1 on the operation's own lock",
        places=at("DelayedOperation.scala: forceComplete", "DelayedOperation.java: forceComplete"),
        read=("0.9.0.1", "3.6.2", "4.3.1"),
    ),
    LedgerRow(
        action=producer.begin_producer_epoch,
        when=both("0.8.0"),
        by="a producer of 2.5 or later: its one thread handles answers, and then numbers anew; the broker changes nothing",
        places=at(
            "Sender.java: completeBatch, runOnce",
            "TransactionManager.java: canRetry, bumpIdempotentEpochAndResetIdIfNeeded",
        ),
        read=("2.5.0",),
    ),
)

FETCHING = (
    LedgerRow(
        action=broker.fetch,
        when=zookeeper("0.8.0", "0.8.1.1"),
        by=f"{MONITOR} for the count, which comes first and knows no epoch; then nothing for the read; {FETCHER} for the response",
        places=at(
            "Partition.scala: updateLeaderHWAndMaybeExpandIsr",
            "ReplicaManager.scala: recordFollowerPosition",
            "AbstractFetcherThread.scala: processFetchRequest",
        ),
        gaps=(COUNTED_LATER, UNDER_WAY, APPEND_THEN_HIGH_WATERMARK, IDLE_FETCH, LOOK_LATER),
        read=("0.8.0",),
    ),
    LedgerRow(
        action=broker.fetch,
        when=zookeeper("0.8.2.0", "0.8.2.2"),
        by=f"nothing for the read, of all partitions; then {WRITE_SIDE} for ISR and high watermark, of one after the other; {FETCHER}"
        " for the response",
        places=at(
            "ReplicaManager.scala: readMessageSets, updateReplicaLEOAndPartitionHW",
            "Partition.scala: updateLeaderHWAndMaybeExpandIsr",
            "AbstractFetcherThread.scala: processFetchRequest",
        ),
        gaps=(
            COUNTED_LATER,
            UNDER_WAY,
            APPEND_THEN_HIGH_WATERMARK,
            IDLE_FETCH,
            LOOK_LATER,
            LOOK_WITHOUT_LOCK,
        ),
        read=("0.8.2.2",),
    ),
    LedgerRow(
        action=broker.fetch,
        when=zookeeper("0.9.0.0", "2.0.1"),
        by=f"nothing for the read, of all partitions; then {WRITE_SIDE} for ISR and high watermark, of one after the other; {FETCHER}"
        " for the response",
        places=at(
            "ReplicaManager.scala: readFromLocalLog, updateFollowerLogReadResults",
            "Partition.scala: updateReplicaLogReadResult, maybeExpandIsr",
            "AbstractFetcherThread.scala: processFetchRequest",
        ),
        gaps=(
            COUNTED_LATER,
            UNDER_WAY,
            CUT_LEFT_OUT,
            APPEND_THEN_HIGH_WATERMARK,
            IDLE_FETCH,
            LOOK_LATER,
            LOOK_WITHOUT_LOCK,
        ),
        read=("0.9.0.1", "0.10.2.2", "0.11.0.3", "1.1.1", "2.0.1"),
    ),
    LedgerRow(
        action=broker.fetch,
        when=zookeeper("2.1.0", "2.3.1"),
        by=f"{READ_SIDE} for epoch and read, of all partitions; then {WRITE_SIDE} for ISR and high watermark, of one after the other,"
        f" where the replica is found by its id and no epoch is known; {FETCHER} for the response",
        places=at(
            "Partition.scala: readRecords, updateReplicaLogReadResult, maybeExpandIsr",
            "ReplicaManager.scala: readFromLocalLog, updateFollowerLogReadResults",
            "AbstractFetcherThread.scala: processFetchRequest",
        ),
        gaps=(COUNTED_LATER, UNDER_WAY, APPEND_THEN_HIGH_WATERMARK, IDLE_FETCH, LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("2.1.1",),
    ),
    LedgerRow(
        action=broker.fetch,
        when=both("2.4.0", "3.2.3"),
        by=f"{READ_SIDE} for epoch and read, of all partitions; then other locks for the count, of one after the other, where the"
        f" replica is found by its id and no epoch is known; {FETCHER} for the response",
        places=at(
            "Partition.scala: readRecords, updateFollowerFetchState, maybeExpandIsr",
            "ReplicaManager.scala: readFromLocalLog, updateFollowerFetchState",
            "AbstractFetcherThread.scala: processFetchRequest",
        ),
        gaps=(
            COUNTED_LATER,
            COUNTED_THEN_MOVED,
            LEADERSHIP_BEFORE_LOCK,
            UNDER_WAY,
            CUT_AFTER_CHECK,
            CUT_ELSEWHERE,
            CUT_IN_ROUNDS,
            APPEND_THEN_HIGH_WATERMARK,
            IDLE_FETCH,
            LOOK_LATER,
            LOOK_WITHOUT_LOCK,
        ),
        read=("2.4.1", "2.6.3", "2.7.2", "3.2.3"),
    ),
    LedgerRow(
        action=broker.fetch,
        when=both("3.3.0"),
        by=f"{READ_SIDE} for epoch, read and replica object; then other locks for the count into that object;"
        f" {FETCHER} for the response",
        places=at(
            "Partition.scala: fetchRecords, updateFollowerFetchState, maybeExpandIsr",
            "AbstractFetcherThread.scala: processFetchRequest",
        ),
        gaps=(
            COUNTED_LATER,
            COUNTED_THEN_MOVED,
            UNDER_WAY,
            CUT_AFTER_CHECK,
            CUT_IN_ROUNDS,
            APPEND_THEN_HIGH_WATERMARK,
            IDLE_FETCH,
            LOOK_LATER,
            LOOK_WITHOUT_LOCK,
        ),
        read=("3.3.2", "3.6.2", "3.9.1", "4.0.1", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=broker.handle_out_of_range,
        when=zookeeper("0.8.0", "0.9.0.0"),
        by=f"{FETCHER} through both requests and the cut",
        places=at(
            "ReplicaFetcherThread.scala: handleOffsetOutOfRange", "AbstractFetcherThread.scala: processFetchRequest"
        ),
        gaps=(
            Gap(
                between="the leader's answer where its log ends, and the cut",
                done=Merged(
                    because="until it has cut, the follower does nothing else and hears of nothing: the cut may as well come first"
                ),
            ),
        ),
        read=("0.8.2.2",),
    ),
    LedgerRow(
        action=broker.handle_out_of_range,
        when=both("0.9.0.1"),
        by=f"{ABSENT}: a follower beyond its leader's log cuts it where that ends, or keeps it",
        places=at("AbstractFetcherThread.scala: handleOffsetOutOfRange, fetchOffsetAndTruncate"),
        read=("0.10.2.2", "2.1.1", "4.1.1"),
    ),
    LedgerRow(
        action=broker.expose_diverging,
        when=zookeeper("0.8.0", "2.7.2"),
        by=f"{ABSENT}: no response says where to cut",
        places=at("AbstractFetcherThread.scala: processFetchRequest"),
        read=("0.8.2.2", "1.1.1", "2.7.2"),
    ),
    LedgerRow(
        action=broker.expose_diverging,
        when=both("2.8.0", "3.4.0"),
        by=f"{FETCHER} while it takes the high watermark, frees it, and takes it again to cut",
        places=at("AbstractFetcherThread.scala: processFetchRequest, truncateOnFetchResponse"),
        read=("2.8.0", "3.3.2"),
    ),
    LedgerRow(
        action=broker.expose_diverging,
        when=both("3.4.1"),
        by=f"{ABSENT}: a response that says where to cut changes no high watermark",
        places=at("AbstractFetcherThread.scala: processFetchRequest"),
        read=("3.6.2", "4.1.1"),
    ),
)

HEARING = (
    LedgerRow(
        action=broker.become_leader,
        when=zookeeper("0.8.0", "0.8.0"),
        by=f"{MONITOR}: the end of the fetcher, the epoch, the ISR, what is known of followers, the high watermark",
        places=at("Partition.scala: makeLeader"),
        gaps=(LOOK_LATER,),
        read=("0.8.0",),
    ),
    LedgerRow(
        action=broker.become_leader,
        when=zookeeper("0.8.1"),
        by=f"{WRITE_SIDE} (to 0.8.1.1 {MONITOR}): the epoch, its start, the ISR, what is known of followers, the high watermark",
        places=at("Partition.scala: makeLeader", "ReplicaManager.scala: makeLeaders"),
        gaps=(FETCHER_ENDED, LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("0.8.2.2", "0.10.2.2", "2.1.1", "2.7.2"),
    ),
    LedgerRow(
        action=broker.become_leader,
        when=kraft(),
        by=f"{WRITE_SIDE}: the epoch, its start, the ISR, what is known of followers, the high watermark",
        places=at("Partition.scala: makeLeader", "ReplicaManager.scala: applyLocalLeadersDelta"),
        gaps=(FETCHER_ENDED, LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("3.3.2", "4.1.1"),
    ),
    LedgerRow(
        action=broker.become_follower,
        when=zookeeper("0.8.0", "0.8.0"),
        by=f"{MONITOR}: the end of the old fetcher, the cut, the epoch, the new fetcher",
        places=at("Partition.scala: makeFollower"),
        gaps=(UNANSWERED,),
        read=("0.8.0",),
    ),
    LedgerRow(
        action=broker.become_follower,
        when=zookeeper("0.8.1", "0.10.2.2"),
        by="replicaStateChangeLock: the epoch, the end of the old fetcher, the cut, from 0.10 on the answers, the new fetcher",
        places=at("Partition.scala: makeFollower", "ReplicaManager.scala: makeFollowers"),
        gaps=(
            OLD_FETCHER,
            Gap(
                when=both("0.8.0", "0.10.2.2"),
                between="the new epoch and the cut",
                done=Merged(because="the broker leads no more and does not fetch yet, and one thread does both"),
            ),
            UNANSWERED,
            ANSWERED_LATER,
        ),
        read=("0.8.2.2", "0.9.0.1", "0.10.2.2"),
    ),
    LedgerRow(
        action=broker.become_follower,
        when=zookeeper("0.11.0.0"),
        by=f"{WRITE_SIDE} for the epoch; then, under replicaStateChangeLock, the end of the old fetcher, the answers, the new fetcher",
        places=at("Partition.scala: makeFollower", "ReplicaManager.scala: makeFollowers"),
        gaps=(CUT_LATER, LATE_ANSWER, OLD_FETCHER, ANSWERED_LATER),
        read=("0.11.0.3", "1.1.1", "2.1.1", "2.7.2", "2.8.2", "3.0.2"),
    ),
    LedgerRow(
        action=broker.become_follower,
        when=kraft(),
        by=f"{WRITE_SIDE} for the epoch; then, under replicaStateChangeLock, the end of the old fetcher, the new fetcher, the answers",
        places=at("Partition.scala: makeFollower", "ReplicaManager.scala: applyLocalFollowersDelta"),
        gaps=(OLD_FETCHER, ANSWERED_LATER),
        read=("3.3.2", "3.6.2", "4.1.1"),
    ),
)

IN_SYNC = (
    LedgerRow(
        action=leader.shrink_isr,
        when=zookeeper("0.8.0", "2.6.3"),
        by=f"{WRITE_SIDE} (to 0.8.1.1 {MONITOR}), which is held while ZooKeeper is written",
        places=at("Partition.scala: maybeShrinkIsr"),
        gaps=(
            Gap(
                when=both("0.8.0", "2.6.3"),
                between="the write of the ISR to ZooKeeper and its outcome, if the connection or the session is lost",
                done=Merged(
                    because="the leader goes on with its larger ISR, and so waits for more replicas than it must"
                ),
            ),
            LOOK_LATER,
            LOOK_WITHOUT_LOCK,
        ),
        read=("0.8.0", "0.8.2.2", "0.10.2.2", "2.1.1", "2.6.3"),
    ),
    LedgerRow(
        action=leader.shrink_isr,
        when=both("2.7.0"),
        by=f"{WRITE_SIDE}, for the proposal",
        places=at("Partition.scala: maybeShrinkIsr"),
        gaps=(SENT_LATER,),
        read=("2.7.2", "3.2.3", "4.1.1"),
    ),
    LedgerRow(
        action=leader.expand_isr,
        when=zookeeper("0.8.0", "2.6.3"),
        by=f"{WRITE_SIDE} (to 0.8.1.1 {MONITOR}), which is held while ZooKeeper is written",
        places=at("Partition.scala: updateLeaderHWAndMaybeExpandIsr, maybeExpandIsr"),
        gaps=(UNKNOWN_WRITE,),
        read=("0.8.0", "0.8.2.2", "0.10.2.2", "2.1.1", "2.6.3"),
    ),
    LedgerRow(
        action=leader.expand_isr,
        when=both("2.7.0"),
        by=f"{WRITE_SIDE}, for the proposal",
        places=at("Partition.scala: maybeExpandIsr"),
        gaps=(SENT_LATER,),
        read=("2.7.2", "3.2.3", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=leader.grant_isr,
        when=zookeeper("0.8.0", "2.6.3"),
        by=f"{ABSENT}: the leader writes the ISR itself",
        places=at("Partition.scala: updateIsr"),
        read=("0.8.2.2", "2.1.1", "2.6.3"),
    ),
    LedgerRow(
        action=leader.grant_isr,
        when=zookeeper("2.7.0"),
        by=f"{IN_THREAD}, whose version is the leader's",
        places=at("KafkaController.scala: processAlterIsr, processAlterPartition"),
        gaps=(ANSWER_LATER,),
        read=("2.7.2", "3.6.2"),
    ),
    LedgerRow(
        action=leader.grant_isr,
        when=kraft(),
        by=EVENT,
        places=at("ReplicationControlManager.java: alterIsr, alterPartition", "QuorumController.java: run"),
        gaps=(ANSWER_LATER, OLDER_COPY),
        read=("3.1.2", "4.1.1"),
    ),
    LedgerRow(
        action=leader.refuse_isr,
        when=zookeeper("0.8.0", "2.6.3"),
        by=f"{ABSENT}: the leader writes the ISR itself",
        places=at("Partition.scala: updateIsr"),
        read=("0.8.2.2", "2.1.1", "2.6.3"),
    ),
    LedgerRow(
        action=leader.refuse_isr,
        when=both("2.7.0", "3.2.3"),
        by=f"{ABSENT}: no member of an ISR is refused",
        places=at("Partition.scala: maybeExpandIsr"),
        read=("2.7.2", "3.2.3"),
    ),
    LedgerRow(
        action=leader.refuse_isr,
        when=both("3.3.0"),
        by=f"{WRITE_SIDE}, when the answer comes; the controller changes nothing",
        places=at("Partition.scala: submitAlterPartition, handleAlterPartitionError"),
        gaps=(
            OLDER_COPY,
            Gap(
                when=both("3.3.0"),
                between="the controller's answer and the leader's news of it",
                done=Merged(because="until then the leader waits for both ISRs, and so for more replicas than it must"),
            ),
        ),
        read=("3.3.2", "4.1.1"),
    ),
    LedgerRow(
        action=leader.learn_isr,
        when=zookeeper("0.8.0", "2.6.3"),
        by=f"{ABSENT}: the leader writes the ISR itself",
        places=at("Partition.scala: updateIsr"),
        read=("0.8.2.2", "2.1.1", "2.6.3"),
    ),
    LedgerRow(
        action=leader.learn_isr,
        when=both("2.7.0"),
        by=f"{WRITE_SIDE}: leader epoch and partition epoch are compared, and the ISR follows; from 3.1.0 on the high watermark too",
        places=at(
            "Partition.scala: handleAlterIsrResponse, submitAlterIsr, submitAlterPartition, handleAlterIsrUpdate,"
            " handleAlterPartitionUpdate"
        ),
        gaps=(
            Gap(
                when=both("2.7.0"),
                between="the record of the ISR and the answer, if the controller shrinks the ISR again before it comes",
                done=Merged(
                    because="the answer may as well come before the second change, since only the leader's own state depends on it"
                ),
            ),
            TAKEN_BACK,
            LOOK_LATER,
            LOOK_WITHOUT_LOCK,
        ),
        read=("2.7.2", "4.1.1"),
    ),
    LedgerRow(
        action=leader.hear_of_isr,
        when=zookeeper("0.8.0"),
        by=f"{ABSENT}: an ISR that the controller shrinks comes with a new leader epoch",
        places=at("KafkaController.scala: removeReplicaFromIsr", "ReplicaStateMachine.scala: removeReplicasFromIsr"),
        read=("0.8.2.2", "2.7.2"),
    ),
    LedgerRow(
        action=leader.hear_of_isr,
        when=kraft(FIRST_WITH_KRAFT, "3.5.2"),
        by=f"{WRITE_SIDE}, for an ISR that the leader has taken back: one that the controller shrinks comes with a new leader epoch",
        places=at("ReplicationControlManager.java: generateLeaderAndIsrUpdates", "Partition.scala: makeLeader"),
        gaps=(LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("3.2.3", "3.3.2"),
    ),
    LedgerRow(
        action=leader.hear_of_isr,
        when=kraft("3.6.0"),
        by=f"{WRITE_SIDE}: the partition epoch is compared, ISR and high watermark follow. With a metadata.version below 3.6, or"
        " during a migration, as before",
        places=at("Partition.scala: makeLeader", "ReplicaManager.scala: applyLocalLeadersDelta"),
        gaps=(LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("3.6.2", "3.9.1", "4.1.1", "4.3.1"),
    ),
)
