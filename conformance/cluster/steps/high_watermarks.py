"""High watermarks on real brokers, where they rise later and fall less than in the model."""

from __future__ import annotations

from collections.abc import Iterator

from neverlost.model.core import contains
from neverlost.model.kafka.replication.leader import leads
from neverlost.model.kafka.replication.state import KIP_101, Replica

from .planned import PlannedRun, PlannedStep, Remembering

KEEPS = "a follower that cuts its log below its high watermark keeps that until its next fetch"
COUNTS = "before it raises the high watermark, a leader waits for what was in the ISR, or has caught up, until its lag time is over"
READS = {
    "become_leader": "replica",
    "become_follower": "replica",
    "hear_of_isr": "leader",
    "learn_isr": "leader",
    "expand_isr": "leader",
    "hear_of_no_leader": "replica",
}
"""Steps by which a broker reads metadata in KRaft mode, and the parameter that says which broker."""


def reader(planned: PlannedStep) -> int | None:
    """Who reads metadata in a step, in KRaft mode."""
    return planned.picks[READS[planned.name]] if planned.name in READS else None


def kept(run: PlannedRun) -> Iterator[str]:
    """With ZooKeeper a follower that cuts its log keeps its high watermark."""
    for planned in run:
        cutter = _cutter(planned)
        falls = cutter is not None and planned.after.high_watermark[cutter] < planned.before.high_watermark[cutter]
        yield KEEPS if falls else ""


def _cutter(planned: PlannedStep) -> int | None:
    """Who cuts its log in a step as brokers with ZooKeeper do; in 0.11 also when it fetches."""
    state = planned.before
    if state.ordered_metadata and planned.name == "become_follower":
        return planned.picks["replica"]
    fetches = state.ordered_metadata and planned.name == "fetch" and state.truncation == KIP_101
    return planned.picks["follower"] if fetches else None


Waits = tuple[tuple[frozenset[int], frozenset[int]], ...]
"""By leader for whom it waits, and who it has read that is fenced."""


def _after_counting(waits: Waits, planned: PlannedStep) -> tuple[Waits, str]:
    known = tuple(_known(planned, one, *waits[one]) for one in planned.after.each(Replica))
    rising = any(_rises_early(planned, one, *known[one]) for one in planned.after.each(Replica))
    return known, COUNTS if rising else ""


early = Remembering[Waits](lambda model: ((frozenset(), frozenset()),) * model.bounds["replicas"], _after_counting)
"""Where the lag time is long, a leader waits for what was in its ISR and what fetches.

In KRaft mode it does not wait for brokers of which it has read that they are fenced.
"""


def _known(
    planned: PlannedStep, leader: Replica, waits_for: frozenset[int], away: frozenset[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """For whom a broker waits as a leader after a step, and who it has read that is fenced."""
    old, new = planned.before, planned.after
    if not leads(new, leader):
        return frozenset(), away
    everybody = new.each(Replica)
    waits_for |= {one for one in everybody if contains(old.isr[leader], one) or contains(new.isr[leader], one)}
    if planned.name in ("fetch", "expand_isr") and planned.picks["leader"] == leader:
        waits_for |= {planned.picks["follower"]}
    if not new.ordered_metadata and leader == reader(planned):
        away = frozenset(one for one in everybody if contains(old.fenced, one))
    return waits_for, away


def _rises_early(planned: PlannedStep, leader: Replica, waits_for: frozenset[int], away: frozenset[int]) -> bool:
    """Does a leader raise its high watermark before a follower that it waits for is there?"""
    old, new = planned.before, planned.after
    end = new.high_watermark[leader]
    rises = leads(old, leader) and leads(new, leader) and end > old.high_watermark[leader]
    return rises and any(new.known_end[leader][other] < end for other in waits_for - away - {leader})
