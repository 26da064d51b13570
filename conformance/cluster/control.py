"""What the controller of a cluster can be asked to do, the same for ZooKeeper and KRaft."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .gates import Node
from .wire import PartitionState

if TYPE_CHECKING:
    from .steps.news import News
    from .steps.partition_run import PartitionRun

CONTROLLING = 100
"""The node that controls: a broker without replicas, that is not behind gates."""


FOR_EVER_MS = 2**62
"""So long records are kept. With -1, which means for ever from 0.9.0.0 on (KAFKA-1990), 0.8.2.1 removes them within minutes."""


def topic_settings(min_isr: int) -> dict[str, str]:
    """The settings of a topic of which nothing is removed for its age, and that has no unclean election by itself."""
    return {
        "retention.ms": str(FOR_EVER_MS),
        "min.insync.replicas": str(min_isr),
        "unclean.leader.election.enable": "false",
    }


class Control(Protocol):
    """The controller of a cluster, and what it takes to have one."""

    destination: Node
    """Where brokers send what they ask the controller for, such as another ISR."""
    absent: tuple[str, ...]
    """The kinds of requests that no broker sends to it, or gets from it."""

    def start(self) -> None:
        """Start what controls, and wait until it does."""

    def close(self) -> None:
        """End what this holds open; processes are the cluster's."""

    def properties(self, node: int) -> Mapping[str, str]:
        """What a node's properties say of the controller."""

    def format(self, broker: int) -> None:
        """Write into new log directories of a broker what it takes to start with them."""

    def news(self, run: PartitionRun) -> News:
        """How the brokers of a run hear of what it decides."""

    def live(self) -> set[int]:
        """The nodes whose sessions last."""

    def keep_session(self, broker: int) -> None:
        """Keep the session of a broker alive, however dead the broker is."""

    def hold_heartbeats(self, broker: int) -> None:
        """From now on nothing is heard of a broker that lives; its session lasts until it is ended."""

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

    def watch_decisions(self, topic: str, noted: Callable[[PartitionState, float], bool]) -> None:
        """Note each state of a topic's partition, and when it was decided on, until that returns False; if the log has them not."""

    def metadata_log(self) -> bytes:
        """The log of all decisions; empty if there is none."""

    def move_leader(self, topic: str, replicas: Sequence[int]) -> None:
        """Change the order of the replicas, and have the first of them elected."""

    def elect_preferred(self, topic: str) -> None:
        """Have the first of the replicas elected, if it may lead."""

    def elect_unclean(self, topic: str, settings: Mapping[str, str]) -> None:
        """Have any live replica elected."""
