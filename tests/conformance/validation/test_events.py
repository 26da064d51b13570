"""What an event may say, what is said of what it may not, and why an event is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from neverlost.conformance.validation import (
    EventLogError,
    LogSearch,
    MalformedLine,
    Refusal,
    bind,
    bounds_of_log,
    read_event_log,
    refusal,
)
from neverlost.model.core import Model
from neverlost.spec import profiles

KAFKA = profiles()["kafka-3.5"]
GOOD = '{"event": "fetch", "parameters": {"follower": "r2", "leader": "r1"}}'


def model(**bounds: int) -> Model:
    return KAFKA.bounded(acks=2, **bounds)


def malformed(*lines: str) -> list[MalformedLine]:
    log = read_event_log([line.encode() for line in lines], "log")
    return [*log.notes.noted, *bind(log.entries, model()).notes.noted]


def observed(**fields: object) -> str:
    return json.dumps({"event": "fetch", "observed": fields})


WRONG = {
    "no JSON": ("{oops", "'{oops' is not JSON", 'expected an object like {"event": "fetch"'),
    "lists too deep for Python": ("[" * 3_000 + "]" * 3_000, "...' is nested more than 100 deep", "an object like"),
    "a value too deep for us": (observed(isr=json.loads("[" * 300 + "]" * 300)), "deep", "an object like"),
    "infinity": ('{"event": "fetch", "observed": {"isr": Infinity}}', "holds Infinity", "an object like"),
    "no object": ("[1]", "it is not a JSON object", "an object like"),
    "no event": ('{"observed": {}}', '"event" is missing', "the name of an action"),
    "an event that is no text": ('{"event": 5}', '"event" is 5', "the name of an action"),
    "an unknown action": ('{"event": "fetsh"}', "Did you mean 'fetch'?", "one of produce, refuse_as_not_leader"),
    "an unknown key": ('{"event": "fetch", "observd": {}}', "the key 'observd' is unknown", "only event"),
    "parameters that are none": ('{"event": "fetch", "parameters": [1]}', '"parameters" is [1]', "an object"),
    "an unknown parameter": (
        '{"event": "fetch", "parameters": {"by": "r1"}}',
        "fetch has no parameter 'by'",
        "one of follower, leader, response",
    ),
    "a parameter out of range": (
        '{"event": "fetch", "parameters": {"leader": "r9"}}',
        "leader is r9",
        "one of r1, r2, r3",
    ),
    "an unknown field": (observed(log_ends={}), "Did you mean 'log_end'?", "one of up, log_end"),
    "a field of another shape": (observed(log_end=3), "log_end is 3", "an object by Replica, or a list of at most 3"),
    "a list too long": (observed(log_end=[0, 0, 0, 0]), "log_end is {0, 0, 0, 0}", "a list of at most 3"),
    "an unknown member": (observed(log_end={"r9": 0}), "log_end has r9", "one of r1, r2, r3"),
    "a value out of range": (observed(log_end={"r2": 7}), "log_end[r2] is 7", "one of 0, 1, 2"),
    "a flag that is none": (observed(up={"r2": "maybe"}), "up[r2] is maybe", "one of no, yes"),
    "a set with an unknown member": (observed(isr={"r1": ["r1", "r7"]}), "isr[r1] is r7", "one of r1, r2, r3"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_reported_with_its_line_and_what_was_expected(name: str) -> None:
    line, what, expected = WRONG[name]
    (found,) = malformed(GOOD, line, GOOD)
    assert found.line == 2
    assert what in found.what
    assert expected in found.show()


def test_the_rest_of_a_log_with_a_wrong_line_is_judged() -> None:
    lines = ['{"event": "produce"}', "{oops", '{"event": "become_leader"}', '{"event": "fetch"}']
    log = read_event_log([line.encode() for line in lines], "log")
    events = bind(log.entries, model()).events
    outcome = LogSearch(model(), events).run()
    # Whatever stood in the line that cannot be read, nothing that is one step makes anybody leader of a new epoch before it.
    assert (outcome.verdict, outcome.explained) == ("refused", 2)
    assert LogSearch(model(leader_moves=1), events).run().verdict == "accepted"


def test_an_unreadable_line_may_stand_for_nothing() -> None:
    log = read_event_log([GOOD.encode(), b"{oops", GOOD.encode()], "log")
    outcome = LogSearch(model(), bind(log.entries, model()).events).run()
    assert outcome.verdict == "accepted"
    assert [move.step is None for move in outcome.run] == [False, True, False]


@pytest.mark.parametrize(
    "fields",
    [
        {"up": {"r1": True}, "log_end": {"r1": 0, "r2": 0}},
        {"up": ["yes", None, True], "log_end": [0]},
        {"isr": {"r1": ["r3", "r1", "r2"]}, "controller_isr": "{r1, r2, r3}"},
        {"controller_leader": "r1", "last_leader": "none", "epoch": {"r2": 0}},
        {"record_value": {"r1": {"0": "none"}, "r2": ["none", "none"]}, "known_end": {"r1": {"r2": 0}}},
        {"delivery": {"0": "unsent"}},
    ],
)
def test_a_part_of_the_state_may_be_seen_in_these_forms(fields: dict[str, object]) -> None:
    log = read_event_log([observed(**fields).encode()], "log")
    bound = bind(log.entries, model())
    assert bound.notes.count == 0
    assert LogSearch(model(), bound.events).run().verdict == "accepted"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"neverlost": "trace", "schema": 1}', "line 1, the header, does not say"),
        ('{"neverlost": "events", "schema": 2}', "line 1, the header, does not say"),
        ('{"neverlost": "events", "schema": 1, "bound": {}}', "the unknown key 'bound'"),
        ('{"neverlost": "events", "schema": 1, "bounds": []}', "bounds is [], which is not a value of type dict"),
        ('{"neverlost": "events", "schema": 1, "hidden_steps": -1}', "hidden_steps is -1; it must be 0 or more"),
    ],
)
def test_a_wrong_header_is_refused(line: str, said: str) -> None:
    with pytest.raises(EventLogError, match=said.replace("[", r"\[")):
        read_event_log([line.encode(), GOOD.encode()], "log")


@pytest.mark.parametrize("lines", [[], [b"\n"], [b"nothing\n", b"of this\n"]])
def test_a_file_without_an_event_is_no_log(lines: list[bytes]) -> None:
    with pytest.raises(EventLogError, match="log is not an event log: none of its lines is an event"):
        read_event_log(lines, "log")


def test_events_that_may_be_any_step_share_all_steps() -> None:
    log = read_event_log([b'{"event": "x"}', b"{oops", GOOD.encode()], "log")
    events = bind(log.entries, model()).events
    assert events[0].unknown
    assert events[0].steps is events[1].steps


def test_bounds_are_as_large_as_what_the_log_names() -> None:
    lines = [
        '{"event": "fetch", "parameters": {"follower": "r5"}, "observed": {"log_end": {"r2": 7}}}',
        '{"event": "become_leader", "parameters": {"epoch": 9}, "observed": {"isr": {"r2": ["r4"]}}}',
        '{"event": "produce", "parameters": {"value": 1}}',
    ]
    log = read_event_log([line.encode() for line in lines], "log")
    said = bounds_of_log(log.entries, KAFKA)
    assert {name: bound for name, bound in said.items() if bound} == {
        "replicas": 5, "log_size": 7, "values": 2, "leader_epochs": 10,
    }  # fmt: skip
    optional = {"delays", "min_isr_changes", "directory_moves", "lost_decisions", "producer_epochs"}
    assert {name for name, bound in said.items() if not bound} == optional


def test_one_number_that_is_far_too_large_is_reported_with_its_line() -> None:
    log = read_event_log([GOOD.encode(), observed(log_end={"r2": 3_000_000}).encode()], "log")
    bounds = bounds_of_log(log.entries, KAFKA)
    assert bounds == KAFKA.default_bounds
    (wrong,) = bind(log.entries, KAFKA.bounded(**bounds)).notes.noted
    assert wrong.line == 2
    assert "3000000" in wrong.what


def refused(lines: Sequence[str], hidden: Sequence[str] = (), hidden_steps: int = 0) -> Refusal:
    log = read_event_log([line.encode() for line in lines], "log")
    following = LogSearch(model(), bind(log.entries, model()).events, hidden=hidden, hidden_steps=hidden_steps)
    return refusal(following, following.run())


def test_the_guard_that_refuses_a_step_is_named() -> None:
    found = refused(['{"event": "produce"}', '{"event": "restart"}'])
    said = {step: reason.words for reason in found.reasons for step in reason.steps}
    assert found.number == 2
    assert set(said) == {"restart(replica=r1)", "restart(replica=r2)", "restart(replica=r3)"}
    (said,) = set(said.values())
    assert said.startswith("refused by faults.py:")
    assert said.endswith("  require(not s.up[replica])")


def test_an_observation_that_disagrees_is_reported_with_what_the_model_has() -> None:
    line = '{"event": "produce", "parameters": {"response": "delivered"}, "observed": {"log_end": {"r1": 1, "r2": 1}}}'
    found = refused([line])
    first = found.reasons[0]
    assert first.steps == ("produce(leader=r1, value=0, response=delivered)",)
    assert first.words == "log_end[r2] would be 0, but the log saw 1"
    assert all(reason.guard for reason in found.reasons[1:])


def test_all_states_that_the_model_may_be_in_are_named() -> None:
    found = refused(
        ['{"event": "produce"}', '{"event": "fetch", "parameters": {"follower": "r2"}}', '{"event": "restart"}']
    )
    ends = {tuple(model().state(words).values()["log_end"]) for words in found.states}
    assert ends == {(1, 0, 0), (1, 1, 0)}


def test_the_states_that_hidden_steps_lead_to_are_counted() -> None:
    line = '{"event": "produce", "parameters": {"leader": "r1"}, "observed": {"log_end": [1, 1, 1]}}'
    found = refused([line], hidden=("fetch",), hidden_steps=1)
    assert found.gap_states == 0
    later = refused(['{"event": "produce"}', line], hidden=("fetch",), hidden_steps=1)
    assert later.gap_states == 2
