"""The timing wheel's model does what R-TIMER says, by arithmetic that the model does not use."""

from __future__ import annotations

from pathlib import Path

import pytest
from lemma_properties import PREFIX, deciding_lemmas
from sampling import quick_one_in

from neverlost.conformance.mutants.conditions import condition_mutants
from neverlost.conformance.mutants.mutant import GUARD, Mutant
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symbolic.induction import Effort
from neverlost.explorer.symbolic.proof import prove
from neverlost.model.core import BoundsError, Model, ModelError
from neverlost.model.kafka.timing_wheel import FIRED, WAITING
from neverlost.spec.kafka.timing_wheel.properties import TIMING_WHEEL

SLOTS = 3


def model() -> Model:
    return TIMING_WHEEL.bounded(slots=SLOTS, levels=4, horizon=40, starts=10)


def level_of(clock: int, deadline: int) -> int:
    """The level that takes the deadline: the first whose current time and turn reach beyond it; -1 if it fires at once."""
    if deadline < clock + 1:
        return -1
    return next(level for level in range(4) if deadline < clock // SLOTS**level * SLOTS**level + SLOTS ** (level + 1))


def test_every_insertion_goes_where_arithmetic_puts_it() -> None:
    wheels, seen = model(), set()
    todo = list(wheels.initial_states())
    known = set(todo)
    while todo:
        words = todo.pop()
        for number, after in wheels.successors(words):
            if after not in known:
                known.add(after)
                todo.append(after)
            if wheels.steps[number].action.name not in ("insert", "expire"):
                continue
            state = wheels.state(after)
            clock, deadline = int(state.clock), int(state.started + state.delay)
            level = level_of(clock, deadline)
            seen.add((clock, deadline))
            assert state.level == level
            assert state.phase == (WAITING if level >= 0 else FIRED)
            assert state.expiration == (deadline // SLOTS**level * SLOTS**level if level >= 0 else 0)
    assert len(seen) > 300


@pytest.mark.parametrize(
    ("bounds", "remedy"),
    [
        ({"slots": 4}, "covers 1,023 ticks and not the horizon, .* with levels 7 it would"),
        ({"levels": 3}, "covers 7,999 ticks and not the horizon, .* with levels 4 it would"),
        ({"slots": 4, "levels": 3, "horizon": 64, "starts": 5}, "horizon 63 would do"),
        ({"slots": 1}, "covers 0 ticks and not the horizon"),
    ],
)
def test_wheels_that_do_not_cover_the_horizon_are_refused(bounds: dict[str, int], remedy: str) -> None:
    with pytest.raises(BoundsError, match=remedy):
        TIMING_WHEEL.bounded(**bounds)


@pytest.mark.parametrize(
    "bounds",
    [{"slots": 4, "levels": 3, "horizon": 63, "starts": 5}, {"slots": 2, "levels": 6, "horizon": 63, "starts": 12}],
    ids=str,
)
def test_wheels_that_just_cover_the_horizon_have_every_property(bounds: dict[str, int]) -> None:
    result = explore(TIMING_WHEEL.bounded(**bounds))
    asserted = [result.findings[prop.name].verdict for prop in TIMING_WHEEL.properties]
    assert (result.complete, set(asserted)) == (True, {"holds"})


def test_both_engines_agree_on_the_wheel() -> None:
    compiled, interpreted = (explore(model(), engine=name, until="all") for name in ("compiled", "interpreted"))
    assert (compiled.distinct, compiled.digest) == (interpreted.distinct, interpreted.digest)
    assert compiled.dead_actions == ()
    for name, finding in compiled.findings.items():
        assert finding.verdict == interpreted.findings[name].verdict


@pytest.mark.parametrize("prop", TIMING_WHEEL.properties, ids=lambda prop: prop.name)
def test_what_the_timer_promises_holds(prop: object) -> None:
    result = explore(model(), engine="interpreted")
    assert result.findings[prop.name].verdict == "holds"  # type: ignore[attr-defined]


PROVEN = ("fires_on_time", "waits_in_a_bucket", "inserted_once_a_level", "insert_grows_with_the_logarithm")


@pytest.mark.parametrize("promise", quick_one_in(2, PROVEN))
def test_what_the_timer_promises_is_proven_for_any_number_of_steps(promise: str) -> None:
    wheels = TIMING_WHEEL.bounded(slots=3, levels=3, horizon=20, starts=5)
    proof = prove(wheels, promise, effort=Effort(bits=10))
    assert (proof.verdict, proof.unknown) == ("proven", ())


def test_every_lemma_is_true_in_every_state_of_a_search(tmp_path: Path) -> None:
    result = explore(
        deciding_lemmas(TIMING_WHEEL, tmp_path).bounded(**model().bounds), engine="interpreted", until="all"
    )
    assert {name: found.verdict for name, found in result.findings.items() if found.verdict != "holds"} == {}
    assert sum(name.startswith(PREFIX) for name in result.findings) == len(TIMING_WHEEL.lemmas)


SMALL = {"slots": 3, "levels": 4, "horizon": 20, "starts": 5}
GUARDS = {mutant: profile for mutant, profile in condition_mutants(TIMING_WHEEL).items() if mutant.kind == GUARD}


@pytest.mark.parametrize("guard", GUARDS, ids=[guard.label for guard in GUARDS])
def test_without_one_of_its_guards_it_is_another_model(guard: Mutant) -> None:
    right = explore(TIMING_WHEEL.bounded(**SMALL), engine="interpreted", until="all")
    try:
        limits = Limits(states=2 * right.distinct)
        mutant = GUARDS[guard].bounded(**SMALL)
        wrong = explore(mutant, engine="interpreted", until="all", limits=limits)
    except ModelError:
        return
    assert (wrong.distinct, wrong.generated, wrong.depth) != (right.distinct, right.generated, right.depth)
