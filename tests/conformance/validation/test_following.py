"""Logs that a model wrote are accepted, whatever is left out of them; one wrong event is refused where it is wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from event_logs import ENDLESS, Walk, lines_of_brokers, walk
from sampling import quick_one_in

from neverlost.conformance.replication.adapter import SEEN
from neverlost.conformance.validation import (
    LogSearch,
    LogSearchLimits,
    LogVerdict,
    Outcome,
    bind,
    read_event_log,
    refusal,
)
from neverlost.model.core import Model
from neverlost.spec import profiles

BOUNDS = {"replicas": 3, "log_size": 4, "values": 4, "leader_epochs": 12}


def walked(profile: str = "kafka-3.5", seed: int = 1, steps: int = 150) -> Walk:
    return walk(profiles()[profile], steps=steps, seed=seed, rare=0.05, **BOUNDS)


def followed(model: Model, lines: Sequence[str], **options: Any) -> Outcome:
    log = read_event_log([line.encode() for line in lines], "written")
    bound = bind(log.entries, model)
    assert (log.notes.count, bound.notes.count) == (0, 0)
    return LogSearch(model, bound.events, endless=ENDLESS, **options).run()


def everything(model: Model) -> tuple[str, ...]:
    return tuple(declared.name for declared in model.profile.state.fields)


@pytest.mark.parametrize("profile", ["kafka-0.8", "kafka-0.11", "kafka-2.1", "kafka-2.7", "kafka-3.5", "kafka-4.1"])
def test_what_a_model_does_follows_it(profile: str) -> None:
    run = walked(profile, steps=120)
    outcome = followed(run.model, run.lines(everything(run.model)))
    assert (outcome.verdict, outcome.explained, outcome.looked) == (LogVerdict.ACCEPTED, 120, 120)
    assert [move.step for move in outcome.run] == list(run.steps)


@pytest.mark.parametrize("profile", ["kafka-0.8", "kafka-2.1", "kafka-3.5", "kafka-4.1"])
def test_what_in_process_brokers_do_follows_the_model_of_their_version(profile: str) -> None:
    run = walked(profile, seed=4, steps=250)
    outcome = followed(run.model, lines_of_brokers(run))
    assert (outcome.verdict, outcome.explained) == (LogVerdict.ACCEPTED, 250)


def test_parameters_that_the_log_leaves_out_are_searched_for() -> None:
    run = walked()
    lines = [json.dumps({**json.loads(line), "parameters": {}}) for line in run.lines()[1:]]
    outcome = followed(run.model, [run.lines()[0], *lines])
    assert outcome.verdict == LogVerdict.ACCEPTED
    assert [move.step.action for move in outcome.run if move.step] == [step.action for step in run.steps]


def test_steps_that_the_log_leaves_out_are_searched_for() -> None:
    run = walked(seed=3)
    unlogged = ("grant_isr", "learn_isr", "become_leader")
    assert any(step.action.name in unlogged for step in run.steps)
    lines = run.lines(hidden=unlogged)
    outcome = followed(run.model, lines, hidden=unlogged, hidden_steps=3)
    assert (outcome.verdict, outcome.explained) == (LogVerdict.ACCEPTED, len(lines) - 1)
    assert {step.action.name for move in outcome.run for step in move.hidden} <= set(unlogged)
    assert followed(run.model, lines).verdict == LogVerdict.REFUSED


def changing(run: Walk) -> list[int]:
    """The positions of steps after which other things are seen, as after the next one."""
    shown = [{name: state.values()[name] for name in SEEN} for state in map(run.model.state, run.states)]
    triples = zip(shown, shown[1:], shown[2:], strict=False)
    return [number for number, (one, two, three) in enumerate(triples) if one != two != three != one]


CORRUPTIONS = {
    f"{kind} {seed}": (kind, seed)
    for kind in ("dropped", "reordered", "altered")
    for seed in range(7 if kind == "altered" else 8)
}


@pytest.mark.parametrize("name", quick_one_in(3, [*CORRUPTIONS]))
def test_a_corrupted_log_is_refused_at_the_right_event(name: str) -> None:
    kind, seed = CORRUPTIONS[name]
    run = walked(seed=40 + seed)
    header, *lines = lines_of_brokers(run)
    random = Random(seed)
    place = random.choice(changing(run))
    if kind == "dropped":
        del lines[place]
    elif kind == "reordered":
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
    else:
        event = json.loads(lines[place])
        seen = event["observed"]["log_end"]
        replica = random.randrange(3)
        seen[replica] = (seen[replica] + 1) % (BOUNDS["log_size"] + 1)
        lines[place] = json.dumps(event)
    outcome = followed(run.model, [header, *lines])
    assert (outcome.verdict, outcome.explained) == (LogVerdict.REFUSED, place)


def test_no_state_is_tried_twice_at_the_same_event() -> None:
    model = profiles()["kafka-3.5"].bounded(replicas=3, log_size=1, values=1)
    lost = '{"event": "fetch", "parameters": {"response": "lost"}}'
    impossible = '{"event": "unfence"}'
    outcome = followed(model, [*[lost] * 200, impossible])
    assert (outcome.verdict, outcome.explained) == (LogVerdict.REFUSED, 200)
    assert outcome.looked == 200


def test_a_limit_ends_the_search_undecided() -> None:
    run = walked()
    outcome = followed(run.model, run.lines(), limits=LogSearchLimits(states=50))
    assert (outcome.verdict, outcome.looked) == (LogVerdict.UNDECIDED, 50)
    assert outcome.stopped_by == "50 states were searched (`limits`)"


def test_an_interrupt_ends_the_search_undecided() -> None:
    run = walked(steps=300)
    limits = LogSearchLimits(stop=lambda explained: f"interrupted after {explained}")
    outcome = followed(run.model, run.lines(), limits=limits)
    assert (outcome.verdict, outcome.explained < 300) == (LogVerdict.UNDECIDED, True)
    assert outcome.stopped_by == f"interrupted after {outcome.explained}"


MANY_STEPS = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 1_000}
NEVER_FIRST = '{"event": "become_leader"}'
"""In the initial state a guard refuses each of its steps, for any replica and epoch."""


def test_the_clock_is_looked_at_where_nothing_but_refused_steps_takes_time() -> None:
    model = profiles()["kafka-3.5"].bounded_to_follow(**MANY_STEPS)
    outcome = followed(
        model, [NEVER_FIRST], limits=LogSearchLimits(stop=lambda explained: f"stopped after {explained}")
    )
    assert (outcome.verdict, outcome.stopped_by, outcome.looked) == (LogVerdict.UNDECIDED, "stopped after 0", 0)


def test_the_clock_is_looked_at_while_reasons_are_gathered() -> None:
    model = profiles()["kafka-3.5"].bounded_to_follow(**MANY_STEPS)
    log = read_event_log([NEVER_FIRST.encode()], "written")
    over = [False]
    limits = LogSearchLimits(stop=lambda explained: "time is up" if over[0] else None)
    following = LogSearch(model, bind(log.entries, model).events, limits=limits)
    outcome = following.run()
    assert outcome.verdict == LogVerdict.REFUSED
    steps = len(following.events[0].steps)
    assert sum(len(reason.steps) for reason in refusal(following, outcome).reasons) == steps > 1_000
    over[0] = True
    assert 0 < sum(len(reason.steps) for reason in refusal(following, outcome).reasons) < 1_000


def test_faults_without_a_bound_may_happen_any_number_of_times() -> None:
    model = profiles()["kafka-3.5"].bounded(replicas=2, log_size=1, values=1, leader_epochs=2, pauses=3)
    cycle = [
        f'{{"event": "{name}", "parameters": {{"replica": "r2"}}}}' for name in ("pause", "fence_follower", "unfence")
    ]
    lines = cycle * 5
    log = read_event_log([line.encode() for line in lines], "written")
    events = bind(log.entries, model).events
    # The first of them takes r2 out of the ISR and so the second leader epoch, which no broker has to hear of.
    assert LogSearch(model, events, endless=("pauses",)).run().verdict == LogVerdict.ACCEPTED
    bounded = LogSearch(model, events).run()
    assert (bounded.verdict, bounded.explained) == (LogVerdict.REFUSED, 9)
