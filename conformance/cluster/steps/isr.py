"""Changes of the ISR on real brokers: a leader asks the controller, or writes the ISR itself, when it has seen what it has to see."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator

from neverlost.model.core import EMPTY, NONE, Step, contains, only
from neverlost.model.kafka.replication.controller import issues_to
from neverlost.model.kafka.replication.leader import acceptable
from neverlost.model.kafka.replication.shutdown import is_shutting_down
from neverlost.model.kafka.replication.state import LOST, Partition, Replica
from neverlost.spec.kafka.replication.seen import has_to_hear_of_isr

from ...adapter import How
from .. import frames
from ..cluster import PATIENT_MS
from ..gates import ALTER_ISR, FETCH, Answer, Frame, Gate
from ..topic import STEP_SECONDS
from ..wire import INELIGIBLE_REPLICA, INVALID_UPDATE_VERSION
from .action import OnBrokers, always
from .fetching import exchange, fresh_fetch
from .high_watermarks import reader
from .partition_run import PartitionRun
from .planned import PlannedRun, PlannedStep, Remembering

FENCED = "a leader that knows that a follower is fenced does not ask for it (KIP-841)"
OLD_NEWS = "a leader that has not read of the newest decision has not read either that a follower lives again"
UNHEARD = "a leader that reads that a follower lives reads of the newest ISR too"
REENTERS = (
    "the session of a follower that is shutting down and has entered the ISR again ends, and so does its membership"
)
STALE = "a change of the eligible replicas makes the request for another ISR stale; the leader has to ask again"
TOO_LATE = "a leader whose request for another ISR has come to nothing drops a follower only when it has heard so"
DROPS = "a leader that writes the ISR itself drops every follower at once that has not fetched for its lag time"
RAISED = (
    "a follower that has to fetch to stay in the ISR hears at once of a high watermark that rises as another is dropped"
)
EXPAND_SECONDS = 1.0
MOST_FETCHES = 10

Eligible = tuple[tuple[int, int], ...]
"""By leader the eligible replicas at the time of its last request for another ISR."""


def shrink_isr(run: PartitionRun, leader: int, follower: int) -> None:
    """Wait until the leader drops the follower for its lag; meanwhile followers whose fetches change nothing may fetch."""
    idle, patience = run.plan.idle.popleft(), 2 * run.cluster.lag_ms / 1000 + 10
    for other in idle:
        run.gates.open(FETCH, run.broker(other), run.broker(leader))
    if run.cluster.release.asks_for_isr:
        request_for_isr(run, leader, patience)
    else:
        run.until(lambda: run.broker(follower) not in run.topic.state.isr, "a smaller ISR", patience)
    now = time.monotonic()
    for other in idle:
        run.gates.shut(FETCH, run.broker(other), run.broker(leader))
        fresh_fetch(run, other, leader, now)


def shrink_isr_hidden(run: PartitionRun, step: Step) -> bool:
    """A follower is dropped only where the lag time is short."""
    return run.cluster.lag_ms < PATIENT_MS


def expand_isr(run: PartitionRun, leader: int, follower: int) -> None:
    """Have the leader look at the follower until it wants it in the ISR: a fetch makes it look, if it knows that it lives.

    The answer to that fetch is dropped, so that nothing else comes of it. A leader that has asked by itself, when the follower had what
    is committed but not all, hears of nothing more: by metadata that has no news it would take its request back.
    """

    def wants() -> bool:
        if run.cluster.release.asks_for_isr:
            return waiting_request(run, leader) is not None
        return run.broker(follower) in run.topic.state.isr

    if not wants():
        run.news.hear_who_lives(leader)
    end = time.monotonic() + STEP_SECONDS
    while not wants() and time.monotonic() < end:
        exchange(run, follower, leader, LOST)
        run.gates.wait_a_while(wants, EXPAND_SECONDS)
    run.until(wants, "a larger ISR")


def expand_isr_obstacle(s: Partition, leader: Replica, follower: Replica) -> str:
    """What the leader has read of the follower, it reads with everything else that there is."""
    if not acceptable(s, only(follower)):
        return FENCED
    if s.isr_in_flight and not issues_to(s, leader):
        return OLD_NEWS
    if has_to_hear_of_isr(s, leader):
        return UNHEARD
    return REENTERS if is_shutting_down(s, follower) else ""


def grant_isr(run: PartitionRun, leader: int) -> None:
    """Let the leader's request pass, and keep the answer; where it asks for another ISR than the run has, ask for that."""
    members = run.plan.granted.popleft()
    isr = tuple(sorted(map(run.broker, members)))
    frame, asked = request_for_isr(run, leader, STEP_SECONDS)
    if asked == isr:
        run.gates.release(frame, Answer.HELD)
        while _is_stale(run, frame):
            frame = _asked_again(run, leader, members, frame)
            run.gates.release(frame, Answer.HELD)
    else:
        how = run.news.ask_for_isr(leader, frame, isr)
        run.note(f"broker {run.broker(leader)} asked for the ISR {list(asked)}; {how}")
    run.until(lambda: run.topic.state.isr == isr, f"the ISR {list(isr)}")
    run.news.granted()


