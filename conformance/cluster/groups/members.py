"""The members of a group on real brokers, each a process that does what a step says, and what their coordinator has."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, partial
from importlib.resources import files
from importlib.util import find_spec
from typing import cast

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Packed
from neverlost.model.kafka.groups.state import Commit, Group, Protocol, Reset

from ..cluster import Cluster
from ..debugging import AGENT, Debugger
from ..gates import MEMBERS
from ..releases import NO_CONFLUENT_KAFKA, ClusterError, MissingError
from ..steered_clients import Call, JavaClient, SteeredClient
from ..story_paths import NotDoneError, PathStep
from ..wire import HOST

BACK = "never_back"
SOURCE, LIBRDKAFKA_SOURCE = "GroupMember.java", "librdkafka_member.py"
LIBRDKAFKA = "librdkafka"
OFFSETS = "__consumer_offsets"
BROKER = 1
CALL_SECONDS, STEP_SECONDS, REFUSED_SECONDS = 60.0, 45.0, 4.0
"""How long is waited for a call, for a step, and for what is refused."""
FIRST_SECONDS = 120.0
"""How long the first member of a group is waited for, which brokers may keep waiting for others."""
EXPIRY_SECONDS, STAYS_SECONDS = 180.0, 90.0
"""How long is waited for offsets to expire, which takes a minute, and to see that they do not."""
POLL_MS, SESSION_MS, LONG_SESSION_MS = 200, 6000, 30000
FETCH_SECONDS = 1.0
STRATEGIES = {
    int(Protocol.EAGER): "org.apache.kafka.clients.consumer.RangeAssignor",
    int(Protocol.COOPERATIVE): "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
}
NO_OFFSET = -1


@dataclass
class Reader:
    """A member that runs: its process, and what it has in hand of each partition, up to its position."""

    client: SteeredClient
    done: dict[int, int] = field(default_factory=dict)
    position: dict[int, int] = field(default_factory=dict)
    taking: Call | None = None
    """The poll that is in an onPartitionsAssigned that does not end: until then it can make no other."""

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


@dataclass(eq=False)
class Members:
    """The members of a group, which reads a topic of its own, along a path: those that run, and which offsets the coordinator has."""

    model: Model
    path: Sequence[PathStep]
    cluster: Cluster
    name: str
    _: KW_ONLY
    library: str = ""
    """The consumers' own, Kafka's in Java if empty."""
    holds: str = ""
    """A method at which the thread is stopped that commits."""
    resigns: str = ""
    """A method at which that thread of a broker is stopped by which it learns that it is the coordinator no more."""
    watch: Watch[str] = UNWATCHED
    readers: dict[int, Reader] = field(default_factory=dict, init=False)
    number: int = field(default=0, init=False)
    started: int = field(default=0, init=False)
    partitions: int = field(default=0, init=False)
    committed: dict[int, int] = field(default_factory=dict, init=False)
    seen: dict[str, tuple[int, str]] = field(default_factory=dict, init=False)
    debugger: Debugger | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.gates, self.wire = self.cluster.gates, self.cluster.wire

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

    def _listed(self, partitions: set[int]) -> str:
        return ", ".join(f"p{partition + 1}" for partition in sorted(partitions)) or "nothing"

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
        """How long a member may be silent, as it is while a request waits that is before its heartbeats on the same connection."""
        waits = any(at.step.action.name in ("fail_commit", "fail_after_write") for at in self.path)
        return LONG_SESSION_MS if waits or self.resigns or self._polls_before_sync else SESSION_MS

    @cached_property
    def _polls_before_sync(self) -> set[int]:
        """The members that poll between their join and their assignment, which must wait for that."""
        joined, found = set[int](), set[int]()
        for at in self.path:
            name, picks = at.step.action.name, at.step.picks()
            if name == "join":
                joined.add(picks["member"])
            elif name == "sync":
                joined.discard(picks["member"])
            elif name == "poll":
                found |= joined & {picks["member"]}
        return found

    def _start(self, member: int, name: str = "") -> None:
        self.started += 1
        named = name or f"m{member + 1}"
        process, settings = f"{self.name}-{named}-{self.started}", self._settings(named)
        if self.library == LIBRDKAFKA:
            self.readers[member] = Reader(_librdkafka(self.cluster, process, settings, self.name))
            return
        source, more = str(files(__package__) / SOURCE), [AGENT] if self.holds else []
        self.readers[member] = Reader(JavaClient(self.cluster, process, source, settings, self.name, more=more))

    def _await_assignment(self, state: Group, members: Sequence[int], seconds: float = STEP_SECONDS) -> None:
        """Have all members poll until these own what the model says, with the same positions. Raises NotDoneError."""
        end = time.monotonic() + seconds
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
                raise NotDoneError(f"within {seconds:g} s {shown}")
        for member in members:
            reader = self.readers[member]
            for partition in wanted[member]:
                at = int(reader.call("position", partition))
                if at != state.position[member][partition]:
                    raise NotDoneError(f"m{member + 1} reads p{partition + 1} from {at} on")

    def _poll_nothing(self, reader: Reader) -> None:
        """Have a member poll no partition: it does what else it does in poll. It drops what it has of partitions that it gives up."""
        if reader.taking is not None:
            return
        reader.call("poll", POLL_MS, "none")
        for one in filter(None, reader.call("revoked").split(",")):
            reader.position.pop(int(one), None)
            reader.done.pop(int(one), None)

    def _look(self) -> None:
        """See what the coordinator has, and whether an offset went back."""
        for partition in range(self.partitions):
            before = self.committed.get(partition, NO_OFFSET)
            # A coordinator that loads its log, as behind a pause of its broker, does not say yet.
            (after,) = self.cluster.until(
                partial(self._offset_of, partition), STEP_SECONDS, f"the offset of p{partition + 1}"
            )
            self.committed[partition] = after
            if 0 <= after < before:
                self.seen.setdefault(
                    BACK, (self.number, f"the committed offset of p{partition + 1} went from {before} to {after}")
                )

    def _offset_of(self, partition: int) -> tuple[int]:
        port = self.cluster.client_port[self.coordinator]
        return (self.wire.committed_offset(port, self.name, self.name, partition),)

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
