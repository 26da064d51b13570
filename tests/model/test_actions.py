"""Steps as people write them, and the guard that forbids one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import SMALL_MODELS, models, random_states
from written_models import FIRST_LINE, written

from neverlost.model.core import Model, ModelError, Refused, UnknownNameError, action
from neverlost.spec.published.profiles import ASYNC_ISR, KIP_320

BOUNDS = {"replicas": 3, "log_size": 2, "records": 2, "leader_epochs": 2}


@pytest.fixture(scope="module")
def model() -> Model:
    return KIP_320.bounded(**BOUNDS)


@pytest.mark.parametrize("model", SMALL_MODELS, ids=lambda m: m.profile.name)
def test_every_step_is_read_back_as_it_was_written(model: Model) -> None:
    for step in model.steps:
        assert model.parse_step(step.show(model.bounds)) == step


def test_a_step_is_written_with_the_names_of_its_parameters(model: Model) -> None:
    step = model.parse_step("  fenced_follower_fetch( leader = r1 ,follower=r3 ) ")
    assert step.show(model.bounds) == "fenced_follower_fetch(follower=r3, leader=r1)"
    assert step.picks() == {"follower": 2, "leader": 0}


def test_a_set_as_argument_is_written_by_its_members() -> None:
    model = ASYNC_ISR.bounded(replicas=3, log_size=1, versions=2)
    step = model.parse_step("controller_handle_request(isr={r1, r3})")
    assert step.arguments == (0b101,)
    assert model.parse_step("controller_handle_request(isr={})").arguments == (0,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("leader_write", r"'leader_write' is not a step; a step looks like `name\(parameter=value, \.\.\.\)`"),
        ("leader_write(replica=r4)", r"replica must be one of r1, r2, r3"),
        ("leader_write(leader=r1)", r"does not fit leader_write\(replica\)"),
        ("leader_write()", r"does not fit leader_write\(replica\)"),
        ("leader_write(replica=r1, epoch=0)", r"does not fit leader_write\(replica\)"),
    ],
)
def test_what_is_no_step_is_refused_with_what_would_fit(model: Model, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model.parse_step(text)


def test_an_unknown_action_is_refused_with_the_nearest_and_the_known_names(model: Model) -> None:
    with pytest.raises(UnknownNameError) as error:
        model.parse_step("leader_wrote(replica=r1)")
    assert "Did you mean 'leader_write'?" in str(error.value)
    assert "fenced_follower_fetch" in str(error.value)


def test_a_parameter_without_a_finite_domain_is_refused(tmp_path: Path) -> None:
    text = "def push(s: Boxes, force: int) -> None:\n    s.count = force\n"
    module = written(tmp_path, text)
    with pytest.raises(
        ModelError, match=rf"{module.__name__}.py:{FIRST_LINE}: parameter 'force' of push has no finite"
    ):
        action("a rule")(module.push)


def test_the_guard_that_forbids_a_step_is_shown_as_it_is_written(model: Model) -> None:
    start = model.initial_states()[0]
    refusal = str(model.refusal(start, model.parse_step("leader_write(replica=r1)")))
    assert refusal.startswith("base.py:")
    assert refusal.endswith("require(presumes_leadership(s, replica))")


def test_a_guard_in_a_helper_is_shown_from_there(model: Model) -> None:
    start = model.initial_states()[0]
    elected = model.apply(start, model.parse_step("controller_elect_leader(replica=r1)"))
    shrunk = model.apply(elected, model.parse_step("controller_shrink_isr(replica=r2)"))
    refusal = str(model.refusal(shrunk, model.parse_step("controller_shrink_isr(replica=r3)")))
    assert refusal.endswith("require(s.next_epoch < s.size(Epoch))")


def test_a_step_that_may_happen_is_not_refused(model: Model) -> None:
    step = model.parse_step("controller_elect_leader(replica=r2)")
    assert model.refusal(model.initial_states()[0], step) is None


@given(st.data())
def test_applying_a_step_gives_the_successor_or_is_refused(data: st.DataObject) -> None:
    model = data.draw(models)
    words = data.draw(random_states(model))
    try:
        successors = dict(model.successors(words))
    except ModelError:
        return
    for number, step in enumerate(model.steps):
        if number in successors:
            assert model.apply(words, step) == successors[number]
            assert model.refusal(words, step) is None
        else:
            with pytest.raises(Refused):
                model.apply(words, step)
            assert "require(" in str(model.refusal(words, step))
