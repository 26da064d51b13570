"""The steps of a schedule on real brokers: an operator's commands, and requests that clients and operators send."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from kafka.record.memory_records import MemoryRecordsBuilder

from .cluster import Cluster
from .control import CONTROLLING, topic_settings
from .debugging import Debugger
from .gates import CONTROLLER, METADATA_LOG
from .log_files import RECOVERY_POINTS
from .long_appends import appended_after, long_batch
from .operating import SECONDS, Operator, named
from .releases import ClusterError
from .schedules import ACKNOWLEDGED, Logs, Outcome, Schedule, Topic, read_step
from .topic import RESTART_SECONDS
from .wire import (
    FIRST_FETCH_WITH_EPOCH,
    NO_ERROR,
    NOT_ENOUGH_REPLICAS,
    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    NOT_LEADER,
    TIMED_OUT,
    UNKNOWN_TOPIC,
    Partition,
    PartitionState,
)

ACKS = {"0": 0, "1": 1, "all": -1}
LONG_MS = 120_000
ERRORS = {
    NOT_LEADER: "NOT_LEADER_OR_FOLLOWER",
    TIMED_OUT: "REQUEST_TIMED_OUT",
    NOT_ENOUGH_REPLICAS: "NOT_ENOUGH_REPLICAS",
    NOT_ENOUGH_REPLICAS_AFTER_APPEND: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
}
"""What Kafka calls the errors that a produce request may be answered with here."""
MOST_TOPICS = 40
"""So often topics are created anew until their ids put enough partitions after another."""
SETTLE_SECONDS = 20.0
PRODUCER_EPOCH = 0
FIRST_UPDATE_OF_FETCH_STATE = (2, 4)
"""From this release on, the method that counts a fetch has another name."""
FIRST_PRODUCE_BY_TOPIC_ID = (4, 1)
"""From this release on, a broker keeps the partitions of a produce request by the ids of their topics."""


@dataclass
class Sending:
    """A produce request whose answer has not been waited for."""

    acks: str
    answer: tuple[int, int] | str | None = None
    """The error code and the offset, or why there is no answer."""


class Performance:
    """A schedule on a cluster that was started for it: every command is a method, and returns what was seen."""

    def __init__(self, schedule: Schedule, cluster: Cluster) -> None:
        self.schedule, self.cluster = schedule, cluster
        self.control, self.gates, self.wire = cluster.control, cluster.gates, cluster.wire
        first = next(iter(schedule.topics))
        shape = schedule.topics[first]
        self.operator = Operator(cluster, first, shape.partitions[0], topic_settings(shape.min_isr))
        self.replicas = {
            (topic, number): replicas
            for topic, shape in schedule.topics.items()
            for number, replicas in enumerate(shape.partitions)
        }
        self.sent: dict[str, Sending] = {}
        self.answers: dict[str, str] = {}
        self.reads: list[tuple[str, ...]] = []
        self.stopped: Debugger | None = None

    # The whole

    def begin(self) -> None:
        """Create the topics, and wait until every replica of every partition is there and in the ISR."""
        for topic, shape in self.schedule.topics.items():
            self._create(topic, shape)
        for command, _, options in self.schedule.commands:
            if command == "send" and "then" in options:
                topic, _, count = options["then"].partition("*")
                self._create_until_later(self._partition(options.get("on")), topic, int(count))

    def _create(self, topic: str, shape: Topic) -> None:
        self.control.create_topic(topic, shape.partitions, topic_settings(shape.min_isr))
        for number, replicas in enumerate(shape.partitions):
            self._await(partial(self._is_new, (topic, number), replicas), f"{topic}-{number}", RESTART_SECONDS)

    def _is_new(self, place: Partition, replicas: Sequence[int]) -> bool:
        return (
            set(self._state(place).isr) == set(replicas)
            and all(self._end(broker, place) == 0 for broker in replicas)
            and self.wire.leads(self.cluster.client_port[replicas[0]], *place)
        )

    def perform(self, step: str) -> str:
        """Do a step; what was seen. Raises ClusterError if the brokers do not do it."""
        command, arguments, options = read_step(step)
        try:
            return str(COMMANDS[command](self, *arguments, **options))
        except (OSError, LookupError) as error:
            raise ClusterError(f"{type(error).__name__}: {error}") from error

    def outcome(self, partitions: Iterable[str]) -> Outcome:
        """Open every gate, wait until the logs of these partitions are at rest, and look at what is left."""
        self.gates.open_all()
        places = [self._partition(name) for name in partitions]
        for place in places:
            self._await(partial(self._rests, place), f"{shown(place)} at rest", SETTLE_SECONDS)
        for value in list(self.sent):
            self.do_answer(value)
        return Outcome(answers=dict(self.answers), logs=self._logs(places), reads=tuple(self.reads))

    def close(self) -> None:
        """End the debugger, if there is one."""
        if self.stopped is not None:
            self.stopped.end()

    def _rests(self, place: Partition) -> bool:
        state, replicas = self._state(place), self.replicas[place]
        ends = {self._end(broker, place) for broker in replicas}
        watermark = self._watermark(self.cluster.client_port[state.leader], place)
        return set(state.isr) == set(replicas) and ends == {watermark}

    # What is seen

    def do_state(self) -> str:
        """What the controller has of the partitions that the schedule looks at."""
        return "; ".join(f"{shown(place)}: {self._state_in_words(place)}" for place in self._watched())

    def _state_in_words(self, place: Partition) -> str:
        state = self._state(place)
        leader = "nobody leads" if state.leader < 0 else f"r{state.leader} leads"
        eligible = "" if state.eligible is None else f", ELR {named(state.eligible)}"
        return f"{leader}, epoch {state.leader_epoch}, ISR {named(state.isr)}{eligible}"

    def do_logs(self) -> str:
        """What is in the log of every replica, with its leader epoch."""
        found = []
        for topic, number in self._watched():
            logs = []
            for broker in self.replicas[topic, number]:
                records = self.cluster.disk(broker, topic, number).log(topic, number)
                log = " ".join(f"{record.value.decode()}@{record.epoch}" for record in records if record.value)
                logs.append(f"r{broker} [{log}]")
            found.append(f"{topic}-{number}: {', '.join(logs)}")
        return "; ".join(found)

    def do_consume(self, partition: str | None = None) -> str:
        """What a consumer reads from the leader, as soon as its high watermark is the end of its log."""
        topic, number = place = self._partition(partition)
        state = self._state(place)
        port = self.cluster.client_port[state.leader]
        self._await(lambda: self._watermark(port, place) == self._end(state.leader, place), "a high watermark")
        found = self.wire.fetch(port, topic, partition=number)
        self.reads.append(tuple(record.value.decode() for record in found.records))
        return f"a consumer reads from r{state.leader}: {' '.join(self.reads[-1]) or 'nothing'}"

    def do_await(self, broker: str, partition: str, *values: str) -> str:
        """Wait until a log has these values, and no others."""
        one, place = number_of(broker), self._partition(partition)
        self._await(lambda: self._values(one, place) == values, f"{broker} with {' '.join(values) or 'nothing'}")
        return f"the log of {broker} is [{' '.join(values)}]"

    def _watched(self) -> list[Partition]:
        logs = next(iter(self.schedule.outcomes.values())).logs
        return [self._partition(name) for name in logs]

    def _logs(self, places: Iterable[Partition]) -> Logs:
        return {
            shown(place): {broker: self._values(broker, place) for broker in sorted(self.replicas[place])}
            for place in places
        }

    def _values(self, broker: int, place: Partition) -> tuple[str, ...]:
        topic, number = place
        return tuple(record.value.decode() for record in self.cluster.disk(broker, topic, number).log(topic, number))

    def _state(self, place: Partition) -> PartitionState:
        return self.control.partition(*place)

    def _end(self, broker: int, place: Partition) -> int | None:
        error, end = self.wire.end_offset(self.cluster.client_port[broker], *place)
        return end if error == NO_ERROR else None

    def _watermark(self, port: int, place: Partition) -> int | None:
        return self.wire.fetch(port, place[0], partition=place[1]).high_watermark

    def _partition(self, name: str | None) -> Partition:
        """The partition that `topic-number` names; partition 0 of the first topic if none does."""
        if name is None:
            return self.operator.topic.name, 0
        topic, _, number = name.rpartition("-")
        return topic, int(number)

    def _await(self, look: Callable[[], object], what: str, seconds: float = SECONDS) -> None:
        self.cluster.until(look, seconds, what)

    # Clients

    def do_produce(
        self,
        value: str,
        *,
        to: str,
        on: str | None = None,
        acks: str = "all",
        wait: str = "10",
        producer: str | None = None,
    ) -> str:
        """Send a record to a broker, and wait for the answer; with a producer id as its first record."""
        batches = {self._partition(on): record_batch(value, None if producer is None else int(producer))}
        answer = self._produce(number_of(to), batches, acks, int(wait) * 1000)
        return self._answered(value, answer, acks)

    def _answered(self, value: str, answer: tuple[int, int] | str | None, acks: str) -> str:
        self.answers[value] = answer_in_words(answer, acks)
        return f"{value} is {self.answers[value]}"

    def do_send(self, value: str, *, to: str, on: str | None = None, acks: str = "all", then: str | None = None) -> str:
        """Send a record to a broker, and go on as soon as it is in the log; with `then=topic*count` the request has that many
        batches for other partitions, to which the broker appends later, and each of which takes it a second or more."""
        place, broker = self._partition(on), number_of(to)
        batches, more = {place: record_batch(value)}, ""
        if then is not None:
            topic, _, count = then.partition("*")
            later = self._later(place, topic, int(count))
            batches |= dict.fromkeys(later, long_batch())
            more = f" with long batches for {', '.join(map(shown, later))}"
        before = self._end(broker, place) or 0
        sending = Sending(acks)
        self.sent[value] = sending

        def run() -> None:
            try:
                sending.answer = self._produce(broker, batches, acks, LONG_MS)
            except OSError as problem:
                sending.answer = type(problem).__name__

        threading.Thread(target=run, daemon=True).start()
        self._await(lambda: (self._end(broker, place) or 0) > before, f"{value} in the log of {to}", LONG_MS / 1000)
        return f"{value} is in the log of {to}, at offset {before}{more}"

    def _later(self, place: Partition, topic: str, count: int) -> list[Partition]:
        """Partitions of a topic to which a broker appends after another partition."""
        later = appended_after(place, self._partitions_of(topic), self._topic_ids((place[0], topic)))
        if len(later) < count:
            raise ClusterError(f"no {count} partitions of {topic} come after {shown(place)}")
        return later[:count]

    def _create_until_later(self, place: Partition, topic: str, count: int) -> None:
        """From 4.1 on chance says how many partitions come after another: topics with other ids may have more."""
        for _ in range(MOST_TOPICS):
            with suppress(ClusterError):
                self._later(place, topic, count)
                return
            for name in (place[0], topic):
                self.control.delete_topic(name)
                self._await(partial(self._is_gone, name), f"the end of topic {name}")
                self._create(name, self.schedule.topics[name])

    def _is_gone(self, topic: str) -> bool:
        ports = [self.cluster.client_port[node] for node in self.cluster.nodes]
        return all(self.wire.metadata(port, topic).topics[0].error_code == UNKNOWN_TOPIC for port in ports)

    def _partitions_of(self, topic: str) -> list[Partition]:
        return [(topic, number) for number in range(len(self.schedule.topics[topic].partitions))]

    def _topic_ids(self, topics: Iterable[str]) -> dict[str, bytes]:
        if self.cluster.release.number < FIRST_PRODUCE_BY_TOPIC_ID:
            return {}
        return {topic: self.wire.topic_id(self.cluster.client_port[CONTROLLING], topic) for topic in topics}

    def _produce(self, broker: int, batches: dict[Partition, bytes], acks: str, wait_ms: int) -> tuple[int, int]:
        port = self.cluster.client_port[broker]
        answers = self.wire.produce_together(port, batches, ACKS[acks], wait_ms=wait_ms, timeout=LONG_MS / 1000 + 10)
        return answers[next(iter(batches))]

    def do_unanswered(self, value: str) -> str:
        """The request has not been answered yet."""
        if self.sent[value].answer is not None:
            raise ClusterError(f"{value} has been answered already: {answer_in_words(self.sent[value].answer, 'all')}")
        return f"{value} has not been answered yet"

    def do_answer(self, value: str) -> str:
        """Wait for the answer to a record that was sent."""
        sending = self.sent.pop(value)
        self._await(lambda: sending.answer is not None, f"the answer to {value}", LONG_MS / 1000)
        return self._answered(value, sending.answer, sending.acks)

    def do_fill(self, topic: str, *, to: str, acks: str = "1") -> str:
        """Write a record of 900,000 bytes to each partition of a topic."""
        partitions = self._partitions_of(topic)
        batches = dict.fromkeys(partitions, record_batch(os.urandom(900_000).hex()[:900_000]))
        error, _ = self._produce(number_of(to), batches, acks, LONG_MS)
        if error != NO_ERROR:
            raise ClusterError(f"{topic} cannot be written: {answer_in_words((error, -1), acks)}")
        return f"{len(partitions)} partitions of {topic} have a record of 900,000 bytes"

    # Operators

    def do_hold(self, arrow: str, part: str = "requests", *, kind: str | None = None) -> str:
        """Hold requests from now on, or answers, or leave answers unread."""
        return self.operator.do_hold(arrow, kind, part)

    def do_open(self, arrow: str, part: str | None = None, *, kind: str | None = None) -> str:
        """Let pass what was held."""
        return self.operator.do_open(arrow, kind, part)

    def do_pass(self, arrow: str) -> str:
        """Let the request pass that waits at a gate, and wait until its sender asks again."""
        _, place = self.operator.place(arrow, None)
        first = self.gates.waiting(*place)
        self.gates.release(first)
        gate = self.gates.gate(*place)
        self.gates.wait(lambda: gate.requests and gate.requests[0] is not first, SECONDS, f"a request {arrow}")
        return f"{arrow}: a request has passed, its answer has come, and the next request waits"

    def do_let_pass(self, arrow: str) -> str:
        """Let the request pass that waits at a gate, and go on; later ones wait."""
        _, place = self.operator.place(arrow, None)
        self.gates.release(self.gates.waiting(*place, SECONDS))
        return f"{arrow}: a request has passed"

    def do_stop_before_count(self, broker: str) -> str:
        """With a debugger, stop the next thread of a broker that has checked a follower's fetch, before it counts it."""
        self.stopped = self.cluster.debugger(number_of(broker), SECONDS)
        self.stopped.stop_in(self._counting)
        return f"the next thread of {broker} that comes to {self._counting} is to stop there"

    def do_stopped(self, broker: str) -> str:
        """Wait until a thread has stopped; others pass from now on."""
        thread = self._debugger().stopped(self._counting)
        return f"{thread} of {broker} has stopped in {self._counting}; every other thread goes on"

    @property
    def _counting(self) -> str:
        old = self.cluster.release.number < FIRST_UPDATE_OF_FETCH_STATE
        return f"kafka.cluster.Partition.{'updateReplicaLogReadResult' if old else 'updateFollowerFetchState'}"

    def do_go_on(self, broker: str) -> str:
        """Let the thread of a broker go on that was stopped."""
        self._debugger().go_on()
        return f"the thread of {broker} goes on"

    def _debugger(self) -> Debugger:
        if self.stopped is None:
            raise ClusterError("no thread is to be stopped")
        return self.stopped

    def do_asks(self, arrow: str) -> str:
        """Wait until a request waits at a gate that holds requests."""
        _, place = self.operator.place(arrow, None)
        self.gates.waiting(*place, SECONDS)
        return f"{arrow}: a request waits"

    def do_move(self, broker: str) -> str:
        """Have a broker elected as the preferred leader of the first topic, and wait until all hear of it that may."""
        said = self.operator.do_move(number_of(broker))
        topic = self.operator.topic.name
        state = self._state((topic, 0))
        for one in self.operator.topic.order:
            if one not in self.cluster.dead and not self.gates.gate(METADATA_LOG, one, CONTROLLER).closed:
                self._await(partial(self._is_in_epoch, one, topic, state), f"r{one} in the new epoch")
        return said

    def _is_in_epoch(self, broker: int, topic: str, state: PartitionState) -> bool:
        """Is a broker in the newest epoch? Where a fetch has no epoch, it only says whether it leads."""
        port = self.cluster.client_port[broker]
        if self.cluster.release.fetch < FIRST_FETCH_WITH_EPOCH:
            return self.wire.leads(port, topic) == (broker == state.leader)
        return self.wire.leader_epoch(port, topic, state.leader_epoch) == state.leader_epoch

    def do_shutdown(self, broker: str) -> str:
        """End a broker in good order."""
        return self.operator.do_shutdown(number_of(broker))

    def do_kill(self, broker: str) -> str:
        """Kill a broker, and have its session end."""
        self.operator.do_kill(number_of(broker))
        return f"{broker} is killed; {self.operator.do_fence(number_of(broker))}"

    def do_restart(self, broker: str) -> str:
        """Start a broker again."""
        return self.operator.do_restart(number_of(broker))

    def do_power_loss(self, broker: str, *partitions: str) -> str:
        """Kill a broker, and cut what these partitions had not flushed: all from the recovery point on; then its session ends."""
        self.cluster.kill(number_of(broker))
        for topic, number in map(self._partition, partitions):
            disk = self.cluster.disk(number_of(broker), topic, number)
            disk.lose_tail(topic, disk.checkpointed(RECOVERY_POINTS, topic, number), number)
        said = self.operator.do_fence(number_of(broker))
        return f"{broker} has lost power, and what it had not flushed of {', '.join(partitions)}; {said}"

    def do_reassign(self, partition: str, *brokers: str) -> str:
        """Give a partition other replicas, and wait until all are in the ISR."""
        place, replicas = self._partition(partition), tuple(map(number_of, brokers))
        self.wire.reassign(self.cluster.client_port[CONTROLLING], place[0], replicas, place[1])
        self.replicas[place] = replicas
        self._await(lambda: set(self._state(place).isr) == set(replicas), f"{partition} on {' '.join(brokers)}")
        return f"{partition}: {self._state_in_words(place)}"

    def do_set(self, topic: str, **settings: str) -> str:
        """Change settings of a topic."""
        values = {name.replace("_", "."): value for name, value in settings.items()}
        self.wire.change_topic(self.cluster.client_port[CONTROLLING], topic, values)
        return f"{topic}: {', '.join(f'{name}={value}' for name, value in values.items())}"

    def do_move_directory(self, broker: str, partition: str) -> str:
        """Move a replica to the other log directory of its broker, and wait until it is there."""
        one, place = number_of(broker), self._partition(partition)
        here = self.cluster.disk(one, *place).folder
        there = next(folder for folder in self.cluster.log_directories(one) if folder != here)
        self.wire.move_to_directory(self.cluster.client_port[one], *place, str(there))
        self._await(lambda: not (here / partition).exists() and (there / partition).exists(), f"{partition} moved")
        return f"{partition} of {broker} is in {there.name}, and was in {here.name}"

    def do_lose_directory(self, broker: str, partition: str, how_many: str = "one") -> str:
        """Remove the log directory with a partition, or all, of a broker that has ended."""
        one = number_of(broker)
        lost = [self.cluster.disk(one, *self._partition(partition)).folder]
        if how_many == "all":
            lost += [folder for folder in self.cluster.log_directories(one) if folder not in lost]
        for folder in lost:
            self.cluster.lose_directory(folder)
        self.control.format(one)
        left = " ".join(folder.name for folder in self.cluster.log_directories(one))
        return f"{broker} has lost {' '.join(folder.name for folder in lost)}; its log directories are {left}"


