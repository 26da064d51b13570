"""What distinguishes the quorums of releases: each rule with the releases that have it, and how that is known."""

from __future__ import annotations

from ..releases import KRAFT, NamedVersion, ReleaseDifference, TimeLine

READ = "code read on the branches of 3.8, 3.9, 4.0, 4.1 and 4.2"

DIFFERENCES = (
    ReleaseDifference(
        rule="With kraft.version 1 a voter is an id with a directory, and voters can be added and removed.",
        settings={"reconfigurable": 1},
        since="3.9.0",
        modes=(KRAFT,),
        source="KIP-853; VoterSet, AddVoterHandler, RemoveVoterHandler",
        known=READ,
    ),
    ReleaseDifference(
        rule="A vote names the directory of the candidate; with kraft.version 0 it does so only until the voter restarts.",
        settings={"votes_name_directory": 1},
        since="3.9.0",
        modes=(KRAFT,),
        source="KIP-853; KafkaRaftClient.handleVoteRequest, ElectionState.toQuorumStateData",
        known=READ,
    ),
    ReleaseDifference(
        rule="A voter asks whether it would be elected before it starts a new epoch.",
        settings={"pre_vote": 1},
        since="4.0.0",
        modes=(KRAFT,),
        source="KIP-996 (KAFKA-16164); QuorumState.transitionToProspective",
        known=READ,
    ),
    ReleaseDifference(
        rule="A controller that follows keeps its vote of that epoch.",
        settings={"keeps_vote": 1},
        since="4.0.0",
        modes=(KRAFT,),
        source="QuorumState.transitionToFollower",
        known=READ,
    ),
    ReleaseDifference(
        rule="A controller may replace its old entry among the voters by itself.",
        settings={"can_join": 1},
        since="4.2.0",
        modes=(KRAFT,),
        source="KAFKA-19078 (controller.quorum.auto.join.enable); KafkaRaftClient.pollFollowerAsObserver",
        known=READ,
    ),
)

NAMED = (
    NamedVersion("kafka-quorum-3.1", "3.1.0", KRAFT, "3.1 to 3.8: the voters are those of the configuration."),
    NamedVersion(
        "kafka-quorum-3.9", "3.9.0", KRAFT, "3.9: with kraft.version 1 voters have directory ids, and can be replaced."
    ),
    NamedVersion("kafka-quorum-4.0", "4.0.0", KRAFT, "4.0 and 4.1: a voter asks before it starts an election."),
    NamedVersion("kafka-quorum-4.2", "4.2.0", KRAFT, "4.2 and later: a controller may join the voters by itself."),
)

TIME_LINE = TimeLine(differences=DIFFERENCES, named=NAMED, since="3.1.0", modes=(KRAFT,))
