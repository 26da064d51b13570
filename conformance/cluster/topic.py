"""A topic on a cluster: how it is made, what is seen of its partition, and how its brokers leave and come back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from .control import CONTROLLING
from .log_files import LogRecord
from .wire import NO_ERROR, PartitionState

if TYPE_CHECKING:
    from .cluster import Cluster

T = TypeVar("T")

STEP_SECONDS = 30.0
RESTART_SECONDS = 90.0


class ClusterTopic:
    """Partition 0 of a topic, on the brokers `order`, the preferred first. `prefix` stands before a broker's id in messages."""

    def __init__(
        self, cluster: Cluster, name: str, order: Sequence[int], settings: Mapping[str, str], *, prefix: str = "broker "
    ) -> None:
        self.cluster, self.name, self.order, self.settings = cluster, name, tuple(order), dict(settings)
        self.control, self.gates, self.wire = cluster.control, cluster.gates, cluster.wire
        self.id = b""
        """What requests may name it by; empty where topics have no ids, and before it is made."""
        self._prefix = prefix

    def named(self, broker: int) -> str:
        """A broker as messages name it."""
        return f"{self._prefix}{broker}"

    def until(self, look: Callable[[], T | None], what: str, seconds: float = STEP_SECONDS) -> T:
        """Wait until something is seen. Raises ClusterError as `Cluster.until` does."""
        return self.cluster.until(look, seconds, what)

    def create(self, seconds: float = RESTART_SECONDS) -> None:
        """Make it, and wait until all its replicas are in the ISR and know their leader."""
        self.control.create_topic(self.name, [self.order], self.settings)
        self.until_in_sync(seconds)
        for broker in self.order:
            ready = partial(self.wire.is_new, self.port(broker), self.name, self.order[0])
            self.until(ready, f"topic {self.name} on {self.named(broker)}", seconds)
        self.until(partial(self.leads, self.order[0]), f"{self.named(self.order[0])} as leader", seconds)
        if self.cluster.release.has_topic_ids:
            self.id = self.wire.topic_id(self.port(CONTROLLING), self.name)

    # What is seen

    @property
    def state(self) -> PartitionState:
        """What the controller has of the partition."""
        return self.control.partition(self.name)

    def port(self, broker: int) -> int:
        """Where clients find a broker."""
        return self.cluster.client_port[broker]

    def leads(self, broker: int) -> bool:
        """Does the broker believe that it leads?"""
        return self.wire.leads(self.port(broker), self.name)

    def end(self, broker: int) -> int | None:
        """The end of a broker's log; None while it hosts no replica."""
        error, end = self.wire.end_offset(self.port(broker), self.name)
        return end if error == NO_ERROR else None

    def high_watermark(self, broker: int) -> int | None:
        """The high watermark of a broker; None while it hosts no replica."""
        return self.wire.high_watermark(self.port(broker), self.name)

    def log(self, broker: int) -> list[LogRecord]:
        """The records on a broker's disk, whether it is alive or dead."""
        return self.cluster.disk(broker).log(self.name)

    def is_in_sync(self) -> bool:
        """Are all replicas in the ISR?"""
        return set(self.state.isr) == set(self.order)

    def until_in_sync(self, seconds: float = RESTART_SECONDS) -> None:
        """Wait until all replicas are in the ISR."""
        self.until(self.is_in_sync, f"topic {self.name} with all replicas in the ISR", seconds)

    def is_at_rest(self, *brokers: int) -> bool:
        """Do all logs end at the same offset, and have these brokers their high watermarks there?"""
        ends = {self.end(broker) for broker in self.order}
        return len(ends) == 1 and {self.high_watermark(broker) for broker in brokers} == ends

    # Brokers leave and come back

    def end_session(self, broker: int) -> None:
        """End the session of a broker, dead or alive, and wait until it has ended."""
        self.control.end_session(broker)
        self.until(lambda: broker not in self.control.live(), f"the end of the session of {self.named(broker)}")

    def start(self, broker: int) -> None:
        """Start a broker whose session has ended."""
        self.control.may_restart(broker)
        self.cluster.start_node(broker)

    def restart(self, broker: int) -> None:
        """Start a broker whose session has ended, and wait until it is live and answers."""
        self.start(broker)
        self.until(lambda: broker in self.control.live(), f"{self.named(broker)} again", RESTART_SECONDS)
        self.until(lambda: self.wire.metadata(self.port(broker)), f"an answer of {self.named(broker)}", RESTART_SECONDS)

    def unfence(self, broker: int) -> None:
        """Let a broker that runs have a session again, and wait for it."""
        self.control.hear_again(broker)
        self.until(lambda: broker in self.control.live(), f"the session of {self.named(broker)}")

    def bring_back(self, dead: Collection[int]) -> None:
        """Start the brokers that are dead, let the others be heard of, and wait until all are in the ISR and have the same log."""
        for broker in sorted(self.order):
            if broker in dead:
                self.start(broker)
            elif broker not in self.control.live():
                self.control.hear_again(broker)
        self.until(self._all_are_back, "all replicas in the ISR again", RESTART_SECONDS)

    def _all_are_back(self) -> bool:
        return (
            self.is_in_sync()
            and len(self.control.live()) == len(self.cluster.nodes)
            and self.is_at_rest(self.state.leader)
        )

    # Elections

    def await_leader(self, broker: int) -> None:
        """Wait until the controller has elected a broker."""
        self.until(lambda: self.state.leader == broker, f"{self.named(broker)} elected")

    def move_leader(self, broker: int) -> None:
        """Make a broker the preferred leader, and have it elected."""
        order = (broker, *(other for other in self.order if other != broker))
        self.control.move_leader(self.name, order)
        self.order = order
        self.await_leader(broker)

    def elect_unclean(self) -> None:
        """Ask for an unclean election."""
        self.control.elect_unclean(self.name, self.settings)
