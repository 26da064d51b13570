"""Runs on real brokers as they are reported, made without brokers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from neverlost.conformance.cluster.groups.playing import Played as PlayedGroups
from neverlost.conformance.cluster.groups.stories import StoryRun as GroupsRun
from neverlost.conformance.cluster.groups.stories import plan as plan_of_groups
from neverlost.conformance.cluster.groups.stories import stories as group_stories
from neverlost.conformance.cluster.kafka_adapter import FinalState
from neverlost.conformance.cluster.performances import Performed, ScheduleRun
from neverlost.conformance.cluster.quorum.playing import Played as PlayedQuorum
from neverlost.conformance.cluster.quorum.stories import StoryRun as QuorumRun
from neverlost.conformance.cluster.quorum.stories import plan as plan_of_quorum
from neverlost.conformance.cluster.quorum.stories import stories as quorum_stories
from neverlost.conformance.cluster.reproduction import Reproduction
from neverlost.conformance.cluster.schedules import schedules
from neverlost.conformance.cluster.story_paths import PathStory, PlannedPath
from neverlost.conformance.cluster.story_paths import PlayedStep as PathPlayed
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


def story_run(name: str, place: str, *, as_the_model: bool = True) -> StoryRun:
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


def quorum_story_run(name: str, quorum: str, place: str, *, as_the_model: bool = True) -> QuorumRun:
    """A story of the quorum on a release: it went as the model says, or its last step was not done."""
    (planned,) = plan_of_quorum([only(quorum_stories([name])[0], quorum, place)])
    steps, seen = along(planned, as_the_model=as_the_model)
    run = PlayedQuorum(steps=steps, seen=seen, read=("v0",), acknowledged=False, voters=("c1",), trouble="")
    return QuorumRun(planned=planned, runs=(run,))


def groups_story_run(name: str, client: str, place: str, *, as_the_model: bool = True) -> GroupsRun:
    """A story of groups on a release: it went as the model says, or its last step was not done."""
    (planned,) = plan_of_groups([only(group_stories([name])[0], client, place)])
    steps, seen = along(planned, as_the_model=as_the_model)
    run = PlayedGroups(steps=steps, seen=seen, processed={"p1 at 0": 1}, trouble="")
    return GroupsRun(planned=planned, runs=(run,))


StoryT = TypeVar("StoryT", bound=PathStory[Any])


def only(story: StoryT, where: str, place: str) -> StoryT:
    """A story with one of what it is played on, on one release."""
    (on,) = (on for on in story.on if on.where == where)
    return replace(story, on=(replace(on, releases=(place,)),))


def along(
    planned: PlannedPath[Any, Any], *, as_the_model: bool
) -> tuple[tuple[PathPlayed, ...], dict[str, tuple[int, str]]]:
    """The steps of a run as the model takes them, or all but the last, and what is seen."""
    done = planned.done if as_the_model else planned.done - 1
    steps = [PathPlayed(step=at.step.show(planned.model.bounds), done=True, said="done") for at in planned.path[:done]]
    if done < len(planned.path):
        steps.append(
            PathPlayed(step=planned.path[done].step.show(planned.model.bounds), done=False, said="it did not come")
        )
    seen = dict.fromkeys(planned.expected, (done, "seen")) if as_the_model else {}
    return tuple(steps), seen