def _is_stale(run: PartitionRun, frame: Frame) -> bool:
    """Was the request made before the leader read of a change, such as of the eligible replicas or a restart (KIP-903)?

    A broker may ask as soon as it can.
    """
    run.gates.answered(frame)
    return frames.isr_error(frame, run.topic.name, run.topic.id) in (INVALID_UPDATE_VERSION, INELIGIBLE_REPLICA)


def _asked_again(run: PartitionRun, leader: int, members: Iterable[int], refused: Frame) -> Frame:
    """The request that the leader makes when it has heard that the one before came too late, and why, and a follower fetches."""
    run.gates.release(refused)
    run.news.hear_who_lives(leader)
    for _ in range(MOST_FETCHES):
        for member in members:
            if run.broker(member) not in run.topic.state.isr:
                exchange(run, member, leader, LOST)
        run.gates.wait_a_while(lambda: waiting_request(run, leader) is not None, EXPAND_SECONDS)
        if waiting_request(run, leader) is not None:
            break
    return request_for_isr(run, leader, STEP_SECONDS)[0]


def refuse_isr(run: PartitionRun, leader: int) -> None:
    """Let the leader's request pass, which the controller refuses."""
    frame, _ = request_for_isr(run, leader, STEP_SECONDS)
    run.gates.release(frame)
    run.gates.answered(frame)


def learn_isr(run: PartitionRun, leader: int) -> None:
    """Deliver the answer that the leader waits for; what was asked for in its name it reads in the metadata."""
    gate = _gate(run, leader)
    if not gate.answers:
        run.news.hear_of_granted(leader)
        return
    frame = gate.answers[0]
    run.gates.release(frame)
    run.gates.wait(lambda: frame not in gate.answers, STEP_SECONDS, "the delivered answer")


def hear_of_isr(run: PartitionRun, leader: int) -> None:
    """Let the leader hear of an ISR that the controller has changed in its epoch, if it has not heard yet."""
    run.news.hear_of_isr(leader)
    gate = _gate(run, leader)
    # A late answer is ignored; but the leader sends no other request before it has it.
    for frame in [*gate.answers, *filter(run.news.comes_too_late, list(gate.requests))]:
        run.gates.release(frame)


def request_for_isr(run: PartitionRun, leader: int, seconds: float) -> tuple[Frame, tuple[int, ...]]:
    """The request of a leader for another ISR that waits, and the ISR."""
    what = f"a request of broker {run.broker(leader)} for another ISR"
    return run.gates.wait(lambda: waiting_request(run, leader), seconds, what)


def waiting_request(run: PartitionRun, leader: int) -> tuple[Frame, tuple[int, ...]] | None:
    """A waiting request for another ISR of the topic; requests for other topics, and of an earlier leader epoch, may pass."""
    epoch, topic = run.real_epoch[run.knows_of[leader]], (run.topic.name, run.topic.id)
    with run.gates.changed:
        for frame in list(_gate(run, leader).requests):
            asked = frames.asked_isr(frame, *topic)
            if asked is not None and frames.asked_in_epoch(frame, *topic) == epoch:
                return frame, asked
            run.gates.release(frame)
    return None


def _gate(run: PartitionRun, leader: int) -> Gate:
    return run.gates.gate(ALTER_ISR, run.broker(leader), run.control.destination)


def _after_request(asked_with: Eligible, planned: PlannedStep) -> tuple[Eligible, str]:
    leader, eligible = planned.picks.get("leader", NONE), planned.before.eligible
    known = dict(asked_with)
    why = STALE if planned.name == "grant_isr" and known.get(leader) != eligible else ""
    if planned.name in ("shrink_isr", "expand_isr"):
        known[leader] = eligible
    return tuple(sorted(known.items())), why


