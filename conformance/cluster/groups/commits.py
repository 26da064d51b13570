"""Commits that wait, are refused or come late, and coordinators that move, on real brokers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from neverlost.model.kafka.groups.state import Commit

from ..gates import FETCH, OFFSET_COMMIT, Frame, Part
from ..releases import ClusterError
from ..steered_clients import Call
from ..story_paths import NotDoneError, PathStep
from ..wire import CONSUMER, DEBUGGING_CONSUMER, NO_ERROR, TIMED_OUT
from .members import BROKER, OFFSETS, POLL_MS, REFUSED_SECONDS, STEP_SECONDS, Members

FIRST_FLEXIBLE_COMMIT = 8
GIVEN_UP = (TIMED_OUT, 15)
"""How a coordinator answers that has waited for offsets.commit.timeout.ms in vain: to 3.9, and from 4.0 on."""
GIVES_UP_MS = 10000
"""How long commitSync may take that is to fail: longer than the coordinator waits for replicas (offsets.commit.timeout.ms)."""
POLLS_TO_FIND_COORDINATOR = 5
"""So often a member polls behind a broken connection: one that is closed before does not say so to its coordinator."""


@dataclass(frozen=True)
class Sent:
    """A commitAsync under way: what it commits, and the call, which ends when its member knows what became of it."""

    offset: int
    call: Call


@dataclass(eq=False)
class Commits(Members):
    """The commits of a group's members on the way to its coordinator, which moves; its partition has followers."""

    sent: list[Sent] = field(default_factory=list, init=False)
    """The commits that wait to be received, in their order."""
    failed: Sent | None = field(default=None, init=False)
    """The commit that was refused, which its member does not know yet."""
    late: Frame | None = field(default=None, init=False)

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

    def _others(self) -> list[int]:
        """The brokers that are not the coordinator."""
        return [broker for broker in self.cluster.brokers if broker != self.coordinator]

    def _commit_sync(self, at: PathStep, member: int, partition: int) -> str:
        if not self.resigns:
            offset = self._state(at.before).done[member][partition]
            self.readers[member].call("commit", partition, offset)
            return f"{offset} is committed"
        return self._commit_while_the_coordinator_moves(member, partition)

    def _commit_while_the_coordinator_moves(self, member: int, partition: int) -> str:
        """Move the leader of the coordinator's partition between its write of a commit and the replication of that.

        The old coordinator follows the new leader already, and the thread is stopped by which it learns that it is none any more.
        """
        reader, old = self.readers[member], self.coordinator
        new, *_ = self._others()
        self.gates.shut(FETCH, new, old)
        self.gates.waiting(FETCH, new, old, STEP_SECONDS)
        end = self._log_end()
        offset = reader.done[partition]
        self.gates.shut(OFFSET_COMMIT, f"m{member + 1}", old)
        call = reader.client.call("commit", str(partition), str(offset))
        frame = self._arrived(member)
        self.gates.release(frame)
        self.cluster.until(lambda: self._log_end() != end, STEP_SECONDS, "the commit")
        self.debugger = self.cluster.debugger(old, STEP_SECONDS)
        self.debugger.stop_in(self.resigns)
        self.cluster.control.move_leader(OFFSETS, (new, old))
        thread = self.debugger.stopped(self.resigns)
        # What another group commits takes the place of the commit that the new leader does not have.
        self.cluster.until(
            lambda: self._commit_of_another_group(new) == NO_ERROR, STEP_SECONDS, f"broker {new} as the coordinator"
        )
        if frame.reply is not None and (early := _error_of(frame, frame.reply)) in GIVEN_UP:
            raise ClusterError(f"broker {old} answers with error {early} before broker {new} is the coordinator")
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
        reader, place = self.readers[member], (OFFSET_COMMIT, f"m{member + 1}", self.coordinator)
        self.gates.shut(*place)
        offset, end = reader.done[partition], time.monotonic() + STEP_SECONDS
        call = reader.client.call("send", str(partition), str(offset))
        while not self.gates.gate(*place).requests and time.monotonic() < end:
            self._poll_nothing(reader)
            # After a broken connection a member must find its coordinator again; commitAsync alone may give up before.
            if call.has_ended:
                call = reader.client.call("send", str(partition), str(offset))
        self.sent.append(Sent(offset, call))
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
        self.gates.answered(frame, STEP_SECONDS)
        return "it is answered"

    def _fail_commit(self, at: PathStep, member: int, partition: int) -> str:
        frame = self._first_sent(member)
        with self._followers_wait():
            # A follower is out of sync only if there is something that it does not have.
            self._commit_of_another_group(self.coordinator)
            self._await_isr([self.coordinator])
            end = self._log_end()
            error = self._refused(frame)
            if self._log_end() != end:
                raise NotDoneError(f"a commit is answered with error {error}, and written")
        return f"too few replicas are in sync: answered with error {error}, which its member has yet to hear, and not written"

    def _fail_after_write(self, at: PathStep, member: int, partition: int) -> str:
        if self.model.settings["commit"] == Commit.ASYNC:
            frame = self._first_sent(member)
            with self._followers_wait():
                error = self._written_and_refused(frame)
            return f"written, and answered with error {error}, which its member has yet to hear"
        reader, offset = self.readers[member], self._next_commit(at, member, partition)
        self.gates.shut(OFFSET_COMMIT, f"m{member + 1}", self.coordinator)
        call = reader.client.call("commit", str(partition), str(offset), str(GIVES_UP_MS))
        frame = self._arrived(member)
        with self._followers_wait():
            error = self._written_and_refused(frame)
            # commitSync repeats it for as long as it may take; what it sends then is lost on the way.
            self.gates.waiting(OFFSET_COMMIT, f"m{member + 1}", self.coordinator, STEP_SECONDS)
            problem = call.wait(STEP_SECONDS)
            self.gates.cut_waiting(OFFSET_COMMIT, f"m{member + 1}", self.coordinator)
        self.gates.open(OFFSET_COMMIT, f"m{member + 1}", self.coordinator)
        if not problem:
            raise NotDoneError(f"commitSync of {offset} returns")
        for _ in range(POLLS_TO_FIND_COORDINATOR):
            self._poll_nothing(reader)
        return f"{offset} is written, and answered with error {error}; commitSync ends with {problem}"

    def _next_commit(self, at: PathStep, member: int, partition: int) -> int:
        """What a member commits that waits for the answer: what it has processed, or the record that it is about to process."""
        reader = self.readers[member]
        if self.model.settings["commit"] != Commit.BEFORE:
            return reader.done[partition]
        wanted, end = self._state(at.before).position[member][partition], time.monotonic() + STEP_SECONDS
        while (found := reader.call("poll", POLL_MS, partition)) != f"{partition}:{wanted}":
            if found or time.monotonic() > end:
                raise NotDoneError(f"poll returns {found or 'nothing'}")
        return wanted + 1

    def _first_sent(self, member: int) -> Frame:
        """The first commitAsync under way, which is to fail. Its member hears of it later, behind what it has sent since."""
        frame = self._arrived(member)
        self.failed = self.sent.pop(0)
        self.gates.shut(OFFSET_COMMIT, f"m{member + 1}", self.coordinator, Part.ANSWER)
        return frame

    def _written_and_refused(self, frame: Frame) -> int:
        """The error with which the coordinator answers a commit, and that it has written it."""
        end = self._log_end()
        error = self._refused(frame)
        if self._log_end() == end:
            raise NotDoneError(f"a commit is answered with error {error}, and not written")
        return error

    def _refused(self, frame: Frame) -> int:
        """Let a commit pass: the error with which the coordinator answers it. Raises NotDoneError if there is none."""
        self.gates.release(frame)
        error = _error_of(frame, self.gates.answered(frame, STEP_SECONDS))
        if error == NO_ERROR:
            raise NotDoneError("a commit is accepted")
        return error

    def _log_end(self, replica: int = DEBUGGING_CONSUMER) -> tuple[int, int | None]:
        return self.wire.end_offset(self.cluster.client_port[self.coordinator], OFFSETS, replica=replica)

    @contextmanager
    def _followers_wait(self) -> Iterator[None]:
        """The coordinator's followers get nothing meanwhile, and everything afterwards."""
        for follower in self._others():
            self.gates.shut(FETCH, follower, self.coordinator)
            # What was asked for before would still be answered with what is written now.
            self.gates.waiting(FETCH, follower, self.coordinator, STEP_SECONDS)
        yield
        for follower in self._others():
            self.gates.open(FETCH, follower, self.coordinator)
        self._await_isr(self.cluster.brokers)
        self.cluster.until(
            lambda: self._log_end() == self._log_end(CONSUMER), STEP_SECONDS, "all that the coordinator has written"
        )

    def _load_log(self, at: PathStep) -> str:
        new, *_ = self._others()
        self.cluster.control.move_leader(OFFSETS, (new, self.coordinator))
        self.cluster.until(
            lambda: self._commit_of_another_group(new) == NO_ERROR, STEP_SECONDS, f"broker {new} as the coordinator"
        )
        self.coordinator = new
        return f"broker {new} is the coordinator"

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
        self.gates.answered(self.late, STEP_SECONDS)
        return "it arrives, and is answered"


def _error_of(frame: Frame, answer: bytes) -> int:
    """The error code in the answer to a commit of one partition, which ends with it, but for tagged fields."""
    end = len(answer) - (3 if frame.version >= FIRST_FLEXIBLE_COMMIT else 0)
    return int.from_bytes(answer[end - 2 : end], "big", signed=True)
