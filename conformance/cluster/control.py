"""What the controller of a cluster can be asked to do, the same for ZooKeeper and KRaft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from .wire import PartitionState

CONTROLLING = 100
"""The node that controls: a broker without replicas, that is not behind gates."""


def topic_settings(min_isr: int) -> dict[str, str]:
    """The settings of a topic of which nothing is removed for its age, and that has no unclean election by itself."""
    return {
        "retention.ms": "-1",
        "min.insync.replicas": str(min_isr),
        "unclean.leader.election.enable": "false",
    }


class Control(Protocol):
    """The controller of a cluster, and what it takes to have one."""

    alter_target: int | str
    """The destination of the requests by which leaders ask for another ISR."""

    def start(self) -> None:
        """Start what controls, and wait until it does."""

    def close(self) -> None:
        """End what this holds open; processes are the cluster's."""

    def properties(self, node: int) -> Mapping[str, str]:
        """What a node's properties say of the controller."""

    def format(self, broker: int) -> None:
        """Write into new log directories of a broker what it takes to start with them."""

    def live(self) -> set[int]:
        """The nodes whose sessions last."""

    def keep_session(self, broker: int) -> None:
        """Keep the session of a broker alive, however dead the broker is."""

    def end_session(self, broker: int) -> None:
        """End the session of a broker now, dead or alive; one that is silent is fenced from now on."""

    def hear_again(self, broker: int) -> None:
        """Let a broker that lives, and whose session has ended, have a new one."""

    def may_restart(self, broker: int) -> None:
        """Make the way free for a broker that starts again."""

    def create_topic(self, topic: str, partitions: Sequence[Sequence[int]], settings: Mapping[str, str]) -> None:
        """Create a topic whose partitions have these replicas, the first as leader."""

    def delete_topic(self, topic: str) -> None:
        """Delete a topic."""

    def partition(self, topic: str, number: int = 0) -> PartitionState:
        """What the controller has of a topic's partition."""

    def move_leader(self, topic: str, replicas: Sequence[int]) -> None:
        """Change the order of the replicas, and have the first of them elected."""

    def elect_preferred(self, topic: str) -> None:
        """Have the first of the replicas elected, if it may lead."""

    def elect_unclean(self, topic: str, settings: Mapping[str, str]) -> None:
        """Have any live replica elected."""
