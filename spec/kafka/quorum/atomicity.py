"""The ledger of what makes each action of the quorum one step in Kafka."""

from __future__ import annotations

from neverlost.model.core import Action
from neverlost.model.kafka.quorum import elections, faults, reconfiguration, replicating

from ..atomicity import ABSENT, Gap, Ledger, LedgerRow, Merged, at, kraft
from .differences import TIME_LINE

POLL = "one thread, which polls KafkaRaftClient: it handles one request, one response or one timer after the other"
SURROUNDINGS = "no deed of Kafka"

ANSWERED_LATER = Gap(
    when=kraft(),
    between="sending a request, handling it, and handling its response, by the threads of two controllers",
    done=Merged(
        because="a request and its response carry the epoch, and are ignored in another; within an epoch the candidate's log, and the"
        " follower's beyond what it has reported, do not change. A process that ends takes its connections with it",
    ),
)
COMMITTED_LATER = Gap(
    when=kraft(),
    between="the high watermark of the leader, and the brokers that learn of what is committed",
    done=Merged(because="the partition acknowledges at any time later, or never"),
)


def _polled(action: Action, *methods: str, since: str = "3.1.0", gaps: tuple[Gap, ...] = ()) -> LedgerRow:
    """Of what the thread of a controller does."""
    read = {
        "3.1.0": ("4.1.2",),
        "3.9.0": ("4.2.2",),
        "4.0.0": ("4.1.2",),
        "4.2.0": ("4.2.2",),
    }
    return LedgerRow(
        action=action,
        when=kraft(since),
        by=POLL,
        places=at(*methods),
        gaps=gaps,
        read=read[since],
    )


def _absent(action: Action, until: str, *methods: str) -> LedgerRow:
    """Of what earlier releases do not do."""
    read = {"3.8.1": ("3.3.2", "3.8.1"), "3.9.2": ("3.3.2", "3.9.2"), "4.1.2": ("4.1.2",)}
    return LedgerRow(action=action, when=kraft("3.1.0", until), by=ABSENT, places=at(*methods), read=read[until])


def _outside(action: Action, *methods: str) -> LedgerRow:
    """Of what befalls a controller."""
    return LedgerRow(action=action, when=kraft(), by=SURROUNDINGS, places=at(*methods), read=("4.1.2",))


ASKS = "KafkaRaftClient.java: transitionToProspective"
RECONFIGURES = ("AddVoterHandler.java: handleAddVoterRequest", "RemoveVoterHandler.java: handleRemoveVoterRequest")
OBSERVES = "KafkaRaftClient.java: pollFollowerAsObserver"

LEDGER = Ledger(
    time_line=TIME_LINE,
    rows=(
        _absent(elections.ask_before, "3.9.2", "KafkaRaftClient.java: transitionToCandidate"),
        _polled(elections.ask_before, ASKS, since="4.0.0"),
        _absent(elections.pre_vote, "3.9.2", "KafkaRaftClient.java: handleVoteRequest"),
        _polled(elections.pre_vote, "KafkaRaftClient.java: handleVoteRequest", since="4.0.0", gaps=(ANSWERED_LATER,)),
        _absent(elections.stop_asking, "3.9.2", "KafkaRaftClient.java: transitionToCandidate"),
        _polled(elections.stop_asking, "KafkaRaftClient.java: prospectiveTransitionAfterElectionLoss", since="4.0.0"),
        _polled(elections.stand, "KafkaRaftClient.java: transitionToCandidate"),
        _polled(elections.vote, "KafkaRaftClient.java: handleVoteRequest, handleVoteResponse", gaps=(ANSWERED_LATER,)),
        _polled(elections.win, "KafkaRaftClient.java: maybeTransitionToLeader, onBecomeLeader"),
        _polled(
            elections.follow,
            "KafkaRaftClient.java: handleBeginQuorumEpochRequest, maybeTransition",
            gaps=(ANSWERED_LATER,),
        ),
        _polled(
            replicating.fetch,
            "KafkaRaftClient.java: tryCompleteFetchRequest, handleFetchResponse",
            "LeaderState.java: updateReplicaState, maybeUpdateHighWatermark",
            gaps=(ANSWERED_LATER,),
        ),
        LedgerRow(
            action=replicating.decide,
            when=kraft(),
            by="one event in the queue of QuorumController, whose records are one batch that the polling thread appends and flushes",
            places=at(
                "QuorumController.java: run", "BatchAccumulator.java: append", "KafkaRaftClient.java: appendBatch"
            ),
            gaps=(
                Gap(
                    when=kraft(),
                    between="the event, and the append by the other thread",
                    done=Merged(
                        because="the batch carries the epoch: one that is not appended in it is dropped, as if never decided"
                    ),
                ),
            ),
            read=("4.1.2",),
        ),
        LedgerRow(
            action=replicating.acknowledge,
            when=kraft(),
            by="the partition's own steps, which the replication family has",
            places=at("ReplicaManager.scala: appendRecords"),
            gaps=(COMMITTED_LATER,),
            read=("4.1.2",),
        ),
        _absent(reconfiguration.remove_voter, "3.8.1", "KafkaRaftClient.java: initialize"),
        _polled(reconfiguration.remove_voter, RECONFIGURES[1], since="3.9.0"),
        _absent(reconfiguration.add_voter, "3.8.1", "KafkaRaftClient.java: initialize"),
        _polled(
            reconfiguration.add_voter,
            *RECONFIGURES[:1],
            since="3.9.0",
            gaps=(
                Gap(
                    when=kraft("3.9.0"),
                    between="the checks, and the append when the new voter has answered which versions it supports",
                    done=Merged(
                        because="no other change is accepted in between, and a leader that leads no more forgets the request"
                    ),
                ),
            ),
        ),
        _absent(reconfiguration.remove_old_entry, "4.1.2", "KafkaRaftClient.java: pollFollowerAsObserver"),
        _polled(reconfiguration.remove_old_entry, OBSERVES, RECONFIGURES[1], since="4.2.0", gaps=(ANSWERED_LATER,)),
        _absent(reconfiguration.join, "4.1.2", "KafkaRaftClient.java: pollFollowerAsObserver"),
        _polled(reconfiguration.join, OBSERVES, RECONFIGURES[0], since="4.2.0", gaps=(ANSWERED_LATER,)),
        _outside(faults.crash, "KafkaRaftServer.scala: shutdown"),
        _outside(faults.crash_before_flush, "KafkaRaftClient.java: appendAsFollower"),
        _outside(faults.power_loss, "KafkaRaftClient.java: flushLeaderLog"),
        _polled(faults.flush, "KafkaRaftClient.java: flushLeaderLog"),
        _outside(faults.disk_loss, "StorageTool.scala: runFormatCommand"),
        _outside(faults.quorum_state_loss, "QuorumState.java: initialize"),
        _outside(faults.restore_copy, "QuorumState.java: initialize"),
        _outside(faults.borrow_copy, "QuorumState.java: initialize"),
        _polled(faults.restart, "QuorumState.java: initialize"),
    ),
)
