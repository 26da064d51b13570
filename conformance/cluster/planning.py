"""What has to be known of a whole run before its first step, so that real brokers can be made to do it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import NONE, Model, Packed, Refused, Step
from neverlost.model.kafka.replication.state import ACKS_ALL, DELIVERED, FIRST_LEADER, KIP_101

from ..adapter import CannotSchedule

ELECTIONS = ("fail_over", "fail_over_unclean", "elect", "elect_unclean", "hand_over")
CONSUMER_STEPS = ("poll", "poll_follower", "poll_too_far", "process", "commit_offset", "crash_consumer")
NOT_SCHEDULED = {
    "clean": "when the cleaner runs cannot be ordered",
    "change_controller": "node 100 is the only controller",
    "expose_diverging": "what a follower exposes between two of its own steps cannot be held there",
    "handle_out_of_range": "a follower that is out of range asks and cuts its log without a request that could be held",
} | dict.fromkeys(CONSUMER_STEPS, "the consumers of the model are not driven on real brokers")

UNREAD = "a broker that hears of two decisions, one by one, after both were made, reads both at once"
NUMBERED = "the producer that sends to real brokers does not number its records"
FENCED = "a leader that knows that a follower is fenced does not ask for it (KIP-841)"
LEAVING = "a follower that is shutting down, and out of the ISR, fetches no more"
STAYING = "a leader that nobody may succeed ends only after five minutes"
BEHIND = "the controller lets a broker end only when every live broker has read that it leaves"
STALE = "a change of the eligible replicas makes the request for another ISR stale; the leader has to ask again"
STOPPED = "the controller on ZooKeeper stops the replicas of a broker that is shutting down"
UNHEARD = "a leader that reads that a follower lives reads of the newest ISR too"
REENTERS = (
    "the session of a follower that is shutting down and has entered the ISR again ends, and so does its membership"
)
UNMOVED = "the controller on ZooKeeper ends no reassignment, by which leadership is moved, while a replica is dead or outside the ISR"
KEEPS = "a follower that cuts its log below its high watermark keeps that until its next fetch"
OLD_NEWS = "a leader that has not read of the newest decision has not read either that a follower lives again"
MISSED = "a broker whose session had ended hears, when it is back, of the newest decision alone"
EXPANDS = "a fetch that shows that the follower may enter the ISR has the leader add it before the answer is there"
COUNTS = "before it raises the high watermark, a leader waits for what was in the ISR, or has caught up, until its lag time is over"
DROPS = "a leader that writes the ISR itself drops every follower at once that has not fetched for its lag time"
TOO_LATE = "a leader whose request for another ISR has come to nothing drops a follower only when it has heard so"
BY_ITSELF = "the controller elects by itself who may be elected without loss, as soon as that broker lives"
UNCLEAN_AGAIN = "after an unclean election the controller on ZooKeeper holds the next by itself; up to 1.0 it empties the ISR before"
HALTS = "a broker of 0.11 ends itself where its leader has lost what it has itself"
RAISED = (
    "a follower that has to fetch to stay in the ISR hears at once of a high watermark that rises as another is dropped"
)
STEPS_DOWN = "a broker that comes back while nobody leads hears so first, follows nobody, and answers who waits there"
UNFENCED = "the moment between the end of a session and the fencing of its broker is too short to start a broker in it"
READS = {
    "become_leader": "replica",
    "become_follower": "replica",
    "hear_of_isr": "leader",
    "learn_isr": "leader",
    "expand_isr": "leader",
    "hear_of_no_leader": "replica",
}
"""Steps by which a broker reads metadata in KRaft mode, and the parameter that says which broker."""
UNCLEAN = ("elect_unclean", "fail_over_unclean")
IN_ONE_EPOCH = ("produce", "retry", "fetch", "shrink_isr", "expand_isr")
"""What a broker does as a leader or a follower of the epoch that it is in."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The replicas as the controller prefers them, and in turn: the epochs that each broker hears of, and the ISRs that are granted."""

    order: tuple[int, ...]
    heard: tuple[deque[int], ...]
    granted: deque[tuple[int, ...]]
    idle: deque[tuple[int, ...]]
    """For each ISR change that drops a member: followers whose fetches change nothing meanwhile."""


