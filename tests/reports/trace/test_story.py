from __future__ import annotations

import json
import random
import re
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hostile_models import HOSTILE, hostile_trace
from hypothesis import given, settings
from hypothesis import strategies as st
from ledgers.known_facts import known_facts
from looked_at import Element, handlers, loaded, page_read
from sampling import quick_one_in
from written_traces import loss_trace

from neverlost.explorer.no_return import with_no_return
from neverlost.explorer.search import explore
from neverlost.explorer.traces.sentence import no_return_words
from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.model.core import Model, Profile, Refused
from neverlost.model.core.picture import PLACEHOLDER
from neverlost.reports.trace.beyond import beyond
from neverlost.reports.trace.formats import render
from neverlost.reports.trace.lanes import happening, lane_names, lane_views
from neverlost.reports.trace.page import story_section
from neverlost.spec import profiles
from neverlost.spec.families import known_bugs
from neverlost.spec.kafka.replication.versions import VERSIONS
from neverlost.studies.recorded import recorded_trace

BUGS = {bug.name: bug.lost for bug in known_bugs() if bug.lost is not None and bug.lost.steps}
FACTS = {
    f"{fact.name}-{number}": search
    for fact in known_facts()
    for number, search in enumerate(fact.searches)
    if search.steps
}
MOST_BYTES = 300_000


@dataclass(frozen=True)
class Loss:
    """A known loss, and its page."""

    trace: Trace
    text: str
    page: Element

    @property
    def beyond(self) -> Any:
        return json.loads(self.page.all("script", "beyond-data")[0].text)


@pytest.fixture(scope="module", params=quick_one_in(16, [*BUGS, *FACTS]))
def loss(request: pytest.FixtureRequest) -> Loss:
    trace = recorded_trace((BUGS | FACTS)[request.param])
    text = render(trace, "html")
    return Loss(trace, text, page_read(text))


def steps_of(page: Element) -> list[Element]:
    return page.all("li", "step")


def test_the_list_of_what_goes_wrong_ends_with_the_step_that_violates_the_property(loss: Loss) -> None:
    for links in loss.page.all("ul", "turns"):
        assert links.all("a")[-1].attributes["href"] == f"#step-{len(loss.trace.steps)}"
        assert "✗" in links.words


def test_every_known_loss_is_a_page_of_one_file_below_300_kb(loss: Loss) -> None:
    text, page = loss.text, loss.page
    assert len(text.encode()) < MOST_BYTES
    assert loaded(page) == []
    assert handlers(page) == []
    assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", text)
    assert [step.attributes["id"] for step in steps_of(page)] == [f"step-{n}" for n in range(len(loss.trace.states))]


def test_each_row_draws_the_logs_of_its_state(loss: Loss) -> None:
    if loss.trace.model.profile.family != "replication":
        pytest.skip("only replicas have logs of records")
    for step, state in zip(steps_of(loss.page), loss.trace.unpacked(), strict=True):
        texts = step.all("svg")[0].all("text", "value")
        drawn = [text.words for text in texts if "gone" not in text.attributes["class"]]
        held = []
        for replica, end in enumerate(state.log_end):
            records = list(zip(state.record_value[replica], state.record_epoch[replica], strict=True))[:end]
            held += [f"{'-' if value < 0 else value}e{epoch}" for value, epoch in records]
        assert drawn == held


def test_every_picture_says_the_same_in_words(loss: Loss) -> None:
    for step in steps_of(loss.page):
        assert step.all("svg")[0].attributes["role"] == "img"
        assert step.all("svg")[0].attributes["aria-label"]


def test_what_could_happen_and_what_could_not_are_all_steps_of_the_model(loss: Loss) -> None:
    model, said = loss.trace.model, loss.beyond
    texts, shown = said["texts"], {step.show(model.bounds) for step in model.steps}
    for words, (possible, refused, taken) in zip(loss.trace.states, said["states"], strict=True):
        could = {texts[step]: (changed, next_) for step, changed, _, next_ in possible}
        enabled = {model.steps[n].show(model.bounds): after for n, after in model.successors(words)}
        assert list(could) == list(enabled)
        for name, (_, next_) in could.items():
            further = [model.steps[n].show(model.bounds) for n, _ in model.successors(enabled[name])]
            assert [texts[step] for step, *_ in next_] == further
        could_not = [texts[step] for _, steps in refused for step in steps]
        assert len(could_not) == len(set(could_not))
        assert {*could, *could_not} == shown
        assert taken == -1 or texts[taken] in could
        for guard, steps in refused:
            for step in steps[:2]:
                assert texts[guard] == str(model.refusal(words, model.parse_step(texts[step])))


def test_a_page_marks_the_step_at_which_the_property_is_decided_and_no_step_before(loss: Loss) -> None:
    trace = loss.trace
    seeks = trace.model.profile.property_named(trace.property or "").seeks
    mark = f"{'✓' if seeks else '✗'} {trace.property}"
    marked = [
        step.attributes["id"] for step in steps_of(loss.page) if mark in [n.words for n in step.all("span", "note")]
    ]
    assert marked == [f"step-{len(trace.steps)}"]


ALL_PROFILES = [profiles()[name] for name in profiles()]


