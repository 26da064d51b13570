"""How runs of the published protocols are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from neverlost.model.core import NONE, Cell, LaneView, Note, Picture, contains
from neverlost.model.published import async_isr, base
from neverlost.model.published.async_isr import AsyncIsr
from neverlost.model.published.base import Partition
from neverlost.spec import legend


def controller(s: Partition) -> LaneView:
    """The controller: the leader and the epoch that it decided, and the ISR that it has recorded."""
    epoch = "" if s.controller_epoch == NONE else f", epoch {s.controller_epoch}"
    return LaneView(
        role=f"leader {_name(s, s.controller_leader)}{epoch}", lines=(f"ISR {_members(s, s.controller_isr)}",)
    )


def replica(s: Partition, replica: int) -> LaneView:
    """A replica: its log and high watermark, whom it believes to lead, and its ISR."""
    end = s.log_end[replica]
    pairs = list(zip(s.record_id[replica], s.record_epoch[replica], strict=True))[:end]
    leads = s.leader[replica] == replica
    role = "leads" if leads else f"follows {_name(s, s.leader[replica])}"
    return LaneView(
        role=role + ("" if s.leader_epoch[replica] == NONE else f", epoch {s.leader_epoch[replica]}"),
        lines=(f"ISR {_members(s, s.isr[replica])}",) if leads else (),
        in_sync=contains(s.controller_isr, replica),
        slots=len(s.record_id[replica]),
        cells=tuple(Cell(record=None if record == NONE else int(record), epoch=int(epoch)) for record, epoch in pairs),
        high_watermark=s.high_watermark[replica],
    )


def notes(name: str, arguments: Mapping[str, int], before: Partition, after: Partition) -> list[Note]:
    """Which copies of records are gone."""
    return [Note(text=text, bad=True) for text in _gone(before, after)]


def _gone(before: Partition, after: Partition) -> Iterator[str]:
    for member, (was, is_) in enumerate(zip(before.record_id, after.record_id, strict=True)):
        for record in was:
            if record != NONE and record not in list(is_):
                yield f"{_name(after, member)} no longer has record {record}."


def _name(s: Partition, member: int) -> str:
    return "nobody" if member == NONE else base.Replica.show(member, s.bounds)


def _members(s: Partition, members: int) -> str:
    return base.ReplicaSet.show(members, s.bounds).strip("{}") or "empty"


PARTITION = Picture(
    lanes={"controller": controller}, members=base.Replica, member=replica, notes=notes, legend=legend.LOGS
)


def isr_controller(s: AsyncIsr) -> LaneView:
    """The controller: the ISR that it has recorded, and its version."""
    return LaneView(role=f"version {s.controller_version}", lines=(f"ISR {_isr(s, s.controller_isr)}",))


def isr_replica(s: AsyncIsr, replica: int) -> LaneView:
    """A replica: how many records it has; the leader also with its ISR, and the change that is in flight."""
    slots = s.size(async_isr.Offset)
    lines = (f"ISR {_isr(s, s.leader_isr)}", f"in flight {_isr(s, s.pending_isr)}")
    return LaneView(
        role="leads" if replica == async_isr.LEADER else "follows",
        lines=lines if replica == async_isr.LEADER else (),
        in_sync=contains(s.controller_isr, replica),
        slots=slots,
        cells=tuple(Cell(record=offset, epoch=0) for offset in range(s.log_end[replica])),
        high_watermark=async_isr.high_watermark(s) if replica == async_isr.LEADER else None,
    )


def _isr(s: AsyncIsr, members: int) -> str:
    return async_isr.ReplicaSet.show(members, s.bounds).strip("{}") or "empty"


ASYNC_ISR = Picture(
    lanes={"controller": isr_controller}, members=async_isr.Replica, member=isr_replica, legend=legend.LOGS
)