COMMANDS = {
    name.removeprefix("do_").replace("_", "-"): command
    for name, command in vars(Performance).items()
    if name.startswith("do_")
}
"""The commands of schedules."""


def number_of(broker: str) -> int:
    """The number of a broker `r1`."""
    return int(broker.removeprefix("r"))


def shown(place: Partition) -> str:
    """A partition as it is written: `events-0`."""
    return f"{place[0]}-{place[1]}"


def record_batch(value: str, producer: int | None = None) -> bytes:
    """A batch with one record; of an idempotent producer it is the first, so that sending it again does not append it again."""
    ids = {} if producer is None else {"producer_id": producer, "producer_epoch": PRODUCER_EPOCH, "base_sequence": 0}
    builder = MemoryRecordsBuilder(2, 0, 1 << 20, **ids)
    builder.append(timestamp=int(time.time() * 1000), key=None, value=value.encode(), headers=[])
    builder.close()
    return bytes(builder.buffer())


def answer_in_words(answer: tuple[int, int] | str | None, acks: str) -> str:
    """What a produce request was answered with; only acks=all is called acknowledged."""
    if isinstance(answer, tuple):
        error, offset = answer
        if error == NO_ERROR:
            return f"{ACKNOWLEDGED if acks == 'all' else f'appended with acks={acks}'} at offset {offset}"
        return f"answered with {ERRORS.get(error, f'error {error}')}"
    return f"not answered: {answer}"
