"""What distinguishes the consumer groups of releases: each rule with the releases that have it, and how that is known.

A version stands for brokers and Java clients of the same release.
"""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.kafka.groups.state import Protocol

from ..releases import EITHER, RELEASES, NamedVersion, ReleaseDifference, TimeLine

FORGETS_COMMITS = ("loads_to_high_watermark", "loads_old", "acknowledges_lost")
"""The settings by which an acknowledged commit no longer counts when the coordinator moves (KAFKA-5059, KAFKA-5600, KAFKA-20634)."""

READ = "code read at the tags on both sides"
BRANCHES = "code read on the branches of the releases; the fix's commits are in those of {}"


def _expires_in_rebalance(since: str, until: str) -> ReleaseDifference:
    return ReleaseDifference(
        rule="Offsets may expire while a group rebalances that had no member before.",
        settings={"expires_in_rebalance": 1},
        since=since,
        until=until,
        source="KAFKA-13636; GroupMetadata.getExpiredOffsets relies on subscribed topics, which are none then",
        known=READ,
    )


def _acknowledges_lost(since: str, until: str) -> ReleaseDifference:
    return ReleaseDifference(
        rule="A coordinator whose partition follows another leader may acknowledge a commit that is truncated.",
        settings={"acknowledges_lost": 1},
        since=since,
        until=until,
        source="KAFKA-20634; CoordinatorPartitionWriter.ListenerAdapter.onHighWatermarkUpdated",
        known=BRANCHES.format("4.0.3, 4.1.3, 4.2.2, 4.3.1 and 4.4.0"),
    )


