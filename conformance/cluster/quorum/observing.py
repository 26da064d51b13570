"""What real controllers show of a quorum, and in which of it they break what the model says must hold.

Nothing of the model is asked here: who leads is what controllers answer (DescribeQuorum), what is committed is what a leader's high
watermark covers in its own log, and logs are compared as bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .control import Batch, QuorumControl

ONE_LEADER, LOGS, COMPLETE, COMMITTED, RECORD = (
    *("one_leader_per_epoch", "log_matching", "leader_completeness", "committed_never_lost", "acked_never_lost"),
)
VOTER_AGAIN = "voter_again"
"""Not wrong, but something that can be seen."""


@dataclass(frozen=True, kw_only=True)
class Committed:
    """A batch that a leader has committed, in which epoch that leader was, and at which step this was seen."""

    batch: Batch
    leader_epoch: int
    step: int


@dataclass(kw_only=True)
class Observer:
    """Looks at the controllers after each step, and remembers what was committed first."""

    control: QuorumControl
    committed: dict[int, Committed] = field(default_factory=dict)
    seen: dict[str, tuple[int, str]] = field(default_factory=dict)
    """What does not hold, or has happened: at which step that was seen first, and how."""
    first_directories: dict[int, str] = field(default_factory=dict)
    """Of each voter the directory id that it had at first."""
    leaders: dict[int, int] = field(default_factory=dict)
    """Who leads, and in which epoch, at the last look."""

    def look(self, step: int) -> None:
        """Ask every controller that runs, and read every log."""
        logs = {c: self.control.log(c) for c in self.control.controllers if self.control.log_folder(c).is_dir()}
        self.leaders = {}
        for controller in self.control.controllers:
            state = self.control.state_of(controller)
            if state is not None:
                self.leaders[controller] = state.epoch
                for node, directory in state.voters:
                    if self.first_directories.setdefault(node, directory) != directory:
                        self._note(
                            VOTER_AGAIN, step, f"{self.control.named([node])[0]} is a voter with another directory"
                        )
                # The log is read behind the answer, so that it has all of what the high watermark covers.
                own = {batch.base: batch for batch in self.control.log(controller)}
                self._compare(controller, state.epoch, state.high_watermark, own, step)
        for one, epoch in self.leaders.items():
            for other in self.leaders:
                if one < other and self.leaders[other] == epoch:
                    self._note(ONE_LEADER, step, f"c{one} and c{other} both say that they lead epoch {epoch}")
        for one, log in logs.items():
            for other, theirs in logs.items():
                if one < other and (why := _mismatch(log, theirs)):
                    self._note(LOGS, step, f"c{one} and c{other} have {why}")

    def _compare(self, leader: int, epoch: int, high_watermark: int, log: dict[int, Batch], step: int) -> None:
        for base, first in list(self.committed.items()):
            own = log.get(base)
            if own == first.batch or (own is None and not self._is_complete(log, base)):
                continue
            found = "nothing" if own is None else f"a record of epoch {own.epoch}"
            lacks = f"c{leader}, which leads epoch {epoch}, has {found} at offset {base}, committed in epoch {first.leader_epoch}"
            if first.leader_epoch < epoch:
                self._note(COMPLETE, step, lacks)
            if base < high_watermark:
                self._note(COMMITTED, step, f"{lacks}, and a high watermark of {high_watermark}")
        self._take(log, high_watermark, epoch, step)

    def note_committed(self, leader: int, epoch: int, step: int) -> None:
        """Everything in the log of a leader is committed, as a broker has read."""
        log = {batch.base: batch for batch in self.control.log(leader)}
        self._take(log, self.control.log_end(leader), epoch, step)

    def _take(self, log: dict[int, Batch], high_watermark: int, epoch: int, step: int) -> None:
        for base, batch in log.items():
            if batch.end <= high_watermark and base not in self.committed:
                self.committed[base] = Committed(batch=batch, leader_epoch=epoch, step=step)

    def _is_complete(self, log: dict[int, Batch], base: int) -> bool:
        """Does a log begin at or before an offset, so that something lacks there? A snapshot may have taken its place."""
        return not log or min(log) <= base

    def note_record_lost(self, step: int, why: str) -> None:
        """An acknowledged record can no longer be read."""
        self._note(RECORD, step, why)

    def _note(self, what: str, step: int, why: str) -> None:
        self.seen.setdefault(what, (step, why))


def _mismatch(one: list[Batch], other: list[Batch]) -> str:
    """How two logs do not match up to the last offset at which both have a record of the same epoch; empty if they do."""
    theirs = {batch.base: batch for batch in other}
    same = [batch for batch in one if batch.base in theirs and theirs[batch.base].epoch == batch.epoch]
    for batch in same:
        if theirs[batch.base] != batch:
            return f"different records of epoch {batch.epoch} at offset {batch.base}"
    return ""
