"""What makes one step of the parts into which the model splits exchanges that last over a change of leadership."""

from __future__ import annotations

from neverlost.model.kafka.replication import late

from ...atomicity import (
    ABSENT,
    EVENT,
    FETCHER,
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
    ANSWERED_LATER,
    APPEND_THEN_HIGH_WATERMARK,
    COUNTED_LATER,
    COUNTED_THEN_MOVED,
    CUT_AFTER_CHECK,
    CUT_ELSEWHERE,
    CUT_LEFT_OUT,
    FOLLOWED_BETWEEN,
    FOLLOWER_ENDED,
    HIGH_WATERMARK_BACK,
    LATE_ANSWER,
    LEADERSHIP_BEFORE_LOCK,
    LOOK_LATER,
    LOOK_WITHOUT_LOCK,
    OLD_FETCHER,
    OLDER_METADATA,
    SAME_EPOCH,
    SENT_LATER,
    SEVERAL_PIECES,
    TAKEN_BACK_IN_MIGRATION,
    UNDER_WAY,
    UNKNOWN_WRITE,
)

LATE = (
    LedgerRow(
        action=late.append_first,
        when=both("0.8.0"),
        by="the lock of an append, as for produce",
        places=at("Partition.scala: appendMessagesToLeader, appendRecordsToLeader"),
        gaps=(LOOK_LATER, LOOK_WITHOUT_LOCK, HIGH_WATERMARK_BACK),
        read=("0.8.0", "0.8.2.2", "0.10.2.2", "2.1.1", "4.1.1"),
    ),
    LedgerRow(
        action=late.make_delayed_produce,
        when=zookeeper("0.8.0", "0.8.1.1"),
        by=f"{MONITOR} for one look at a delayed produce: who leads, and which members of the ISR have the record",
        places=at("Partition.scala: checkEnoughReplicasReachOffset"),
        read=("0.8.0", "0.8.1.1"),
    ),
    LedgerRow(
        action=late.make_delayed_produce,
        when=both("0.8.2.0"),
        by="the operation's own lock, so that one thread looks at it at a time",
        places=at("Partition.scala: checkEnoughReplicasReachOffset"),
        gaps=(
            Gap(
                between="the first look, the watch for every partition, and the second look",
                done=Merged(because="the second look sees what came between; the purgatory is a model of its own"),
            ),
            LOOK_WITHOUT_LOCK,
        ),
        read=("0.8.2.2", "0.10.2.2", "2.1.1", "2.7.2", "3.9.1", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=late.begin_look,
        when=zookeeper("0.8.0", "0.8.1.1"),
        by=f"{MONITOR}, which is held to the end of the look, so that nothing comes between the two",
        places=at("Partition.scala: checkEnoughReplicasReachOffset"),
        read=("0.8.0", "0.8.1.1"),
    ),
    LedgerRow(
        action=late.begin_look,
        when=both("0.8.2.0"),
        by="one read of who leads, and one of the ISR; what became of them in between makes no difference to the end of the look",
        places=at("Partition.scala: checkEnoughReplicasReachOffset"),
        read=("0.8.2.2", "0.10.2.2", "2.1.1", "2.7.2", "3.9.1", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=late.end_look,
        when=zookeeper("0.8.0", "0.8.1.1"),
        by=f"{MONITOR} of the whole look, which asks each member of the ISR, and no high watermark",
        places=at("Partition.scala: checkEnoughReplicasReachOffset"),
        read=("0.8.0", "0.8.1.1"),
    ),
    LedgerRow(
        action=late.end_look,
        when=both("0.8.2.0"),
        by="one read of the high watermark of the log that the broker had when the look began",
        places=at("Partition.scala: checkEnoughReplicasReachOffset"),
        read=("0.8.2.2", "0.10.2.2", "2.1.1", "2.7.2", "3.9.1", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=late.check_fetch,
        when=zookeeper("0.8.0", "2.0.1"),
        by="nothing: no epoch is checked, so this stands for any time before the count",
        places=at("ReplicaManager.scala: readMessageSets, readFromLocalLog"),
        gaps=(
            Gap(
                between="the follower's request and the leader's handler",
                done=Merged(
                    because="the request is as it was when it was sent, and the leader counts it in whatever epoch it leads then"
                ),
            ),
        ),
        read=("0.8.2.2", "0.9.0.1", "2.0.1"),
    ),
    LedgerRow(
        action=late.check_fetch,
        when=both("2.1.0"),
        by=READ_SIDE,
        places=at("Partition.scala: readRecords"),
        gaps=(
            Gap(
                between="the follower's request and the leader's check",
                done=Merged(
                    because="the leader refuses the request in another epoch, and within one the follower's log only grows until the"
                    " response comes",
                    test=SAME_EPOCH,
                ),
            ),
        ),
        read=("2.1.1", "2.7.2", "3.3.2", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=late.count_fetch,
        when=both("0.8.0", "3.2.3"),
        by="one write of the follower's log end, into the object that is found by the follower's id; no epoch is compared",
        places=at(
            "Partition.scala: updateLeaderHWAndMaybeExpandIsr, updateReplicaLogReadResult, updateFollowerFetchState"
        ),
        gaps=(FOLLOWER_ENDED, COUNTED_THEN_MOVED, LEADERSHIP_BEFORE_LOCK, LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("0.8.0", "0.8.2.2", "0.10.2.2", "2.1.1", "2.6.3", "2.7.2", "3.2.3"),
    ),
    LedgerRow(
        action=late.count_fetch,
        when=both("3.3.0"),
        by=f"{READ_SIDE} (from 3.5 on), for the object that was found at the check; no leader epoch is compared",
        places=at("Partition.scala: fetchRecords, updateFollowerFetchState, updateAssignmentAndIsr"),
        gaps=(
            FOLLOWED_BETWEEN,
            FOLLOWER_ENDED,
            COUNTED_THEN_MOVED,
            LOOK_LATER,
            LOOK_WITHOUT_LOCK,
        ),
        read=("3.3.2", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=late.expand_isr_late,
        when=both("0.8.0"),
        by=f"{WRITE_SIDE} (to 0.8.1.1 {MONITOR}), where the follower is found by its id",
        places=at("Partition.scala: updateLeaderHWAndMaybeExpandIsr, maybeExpandIsr"),
        gaps=(UNKNOWN_WRITE, SENT_LATER),
        read=("0.8.0", "0.8.2.2", "0.10.2.2", "2.1.1", "2.6.3", "2.7.2", "3.2.3", "4.1.1"),
    ),
    LedgerRow(
        action=late.answer_fetch,
        when=both("0.8.0"),
        by="the lock of the check, as for fetch: the response names a file, a position and a length, or says where to cut",
        places=at("ReplicaManager.scala: readMessageSets, readFromLocalLog", "Partition.scala: readRecords"),
        gaps=(COUNTED_LATER,),
        read=("0.8.2.2", "0.10.2.2", "2.1.1", "2.7.2", "4.1.1"),
    ),
    LedgerRow(
        action=late.read_slice,
        when=zookeeper("0.8.0", "0.10.0.1"),
        by="one network thread, which has the file sent; it compares only the file's size",
        places=at("FileMessageSet.scala: writeTo"),
        gaps=(SEVERAL_PIECES,),
        read=("0.8.0", "0.8.2.2"),
    ),
    LedgerRow(
        action=late.read_slice,
        when=both("0.10.1.0"),
        by="one network thread, which has the file sent; it compares only the file's size",
        places=at("FileRecords.java: writeTo"),
        gaps=(SEVERAL_PIECES,),
        read=("0.10.2.2", "3.9.0"),
    ),
    LedgerRow(
        action=late.receive_response,
        when=both("0.8.0"),
        by=FETCHER,
        places=at(
            "AbstractFetcherThread.scala: processFetchRequest", "ReplicaFetcherThread.scala: processPartitionData"
        ),
        gaps=(CUT_LEFT_OUT, CUT_AFTER_CHECK, CUT_ELSEWHERE, APPEND_THEN_HIGH_WATERMARK),
        read=(
            "0.8.2.2",
            "0.10.2.2",
            "0.11.0.3",
            "1.0.2",
            "1.1.1",
            "2.0.1",
            "2.1.1",
            "2.7.2",
            "2.8.2",
            "3.9.1",
            "4.1.1",
            "4.3.1",
        ),
    ),
    LedgerRow(
        action=late.follow_before_cut,
        when=zookeeper("0.8.0", "0.10.2.2"),
        by=f"{ABSENT}: a new follower cuts its log itself, to its high watermark",
        places=at("Partition.scala: makeFollower"),
        read=("0.8.0", "0.8.2.2", "0.10.2.2"),
    ),
    LedgerRow(
        action=late.follow_before_cut,
        when=zookeeper("0.11.0.0", "2.7.2"),
        by=f"{WRITE_SIDE}; one thread under replicaStateChangeLock does it and what follows",
        places=at("Partition.scala: makeFollower", "ReplicaManager.scala: makeFollowers"),
        gaps=(OLD_FETCHER, ANSWERED_LATER),
        read=("0.11.0.3", "1.1.1", "2.1.1", "2.7.2"),
    ),
    LedgerRow(
        action=late.follow_before_cut,
        when=both("2.8.0"),
        by=f"{ABSENT}: a new follower cuts its log when a fetch tells it to",
        places=at("Partition.scala: makeFollower"),
        read=("2.8.2", "4.1.1"),
    ),
    LedgerRow(
        action=late.cut_later,
        when=zookeeper("0.8.0", "0.10.2.2"),
        by=f"{ABSENT}: a new follower cuts its log itself, to its high watermark",
        places=at("Partition.scala: makeFollower"),
        read=("0.8.0", "0.8.2.2", "0.10.2.2"),
    ),
    LedgerRow(
        action=late.cut_later,
        when=zookeeper("0.11.0.0", "2.7.2"),
        by=f"{FETCHER} for the cut; the leader answers under {READ_SIDE}",
        places=at(
            "AbstractFetcherThread.scala: maybeTruncate, truncateToEpochEndOffsets",
            "Partition.scala: lastOffsetForLeaderEpoch",
        ),
        gaps=(
            LATE_ANSWER,
            Gap(
                when=both("2.1.1", "2.7.2"),
                between="the leader's answer where an epoch ends, and the cut",
                done=Merged(
                    because="the answer counts only in the epoch of the question, in which the leader's log only grows and the follower"
                    " does nothing else"
                ),
            ),
        ),
        read=("0.11.0.3", "1.0.2", "1.1.1", "2.0.1", "2.1.0", "2.1.1", "2.7.2"),
    ),
    LedgerRow(
        action=late.cut_later,
        when=both("2.8.0"),
        by=f"{ABSENT}: a new follower cuts its log when a fetch tells it to",
        places=at("AbstractFetcherThread.scala: partitionFetchState"),
        read=("2.8.2", "4.1.1"),
    ),
    LedgerRow(
        action=late.cut_a_round,
        when=zookeeper("0.8.0", "2.7.2"),
        by=f"{ABSENT}: a follower learns from no fetch where to cut",
        places=at("AbstractFetcherThread.scala: processFetchRequest"),
        read=("0.8.2.2", "0.10.2.2", "2.1.1", "2.7.2"),
    ),
    LedgerRow(
        action=late.cut_a_round,
        when=both("2.8.0"),
        by=FETCHER,
        places=at("AbstractFetcherThread.scala: processFetchRequest, truncateOnFetchResponse"),
        gaps=(COUNTED_LATER, UNDER_WAY, CUT_AFTER_CHECK),
        read=("2.8.2", "4.1.1", "4.3.1"),
    ),
    *(
        LedgerRow(
            action=action,
            when=zookeeper("0.8.0"),
            by=f"{ABSENT}: an ISR that the leader asked for comes by the answer alone",
            places=at("ReplicaManager.scala: becomeLeaderOrFollower"),
            gaps=(TAKEN_BACK_IN_MIGRATION,),
            read=("0.8.2.2", "2.7.2", "3.9.1"),
        )
        for action in (late.grant_before_metadata, late.take_back_proposal, late.grant_taken_back)
    ),
    LedgerRow(
        action=late.grant_before_metadata,
        when=kraft(FIRST_WITH_KRAFT),
        by="the broker's metadata loader, which reads records when it has fetched them, whatever has been answered meanwhile",
        places=at(
            "ReplicaManager.scala: applyLocalLeadersDelta",
            "Partition.scala: handleAlterIsrUpdate, handleAlterPartitionUpdate",
        ),
        read=("3.2.3", "3.3.2", "3.6.2", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=late.take_back_proposal,
        when=kraft(FIRST_WITH_KRAFT, "3.2.3"),
        by=f"{WRITE_SIDE}: no partition epoch is compared",
        places=at("Partition.scala: makeLeader, updateAssignmentAndIsr"),
        gaps=(OLDER_METADATA, LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("3.2.3",),
    ),
    LedgerRow(
        action=late.take_back_proposal,
        when=kraft("3.3.0"),
        by=f"{WRITE_SIDE}: only a smaller partition epoch is skipped",
        places=at("Partition.scala: makeLeader, updateAssignmentAndIsr"),
        gaps=(LOOK_LATER, LOOK_WITHOUT_LOCK),
        read=("3.3.2", "3.6.2", "4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=late.grant_taken_back,
        when=kraft(FIRST_WITH_KRAFT),
        by=EVENT,
        places=at("ReplicationControlManager.java: alterIsr, alterPartition"),
        read=("3.2.3", "3.3.2", "3.6.2", "4.1.1", "4.3.1"),
    ),
)