def shrinks(steps: Iterable[Step]) -> bool:
    """Is a follower dropped from the ISR for its lag in a run? Such a run needs another cluster than those in which none may be."""
    return any(step.action.name == "shrink_isr" for step in steps)


@lru_cache(maxsize=4096)
def _values(model: Model, words: Packed) -> Mapping[str, Any]:
    """The fields of a state; kept, as a run that grows step by step is planned again and again."""
    return model.state(words).values()


def plan_of(model: Model, steps: Sequence[Step], states: Sequence[Packed] | None = None) -> Plan:
    """The plan for a run, whose states are found anew if they are not given.

    Raises CannotSchedule with the step that real brokers cannot be made to do, and why.
    """
    for number, step in enumerate(steps, start=1):
        if step.action.name in NOT_SCHEDULED:
            raise CannotSchedule(number, step.show(model.bounds), NOT_SCHEDULED[step.action.name])
        if step.action.name == "retry" and is_numbered(model):
            raise CannotSchedule(number, step.show(model.bounds), NUMBERED)
    replicas = range(model.bounds["replicas"])
    heard: tuple[deque[int], ...] = tuple(deque() for _ in replicas)
    for step in steps:
        if step.action.name in ("become_leader", "become_follower"):
            heard[step.picks()["replica"]].append(step.picks()["epoch"])
    states = trace_along(model, steps).states if states is None else states
    asked_with: dict[int, int] = {}
    waiting = set[int]()
    """The leaders whose request for another ISR has come to nothing, and who have not heard so."""
    for number, (step, before, after) in enumerate(zip(steps, states, states[1:], strict=False), start=1):
        state = _values(model, before)
        why = _obstacle(model, state, step)
        cutter = _cutter(model, step)
        if cutter is not None:
            why = KEEPS if _values(model, after)["high_watermark"][cutter] < state["high_watermark"][cutter] else why
        waits = (
            step.action.name != "elect" if model.settings["ordered_metadata"] else step.action.name == "elect_unclean"
        )
        if waits and _may_elect(model, before):
            why = BY_ITSELF
        if model.settings["ordered_metadata"] and step.action.name in (*UNCLEAN, "lose_leader"):
            why = UNCLEAN_AGAIN if any(one.action.name in UNCLEAN for one in steps[: number - 1]) else why
        if step.action.name == "shrink_isr" and step.picks()["leader"] in waiting:
            why = TOO_LATE
        waiting = _waiting(waiting, step, state, _values(model, after))
        if step.action.name in ("shrink_isr", "expand_isr"):
            asked_with[step.picks()["leader"]] = state["eligible"]
        elif step.action.name == "grant_isr" and asked_with.get(step.picks()["leader"]) != state["eligible"]:
            why = STALE
        if why:
            raise CannotSchedule(number, step.show(model.bounds), why)
    if not shrinks(steps):
        _refuse_early_high_watermarks(model, steps, states)
    elif not model.settings["isr_in_flight"]:
        _refuse_silent_members(model, steps, states)
    if model.settings["ordered_metadata"]:
        _refuse_missed(model, steps, states)
    else:
        _refuse_unread(model, steps, states, [deque(epochs) for epochs in heard])
        _refuse_old_epochs(model, steps, states)
    granted, idle = deque[tuple[int, ...]](), deque[tuple[int, ...]]()
    for step, before, after in zip(steps, states, states[1:], strict=False):
        if step.action.name == "grant_isr":
            isr = _values(model, after)["controller_isr"]
            granted.append(tuple(replica for replica in replicas if isr >> replica & 1))
        elif step.action.name == "shrink_isr":
            idle.append(_idle(_values(model, before), **step.picks()))
    return Plan(order=_order(model, steps, states, replicas), heard=heard, granted=granted, idle=idle)


def is_numbered(model: Model) -> bool:
    """Does the producer number its records, so that brokers recognise what is sent again? What is sent here has no numbers."""
    return bool(model.settings["idempotence"]) and model.settings["acks"] == ACKS_ALL


