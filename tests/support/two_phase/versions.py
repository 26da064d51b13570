"""The versions of two-phase commit, and what must hold of them."""

from __future__ import annotations

from neverlost.model.core import Profile, always, sometimes
from neverlost.spec.kafka.releases import KRAFT, ZOOKEEPER, NamedVersion, ReleaseDifference, TimeLine

from . import model
from .model import ABORTED, COMMITTED, Part, TwoPhaseCommit


@always("A record is not committed on one partition and aborted on the other.")
def committed_on_both(s: TwoPhaseCommit) -> bool:
    for one in s.each(Part):
        for other in s.each(Part):
            if s.phase[one] == COMMITTED and s.phase[other] == ABORTED:
                return False
    return True


@sometimes("A record is committed.")
def committed(s: TwoPhaseCommit) -> bool:
    for part in s.each(Part):
        if s.phase[part] == COMMITTED:
            return True
    return False


TIME_LINE = TimeLine(
    differences=(
        ReleaseDifference(
            rule="The coordinator writes down what it decides before it says so.",
            settings={"writes_first": 1},
            since="2.0.0",
            source="an example",
            known="an example",
        ),
    ),
    named=(
        NamedVersion("two-phase-0.11", "0.11.0.0", ZOOKEEPER, "0.11 to 1.1: a decision is kept in memory."),
        NamedVersion("two-phase-2.0", "2.0.0", ZOOKEEPER, "2.0 and later: a decision is written down first."),
        NamedVersion("two-phase-kraft", "3.1.0", KRAFT, "KRaft: as 2.0."),
    ),
    since="0.11.0.0",
)

VERSIONS = tuple(
    Profile(
        name=named.name,
        family="two_phase",
        statement=named.statement,
        state=TwoPhaseCommit,
        initial=model.initial,
        actions=(model.prepare, model.decide_commit, model.decide_abort, model.hear, model.crash_coordinator),
        properties=(committed_on_both, committed),
        settings=TIME_LINE.settings_of(named.since, named.mode),
        default_bounds={},
    )
    for named in TIME_LINE.named
)