DIFFERENCES = (
    ReleaseDifference(
        rule="An offset expires some time after its commit, whether the group has members or not.",
        settings={"expires_in_use": 1},
        since="0.9.0.0",
        until="2.0.1",
        source="KIP-211 (KAFKA-4682); GroupMetadata.removeExpiredOffsets",
        known="code read at 2.0.1 and 2.1.0",
    ),
    ReleaseDifference(
        rule="Consumers compare leader epochs, and notice that a partition was truncated below their position.",
        settings={"checks_epoch": 1},
        since="2.3.0",
        source="KIP-320 (KAFKA-7747); Fetcher.validateOffsetsIfNeeded, SubscriptionState.maybeValidatePosition",
        known="code read at 2.1.0, 2.2.2 and 2.3.0: brokers have KIP-320 from 2.1 on, consumers from 2.3 on",
    ),
    ReleaseDifference(
        rule="The classic consumer may commit offsets of records that poll has yet to return.",
        settings={"commits_in_last_poll": 1},
        since="0.9.0.0",
        until="0.9.0.0",
        source="KAFKA-2942; KafkaConsumer.poll: ConsumerNetworkClient.poll runs the AutoCommitTask behind fetchedRecords",
        known=READ,
    ),
    ReleaseDifference(
        rule="A new coordinator keeps what it has loaded from the first part of its log, and so an older offset.",
        settings={"loads_old": 1},
        since="0.11.0.0",
        until="0.11.0.0",
        source="KAFKA-5600; GroupMetadataManager.doLoadGroupsAndOffsets",
        known=READ,
    ),
    ReleaseDifference(
        rule="A new coordinator reads its log to its own high watermark, which may be behind what is acknowledged.",
        settings={"loads_to_high_watermark": 1},
        since="0.9.0.0",
        until="0.10.2.2",
        source="KAFKA-5059 ended it; GroupMetadataManager.doLoadGroupsAndOffsets, Partition.makeLeader",
        known="code read on the branches of 0.9.0, 0.10.0, 0.10.1, 0.10.2 and 0.11.0",
    ),
    ReleaseDifference(
        rule="A member that joins again, with the same metadata, gets the generation that the coordinator has.",
        settings={"rejoins_quietly": 1},
        since="0.9.0.0",
        until="3.3.2",
        source=(
            "KIP-792 ended it: the metadata have the generation (ConsumerCoordinator.metadata);"
            " GroupCoordinator.doCurrentMemberJoinGroup"
        ),
        known="code read on the branches of 0.9.0, 0.11.0, 2.3, 3.3 and 3.4",
    ),
    ReleaseDifference(
        rule="Poll returns records of what a cooperative member keeps while the group rebalances.",
        settings={"reads_in_rebalance": 1},
        since="2.5.0",
        source="KAFKA-8421; KafkaConsumer.updateAssignmentMetadataIfNeeded, ConsumerCoordinator.poll",
        known=READ,
    ),
    _expires_in_rebalance("2.4.0", "2.8.1"),
    _expires_in_rebalance("3.0.0", "3.0.0"),
    _expires_in_rebalance("3.1.0", "3.1.0"),
    ReleaseDifference(
        rule="The cooperative assignor ignores what members own that have missed a generation.",
        settings={"ignores_old_claims": 1},
        since="2.8.1",
        until="3.4.0",
        source="KAFKA-12984 brought it, KAFKA-14639 ended it; AbstractStickyAssignor.allSubscriptionsEqual",
        known="code read at 2.4.1, 2.8.0, 2.8.1, 3.0.0, 3.4.0 and 3.4.1: to 2.8.0 claims have no generation",
    ),
    ReleaseDifference(
        rule="Before an eager rebalance poll goes on returning records while the last offsets are being committed.",
        settings={"reads_while_revoking": 1},
        since="3.2.0",
        until="3.2.2",
        source="KAFKA-13310 brought it, KAFKA-14196 ended it; ConsumerCoordinator.onJoinPrepare",
        known=READ,
    ),
    ReleaseDifference(
        rule="The new consumer may commit offsets of records that poll has yet to return.",
        settings={"commits_unreturned": 1},
        since="3.7.0",
        until="3.9.2",
        source="KAFKA-18641; CommitRequestManager.maybeAutoCommitAsync of the previews",
        known="the fix's commits are on the branches of 4.0 and later only",
    ),
    ReleaseDifference(
        rule="The new consumer may again commit offsets of records that poll has yet to return.",
        settings={"commits_unreturned": 1},
        since="4.2.0",
        source="KAFKA-18376, KAFKA-19589; AsyncKafkaConsumer.collectFetch does not wait until allConsumed is read to be committed",
        known="code read on the branches of 4.1, 4.2, 4.3 and 4.4; no ticket is known",
    ),
    ReleaseDifference(
        rule="A commit that is written and answered with an error counts at once; before, when a coordinator loads its log.",
        settings={"counts_refused": 1},
        since="4.0.0",
        source=(
            "CoordinatorRuntime.CoordinatorContext.append replays what it writes, and OperationTimeout takes nothing back;"
            " GroupMetadataManager.storeOffsets takes an offset over in putCacheCallback, without an error only"
        ),
        known="code read at 0.9.0.0, 0.10.2.1, 2.5.1, 3.6.2 and on the branches of 3.7, 3.8, 3.9, 4.0 and 4.3; played on 4.3.1",
    ),
    ReleaseDifference(
        rule="The coordinator of KIP-848's preview may acknowledge a commit that is truncated, as that of 4.0.",
        settings={"preview_acknowledges_lost": 1},
        since="3.7.0",
        until="3.9.2",
        source="KAFKA-20634; CoordinatorPartitionWriter.ListenerAdapter.onHighWatermarkUpdated",
        known="code read on the branches of 3.7, 3.8 and 3.9",
    ),
    ReleaseDifference(
        rule="The coordinator of KIP-848's preview answers a heartbeat with what it has read in its log, before others have it.",
        settings={"preview_answers_at_once": 1},
        since="3.7.0",
        until="3.8.1",
        source="KAFKA-16973; CoordinatorRuntime: a write without records waited for pending ones only",
        known="code read on the branches of 3.7, 3.8 and 3.9",
    ),
    ReleaseDifference(
        rule="The new consumer resets a partition that is assigned while it fetches the committed offset of another.",
        settings={"resets_unfetched": 1},
        since="3.7.0",
        until="3.9.2",
        source="KAFKA-17066, KAFKA-17674, in 3.7 KAFKA-16556; AsyncKafkaConsumer.updateFetchPositions",
        known="code read on the branches of 3.7, 3.8 and 3.9, and at 3.9.2 and 4.0.0; seen on 3.9.1",
    ),
    ReleaseDifference(
        rule="A partition whose onPartitionsAssigned runs is not in a heartbeat that repeats everything.",
        settings={"drops_what_is_taken": 1},
        since="3.8.0",
        source="MembershipManagerImpl.revokeAndAssign; CurrentAssignmentBuilder (KAFKA-16249); no ticket is known",
        known="code read on the branches of 3.7, 3.8 and 3.9, and on trunk; seen on 3.9.1, 4.0.0, 4.1.1 and 4.3.1",
    ),
    _acknowledges_lost("4.0.0", "4.2.1"),
    _acknowledges_lost("4.3.0", "4.3.0"),
    ReleaseDifference(
        rule="With the new protocol a commit is accepted from the epoch on in which the member was assigned the partition.",
        settings={"epoch_per_partition": 1},
        since="4.3.0",
        source="KIP-1251 (KAFKA-20066); ConsumerGroup.createAssignmentEpochValidator",
        known="code read on the branches of 4.2 and 4.3",
    ),
)

