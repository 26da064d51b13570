"""The ledger of what makes each action of a consumer group one step in Kafka."""

from __future__ import annotations

from neverlost.model.core import Action
from neverlost.model.kafka.groups import classic, consumer_protocol, coordinator, faults, member, moves, source

from ..atomicity import ABSENT, Gap, Ledger, LedgerRow, Merged, Missing, Place, at
from ..releases import EITHER, InReleases
from .differences import TIME_LINE

CLIENT = "the application's thread, in one call of the consumer"
IN_LOCK = "the lock of the group (GroupMetadata.inLock, before 0.11 its monitor)"
IN_EVENTS = "one event of the coordinator's partition: events are handled one after the other (CoordinatorRuntime)"
SURROUNDINGS = "no deed of Kafka"
FIRST, LAST_LOCK, FIRST_EVENTS = "0.9.0.0", "3.9.2", "4.0.0"
OLD, NEW = ("0.9.0.1", "2.3.1", "3.6.2"), ("4.2.2",)
"""The releases whose code was read, of the newer ones on the branch."""


def _in(since: str = FIRST, until: str | None = None) -> InReleases:
    """In both modes, from one release to another."""
    return InReleases(since=since, until=until, modes=(EITHER,))


SENT_AND_ANSWERED = Gap(
    when=_in(),
    between="sending a request, handling it, and handling its response",
    done=Merged(
        because="the thread of the member waits, or does nothing that the coordinator sees; what the coordinator does before it handles"
        " the request may as well come before the step, and afterwards the response no longer depends on it. A commit that arrives"
        " after what its member has sent since, over another connection, is an action of its own: arrive_late"
    ),
)
LATE_RESPONSE = Gap(
    when=_in(),
    between="a commit that is written and the response that says so",
    done=Merged(because="a member whose response is lost commits the same or more again"),
)
WRITTEN_LATER = Gap(
    when=_in("0.9.0.0", "0.10.2.2"),
    between="the check of the generation and the write of the offset, without the lock",
    done=Missing(
        what="a commit that was checked before a rebalance may be written after it, over what the new owner has committed: the offset"
        " goes back"
    ),
)
ANSWERED_LATER = Gap(
    when=_in(),
    between="the write of a commit, and its answer after offsets.commit.timeout.ms",
    done=Merged(
        because="who takes the partition over begins after that: its assignment, and from 2.5 on its committed offset, come when what"
        " was written before is replicated, or no longer waited for"
    ),
)
BEFORE_LEADER = Gap(
    when=_in(),
    between="the responses to JoinGroup and the SyncGroup of the leader, with which the assignment comes",
    done=Merged(
        because="no member has an assignment of the generation meanwhile, and no commit is accepted. If the leader ends there, the"
        " group rebalances again"
    ),
)
FETCHED_BEFORE = Gap(
    when=_in(),
    between="fetching records and returning them",
    done=Merged(
        because="the position moves when poll returns them; what is fetched of a partition that is given up is dropped"
    ),
)
OFFSET_FETCHED_LATER = Gap(
    when=_in(),
    between="the assignment, the fetch of its committed offset, and the look at the partition's end",
    done=Merged(
        because="nobody else commits for the partition in this generation or epoch, and records that come in between may as well come"
        " before the step. What is assigned in between, from 3.7 to 3.9 with KIP-848, is another step: take_unfetched"
    ),
)
SEVERAL_OFFSETS = Gap(
    when=_in(),
    between="the offsets of several partitions in one commit",
    done=Merged(because="one request commits them together; here several steps do, which may also be taken together"),
)


def _of_client(action: Action, places: tuple[Place, ...], *gaps: Gap) -> tuple[LedgerRow, ...]:
    """Of what a member does in one call."""
    return (LedgerRow(action=action, when=_in(), by=CLIENT, places=places, gaps=gaps, read=("2.3.1", "3.6.2")),)


def _of_coordinator(
    action: Action, old: tuple[Place, ...], new: tuple[Place, ...], *gaps: Gap, only_old: tuple[Gap, ...] = ()
) -> tuple[LedgerRow, ...]:
    """Of what the coordinator does: under the group's lock, from 4.0 on in its queue of events."""
    return (
        LedgerRow(action=action, when=_in(FIRST, LAST_LOCK), by=IN_LOCK, places=old, gaps=(*gaps, *only_old), read=OLD),
        LedgerRow(action=action, when=_in(FIRST_EVENTS), by=IN_EVENTS, places=new, gaps=gaps, read=NEW),
    )


