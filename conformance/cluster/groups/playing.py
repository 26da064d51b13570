"""A run of the model of groups on real brokers, with real consumers: each member is a process that does what a step says.

A member polls one record at a time, and its records count as processed when the run says so. What Kafka does by itself, such as a
rebalance, is waited for. After each step the offsets that the coordinator has are compared with those of the model.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from typing import cast

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Packed
from neverlost.model.kafka.groups.state import Commit, Group, Protocol, Reset

from ..cluster import Cluster
from ..control import CONTROLLING, topic_settings
from ..debugging import AGENT, Debugger
from ..gates import FETCH, MEMBERS, OFFSET_COMMIT, Frame, Part
from ..releases import NO_CONFLUENT_KAFKA, ClusterError, MissingError
from ..steered_clients import Call, JavaClient, SteeredClient
from ..story_paths import NotDoneError, PathStep, PlayedPath, PlayedStep
from ..wire import CONSUMER, HOST, NO_ERROR

SKIPPED, REPEATED, BACK = "none_skipped", "none_repeated", "never_back"
JUDGED = (SKIPPED, REPEATED, BACK)
"""What consumers must show where the model does, and nowhere else."""
SOURCE, LIBRDKAFKA_SOURCE = "GroupMember.java", "librdkafka_member.py"
LIBRDKAFKA = "librdkafka"
OFFSETS = "__consumer_offsets"
FIRST_FLEXIBLE_COMMIT = 8
BROKER = 1
CALL_SECONDS, STEP_SECONDS, REFUSED_SECONDS, EXPIRY_SECONDS, STAYS_SECONDS = 60.0, 45.0, 4.0, 180.0, 90.0
"""How long is waited: for a call, a step, what is refused; for offsets to expire, which takes a minute, and to see that they do not."""
POLL_MS, SESSION_MS, LONG_SESSION_MS = 200, 6000, 30000
FETCH_SECONDS = 1.0
STRATEGIES = {
    int(Protocol.EAGER): "org.apache.kafka.clients.consumer.RangeAssignor",
    int(Protocol.COOPERATIVE): "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
}
NO_OFFSET = -1
SEEN_TO_BE_REFUSED = ("poll", "commit_auto", "expire_early", "move_coordinator")
"""What is seen not to happen: poll returns nothing, an offset stays."""


@dataclass(frozen=True, kw_only=True)
class Played(PlayedPath):
    """A run with real consumers, and what became of each record."""

    processed: dict[str, int]
    """How often each record was processed, after someone has read each partition to its end."""


@dataclass(frozen=True)
class Sent:
    """A commitAsync under way: what it commits, and the call, which ends when its member knows what became of it."""

    offset: int
    call: Call


@dataclass
class Reader:
    """A member that runs: its process, and what it has in hand of each partition, up to its position."""

    client: SteeredClient
    done: dict[int, int] = field(default_factory=dict)
    position: dict[int, int] = field(default_factory=dict)

    def call(self, command: str, *arguments: object) -> str:
        """Make a call, and wait for what it says. Raises ClusterError if it fails."""
        call = self.client.call(command, *map(str, arguments))
        error = call.wait(CALL_SECONDS)
        if error:
            raise ClusterError(f"{command} fails with {error}")
        return call.said

    def take(self, found: str) -> None:
        """Note the records that a poll has returned."""
        for partition, offset in (map(int, one.split(":")) for one in found.split(",") if one):
            self.done.setdefault(partition, offset)
            self.position[partition] = offset + 1

    @property
    def in_hand(self) -> list[tuple[int, int]]:
        """The records that it has polled and not processed: partitions and offsets."""
        return [(p, offset) for p, end in self.position.items() for offset in range(self.done[p], end)]

    @property
    def assigned(self) -> set[int]:
        """The partitions that it believes to own."""
        return {int(one) for one in self.call("assigned").split(",") if one}


class Play:
    """Plays a path on a cluster, in a topic and a group of its own.

    `library` is the consumers' own, Kafka's in Java if empty; `holds` is a method at which the thread is stopped that commits;
    `resigns` one at which that thread of a broker is stopped by which it learns that it is the coordinator no more.
    """

    def __init__(
        self,
        model: Model,
        path: Sequence[PathStep],
        cluster: Cluster,
        name: str,
        *,
        library: str = "",
        holds: str = "",
        resigns: str = "",
        watch: Watch[str] = UNWATCHED,
    ) -> None:
        self.model, self.path, self.cluster, self.name = model, path, cluster, name
        self.library, self.holds, self.resigns, self.watch = library, holds, resigns, watch
        self.gates, self.wire = cluster.gates, cluster.wire
        self.readers: dict[int, Reader] = {}
        self.number = self.started = 0
        self.partitions = 0
        self.processed: Counter[tuple[int, int]] = Counter()
        self.committed: dict[int, int] = {}
        self.seen: dict[str, tuple[int, str]] = {}
        self.sent: list[Sent] = []
        """The commits that wait to be received, in their order."""
        self.failed: Sent | None = None
        """The commit that was refused, which its member does not know yet."""
        self.late: Frame | None = None
        self.debugger: Debugger | None = None

    # The whole

    def play(self) -> Played:
        """Play every step, up to the first that is not done; then have somebody read every partition to its end."""
        steps: list[PlayedStep] = []
        trouble = ""
        try:
            self._begin()
            for number, at in enumerate(self.path, 1):
                self.number = number
                shown = at.step.show(self.model.bounds)
                self.watch.progress(f"{number}. {shown}")
                try:
                    said = self._perform(at)
                    steps.append(PlayedStep(step=shown, done=True, said=said))
                except NotDoneError as error:
                    if at.after is None and at.step.action.name not in SEEN_TO_BE_REFUSED:
                        # That something did not come in time must not pass for what the model foretells.
                        raise ClusterError(f"{shown}: {error}") from error
                    steps.append(PlayedStep(step=shown, done=False, said=str(error)))
                    break
            self.gates.open_all()
            self._read_to_the_ends(len(steps))
        except (ClusterError, OSError, LookupError) as error:
            trouble = str(error)
        finally:
            self._end()
        return Played(
            steps=tuple(steps),
            seen=self.seen,
            processed={self._named(*record): self.processed[record] for record in self._records()},
            trouble=trouble,
        )

    def _begin(self) -> None:
        """Make the topic, start the members that are there from the start, and commit the beginning of each partition."""
        begins = self._state(self.path[0].before)
        self.partitions = sum(map(bool, begins.exists))
        self.ends = [0] * self.partitions
        self.starts = [0] * self.partitions
        if len(self.cluster.brokers) > 1:
            self._replicate_offsets()
        self.cluster.control.create_topic(self.name, [(BROKER,)] * self.partitions, topic_settings(1))
        for partition in range(self.partitions):
            self._await_leader(partition)
        for member, up in enumerate(begins.up):
            if up:
                self._start(member)
        self._await_assignment(begins, [member for member, up in enumerate(begins.up) if up])
        for member, reader in self.readers.items():
            for partition in range(self.partitions):
                if begins.owned[member][partition]:
                    reader.call("position", partition)
                    reader.call("commit", partition, 0)
        self._until_committed(begins)

    def _replicate_offsets(self) -> None:
        """Have the first broker coordinate all groups, and the others follow it."""
        control = self.cluster.control
        if OFFSETS not in self.wire.topics(self.port):
            control.create_topic(OFFSETS, [self.cluster.brokers], {"cleanup.policy": "compact"})
        elif control.partition(OFFSETS).leader != BROKER:
            control.move_leader(OFFSETS, self.cluster.brokers)
        self._await_isr(self.cluster.brokers)
        self.cluster.until(
            lambda: control.partition(OFFSETS).leader == BROKER and self.wire.leads(self.port, OFFSETS),
            STEP_SECONDS,
            f"broker {BROKER} as the coordinator",
        )

    def _await_isr(self, wanted: Sequence[int]) -> None:
        self.cluster.until(
            lambda: self.cluster.control.partition(OFFSETS).isr == tuple(wanted),
            STEP_SECONDS,
            f"{', '.join(map(str, wanted))} in sync with the coordinator",
        )

    def _end(self) -> None:
        if self.debugger is not None:
            self.debugger.end()
        self.gates.open_all()
        for reader in self.readers.values():
            reader.client.kill()
        self.readers.clear()

    def _state(self, words: Packed) -> Group:
        return cast(Group, self.model.state(words))

    @property
    def port(self) -> int:
        """Where clients find the broker."""
        return self.cluster.client_port[BROKER]

    @cached_property
    def coordinator(self) -> int:
        """The coordinator of the group."""
        found = self.cluster.until(
            lambda: self.wire.coordinator(self.port, self.name), STEP_SECONDS, f"the coordinator of {self.name}"
        )
        assert found is not None
        return found

    def _await_leader(self, partition: int) -> None:
        self.cluster.until(
            lambda: self.wire.leads(self.port, self.name, partition), STEP_SECONDS, f"a leader of partition {partition}"
        )

    def _named(self, partition: int, offset: int) -> str:
        return f"p{partition + 1} at {offset}"

    # Members

    def _settings(self, member: str) -> dict[str, str]:
        """The settings of a member, from those of the model."""
        chosen = self.model.settings
        automatic = chosen["commit"] in (Commit.AUTO, Commit.AUTO_THREADS)
        found = {
            "bootstrap.servers": f"{HOST}:{self.cluster.proxy_port[BROKER]}",
            "client.id": f"{MEMBERS}{member}",
            "group.id": self.name,
            "auto.offset.reset": Reset.names[chosen["reset"]],
            "enable.auto.commit": str(automatic).lower(),
            # Commits go out in every poll, so that the run says when.
            "auto.commit.interval.ms": "1",
            "max.poll.records": "1",
            "reconnect.backoff.max.ms": "200",
            "default.api.timeout.ms": "50000",
        }
        if self.library == LIBRDKAFKA:
            return _settings_of_librdkafka(found, stores=chosen["commit"] == Commit.AUTO_THREADS)
        if chosen["partition_adds"]:
            found["metadata.max.age.ms"] = "1000"
        if chosen["protocol"] == Protocol.CONSUMER:
            return {**found, "group.protocol": "consumer"}
        return {
            **found,
            "partition.assignment.strategy": STRATEGIES[chosen["protocol"]],
            "session.timeout.ms": str(self._session_ms),
            "heartbeat.interval.ms": "500",
        }

    @property
    def _session_ms(self) -> int:
        """How long a member may be silent, as it is while its commit waits, which is before its heartbeats on the same connection."""
        waits = any(at.step.action.name == "fail_commit" for at in self.path)
        return LONG_SESSION_MS if waits else SESSION_MS

    def _start(self, member: int, name: str = "") -> None:
        self.started += 1
        named = name or f"m{member + 1}"
        process, settings = f"{self.name}-{named}-{self.started}", self._settings(named)
        if self.library == LIBRDKAFKA:
            self.readers[member] = Reader(_librdkafka(self.cluster, process, settings, self.name))
            return
        source, more = str(files(__package__) / SOURCE), [AGENT] if self.holds else []
        self.readers[member] = Reader(JavaClient(self.cluster, process, source, settings, self.name, more=more))

    def _await_assignment(self, state: Group, members: Sequence[int]) -> None:
        """Have all members poll until these own what the model says, with the same positions. Raises NotDoneError."""
        end = time.monotonic() + STEP_SECONDS
        found: dict[int, set[int]] = {}
        while True:
            for member, reader in self.readers.items():
                if state.up[member]:
                    self._poll_nothing(reader)
                    found[member] = reader.assigned
            wanted = {m: {p for p in range(self.partitions) if state.owned[m][p]} for m in members}
            if all(found[member] == wanted[member] for member in members):
                break
            if time.monotonic() > end:
                shown = "; ".join(f"m{member + 1} owns {self._listed(found[member])}" for member in members)
                raise NotDoneError(f"within {STEP_SECONDS:g} s {shown}")
        for member in members:
            reader = self.readers[member]
            for partition in wanted[member]:
                at = int(reader.call("position", partition))
                if at != state.position[member][partition]:
                    raise NotDoneError(f"m{member + 1} reads p{partition + 1} from {at} on")

    def _poll_nothing(self, reader: Reader) -> None:
        """Have a member poll no partition: it does what else it does in poll. It drops what it has of partitions that it gives up."""
        reader.call("poll", POLL_MS, "none")
        for one in filter(None, reader.call("revoked").split(",")):
            reader.position.pop(int(one), None)
            reader.done.pop(int(one), None)

    def _listed(self, partitions: set[int]) -> str:
        return ", ".join(f"p{partition + 1}" for partition in sorted(partitions)) or "nothing"

    # What is seen

    def _look(self) -> None:
        """See what the coordinator has, and whether an offset went back."""
        for partition in range(self.partitions):
            before = self.committed.get(partition, NO_OFFSET)
            after = self.wire.committed_offset(
                self.cluster.client_port[self.coordinator], self.name, self.name, partition
            )
            self.committed[partition] = after
            if 0 <= after < before:
                self.seen.setdefault(
                    BACK, (self.number, f"the committed offset of p{partition + 1} went from {before} to {after}")
                )

    def _until_committed(self, wanted: Group, seconds: float = STEP_SECONDS) -> None:
        """Wait until the coordinator has the offsets that the model has. Raises NotDoneError."""
        end = time.monotonic() + seconds
        while True:
            self._look()
            wrong = self._wrong(wanted)
            if not wrong:
                return
            if time.monotonic() > end:
                raise NotDoneError("; ".join(f"the offset of p{p + 1} is {self.committed[p]}" for p in wrong))
            if self.watch.interrupted():
                raise KeyboardInterrupt
            time.sleep(0.05)

    def _wrong(self, wanted: Group) -> list[int]:
        """The partitions of which the coordinator has another offset than the model."""
        return [p for p in range(self.partitions) if self.committed[p] != wanted.committed[p]]

    def _records(self) -> list[tuple[int, int]]:
        ends = enumerate(zip(self.starts, self.ends, strict=True))
        return [(partition, offset) for partition, (start, end) in ends for offset in range(start, end)]

    def _read_to_the_ends(self, number: int) -> None:
        """Let members process what they have, close them, and have a new member of the group read every partition to its end."""
        for reader in self.readers.values():
            for record in reader.in_hand:
                self.processed[record] += 1
            for partition, position in reader.position.items():
                reader.call("done", partition, position)
            reader.call("close")
            reader.client.kill()
        self.readers.clear()
        self._start(0, "last")
        reader = self.readers[0]
        end = time.monotonic() + 2 * STEP_SECONDS
        while reader.assigned != set(range(self.partitions)):
            reader.call("poll", POLL_MS, "none")
            if time.monotonic() > end:
                raise ClusterError(f"a new member owns {self._listed(reader.assigned)}")
        for partition in range(self.partitions):
            error, wanted = self.wire.end_offset(self.port, self.name, partition, replica=CONSUMER)
            if error != NO_ERROR or wanted != self.ends[partition]:
                raise ClusterError(f"p{partition + 1} ends at {wanted}, not at {self.ends[partition]}")
            while int(reader.call("position", partition)) < wanted:
                found = reader.call("poll", POLL_MS, partition)
                for one in filter(None, found.split(",")):
                    self.processed[partition, int(one.partition(":")[2])] += 1
        never = [self._named(*record) for record in self._records() if not self.processed[record]]
        if never:
            self.seen[SKIPPED] = (number, f"nobody processes {', '.join(never)}, and the group has read to the end")

    # The steps

    def _perform(self, at: PathStep) -> str:
        performed: Callable[..., str] = getattr(self, f"_{at.step.action.name}")
        said = performed(at, **at.step.picks())
        if at.after is not None:
            slow = at.step.action.name in ("expire", "expire_early")
            self._until_committed(self._state(at.after), EXPIRY_SECONDS if slow else STEP_SECONDS)
        else:
            self._look()
        for record, times in self.processed.items():
            if times > 1:
                self.seen.setdefault(REPEATED, (self.number, f"{self._named(*record)} is processed twice"))
        return said

    def _produce(self, at: PathStep, partition: int) -> str:
        value = f"v{self.ends[partition]}".encode()
        error = self.wire.produce(self.port, self.name, value, -1, partition=partition, wait_ms=10000, timeout=15)
        if error != NO_ERROR:
            raise ClusterError(f"a record is refused with error {error}")
        self.ends[partition] += 1
        return f"p{partition + 1} has {self.ends[partition]}"

    def _poll(self, at: PathStep, member: int, partition: int) -> str:
        reader = self.readers[member]
        wanted = self._state(at.before).position[member][partition]
        holding = self.holds and self._is_followed_by_a_commit(at)
        if holding:
            self._fetch_before(reader, partition)
            self._stop_in(reader)
        seconds = STEP_SECONDS if at.after is not None else REFUSED_SECONDS
        end = time.monotonic() + seconds
        while not (found := reader.call("poll", POLL_MS, partition)):
            if time.monotonic() > end:
                position = reader.call("position", partition)
                raise NotDoneError(f"poll returns nothing from {position} on within {seconds:g} s")
        reader.take(found)
        if found != f"{partition}:{wanted}":
            raise NotDoneError(f"poll returns {found}")
        if not holding:
            return f"poll returns {self._named(partition, wanted)}"
        assert self.debugger is not None
        thread = self.debugger.stopped(self.holds)
        return f"poll returns {self._named(partition, wanted)} while {thread} is stopped in {self.holds}"

    def _fetch_before(self, reader: Reader, partition: int) -> None:
        """Have a member fetch the record, and not return it: a poll that does not wait only asks for it."""
        if found := reader.call("poll", 0, partition):
            raise NotDoneError(f"a poll that does not wait returns {found}")
        time.sleep(FETCH_SECONDS)
        # The first poll that finds what was fetched asks for no commit; the next one does.
        reader.call("poll", 0, "none")

    def _is_followed_by_a_commit(self, at: PathStep) -> bool:
        """Is an automatic commit the next step, with the record in hand?"""
        following = self.path[self.path.index(at) + 1 :][:1]
        return any(one.step.action.name == "commit_auto" for one in following)

    def _stop_in(self, reader: Reader) -> None:
        self.debugger = self.cluster.debugger_of(reader.client.process, STEP_SECONDS)
        self.debugger.stop_in(self.holds)

    def _process(self, at: PathStep, member: int, partition: int, offset: int) -> str:
        reader = self.readers[member]
        if (partition, offset) not in reader.in_hand:
            raise NotDoneError(f"m{member + 1} does not have {self._named(partition, offset)} in hand")
        self.processed[partition, offset] += 1
        reader.done[partition] = offset + 1
        reader.call("done", partition, offset + 1)
        return "processed"

    def _commit_auto(self, at: PathStep, member: int, partition: int) -> str:
        reader = self.readers[member]
        in_threads = self.model.settings["commit"] == Commit.AUTO_THREADS
        if self.debugger is not None:
            self.debugger.go_on()
        elif in_threads or not reader.in_hand:
            self._poll_nothing(reader)
        else:
            self._await_early(partition, reader.position[partition])
        return "an automatic commit"

    def _await_early(self, partition: int, position: int) -> None:
        """Wait for a commit of what poll has returned, while the application is not in poll. Raises NotDoneError."""
        end = time.monotonic() + REFUSED_SECONDS
        while time.monotonic() < end:
            self._look()
            if self.committed[partition] == position:
                return
            time.sleep(0.05)
        raise NotDoneError(f"the offset of p{partition + 1} stays at {self.committed[partition]}")

    def _commit_sync(self, at: PathStep, member: int, partition: int) -> str:
        reader = self.readers[member]
        if not self.resigns:
            reader.call("commit", partition, reader.done[partition])
            return f"{reader.done[partition]} is committed"
        return self._commit_while_the_coordinator_moves(member, partition)

    def _commit_while_the_coordinator_moves(self, member: int, partition: int) -> str:
        """Move the leader of the coordinator's partition between its write of a commit and the replication of that.

        The old coordinator follows the new leader already, and the thread is stopped by which it learns that it is none any more.
        """
        reader, old = self.readers[member], self.coordinator
        new, *_ = self._others()
        self.gates.shut(FETCH, new, old)
        self.gates.waiting(FETCH, new, old)
        end = self.wire.end_offset(self.cluster.client_port[old], OFFSETS)
        offset = reader.done[partition]
        self.gates.shut(OFFSET_COMMIT, f"m{member + 1}", old)
        call = reader.client.call("commit", str(partition), str(offset))
        frame = self._arrived(member)
        self.gates.release(frame)
        self.cluster.until(
            lambda: self.wire.end_offset(self.cluster.client_port[old], OFFSETS) != end, STEP_SECONDS, "the commit"
        )
        self.debugger = self.cluster.debugger(old, STEP_SECONDS)
        self.debugger.stop_in(self.resigns)
        self.cluster.control.move_leader(OFFSETS, (new, old))
        thread = self.debugger.stopped(self.resigns)
        # What another group commits takes the place of the commit that the new leader does not have.
        self.cluster.until(
            lambda: self._commit_of_another_group(new) == NO_ERROR, STEP_SECONDS, f"broker {new} as the coordinator"
        )
        error = _error_of(frame, self.gates.answered(frame, STEP_SECONDS))
        if error == NO_ERROR:
            return (
                f"acknowledged by broker {old}, which follows broker {new} while {thread} is stopped in {self.resigns}"
            )
        self._learn_of_the_move()
        self.gates.open(OFFSET_COMMIT, f"m{member + 1}", old)
        if problem := call.wait(STEP_SECONDS):
            raise ClusterError(f"commitSync fails with {problem}")
        return f"broker {old} answers with error {error}, and broker {new} acknowledges it"

    def _others(self) -> list[int]:
        """The brokers that are not the coordinator."""
        return [broker for broker in self.cluster.brokers if broker != self.coordinator]

    def _learn_of_the_move(self) -> None:
        """Let the old coordinator learn that it is none any more."""
        if self.debugger is not None:
            self.debugger.go_on()
            self.debugger.end()
            self.debugger = None
        self.coordinator, *_ = self._others()

    def _move_coordinator(self, at: PathStep, partition: int) -> str:
        before = self.committed[partition]
        if self.debugger is not None:
            self._learn_of_the_move()
        self._look()
        if at.after is None and self.committed[partition] == before:
            raise NotDoneError(f"the offset of p{partition + 1} is {before} at broker {self.coordinator} too")
        return f"broker {self.coordinator} is the coordinator"

    def _send(self, member: int, partition: int) -> Frame:
        """Send a commit: the first that waits before the coordinator, with others of the same connection behind it."""
        reader, name = self.readers[member], f"m{member + 1}"
        if not self.sent:
            # After a broken connection a member must find its coordinator again; commitAsync alone may give up before.
            for _ in range(5):
                self._poll_nothing(reader)
        self.gates.shut(OFFSET_COMMIT, name, self.coordinator)
        offset = reader.done[partition]
        self.sent.append(Sent(offset, reader.client.call("send", str(partition), str(offset))))
        return self._arrived(member)

    def _arrived(self, member: int) -> Frame:
        return self.gates.waiting(OFFSET_COMMIT, f"m{member + 1}", self.coordinator, STEP_SECONDS)

    def _send_commit(self, at: PathStep, member: int, partition: int) -> str:
        self._send(member, partition)
        return f"commitAsync of {self.readers[member].done[partition]}"

    def _receive_commit(self, at: PathStep, member: int, partition: int) -> str:
        if self.failed is not None and not self.sent:
            self._repeat(member, partition, self.failed)
        frame = self._arrived(member)
        self.gates.release(frame)
        self.sent.pop(0)
        if self.failed is not None:
            return "it is behind an answer that is held"
        self.gates.answered(frame)
        return "it is answered"

    def _fail_commit(self, at: PathStep, member: int, partition: int) -> str:
        frame = self._arrived(member)
        self.failed = self.sent.pop(0)
        # Its member hears of it later, so that what it has sent behind it is received first.
        self.gates.shut(OFFSET_COMMIT, f"m{member + 1}", self.coordinator, Part.ANSWER)
        followers = self._others()
        for follower in followers:
            self.gates.shut(FETCH, follower, self.coordinator)
        # A follower is out of sync only if there is something that it does not have.
        self._commit_of_another_group(self.coordinator)
        self._await_isr([self.coordinator])
        self.gates.release(frame)
        error = _error_of(frame, self.gates.answered(frame))
        for follower in followers:
            self.gates.open(FETCH, follower, self.coordinator)
        self._await_isr(self.cluster.brokers)
        if error == NO_ERROR:
            raise NotDoneError(f"the commit of {self.failed.offset} is accepted")
        return f"too few replicas are in sync: {self.failed.offset} is answered with error {error}, which its member has yet to hear"

    def _commit_of_another_group(self, broker: int) -> int:
        """What a coordinator answers to another group, which has no members: an error code."""
        return self.wire.commit(self.cluster.client_port[broker], f"{self.name}-other", self.name, 0)

    def _repeat(self, member: int, partition: int, failed: Sent) -> None:
        """Let a member hear that its commit has failed, and repeat it. Raises ClusterError if it hears nothing."""
        reader = self.readers[member]
        self.gates.open(OFFSET_COMMIT, f"m{member + 1}", self.coordinator, Part.ANSWER)
        end = time.monotonic() + STEP_SECONDS
        while not failed.call.has_ended and time.monotonic() < end:
            self._poll_nothing(reader)
        if not failed.call.wait(REFUSED_SECONDS):
            raise ClusterError(f"m{member + 1} takes its commit of {failed.offset} for accepted")
        self.failed = None
        reader.done[partition], newest = failed.offset, reader.done[partition]
        self._send(member, partition)
        reader.done[partition] = newest

    def _hold_up(self, at: PathStep, member: int, partition: int) -> str:
        self.late = self._send(member, partition)
        self.gates.hold_up(self.late)
        self.sent.clear()
        return f"commitAsync of {self.readers[member].done[partition]}, on a connection that breaks"

    def _arrive_late(self, at: PathStep, member: int, partition: int) -> str:
        assert self.late is not None
        self.gates.release(self.late)
        self.gates.answered(self.late)
        return "it arrives, and is answered"

    def _remove(self, at: PathStep, partition: int) -> str:
        self.starts[partition] += 1
        self.wire.delete_records(self.port, self.name, self.starts[partition], partition=partition)
        return f"DeleteRecords: p{partition + 1} begins at {self.starts[partition]}"

    def _reset_position(self, at: PathStep, member: int, partition: int) -> str:
        assert at.after is not None
        reader, wanted = self.readers[member], self._state(at.after).position[member][partition]
        end = time.monotonic() + STEP_SECONDS
        while (found := int(reader.call("position", partition))) != wanted:
            if time.monotonic() > end:
                raise NotDoneError(f"m{member + 1} reads p{partition + 1} from {found} on")
            # A poll that does not wait fetches; it is the next one that returns a record.
            reader.take(reader.call("poll", 0, partition))
            time.sleep(0.05)
        return f"m{member + 1} reads p{partition + 1} from {found} on"

    def _add_partition(self, at: PathStep, partition: int) -> str:
        self.wire.create_partitions(self.cluster.client_port[CONTROLLING], self.name, self.partitions + 1, [(BROKER,)])
        self._await_leader(partition)
        self.partitions += 1
        self.ends.append(0)
        self.starts.append(0)
        return f"the topic has {self.partitions}"

    def _discover(self, at: PathStep, partition: int) -> str:
        return "with the metadata that a member asks for next"

    def _start_member(self, at: PathStep, member: int) -> str:
        self._start(member)
        return "started"

    _restart = _start_member

    def _join(self, at: PathStep, member: int) -> str:
        assert at.after is not None
        wanted, end = self._state(at.after), time.monotonic() + STEP_SECONDS
        self._poll_nothing(self.readers[member])
        while self._wrong(wanted) and time.monotonic() < end:
            # Who has asked to join goes on polling until it is heard.
            for reader in self.readers.values():
                self._poll_nothing(reader)
            self._look()
        return "it polls"

    _join_by_heartbeat = _join
    _heartbeat = _join

    def _complete(self, at: PathStep) -> str:
        return "as soon as all have joined"

    def _sync(self, at: PathStep, member: int) -> str:
        assert at.after is not None
        state = self._state(at.after)
        self._await_assignment(state, [member])
        owned = {p for p in range(self.partitions) if state.owned[member][p]}
        return f"m{member + 1} owns {self._listed(owned)}"

    _reconcile = _sync

    def _crash(self, at: PathStep, member: int) -> str:
        self.readers.pop(member).client.kill()
        return "its process is killed"

    def _expel(self, at: PathStep, member: int) -> str:
        time.sleep(SESSION_MS / 1000)
        return "its session has ended"

    def _leave(self, at: PathStep, member: int) -> str:
        reader = self.readers.pop(member)
        reader.call("close")
        reader.client.kill()
        return "closed"

    def _fail(self, at: PathStep, member: int) -> str:
        in_hand = ", ".join(self._named(*record) for record in self.readers[member].in_hand)
        return f"{self._leave(at, member)}, with {in_hand} in hand"

    def _expire(self, at: PathStep) -> str:
        return "offsets.retention.minutes have passed"

    def _expire_early(self, at: PathStep, partition: int) -> str:
        self._look()
        before, end = self.committed[partition], time.monotonic() + STAYS_SECONDS
        while at.after is None and self.committed[partition] == before:
            if time.monotonic() > end:
                raise NotDoneError(f"the offset of p{partition + 1} is {before} for {STAYS_SECONDS:g} s")
            if self.watch.interrupted():
                raise KeyboardInterrupt
            time.sleep(0.5)
            self._look()
        return self._expire(at)


def _error_of(frame: Frame, answer: bytes) -> int:
    """The error code in the answer to a commit of one partition, which ends with it, but for tagged fields."""
    end = len(answer) - (3 if frame.version >= FIRST_FLEXIBLE_COMMIT else 0)
    return int.from_bytes(answer[end - 2 : end], "big", signed=True)


def _settings_of_librdkafka(java: dict[str, str], *, stores: bool) -> dict[str, str]:
    """The same settings for librdkafka, which has other names for some of them."""
    same = ("bootstrap.servers", "client.id", "group.id", "auto.offset.reset", "enable.auto.commit")
    return {
        **{name: java[name] for name in same},
        "auto.commit.interval.ms": "100",
        "enable.auto.offset.store": str(stores).lower(),
        "session.timeout.ms": str(SESSION_MS),
        "heartbeat.interval.ms": "500",
    }


def _librdkafka(cluster: Cluster, name: str, settings: dict[str, str], topic: str) -> SteeredClient:
    """A consumer of librdkafka, through confluent-kafka. Raises MissingError if that is not there."""
    if find_spec("confluent_kafka") is None:
        raise MissingError(NO_CONFLUENT_KAFKA)
    command = [sys.executable, str(files(__package__) / LIBRDKAFKA_SOURCE)]
    return SteeredClient(cluster, name, settings, topic, lambda arguments: cluster.run(name, [*command, *arguments]))
