"""What actions leave as it is, by which states are passed over that cannot lead to another."""

from __future__ import annotations

import pytest
from samples import SMALL_MODELS, reachable

from neverlost.explorer.compile.untouched import Masks, untouched
from neverlost.explorer.symmetry import Symmetry, symmetric_domains, symmetry_of
from neverlost.model.core import Model, Packed
from neverlost.spec.kafka.replication.versions import version_named

SYMMETRIC = [model for model in SMALL_MODELS if symmetric_domains(model)]


def may_lead(before: Packed, after: Packed, masks: list[Masks]) -> bool:
    return any(all(b & m == a & m for b, a, m in zip(before, after, mask, strict=True)) for mask in masks)


def steps_that_are_passed_over(model: Model, symmetry: Symmetry) -> list[tuple[Packed, Packed]]:
    masks = untouched(model, symmetry)
    steps = ((words, after) for words in reachable(model) for _, after in model.successors(words))
    renamed = ((symmetry.representative(words), symmetry.representative(after)) for words, after in steps)
    return [step for step in renamed if not may_lead(*step, masks)]


@pytest.mark.parametrize("model", SMALL_MODELS, ids=lambda model: model.profile.name)
def test_no_step_is_passed_over(model: Model) -> None:
    assert steps_that_are_passed_over(model, Symmetry(model)) == []


@pytest.mark.parametrize("model", SYMMETRIC, ids=lambda model: model.profile.name)
def test_nor_is_a_step_between_representatives(model: Model) -> None:
    assert steps_that_are_passed_over(model, symmetry_of(model, True, ())) == []


def test_two_of_three_states_of_kafka_are_passed_over() -> None:
    model = version_named("kafka-3.5").bounded(acks=2, min_isr=2, crashes=1, pauses=1)
    found = reachable(model, 1_000)
    masks = untouched(model, symmetry_of(model, True, ()))
    near = sum(may_lead(before, after, masks) for before in found for after in found[::50])
    assert near < len(found) * len(found[::50]) / 3


def test_the_masks_of_one_action_do_not_follow_from_those_of_another() -> None:
    for model in SMALL_MODELS:
        masks = untouched(model, Symmetry(model))
        assert len(masks) == len({*masks}) > 0
        assert not any(
            one != other and all(a & b == a for a, b in zip(one, other, strict=True))
            for one in masks
            for other in masks
        )