def _obstacle(model: Model, state: Mapping[str, Any], step: Step) -> str:
    """Why a step cannot be scheduled in a state; empty if it can."""
    picks, name, fenced = step.picks(), step.action.name, state["fenced"]
    in_kraft = not model.settings["ordered_metadata"]
    leaving = fenced & state["silent"]
    if name == "restart" and not fenced >> picks["replica"] & 1:
        return UNFENCED
    if name == "expand_isr" and model.settings["isr_without_fenced"] and fenced >> picks["follower"] & 1:
        return FENCED
    if (
        name == "expand_isr"
        and model.settings["isr_in_flight"]
        and state["epoch"][picks["leader"]] != state["newest_epoch"]
    ):
        return OLD_NEWS
    if name == "expand_isr" and in_kraft and _has_to_hear_of_isr(state, picks["leader"]):
        return UNHEARD
    if name == "expand_isr" and leaving >> picks["follower"] & 1:
        return REENTERS
    if name == "fetch" and leaving >> picks["follower"] & 1:
        return LEAVING
    everybody = (1 << model.bounds["replicas"]) - 1
    if name == "move_leader" and not in_kraft and not (all(state["up"]) and state["controller_isr"] == everybody):
        return UNMOVED
    if name == "fetch" and not in_kraft and picks["response"] == DELIVERED and _may_enter(state, **picks):
        return EXPANDS
    if name == "become_follower" and leaving >> picks["replica"] & 1 and not in_kraft:
        return STOPPED
    if name == "become_follower" and model.settings["truncation"] == KIP_101 and _has_more(state, **picks):
        return HALTS
    if name == "shut_down" and in_kraft:
        if not leaving >> picks["replica"] & 1:
            return STAYING
        for other, epoch in enumerate(state["epoch"]):
            behind = state["up"][other] and (epoch != state["newest_epoch"] or _has_to_hear_of_isr(state, other))
            if other != picks["replica"] and behind and not fenced >> other & 1:
                return BEHIND
    return ""


def _reader(step: Step) -> int | None:
    """Who reads metadata in a step, in KRaft mode."""
    return step.picks()[READS[step.action.name]] if step.action.name in READS else None


def _cutter(model: Model, step: Step) -> int | None:
    """Who cuts its log in a step as brokers with ZooKeeper do, keeping its high watermark; in 0.11 also when it fetches."""
    if not model.settings["ordered_metadata"]:
        return None
    if step.action.name == "become_follower":
        return step.picks()["replica"]
    fetches = step.action.name == "fetch" and model.settings["truncation"] == KIP_101
    return step.picks()["follower"] if fetches else None


def _may_elect(model: Model, words: Packed) -> bool:
    """May the controller hold an election without loss?"""
    return any(not model.refusal(words, step) for step in model.steps if step.action.name == "elect")


def _waiting(waiting: set[int], step: Step, before: Mapping[str, Any], after: Mapping[str, Any]) -> set[int]:
    """The leaders whose request for another ISR has come to nothing, and who have not heard so, after a step."""
    hears = step.picks()["leader"] if step.action.name == "refuse_isr" else _reader(step)
    gone = {
        leader
        for leader, proposed in enumerate(before["proposed_isr"])
        if proposed and not after["proposed_isr"][leader]
    }
    return {leader for leader in waiting | gone if leader != hears and after["up"][leader]}


def _may_enter(state: Mapping[str, Any], leader: int, follower: int, response: int) -> bool:
    """Has a follower that is not in the ISR all that is committed, though not all that its leader has?"""
    is_member = state["isr"][leader] >> follower & 1
    return not is_member and state["high_watermark"][leader] <= state["log_end"][follower] < state["log_end"][leader]


def _has_more(state: Mapping[str, Any], replica: int, leader: int, epoch: int) -> bool:
    """Does a broker that goes on following a leader have records that the leader has lost?"""
    return bool(state["leader"][replica] == leader and state["log_end"][replica] > state["log_end"][leader])


def _has_to_hear_of_isr(state: Mapping[str, Any], leader: int) -> bool:
    """Does the leader of the newest epoch not know yet that the controller has changed the ISR?"""
    leads = state["controller_leader"] == leader and state["epoch"][leader] == state["newest_epoch"]
    return bool(leads and state["isr"][leader] != state["controller_isr"])


