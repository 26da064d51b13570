"""Runs on real brokers as they are reported, made without brokers."""

from __future__ import annotations

from dataclasses import replace

from neverlost.conformance.cluster.kafka_adapter import FinalState
from neverlost.conformance.cluster.performances import Performed, ScheduleRun
from neverlost.conformance.cluster.quorum.playing import Played as PlayedQuorum
from neverlost.conformance.cluster.quorum.playing import PlayedStep as QuorumStep
from neverlost.conformance.cluster.quorum.stories import StoryRun as QuorumRun
from neverlost.conformance.cluster.quorum.stories import plan as plan_of_quorum
from neverlost.conformance.cluster.quorum.stories import stories as quorum_stories
from neverlost.conformance.cluster.reproduction import Reproduction
from neverlost.conformance.cluster.schedules import schedules
from neverlost.conformance.cluster.transactions.playing import Played, PlayedStep
from neverlost.conformance.cluster.transactions.stories import StoryRun, plan, stories
from neverlost.conformance.judging import JudgedStep
from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.spec import profiles

ACKNOWLEDGED, REFUSED = 2, 3
MOVES = (
    "move_leader(successor=r2)",
    "produce(leader=r1, value=0, response=delivered)",
    "become_leader(replica=r2, epoch=1)",
)


def loss() -> Trace:
    model = profiles()["kafka-4.1"].bounded(
        replicas=2, log_size=1, values=1, leader_epochs=3, acks=1, min_isr=1, leader_moves=1
    )
    return trace_along(model, [model.parse_step(step) for step in MOVES], "acked_never_lost")


def played(
    trace: Trace, *, consumer: tuple[str, ...], delivery: int, last: dict[str, object] | None = None
) -> Reproduction:
    steps = [JudgedStep(number=number, step=step, seconds=0.1) for number, step in enumerate(trace.steps, start=1)]
    if last is not None:
        steps[-1] = JudgedStep(number=3, step=trace.steps[-1], as_the_run=False, **last)  # type: ignore[arg-type]
    log = tuple((offset, 0, value) for offset, value in enumerate(consumer))
    return Reproduction(
        trace=trace,
        release="4.1.1 with KRaft",
        patched=True,
        steps=tuple(steps),
        final=FinalState(leader=2, leader_epoch=1, logs={1: log, 2: log}, consumer=consumer, notes=()),
        acknowledged=(0,) if delivery == ACKNOWLEDGED else (),
        deliveries=(delivery,),
    )


def scheduled(*, with_trouble: bool = False) -> ScheduleRun:
    """A schedule whose run came out as known; with another run, that did not go on."""
    (schedule,) = schedules(["kafka-1148"])
    known = schedule.outcomes["4.1.1"]
    runs = [Performed(seen=(("move r3", "r3 leads, epoch 1"),), outcome=known)]
    if with_trouble:
        runs.append(Performed(seen=(), outcome=None, trouble="move r3: it did not come"))
    return ScheduleRun(schedule=schedule, release="4.1.1 with KRaft", known=known, runs=tuple(runs))


def told(name: str, place: str, *, as_the_model: bool = True) -> StoryRun:
    """A story on a release, with clients of version 0: its run went as the model, or its last message was refused."""
    planned = plan(stories([name]), [place])[0]
    trace, states = planned.trace, planned.trace.unpacked()
    steps = [PlayedStep(step=step.show(trace.model.bounds), said="done", done=True, differs="") for step in trace.steps]
    if not as_the_model:
        steps[-1] = PlayedStep(step=steps[-1].step, said="it is answered with PRODUCER_FENCED", done=False, differs="")
        states[-1] = states[-2]
    run = Played(
        trace=trace,
        release=f"{place} with KRaft",
        client=planned.client,
        steps=tuple(steps),
        states=(*states, states[-1]),
        reads=(("t1",), ()),
        late=("EndTxn: no error" if as_the_model else "EndTxn: PRODUCER_FENCED",),
        trouble="",
    )
    return StoryRun(planned=planned, runs=(run,))


def told_of_quorum(name: str, quorum: str, place: str, *, as_the_model: bool = True) -> QuorumRun:
    """A story of the quorum on a release: it went as the model says, or its last step was not done."""
    (story,) = quorum_stories([name])
    (on,) = (on for on in story.on if on.quorum == quorum)
    (planned,) = plan_of_quorum([replace(story, on=(replace(on, releases=(place,)),))])
    done = planned.done if as_the_model else planned.done - 1
    steps = [QuorumStep(step=at.step.show(planned.model.bounds), done=True, said="done") for at in planned.path[:done]]
    if done < len(planned.path):
        steps.append(
            QuorumStep(step=planned.path[done].step.show(planned.model.bounds), done=False, said="it did not come")
        )
    seen = dict.fromkeys(planned.expected, (done, "seen")) if as_the_model else {}
    run = PlayedQuorum(steps=tuple(steps), seen=seen, read=("v0",), acknowledged=False, voters=("c1",), trouble="")
    return QuorumRun(planned=planned, runs=(run,))
