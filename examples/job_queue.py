"""A queue hands out jobs to workers that may stop: is every job done, and by one worker?

The reference of Model Python shows its parts. Run it with

    neverlost check examples/job_queue.py:JOB_QUEUE --worker-stops 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from neverlost.modelling import (
    NONE,
    Index,
    LaneView,
    Note,
    Picture,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    budget,
    contains,
    counter,
    eventually,
    flag,
    harmless,
    is_subset,
    lemma,
    one_to,
    only,
    optional,
    per,
    require,
    sends,
    setting,
    sometimes,
    step_always,
    suffices,
    up_to,
    view,
    without,
)


class Worker(Index, bound="staff", prefix="w", first=1, symmetric=True):
    """A worker."""


class Workers(SubsetOf, of=Worker):
    """A set of workers."""


class Job(Index, bound="jobs"):
    """A job."""


class Ticket(Index, bound="tickets"):
    """What a worker draws when it takes a job."""


class Slot(Index, members=2):
    """Room for one job at a worker."""


class Stop(Index, members=2):
    """A stop of a worker."""


class Stage(Index, names=("waiting", "running", "done")):
    """How far a job is."""


class Queue(State):
    """A queue of jobs, and its workers."""

    hands_out_again = setting(flag(), off="forgets_stopped")
    """Does the queue take a job back when its worker stops?"""
    limit = setting(one_to(Slot))
    """How many jobs a worker may hold at once."""
    worker_stops = budget(up_to(Stop), singular="worker stop", whose="a worker")
    """How many times a worker may stop."""
    stops_left = counter(worker_stops)
    """How many times one still may."""

    stage = per(Job, any_of(Stage))
    """How far each job is."""
    holder = per(Job, optional(Worker))
    """The worker that holds each job."""
    running = any_of(Workers)
    """The workers that have not stopped."""
    finished = up_to(Job)
    """How many jobs are done."""
    drawn = up_to(Ticket)
    """How many tickets were drawn."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {"queue": ("finished", "drawn")}

    @view("queue", "stage", "holder", each=Job)
    def job(self, job: int) -> str:
        """How far a job is, and who holds it."""
        by = f" by w{self.holder[job] + 1}" if self.holder[job] != NONE else ""
        return Stage.names[self.stage[job]] + by


def initial(s: Queue) -> None:
    """Every job waits, and every worker runs."""
    s.running = s.all_of(Worker)
    s.stops_left = s.worker_stops


def held_by(s: Queue, worker: Worker) -> int:
    """How many jobs a worker holds."""
    return sum(1 for job in s.each(Job) if s.holder[job] == worker)


def put_back(s: Queue, job: Job) -> None:
    """A job waits again."""
    s.stage[job] = Stage.WAITING
    s.holder[job] = NONE


@action("taking", sends("queue", "worker", "job {job}"))
def take(s: Queue, worker: Worker, job: Job) -> None:
    """A worker that has room takes a job that waits."""
    require(contains(s.running, worker))
    require(s.stage[job] == Stage.WAITING)
    require(held_by(s, worker) < s.limit)
    require(s.drawn < s.size(Ticket))

    s.drawn += 1
    s.stage[job] = Stage.RUNNING
    s.holder[job] = worker


@action("finishing", sends("worker", "queue", "job {job} is done"))
def finish(s: Queue, worker: Worker, job: Job) -> None:
    """A worker finishes a job that it holds."""
    require(contains(s.running, worker))
    require(s.holder[job] == worker)

    s.stage[job] = Stage.DONE
    s.holder[job] = NONE
    s.finished += 1


@action("failure")
def stop(s: Queue, worker: Worker) -> None:
    """A worker stops for good, unless it is the last one. The queue may take back what it held."""
    require(s.stops_left > 0)
    require(contains(s.running, worker) and s.running != only(worker))

    s.stops_left -= 1
    s.running = without(s.running, worker)
    for job in s.each(Job):
        if s.hands_out_again and s.holder[job] == worker:
            put_back(s, job)


@harmless("every job is done")
def nothing_left_to_do(s: Queue) -> bool:
    """Is every job done, and held by nobody?"""
    return all(s.stage[job] == Stage.DONE and s.holder[job] == NONE for job in s.each(Job))


@always("No worker holds more jobs than it may.", harmless=nothing_left_to_do)
def within_the_limit(s: Queue) -> bool:
    return all(held_by(s, worker) <= s.limit for worker in s.each(Worker))


@sometimes("Every job is done.")
def everything_done(s: Queue) -> bool:
    return s.finished == s.size(Job)


@step_always("What is done stays done, and no worker comes back.")
def nothing_is_undone(before: Queue, after: Queue) -> bool:
    for job in before.each(Job):
        if before.stage[job] == Stage.DONE and after.stage[job] != Stage.DONE:
            return False
    return is_subset(after.running, before.running)


@suffices("tickets", "A ticket is left, or every job is done.")
def tickets_suffice(s: Queue) -> bool:
    return s.drawn < s.size(Ticket) or s.finished == s.size(Job)


def which_waits(states: Sequence[Queue]) -> str:
    """The story of a run in which a job is never done."""
    waiting = [str(job) for job, stage in enumerate(states[-1].stage) if stage != Stage.DONE]
    return f"Not done in the end: job {', '.join(waiting)}."


def a_worker_stopped(s: Queue) -> bool:
    """Has a worker stopped?"""
    return any(not contains(s.running, worker) for worker in s.each(Worker))


@eventually("After a stop, every job is still done.", after=a_worker_stopped, weak=(take, finish), story=which_waits)
def done_in_the_end(s: Queue) -> bool:
    return everything_done(s)


@lemma("A job is held exactly while it runs.")
def held_means_running(s: Queue, job: Job) -> bool:
    return s.stage[job] == Stage.RUNNING if s.holder[job] != NONE else s.stage[job] != Stage.RUNNING


@lemma("Whoever finishes a job counts it.")
def finished_are_counted(s: Queue) -> bool:
    return s.finished == sum(1 for job in s.each(Job) if s.stage[job] == Stage.DONE)


def queue_lane(s: Queue) -> LaneView:
    """What the lane of the queue shows."""
    return LaneView(role=f"{s.finished} done", standing=(f"tickets drawn: {s.drawn}",))


def worker_lane(s: Queue, worker: int) -> LaneView:
    """What the lane of a worker shows."""
    runs = contains(s.running, worker)
    held = [f"job {job}" for job, holder in enumerate(s.holder) if holder == worker]
    return LaneView(role="runs" if runs else "stopped", alive=runs, standing=tuple(held))


def stuck_jobs(action: str, arguments: Mapping[str, int], before: Queue, after: Queue) -> Sequence[Note]:
    """What a reader of the picture must not overlook."""
    stuck = [h for h in after.holder if h != NONE and not contains(after.running, h)]
    return [Note(text="a stopped worker still holds a job", bad=True)] if stuck else []


JOB_QUEUE = Profile(
    name="job-queue",
    statement="A queue hands out jobs to workers that may stop.",
    state=Queue,
    initial=initial,
    actions=(take, finish, stop),
    properties=(within_the_limit, everything_done, nothing_is_undone),
    probes=(tickets_suffice,),
    on_request=(done_in_the_end,),
    lemmas=(held_means_running, finished_are_counted),
    default_bounds={"staff": 2, "jobs": 2, "tickets": 4},
    settings={"hands_out_again": 1},
    picture=Picture(
        lanes={"queue": queue_lane}, members=Worker, member=worker_lane, faults={"stop": "stops"}, notes=stuck_jobs
    ),
)