stale = Remembering[Eligible](lambda model: (), _after_request)
"""A request for another ISR comes to nothing if the eligible replicas have changed since."""


def _after_answer(waiting: frozenset[int], planned: PlannedStep) -> tuple[frozenset[int], str]:
    why = TOO_LATE if planned.name == "shrink_isr" and planned.picks["leader"] in waiting else ""
    still = frozenset(leader for leader in waiting | _in_vain(planned) if planned.after.up[leader])
    return still - {_hears(planned)}, why


too_late = Remembering[frozenset[int]](lambda model: frozenset(), _after_answer)
"""A leader waits for the answer to its request for another ISR, also if the request has come to nothing.

Remembered are the leaders whose request has, and who have not heard so.
"""


def _in_vain(planned: PlannedStep) -> set[int]:
    """The leaders whose request for another ISR comes to nothing, or is answered, in a step."""
    before, after = planned.before.proposed_isr, planned.after.proposed_isr
    return {leader for leader in planned.before.each(Replica) if before[leader] != EMPTY and after[leader] == EMPTY}


def _hears(planned: PlannedStep) -> int | None:
    return planned.picks["leader"] if planned.name == "refuse_isr" else reader(planned)


def silent_members(run: PlannedRun) -> Iterator[str]:
    """Where a follower is dropped by a leader that writes the ISR itself, who is to stay must be able to fetch, and not lag."""
    following = [*(step.action.name for step in run.steps[1:]), ""]
    for planned, next_name in zip(run, following, strict=True):
        yield silent_member(planned) if next_name != "shrink_isr" else ""


def silent_member(planned: PlannedStep) -> str:
    """Why a step that drops a follower cannot be the last such in a row."""
    drops = planned.name == "shrink_isr"
    return _drops_too_much(planned.before, planned.after, **planned.picks) if drops else ""


def _drops_too_much(s: Partition, after: Partition, leader: int, follower: int) -> str:
    if after.high_watermark[leader] > s.high_watermark[leader] and idle_members(s, leader, follower):
        return RAISED
    for other in s.each(Replica):
        keeps_up = _fetches(s, other, leader) and s.known_end[leader][other] == s.log_end[leader]
        if other != leader and contains(after.isr[leader], other) and not keeps_up:
            return DROPS
    return ""


def _fetches(s: Partition, other: int, leader: int) -> bool:
    """Does a broker follow the leader in its epoch, so that it can fetch?"""
    return s.leader[other] == leader and s.epoch[other] == s.epoch[leader]


def idle_members(s: Partition, leader: int, follower: int) -> tuple[int, ...]:
    """The members of the ISR that have everything, as the leader knows; but for the follower that is to leave."""
    return tuple(
        other
        for other in s.each(Replica)
        if other not in (leader, follower)
        and contains(s.isr[leader], other)
        and _fetches(s, other, leader)
        and s.log_end[other] == s.known_end[leader][other] == s.log_end[leader]
        and s.high_watermark[other] == s.high_watermark[leader]
    )


def idle_in(run: PlannedRun) -> deque[tuple[int, ...]]:
    """For each ISR change of a run that drops a member: followers whose fetches change nothing meanwhile."""
    return deque(idle_members(one.before, **one.picks) for one in run if one.name == "shrink_isr")


def granted_in(run: PlannedRun) -> deque[tuple[int, ...]]:
    """The ISRs that are granted in a run, in turn."""
    after = [one.after for one in run if one.name == "grant_isr"]
    return deque(tuple(one for one in s.each(Replica) if contains(s.controller_isr, one)) for s in after)


ACTIONS = {
    "shrink_isr": OnBrokers(perform=shrink_isr, hidden=shrink_isr_hidden, how=How.AWAITED),
    "expand_isr": OnBrokers(perform=expand_isr, obstacle=expand_isr_obstacle, hidden=always, how=How.AWAITED),
    "grant_isr": OnBrokers(perform=grant_isr),
    "refuse_isr": OnBrokers(perform=refuse_isr),
    "learn_isr": OnBrokers(perform=learn_isr),
    "hear_of_isr": OnBrokers(perform=hear_of_isr, hidden=always),
}