def _refuse_unread(model: Model, steps: Sequence[Step], states: Sequence[Packed], heard: list[deque[int]]) -> None:
    """A broker reads all metadata that there is, or what there was when a decision was made that it hears of next."""
    newest, read = 0, set[tuple[int, int]]()
    for number, (step, after) in enumerate(zip(steps, states[1:], strict=True), start=1):
        now = _values(model, after)["newest_epoch"]
        if now > newest:
            newest = now
            read |= {(replica, newest) for replica, epochs in enumerate(heard) if epochs and epochs[0] == newest}
        if step.action.name in ("become_leader", "become_follower"):
            replica, epoch = step.picks()["replica"], step.picks()["epoch"]
            heard[replica].popleft()
            if epoch < newest and (replica, epoch) not in read:
                raise CannotSchedule(number, step.show(model.bounds), UNREAD)


def _refuse_missed(model: Model, steps: Sequence[Step], states: Sequence[Packed]) -> None:
    """The controller on ZooKeeper sends a decision to brokers that are live then, and the newest one to a broker that comes back.

    What it has not sent to a broker when the session ends, it drops.
    """
    to_hear: list[set[int]] = [set() for _ in range(model.bounds["replicas"])]
    before = _values(model, states[0])
    for number, (step, words) in enumerate(zip(steps, states[1:], strict=True), start=1):
        after = _values(model, words)
        newest = after["newest_epoch"]
        for replica, epochs in enumerate(to_hear):
            if _is_away(after, replica):
                epochs.clear()
            elif _is_away(before, replica) or newest != before["newest_epoch"]:
                epochs.add(newest)
        if step.action.name in ("become_leader", "become_follower"):
            replica, epoch = step.picks()["replica"], step.picks()["epoch"]
            if epoch not in to_hear[replica]:
                raise CannotSchedule(number, step.show(model.bounds), MISSED)
        before = after


def _refuse_old_epochs(model: Model, steps: Sequence[Step], states: Sequence[Packed]) -> None:
    """A broker that has come back while nobody leads does nothing more in the leader epoch that it was in before."""
    came_back = dict[int, int]()
    """The brokers that have, and the epochs that they were in."""
    for number, (step, words) in enumerate(zip(steps, states, strict=False), start=1):
        state, picks = _values(model, words), step.picks()
        came_back = {one: epoch for one, epoch in came_back.items() if state["epoch"][one] == epoch}
        busy = set[int]()
        if step.action.name in IN_ONE_EPOCH:
            busy = {picks["leader"], picks.get("follower", NONE)}
        elif step.action.name == "time_out":
            busy = {state["waiting_at"][picks["value"]]}
        if busy & came_back.keys():
            raise CannotSchedule(number, step.show(model.bounds), STEPS_DOWN)
        if step.action.name == "unfence" and state["controller_leader"] == NONE:
            epoch = state["epoch"][picks["replica"]]
            came_back |= {picks["replica"]: epoch} if epoch < state["newest_epoch"] else {}


def _is_away(state: Mapping[str, Any], replica: int) -> bool:
    """Has the session of a broker ended? That of one that is shutting down has not."""
    is_leaving = state["silent"] >> replica & 1 and state["up"][replica]
    return bool(state["fenced"] >> replica & 1 and not is_leaving)


def _refuse_early_high_watermarks(model: Model, steps: Sequence[Step], states: Sequence[Packed]) -> None:
    """Where the lag time is long, a leader waits for what was in its ISR and what fetches.

    In KRaft mode it does not wait for brokers of which it has read that they are fenced.
    """
    in_kraft = not model.settings["ordered_metadata"]
    waits_for, away = [0] * model.bounds["replicas"], [0] * model.bounds["replicas"]
    for number, (step, before, after) in enumerate(zip(steps, states, states[1:], strict=False), start=1):
        old, new = _values(model, before), _values(model, after)
        for leader, leads in enumerate(new["leader"]):
            if leads != leader:
                waits_for[leader] = 0
                continue
            waits_for[leader] |= old["isr"][leader] | new["isr"][leader]
            if step.action.name in ("fetch", "expand_isr") and step.picks()["leader"] == leader:
                waits_for[leader] |= 1 << step.picks()["follower"]
            if in_kraft and leader == _reader(step):
                away[leader] = old["fenced"]
            counted = waits_for[leader] & ~away[leader]
            high_watermark = new["high_watermark"][leader]
            raised = old["leader"][leader] == leader and high_watermark > old["high_watermark"][leader]
            for other, known in enumerate(new["known_end"][leader]):
                if raised and other != leader and counted >> other & 1 and known < high_watermark:
                    raise CannotSchedule(number, step.show(model.bounds), COUNTS)


