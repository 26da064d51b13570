"""Two-phase commit: can one participant commit a transaction that another has aborted?

The second page of the tutorial builds it. Run it with

    neverlost check examples/two_phase_commit.py:TWO_PHASE_COMMIT
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from neverlost.modelling import (
    EMPTY,
    Index,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    budget,
    contains,
    counter,
    flag,
    is_subset,
    lemma,
    per,
    require,
    sends,
    setting,
    sometimes,
    up_to,
    with_member,
)


class Participant(Index, bound="participants", prefix="p", first=1, symmetric=True):
    """A database that takes part in the transaction."""


class Participants(SubsetOf, of=Participant):
    """A set of participants."""


class Stage(Index, names=("working", "prepared", "committed", "aborted")):
    """How far a participant is."""


class Decision(Index, names=("none", "commit", "abort")):
    """What the coordinator has decided."""


class Crash(Index, members=2):
    """A crash of the coordinator."""


class Transaction(State):
    """One transaction: a coordinator, its participants, and all messages that were ever sent."""

    waits_for_all = setting(flag(), off="hasty")
    """Does the coordinator wait for the promise of every participant?"""
    writes_first = setting(flag(), off="forgetful")
    """Does the coordinator write its decision to disk before it sends it?"""
    coordinator_crashes = budget(up_to(Crash), singular="coordinator crash", whose="the coordinator")
    """How many times the coordinator may crash."""
    crashes_left = counter(coordinator_crashes)
    """How many times it still may."""

    stage = per(Participant, any_of(Stage))
    """How far each participant is."""
    decision = any_of(Decision)
    """What the coordinator has decided, as far as it knows."""
    promised = any_of(Participants)
    """The participants whose promise the coordinator has heard."""
    sent_prepared = any_of(Participants)
    """The participants that have sent their promise."""
    sent_commit = flag()
    """Was "commit" sent?"""
    sent_abort = flag()
    """Was "abort" sent?"""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "coordinator": ("decision", "promised"),
        "network": ("sent_prepared", "sent_commit", "sent_abort"),
    }


def initial(s: Transaction) -> None:
    """Every participant works, and nothing is sent."""
    s.crashes_left = s.coordinator_crashes


@action("prepare", sends("participant", "coordinator", "prepared"))
def prepare(s: Transaction, participant: Participant) -> None:
    """A participant has done its work. It promises to commit if it is asked to."""
    require(s.stage[participant] == Stage.WORKING)

    s.stage[participant] = Stage.PREPARED
    s.sent_prepared = with_member(s.sent_prepared, participant)


@action("abort alone")
def abort_alone(s: Transaction, participant: Participant) -> None:
    """A participant gives up before it has promised anything."""
    require(s.stage[participant] == Stage.WORKING)

    s.stage[participant] = Stage.ABORTED


@action("hear a promise")
def hear_promise(s: Transaction, participant: Participant) -> None:
    """The coordinator, undecided, receives the promise of a participant."""
    require(s.decision == Decision.NONE)
    require(contains(s.sent_prepared, participant))

    s.promised = with_member(s.promised, participant)


@action("decide")
def decide_commit(s: Transaction) -> None:
    """The coordinator commits if it has heard the promise of every participant."""
    require(s.decision == Decision.NONE)
    require(s.promised == s.all_of(Participant) or (not s.waits_for_all and s.promised != EMPTY))

    s.decision = Decision.COMMIT
    s.sent_commit = True


@action("decide")
def decide_abort(s: Transaction) -> None:
    """The coordinator may abort as long as it is undecided."""
    require(s.decision == Decision.NONE)

    s.decision = Decision.ABORT
    s.sent_abort = True


@action("obey", sends("coordinator", "participant", "commit"))
def obey_commit(s: Transaction, participant: Participant) -> None:
    """A participant receives "commit", and commits."""
    require(s.sent_commit)

    s.stage[participant] = Stage.COMMITTED


@action("obey", sends("coordinator", "participant", "abort"))
def obey_abort(s: Transaction, participant: Participant) -> None:
    """A participant receives "abort", and aborts."""
    require(s.sent_abort)

    s.stage[participant] = Stage.ABORTED


@action("crash")
def crash_coordinator(s: Transaction) -> None:
    """The coordinator crashes and comes back. It knows only what it has written to disk."""
    require(s.crashes_left > 0)

    s.crashes_left -= 1
    s.promised = EMPTY
    if not s.writes_first:
        s.decision = Decision.NONE


def who_disagrees(states: Sequence[Transaction]) -> str:
    """The story of a trace at whose end the participants disagree."""
    committed = [f"p{p + 1}" for p, stage in enumerate(states[-1].stage) if stage == Stage.COMMITTED]
    aborted = [f"p{p + 1}" for p, stage in enumerate(states[-1].stage) if stage == Stage.ABORTED]
    return f"After step {len(states) - 1}, {', '.join(committed)} committed and {', '.join(aborted)} aborted."


@always("No participant commits what another aborts.", story=who_disagrees)
def all_agree(s: Transaction) -> bool:
    committed = any(s.stage[p] == Stage.COMMITTED for p in s.each(Participant))
    aborted = any(s.stage[p] == Stage.ABORTED for p in s.each(Participant))
    return not (committed and aborted)


@sometimes("Every participant commits.")
def all_commit(s: Transaction) -> bool:
    return all(s.stage[p] == Stage.COMMITTED for p in s.each(Participant))


@sometimes("Every participant aborts.")
def all_abort(s: Transaction) -> bool:
    return all(s.stage[p] == Stage.ABORTED for p in s.each(Participant))


@lemma("The coordinator hears only promises that were sent.")
def heard_promises_were_sent(s: Transaction) -> bool:
    return is_subset(s.promised, s.sent_prepared)


@lemma("A participant leaves `working` in the step in which it promises, and never comes back.")
def working_has_not_promised(s: Transaction, p: Participant) -> bool:
    return s.stage[p] != Stage.WORKING or not contains(s.sent_prepared, p)


@lemma("The coordinator commits after all promises, and its decision, which is on disk, stands.")
def commit_was_decided_by_all(s: Transaction) -> bool:
    return not s.sent_commit or (s.decision == Decision.COMMIT and s.sent_prepared == s.all_of(Participant))


@lemma("The coordinator sends what it decides, and its decision, which is on disk, stands.")
def abort_was_decided(s: Transaction) -> bool:
    return not s.sent_abort or s.decision == Decision.ABORT


@lemma('A participant commits only when it receives "commit".')
def committed_after_commit(s: Transaction, p: Participant) -> bool:
    return s.stage[p] != Stage.COMMITTED or s.sent_commit


@lemma('A participant that has promised aborts only when it receives "abort".')
def aborted_after_abort(s: Transaction, p: Participant) -> bool:
    return s.stage[p] != Stage.ABORTED or s.sent_abort or not contains(s.sent_prepared, p)


TWO_PHASE_COMMIT = Profile(
    name="two-phase-commit",
    statement="A coordinator commits a transaction on all its participants, or on none.",
    state=Transaction,
    initial=initial,
    actions=(
        prepare,
        abort_alone,
        hear_promise,
        decide_commit,
        decide_abort,
        obey_commit,
        obey_abort,
        crash_coordinator,
    ),
    properties=(all_agree, all_commit, all_abort),
    lemmas=(
        heard_promises_were_sent,
        working_has_not_promised,
        commit_was_decided_by_all,
        abort_was_decided,
        committed_after_commit,
        aborted_after_abort,
    ),
    default_bounds={"participants": 3},
    settings={"waits_for_all": 1, "writes_first": 1},
)
