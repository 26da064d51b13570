"""What makes one step of what the controller decides, of what fails and returns, and of a shutdown."""

from __future__ import annotations

from neverlost.model.core import Action
from neverlost.model.kafka.replication import controller, faults, lost, shutdown

from ...atomicity import (
    ABSENT,
    EVENT,
    IN_THREAD,
    NOTHING,
    UNDER_LOCK,
    Gap,
    LedgerRow,
    Merged,
    Missing,
    Place,
    at,
    both,
    kraft,
    zookeeper,
)
from .gaps import FLUSHED_LATER, HOLE, NEWS_LATER, RAISED_MIN_ISR, SEVERAL_BATCHES, UNFENCED


def _decided(
    action: Action, old: tuple[Place, ...], new: tuple[Place, ...], in_queue: tuple[Place, ...]
) -> tuple[LedgerRow, ...]:
    """Of a decision of the controller: with ZooKeeper under a lock, then in a thread; in KRaft in its queue of events."""
    return (
        LedgerRow(
            action=action,
            when=zookeeper("0.8.0", "0.10.2.2"),
            by=UNDER_LOCK,
            places=old,
            gaps=(NEWS_LATER,),
            read=("0.8.2.2", "0.10.2.2"),
        ),
        LedgerRow(
            action=action,
            when=zookeeper("0.11.0.0"),
            by=IN_THREAD,
            places=(*at("ControllerEventManager.scala: doWork"), *new),
            gaps=(NEWS_LATER,),
            read=("0.11.0.0", "1.1.1", "2.7.2"),
        ),
        LedgerRow(
            action=action,
            when=kraft(),
            by=EVENT,
            places=(*in_queue, *at("QuorumController.java: run")),
            gaps=(NEWS_LATER, SEVERAL_BATCHES),
            read=("3.1.2", "3.3.2", "3.9.1", "4.1.1"),
        ),
    )


DEATH = at("KafkaController.scala: onBrokerFailure")
OLD_ELECTION = at("PartitionStateMachine.scala: electLeaderForPartition")
NEW_ELECTION = at("PartitionStateMachine.scala: electLeaderForPartition, doElectLeaderForPartitions")
OLD_REMOVAL = at("KafkaController.scala: removeReplicaFromIsr")
NEW_REMOVAL = at("KafkaController.scala: removeReplicaFromIsr", "ReplicaStateMachine.scala: removeReplicasFromIsr")
FENCED = at("ReplicationControlManager.java: handleBrokerFenced, generateLeaderAndIsrUpdates")
HEARTBEAT = at("ReplicationControlManager.java: processBrokerHeartbeat, generateLeaderAndIsrUpdates")
UNFENCING = at("ReplicationControlManager.java: handleBrokerUnfenced, generateLeaderAndIsrUpdates")
OLD_SHUTDOWN = at("KafkaController.scala: shutdownBroker")
NEW_SHUTDOWN = at("KafkaController.scala: doControlledShutdown")

DECIDING = (
    *_decided(controller.fence_follower, (*DEATH, *OLD_REMOVAL), (*DEATH, *NEW_REMOVAL), FENCED),
    *_decided(controller.fail_over, (*DEATH, *OLD_ELECTION), (*DEATH, *NEW_ELECTION), FENCED),
    *_decided(controller.lose_leader, (*DEATH, *OLD_REMOVAL), (*DEATH, *NEW_REMOVAL), FENCED),
    *_decided(controller.elect, OLD_ELECTION, NEW_ELECTION, UNFENCING),
    *_decided(controller.elect_unclean, OLD_ELECTION, NEW_ELECTION, UNFENCING),
    *_decided(controller.fail_over_unclean, (*DEATH, *OLD_ELECTION), (*DEATH, *NEW_ELECTION), FENCED),
    *_decided(
        controller.move_leader,
        at("KafkaController.scala: onPreferredReplicaElection"),
        at("KafkaController.scala: onPreferredReplicaElection, onReplicaElection"),
        at("ReplicationControlManager.java: electLeader"),
    ),
    LedgerRow(
        action=controller.change_controller,
        when=zookeeper("0.8.0"),
        by="ZooKeeper, which lets one broker at a time have the controller's node",
        places=at("KafkaController.scala: onControllerFailover", "ControllerChannelManager.scala: sendRequest"),
        gaps=(
            Gap(
                between="the start of the new controller and the end of what the old one still sends",
                done=Merged(
                    because="brokers may hear of a lost epoch or not, as the old controller's threads get to it"
                ),
            ),
        ),
        read=("0.8.2.2", "2.7.2"),
    ),
    LedgerRow(
        action=controller.change_controller,
        when=kraft(),
        by=f"{ABSENT}: brokers read the metadata log, and may miss epochs in any case",
        places=at("ReplicaManager.scala: applyDelta"),
        read=("4.1.1",),
    ),
    *(
        LedgerRow(
            action=action,
            when=both("0.8.0", "4.0.2"),
            by=f"{ABSENT}: there are no eligible leader replicas, or they are off",
            places=at("Partition.scala: makeLeader"),
            read=("0.8.2.2", "2.7.2", "3.9.1"),
        )
        for action in (controller.set_min_isr, controller.move_directory, faults.directory_loss)
    ),
    LedgerRow(
        action=controller.set_min_isr,
        when=kraft("4.1.0"),
        by=EVENT,
        places=at("ConfigurationControlManager.java: createClearElrRecordsAsNeeded"),
        gaps=(RAISED_MIN_ISR,),
        read=("4.1.1", "4.3.1"),
    ),
    LedgerRow(
        action=controller.move_directory,
        when=kraft("4.1.0", "4.2.2"),
        by=EVENT,
        places=at("ReplicationControlManager.java: handleAssignReplicasToDirs"),
        gaps=(
            Gap(
                when=both("4.1.0"),
                between="the move on the broker and the controller's record of it",
                done=Merged(
                    because="the log is the same before and after, and only the record clears the eligible replicas"
                ),
            ),
        ),
        read=("4.1.1",),
    ),
    LedgerRow(
        action=controller.move_directory,
        when=kraft("4.3.0"),
        by=f"{ABSENT}: a move between directories keeps the eligible replicas",
        places=at("ReplicationControlManager.java: handleAssignReplicasToDirs"),
        read=("4.3.1",),
    ),
)

