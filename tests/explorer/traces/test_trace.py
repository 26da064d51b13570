from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from golden_text import expect_golden
from hypothesis import given, settings
from hypothesis import strategies as st
from written_traces import COUNTER, loss_trace, trace_of

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import find_profile, profile_from_file
from neverlost.explorer.no_return import with_no_return
from neverlost.explorer.traces.changes import by_owner, changes, field_changes
from neverlost.explorer.traces.trace import ReplayError, Trace, replay
from neverlost.explorer.traces.trace_json import TraceFileError, read_trace, trace_json, trace_values
from neverlost.model.core import BoundsError, NeverlostError, Profile, SubsetOf, UnknownNameError
from neverlost.reports.trace.formats import FORMATS, render
from neverlost.spec import profiles
from neverlost.spec.published.profiles import KIP_320, PROFILES


def published(name: str) -> Profile:
    return find_profile(name, profiles())


def read(values: Any) -> Trace:
    return read_trace(json.dumps(values), "trace.json", published)


def small_profiles() -> st.SearchStrategy[Profile]:
    return st.sampled_from(PROFILES)


@st.composite
def walks(draw: st.DrawFn) -> Trace:
    model = draw(small_profiles()).bounded()
    states, steps = [model.initial_states()[0]], []
    for _ in range(draw(st.integers(0, 12))):
        found = model.successors(states[-1])
        if not found:
            break
        number, after = draw(st.sampled_from(found))
        steps.append(model.steps[number])
        states.append(after)
    return Trace(model=model, states=tuple(states), steps=tuple(steps))


@given(walks())
@settings(max_examples=40)
def test_a_trace_written_as_json_is_read_back_the_same(trace: Trace) -> None:
    again = read_trace(trace_json(trace), "trace.json", published)
    assert (again.model.profile, again.model.bounds) == (trace.model.profile, trace.model.bounds)
    assert replace(again, model=trace.model) == trace
    replay(again)


@given(walks())
@settings(max_examples=40)
def test_what_is_shown_of_a_step_hides_no_change(trace: Trace) -> None:
    states = trace.unpacked()
    for before, after in pairwise(states):
        shown = {change.name for change in changes(before, after)}
        covers = {name: set(view.covers) for view in before.views for name in [view.name]}
        said = shown | {field for name in shown for field in covers.get(name, ())}
        assert {place.split("[")[0] for place in field_changes(before, after)} <= said


@given(walks(), st.sampled_from(sorted(FORMATS)))
@settings(max_examples=30)
def test_every_format_shows_every_walk(trace: Trace, name: str) -> None:
    text = render(trace, name)
    assert text.endswith("\n")
    for step in trace.steps:
        assert step.action.name in text


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_every_step_is_read_back_from_what_is_printed(profile: Profile) -> None:
    model = profile.bounded()
    for step in model.steps:
        assert model.parse_step(step.show(model.bounds)) == step


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"html", "svg"}))
def test_the_loss_before_kip_101_reads_as_it_should(name: str) -> None:
    expect_golden(f"loss.{name}.txt", render(with_no_return(loss_trace()), name))


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'mermaid'"):
        render(loss_trace(), "mermade")


def test_changes_are_grouped_by_the_replica_that_they_happen_to() -> None:
    states = loss_trace().unpacked()
    grouped = by_owner(changes(states[7], states[8]))
    assert {owner: [change.show() for change in owned] for owner, owned in grouped.items()} == {
        "r2": ["log [0@1] -> []", "leader_epoch 0 -> 1", "isr {r1, r2, r3} -> {r1, r2}"]
    }


def test_a_covered_field_that_changes_behind_its_view_is_shown_by_itself() -> None:
    before, after = loss_trace().model.state(loss_trace().states[0]), loss_trace().model.state(loss_trace().states[0])
    field = next(f for f in after.fields if f.name == "next_record")
    after.put(field, (), 1)
    assert [change.show() for change in changes(before, after)] == ["next_record 0 -> 1"]


def decoded(value: Any) -> Any:
    match value:
        case {"#bigint": text}:
            return int(text)
        case {"#set": members}:
            return sorted(decoded(m) for m in members)
        case {"#map": pairs}:
            return [decoded(v) for _, v in pairs]
        case _:
            return value