def _refuse_silent_members(model: Model, steps: Sequence[Step], states: Sequence[Packed]) -> None:
    """Raises CannotSchedule where a follower is dropped, and a member is to stay that cannot fetch from the leader, or lags itself."""
    for number, (step, before, after) in enumerate(zip(steps, states, states[1:], strict=False), start=1):
        goes_on = number < len(steps) and steps[number].action.name == "shrink_isr"
        if step.action.name != "shrink_isr" or goes_on:
            continue
        leader, state, left = step.picks()["leader"], _values(model, before), _values(model, after)["isr"]
        raised = _values(model, after)["high_watermark"][leader] > state["high_watermark"][leader]
        if raised and _idle(state, **step.picks()):
            raise CannotSchedule(number, step.show(model.bounds), RAISED)
        for other in range(model.bounds["replicas"]):
            keeps_up = _follows(state, other, leader) and state["known_end"][leader][other] == state["log_end"][leader]
            if other != leader and left[leader] >> other & 1 and not keeps_up:
                raise CannotSchedule(number, step.show(model.bounds), DROPS)


def _follows(state: Mapping[str, Any], other: int, leader: int) -> bool:
    """Does a broker follow the leader in its epoch, so that it can fetch?"""
    return bool(state["leader"][other] == leader and state["epoch"][other] == state["epoch"][leader])


def _idle(state: Mapping[str, Any], leader: int, follower: int) -> tuple[int, ...]:
    """The members of the ISR that have everything, and have told the leader so; but for the follower that is to leave."""
    end, high_watermark = state["log_end"][leader], state["high_watermark"][leader]
    return tuple(
        other
        for other in range(len(state["leader"]))
        if other not in (leader, follower)
        and state["isr"][leader] >> other & 1
        and _follows(state, other, leader)
        and state["log_end"][other] == state["known_end"][leader][other] == end
        and state["high_watermark"][other] == high_watermark
    )


def _order(model: Model, steps: Sequence[Step], states: Sequence[Packed], replicas: range) -> tuple[int, ...]:
    """An order in which the controller, which takes the first that it may, elects whom the run says."""
    choices = _elections(model, steps, states)
    first = replicas[FIRST_LEADER]
    for rest in itertools.permutations(replica for replica in replicas if replica != first):
        order = [first, *rest]
        for _, chosen, candidates in choices:
            if candidates is None:
                order = [chosen, *(replica for replica in order if replica != chosen)]
            elif next(replica for replica in order if replica in candidates) != chosen:
                break
        else:
            return (first, *rest)
    number = choices[0][0]
    raise CannotSchedule(
        number,
        steps[number - 1].show(model.bounds),
        "in no order of the replicas does the controller elect as the run says",
    )


def _elections(model: Model, steps: Sequence[Step], states: Sequence[Packed]) -> list[tuple[int, int, set[int] | None]]:
    """Who is elected at which step, and of whom the controller chooses; None where leadership is moved by changing the order."""
    found: list[tuple[int, int, set[int] | None]] = []
    for number, step in enumerate(steps, start=1):
        picks = step.picks()
        if step.action.name == "move_leader":
            found.append((number, picks["successor"], None))
        elif step.action.name in ELECTIONS:
            candidates = set()
            for other in model.steps:
                if other.action is step.action and other.picks().get("leader") == picks.get("leader"):
                    try:
                        model.apply(states[number - 1], other)
                    except Refused:
                        continue
                    candidates.add(other.picks()["successor"])
            found.append((number, picks["successor"], candidates))
    return found