@pytest.mark.parametrize("settings", [{"acks": "1", "crashes": 1}, {"acks": "1", "leader_moves": 1}])
def test_a_page_marks_the_step_of_no_return_and_says_what_could_be_done_before_it(settings: dict[str, Any]) -> None:
    result = explore(profiles()["kafka-3.7"].model(**settings), properties=["acked_never_lost"])
    assert result.shown is not None
    assert result.shown.trace is not None
    trace = with_no_return(result.shown.trace)
    assert trace.no_return is not None
    page = page_read(render(trace, "html"))
    marked = [
        n
        for n, step in enumerate(steps_of(page))
        if any("no return" in note.words for note in step.all("span", "note"))
    ]
    assert marked == [trace.no_return.step]
    assert no_return_words(trace) in page.words
    unasked = page_read(render(result.shown.trace, "html"))
    assert "no return" not in unasked.words


@pytest.mark.parametrize("profile", ALL_PROFILES, ids=lambda profile: profile.name)
def test_every_message_that_an_action_declares_joins_two_lanes(profile: Profile) -> None:
    consuming = {"commit": "after"} if profile.family == "replication" else {}
    model = profile.model(**consuming)
    lanes, fields = lane_names(model), {f.name for f in profile.state.fields}
    for action in profile.actions:
        parameters = dict(action.parameters)
        for message in action.messages:
            for end in (message.sender, message.receiver):
                index = parameters.get(end)
                members = (
                    [end] if index is None else [index.show(m, model.bounds) for m in range(index.size(model.bounds))]
                )
                assert set(members) <= set(lanes), (action.name, end)
            for name, of in PLACEHOLDER.findall(message.carries):
                assert (name in parameters) if not of else (name in fields and of in parameters), (action.name, name)
            assert not message.lost_by or message.lost_by in parameters


def test_settings_without_a_consumer_leave_out_its_lane() -> None:
    version = profiles()["kafka-4.1"]
    assert lane_names(version.model()) == ["controller", "producer", "r1", "r2", "r3"]
    assert lane_names(version.model(commit="after")) == ["controller", "producer", "consumer", "r1", "r2", "r3"]


def random_walk(model: Model, length: int, seed: int) -> Trace:
    chosen, words, steps = random.Random(seed), model.initial_states()[0], []
    for _ in range(length):
        found = model.successors(words)
        if not found:
            break
        number, words = chosen.choice(found)
        steps.append(model.steps[number])
    return trace_along(model, steps)


@given(st.sampled_from(VERSIONS), st.sampled_from(["0", "1", "all"]), st.integers(0, 10**6))
@settings(max_examples=settings.default.max_examples // 4)
def test_any_run_of_any_version_can_be_drawn_and_no_arrow_leads_nowhere(version: Profile, acks: str, seed: int) -> None:
    faults = {"crashes": 1, "power_losses": 1, "leader_moves": 1, "pauses": 1, "shutdowns": 1, "lost_responses": 1}
    model = version.model(acks=acks, commit="after", retries=1, consumer_crashes=1, **faults)
    trace = random_walk(model, 25, seed)
    page_read(story_section(trace, "walk"))
    states = trace.unpacked()
    for step, before, after in zip(trace.steps, states, states[1:], strict=False):
        for message in happening(model, step, before, after).sent:
            assert {message.sender, message.receiver} <= set(lane_names(model))
            assert "{" not in message.carries.replace("{}", "")
        assert list(lane_views(model, after)) == lane_names(model)


def test_a_lost_response_is_drawn_as_an_arrow_that_does_not_arrive() -> None:
    model = VERSIONS[-1].model(acks="all", min_isr=2)
    steps = ["produce(leader=r1, value=0, response=delivered)", "fetch(follower=r2, leader=r1, response=lost)"]
    page = page_read(render(trace_along(model, [model.parse_step(step) for step in steps]), "html"))
    arrived, lost = steps_of(page)[2].all("g", "message")
    assert arrived.all("path", "tip")
    assert "lost" in lost.attributes["class"].split()
    assert not lost.all("path", "tip")


def test_hostile_names_and_texts_are_text(tmp_path: Path) -> None:
    trace = hostile_trace(tmp_path)
    text = render(trace, "html")
    page = page_read(text)
    assert len(page.all("script")) == 2
    assert page.all("img") == []
    assert handlers(page) == []
    assert HOSTILE in page.all("h1")[0].words
    assert HOSTILE in steps_of(page)[1].words
    data = json.loads(page.all("script", "beyond-data")[0].text)
    assert any(HOSTILE in each for each in data["texts"])


def test_only_the_script_of_the_page_may_run() -> None:
    text = render(loss_trace(), "html")
    page = page_read(text)
    (script,) = [s for s in page.all("script") if s.attributes.get("type") == "module"]
    (policy,) = [m.attributes["content"] for m in page.all("meta") if m.attributes.get("http-equiv")]
    allowed = b64encode(sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{allowed}'" in policy
    assert "default-src 'none'" in policy


def test_two_stories_in_one_page_have_no_id_in_common() -> None:
    page = page_read(story_section(loss_trace(), "a") + story_section(loss_trace(), "b"))
    ids = [step.attributes["id"] for step in steps_of(page)]
    assert len(ids) == len(set(ids)) == 2 * len(loss_trace().states)


def test_a_step_that_cannot_happen_is_not_among_those_that_can() -> None:
    model = VERSIONS[-1].model(acks="all", min_isr=2)
    step = model.parse_step("elect(successor=r2)")
    with pytest.raises(Refused):
        model.apply(model.initial_states()[0], step)
    said = beyond(trace_along(model, []))
    possible, _, _ = said["states"][0]
    assert step.show(model.bounds) not in [said["texts"][each] for each, *_ in possible]
