"""Commits that wait, are refused or come late, and coordinators that move, on real brokers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..gates import FETCH, OFFSET_COMMIT, Frame, Part
from ..releases import ClusterError
from ..steered_clients import Call
from ..story_paths import NotDoneError, PathStep
from ..wire import NO_ERROR
from .members import BROKER, OFFSETS, REFUSED_SECONDS, STEP_SECONDS, Members

FIRST_FLEXIBLE_COMMIT = 8


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


def _error_of(frame: Frame, answer: bytes) -> int:
    """The error code in the answer to a commit of one partition, which ends with it, but for tagged fields."""
    end = len(answer) - (3 if frame.version >= FIRST_FLEXIBLE_COMMIT else 0)
    return int.from_bytes(answer[end - 2 : end], "big", signed=True)
