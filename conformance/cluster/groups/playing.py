"""A run of the model of groups on real brokers, with real consumers: each member is a process that does what a step says.

A member polls one record at a time, and its records count as processed when the run says so. What Kafka does by itself, such as a
rebalance, is waited for. After each step the offsets that the coordinator has are compared with those of the model.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from neverlost.model.kafka.groups.state import Commit

from ..control import CONTROLLING, topic_settings
from ..gates import SYNC_GROUP
from ..releases import ClusterError
from ..story_paths import NotDoneError, PathStep, PlayedPath, PlayedStep
from ..wire import CONSUMER, NO_ERROR
from .heartbeats import Heartbeats
from .members import (
    BACK,
    BROKER,
    EXPIRY_SECONDS,
    FETCH_SECONDS,
    FIRST_SECONDS,
    POLL_MS,
    REFUSED_SECONDS,
    STAYS_SECONDS,
    STEP_SECONDS,
    Reader,
)

SKIPPED, REPEATED = "none_skipped", "none_repeated"
JUDGED = (SKIPPED, REPEATED, BACK)
"""What consumers must show where the model does, and nowhere else."""
SEEN_TO_BE_REFUSED = ("poll", "commit_auto", "expire_early", "move_coordinator", "take_unseen")
"""What is seen not to happen: poll returns nothing, an offset stays, a partition is not given away."""
EMPTY = "Empty"
"""The coordinator's word for a group without members."""


@dataclass(frozen=True, kw_only=True)
class Played(PlayedPath):
    """A run with real consumers, and what became of each record."""

    processed: dict[str, int]
    """How often each record was processed, after someone has read each partition to its end."""


