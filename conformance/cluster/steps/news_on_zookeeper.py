"""What brokers hear from a controller on ZooKeeper: requests of the controller, one after the other."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .. import frames
from ..control import CONTROLLING
from ..gates import CONTROL, FETCH, SHUTDOWN, Answer, Frame
from ..releases import ClusterError
from ..topic import STEP_SECONDS

if TYPE_CHECKING:
    from .partition_run import PartitionRun

CUTS, CUT_SECONDS = 4, 0.7
NEXT_SECONDS = 0.6
"""So long is waited for another request of the controller."""


class ZooKeeperNews:
    """LeaderAndIsr, UpdateMetadata and StopReplica requests, let through one by one."""

    def __init__(self, run: PartitionRun) -> None:
        self.run, self.gates = run, run.gates

    def hold(self) -> None:
        """Hold the controller's requests."""
        for broker in self.run.cluster.brokers:
            self.gates.shut(CONTROL, CONTROLLING, broker)

    def decided(self) -> None:
        """Nothing is to be done: the controller sends each decision on its own."""

    def hear(self, replica: int, epoch: int) -> None:
        """Let the controller's requests through, in turn, up to the one with the epoch."""
        broker, real_epoch = self.run.broker(replica), self.run.real_epoch[epoch]
        while True:
            frame = self.gates.waiting(CONTROL, CONTROLLING, broker, STEP_SECONDS)
            news = frames.leadership(frame, self.run.topic.name)
            self.gates.release(frame)
            self._await_answer(broker, frame)
            if news is not None and news.leader_epoch >= real_epoch:
                return

    def hear_of_isr(self, leader: int) -> None:
        """It comes with the newest epoch."""
        self.hear(leader, self.run.newest)

    def comes_too_late(self, request: Frame) -> bool:
        """What waits here was asked for before the newest epoch, as brokers hear of an ISR only with an epoch."""
        return True

    def _await_answer(self, broker: int, frame: Frame) -> None:
        """To 1.1 a broker that stops following waits for the answer to a fetch, which may wait here; 0.8 then fetches once more."""
        for _ in range(CUTS):
            with suppress(ClusterError):
                self.gates.answered(frame, CUT_SECONDS)
                return
            self._cut_fetches(broker)
        self.gates.answered(frame)

    def _cut_fetches(self, broker: int) -> None:
        for other in self.run.cluster.brokers:
            self.gates.cut_waiting(FETCH, broker, other)

    def hear_who_lives(self, leader: int) -> None:
        """Let the controller's word on who lives pass, and what the broker has heard before, as far as no decision is before them."""
        requests = self.gates.gate(CONTROL, CONTROLLING, self.run.broker(leader)).requests
        while requests and self._is_no_news(leader, frame := requests[0]):
            self.gates.release(frame)
            self.gates.answered(frame)
            self.gates.wait_a_while(lambda: bool(requests), NEXT_SECONDS)

    def _is_no_news(self, replica: int, frame: Frame) -> bool:
        news = frames.leadership(frame, self.run.topic.name)
        return news is None or news.leader_epoch <= self.run.real_epoch[self.run.knows_of[replica]]

    def ask_for_isr(self, leader: int, request: Frame, isr: tuple[int, ...]) -> str:
        """Change the request, and keep its answer."""
        frames.ask_for_isr(request, self.run.topic.name, self.run.topic.id, isr)
        self.gates.release(request, Answer.HELD)
        return f"its request was changed to {list(isr)}"

    def granted(self) -> None:
        """Nothing is to be done: an answer tells the leader."""

    def hear_of_granted(self, leader: int) -> None:
        """Nothing is to be done: an answer tells the leader."""

    def before_start(self, replica: int) -> None:
        """Nothing is to be done: the controller sends the newest decision to a broker that comes back."""

    before_unfence = has_returned = before_start

    def hold_wish_to_end(self, broker: int) -> None:
        """The controller is asked by a request of its own."""
        self.gates.shut(SHUTDOWN, broker, CONTROLLING)

    def wish_to_end(self, broker: int) -> Frame:
        """The request that waits."""
        return self.gates.waiting(SHUTDOWN, broker, CONTROLLING)

    def before_end(self, replica: int) -> None:
        """Let the request pass."""
        self.gates.open(SHUTDOWN, self.run.broker(replica), CONTROLLING)

    def while_ending(self, replica: int) -> None:
        """To 1.1 a broker that ends waits for the answer to a fetch, which may wait here."""
        self._cut_fetches(self.run.broker(replica))

    def has_ended(self, replica: int) -> None:
        """Its session has ended with it."""
        self.run.ended = replica