def _of_new_protocol(action: Action, by: str, places: tuple[Place, ...], *gaps: Gap) -> tuple[LedgerRow, ...]:
    """Of what only the new protocol has."""
    return (
        LedgerRow(
            action=action,
            when=_in(FIRST, "3.6.2"),
            by=f"{ABSENT}: there is no such protocol",
            places=places,
            read=("3.6.2",),
        ),
        LedgerRow(action=action, when=_in("3.7.0"), by=by, places=places, gaps=gaps, read=("4.0.1", "4.2.2")),
    )


def _outside(action: Action, *places: str, gaps: tuple[Gap, ...] = ()) -> tuple[LedgerRow, ...]:
    """Of what befalls a group."""
    return (LedgerRow(action=action, when=_in(), by=SURROUNDINGS, places=at(*places), gaps=gaps, read=("3.6.2",)),)


LOST_WITH_ANSWERS = Gap(
    when=_in(),
    between="writing an assignment, answering with it, and the next coordinator, which does not have it",
    done=Merged(
        because="nobody is answered from it but those whom these steps answer: until then it is not acknowledged, and a coordinator"
        " that has only read it answers no one else before the next one has its place"
    ),
)


COMMITS = at("ConsumerCoordinator.java: sendOffsetCommitRequest", "GroupCoordinator.scala: handleCommitOffsets")
JOINS = at("ConsumerCoordinator.java: onJoinPrepare", "GroupCoordinator.scala: handleJoinGroup")
JOINS_NEW = at("ConsumerCoordinator.java: onJoinPrepare", "GroupMetadataManager.java: classicGroupJoin")
RESETS_UNFETCHED = at("SubscriptionState.java: resetInitializingPositions")
FETCHES = at("ConsumerCoordinator.java: refreshCommittedOffsetsIfNeeded")

