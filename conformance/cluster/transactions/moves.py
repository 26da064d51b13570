"""How the coordinator moves: to a broker that has what its log has not acknowledged, and then to one that has not."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..cluster import Cluster
from ..gates import FETCH, MARKERS
from ..topic import ClusterTopic
from .observing import COORDINATORS_LOG, Noted
from .requests import Reply, Requests


class Moves:
    """The brokers of a cluster are the coordinator in turn; each has a replica of its log."""

    def __init__(self, cluster: Cluster, requests: Requests, leaders: Collection[int]) -> None:
        self.gates, self.requests, self.leaders = cluster.gates, requests, leaders
        self.brokers = cluster.brokers
        self.log = ClusterTopic(
            cluster, COORDINATORS_LOG, cluster.brokers, {"cleanup.policy": "compact", "min.insync.replicas": "2"}
        )
        self._answer: Callable[[], Reply | None] | None = None
        """What waits for the answer to what is written, and not acknowledged."""

    def begin(self) -> None:
        """Have the first broker be the coordinator, and all have the same log."""
        first = self.brokers[0]
        if COORDINATORS_LOG not in self.log.wire.topics(self.log.port(first)):
            self.log.create()
        # Only a member of the ISR is elected, and a broker that was slow may have left it.
        self.log.until_in_sync()
        self.log.move_leader(first)
        self.log.until(lambda: self.log.is_in_sync() and self.log.is_at_rest(first), "the same log everywhere")
        self.requests.coordinator = first

    def write(self, send: Callable[[], Callable[[], Reply | None]], noted: Callable[[int], Noted | None]) -> None:
        """Have the coordinator write what a request asks for, and the next one read it, while the last of them reads nothing.

        The last one stays in the ISR as long as its lag time allows. So the log does not acknowledge what is written. `send` sends the
        request, and returns what waits for its answer.
        """
        now, last = self.requests.coordinator, self.brokers[-1]
        heir = self._after(now)
        for leader in (now, heir):
            self.gates.shut(FETCH, last, leader)
        # One that is on its way would read what is written.
        self.gates.waiting(FETCH, last, now)
        before = noted(heir)
        self._answer = send()
        self.log.until(lambda: noted(heir) != before, f"what is written on {self.log.named(heir)}")

    def move(self) -> Reply | None:
        """Have the next broker be the coordinator: the answer to what was written, if anything was and its sender has waited.

        What the one before sends from now on stays at its gates. It is late, and no step of the run.
        """
        now = self.requests.coordinator
        self.log.move_leader(self._after(now))
        self.log.until(lambda: not self.log.leads(now), f"{self.log.named(now)} to lead no more")
        for leader in self.leaders:
            self.gates.cut_waiting(MARKERS, now, leader)
        self.requests.coordinator = self._after(now)
        answer, self._answer = self._answer, None
        return None if answer is None else answer()

    def _after(self, broker: int) -> int:
        return self.brokers[self.brokers.index(broker) + 1]