def test_itf_holds_the_values_of_every_state_and_the_step_taken() -> None:
    trace = loss_trace()
    values = json.loads(render(trace, "itf"))
    assert values["#meta"]["format"] == "ITF"
    for number, (state, words) in enumerate(zip(values["states"], trace.unpacked(), strict=True)):
        assert state["#meta"]["index"] == number
        assert set(state) == {"#meta", *values["vars"]}
        assert decoded(state["log_end"]) == words.values()["log_end"]
        assert decoded(state["record_epoch"]) == words.values()["record_epoch"]
        members = [[f"r{m + 1}" for m in range(3) if mask >> m & 1] for mask in words.values()["isr"]]
        assert decoded(state["isr"]) == members
    assert [s["mbt::actionTaken"] for s in values["states"]] == ["init", *(s.action.name for s in trace.steps)]
    assert values["states"][3]["mbt::nondetPicks"]["epoch"] == {"tag": "Some", "value": {"#bigint": "1"}}
    assert values["states"][4]["mbt::nondetPicks"]["epoch"] == {"tag": "None", "value": {"#tup": []}}


def test_itf_writes_a_set_that_is_a_parameter_as_a_set() -> None:
    model = published("published/async-isr").bounded()
    taken = next(
        s for s in model.steps if any(issubclass(i, SubsetOf) for _, i in s.action.parameters) and s.arguments == (6,)
    )
    trace = Trace(model=model, states=(model.initial_states()[0],) * 2, steps=(taken,))
    picks = json.loads(render(trace, "itf"))["states"][1]["mbt::nondetPicks"]
    assert picks["isr"] == {"tag": "Some", "value": {"#set": ["r2", "r3"]}}