LEDGER = Ledger(
    time_line=TIME_LINE,
    rows=(
        *_outside(source.produce, "ReplicaManager.scala: appendRecords"),
        *_of_client(member.poll, at("KafkaConsumer.java: poll"), FETCHED_BEFORE),
        *_of_client(member.reset_position, at("Fetcher.java: handleFetchResponse"), SENT_AND_ANSWERED),
        *_outside(member.process, "KafkaConsumer.java: poll"),
        *_of_client(member.commit_sync, COMMITS, SENT_AND_ANSWERED, LATE_RESPONSE, SEVERAL_OFFSETS, WRITTEN_LATER),
        *_of_new_protocol(
            member.commit_rest,
            CLIENT,
            at("CommitRequestManager.java: toUnsentRequest", "ConsumerGroup.java: validateOffsetCommit"),
            Gap(
                when=_in("3.7.0"),
                between="the commit of a record and its processing",
                done=Merged(
                    because="a member that ends in between leaves a committed record to nobody, as one does that was not expelled"
                ),
            ),
            SENT_AND_ANSWERED,
        ),
        *_of_client(member.commit_auto, COMMITS, SENT_AND_ANSWERED, LATE_RESPONSE, SEVERAL_OFFSETS, WRITTEN_LATER),
        *_of_client(member.send_commit, at("ConsumerCoordinator.java: commitOffsetsAsync")),
        *_of_coordinator(
            member.receive_commit,
            at("GroupCoordinator.scala: handleCommitOffsets"),
            at("OffsetMetadataManager.java: commitOffset"),
            LATE_RESPONSE,
            SEVERAL_OFFSETS,
            only_old=(WRITTEN_LATER,),
        ),
        *_outside(member.fail_commit, "ConsumerCoordinator.java: commitOffsetsAsync"),
        *_of_coordinator(
            member.fail_after_write,
            at("GroupCoordinator.scala: handleCommitOffsets"),
            at("OffsetMetadataManager.java: commitOffset"),
            ANSWERED_LATER,
            SEVERAL_OFFSETS,
            only_old=(WRITTEN_LATER,),
        ),
        *_outside(member.hold_up, "AbstractCoordinator.java: onFailure"),
        *_of_coordinator(
            member.arrive_late,
            at("GroupCoordinator.scala: handleCommitOffsets"),
            at("OffsetMetadataManager.java: commitOffset"),
            SEVERAL_OFFSETS,
            only_old=(WRITTEN_LATER,),
        ),
        *_of_coordinator(classic.join, JOINS, JOINS_NEW, SENT_AND_ANSWERED),
        LedgerRow(
            action=classic.join_later,
            when=_in(FIRST, "3.1.2"),
            by=f"{ABSENT}: the last commit is waited for",
            places=at("ConsumerCoordinator.java: onJoinPrepare"),
            read=("3.1.2",),
        ),
        LedgerRow(
            action=classic.join_later,
            when=_in("3.2.0", "3.2.2"),
            by=CLIENT,
            places=at("ConsumerCoordinator.java: onJoinPrepare"),
            gaps=(SENT_AND_ANSWERED,),
            read=("3.2.0", "3.2.2"),
        ),
        LedgerRow(
            action=classic.join_later,
            when=_in("3.2.3"),
            by=f"{ABSENT}: partitions return nothing while the last commit is under way",
            places=at("ConsumerCoordinator.java: onJoinPrepare"),
            read=("3.3.0", "3.6.2"),
        ),
        *_of_coordinator(
            classic.complete,
            at("GroupCoordinator.scala: onCompleteJoin, doSyncGroup"),
            at("GroupMetadataManager.java: completeClassicGroupJoin, classicGroupSync"),
            BEFORE_LEADER,
        ),
        *_of_coordinator(
            classic.sync,
            at("GroupCoordinator.scala: doSyncGroup", "ConsumerCoordinator.java: onJoinComplete"),
            at("GroupMetadataManager.java: classicGroupSync", "ConsumerCoordinator.java: onJoinComplete"),
            SENT_AND_ANSWERED,
            OFFSET_FETCHED_LATER,
        ),
        *_of_new_protocol(
            consumer_protocol.join_by_heartbeat,
            IN_EVENTS,
            at(
                "GroupMetadataManager.java: consumerGroupHeartbeat",
                "AbstractMembershipManager.java: transitionToFenced",
            ),
            SENT_AND_ANSWERED,
        ),
        *_of_new_protocol(
            consumer_protocol.join_in_background,
            "the consumer's background thread, while the application does not poll",
            at(
                "AbstractMembershipManager.java: transitionToFenced",
                "ConsumerMembershipManager.java: invokeOnPartitionsLostCallback",
                "CommitRequestManager.java: onMemberEpochUpdated",
            ),
            SENT_AND_ANSWERED,
            Gap(
                when=_in("3.7.0"),
                between="hearing that it was expelled, and joining again",
                done=Merged(
                    because="what it commits in between names no epoch, as before: only a group without members accepts that"
                ),
            ),
        ),
        *_of_new_protocol(
            consumer_protocol.heartbeat,
            IN_EVENTS,
            at("GroupMetadataManager.java: consumerGroupHeartbeat", "CurrentAssignmentBuilder.java: build"),
            Gap(
                when=_in("3.7.0"),
                between="the response to a heartbeat and what the member does about it",
                done=Merged(because="that is an action of its own, reconcile"),
            ),
        ),
        *_of_new_protocol(
            consumer_protocol.reconcile,
            "one reconciliation at a time; its callbacks run in the application's thread, in poll",
            at("AbstractMembershipManager.java: maybeReconcile, revokeAndAssign"),
            OFFSET_FETCHED_LATER,
            Gap(
                when=_in("3.7.0"),
                between="the last commit, giving partitions up, and taking others",
                done=Merged(
                    because="partitions that are to be given up return nothing from the beginning on, and the coordinator gives them to"
                    " nobody before the end. What is being taken it may give to another: take_unseen"
                ),
            ),
        ),
        LedgerRow(
            action=consumer_protocol.take_unfetched,
            when=_in(FIRST, "3.6.2"),
            by=f"{ABSENT}: there is no such protocol",
            places=RESETS_UNFETCHED,
            read=("3.6.2",),
        ),
        LedgerRow(
            action=consumer_protocol.take_unfetched,
            when=_in("3.7.0", LAST_LOCK),
            by=CLIENT,
            places=RESETS_UNFETCHED,
            gaps=(
                Gap(
                    when=_in("3.7.0", LAST_LOCK),
                    between="the assignment of one partition, that of the other, and the response with the first one's offset",
                    done=Merged(because="the member polls nothing meanwhile: its thread waits for the response"),
                ),
            ),
            read=(LAST_LOCK,),
        ),
        LedgerRow(
            action=consumer_protocol.take_unfetched,
            when=_in(FIRST_EVENTS),
            by=f"{ABSENT}: only partitions whose offsets were fetched are reset",
            places=RESETS_UNFETCHED,
            read=(FIRST_EVENTS,),
        ),
        *_of_new_protocol(
            consumer_protocol.take_unseen,
            IN_EVENTS,
            at(
                "AbstractMembershipManager.java: revokeAndAssign",
                "CurrentAssignmentBuilder.java: computeNextAssignment",
            ),
            SENT_AND_ANSWERED,
            OFFSET_FETCHED_LATER,
        ),
        *_of_new_protocol(
            consumer_protocol.repeat_commit,
            "the thread of the network, when the response to the commit before has come",
            at(
                "CommitRequestManager.java: autoCommitSyncBeforeRebalanceWithRetries, maybeAutoCommitSyncBeforeRebalance"
            ),
            SENT_AND_ANSWERED,
            LATE_RESPONSE,
            SEVERAL_OFFSETS,
        ),
        *_of_coordinator(
            coordinator.expel,
            at("GroupCoordinator.scala: onExpireHeartbeat"),
            at("GroupMetadataManager.java: expireClassicGroupMemberHeartbeat, scheduleConsumerGroupSessionTimeout"),
        ),
        *_of_coordinator(
            coordinator.discover,
            at("ConsumerCoordinator.java: onJoinPrepare"),
            at("GroupMetadataManager.java: onNewMetadataImage"),
        ),
        *_of_coordinator(
            coordinator.expire,
            at("GroupMetadataManager.scala: deleteExpiredOffsets, cleanupGroupMetadata"),
            at("OffsetMetadataManager.java: cleanupExpiredOffsets"),
        ),
        *_of_coordinator(
            coordinator.expire_early,
            at("GroupMetadataManager.scala: deleteExpiredOffsets, cleanupGroupMetadata"),
            at("OffsetMetadataManager.java: cleanupExpiredOffsets"),
        ),
        *_outside(moves.move_coordinator, "ReplicaManager.scala: applyDelta"),
        *_outside(moves.load_log, "ReplicaManager.scala: applyDelta"),
        *_outside(moves.roll_back, "ReplicaManager.scala: applyDelta"),
        *_outside(moves.move_under_commit, "ReplicaManager.scala: applyDelta"),
        *_of_coordinator(
            moves.forget_generation,
            at("GroupCoordinator.scala: doSyncGroup", "GroupMetadataManager.scala: loadGroup"),
            at(
                "GroupMetadataManager.java: classicGroupSync", "CoordinatorPartitionWriter.java: onHighWatermarkUpdated"
            ),
            BEFORE_LEADER,
            LOST_WITH_ANSWERS,
        ),
        *_of_coordinator(
            moves.sync_forgotten,
            at("GroupCoordinator.scala: doSyncGroup", "ConsumerCoordinator.java: onJoinComplete"),
            at("GroupMetadataManager.java: classicGroupSync", "ConsumerCoordinator.java: onJoinComplete"),
            SENT_AND_ANSWERED,
            OFFSET_FETCHED_LATER,
        ),
        *_of_new_protocol(
            moves.heartbeat_forgotten,
            IN_EVENTS,
            at(
                "GroupMetadataManager.java: consumerGroupHeartbeat",
                "CoordinatorPartitionWriter.java: onHighWatermarkUpdated",
            ),
            SENT_AND_ANSWERED,
            LOST_WITH_ANSWERS,
        ),
        *_outside(faults.start_member, "KafkaConsumer.java: subscribe"),
        *_outside(faults.leave, "KafkaConsumer.java: close", gaps=(SENT_AND_ANSWERED,)),
        *_outside(faults.fail, "KafkaConsumer.java: close", gaps=(SENT_AND_ANSWERED,)),
        *_outside(faults.pass_failed, "KafkaConsumer.java: poll"),
        *_outside(faults.crash, "KafkaConsumer.java: close"),
        *_outside(faults.restart, "KafkaConsumer.java: subscribe"),
        *_outside(source.add_partition, "ReplicaManager.scala: applyDelta"),
        *_outside(source.remove, "ReplicaManager.scala: deleteRecords"),
        *_outside(source.truncate, "ReplicaManager.scala: applyDelta"),
    ),
)
