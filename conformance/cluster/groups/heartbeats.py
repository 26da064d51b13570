"""Heartbeats of the new protocol on real brokers: one that fails while its member takes a partition (KIP-848)."""

from __future__ import annotations

import time

from ..gates import GROUP_HEARTBEAT, Answer
from ..releases import ClusterError
from ..story_paths import NotDoneError, PathStep
from .commits import Commits
from .members import CALL_SECONDS, POLL_MS, REFUSED_SECONDS, STEP_SECONDS, Reader


class Heartbeats(Commits):
    """The heartbeats of members, of which some fail."""

    def _heartbeats(self, member: int) -> tuple[str, str, int]:
        return GROUP_HEARTBEAT, f"m{member + 1}", self.coordinator

    def _begin_to_take(self, member: int) -> str:
        """Have a member poll until it is given a partition; its onPartitionsAssigned then does not end."""
        reader = self.readers[member]
        holding, end = reader.client.call("hold"), time.monotonic() + STEP_SECONDS
        poll = reader.client.call("poll", str(POLL_MS), "none")
        while not holding.has_ended:
            if poll.has_ended:
                poll = reader.client.call("poll", str(POLL_MS), "none")
            if time.monotonic() > end:
                raise NotDoneError(f"m{member + 1} is given nothing within {STEP_SECONDS:g} s")
            time.sleep(0.05)
        reader.taking = poll
        return f"m{member + 1} is in onPartitionsAssigned, with {self._listed(set(map(int, holding.said.split(','))))}"

    def _hold_heartbeats_of_takers(self) -> None:
        """Hold the heartbeats of members that are taking a partition, so that none says that another member is to have it."""
        for member, reader in self.readers.items():
            if reader.taking is not None:
                self.gates.shut(*self._heartbeats(member))

    def _take_unseen(self, at: PathStep, member: int, partition: int) -> str:
        place, reader = self._heartbeats(member), self.readers[member]
        if at.after is None:
            self.gates.open(*place)
            given = self._is_given_to_another(member, partition, REFUSED_SECONDS)
            self._go_on(reader, partition, self.committed[partition])
            if given:
                return "another member is given it, although no heartbeat has failed"
            raise NotDoneError(f"no other member is given p{partition + 1} within {REFUSED_SECONDS:g} s")
        self.gates.waiting(*place, STEP_SECONDS)
        self.gates.cut_waiting(*place)
        repeated = self.gates.waiting(*place, STEP_SECONDS)
        self.gates.release(repeated, Answer.HELD)
        self.gates.answered(repeated, STEP_SECONDS)
        self._go_on(reader, partition, self._state(at.after).position[member][partition])
        if partition not in reader.assigned:
            raise NotDoneError(f"m{member + 1} does not own p{partition + 1}")
        return "the connection is cut, and the heartbeat is repeated; its answer is on its way"

    def _is_given_to_another(self, member: int, partition: int, seconds: float) -> bool:
        end, others = time.monotonic() + seconds, [one for number, one in self.readers.items() if number != member]
        while time.monotonic() < end:
            for other in others:
                self._poll_nothing(other)
                if partition in other.assigned:
                    return True
        return False

    def _go_on(self, reader: Reader, partition: int, position: int) -> None:
        """Let an onPartitionsAssigned end that is held, with a position of the application's own. Raises ClusterError."""
        assert reader.taking is not None
        reader.call("go", partition, position)
        if error := reader.taking.wait(CALL_SECONDS):
            raise ClusterError(f"poll fails with {error}")
        reader.taking = None