@dataclass(eq=False)
class Play(Heartbeats):
    """Plays a path on a cluster, in a topic and a group of its own."""

    ends: list[int] = field(default_factory=list, init=False)
    starts: list[int] = field(default_factory=list, init=False)
    processed: Counter[tuple[int, int]] = field(default_factory=Counter, init=False)

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
        self._await_assignment(begins, [member for member, up in enumerate(begins.up) if up], FIRST_SECONDS)
        for member, reader in self.readers.items():
            for partition in range(self.partitions):
                if begins.owned[member][partition]:
                    reader.call("position", partition)
                    reader.call("commit", partition, 0)
        self._until_committed(begins)
        for member in self._polls_before_sync:
            self.gates.shut(*self._syncs(member))

    def _end(self) -> None:
        if self.debugger is not None:
            self.debugger.end()
        self.gates.open_all()
        for reader in self.readers.values():
            reader.client.kill()
        self.readers.clear()

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
        end = time.monotonic() + FIRST_SECONDS
        while reader.assigned != set(range(self.partitions)):
            reader.call("poll", POLL_MS, "none")
            if time.monotonic() > end:
                raise ClusterError(f"a new member owns {self._listed(reader.assigned)}")
        for partition in range(self.partitions):
            error, wanted = self.wire.end_offset(self.port, self.name, partition, replica=CONSUMER)
            if error != NO_ERROR or wanted != self.ends[partition]:
                raise ClusterError(f"p{partition + 1} ends at {wanted}, not at {self.ends[partition]}")
            end = time.monotonic() + STEP_SECONDS
            while (position := int(reader.call("position", partition))) < wanted:
                found = reader.call("poll", POLL_MS, partition)
                for one in filter(None, found.split(",")):
                    self.processed[partition, int(one.partition(":")[2])] += 1
                if time.monotonic() > end:
                    raise ClusterError(f"a new member does not read p{partition + 1} beyond {position}")
        # A member that is killed would be expelled in the middle of the next run, and its coordinator would write that.
        reader.call("close")
        never = [self._named(*record) for record in self._records() if not self.processed[record]]
        if never:
            self.seen[SKIPPED] = (number, f"nobody processes {', '.join(never)}, and the group has read to the end")

    # The steps

    def _perform(self, at: PathStep) -> str:
        performed: Callable[..., str] = getattr(self, f"_{at.step.action.name}")
        said = performed(at, **at.step.picks())
        if at.after is not None:
            slow = at.step.action.name == "expire"
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
            self._await_early(
                partition, reader.position[partition], STEP_SECONDS if at.after is not None else REFUSED_SECONDS
            )
        return "an automatic commit"

    def _await_early(self, partition: int, position: int, seconds: float) -> None:
        """Wait for a commit of what poll has returned, while the application is not in poll. Raises NotDoneError."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._look()
            if self.committed[partition] == position:
                return
            time.sleep(0.05)
        raise NotDoneError(f"the offset of p{partition + 1} stays at {self.committed[partition]}")

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

    def _join_by_heartbeat(self, at: PathStep, member: int) -> str:
        self._hold_heartbeats_of_takers()
        return self._join(at, member)

    def _heartbeat(self, at: PathStep, member: int) -> str:
        takes = [one for one in self.path[self.path.index(at) + 1 :] if one.step.action.name == "take_unseen"]
        if any(one.step.picks()["member"] == member for one in takes):
            return self._begin_to_take(member)
        return self._join(at, member)

    def _complete(self, at: PathStep) -> str:
        asking = [self.gates.gate(*self._syncs(member)) for member in self._polls_before_sync]
        end = time.monotonic() + STEP_SECONDS
        while any(gate.closed and not gate.requests for gate in asking):
            for reader in self.readers.values():
                self._poll_nothing(reader)
            if time.monotonic() > end:
                raise NotDoneError(f"no member asks for its assignment within {STEP_SECONDS:g} s")
        return "as soon as all have joined"

    def _syncs(self, member: int) -> tuple[str, str, int]:
        return SYNC_GROUP, f"m{member + 1}", self.coordinator

    def _sync(self, at: PathStep, member: int) -> str:
        assert at.after is not None
        state = self._state(at.after)
        self.gates.open(*self._syncs(member))
        self._await_assignment(state, [member])
        owned = {p for p in range(self.partitions) if state.owned[member][p]}
        return f"m{member + 1} owns {self._listed(owned)}"

    def _reconcile(self, at: PathStep, member: int) -> str:
        self.gates.open(*self._heartbeats(member))
        return self._sync(at, member)

    def _crash(self, at: PathStep, member: int) -> str:
        self.readers.pop(member).client.kill()
        return "its process is killed"

    def _expel(self, at: PathStep, member: int) -> str:
        time.sleep(self._session_ms / 1000)
        return "its session has ended"

    def _leave(self, at: PathStep, member: int) -> str:
        reader = self.readers.pop(member)
        reader.call("close")
        reader.client.kill()
        if not self.readers:
            self.cluster.until(lambda: self._group_is() == EMPTY, STEP_SECONDS, "a group without members")
        return "closed"

    def _fail(self, at: PathStep, member: int) -> str:
        in_hand = ", ".join(self._named(*record) for record in self.readers[member].in_hand)
        return f"{self._leave(at, member)}, with {in_hand} in hand"

    def _expire(self, at: PathStep) -> str:
        return "offsets.retention.minutes have passed"

    def _group_is(self) -> str:
        return self.wire.group_state(self.cluster.client_port[self.coordinator], self.name)

    def _expire_early(self, at: PathStep, partition: int) -> str:
        self._look()
        before, seconds = self.committed[partition], STAYS_SECONDS if at.after is None else EXPIRY_SECONDS
        end, states = time.monotonic() + seconds, list[str]()
        while self.committed[partition] == before:
            if time.monotonic() > end:
                raise NotDoneError(f"the offset of p{partition + 1} is {before} for {seconds:g} s")
            if self.watch.interrupted():
                raise KeyboardInterrupt
            for reader in self.readers.values():
                self._poll_nothing(reader)
            states = [*states[-1:], self._group_is()]
            self._look()
        if EMPTY in states:
            # So the offsets of a group without members expire.
            raise ClusterError(f"the offset of p{partition + 1} expires in a group without members")
        return f"{self._expire(at)}; the group is {states[-1]}"
