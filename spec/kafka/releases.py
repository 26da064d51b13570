"""Kafka's releases, and what tells their replication apart: each rule with the releases that have it, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neverlost.model.kafka.state import (
    ACKS_ALL,
    ACKS_ONE,
    EVERY_SHRINK,
    KIP_101,
    KIP_279,
    NO_SHRINK,
    ON_FETCH,
    SHRINK_BY_CONTROLLER,
    TO_HIGH_WATERMARK,
)

ZOOKEEPER, KRAFT = "ZooKeeper", "KRaft"
MODES = (ZOOKEEPER, KRAFT)

RELEASES = (
    "0.8.0", "0.8.1", "0.8.1.1", "0.8.2.0", "0.8.2.1", "0.8.2.2", "0.9.0.0", "0.9.0.1", "0.10.0.0", "0.10.0.1", "0.10.1.0",
    "0.10.1.1", "0.10.2.0", "0.10.2.1", "0.10.2.2", "0.11.0.0", "0.11.0.1", "0.11.0.2", "0.11.0.3", "1.0.0", "1.0.1", "1.0.2",
    "1.1.0", "1.1.1", "2.0.0", "2.0.1", "2.1.0", "2.1.1", "2.2.0", "2.2.1", "2.2.2", "2.3.0", "2.3.1", "2.4.0", "2.4.1", "2.5.0",
    "2.5.1", "2.6.0", "2.6.1", "2.6.2", "2.6.3", "2.7.0", "2.7.1", "2.7.2", "2.8.0", "2.8.1", "2.8.2", "3.0.0", "3.0.1", "3.0.2",
    "3.1.0", "3.1.1", "3.1.2", "3.2.0", "3.2.1", "3.2.2", "3.2.3", "3.3.0", "3.3.1", "3.3.2", "3.4.0", "3.4.1", "3.5.0", "3.5.1",
    "3.5.2", "3.6.0", "3.6.1", "3.6.2", "3.7.0", "3.7.1", "3.7.2", "3.8.0", "3.8.1", "3.9.0", "3.9.1", "3.9.2", "4.0.0", "4.0.1",
    "4.0.2", "4.1.0", "4.1.1", "4.1.2", "4.2.0", "4.2.1", "4.2.2", "4.3.0", "4.3.1", "4.4.0",
)  # fmt: skip
"""Every release of Apache Kafka that the model speaks for, oldest first."""

FIRST_WITH_KRAFT, LAST_WITH_ZOOKEEPER = "3.1.0", "3.9.2"
"""KRaft is a preview to 3.2, and the model has it from 3.1 on; 4.0 has no ZooKeeper any more."""


@dataclass(frozen=True, kw_only=True)
class InReleases:
    """What is so from the release `since` to the release `until` (to the newest, if that is None), in these modes."""

    since: str
    until: str | None = None
    modes: tuple[str, ...] = MODES

    def holds_for(self, release: str, mode: str) -> bool:
        """Is it so for brokers of this release in this mode?"""
        last = RELEASES[-1] if self.until is None else self.until
        return mode in self.modes and RELEASES.index(self.since) <= RELEASES.index(release) <= RELEASES.index(last)


@dataclass(frozen=True, kw_only=True)
class ReleaseDifference(InReleases):
    """How brokers of some releases behave.

    `settings` are what the model switches. `source` is where the rule stands: a KIP, a JIRA ticket, or code at a tag; `known` is
    how it is known that releases do so: their code was read, or they were run.
    """

    rule: str
    settings: Mapping[str, int]
    source: str
    known: str


READ = "code read at the tags on both sides"

DIFFERENCES = (
    ReleaseDifference(
        rule="A new follower cuts its log to its own high watermark.",
        settings={"truncation": TO_HIGH_WATERMARK},
        since="0.8.0",
        until="0.10.2.2",
        source="R-TRUNC-1; KIP-101",
        known="run: 0.8.2.1, 0.9.0.1, 0.10.1.1 and 0.10.2.2 lose by it",
    ),
    ReleaseDifference(
        rule="A new follower asks the leader where its last epoch ends, and cuts its log there.",
        settings={"truncation": KIP_101},
        since="0.11.0.0",
        until="1.1.1",
        source="KIP-101 (KAFKA-1211)",
        known="run: 0.11.0.3 and 1.1.1 keep what 0.10.2.2 loses, and diverge where 2.0.1 does not",
    ),
    ReleaseDifference(
        rule="A new follower compares its log with the leader's epoch by epoch, from the tail.",
        settings={"truncation": KIP_279},
        since="2.0.0",
        until="2.7.2",
        source="KIP-279 (KAFKA-6361)",
        known="run: 2.0.1",
    ),
    ReleaseDifference(
        rule="A leader notes its epoch when it starts, and so can tell where every epoch before it ends.",
        settings={"notes_epoch_at_start": 1},
        since="2.0.1",
        source="KAFKA-7415; LeaderEpochFileCache.endOffsetFor and Partition.makeLeader",
        known="code read at 2.0.0 and 2.0.1",
    ),
    ReleaseDifference(
        rule="A follower finds out by fetching where to cut its log.",
        settings={"truncation": ON_FETCH},
        since="2.8.0",
        source="KIP-595; ReplicaFetcherThread tells the epoch of its last record from 2.8.0 on, leaders heed it from 2.7.0 on",
        known="code read at 2.7.0, 2.7.1, 2.7.2 and 2.8.0",
    ),
    ReleaseDifference(
        rule="A follower takes the high watermark of a response that tells it to cut its log, and cuts it then.",
        settings={"exposes_diverging": 1},
        since="2.8.0",
        until="3.4.0",
        source="KAFKA-14704; AbstractFetcherThread.processFetchRequest; seen by who fetches from followers (KIP-392)",
        known="code read at 3.4.0 and 3.4.1",
    ),
    ReleaseDifference(
        rule="A consumer's fetch takes in what is appended while it reads up to the log end.",
        settings={"reads_past_high_watermark": 1},
        since="1.1.0",
        until="2.5.0",
        source="KAFKA-9835; FileRecords.slice, before 2.0 FileRecords.read",
        known="code read at 1.0.2, 1.1.0, 2.4.1 and the fix in 2.5.1",
    ),
    ReleaseDifference(
        rule="The cleaner takes records above the high watermark for the newest of their key.",
        settings={"cleans_uncommitted": 1},
        since="0.8.0",
        until="3.0.2",
        source="KAFKA-13194; LogCleanerManager.cleanableOffsets; compaction is there from 0.8.1 on",
        known="code read at 3.0.1, 3.0.2 and 3.1.0",
    ),
    ReleaseDifference(
        rule="A replica outside the ISR is elected by default if no member of it is live.",
        settings={"unclean": 1},
        since="0.8.0",
        until="0.10.2.2",
        source="unclean.leader.election.enable; KIP-106",
        known="run: 0.8.2.1, 0.10.2.2",
    ),
    ReleaseDifference(
        rule="A leader that hears of a newer epoch of its own keeps the log ends that it knew of its followers.",
        settings={"keeps_known_ends": 1},
        since="0.9.0.0",
        source="KAFKA-2721; Partition.makeLeader, from 3.3 on Replica.resetReplicaState",
        known="run: 3.9.1, 4.1.1 and 4.3.1 in KRaft mode lose acknowledged records by it; others: code read",
    ),
    ReleaseDifference(
        rule="A follower that is beyond its leader's log drops its own, if the leader's has grown until it asks where that ends.",
        settings={"starts_over": 1},
        since="0.8.0",
        until="0.9.0.0",
        source="KAFKA-2143; ReplicaFetcherThread.handleOffsetOutOfRange",
        known="code read at 0.8.2.2, 0.9.0.0 and 0.9.0.1",
    ),
    ReleaseDifference(
        rule="The controller sends each broker one leader epoch after the other, while it and the broker's session last.",
        settings={"ordered_metadata": 1},
        since="0.8.0",
        until=LAST_WITH_ZOOKEEPER,
        modes=(ZOOKEEPER,),
        source="ControllerChannelManager: one queue and one thread for each broker, which repeats a request until it is answered",
        known="code read; run: 0.10.2.2 and 2.0.1 heard of every epoch",
    ),
    ReleaseDifference(
        rule="A leader drops a follower that is silent for too long, although it has everything.",
        settings={"drops_caught_up": 1},
        since="0.8.0",
        until="2.0.1",
        source="Partition.getOutOfSyncReplicas",
        known="code read at 1.1.1, 2.0.1 and 2.1.1; run: 0.10.2.2 and 2.0.1 drop it, 3.9.1 and 4.1.1 do not",
    ),
    ReleaseDifference(
        rule="A follower enters the ISR only with the start of the leader's epoch in its log.",
        settings={"epoch_start_guard": 1},
        since="2.0.1",
        source="KAFKA-7128",
        known="code read at 2.0.0 and 2.0.1; 1.1.2, for which it was marked too, was never released",
    ),
    ReleaseDifference(
        rule="A follower that has missed a leader epoch asks again where to cut its log.",
        settings={"notices_missed_epoch": 1},
        since="2.0.1",
        source="KAFKA-7164",
        known="code read at 2.0.0 and 2.0.1",
    ),
    ReleaseDifference(
        rule="Leaders refuse fetches of another leader epoch, and every epoch is a new beginning for a follower.",
        settings={"fencing": 1},
        since="2.1.0",
        source="KIP-320 (KAFKA-7395)",
        known="run: 4.1.1 refuses them",
    ),
    ReleaseDifference(
        rule="A leader asks the controller for another ISR, and counts the replicas of both until it is answered.",
        settings={"isr_in_flight": 1},
        since="2.7.0",
        source="KIP-497 (KAFKA-8836)",
        known=READ,
    ),
    ReleaseDifference(
        rule="An answered ISR change does not move the high watermark; the next fetch that tells something new does.",
        settings={"high_watermark_on_answer": 0},
        since="2.7.0",
        until="3.0.2",
        source="KAFKA-13091",
        known="run: 2.7.2 and 3.0.2",
    ),
    ReleaseDifference(
        rule="A fetch that is only told where to cut counts as if the follower had what it asked for.",
        settings={"counts_diverging_fetch": 1},
        since="2.8.0",
        until="2.8.0",
        source="KAFKA-13141; leaders of 2.7.0 and 2.7.1 would, but no follower of theirs asks so",
        known="code read at 2.7.1, 2.7.2, 2.8.0 and 2.8.1",
    ),
    ReleaseDifference(
        rule="Producers ask for acks=all and are idempotent by default.",
        settings={"acks": ACKS_ALL, "idempotence": 1},
        since="3.1.0",
        source="KIP-679, in 3.0; in force without other settings from 3.0.1 and 3.1.1 on (KAFKA-13598)",
        known="documentation of the releases",
    ),
    ReleaseDifference(
        rule="The controller refuses an ISR with a broker in it that is fenced, offline, or about to shut down.",
        settings={"isr_without_fenced": 1},
        since="3.3.0",
        source="KIP-841; with ZooKeeper KAFKA-14140",
        known="code read at 3.2.3 and 3.3.0: ReplicationControlManager.ineligibleReplicasForIsr, KafkaController.processAlterPartition",
    ),
    ReleaseDifference(
        rule="The controller ignores that unclean election is allowed: what reads the configuration is a stub.",
        settings={"ignores_unclean": 1},
        since="3.1.0",
        until="3.8.1",
        modes=(KRAFT,),
        source="KAFKA-12670; ConfigurationControlManager.uncleanLeaderElectionEnabledForTopic",
        known="code read in the branches of 3.8 and 3.9",
    ),
    ReleaseDifference(
        rule="A follower in a new leader epoch takes no response before it has cut its log, and the thread that cuts waits for it.",
        settings={"responses_know_epoch": 1},
        since="1.1.0",
        until="2.7.2",
        source="AbstractFetcherThread.processFetchRequest, PartitionFetchState.isReadyForFetch",
        known="code read at 1.0.2, 1.1.0, 2.7.2 and 2.8.0",
    ),
    ReleaseDifference(
        rule="A fetch that is counted after its leader has followed another changes no high watermark.",
        settings={"late_counts_are_lost": 1},
        since="3.3.0",
        source="Partition.updateAssignmentAndIsr empties the map of followers; Partition.fetchRecords holds the object from before",
        known="code read at 3.2.3, 3.3.0 and 4.3.1",
    ),
    ReleaseDifference(
        rule="A follower drops the response to a fetch of an earlier leader epoch, and records of a newer epoch than its own.",
        settings={"responses_know_epoch": 1, "refuses_newer_records": 1},
        since="3.9.1",
        until="3.9.2",
        source="KAFKA-18991, AbstractFetcherThread.processFetchRequest; KAFKA-18723, UnifiedLog.append",
        known=READ,
    ),
    ReleaseDifference(
        rule="A follower drops the response to a fetch of an earlier leader epoch, and records of a newer epoch than its own.",
        settings={"responses_know_epoch": 1, "refuses_newer_records": 1},
        since="4.0.1",
        source="the same; 4.0.0 came from another branch, without it",
        known=READ,
    ),
    ReleaseDifference(
        rule="A move of a replica between log directories clears the eligible leader replicas.",
        settings={"directory_moves_clear_elr": 1},
        since="4.1.0",
        until="4.2.2",
        source="ReplicationControlManager.handleAssignReplicasToDirs, fixed in 4.3 by PR 20716 of apache/kafka",
        known="run: 4.1.1 clears them, 4.3.1 does not; code read at 4.1.2 and 4.2.1; the compiled class of 4.2.2 is that of 4.2.1",
    ),
    ReleaseDifference(
        rule="Metadata with the partition epoch that the leader has already takes back its next proposal of an ISR.",
        settings={"takes_back_proposals": 1},
        since="3.0.0",
        modes=(KRAFT,),
        source="Partition.makeLeader takes any partition epoch up to 3.2, and from KAFKA-13790 (3.3.0) on skips only smaller ones",
        known="run: 3.6.2, 3.9.2, 4.1.1, 4.3.1 and 4.4.0 lose a record by it; code read at 3.0.2, 3.2.3, 3.3.2 and 4.3.1",
    ),
    ReleaseDifference(
        rule="The controller refuses an ISR with a broker that has restarted since the leader asked.",
        settings={"broker_epochs": 1},
        since="3.5.0",
        modes=(KRAFT,),
        source="KIP-903; with ZooKeeper leaders send -1, and the controller looks whether the broker lives only",
        known="code read",
    ),
    ReleaseDifference(
        rule="Every ISR that loses a member comes with a new leader epoch, also one that the leader asked for.",
        settings={"epoch_per_shrink": EVERY_SHRINK},
        since="3.1.0",
        until="3.5.2",
        modes=(KRAFT,),
        source="PartitionChangeBuilder.triggerLeaderEpochBumpForIsrShrinkIfNeeded; metadata version below 3.6",
        known="code read; at 3.2.3 PartitionChangeBuilder.triggerLeaderEpochBumpIfNeeded",
    ),
    ReleaseDifference(
        rule="An ISR that loses a member does not come with a new leader epoch.",
        settings={"epoch_per_shrink": NO_SHRINK},
        since="3.6.0",
        modes=(KRAFT,),
        source="KAFKA-15021; metadata version 3.6 and later",
        known="run: 3.9.1 and 4.1.1 fence a follower in the same epoch",
    ),
    ReleaseDifference(
        rule="A broker that comes back before it was fenced registers anew and stays leader and in the ISR.",
        settings={"registers_unfenced": 1},
        since="3.1.0",
        until="3.9.2",
        modes=(KRAFT,),
        source="KAFKA-18106, KAFKA-18635; ClusterControlManager.registerBroker",
        known="code read, at 3.2.3 too",
    ),
    ReleaseDifference(
        rule="The high watermark stays while the ISR is smaller than min ISR.",
        settings={"strict_min_isr": 1},
        since="3.7.0",
        source="KAFKA-15583 (KIP-966)",
        known="run: 3.6.2 moves it, 3.7.2 does not",
    ),
    ReleaseDifference(
        rule="Replicas that leave an ISR below min ISR stay eligible for leadership, in new clusters.",
        settings={"elr": 1},
        since="4.1.0",
        modes=(KRAFT,),
        source="KIP-966; eligible.leader.replicas.version, there from 4.0 on and off",
        known="run: 4.1.1 elects from the ELR, 3.9.1 waits",
    ),
)
"""What tells releases apart, as far as the model switches it."""

ALWAYS = {
    "acks": ACKS_ONE,
    "maximal_isr": 1,
    "high_watermark_on_answer": 1,
    "epoch_per_shrink": SHRINK_BY_CONTROLLER,
}
"""What the first release does where no switch off is meant, and all do until a difference says otherwise."""


def settings_of(release: str, mode: str) -> dict[str, int]:
    """What the model switches for brokers of a release in a mode. Later differences go before earlier ones."""
    settings = dict(ALWAYS)
    for difference in DIFFERENCES:
        if difference.holds_for(release, mode):
            settings.update(difference.settings)
    return settings


def has_mode(release: str, mode: str) -> bool:
    """Can the release be run so?"""
    place = RELEASES.index(release)
    if mode == KRAFT:
        return place >= RELEASES.index(FIRST_WITH_KRAFT)
    return place <= RELEASES.index(LAST_WITH_ZOOKEEPER)


@dataclass(frozen=True, kw_only=True)
class ReleaseSpan:
    """Releases that behave alike, from the first to the last of them, in one mode."""

    first: str
    last: str
    mode: str = ZOOKEEPER

    def __contains__(self, release: object) -> bool:
        return release in RELEASES[RELEASES.index(self.first) : RELEASES.index(self.last) + 1]


SPANS: Mapping[str, tuple[ReleaseSpan, ...]] = {
    "kafka-0.8": (ReleaseSpan(first="0.8.0", last="0.8.2.2"),),
    "kafka-0.9.0.0": (ReleaseSpan(first="0.9.0.0", last="0.9.0.0"),),
    "kafka-0.9": (ReleaseSpan(first="0.9.0.1", last="0.10.2.2"),),
    "kafka-0.11": (ReleaseSpan(first="0.11.0.0", last="1.0.2"),),
    "kafka-1.1": (ReleaseSpan(first="1.1.0", last="1.1.1"),),
    "kafka-2.0.0": (ReleaseSpan(first="2.0.0", last="2.0.0"),),
    "kafka-2.0": (ReleaseSpan(first="2.0.1", last="2.0.1"),),
    "kafka-2.1": (ReleaseSpan(first="2.1.0", last="2.5.0"),),
    "kafka-2.5.1": (ReleaseSpan(first="2.5.1", last="2.6.3"),),
    "kafka-2.7": (ReleaseSpan(first="2.7.0", last="2.7.2"),),
    "kafka-2.8.0": (ReleaseSpan(first="2.8.0", last="2.8.0"),),
    "kafka-2.8": (ReleaseSpan(first="2.8.1", last="3.0.2"),),
    "kafka-3.1": (ReleaseSpan(first="3.1.0", last="3.2.3"),),
    "kafka-3.3-zk": (ReleaseSpan(first="3.3.0", last="3.4.0"),),
    "kafka-3.4.1": (ReleaseSpan(first="3.4.1", last="3.6.2"),),
    "kafka-3.7-zk": (ReleaseSpan(first="3.7.0", last="3.9.0"),),
    "kafka-3.9-zk": (ReleaseSpan(first="3.9.1", last="3.9.2"),),
    "kafka-3.1-kraft": (ReleaseSpan(first="3.1.0", last="3.2.3", mode=KRAFT),),
    "kafka-3.3": (ReleaseSpan(first="3.3.0", last="3.4.0", mode=KRAFT),),
    "kafka-3.4.1-kraft": (ReleaseSpan(first="3.4.1", last="3.4.1", mode=KRAFT),),
    "kafka-3.5": (ReleaseSpan(first="3.5.0", last="3.5.2", mode=KRAFT),),
    "kafka-3.6": (ReleaseSpan(first="3.6.0", last="3.6.2", mode=KRAFT),),
    "kafka-3.7": (ReleaseSpan(first="3.7.0", last="3.8.1", mode=KRAFT),),
    "kafka-3.9.0": (ReleaseSpan(first="3.9.0", last="3.9.0", mode=KRAFT),),
    "kafka-3.9": (ReleaseSpan(first="3.9.1", last="3.9.2", mode=KRAFT),),
    "kafka-4.0.0": (ReleaseSpan(first="4.0.0", last="4.0.0", mode=KRAFT),),
    "kafka-4.0": (ReleaseSpan(first="4.0.1", last="4.0.2", mode=KRAFT),),
    "kafka-4.1": (ReleaseSpan(first="4.1.0", last="4.2.2", mode=KRAFT),),
    "kafka-4.3": (ReleaseSpan(first="4.3.0", last="4.4.0", mode=KRAFT),),
}
"""Which releases each version stands for."""

STATEMENTS: Mapping[str, str] = {
    "kafka-0.8": "0.8: a new follower cuts its log to its own high watermark; unclean election on.",
    "kafka-0.9.0.0": "0.9.0.0: a leader keeps what it knew of its followers in a newer epoch of its own.",
    "kafka-0.9": "0.9.0.1 to 0.10: a follower beyond its leader's log does not drop all of its own (KAFKA-2143).",
    "kafka-0.11": "0.11 and 1.0: a new follower asks the leader where its last epoch ends (KIP-101); unclean election off.",
    "kafka-1.1": "1.1: a consumer may read what is appended meanwhile (KAFKA-9835).",
    "kafka-2.0.0": "2.0.0: logs are compared from the tail, epoch by epoch (KIP-279).",
    "kafka-2.0": "2.0.1: the epoch's start bars the ISR (KAFKA-7128); missed epochs are noticed (KAFKA-7164, KAFKA-7415).",
    "kafka-2.1": "2.1 to 2.5.0: a fetch in another epoch than the leader's is refused (KIP-320).",
    "kafka-2.5.1": "2.5.1 and 2.6: a consumer reads nothing above the high watermark (KAFKA-9835).",
    "kafka-2.7": "2.7: ISR changes are asked of the controller (KIP-497).",
    "kafka-2.8.0": "2.8.0: followers cut their logs as fetches tell (KIP-595), and such a fetch counts (KAFKA-13141).",
    "kafka-2.8": "2.8.1 to 3.0: a diverging fetch does not count.",
    "kafka-3.1": "3.1 and 3.2 with ZooKeeper: an answered ISR change moves the high watermark (KAFKA-13091); acks=all.",
    "kafka-3.3-zk": "3.3 to 3.4.0 with ZooKeeper: brokers that are offline stay out of the ISR (KAFKA-14140).",
    "kafka-3.4.1": "3.4.1 to 3.6 with ZooKeeper: followers expose nothing that they are about to cut (KAFKA-14704).",
    "kafka-3.7-zk": "3.7 to 3.9.0 with ZooKeeper: the high watermark stays while the ISR is below min ISR (KAFKA-15583).",
    "kafka-3.9-zk": "3.9.1 and 3.9.2 with ZooKeeper: followers drop responses of earlier epochs (KAFKA-18991, KAFKA-18723).",
    "kafka-3.1-kraft": "3.1 and 3.2, KRaft as a preview: brokers hear of several epochs at once; fenced ones may be in the ISR.",
    "kafka-3.3": "3.3 to 3.4.0, KRaft: fenced brokers stay out of the ISR (KIP-841).",
    "kafka-3.4.1-kraft": "3.4.1, KRaft: followers expose nothing that they are about to cut (KAFKA-14704).",
    "kafka-3.5": "3.5, KRaft: restarted brokers that the leader does not know stay out of the ISR (KIP-903).",
    "kafka-3.6": "3.6, KRaft: a smaller ISR is no new leader epoch (KAFKA-15021).",
    "kafka-3.7": "3.7 and 3.8, KRaft: the high watermark stays while the ISR is below min ISR (KAFKA-15583).",
    "kafka-3.9.0": "3.9.0, KRaft: unclean election may be configured (KAFKA-12670).",
    "kafka-3.9": "3.9.1 and 3.9.2, KRaft: followers drop responses of earlier epochs (KAFKA-18991, KAFKA-18723).",
    "kafka-4.0.0": "4.0.0: KRaft only; a broker that returns before it was fenced leaves the ISR (KAFKA-18106); without KAFKA-18991.",
    "kafka-4.0": "4.0.1 and 4.0.2: followers drop responses of earlier epochs (KAFKA-18991, KAFKA-18723); ELR is there, but off.",
    "kafka-4.1": "4.1 and 4.2: eligible leader replicas (KIP-966), on in new clusters; moves between directories clear them.",
    "kafka-4.3": "4.3 and 4.4: a move between log directories keeps the eligible leader replicas.",
}


def version_name(release: str, mode: str) -> str:
    """The name of the version that stands for a release in a mode. Raises LookupError if there is none."""
    for name, spans in SPANS.items():
        if any(span.mode == mode and release in span for span in spans):
            return name
    raise LookupError(f"no version stands for {release} with {mode}")


FIRST_KRAFT_FOR_USE = "3.3.0"
"""From here on KRaft is no preview (KIP-833): a release that is named without a mode is meant so."""
SUFFIXES = {"-zk": ZOOKEEPER, "-kraft": KRAFT}


def version_meant(name: str) -> str | None:
    """The version that a release's own name means: `kafka-3.8` is `kafka-3.7`, `kafka-3.8-zk` is `kafka-3.7-zk`.

    None for a name of no release, and where the releases of a line behave differently.
    """
    mode = next((mode for suffix, mode in SUFFIXES.items() if name.endswith(suffix)), None)
    text = name.removeprefix("kafka-").removesuffix("-zk").removesuffix("-kraft")
    releases = [release for release in RELEASES if release == text or release.startswith(f"{text}.")]
    found = set()
    for release in releases:
        usual = KRAFT if RELEASES.index(release) >= RELEASES.index(FIRST_KRAFT_FOR_USE) else ZOOKEEPER
        if not has_mode(release, mode or usual):
            return None
        found.add(version_name(release, mode or usual))
    return found.pop() if len(found) == 1 and name.startswith("kafka-") else None
