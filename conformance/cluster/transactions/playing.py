"""A run of the model of transactions on real brokers: each step is one request, or lets one pass that is held up."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import NONE, Packed, Property, State, Step
from neverlost.model.kafka.transactions.coordinator import is_prepared, move_coordinator
from neverlost.model.kafka.transactions.state import (
    Decision,
    Fate,
    Phase,
    Producer,
    Result,
    Sent,
    Stage,
    Tail,
    Transactions,
    Txn,
    Way,
)

from ..cluster import Cluster
from ..control import topic_settings
from ..debugging import Debugger
from ..gates import ADD_PARTITIONS, END_TXN, INIT_PRODUCER_ID, MARKERS, OFFSETS, PRODUCE, Frame, Part
from ..releases import ClusterError
from ..wire import NO_ERROR
from .moves import Moves
from .observing import (
    COORDINATORS_LOG,
    OFFSETS_LOG,
    Noted,
    Partition,
    consumed,
    known_producers,
    look,
    look_at_offsets,
    noted,
)
from .requests import CONCURRENT, DUPLICATE, FENCING, RETRIABLE, Reply, Request, Requests, reply_of
from .stories import TV0

TIMEOUT_MS, SHORT_TIMEOUT_MS, TIMED_OUT_SECONDS = 600_000, 6000, 20.0
"""transaction.timeout.ms: no transaction ends by it, or one does as a step of the run."""
ANSWERED_SECONDS, ARRIVES_SECONDS, AGREE_SECONDS = 15.0, 10.0, 5.0
EXPIRED_SECONDS = 30.0
ABSENT_SECONDS, RETRY_SECONDS = 2.0, 0.05
"""How long a marker is waited for that may not come, once brokers have left the run."""

APPENDS = "kafka.server.ReplicaManager.appendRecords"
"""What the leader does with a record when its question is answered (handleProduceAppend, 3.7 on)."""
DISTURBANCES = {
    "time_out": "a timeout",
    "expire_producer": "a forgotten producer",
    "move_without_tail": "two moves of the coordinator",
}

Key = tuple[str, int, int]
"""A request that is held up: what it is, and of what."""


class NotDoneError(ClusterError):
    """A step is not done: the brokers, or the answers to the producer, do not lead there."""


@dataclass(frozen=True, kw_only=True)
class PlayedStep:
    """A step of the run as it went: what was said, whether it was done, and in what brokers then differ from the model."""

    step: str
    said: str
    done: bool
    differs: str


@dataclass(kw_only=True)
class Client:
    """What a producer has learned."""

    producer_id: int = NONE
    epoch: int = NONE
    numbers: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Played:
    """A run on real brokers: its steps as they went, the states that were seen, and what consumers read in the end.

    `states` has one before the first step, one after each, and one after all gates were opened. `late` says how each request that was
    held up was answered when it came; `trouble` why the run did not come to its end, or is empty.
    """

    trace: Trace
    release: str
    client: str
    steps: tuple[PlayedStep, ...]
    states: tuple[State, ...]
    reads: tuple[tuple[str, ...], ...]
    late: tuple[str, ...]
    trouble: str

    @property
    def _property(self) -> Property:
        assert self.trace.property is not None
        return self.trace.model.profile.property_named(self.trace.property)

    @property
    def violated_at(self) -> int | None:
        """The first step after which the property of the run is violated by what was seen; None if it never is."""
        prop = self._property
        for number in range(len(self.states)):
            seen = self.states[number - 1 : number + 1] if prop.over_steps else self.states[number : number + 1]
            if (number or not prop.over_steps) and not prop.function(*seen):
                return number
        return None

    @property
    def disturbance(self) -> str:
        """What has happened beside late requests: a timeout, or a producer that was forgotten."""
        done = {one.step.partition("(")[0] for one in self.steps if one.done}
        return ", ".join(words for action, words in DISTURBANCES.items() if action in done)

    @property
    def differs_at(self) -> int | None:
        """The first step at which brokers leave the run."""
        return next((number for number, one in enumerate(self.steps, 1) if one.differs or not one.done), None)

    @property
    def story(self) -> str:
        """The sentence of the violation, by what was seen; empty if there is none."""
        at, prop = self.violated_at, self._property
        return "" if at is None or prop.story is None else prop.story(self.states[: at + 1])


class Play:
    """A trace on a cluster: a transactional id and a topic of its own, each of whose partitions is led by another broker.

    With `offsets` the last partition of the model is the log of a group's offsets.
    """

    def __init__(
        self, trace: Trace, cluster: Cluster, client: str, *, offsets: bool = False, watch: Watch[str] = UNWATCHED
    ) -> None:
        self.trace, self.model, self.cluster, self.client, self.watch = trace, trace.model, cluster, client, watch
        self.gates = cluster.gates
        self.topic = f"t{uuid.uuid4().hex[:12]}"
        # Where some brokers are of a later release, the first partition is led by one of them.
        leaders = cluster.brokers[::-1] if cluster.upgraded else cluster.brokers
        self.leaders = {number: leaders[number] for number in range(self.model.bounds["partitions"])}
        self.offsets = len(self.leaders) - 1 if offsets else None
        self.places = {
            number: (OFFSETS_LOG, 0) if number == self.offsets else (self.topic, number) for number in self.leaders
        }
        self.times_out = any(step.action.name == "time_out" for step in trace.steps)
        self.requests = Requests(
            cluster,
            f"id-{self.topic}",
            self.topic,
            client,
            timeout_ms=SHORT_TIMEOUT_MS if self.times_out else TIMEOUT_MS,
        )
        self.clients = {number: Client() for number in range(self.model.bounds["producers"])}
        self.seen = self._first_state()
        self.held: dict[Key, Frame] = {}
        self.moves = (
            Moves(cluster, self.requests, self.leaders.values()) if self.model.settings["coordinator_moves"] else None
        )
        """How the coordinator moves, if it does."""
        self.following: Step | None = None
        """The step after the one that is done."""
        self.stopped: Debugger | None = None
        """What has stopped the thread that would append a record."""
        self.late: list[str] = []
        self.leaves = False
        """Have the brokers left the run?"""

    # The whole

    def play(self) -> Played:
        """Do every step, open all gates, and see what is left. Raises KeyboardInterrupt, ClusterError if the cluster fails."""
        self._create_logs()
        ours = [[self.leaders[number]] for number, (topic, _) in self.places.items() if topic == self.topic]
        self.cluster.control.create_topic(self.topic, ours, topic_settings(1))
        for number in self.leaders:
            self.cluster.until(partial(self._look, number), ANSWERED_SECONDS, f"{self.places[number]} to be read")
        for coordinator in self.cluster.brokers:
            for leader in self.leaders.values():
                self.gates.shut(MARKERS, coordinator, leader)
        steps, states = list[PlayedStep](), [self._observed()]
        reads, trouble = tuple[tuple[str, ...], ...](), ""
        try:
            to_come = [*self.trace.steps[1:], None]
            for step, following, words in zip(self.trace.steps, to_come, self.trace.states[1:], strict=True):
                self.following = following
                steps.append(self._do(step, self._state(words)))
                states.append(self._observed())
            self.gates.open_all()
            self._rest()
            states.append(self._observed())
            reads = self._consumed()
        except (ClusterError, OSError) as error:
            trouble = f"after {len(steps)} steps: {error}"
        finally:
            self.gates.open_all()
            self.close()
        return Played(
            trace=self.trace,
            release=str(self.cluster.release),
            client=self.client,
            steps=tuple(steps),
            states=tuple(states),
            reads=reads,
            late=tuple(self.late),
            trouble=trouble,
        )

    def _create_logs(self) -> None:
        """Have the first broker be the coordinator, unless there is one already: in an upgrade it is of the earlier release.

        The last partition's leader is the group's coordinator, if there is to be one.
        """
        if self.moves is not None:
            self.moves.begin()
        first = self.cluster.brokers[0]
        there = self.cluster.wire.topics(self.cluster.client_port[first])
        wanted = {COORDINATORS_LOG: first}
        if self.offsets is not None:
            wanted[OFFSETS_LOG] = self.leaders[self.offsets]
        for name in wanted.keys() - there:
            self.cluster.control.create_topic(name, [[wanted[name]]], {"cleanup.policy": "compact"})
        if self.offsets is not None:
            self.leaders[self.offsets] = self.requests.group_coordinator

    def close(self) -> None:
        """End what was started for the run."""
        if self.stopped is not None:
            self.stopped.end()

    def _do(self, step: Step, after: Transactions) -> PlayedStep:
        text = step.show(self.model.bounds)
        self.watch.progress(f"Kafka {self.cluster.release}: {text}")
        done, differs = True, ""
        try:
            said = self._perform(step, after)
        except NotDoneError as error:
            done, said = False, str(error)
        if done and not self.leaves and self._is_compared(step):
            differs = self._difference(after)
        self.leaves = self.leaves or not done or bool(differs)
        return PlayedStep(step=text, said=said, done=done, differs=differs)

    def _perform(self, step: Step, after: Transactions) -> str:
        perform = getattr(self, f"do_{step.action.name}", None)
        if perform is None:
            raise NotDoneError("real brokers are not made to do this")
        return str(perform(after, **step.picks()))

    def _is_compared(self, step: Step) -> bool:
        """Are brokers to be as the model after a step?"""
        return True

    def _rest(self) -> None:
        """Wait until the coordinator has completed what it decided, if it does."""
        end = time.monotonic() + AGREE_SECONDS
        while time.monotonic() < end and is_prepared(self._observed()):
            time.sleep(RETRY_SECONDS)

    def _consumed(self) -> tuple[tuple[str, ...], ...]:
        """What another library's consumer reads. Raises ClusterError if it reads otherwise than this one."""
        found = {number: self._look(number) for number in self.leaders}
        ours = {number: one for number, one in found.items() if number != self.offsets}
        reads = consumed(self.cluster, self.topic, list(ours), [one.stable for one in ours.values()])
        if reads != [one.read for one in ours.values()]:
            raise ClusterError(
                f"two consumers read {self.topic} otherwise: {[one.read for one in ours.values()]} and {reads}"
            )
        if self.offsets is not None:
            reads.append(found[self.offsets].read)
            committed, last = self.requests.committed_offset(), reads[-1][-1:]
            if [
                Txn.show(txn, self.model.bounds)
                for txn in range(self.model.bounds["transactions"])
                if _offset_of(txn) == committed
            ] != last:
                raise ClusterError(f"the group has committed {committed}, and its log has {last}")
        return tuple(map(tuple, reads))

    # What is seen

    def _state(self, words: Packed) -> Transactions:
        state = self.model.state(words)
        assert isinstance(state, Transactions)
        return state

    def _first_state(self) -> Transactions:
        return self._state(self.trace.states[0])

    def _look(self, partition: int) -> Partition:
        if partition == self.offsets:
            names = {
                _offset_of(txn): Txn.show(txn, self.model.bounds) for txn in range(self.model.bounds["transactions"])
            }
            return look_at_offsets(self.cluster, self.leaders[partition], self._producer_id, names)
        return look(self.cluster, self.topic, partition, self.leaders[partition])

    @property
    def _producer_id(self) -> int:
        """The producer id, which all producers of the transactional id have; -1 before the first has it."""
        return next((one.producer_id for one in self.clients.values() if one.producer_id != NONE), NONE)

    def _observed(self) -> Transactions:
        """The state of the model as it is seen: records and coordinator on the brokers, and what producers know."""
        found, known = self._first_state(), self.seen
        for name in ("phase", "stage", "owner"):
            for position, value in enumerate(getattr(known, name)):
                getattr(found, name)[position] = value
        for partition in self.leaders:
            there = self._look(partition)
            found.seen_epoch[partition] = there.epoch
            for txn in range(self.model.bounds["transactions"]):
                found.sent[txn][partition] = known.sent[txn][partition]
                found.number[txn][partition] = known.number[txn][partition]
                fates = there.fates(Txn.show(txn, self.model.bounds))
                found.record[txn][partition], found.copy[txn][partition] = (*fates, Fate.ABSENT, Fate.ABSENT)[:2]
        entry = self._noted()
        if entry is not None:
            found.state, found.newest_epoch = entry.state, entry.epoch
            mask = sum(1 << number for number, place in self.places.items() if place in entry.partitions)
            found.partitions = found.logged_partitions = mask
        return found

    def _noted(self) -> Noted | None:
        return self._noted_by(self.requests.coordinator)

    def _noted_by(self, broker: int) -> Noted | None:
        """What a broker's replica of the coordinator's log has."""
        return None if self._producer_id == NONE else noted(self.cluster, broker, self._producer_id)

    def _difference(self, after: Transactions) -> str:
        """In what brokers differ from the model after a step; they have some time to come there."""
        end = time.monotonic() + AGREE_SECONDS
        while True:
            differing = self._differing(after, self._observed())
            if not differing or time.monotonic() > end:
                return differing
            time.sleep(RETRY_SECONDS)

    def _differing(self, wanted: Transactions, seen: Transactions) -> str:
        for name in ("record", "copy", "stage", "sent", "phase"):
            ours, theirs = (
                [list(one) if hasattr(one, "__len__") else one for one in getattr(s, name)] for s in (wanted, seen)
            )
            if ours != theirs:
                return f"{name} is {theirs}, in the model {ours}"
        if seen.newest_epoch not in (wanted.newest_epoch, NONE):
            return f"the epoch is {seen.newest_epoch}, in the model {wanted.newest_epoch}"
        states = {wanted.state}
        if is_prepared(wanted) and not wanted.partitions:
            # The coordinator completes by itself as soon as every partition has answered.
            states.add(Decision.COMPLETE_COMMIT if wanted.state == Decision.PREPARE_COMMIT else Decision.COMPLETE_ABORT)
        if seen.state not in states:
            return f"the coordinator is in {Decision.names[seen.state]}, in the model in {Decision.names[wanted.state]}"
        if seen.state == Decision.ONGOING and seen.partitions != wanted.partitions:
            return f"the coordinator has the partitions {seen.partitions:b}, in the model {wanted.partitions:b}"
        return ""

    # How requests go

    def _ask(self, make: Callable[[], Request], *, once: bool = False) -> Reply:
        """Send a request, and as a client does again while the answer says so. With `once` CONCURRENT_TRANSACTIONS is an answer."""
        end = time.monotonic() + (ABSENT_SECONDS if self.leaves else ANSWERED_SECONDS)
        while True:
            reply = self.requests.send(make()).reply()
            if reply.error not in RETRIABLE or (once and reply.error == CONCURRENT):
                return reply
            if time.monotonic() > end:
                raise NotDoneError(f"the answer is {reply.in_words} for as long as it is waited for")
            time.sleep(RETRY_SECONDS)

    def _hold_up(self, kind: str, key: Key, producer: int, request: Request) -> str:
        """Send a request, hold it at a gate, and have its producer give up waiting for it."""
        source = Producer.show(producer, self.model.bounds)
        self.gates.shut(kind, source, request.to)
        sent = self.requests.send(request)
        frame = self.gates.waiting(kind, source, request.to)
        self.gates.hold_up(frame)
        self.gates.open(kind, source, request.to)
        sent.give_up()
        self.held[key] = frame
        return "held up; the producer has no answer"

    def _sent(self, make: Callable[[], Request]) -> Callable[[], Reply]:
        """Send a request: what waits for its answer."""
        return self.requests.send(make()).reply

    def _write_unacknowledged(self, send: Callable[[], Callable[[], Reply | None]]) -> str:
        """Have the coordinator write what its log does not acknowledge (see `Moves.write`)."""
        assert self.moves is not None
        try:
            self.moves.write(send, self._noted_by)
        except ClusterError as error:
            raise NotDoneError(str(error)) from error
        return "written, and not acknowledged"

    def _move(self) -> str:
        """The next broker becomes the coordinator. Raises NotDoneError if the one before has answered what was not acknowledged."""
        assert self.moves is not None
        reply = self.moves.move()
        said = f"broker {self.requests.coordinator} is the coordinator"
        if reply is None:
            return said
        if reply.error not in RETRIABLE:
            raise NotDoneError(f"the answer is {reply.in_words}")
        return f"{said}; the one before answers {reply.in_words}"

    def _write_and_move(self, send: Callable[[], Callable[[], Reply | None]]) -> str:
        """The coordinator writes, and the next broker, which has that, becomes the coordinator before it is acknowledged."""
        return f"{self._write_unacknowledged(send)}; {self._move()}"

    def _answer(self, frame: Frame) -> Reply:
        """How a request is answered that was let through."""
        return reply_of(frame.key, frame.version, self.gates.answered(frame, ARRIVES_SECONDS))

    def _arrive(self, what: str, of: int, part: int) -> str:
        """Let a request pass that is held up, and see how it is answered."""
        held = self.held.pop((what, of, part), None)
        if held is None:
            raise NotDoneError("nothing is held up")
        self.gates.release(held)
        reply = self._answer(held)
        self.late.append(f"{what}: {reply.in_words}")
        if reply.error not in (NO_ERROR, CONCURRENT, DUPLICATE):
            raise NotDoneError(f"it is answered with {reply.in_words}")
        return f"it arrives; the answer, which nobody waits for, is {reply.in_words}"

    # Producers

    def _learns_epoch(self, producer: int, reply: Reply) -> None:
        """A producer learns its epoch, in which sequence numbers begin at 0."""
        one = self.clients[producer]
        one.producer_id, one.epoch, one.numbers = reply.producer_id, reply.epoch, {}

    def _stopped(self, producer: int, reply: Reply) -> None:
        """A producer gets an error after which it can only be closed."""
        self.seen.phase[producer] = Phase.FENCED if reply.error in FENCING else Phase.DEAD

    def _name(self, producer: int) -> str:
        return Producer.show(producer, self.model.bounds)

    def do_start(self, after: Transactions, producer: int, way: int) -> str:
        """InitProducerId."""
        request = partial(self.requests.init, self._name(producer))
        if way == Way.LATE:
            self.seen.phase[producer] = Phase.STARTING
            return self._hold_up(INIT_PRODUCER_ID, ("InitProducerId", producer, NONE), producer, request())
        if self._is_left_unacknowledged(after):
            self.seen.phase[producer] = Phase.STARTING
            return self._write_unacknowledged(partial(self._sent, request))
        reply = self._ask(request, once=after.phase[producer] == Phase.STARTING)
        if reply.error == CONCURRENT:
            self.seen.phase[producer] = Phase.STARTING
            return f"the answer is {reply.in_words}"
        if reply.error != NO_ERROR:
            self._stopped(producer, reply)
            raise NotDoneError(f"the answer is {reply.in_words}")
        self._learns_epoch(producer, reply)
        self.seen.phase[producer] = Phase.READY
        return f"producer id {reply.producer_id}, epoch {reply.epoch}"

    def _is_left_unacknowledged(self, after: Transactions) -> bool:
        """Does the coordinator move before its log acknowledges what a step writes?"""
        return (
            self.following is not None
            and self.following.action is move_coordinator
            and bool(after.tail == Tail.WRITTEN)
        )

    def do_bump_epoch(self, after: Transactions, producer: int, way: int) -> str:
        """InitProducerId that expects an epoch."""
        one = self.clients[producer]
        request = partial(self.requests.init, self._name(producer), one.producer_id, one.epoch)
        self.seen.phase[producer] = Phase.BUMPING
        if way == Way.LATE:
            return self._hold_up(INIT_PRODUCER_ID, ("InitProducerId", producer, one.epoch), producer, request())
        reply = self._ask(request, once=after.phase[producer] == Phase.BUMPING)
        if reply.error == CONCURRENT:
            return f"the answer is {reply.in_words}"
        if reply.error != NO_ERROR:
            self._stopped(producer, reply)
            return f"the answer is {reply.in_words}"
        self._learns_epoch(producer, reply)
        self.seen.phase[producer] = Phase.READY
        return f"epoch {reply.epoch}"

    def do_begin(self, after: Transactions, producer: int, txn: int) -> str:
        """Nothing is sent."""
        self._in_phase(producer, Phase.READY)
        self.seen.phase[producer] = Phase.IN_TRANSACTION
        self.seen.stage[txn] = Stage.BEGUN
        self.seen.owner[txn] = producer
        return "nothing is sent"

    def _in_phase(self, producer: int, *phases: int) -> Client:
        """A producer that is in one of these phases. Raises NotDoneError for another."""
        if self.seen.phase[producer] not in phases:
            raise NotDoneError(f"the producer is {Phase.names[self.seen.phase[producer]]}")
        return self.clients[producer]

    def do_add_partition(self, after: Transactions, producer: int, txn: int, partition: int, way: int) -> str:
        """AddPartitionsToTxn, by a client that sends it."""
        one = self._in_phase(producer, Phase.IN_TRANSACTION)
        if self.client != TV0:
            raise NotDoneError("a client of transaction version 2 does not send it")
        ours = (self._name(producer), one.producer_id, one.epoch)
        request = (
            partial(self.requests.add_offsets, *ours)
            if partition == self.offsets
            else partial(self.requests.add, *ours, partition)
        )
        if way == Way.LATE:
            self.seen.sent[txn][partition] = Sent.ADDING
            return self._hold_up(ADD_PARTITIONS, ("AddPartitionsToTxn", txn, partition), producer, request())
        if way == Way.UNACKNOWLEDGED:
            self.seen.sent[txn][partition] = Sent.ADDING
            return self._write_and_move(partial(self._sent, request))
        reply = self._ask(request)
        if reply.error != NO_ERROR:
            self._stopped(producer, reply)
            return f"the answer is {reply.in_words}"
        self.seen.sent[txn][partition] = Sent.ADDED
        return "added"

    def do_produce(self, after: Transactions, producer: int, txn: int, partition: int, way: int) -> str:
        """Produce, with the record of the transaction."""
        one = self._in_phase(producer, Phase.IN_TRANSACTION)
        if self.seen.number[txn][partition] == NONE:
            self.seen.number[txn][partition] = one.numbers.get(partition, 0)
            one.numbers[partition] = self.seen.number[txn][partition] + 1
        ours = (self._name(producer), one.producer_id, one.epoch)
        request = (
            partial(self.requests.commit_offset, *ours, _offset_of(txn))
            if partition == self.offsets
            else partial(
                self.requests.produce,
                *(*ours, partition, self.seen.number[txn][partition]),
                *(Txn.show(txn, self.model.bounds), self.leaders[partition]),
            )
        )
        if way == Way.LATE:
            self.seen.sent[txn][partition] = Sent.UNANSWERED
            return self._hold_up(
                OFFSETS if partition == self.offsets else PRODUCE, ("Produce", txn, partition), producer, request()
            )
        if way == Way.UNACKNOWLEDGED:
            self.seen.sent[txn][partition] = Sent.UNANSWERED
            return self._write_and_move(partial(self._sent, request))
        reply = self._ask(request)
        written = reply.error in (NO_ERROR, DUPLICATE)
        self.seen.sent[txn][partition] = Sent.ACKNOWLEDGED if written else Sent.FAILED
        return "acknowledged" if written else f"the answer is {reply.in_words}"

    def do_give_up(self, after: Transactions, producer: int, txn: int, partition: int) -> str:
        """Nothing is sent: the producer has waited for longer than delivery.timeout.ms."""
        self._in_phase(producer, Phase.IN_TRANSACTION)
        adding = self.seen.sent[txn][partition] == Sent.ADDING
        self.seen.sent[txn][partition] = Sent.DROPPED if adding else Sent.FAILED
        if after.phase[producer] == Phase.DEAD:
            self.seen.phase[producer] = Phase.DEAD
        return "nothing is sent"

    def do_give_up_in_the_same_epoch(
        self, after: Transactions, producer: int, txn: int, partition: int, numbering: int
    ) -> str:
        """Nothing is sent: the producer has waited long enough, and goes on without another epoch."""
        one = self._in_phase(producer, Phase.IN_TRANSACTION)
        self.seen.sent[txn][partition] = Sent.FAILED
        one.numbers[partition] = after.next_number[producer][partition]
        return f"nothing is sent; the next record has the number {one.numbers[partition]}"

    def do_end(self, after: Transactions, producer: int, txn: int, result: int, way: int) -> str:
        """EndTxn."""
        one = self._in_phase(producer, Phase.IN_TRANSACTION, Phase.ENDING)
        commit = result == Result.COMMIT
        request = partial(self.requests.end, self._name(producer), one.producer_id, one.epoch, committed=commit)
        self.seen.phase[producer] = Phase.ENDING
        self.seen.stage[txn] = Stage.COMMITTING if commit else Stage.ABORTING
        if way != Way.AT_ONCE:
            said = (
                self._hold_up(END_TXN, ("EndTxn", txn, NONE), producer, request())
                if way == Way.LATE
                else self._write_and_move(partial(self._sent, request))
            )
            if after.phase[producer] == Phase.DEAD:
                self.seen.phase[producer] = Phase.DEAD
            return said
        reply = self._ask(request)
        if reply.error != NO_ERROR:
            self._stopped(producer, reply)
            return f"the answer is {reply.in_words}"
        self.seen.stage[txn] = Stage.COMMITTED if commit else Stage.ABORTED
        self.seen.phase[producer] = Phase.BUMPING if after.phase[producer] == Phase.BUMPING else Phase.READY
        if reply.producer_id != NONE:
            self._learns_epoch(producer, reply)
            return f"the answer is no error, and epoch {reply.epoch}"
        return "the answer is no error"

    def do_end_unstarted(self, after: Transactions, producer: int, txn: int) -> str:
        """Nothing is sent."""
        self._in_phase(producer, Phase.IN_TRANSACTION)
        self.seen.stage[txn] = Stage.ABORTED
        self.seen.phase[producer] = after.phase[producer]
        return "nothing is sent"

    # What was held up

    def do_late_init_arrives(self, after: Transactions, producer: int) -> str:
        """The first InitProducerId of a producer."""
        return self._arrive("InitProducerId", producer, NONE)

    def do_late_bump_arrives(self, after: Transactions, producer: int) -> str:
        """An InitProducerId that expects an epoch."""
        key = next((one for one in self.held if one[:2] == ("InitProducerId", producer) and one[2] != NONE), None)
        if key is None:
            raise NotDoneError("nothing is held up")
        return self._arrive(*key)

    def do_late_add_arrives(self, after: Transactions, txn: int, partition: int) -> str:
        """AddPartitionsToTxn."""
        return self._arrive("AddPartitionsToTxn", txn, partition)

    def do_verify_late(self, after: Transactions, txn: int, partition: int) -> str:
        """Produce; its leader asks the coordinator, and the thread that has the answer stops before it appends.

        The answer is held until the debugger waits for the thread: the coordinator itself appends, perhaps on the same broker. Were it
        held for longer, the leader could not ask that coordinator anything else (AddPartitionsToTxnManager.inflightNodes).
        """
        frame = self.held.get(("Produce", txn, partition))
        if frame is None:
            raise NotDoneError("nothing is held up")
        place = (ADD_PARTITIONS, self.leaders[partition], self.requests.coordinator)
        self.gates.shut(*place, Part.ANSWER)
        self.gates.release(frame)
        try:
            self.gates.wait(lambda: self.gates.gate(*place).answers, ARRIVES_SECONDS, "the coordinator's answer")
        except ClusterError as error:
            raise NotDoneError(str(error)) from error
        self.stopped = self.cluster.debugger(self.leaders[partition], ARRIVES_SECONDS)
        self.stopped.stop_in(APPENDS)
        self.gates.open(*place, Part.ANSWER)
        try:
            return f"its leader has asked the coordinator; {self.stopped.stopped(APPENDS)} stops before it appends"
        except ClusterError as error:
            raise NotDoneError(str(error)) from error

    def do_append_late(self, after: Transactions, txn: int, partition: int) -> str:
        """Produce; its leader asks the coordinator first, if it has not yet and does."""
        if self.stopped is not None:
            self.stopped.go_on()
        return self._arrive("Produce", txn, partition)

    def do_late_end_arrives(self, after: Transactions, txn: int) -> str:
        """EndTxn."""
        return self._arrive("EndTxn", txn, NONE)

    # The coordinator

    def _marker(self, partition: int) -> Frame:
        """The request with a marker for a partition that waits at its gate."""
        gate = self.gates.gate(MARKERS, self.requests.coordinator, self.leaders[partition])
        topic = self.places[partition][0].encode()

        def ours() -> Frame | None:
            for frame in list(gate.requests):
                if topic in frame.data:
                    return frame
                # A coordinator that moves sends those of earlier runs again, and ours would wait for them.
                self.gates.release(frame)
            return None

        seconds = ABSENT_SECONDS if self.leaves else ARRIVES_SECONDS
        try:
            return self.gates.wait(ours, seconds, "a marker")
        except ClusterError as error:
            raise NotDoneError(str(error)) from error

    def do_write_marker(self, after: Transactions, partition: int, way: int) -> str:
        """WriteTxnMarkers passes its gate; or it stays there, and the coordinator, whose connection is cut, sends it again."""
        frame = self._marker(partition)
        if way == Way.LATE:
            self.gates.hold_up(frame)
            self.held["WriteTxnMarkers", partition, NONE] = frame
            return "held up; the coordinator has no answer"
        self.gates.release(frame)
        self.gates.answered(frame, ARRIVES_SECONDS)
        return "written"

    def do_late_marker_arrives(self, after: Transactions, partition: int) -> str:
        """WriteTxnMarkers that was held up."""
        return self._arrive("WriteTxnMarkers", partition, NONE)

    def do_expire_producer(self, after: Transactions, partition: int) -> str:
        """The partition has not heard of the producer for longer than producer.id.expiration.ms, and forgets it."""
        topic, number = self.places[partition]
        leader, ours = self.leaders[partition], self._producer_id
        try:
            self.cluster.until(
                lambda: ours not in known_producers(self.cluster, topic, number, leader), EXPIRED_SECONDS, "an expiry"
            )
        except ClusterError as error:
            raise NotDoneError(str(error)) from error
        return "the partition does not know the producer any more"

    def do_time_out(self, after: Transactions) -> str:
        """The transaction lasts longer than transaction.timeout.ms, and the coordinator aborts it."""
        try:
            self.cluster.until(lambda: is_prepared(self._observed()), TIMED_OUT_SECONDS, "a timeout")
        except ClusterError as error:
            raise NotDoneError(str(error)) from error
        return f"the coordinator is in {Decision.names[self._observed().state]}"

    def do_move_coordinator(self, after: Transactions) -> str:
        """Another broker is elected, which has all that the coordinator has written."""
        return self._move()

    def do_move_without_tail(self, after: Transactions) -> str:
        """Another broker is elected, which has not fetched what the coordinator has read."""
        return self._move()

    def do_complete(self, after: Transactions) -> str:
        """The coordinator completes by itself."""
        self.gates.wait_a_while(lambda: not is_prepared(self._observed()), AGREE_SECONDS)
        return f"the coordinator is in {Decision.names[self._observed().state]}"


def _offset_of(txn: int) -> int:
    """The offset that an application commits with a transaction."""
    return 10 * (txn + 1)