NAMED = (
    NamedVersion(
        "kafka-groups-0.9.0.0",
        "0.9.0.0",
        EITHER,
        "0.9.0.0: as 0.9.0.1, and commits of records that poll has yet to return.",
    ),
    NamedVersion(
        "kafka-groups-0.9.0.1",
        "0.9.0.1",
        EITHER,
        "0.9.0.1 to 0.10.2: a new coordinator may not load the last offset.",
    ),
    NamedVersion("kafka-groups-0.11.0.0", "0.11.0.0", EITHER, "0.11.0.0: a new coordinator may load an older offset."),
    NamedVersion(
        "kafka-groups-0.11.0.1",
        "0.11.0.1",
        EITHER,
        "0.11.0.1 to 2.0: offsets expire in use, and truncations go unnoticed.",
    ),
    NamedVersion("kafka-groups-2.1", "2.1.0", EITHER, "2.1 and 2.2: offsets expire in empty groups only."),
    NamedVersion("kafka-groups-2.3", "2.3.0", EITHER, "2.3: consumers notice truncations (KIP-320)."),
    NamedVersion("kafka-groups-2.4", "2.4.0", EITHER, "2.4: cooperative rebalances."),
    NamedVersion("kafka-groups-2.5", "2.5.0", EITHER, "2.5 to 2.8.0: poll returns records while the group rebalances."),
    NamedVersion("kafka-groups-2.8.1", "2.8.1", EITHER, "2.8.1: the cooperative assignor ignores old claims."),
    NamedVersion("kafka-groups-2.8.2", "2.8.2", EITHER, "2.8.2: no offset expires in a rebalance."),
    NamedVersion("kafka-groups-3.0.0", "3.0.0", EITHER, "3.0.0: as 2.8.1."),
    NamedVersion("kafka-groups-3.0.1", "3.0.1", EITHER, "3.0.1 and 3.0.2: as 2.8.2."),
    NamedVersion("kafka-groups-3.1.0", "3.1.0", EITHER, "3.1.0: as 2.8.1."),
    NamedVersion("kafka-groups-3.1.1", "3.1.1", EITHER, "3.1.1 and 3.1.2: as 2.8.2."),
    NamedVersion(
        "kafka-groups-3.2.0", "3.2.0", EITHER, "3.2.0 to 3.2.2: poll returns records while partitions are given up."
    ),
    NamedVersion("kafka-groups-3.2.3", "3.2.3", EITHER, "3.2.3 and 3.3: as 2.8.2."),
    NamedVersion("kafka-groups-3.4.0", "3.4.0", EITHER, "3.4.0: members name their generation when they join."),
    NamedVersion("kafka-groups-3.4.1", "3.4.1", EITHER, "3.4.1 to 3.6: the assignor heeds every claim."),
    NamedVersion("kafka-groups-3.7", "3.7.0", EITHER, "3.7: the new protocol as a preview."),
    NamedVersion(
        "kafka-groups-3.8", "3.8.0", EITHER, "3.8: as 3.7; a partition that is being taken may pass for given up."
    ),
    NamedVersion("kafka-groups-3.9", "3.9.0", EITHER, "3.9: as 3.8; the coordinator answers what is replicated."),
    NamedVersion("kafka-groups-4.0", "4.0.0", EITHER, "4.0 and 4.1: the new protocol (KIP-848)."),
    NamedVersion(
        "kafka-groups-4.2.0", "4.2.0", EITHER, "4.2.0 and 4.2.1: the new consumer commits what poll has yet to return."
    ),
    NamedVersion("kafka-groups-4.2.2", "4.2.2", EITHER, "4.2.2: no lost commit is acknowledged."),
    NamedVersion("kafka-groups-4.3.0", "4.3.0", EITHER, "4.3.0: an epoch for each partition (KIP-1251)."),
    NamedVersion("kafka-groups-4.3.1", "4.3.1", EITHER, "4.3.1 and later: no lost commit is acknowledged."),
)

TIME_LINE = TimeLine(differences=DIFFERENCES, named=NAMED, since="0.9.0.0", modes=(EITHER,))

PROTOCOLS: Mapping[int, tuple[str, str]] = {
    Protocol.COOPERATIVE: ("2.4.0", "cooperative rebalances came with 2.4 (KIP-429)"),
    Protocol.CONSUMER: ("3.7.0", "the new protocol came with 3.7, as a preview (KIP-848)"),
}
"""The first release that has a protocol, and why earlier ones lack it."""


def lacking(release: str) -> Mapping[str, Mapping[int, str]]:
    """The protocols that a release does not have."""
    place = RELEASES.index(release)
    return {"protocol": {p: reason for p, (first, reason) in PROTOCOLS.items() if place < RELEASES.index(first)}}
