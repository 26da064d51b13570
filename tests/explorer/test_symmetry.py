"""Symmetry is sound: renaming commutes with every step and changes no property; a class has one representative."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from renaming import Renaming, renamed_successors, renamings, successors
from samples import SMALL_MODELS, states

from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import symmetric_domains, symmetry_of
from neverlost.model.core import Model, Packed, SymmetryError, UnknownNameError
from neverlost.spec import profiles
from neverlost.spec.published.profiles import (
    ASYNC_ISR,
    ID_SEQUENCE,
    KIP_320,
    REPLICATED_LOG,
    TRUNCATE_TO_HIGH_WATERMARK,
)

SYMMETRIC = [model for model in SMALL_MODELS if symmetric_domains(model)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Model, Packed, Renaming]:
    """A symmetric model, one of its states, and a renaming that leaves distinguished members alone."""
    model = draw(st.sampled_from(SYMMETRIC))
    return model, draw(states(model)), draw(renamings(model))


def test_every_profile_but_the_counter_is_symmetric() -> None:
    assert [m.profile for m in SMALL_MODELS if m not in SYMMETRIC] == [ID_SEQUENCE]


@given(cases())
def test_renaming_commutes_with_every_step(case: tuple[Model, Packed, Renaming]) -> None:
    model, words, renaming = case
    after = successors(model, model.layout.renamed(words, renaming))
    assert after == renamed_successors(model, words, renaming)


@given(cases())
def test_renaming_changes_no_property(case: tuple[Model, Packed, Renaming]) -> None:
    model, words, renaming = case
    other = model.layout.renamed(words, renaming)
    for prop in model.profile.all_properties:
        assert model.holds(prop, words) == model.holds(prop, other), prop.name


@given(cases())
def test_all_states_of_a_class_have_one_representative_which_is_its_own(case: tuple[Model, Packed, Renaming]) -> None:
    model, words, renaming = case
    symmetry = symmetry_of(model, True, [])
    representative = symmetry.representative(words)
    assert symmetry.representative(model.layout.renamed(words, renaming)) == representative
    assert symmetry.representative(representative) == representative


@given(cases())
def test_the_representative_is_in_the_class_of_the_state(case: tuple[Model, Packed, Renaming]) -> None:
    model, words, _ = case
    domains = symmetric_domains(model)
    choices: list[Renaming] = [{}]
    for domain in domains.values():
        kept, size = domain.distinguished, domain.size(model.bounds)
        choices = [{**c, domain: (*range(kept), *rest)} for c in choices for rest in permutations(range(kept, size))]
    found = {model.layout.renamed(words, choice) for choice in choices}
    assert symmetry_of(model, True, []).representative(words) in found


def test_without_symmetry_every_state_represents_itself() -> None:
    model = KIP_320.bounded(replicas=2, log_size=1, records=1, leader_epochs=1)
    symmetry = symmetry_of(model, False, [])
    state = model.successors(model.initial_states()[0])[0][1]
    assert (symmetry.names, symmetry.representative(state)) == ((), state)


def test_a_distinguished_member_is_never_renamed() -> None:
    symmetry = symmetry_of(ASYNC_ISR.bounded(replicas=3), True, [])
    assert len(symmetry.renamings) == 2
    assert all(permutation[0] == 0 for renaming in symmetry.renamings for permutation in renaming.values())


def test_several_domains_are_renamed_independently() -> None:
    model = REPLICATED_LOG.bounded(replicas=3, log_size=2, records=2)
    assert len(symmetry_of(model, True, []).renamings) == 6 * 2
    assert len(symmetry_of(model, ["value"], []).renamings) == 2


def test_an_unknown_domain_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'replica'"):
        symmetry_of(KIP_320.bounded(), ["replicas"], [])


def test_symmetry_of_a_profile_that_has_none_is_refused() -> None:
    with pytest.raises(SymmetryError, match="has no symmetric domain; explore it without symmetry"):
        symmetry_of(ID_SEQUENCE.bounded(), True, [])


def test_a_trace_found_up_to_renaming_is_a_trace_of_the_model_itself() -> None:
    model = TRUNCATE_TO_HIGH_WATERMARK.bounded(replicas=3, log_size=1, records=1, leader_epochs=2)
    plain = explore(model, engine="interpreted", until="first")
    reduced = explore(model, engine="interpreted", until="first", symmetry=True)
    found, expected = reduced.findings["strong_isr"].trace, plain.findings["strong_isr"].trace
    assert found is not None
    assert expected is not None
    assert len(found) == len(expected)
    assert found.states[0] in model.initial_states()
    for step, before, after in zip(found.steps, found.states, found.states[1:], strict=False):
        assert model.apply(before, step) == after
    assert not model.holds(model.profile.property_named("strong_isr"), found.states[-1])


@pytest.mark.parametrize("engine", [pytest.param("interpreted", marks=pytest.mark.thorough), "compiled"])
@pytest.mark.parametrize("model", SYMMETRIC, ids=lambda model: model.profile.name.split("/")[1])
def test_the_sizes_of_the_classes_add_up_to_the_search_without_symmetry(model: Model, engine: str) -> None:
    whole = explore(model, engine="compiled", until="all")
    reduced = explore(model, engine=engine, until="all", symmetry=True)
    assert reduced.distinct < whole.distinct
    assert reduced.whole_levels == whole.levels == whole.whole_levels
    assert reduced.distinct_without_symmetry == whole.distinct


def test_where_the_start_distinguishes_members_the_whole_count_is_not_claimed() -> None:
    model = profiles()["kafka-4.1"].bounded(replicas=2, log_size=1, values=1, leader_epochs=1)
    assert not symmetry_of(model, True, []).keeps_start
    for engine in ("interpreted", "compiled"):
        assert explore(model, engine=engine, symmetry=True).distinct_without_symmetry is None


def test_symmetry_over_too_many_renamings_is_refused() -> None:
    model = KIP_320.bounded(replicas=8, log_size=1, records=1, leader_epochs=1)
    with pytest.raises(SymmetryError, match=r"has 40,320 renamings to compare in every state; the limit is 5,040"):
        explore(model, symmetry=True)
