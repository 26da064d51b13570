"""Every action of the Kafka model as what causes it in a cluster of real brokers.

Replica r1 of the model is broker 1, and so on. Fetches, the controller's requests, changes of the ISR and the metadata log wait at
gates; a step of the model lets through what it stands for, and waits until the brokers have done it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from neverlost.model.core import Step
from neverlost.model.kafka.replication.state import (
    ACKNOWLEDGED,
    ACKS_NONE,
    AFTER_APPEND,
    DELIVERED,
    LOST,
    REFUSED,
    UNKNOWN,
    WAITING,
)

from ..adapter import NotPerformed
from . import frames
from .cluster import Cluster
from .control import CONTROLLING, topic_settings
from .gates import (
    ALTER_ISR,
    CONTROL,
    CONTROLLER,
    FETCH,
    HEARTBEAT,
    METADATA_LOG,
    SHUTDOWN,
    Answer,
    Frame,
    Gate,
)
from .kraft import KRaftControl
from .log_files import HIGH_WATERMARKS, bytes_of
from .planning import Plan
from .releases import ClusterError
from .wire import (
    LEADER_NOT_AVAILABLE,
    NO_ERROR,
    NO_LEADER,
    NOT_ENOUGH_REPLICAS,
    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    NOT_LEADER,
    UNKNOWN_TOPIC,
)

OUTCOMES = {
    NO_ERROR: ACKNOWLEDGED,
    NOT_ENOUGH_REPLICAS: REFUSED,
    NOT_LEADER: REFUSED,
    NOT_ENOUGH_REPLICAS_AFTER_APPEND: AFTER_APPEND,
}
"""What the producer of the model knows after an error code; after any other it knows nothing."""
ACKS = {0: 0, 1: 1, 2: -1}
STEP_SECONDS = 30.0
RESTART_SECONDS = 90.0
LONG_MS = 120_000
EXPAND_SECONDS = 1.0
CUTS, CUT_SECONDS = 4, 0.7
METADATA_SECONDS = 0.6
"""So long is waited for heartbeats of a broker that may not send any."""
NOT_READY = (UNKNOWN_TOPIC, LEADER_NOT_AVAILABLE)


@dataclass
class Sending:
    """A value on its way to a broker: its outcome, None as long as the producer waits."""

    broker: int
    outcome: int | None = None
    error: int | str | None = None
    appended: bool = False


class Driver:
    """One partition of one topic on a cluster, moved by the steps of a model."""

    def __init__(
        self, cluster: Cluster, topic: str, settings: dict[str, int], replicas: int, *, patched: bool = True
    ) -> None:
        self.cluster, self.topic, self.settings, self.patched = cluster, topic, settings, patched
        self.control, self.gates, self.wire = cluster.control, cluster.gates, cluster.wire
        self.kraft = self.control if isinstance(self.control, KRaftControl) else None
        self.replicas = range(replicas)
        self.up = [True] * replicas
        self.leaving: set[int] = set()
        self.returned: int | None = None
        """The broker that the last step brought back, and that has so read all metadata there is."""
        self.ended: int | None = None
        """The broker that the last step shut down, and whose session has ended with it."""
        self.sent: dict[int, Sending] = {}
        self.order: tuple[int, ...] = ()
        self.plan = Plan(order=(), heard=(), granted=deque(), idle=deque())
        self.real_epoch, self.model_epoch = {0: 0}, {0: 0}
        self.leaderless: set[int] = set()
        self.newest = 0
        self.decided_at: dict[int, int] = {0: 0}
        self.heard_at = [0.0] * replicas
        self.knows_of = [0] * replicas
        self.read_to = [-1] * replicas
        self.granted_at = 0
        self.topic_id = b""
        self.notes: list[str] = []

    @property
    def topic_settings(self) -> dict[str, str]:
        """The settings of the topic."""
        return topic_settings(self.settings["min_isr"]) | ({"flush.messages": "1"} if self.settings["flush"] else {})

    def broker(self, replica: int) -> int:
        """The id of the broker that a replica is on."""
        return replica + 1

    def port(self, replica: int) -> int:
        """Where clients find the broker of a replica."""
        return self.cluster.client_port[self.broker(replica)]

    def members(self, replicas: Sequence[int]) -> tuple[int, ...]:
        """Broker ids of replicas."""
        return tuple(sorted(map(self.broker, replicas)))

    def note(self, text: str) -> None:
        """Keep what was otherwise than usual, though not otherwise than the model."""
        self.notes.append(text)

    # The start and the end of a run

    def begin(self, plan: Plan) -> None:
        """Create the topic, wait until all replicas follow, and shut the gates."""
        self.plan = plan
        self.order = tuple(map(self.broker, plan.order))
        self.gates.open_all()
        self.control.create_topic(self.topic, [self.order], self.topic_settings)
        self.cluster.until(
            lambda: len(self.control.partition(self.topic).isr) == len(self.replicas),
            RESTART_SECONDS,
            f"topic {self.topic}",
        )
        for replica in self.replicas:
            ready = partial(self.wire.is_new, self.port(replica), self.topic, self.order[0])
            self._await(ready, f"replica {replica + 1} of {self.topic}")
        if self.cluster.release.has_topic_ids:
            self.topic_id = self.wire.topic_id(self.cluster.client_port[CONTROLLING], self.topic)
        for broker in self.cluster.brokers:
            for other in self.cluster.brokers:
                if broker != other:
                    self.gates.shut(FETCH, broker, other)
            self.gates.shut(CONTROL, CONTROLLING, broker)
            self.gates.shut(ALTER_ISR, broker, self.control.alter_target)
        if self.kraft:
            # Who hosts no replica reads on: the controller lets nobody end before every live broker has read so far.
            for replica in self.replicas:
                self.gates.shut(METADATA_LOG, self.broker(replica), CONTROLLER)
            for replica in self.replicas:
                self.gates.waiting(METADATA_LOG, self.broker(replica), CONTROLLER)
        now = time.monotonic()
        self.heard_at = [now] * len(self.replicas)
        for replica in self.replicas:
            if replica != 0:
                self._fresh_fetch(replica, 0)

    def finish(self) -> None:
        """Open every gate and bring everybody back, until all replicas are in the ISR, and consumers may read to the end of the log.

        Raises ClusterError if that does not come.
        """
        self.gates.open_all()
        for replica in self.replicas:
            if not self.up[replica] and self.broker(replica) in self.control.live():
                self.control.end_session(self.broker(replica))
        for replica in sorted(self.leaving):
            self._finish_shutdown(replica)
        self.leaving.clear()
        for replica in self.replicas:
            broker = self.broker(replica)
            if not self.up[replica]:
                self.control.may_restart(broker)
                self.cluster.start_node(broker)
                self.up[replica] = True
            elif broker not in self.control.live():
                self.control.hear_again(broker)
        self.cluster.until(self._all_are_back, RESTART_SECONDS, "all replicas in the ISR again")

    def _finish_shutdown(self, replica: int) -> None:
        process = self.cluster.processes[self.broker(replica)]
        try:
            self._await(process.has_ended, f"the end of broker {self.broker(replica)}")
        except ClusterError:
            self.note(f"broker {self.broker(replica)} did not end by itself, and was killed")
            process.kill()
        self.gates.node_died(self.broker(replica))
        self.up[replica] = False

    def _all_are_back(self) -> bool:
        state = self.control.partition(self.topic)
        ends = {self._end(replica) for replica in self.replicas}
        return (
            len(state.isr) == len(self.replicas)
            and len(self.control.live()) == len(self.cluster.nodes)
            and {self.wire.high_watermark(self.cluster.client_port[state.leader], self.topic)} == ends
        )

    # Steps

    def perform(self, step: Step) -> None:
        """Make a step of the model happen. Raises NotPerformed if the brokers do not do it."""
        self.returned = self.ended = None
        try:
            getattr(self, f"do_{step.action.name}")(**step.picks())
            self.note_decision()
        except (ClusterError, OSError, LookupError) as error:
            raise NotPerformed(str(error)) from error

    def note_decision(self) -> None:
        """See whether the controller has issued a leader epoch, and have brokers that are to hear of it next read of it now."""
        before, state = self.newest, self.control.partition(self.topic)
        if state.leader_epoch == self.real_epoch[before]:
            return
        self.newest = before + 1
        self.real_epoch[self.newest] = state.leader_epoch
        self.model_epoch[state.leader_epoch] = self.newest
        if state.leader == NO_LEADER:
            self.leaderless.add(state.leader_epoch)
        if state.leader_epoch != self.real_epoch[before] + 1:
            self.note(f"the leader epoch went from {self.real_epoch[before]} to {state.leader_epoch} in one step")
        if self.kraft is None:
            return
        self.decided_at[self.newest] = self.kraft.offset()
        for replica in self.replicas:
            hears_next = self.up[replica] and next(iter(self.plan.heard[replica]), None) == self.newest
            if hears_next and self.read_to[replica] < self.decided_at[self.newest]:
                self._fetch_metadata(replica)

    def _fetch_metadata(self, replica: int) -> None:
        """Let a broker ask for the metadata now, and keep the answer: it has all decisions up to this one, and none later."""
        frame = self.gates.waiting(METADATA_LOG, self.broker(replica), CONTROLLER)
        self.gates.release(frame, Answer.HELD)
        gate = self.gates.gate(METADATA_LOG, self.broker(replica), CONTROLLER)
        self.gates.wait(lambda: frame in gate.answers, STEP_SECONDS, f"the metadata for broker {self.broker(replica)}")

    def _await(self, look: Callable[[], object], what: str, seconds: float = STEP_SECONDS) -> None:
        self.cluster.until(look, seconds, what)

    def _end(self, replica: int) -> int | None:
        error, end = self.wire.end_offset(self.port(replica), self.topic)
        return end if error == NO_ERROR else None

    # The producer

    def _send(self, replica: int, value: int, *, keep_trying: Sequence[int] = NOT_READY) -> Sending:
        sending = self.sent[value] = Sending(self.broker(replica))
        acks = self.settings["acks"]

        def run() -> None:
            end = time.monotonic() + STEP_SECONDS
            while True:
                try:
                    error: int | str | None = self.wire.produce(
                        self.port(replica),
                        self.topic,
                        bytes_of(value),
                        ACKS[acks],
                        wait_ms=LONG_MS,
                        timeout=LONG_MS / 1000,
                    )
                except OSError as problem:
                    error = type(problem).__name__
                if error in keep_trying and not sending.appended and time.monotonic() < end:
                    time.sleep(0.03)
                    continue
                sending.error = error
                if sending.outcome is None:
                    sending.outcome = _outcome(error, acks, sending.appended)
                return

        threading.Thread(target=run, daemon=True).start()
        return sending

    def do_produce(self, leader: int, value: int, response: int) -> None:
        """Send a value to a broker, until it is in the log or refused."""
        end = self._end(leader) or 0
        sending = self._send(leader, value, keep_trying=(*NOT_READY, NOT_LEADER))

        def has_arrived() -> bool:
            sending.appended = (self._end(leader) or 0) > end
            return sending.outcome is not None or sending.appended

        self._await(has_arrived, f"value {value} in the leader's log")
        if response == LOST:
            self._await(lambda: sending.outcome is not None, "the answer that is to be lost")
            sending.outcome = UNKNOWN

    do_retry = do_produce

    def do_refuse_as_not_leader(self, broker: int, value: int) -> None:
        """Send a value to a broker that does not lead."""
        sending = self._send(broker, value, keep_trying=())
        self._await(lambda: sending.outcome is not None, "the refusal")
        if sending.error in NOT_READY:
            sending.outcome = REFUSED

    def do_time_out(self, value: int) -> None:
        """The producer waits no longer; nothing happens in the broker that anybody could see."""
        self.sent[value].outcome = UNKNOWN

    def outcome(self, value: int) -> int | None:
        """What the producer knows of a value; None if it was not sent."""
        if value not in self.sent:
            return None
        outcome = self.sent[value].outcome
        return WAITING if outcome is None else outcome

    # Fetching

    def do_fetch(self, follower: int, leader: int, response: int) -> None:
        """Let one fetch through, and wait until the follower has taken in the answer: it then asks again.

        A follower that once led an epoch without a record of it is first told that this epoch is not the leader's. It cuts nothing
        for that, the leader learns nothing, and it asks once more: in the model that is no step. A follower that has to cut several
        epochs cuts one with each answer: in the model that is one step.
        """
        frame = self._asked(follower, leader)
        if self._cuts_nothing(frame, follower):
            self.note(f"broker {self.broker(follower)} had to forget an epoch without records, and asked once more")
            self._take_in(frame, follower, leader, response=DELIVERED)
            frame = self._asked(follower, leader)
        self._take_in(frame, follower, leader, response=response)
        while response != LOST and self._is_diverging(frame) and not self._begins_as(leader, follower):
            self.note(f"broker {self.broker(follower)} had to cut another epoch, and asked once more")
            frame = self._asked(follower, leader)
            self._take_in(frame, follower, leader, response=DELIVERED)

    def _asked(self, follower: int, leader: int) -> Frame:
        """A fetch that the leader has answered; the answer is held."""
        frame = self._fresh_fetch(follower, leader)
        if self.patched:
            frames.ask_for_one_record_now(frame)
        self.gates.release(frame, Answer.HELD)
        self.gates.answered(frame)
        return frame

    def _take_in(self, frame: Frame, follower: int, leader: int, *, response: int) -> None:
        """Deliver the answer, and wait until the follower asks again; or drop it."""
        sent = time.monotonic()
        self.gates.release(frame, Answer.DROPPED if response == LOST else Answer.DELIVERED)
        if response != LOST:
            self._fresh_fetch(follower, leader, sent)

    def _is_diverging(self, frame: Frame) -> bool:
        return frames.diverging(frame, self.topic, self.topic_id) is not None

    def _cuts_nothing(self, frame: Frame, follower: int) -> bool:
        said = frames.diverging(frame, self.topic, self.topic_id)
        if said is None or said[1] < (self._end(follower) or 0):
            return False
        own = self.cluster.disk(self.broker(follower)).log(self.topic)
        return all(record.epoch is not None and record.epoch <= said[0] for record in own)

    def _begins_as(self, leader: int, follower: int) -> bool:
        """Is the follower's log a beginning of the leader's?"""
        whole, own = (self.cluster.disk(self.broker(replica)).log(self.topic) for replica in (leader, follower))
        rows = [(record.epoch, record.value) for record in whole]
        return [(record.epoch, record.value) for record in own] == rows[: len(own)]

    def _exchange(self, follower: int, leader: int, response: int) -> None:
        self._take_in(self._asked(follower, leader), follower, leader, response=response)

    def _fresh_fetch(self, follower: int, leader: int, since: float | None = None) -> Frame:
        """A waiting fetch for the partition that the follower made after it last heard of something."""
        source, destination = self.broker(follower), self.broker(leader)
        newer_than = self.heard_at[follower] if since is None else since
        gate = self.gates.gate(FETCH, source, destination)
        end = time.monotonic() + STEP_SECONDS
        while True:
            frame = self.gates.waiting(FETCH, source, destination, max(0.1, end - time.monotonic()))
            if frame.at < newer_than:
                self.gates.cut_waiting(FETCH, source, destination)
            elif frames.names(frame, self.topic, self.topic_id):
                return frame
            else:
                self.gates.release(frame)
                self.gates.wait(partial(_has_left, gate, frame), STEP_SECONDS, "another fetch")
            if time.monotonic() > end:
                raise ClusterError(f"broker {source} does not fetch from broker {destination}")

    # What brokers hear

    def do_become_leader(self, replica: int, epoch: int) -> None:
        """Let the broker hear of the epoch, and wait until it leads."""
        self._hear(replica, epoch)
        self._await(lambda: self.wire.leads(self.port(replica), self.topic), f"broker {self.broker(replica)} as leader")

    def do_become_follower(self, replica: int, leader: int, epoch: int) -> None:
        """Let the broker hear of the epoch, and wait until it fetches from the leader, if that is alive."""
        self._hear(replica, epoch)
        if self.up[leader] and self.knows_of[leader] == epoch and replica not in self.leaving:
            self._fresh_fetch(replica, leader)
        if not self.cluster.release.answers_when_deposed:
            self._wait_no_longer(self.broker(replica))

    def do_hear_of_no_leader(self, replica: int, epoch: int) -> None:
        """Let the broker read that nobody leads, and wait until it has taken it in."""
        self._hear(replica, epoch)
        self._await(partial(self._has_heard, replica, epoch), f"broker {self.broker(replica)} without a leader")

    def _has_heard(self, replica: int, epoch: int) -> bool:
        """Is the broker in an epoch, or in a newer one?"""
        found = self.wire.leader_epoch(self.port(replica), self.topic, self.real_epoch[epoch])
        return found is not None and found >= self.real_epoch[epoch]

    def _wait_no_longer(self, broker: int) -> None:
        """A broker that leads no more does not answer: the producer would wait for two minutes, and then knows nothing either."""
        for value, sending in self.sent.items():
            if sending.broker == broker and sending.outcome is None:
                sending.outcome = UNKNOWN
                self.note(f"broker {broker} leads no more and does not answer; the producer gives v{value} up")

    def _hear(self, replica: int, epoch: int) -> None:
        if self.kraft:
            if self.plan.heard[replica] and self.plan.heard[replica][0] == epoch:
                self.plan.heard[replica].popleft()
            self._read_metadata(replica, self.decided_at[epoch])
        else:
            self._hear_from_controller(replica, self.real_epoch[epoch])
        self.heard_at[replica] = time.monotonic()
        self.knows_of[replica] = epoch

    def _read_metadata(self, replica: int, offset: int) -> None:
        """Hand over metadata up to an offset, and wait until the broker has taken it in."""
        broker = self.broker(replica)
        gate = self.gates.gate(METADATA_LOG, broker, CONTROLLER)
        end = time.monotonic() + STEP_SECONDS
        while self.read_to[replica] < offset:
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
            self.read_to[replica] = max(self.read_to[replica], -1 if last is None else last)
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

    def _hear_from_controller(self, replica: int, real_epoch: int) -> None:
        """Let the controller's requests through, in turn, up to the one with the epoch."""
        broker = self.broker(replica)
        while True:
            frame = self.gates.waiting(CONTROL, CONTROLLING, broker, STEP_SECONDS)
            news = frames.leadership(frame, self.topic)
            self.gates.release(frame)
            self._await_control_answer(broker, frame)
            if news is not None and news.leader_epoch >= real_epoch:
                return

    def _await_control_answer(self, broker: int, frame: Frame) -> None:
        """To 1.1 a broker that stops following waits for the answer to a fetch, which may wait here; 0.8 then fetches once more."""
        for _ in range(CUTS):
            with suppress(ClusterError):
                self.gates.answered(frame, CUT_SECONDS)
                return
            self._cut_fetches(broker)
        self.gates.answered(frame)

    def _cut_fetches(self, broker: int) -> None:
        for other in self.cluster.brokers:
            self.gates.cut_waiting(FETCH, broker, other)

    # The ISR

    def do_shrink_isr(self, leader: int, follower: int) -> None:
        """Wait until the leader drops the follower for its lag; meanwhile followers whose fetches change nothing may fetch."""
        idle, patience = self.plan.idle.popleft(), 2 * self.cluster.lag_ms / 1000 + 10
        for other in idle:
            self.gates.open(FETCH, self.broker(other), self.broker(leader))
        if self.cluster.release.asks_for_isr:
            self._asked_isr(leader, patience)
        else:
            self._await(
                lambda: self.broker(follower) not in self.control.partition(self.topic).isr, "a smaller ISR", patience
            )
        now = time.monotonic()
        for other in idle:
            self.gates.shut(FETCH, self.broker(other), self.broker(leader))
            self._fresh_fetch(other, leader, now)

    def _asked_isr(self, leader: int, seconds: float) -> tuple[Frame, tuple[int, ...]]:
        """The request of a leader for another ISR that waits, and the ISR."""
        what = f"a request of broker {self.broker(leader)} for another ISR"
        return self.gates.wait(lambda: self._waiting_request(leader), seconds, what)

    def _waiting_request(self, leader: int) -> tuple[Frame, tuple[int, ...]] | None:
        """A waiting request for another ISR of the topic; requests for other topics, and of an earlier leader epoch, may pass."""
        epoch = self.real_epoch[self.knows_of[leader]]
        with self.gates.changed:
            for frame in list(self.gates.gate(ALTER_ISR, self.broker(leader), self.control.alter_target).requests):
                asked = frames.asked_isr(frame, self.topic, self.topic_id)
                if asked is not None and frames.asked_in_epoch(frame, self.topic, self.topic_id) == epoch:
                    return frame, asked
                self.gates.release(frame)
        return None

    def do_expand_isr(self, leader: int, follower: int) -> None:
        """Have the leader look at the follower until it wants it in the ISR: a fetch makes it look, if it knows that it lives.

        The answer to that fetch is dropped, so that nothing else comes of it.
        """
        if self.kraft and self.knows_of[leader] == self.newest:
            self._read_metadata(leader, self.kraft.offset())
        if not self.kraft:
            self._hear_who_lives(leader)

        def wants() -> bool:
            if self.cluster.release.asks_for_isr:
                return self._waiting_request(leader) is not None
            return self.broker(follower) in self.control.partition(self.topic).isr

        end = time.monotonic() + STEP_SECONDS
        while not wants() and time.monotonic() < end:
            self._exchange(follower, leader, LOST)
            self.gates.wait_a_while(wants, EXPAND_SECONDS)
        self._await(wants, "a larger ISR")

    def _hear_who_lives(self, replica: int) -> None:
        """Let the controller's word on who lives pass, and what the broker has heard before, as far as no decision is before them."""
        requests = self.gates.gate(CONTROL, CONTROLLING, self.broker(replica)).requests
        while requests and self._is_no_news(replica, frame := requests[0]):
            self.gates.release(frame)
            self.gates.answered(frame)
            self.gates.wait_a_while(lambda: bool(requests), METADATA_SECONDS)

    def _is_no_news(self, replica: int, frame: Frame) -> bool:
        news = frames.leadership(frame, self.topic)
        return news is None or news.leader_epoch <= self.real_epoch[self.knows_of[replica]]

    def do_grant_isr(self, leader: int) -> None:
        """Let the leader's request pass, and keep the answer; where it asks for another ISR than the run has, ask in its name."""
        isr = self.members(self.plan.granted.popleft())
        frame, asked = self._asked_isr(leader, STEP_SECONDS)
        if asked == isr:
            self.gates.release(frame, Answer.HELD)
        elif self.kraft is not None:
            self.note(
                f"broker {self.broker(leader)} asked for the ISR {list(asked)}; {list(isr)} was asked for in its name"
            )
            session = self.gates.sessions[self.broker(leader)]
            state = self.control.partition(self.topic)
            self.wire.alter_partition(
                self.kraft.port, self.broker(leader), session.broker_epoch, self.topic_id, state, isr
            )
        else:
            self.note(
                f"broker {self.broker(leader)} asked for the ISR {list(asked)}; its request was changed to {list(isr)}"
            )
            frames.ask_for_isr(frame, self.topic, self.topic_id, isr)
            self.gates.release(frame, Answer.HELD)
        self._await(lambda: self.control.partition(self.topic).isr == isr, f"the ISR {list(isr)}")
        if self.kraft:
            self.granted_at = self.kraft.offset()

    def do_refuse_isr(self, leader: int) -> None:
        """Let the leader's request pass, which the controller refuses."""
        frame, _ = self._asked_isr(leader, STEP_SECONDS)
        self.gates.release(frame)
        self.gates.answered(frame)

    def do_learn_isr(self, leader: int) -> None:
        """Deliver the answer that the leader waits for; what was asked for in its name it reads in the metadata."""
        source, target = self.broker(leader), self.control.alter_target
        gate = self.gates.gate(ALTER_ISR, source, target)
        if gate.answers:
            frame = gate.answers[0]
            self.gates.release(frame)
            self.gates.wait(lambda: frame not in gate.answers, STEP_SECONDS, "the delivered answer")
        elif self.kraft:
            self._read_metadata(leader, self.granted_at)
            for frame in list(gate.requests):
                # It asks anew as soon as it hears that what it asked for came too late.
                self.gates.release(frame)

    def do_hear_of_isr(self, leader: int) -> None:
        """Let the leader hear of an ISR that the controller has changed in its epoch."""
        if self.kraft:
            self._read_metadata(leader, self.kraft.offset())
        else:
            self._hear_from_controller(leader, self.real_epoch[self.newest])
        gate = self.gates.gate(ALTER_ISR, self.broker(leader), self.control.alter_target)
        # A late answer is ignored; but the leader sends no other request before it has it.
        for frame in [*gate.answers, *gate.requests]:
            self.gates.release(frame)

    # The controller

    def _end_session(self, replica: int) -> None:
        self.control.end_session(self.broker(replica))
        self._await(lambda: self.broker(replica) not in self.control.live(), f"broker {self.broker(replica)} fenced")

    def do_fence_follower(self, replica: int) -> None:
        """End a session; the ISR without the broker follows at once."""
        self._end_session(replica)

    def do_lose_leader(self, leader: int) -> None:
        """End the session of a leader that nobody may succeed."""
        self._end_session(leader)
        self._await(lambda: self.control.partition(self.topic).leader == NO_LEADER, "a partition without a leader")

    def do_fail_over(self, leader: int, successor: int) -> None:
        """End the session of a leader."""
        self._end_session(leader)
        self._await_leader(successor)

    def do_elect(self, successor: int) -> None:
        """The controller elects by itself, as soon as somebody may lead."""
        self._await_leader(successor)

    def do_elect_unclean(self, successor: int) -> None:
        """Ask for an unclean election."""
        self.control.elect_unclean(self.topic, self.topic_settings)
        self._await_leader(successor)

    def do_fail_over_unclean(self, leader: int, successor: int) -> None:
        """End the session of a leader that nobody may succeed, then ask for an unclean election."""
        self._end_session(leader)
        self.do_elect_unclean(successor)

    def do_move_leader(self, successor: int) -> None:
        """Make the successor the preferred leader, and ask for a preferred election."""
        preferred = self.broker(successor)
        self.order = (preferred, *(broker for broker in self.order if broker != preferred))
        self.control.move_leader(self.topic, self.order)
        self._await_leader(successor)

    def _await_leader(self, replica: int) -> None:
        broker = self.broker(replica)
        self._await(lambda: self.control.partition(self.topic).leader == broker, f"broker {broker} elected")

    # Faults

    def _kill(self, replica: int) -> None:
        self.cluster.kill(self.broker(replica))
        self.up[replica] = False

    def do_crash(self, replica: int, checkpoint: int) -> None:
        """Kill a broker, and set its high watermark checkpoint."""
        self._kill(replica)
        self.cluster.disk(self.broker(replica)).checkpoint(HIGH_WATERMARKS, self.topic, checkpoint)

    def do_power_loss(self, replica: int, kept: int) -> None:
        """Kill a broker, and cut from its disk what it had not flushed."""
        high_watermark = self.wire.high_watermark(self.port(replica), self.topic) or 0
        self._kill(replica)
        disk = self.cluster.disk(self.broker(replica))
        disk.checkpoint(HIGH_WATERMARKS, self.topic, high_watermark)
        disk.lose_tail(self.topic, kept)

    def do_disk_loss(self, replica: int) -> None:
        """Kill a broker, and remove the partition from its disk."""
        self._kill(replica)
        self.cluster.disk(self.broker(replica)).lose(self.topic)

    def do_restart(self, replica: int) -> None:
        """Start a broker again; in KRaft mode it reads the metadata before it is unfenced."""
        broker = self.broker(replica)
        self.control.may_restart(broker)
        if self.kraft:
            self.gates.open(METADATA_LOG, broker, CONTROLLER)
        self.cluster.start_node(broker)
        self._await(lambda: broker in self.control.live(), f"broker {broker} again", RESTART_SECONDS)
        self._await(lambda: self.wire.metadata(self.cluster.client_port[broker]), f"an answer of broker {broker}")
        self._hold_metadata(replica)
        self.up[replica] = True
        self.leaving.discard(replica)
        self.heard_at[replica] = time.monotonic()

    def _hold_metadata(self, replica: int) -> None:
        """Let a broker read all metadata that there is, and none from now on: what it asked for before is still answered."""
        if self.kraft is None:
            return
        self.returned = replica
        broker, offset = self.broker(replica), -1
        while offset < (newest := self.kraft.offset()):
            offset = newest
            self.gates.wait(
                partial(self._says_it_read, broker, offset), STEP_SECONDS, f"broker {broker} reading the metadata"
            )
        self.gates.shut(METADATA_LOG, broker, CONTROLLER)
        self.gates.waiting(METADATA_LOG, broker, CONTROLLER)
        self.read_to[replica] = offset

    def do_pause(self, replica: int) -> None:
        """From now on nothing is heard of a broker; in its name heartbeats are sent until its session is ended."""
        if self.kraft:
            self.kraft.hold_heartbeats(self.broker(replica))

    def do_unfence(self, replica: int) -> None:
        """A fenced broker is heard of again; in KRaft mode it reads the metadata before, so that it hears that nobody leads."""
        broker = self.broker(replica)
        if self.kraft:
            self.gates.open(METADATA_LOG, broker, CONTROLLER)
            self._await(partial(self._has_heard, replica, self.newest), f"broker {broker} in the newest epoch")
        self.control.hear_again(broker)
        self._await(lambda: broker in self.control.live(), f"broker {broker} again")
        self._hold_metadata(replica)

    # Controlled shutdown

    def _ask_to_end(self, replica: int) -> None:
        broker = self.broker(replica)
        if self.kraft:
            self.gates.shut(HEARTBEAT, broker, CONTROLLER)
        else:
            self.gates.shut(SHUTDOWN, broker, CONTROLLING)
        self.cluster.processes[broker].ask_to_end()
        self.cluster.dead.add(broker)

    def do_hand_over(self, leader: int, successor: int) -> None:
        """Ask a leader to end: it asks the controller, which elects another; the answer is held."""
        self._let_go(leader)
        self._await_leader(successor)

    def do_leave_isr(self, replica: int) -> None:
        """Ask a follower to end: it asks the controller, which takes it out of the ISR; the answer is held."""
        self._let_go(replica)

    def _let_go(self, replica: int) -> None:
        broker = self.broker(replica)
        self.leaving.add(replica)
        self._ask_to_end(replica)
        if self.kraft:
            # Heartbeats carry the wish; the first with it is let through, and its answer is kept.
            target: int | str = CONTROLLER
            frame = self.gates.wait(lambda: self._wish_to_end(broker), STEP_SECONDS, f"broker {broker} asking to end")
            self.kraft.keep_leaving(broker)
        else:
            target = CONTROLLING
            frame = self.gates.waiting(SHUTDOWN, broker, target)
        self.gates.release(frame, Answer.HELD)
        self.gates.answered(frame)

    def _wish_to_end(self, broker: int) -> Frame | None:
        for frame in list(self.gates.gate(HEARTBEAT, broker, CONTROLLER).requests):
            if frames.wishes_to_end(frame):
                return frame
            frame.released = Answer.DELIVERED
            self.gates.changed.notify_all()
        return None

    def do_shut_down(self, replica: int) -> None:
        """Let a broker end in good order."""
        broker = self.broker(replica)
        if broker not in self.cluster.dead:
            self._ask_to_end(replica)
        for kind, target in ((HEARTBEAT, CONTROLLER), (SHUTDOWN, CONTROLLING)):
            self.gates.open(kind, broker, target)
        if self.kraft:
            self.gates.open(METADATA_LOG, broker, CONTROLLER)
            for other in self.replicas:
                if other != replica and self.up[other] and self.knows_of[other] == self.newest:
                    self._read_metadata(other, self.kraft.offset())
        process = self.cluster.processes[broker]

        def has_ended() -> bool:
            if not self.kraft and not process.has_ended():
                # To 1.1 a broker that ends waits for the answer to a fetch, which may wait here.
                self._cut_fetches(broker)
            return process.has_ended()

        self._await(has_ended, f"the end of broker {broker}", RESTART_SECONDS)
        self.gates.node_died(broker)
        if self.kraft:
            self.kraft.may_restart(broker)
        else:
            self.ended = replica
        self.up[replica] = False


def _outcome(error: int | str | None, acks: int, appended: bool) -> int:
    """What the producer of the model knows after an answer, or none; one that waited for a broker that leads no more knows nothing."""
    if acks == ACKS_NONE or isinstance(error, str) or (error == NOT_LEADER and appended):
        return UNKNOWN
    return OUTCOMES.get(error or NO_ERROR, UNKNOWN)


def _has_left(gate: Gate, frame: Frame) -> bool:
    return frame not in gate.requests


ACTIONS = tuple(name.removeprefix("do_") for name in vars(Driver) if name.startswith("do_"))
"""The actions of the model that a driver can do."""
