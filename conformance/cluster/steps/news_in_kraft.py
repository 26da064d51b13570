"""What brokers hear in KRaft mode: they read the metadata log, and say in heartbeats how far, and that they wish to end."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from .. import frames
from ..gates import ALTER_ISR, CONTROLLER, HEARTBEAT, METADATA_LOG, Answer, Frame
from ..releases import ClusterError
from ..sightings import changes_of
from ..topic import STEP_SECONDS
from ..wire import NO_LEADER

if TYPE_CHECKING:
    from ..kraft import KRaftControl
    from .partition_run import PartitionRun

METADATA_SECONDS = 0.6
"""So long is waited for heartbeats of a broker that may not send any."""


class KRaftNews:
    """The metadata log, handed over part by part."""

    def __init__(self, control: KRaftControl, run: PartitionRun) -> None:
        self.control, self.run, self.gates = control, run, run.gates
        self._decided_at = {0: 0}
        """How far the metadata went when each epoch had been issued."""
        self._read_to = [-1 for _ in run.replicas]
        self._granted_at = 0

    def hold(self) -> None:
        """Hold what the brokers with replicas read; who hosts none reads on.

        The controller lets nobody end before every live broker has read so far.
        """
        for replica in self.run.replicas:
            self.gates.shut(METADATA_LOG, self.run.broker(replica), CONTROLLER)
        for replica in self.run.replicas:
            self.gates.waiting(METADATA_LOG, self.run.broker(replica), CONTROLLER)

    def decided(self) -> None:
        """Note where the decision is, and have brokers that are to hear of it next read up to it now."""
        run, offset = self.run, self.control.offset()
        self._decided_at[run.newest] = offset
        for replica in run.replicas:
            hears_next = run.up[replica] and next(iter(run.plan.heard[replica]), None) == run.newest
            if hears_next and self._read_to[replica] < offset:
                self.fetch(replica)

    def fetch(self, replica: int) -> None:
        """Let a broker ask for the metadata now, and keep the answer: it has all decisions up to this one, and none later."""
        broker = self.run.broker(replica)
        frame = self.gates.waiting(METADATA_LOG, broker, CONTROLLER)
        self.gates.release(frame, Answer.HELD)
        gate = self.gates.gate(METADATA_LOG, broker, CONTROLLER)
        self.gates.wait(lambda: frame in gate.answers, STEP_SECONDS, f"the metadata for broker {broker}")

    def hear(self, replica: int, epoch: int) -> None:
        """Hand over the metadata up to the decision."""
        heard = self.run.plan.heard[replica]
        if heard and heard[0] == epoch:
            heard.popleft()
        self.read(replica, self._decided_at[epoch])

    def hear_of_isr(self, leader: int) -> None:
        """Hand over all metadata that there is."""
        self.read(leader, self.control.offset())

    def comes_too_late(self, request: Frame) -> bool:
        """The partition epoch of a request is that of the last decision, unless it comes too late, as one of another topic does."""
        name, topic_id = self.run.topic.name, self.run.topic.id
        if not frames.names(request, name, topic_id):
            return True
        known = frames.asked_with_partition_epoch(request, name, topic_id)
        return known < changes_of(self.control.metadata_log(), topic_id)

    def hear_who_lives(self, leader: int) -> None:
        """Hand over all metadata that there is to a leader of the newest epoch."""
        if self.run.knows_of[leader] == self.run.newest:
            self.hear_of_isr(leader)

    def ask_for_isr(self, leader: int, request: Frame, isr: tuple[int, ...]) -> str:
        """Ask in the leader's name; its own request waits on."""
        run, broker = self.run, self.run.broker(leader)
        epoch = self.gates.sessions[broker].broker_epoch
        run.wire.alter_partition(self.control.port, broker, epoch, run.topic.name, run.topic.id, run.topic.state, isr)
        return f"{list(isr)} was asked for in its name"

    def granted(self) -> None:
        """Note where it is."""
        self._granted_at = self.control.offset()

    def hear_of_granted(self, leader: int) -> None:
        """Hand over the metadata up to it, and let the leader's own request pass."""
        self.read(leader, self._granted_at)
        for frame in list(self.gates.gate(ALTER_ISR, self.run.broker(leader), CONTROLLER).requests):
            # It asks anew as soon as it hears that what it asked for came too late.
            self.gates.release(frame)

    def read(self, replica: int, offset: int) -> None:
        """Hand over metadata up to an offset, and wait until the broker has taken it in."""
        broker = self.run.broker(replica)
        gate = self.gates.gate(METADATA_LOG, broker, CONTROLLER)
        end = time.monotonic() + STEP_SECONDS
        while self._read_to[replica] < offset:
            if self._says_it_read(broker, offset):
                # One that has come back may have read what was decided in that moment.
                self._read_to[replica] = offset
                break
            if time.monotonic() > end:
                raise ClusterError(f"broker {broker} does not read the metadata up to {offset}")
            frame = self.gates.wait(
                lambda: next(iter(gate.answers or gate.requests), None),
                STEP_SECONDS,
                f"a metadata request of broker {broker}",
            )
            self.gates.release(frame)
            self.gates.answered(frame)
            last = frames.last_offset(frame)
            self._read_to[replica] = max(self._read_to[replica], -1 if last is None else last)
        self.gates.wait(
            lambda: any(frame.at > end - STEP_SECONDS for frame in gate.requests) or self._says_it_read(broker, offset),
            STEP_SECONDS,
            f"broker {broker} asking for more metadata",
        )
        # A broker whose heartbeats are held cannot say that it has applied what it read.
        self.gates.wait_a_while(lambda: self._says_it_read(broker, offset), METADATA_SECONDS)

    def _says_it_read(self, broker: int, offset: int) -> bool:
        session = self.gates.sessions.get(broker)
        return session is not None and session.offset >= offset

    def before_start(self, replica: int) -> None:
        """It reads the metadata before it is unfenced."""
        self.gates.open(METADATA_LOG, self.run.broker(replica), CONTROLLER)

    def before_unfence(self, replica: int) -> None:
        """It reads the metadata before it is unfenced, so that it hears that nobody leads, where its release tells brokers that."""
        self.before_start(replica)
        if self.run.topic.state.leader == NO_LEADER and not self.run.cluster.release.hears_of_no_leader:
            return
        heard = partial(self.run.has_heard, replica, self.run.newest)
        self.run.until(heard, f"broker {self.run.broker(replica)} in the newest epoch")

    def has_returned(self, replica: int) -> None:
        """Let a broker read all metadata that there is, and none from now on: what it asked for before is still answered."""
        self.run.returned = replica
        broker, offset = self.run.broker(replica), -1
        while offset < (newest := self.control.offset()):
            offset = newest
            self.gates.wait(
                partial(self._says_it_read, broker, offset), STEP_SECONDS, f"broker {broker} reading the metadata"
            )
        self.gates.shut(METADATA_LOG, broker, CONTROLLER)
        self.gates.waiting(METADATA_LOG, broker, CONTROLLER)
        self._read_to[replica] = offset

    def hold_wish_to_end(self, broker: int) -> None:
        """Heartbeats carry the wish."""
        self.gates.shut(HEARTBEAT, broker, CONTROLLER)

    def wish_to_end(self, broker: int) -> Frame:
        """The first heartbeat with the wish; from then on others are sent in the broker's name, as its own wait."""
        frame = self.gates.wait(lambda: self._first_wish(broker), STEP_SECONDS, f"broker {broker} asking to end")
        self.control.keep_leaving(broker)
        return frame

    def _first_wish(self, broker: int) -> Frame | None:
        for frame in list(self.gates.gate(HEARTBEAT, broker, CONTROLLER).requests):
            if frames.wishes_to_end(frame):
                return frame
            frame.released = Answer.DELIVERED
            self.gates.changed.notify_all()
        return None

    def before_end(self, replica: int) -> None:
        """Let heartbeats pass, and let every broker of the newest epoch read that this one leaves."""
        run, broker = self.run, self.run.broker(replica)
        self.gates.open(HEARTBEAT, broker, CONTROLLER)
        self.gates.open(METADATA_LOG, broker, CONTROLLER)
        for other in run.replicas:
            if other != replica and run.up[other] and run.knows_of[other] == run.newest:
                self.hear_of_isr(other)

    def while_ending(self, replica: int) -> None:
        """Nothing is to be done."""

    def has_ended(self, replica: int) -> None:
        """Send no more heartbeats in its name."""
        self.control.may_restart(self.run.broker(replica))
