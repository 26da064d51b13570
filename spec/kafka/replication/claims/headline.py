"""The project's own claim, C-26: faults that it is asked under, and the switches that it may rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import (
    ACKS_ALL,
    ACKS_ONE,
    CLIENT,
    KIP_101,
    KIP_279,
    TO_HIGH_WATERMARK,
    Partition,
)
from neverlost.spec.claims import Case, Claim, Remark

from ..versions import REPLICATING, VERSIONS, version_named

PROPERTY = "acked_never_lost"
SETTINGS = {"acks": ACKS_ALL, "min_isr": 2, "unclean": 0}
"""What the headline is about, and unclean election off: it gives up records by intent."""

MOST = {"crashes": 2, "leader_moves": 3, "power_losses": 2, "disk_losses": 1, "pauses": 1, "shutdowns": 2}
"""The most of each fault that is asked of."""
COUNTED = tuple(fault.name for fault in Partition.faults if fault.whose != CLIENT)
"""Every kind of fault that a budget may name."""
ROLLING_RESTART: Mapping[str, int] = {"leader_moves": 1, "shutdowns": 2}
"""Two brokers are shut down, and leadership moves back to one that was: asked of too, as three faults together otherwise are not."""
TOGETHER = 2
"""How many faults of any kinds are asked of together; crashes and moves of leadership: one more."""

Budget = Mapping[str, int]

NEEDED_UNDER: tuple[Budget, ...] = (
    {"leader_moves": 2},
    {"crashes": 2, "leader_moves": 1},
    {"power_losses": 1},
    {"leader_moves": 1, "disk_losses": 1},
)
"""Faults under which it is asked which switches are needed."""


def budgets() -> tuple[Budget, ...]:
    """The budgets of faults to ask of, the fewest first."""
    found = []
    for counts in product(*(range(most + 1) for most in MOST.values())):
        budget = {name: count for name, count in zip(MOST, counts, strict=True) if count}
        others = sum(count for name, count in budget.items() if name not in ("crashes", "leader_moves"))
        if sum(counts) <= TOGETHER + (others == 0) or budget == ROLLING_RESTART:
            found.append(budget)
    return tuple(sorted(found, key=lambda budget: (sum(budget.values()), [-budget.get(name, 0) for name in MOST])))


def budgets_of(profile: Profile) -> tuple[Budget, ...]:
    """The budgets to ask a version of: where brokers hear of leader epochs in turn, also moves with a change of controller.

    These are the versions with ZooKeeper. There the controller is a broker: a rolling restart ends it too.
    """
    if not profile.default_settings["ordered_metadata"]:
        return budgets()
    with_moves: list[Budget] = [{"leader_moves": moves} for moves in (2, 3)]
    return (*budgets(), *({**budget, "controller_changes": 1} for budget in (*with_moves, ROLLING_RESTART)))


def for_switches() -> tuple[Budget, ...]:
    """The budgets that every switch is asked under: up to two faults, and moves of leadership alone; the others take too long."""
    return tuple(b for b in budgets() if sum(b.values()) <= TOGETHER or set(b) == {"leader_moves"})


def largest(found: Sequence[Budget]) -> list[Budget]:
    """The budgets that are within no other."""
    return [one for one in found if not any(other != one and within(one, other) for other in found)]


def within(one: Budget, other: Budget) -> bool:
    """Is there no more of any fault in one budget than in the other?"""
    return all(count <= other.get(name, 0) for name, count in one.items())


@dataclass(frozen=True, kw_only=True)
class Switch:
    """Something that the headline may rest on: how it is called, what there is instead of it, and the settings without it."""

    words: str
    instead: str = ""
    without: Mapping[str, int]

    @property
    def off(self) -> str:
        """How it is called where it is off."""
        return f"{self.words}; instead {self.instead}" if self.instead else self.words


LOST_DECISION: Budget = {"lost_decisions": 1}
FIRST_TO_LOSE = "kafka-3.3"
"""The first version in which the controllers may lose a decision; ZooKeeper, and KRaft before, are not modelled so."""

NEWEST = VERSIONS[-1]
FIX = {"keeps_known_ends": 0}
"""The newest version has every switch on but this one, which no release has."""

SWITCHES = (
    Switch(words="acks=all", instead="acks=1", without={"acks": ACKS_ONE}),
    Switch(words="min.insync.replicas 2", instead="1", without={"min_isr": 1}),
    Switch(words="unclean election off", without={"unclean": 1}),
    Switch(words="truncation found when fetching", instead="as of KIP-279", without={"truncation": KIP_279}),
    Switch(
        words="truncation by epochs from the tail (KIP-279)", instead="as of KIP-101", without={"truncation": KIP_101}
    ),
    Switch(
        words="truncation by epochs (KIP-101)",
        instead="to the high watermark",
        without={"truncation": TO_HIGH_WATERMARK},
    ),
    Switch(words="fencing by leader epoch (KIP-320)", without={"fencing": 0}),
    Switch(words="ISR changes asked of the controller (KIP-497)", without={"isr_in_flight": 0}),
    Switch(words="the maximal ISR while a change is in flight (KIP-497)", without={"maximal_isr": 0}),
    Switch(words="a look at the high watermark at the answer (KAFKA-13091)", without={"high_watermark_on_answer": 0}),
    Switch(words="fenced brokers kept out of the ISR (KIP-841)", without={"isr_without_fenced": 0}),
    Switch(words="broker epochs (KIP-903)", without={"broker_epochs": 0}),
    Switch(words="strict min ISR (KAFKA-15583)", without={"strict_min_isr": 0}),
    Switch(words="eligible leader replicas (KIP-966)", without={"elr": 0}),
    Switch(words="the start of the epoch as a bar to the ISR (KAFKA-7128)", without={"epoch_start_guard": 0}),
    Switch(
        words="a fetch that is told where to cut counts for nothing (KAFKA-13141)",
        without={"counts_diverging_fetch": 1},
    ),
    Switch(words="who returns before it was fenced leaves the ISR (KAFKA-18106)", without={"registers_unfenced": 1}),
    Switch(words="known log ends forgotten in every epoch (the fix)", instead="kept", without={"keeps_known_ends": 1}),
)

C_26 = Claim(
    id="C-26",
    sentence="What is acknowledged with acks=all and min.insync.replicas of at least 2 is never lost.",
    short="acks=all with min.insync.replicas >= 2 never loses",
    articles=("project",),
    refuted_by="an acknowledged value that a later leader does not have, in every version and whatever fails",
    cases=tuple(
        Case(profile=version, chosen={**SETTINGS, **budget}, property=PROPERTY)
        for budget in (
            *({"crashes": 1}, {"power_losses": 1}, {"leader_moves": 3}, {"crashes": 1, "leader_moves": 2}),
            ROLLING_RESTART,
        )
        for version in REPLICATING
    ),
    remarks=(
        *(
            Remark(
                question="Does it hold where nothing fails, but the controllers lose a decision?",
                case=Case(profile=version_named(name), chosen={**SETTINGS, **LOST_DECISION}, property=PROPERTY),
            )
            for name in (FIRST_TO_LOSE, NEWEST.name)
        ),
        Remark(
            question="Does it hold then with min.insync.replicas=3?",
            case=Case(
                profile=NEWEST,
                chosen={**SETTINGS, **LOST_DECISION, "min_isr": 3, "leader_epochs": 6},
                property=PROPERTY,
            ),
        ),
    ),
    note=(
        "Unclean election is off throughout: it gives up records by intent. Unless it is said, no exchange is delayed and the"
        " controllers lose no decision."
    ),
)