TORN = Gap(
    between="the files of a broker: log, index, epochs, high watermark, recovery point",
    done=Merged(
        because="a start reads the log and makes the others fit it, and the high watermark is any earlier one. A batch torn at the"
        " end counts as not written, and was not acknowledged"
    ),
)

REFUSED = at("ReplicationControlManager.java: validateAlterPartitionData", "PartitionRegistration.java: merge")

LOSING = (
    *(
        LedgerRow(
            action=action,
            when=zookeeper("0.8.0"),
            by=f"{ABSENT} in the model: what ZooKeeper may lose is left out",
            places=at("KafkaController.scala: onControllerFailover"),
            read=("2.7.2",),
        )
        for action in (lost.lose_decision, lost.end_after_loss)
    ),
    LedgerRow(
        action=lost.lose_decision,
        when=kraft(),
        by=NOTHING,
        places=(*at("QuorumController.java: claim, handleLeaderChange"), *REFUSED),
        gaps=(
            Gap(
                between="the mishap of a controller, the election of one that lacks the decision, and what it decides next",
                done=Merged(
                    because="until another controller is elected nothing is decided, and the lost decision counts"
                ),
            ),
            Gap(
                between="the fetch of the lost decision by a broker, its publication there, and the fetch that is refused",
                done=Missing(
                    what="a broker acts on the lost decision only when another is made instead, and ends then"
                ),
            ),
        ),
        read=("3.3.2", "3.7.0", "4.3.1"),
    ),
    LedgerRow(
        action=lost.end_after_loss,
        when=kraft(),
        by="the thread of the Raft client: it refuses to cut the metadata log below its high watermark, which ends the process",
        places=at(
            "KafkaMetadataLog.scala: truncateTo",
            "RaftManager.scala: doWork",
            "KafkaRaftLog.java: truncateTo",
            "KafkaRaftClientDriver.java: doWork",
        ),
        gaps=(
            Gap(
                when=kraft(until="3.4.0"),
                between="the end of the thread and that of the process, which goes on without metadata",
                done=Merged(because="it may go on so for any time before, and who runs it has to start it anew"),
            ),
            TORN,
        ),
        read=("3.3.2", "3.4.0", "3.4.1", "3.7.0", "4.0.2", "4.3.1"),
    ),
)

