"""Two-phase commit of a record over two partitions, with a coordinator that may crash."""

from __future__ import annotations

from neverlost.model.core import Index, State, action, any_of, budget, counter, flag, per, require, setting, up_to


class Part(Index, members=2, prefix="p", first=1):
    """A partition."""


class Count(Index, members=3):
    """A small number."""


class Phase(Index, names=("asked", "prepared", "committed", "aborted")):
    """How far a partition is."""


class Decision(Index, names=("none", "commit", "abort")):
    """What the coordinator has decided."""


ASKED, PREPARED, COMMITTED, ABORTED = 0, 1, 2, 3
NO_DECISION, COMMIT, ABORT = 0, 1, 2


class TwoPhaseCommit(State):
    """A coordinator and two partitions."""

    writes_first = setting(flag())
    """Does the coordinator write down what it decides before it says so?"""
    gives_up = setting(flag())
    """May the coordinator abort although every partition is prepared, because it took too long?"""
    coordinator_crashes = budget(up_to(Count), singular="coordinator crash", whose="coordinator")
    """How many times the coordinator may crash."""
    crashes_left = counter(coordinator_crashes)
    """How many times it still may."""

    phase = per(Part, any_of(Phase))
    """How far each partition is."""
    decision = any_of(Decision)
    """What the coordinator has decided, as far as it knows."""


def initial(s: TwoPhaseCommit) -> None:
    """Both partitions are asked."""
    s.crashes_left = s.coordinator_crashes


def all_prepared(s: TwoPhaseCommit) -> bool:
    """Has every partition promised to commit?"""
    for part in s.each(Part):
        if s.phase[part] == ASKED or s.phase[part] == ABORTED:
            return False
    return True


@action("2PC, vote")
def prepare(s: TwoPhaseCommit, part: Part) -> None:
    """A partition writes the record, and promises to commit it if it has to."""
    require(s.phase[part] == ASKED)

    s.phase[part] = PREPARED


@action("2PC, decision")
def decide_commit(s: TwoPhaseCommit) -> None:
    """Every partition has promised: the coordinator commits."""
    require(s.decision == NO_DECISION)
    require(all_prepared(s))

    s.decision = COMMIT


@action("2PC, decision")
def decide_abort(s: TwoPhaseCommit) -> None:
    """The coordinator does not wait any longer."""
    require(s.decision == NO_DECISION)
    require(s.gives_up or not all_prepared(s))

    s.decision = ABORT


@action("2PC, completion")
def hear(s: TwoPhaseCommit, part: Part) -> None:
    """A partition hears of the decision, and follows it."""
    require(s.decision != NO_DECISION)
    require(s.phase[part] < COMMITTED)

    if s.decision == COMMIT:
        s.phase[part] = COMMITTED
    else:
        s.phase[part] = ABORTED


@action("2PC, failure of the coordinator")
def crash_coordinator(s: TwoPhaseCommit) -> None:
    """The coordinator comes back, and knows only what it wrote down."""
    require(s.crashes_left > 0)

    s.crashes_left -= 1
    if not s.writes_first:
        s.decision = NO_DECISION