def counted(folder: Path) -> Trace:
    path = folder / "counter.py"
    path.write_text(COUNTER, encoding="utf-8")
    return trace_of(profile_from_file(f"{path}:COUNTER").bounded(), ["jump()"], "by_one")


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest prints of three files that were written as tests, in one process."""
    folder = tmp_path_factory.mktemp("replayed")
    text = render(loss_trace(), "pytest")
    files = {
        "recorded": text,
        "changed": text.replace('"high_watermark[r1]": "0 -> 1"', '"high_watermark[r1]": "0 -> 2"'),
        "counted": render(counted(folder), "pytest"),
    }
    for name, content in files.items():
        (folder / f"test_{name}.py").write_text(content, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-rpf",
        "--rootdir",
        str(folder),
        ".",
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False).stdout


def test_the_pytest_file_runs_and_passes(replayed: str) -> None:
    assert "PASSED test_recorded.py" in replayed, replayed
    assert "1 failed, 2 passed" in replayed


def test_the_pytest_file_fails_when_a_state_change_is_not_the_recorded_one(replayed: str) -> None:
    assert "FAILED test_changed.py" in replayed, replayed
    assert "high_watermark[r1]" in replayed


def test_a_trace_over_a_step_decides_by_its_last_two_states(tmp_path: Path, replayed: str) -> None:
    trace = counted(tmp_path)
    replay(trace)
    assert "PASSED test_counted.py" in replayed, replayed
    with pytest.raises(ReplayError, match="by_one is about a step, but the trace has none"):
        replay(Trace(model=trace.model, states=trace.states[:1], steps=(), property="by_one"))


def test_replay_names_the_step_that_is_refused_and_the_guard() -> None:
    trace = loss_trace()
    wrong = trace.model.parse_step("become_leader(replica=r2, epoch=1)")
    with pytest.raises(
        ReplayError, match=r"step 3, become_leader.*refused by base\.py:\d+  require\(s\.request_leader"
    ) as error:
        replay(replace(trace, steps=(*trace.steps[:2], wrong, *trace.steps[3:])))
    assert error.value.step == 3


def test_replay_names_the_fields_that_differ_from_the_recorded_ones() -> None:
    trace = loss_trace()
    with pytest.raises(ReplayError, match=r"step 7, .*high_watermark\[r1\] is 1, but was recorded as 0") as error:
        replay(replace(trace, states=(*trace.states[:7], trace.states[6], trace.states[8])))
    assert error.value.step == 7


def test_replay_refuses_a_trace_that_begins_elsewhere() -> None:
    trace = loss_trace()
    with pytest.raises(
        ReplayError, match="not an initial state of published/truncate-to-high-watermark: controller_leader is"
    ) as error:
        replay(replace(trace, states=trace.states[1:], steps=trace.steps[1:]))
    assert error.value.step == 0


def test_replay_refuses_a_trace_that_does_not_decide_its_property() -> None:
    trace = loss_trace()
    with pytest.raises(ReplayError, match="every step can happen, but strong_isr is not violated at the end"):
        replay(replace(trace, states=trace.states[:-1], steps=trace.steps[:-1]))
    with pytest.raises(ReplayError, match="a_record_is_committed is not witnessed at the end"):
        replay(replace(trace, states=trace.states[:2], steps=trace.steps[:1], property="a_record_is_committed"))


Spoil = Callable[[dict[str, Any]], object]

SPOILED: dict[str, tuple[Spoil, str]] = {
    "foreign": (
        lambda v: v.pop("neverlost"),
        r'trace\.json is not a trace of neverlost: it does not say "neverlost": "trace"',
    ),
    "newer": (lambda v: v.update(schema=99), "has schema 99; this version reads schema 1"),
    "no profile": (lambda v: v.pop("profile"), r"trace\.json: profile is missing"),
    "unknown profile": (lambda v: v.update(profile="published/kip-32"), "Did you mean 'published/kip-320'"),
    "other profile": (
        lambda v: v.update(profile="published/id-sequence"),
        "published/id-sequence has no bound 'replicas'",
    ),
    "bound as text": (lambda v: v["bounds"].update(replicas="3"), r"bounds\.replicas is '3', not a whole number"),
    "bound below 1": (lambda v: v["bounds"].update(replicas=0), "must be at least 1"),
    "property as number": (lambda v: v.update(property=7), "property is 7, neither a text nor null"),
    "unknown property": (lambda v: v.update(property="strong_isrs"), "Did you mean 'strong_isr'"),
    "no steps": (lambda v: v.pop("steps"), r"trace\.json: steps is missing"),
    "steps as object": (lambda v: v.update(steps={}), "steps is {}, not a list"),
    "a step too few": (lambda v: v["steps"].pop(), "has 9 entries for 7 steps"),
    "no states": (lambda v: v.update(states=[], steps=[]), "states is empty"),
    "step as number": (lambda v: v["steps"].__setitem__(2, 5), r'steps\[2\] is not an object with a text "step"'),
    "unknown action": (
        lambda v: v["steps"][1].update(step="become_laeder(replica=r1)"),
        r"steps\[1\]: .*Known: .*become_leader",
    ),
    "argument outside": (
        lambda v: v["steps"][0].update(step="controller_elect_leader(replica=r9)"),
        r"replica must be one of r1, r2, r3",
    ),
    "parts disagree": (
        lambda v: v["steps"][0].update(action="leader_write"),
        r"steps\[0\]\.action is 'leader_write', but the step",
    ),
    "state as list": (lambda v: v["states"].__setitem__(4, []), r"states\[4\] is not an object of fields"),
    "field missing": (lambda v: v["states"][4].pop("isr"), r"states\[4\]: .*other fields than the profile: isr"),
    "value outside": (
        lambda v: v["states"][4]["log_end"].__setitem__(1, 9),
        r"states\[4\]: log_end\[r2\] is 9, outside 0\.\.2",
    ),
    "value as text": (lambda v: v["states"][4]["log_end"].__setitem__(1, "1"), r"states\[4\]: log_end\[r2\] is '1'"),
    "too few elements": (lambda v: v["states"][4]["log_end"].pop(), r"states\[4\]: log_end\[r3\] is None"),
    "too many elements": (lambda v: v["states"][4]["log_end"].append(0), r"states\[4\]: log_end has more elements"),
    "domain as number": (lambda v: v.update(symmetric_domains=3), "symmetric_domains is 3, not a list"),
    "a domain that is none": (
        lambda v: v.update(symmetric_domains=["replica; touch x"]),
        "symmetric_domains names 'replica; touch x'; known are replica",
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_trace_file_is_refused_with_what_is_wrong_and_where(name: str) -> None:
    values = copy.deepcopy(trace_values(loss_trace()))
    spoil, message = SPOILED[name]
    spoil(values)
    with pytest.raises(NeverlostError, match=message):
        read(values)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)


@given(json_values)
@settings(max_examples=60)
def test_json_that_is_broken_into_lines_says_the_same(value: Any) -> None:
    assert json.loads(json_text(value)) == value


@pytest.mark.parametrize("text", ["", "{", "\x00", "[" * 100_000, "NaN,"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(TraceFileError, match=r"trace\.json is no"):
        read_trace(text, "trace.json", published)


def test_the_trace_of_one_profile_is_refused_on_another_with_the_step_that_it_does_not_know() -> None:
    with pytest.raises(
        TraceFileError, match=r"steps\[4\]: no action is named 'become_follower_truncate_to_high_watermark'"
    ):
        read_trace(trace_json(loss_trace()), "trace.json", lambda _: KIP_320)


def test_a_state_space_that_cannot_be_meant_is_refused_in_a_trace_too() -> None:
    with pytest.raises(BoundsError):
        read({**trace_values(loss_trace()), "bounds": {"replicas": 60}})