FAILING = (
    LedgerRow(
        action=faults.crash,
        when=both("0.8.0"),
        by="the end of the process: all its threads end at once, and the operating system keeps what was written",
        places=at(
            "Log.scala: recoverLog",
            "LogLoader.scala: recoverLog",
            "LogLoader.java: recoverLog",
            "ReplicaManager.scala: checkpointHighWatermarks",
        ),
        gaps=(TORN, HOLE),
        read=("0.8.2.2", "2.1.1", "3.6.2", "4.1.1"),
    ),
    LedgerRow(
        action=faults.power_loss,
        when=both("0.8.0"),
        by="the end of the machine: what is on disk is a prefix of the log",
        places=at("Log.scala: append, flush", "UnifiedLog.scala: append, flush", "UnifiedLog.java: append, flush"),
        gaps=(TORN, FLUSHED_LATER, HOLE),
        read=("0.8.2.2", "0.11.0.3", "3.6.2", "4.1.1"),
    ),
    LedgerRow(
        action=faults.disk_loss,
        when=both("0.8.0"),
        by="the loss of the disk: a start makes a new and empty log",
        places=at("LogManager.scala: loadLogs"),
        read=("0.8.2.2", "4.1.1"),
    ),
    LedgerRow(
        action=faults.directory_loss,
        when=kraft("4.1.0", "4.2.2"),
        by=f"{ABSENT}: the new place of the log clears the eligible replicas",
        places=at("ReplicationControlManager.java: handleAssignReplicasToDirs"),
        read=("4.1.1",),
    ),
    LedgerRow(
        action=faults.directory_loss,
        when=kraft("4.3.0"),
        by="the loss of the directory while the broker is down: a start looks only at the directories that are configured",
        places=at("LogManager.scala: readBrokerEpochFromCleanShutdownFiles"),
        read=("4.3.1",),
    ),
    LedgerRow(
        action=faults.restart,
        when=zookeeper("0.8.0"),
        by=NOTHING,
        places=at("LogManager.scala: loadLogs", "KafkaController.scala: onBrokerStartup"),
        gaps=(
            Gap(
                between="the read of the logs, the registration, and the controller's news",
                done=Merged(
                    because="before it registers nobody asks the broker, and until it hears of an epoch it neither leads nor fetches",
                    test=UNFENCED,
                ),
            ),
        ),
        read=("0.8.2.2", "2.7.2"),
    ),
    LedgerRow(
        action=faults.restart,
        when=kraft(),
        by=NOTHING,
        places=at(
            "LogManager.scala: loadLogs",
            "ClusterControlManager.java: registerBroker",
            "ReplicationControlManager.java: handleBrokerUnfenced",
        ),
        gaps=(
            Gap(
                between="the read of the logs, the registration, which is one event, and the unfencing, which is another",
                done=Merged(
                    because="while it is fenced a broker is not elected, and what it fetches only brings it nearer",
                    test=UNFENCED,
                ),
            ),
            SEVERAL_BATCHES,
        ),
        read=("3.1.2", "3.6.2", "4.1.1"),
    ),
    LedgerRow(
        action=faults.pause,
        when=both("0.8.0"),
        by="a deadline that passes at the controller or in ZooKeeper; the broker changes nothing",
        places=at("ReplicaManager.scala: checkpointHighWatermarks"),
        read=("0.8.2.2", "4.1.1"),
    ),
    LedgerRow(
        action=faults.unfence,
        when=zookeeper("0.8.0", "0.10.2.2"),
        by="controllerLock, when the broker's node is back in ZooKeeper",
        places=at("KafkaController.scala: onBrokerStartup", "ReplicaStateMachine.scala: BrokerChangeListener"),
        gaps=(NEWS_LATER,),
        read=("0.8.2.2", "0.10.2.2"),
    ),
    LedgerRow(
        action=faults.unfence,
        when=zookeeper("0.11.0.0"),
        by="the controller's event thread, when the broker's node is back in ZooKeeper",
        places=at("KafkaController.scala: onBrokerStartup"),
        gaps=(NEWS_LATER,),
        read=("2.7.2",),
    ),
    LedgerRow(
        action=faults.unfence,
        when=kraft(),
        by=f"{EVENT}. Partitions without a leader get one in the same event, which is one step less than here",
        places=at("ReplicationControlManager.java: processBrokerHeartbeat, handleBrokerUnfenced"),
        gaps=(NEWS_LATER, SEVERAL_BATCHES),
        read=("3.1.2", "3.3.2", "3.9.1", "4.1.1"),
    ),
)

IN_ORDER = Gap(
    between="the end of requests, the end of fetchers, the high watermark on disk, the flush, and the mark of a clean end",
    done=Merged(because="requests end first, so nothing that others see changes; an end in between is a crash"),
)

ENDING = (
    *_decided(shutdown.hand_over, (*OLD_SHUTDOWN, *OLD_ELECTION), (*NEW_SHUTDOWN, *NEW_ELECTION), HEARTBEAT),
    *_decided(shutdown.leave_isr, (*OLD_SHUTDOWN, *OLD_REMOVAL), (*NEW_SHUTDOWN, *NEW_REMOVAL), HEARTBEAT),
    *(
        LedgerRow(
            action=shutdown.shut_down,
            when=when,
            by=NOTHING,
            places=at(f"{server}: shutdown", "ReplicaManager.scala: shutdown", "LogManager.scala: shutdown"),
            gaps=(IN_ORDER,),
            read=read,
        )
        for server, when, read in (
            ("KafkaServer.scala", zookeeper("0.8.0"), ("2.1.1",)),
            ("BrokerServer.scala", kraft(), ("3.6.2", "4.1.1")),
        )
    ),
)
