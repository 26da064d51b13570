"""How runs of Kafka's model are drawn: what each lane shows, the producer's answers, and what a reader must not overlook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neverlost.model.core import EMPTY, NONE, Cell, LaneView, Note, Picture, Sent, contains
from neverlost.model.kafka.replication.cleaner import holds_newest
from neverlost.model.kafka.replication.state import (
    ACKNOWLEDGED,
    ACKS_ONE,
    AFTER_APPEND,
    LOST,
    NEVER,
    NO_CONSUMER,
    REFUSED,
    Delivery,
    Partition,
    Replica,
    ReplicaSet,
    Value,
)
from neverlost.spec import legend

from .stories import values

SENDING = ("produce", "retry")

FAULT_WORDS = {
    "crash": "CRASH",
    "power_loss": "POWER LOSS",
    "disk_loss": "DISK LOSS",
    "pause": "SILENT",
    "shut_down": "SHUTS DOWN",
    "change_controller": "CONTROLLER CHANGES",
    "lose_decision": "DECISION LOST",
    "end_after_loss": "ENDS",
    "crash_consumer": "CONSUMER DIES",
}


def controller(s: Partition) -> LaneView:
    """The controller: the leader and the epoch that it decided, the ISR and the ELR that it has recorded, whom it takes for dead."""
    lines = [f"ISR {_members(s, s.controller_isr)}"]
    lines += [f"ELR {_members(s, s.eligible)}"] if s.eligible != EMPTY else []
    lines += [f"fenced {_members(s, s.fenced)}"] if s.fenced != EMPTY else []
    return LaneView(role=f"leader {_name(s, s.controller_leader)}, epoch {s.newest_epoch}", lines=tuple(lines))


def producer(s: Partition) -> LaneView:
    """The producer: what it knows of each value that it has sent."""
    known = {
        value: Delivery.names[s.delivery[value]] for value in values(s) if Delivery.names[s.delivery[value]] != "unsent"
    }
    shown = {"acknowledged": "ACKNOWLEDGED", "not-enough-replicas-after-append": "error after append"}
    return LaneView(lines=tuple(f"value {value}: {shown.get(what, what)}" for value, what in known.items()))


def consumer(s: Partition) -> LaneView:
    """The consumer: where it polls next, what it has processed and committed."""
    done = ", ".join(str(value) for value in values(s) if s.processed[value] != NEVER)
    lines = [f"committed offset {s.committed_offset}"] + ([f"processed {done}"] if done else [])
    return LaneView(role=f"at offset {s.position}", lines=tuple(lines))


def broker(s: Partition, replica: int) -> LaneView:
    """A broker: its log and high watermark, whom it believes to lead, and as a leader its ISR and what it knows of its followers."""
    end = s.log_end[replica]
    pairs = zip(s.record_value[replica], s.record_epoch[replica], strict=True)
    cells = [Cell(record=None if value == NONE else int(value), epoch=int(epoch)) for value, epoch in pairs][:end]
    return LaneView(
        role=_role(s, replica),
        standing=tuple(_isr(s, replica)),
        lines=tuple(_beliefs(s, replica)),
        alive=s.up[replica],
        in_sync=contains(s.controller_isr, replica),
        slots=len(s.record_value[replica]),
        cells=tuple(cells),
        high_watermark=s.high_watermark[replica],
    )


def _role(s: Partition, replica: int) -> str:
    if not s.up[replica]:
        return "down"
    if s.leader[replica] == replica:
        deposed = s.controller_leader != replica or s.newest_epoch != s.epoch[replica]
        return f"leads, epoch {s.epoch[replica]}{', deposed' if deposed else ''}"
    return (
        "follows nobody"
        if s.leader[replica] == NONE
        else f"follows {_name(s, s.leader[replica])}, epoch {s.epoch[replica]}"
    )


def _isr(s: Partition, replica: int) -> Iterator[str]:
    """The ISR that a leader works with, and the one that it waits for."""
    if s.up[replica] and s.leader[replica] == replica:
        yield f"ISR {_members(s, s.isr[replica])}"
        if s.proposed_isr[replica] != EMPTY:
            yield f"asks for ISR {_members(s, s.proposed_isr[replica])}"


def _beliefs(s: Partition, replica: int) -> Iterator[str]:
    if not s.up[replica] or s.leader[replica] != replica:
        return
    for follower in range(len(s.up)):
        if follower != replica and s.known_end[replica][follower] > 0:
            yield f"believes {_name(s, follower)} ends at {s.known_end[replica][follower]}"


def answers(name: str, arguments: Mapping[str, int], before: Partition, after: Partition) -> list[Sent]:
    """What brokers answer to the producer: at once, or when the high watermark has passed what it waits for."""
    found = []
    for value in values(after):
        outcome = after.delivery[value]
        asked = name in SENDING and arguments["value"] == value
        if outcome == before.delivery[value] and not asked:
            continue
        sender = arguments["leader"] if asked else arguments.get("broker", int(before.waiting_at[value]))
        if sender == NONE or outcome not in (ACKNOWLEDGED, REFUSED, AFTER_APPEND):
            continue
        carries = "acknowledged" if outcome == ACKNOWLEDGED else "not enough replicas in sync"
        found.append(Sent(sender=_name(after, sender), receiver="producer", carries=f"value {value}: {carries}"))
    if name in SENDING and after.acks == ACKS_ONE and arguments["response"] == LOST:
        leader = _name(after, arguments["leader"])
        found.append(Sent(sender=leader, receiver="producer", carries="acknowledgement", lost=True))
    return found


def notes(name: str, arguments: Mapping[str, int], before: Partition, after: Partition) -> list[Note]:
    """Which values are acknowledged or read, which copies are gone, who leads without one, and what a leader believes wrongly."""
    return [
        *(note for value in values(after) for note in _notes_of(value, before, after, FAULT_WORDS.get(name))),
        *_beliefs_wrong(name, arguments, before, after),
        *_reads(before, after),
    ]


def _notes_of(value: int, before: Partition, after: Partition, fault: str | None) -> Iterator[Note]:
    held, holds = _holders(before, value), _holders(after, value)
    acknowledged = after.delivery[value] == ACKNOWLEDGED
    if acknowledged and before.delivery[value] != ACKNOWLEDGED:
        leader = after.controller_leader
        lacks = leader != NONE and leader not in holds
        without = f" {_name(after, leader)}, the leader of epoch {after.newest_epoch}, does not." if lacks else ""
        waits_at = before.waiting_at[value]
        by = (
            ""
            if waits_at == NONE
            else f" by {_name(after, waits_at)}, whose ISR is {_members(after, after.isr[waits_at])}"
        )
        text = f"Value {value} is acknowledged{by}. {_copies(after, holds)}{without}"
        yield Note(text=text, bad=lacks or len(holds) < 2)
    for replica in held:
        if replica not in holds:
            yield Note(text=f"{_gone(after, replica, value, fault)} {_copies(after, holds)}", bad=True)
    for replica in range(len(after.up)):
        enters = contains(after.controller_isr, replica) and not contains(before.controller_isr, replica)
        if acknowledged and enters and replica not in holds:
            yield Note(text=f"{_name(after, replica)} enters the ISR without value {value}.", bad=True)
    chosen = after.controller_leader
    if chosen != NONE and chosen != before.controller_leader and held and chosen not in holds:
        yield Note(text=f"{_name(after, chosen)} is to lead, and does not have value {value}.", bad=True)
    for replica in range(len(after.up)):
        leads = after.leader[replica] == replica and after.epoch[replica] == after.newest_epoch
        led = before.leader[replica] == replica and before.epoch[replica] == before.newest_epoch
        if acknowledged and leads and not led and replica not in holds:
            yield Note(text=f"{_name(after, replica)} leads without value {value}.", bad=True)


def _gone(s: Partition, replica: int, value: int, fault: str | None) -> str:
    """Why a broker has a value no longer."""
    name = _name(s, replica)
    return (
        f"{name} loses value {value}."
        if fault
        else f"{name} cuts its log at offset {s.log_end[replica]}: value {value} is gone."
    )


def _reads(before: Partition, after: Partition) -> Iterator[Note]:
    for offset, value in enumerate(after.read):
        if value not in (NONE, before.read[offset]):
            committed = after.committed[offset] == value
            text = (
                f"The consumer reads value {value} at offset {offset}{'' if committed else ', which is not committed'}."
            )
            yield Note(text=text, bad=not committed)


def _beliefs_wrong(name: str, arguments: Mapping[str, int], before: Partition, after: Partition) -> Iterator[Note]:
    for leader in range(len(after.up)):
        begins = name == "become_leader" and arguments["replica"] == leader
        for follower in range(len(after.up)):
            if _believes_wrongly(after, leader, follower) and (
                begins or not _believes_wrongly(before, leader, follower)
            ):
                believed, has = after.known_end[leader][follower], after.log_end[follower]
                ends = f"believes that the log of {_name(after, follower)} ends at {believed}. It ends at {has}."
                text = f"{_name(after, leader)} {ends}"
                yield Note(text=text, bad=True)


def _believes_wrongly(s: Partition, leader: int, follower: int) -> bool:
    return leader != follower and s.leader[leader] == leader and s.known_end[leader][follower] > s.log_end[follower]


def _holders(s: Partition, value: int) -> list[int]:
    return [r for r in range(len(s.up)) if holds_newest(s, Replica(r), Value(value))]


def _copies(s: Partition, holders: Sequence[int]) -> str:
    if not holders:
        return "No broker has it any more."
    named = " and ".join(_name(s, replica) for replica in holders)
    return f"Only {named} has it." if len(holders) == 1 else f"{named} have it."


def _name(s: Partition, replica: int) -> str:
    return "nobody" if replica == NONE else Replica.show(replica, s.bounds)


def _members(s: Partition, replicas: int) -> str:
    return ReplicaSet.show(replicas, s.bounds).strip("{}") or "empty"


PICTURE = Picture(
    lanes={"controller": controller, "producer": producer, "consumer": consumer},
    absent=lambda settings: ("consumer",) if settings["commit"] == NO_CONSUMER else (),
    members=Replica,
    member=broker,
    faults=FAULT_WORDS,
    answers=answers,
    notes=notes,
    legend=legend.LOGS,
)
