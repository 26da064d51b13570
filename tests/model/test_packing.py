"""The packed form: lossless, within its words, and renamed as a group acts."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import SMALL_MODELS, elements, models, packed_from, random_states, random_values, reachable

from neverlost.explorer.symmetry import symmetric_domains
from neverlost.model.core import Index, Layout, Model, ModelError, State, SubsetOf, any_of, flag, optional, per, up_to
from neverlost.model.core.packing import WORD_BITS

SYMMETRIC = [model for model in SMALL_MODELS if symmetric_domains(model)]


class Box(Index, bound="boxes"):
    pass


class Colour(Index, bound="colours"):
    pass


class Colours(SubsetOf, of=Colour):
    pass


class Boxes(State):
    open = per(Box, flag())
    colour = per(Box, optional(Colour))
    palette = any_of(Colours)
    used = up_to(Box)


def renaming(model: Model) -> st.SearchStrategy[dict[type[Index], tuple[int, ...]]]:
    """A permutation of each symmetric domain that leaves its distinguished members alone."""
    choices = {}
    for domain in symmetric_domains(model).values():
        kept, size = domain.distinguished, domain.size(model.bounds)
        choices[domain] = st.sampled_from([(*range(kept), *rest) for rest in permutations(range(kept, size))])
    return st.fixed_dictionaries(choices)


@given(st.data())
def test_unpacking_gives_back_what_was_packed(data: st.DataObject) -> None:
    model = data.draw(models)
    values = data.draw(random_values(model))
    state = model.layout.unpack(packed_from(model, values))
    unpacked = [state.element(f, p) for f in model.profile.state.fields for p in f.positions(model.bounds)]
    assert unpacked == values


@given(st.data())
def test_states_that_differ_are_packed_differently(data: st.DataObject) -> None:
    model = data.draw(models)
    one, other = data.draw(random_values(model)), data.draw(random_values(model))
    assert (packed_from(model, one) == packed_from(model, other)) == (one == other)


@given(st.data())
def test_every_packed_word_is_a_number_of_63_bits(data: st.DataObject) -> None:
    model = data.draw(models)
    highest = packed_from(model, [low + size - 1 for low, size in elements(model)])
    for words in (highest, data.draw(random_states(model))):
        assert len(words) == model.layout.words
        assert all(0 <= word < 1 << 63 for word in words)


@pytest.mark.parametrize("model", SMALL_MODELS, ids=lambda m: m.profile.name)
def test_no_two_elements_share_a_bit(model: Model) -> None:
    taken = [0] * model.layout.words
    for slots in model.layout.slots.values():
        for slot in slots:
            bits = slot.mask << slot.shift
            assert slot.size <= slot.mask + 1
            assert bits < 1 << WORD_BITS
            assert taken[slot.word] & bits == 0
            taken[slot.word] |= bits


def test_a_field_that_fits_a_word_is_not_split_and_a_longer_one_is() -> None:
    class Wide(State):
        short = per(Box, flag())
        long = per(Box, optional(Colour))

    layout = Layout(Wide, {"boxes": 40, "colours": 5})
    assert [s.count for s in layout.places["short"].segments] == [40]
    assert [s.count for s in layout.places["long"].segments] == [21, 19]


@pytest.mark.parametrize("model", SMALL_MODELS, ids=lambda m: m.profile.name)
def test_packing_only_the_changes_equals_packing_the_whole_state(model: Model) -> None:
    for words in reachable(model)[:60]:
        for number, after in model.successors(words):
            state = model.layout.unpack(words)
            step = model.steps[number]
            step.action.function(state, *step.arguments)
            assert model.layout.pack(state) == after


def test_a_value_outside_its_domain_is_refused_as_it_is_written() -> None:
    state = Layout(Boxes, {"boxes": 2, "colours": 3}).blank()
    with pytest.raises(ModelError, match=r"colour\[1\] was set to 3, outside its domain -1\.\.2"):
        state.colour[1] = 3
    assert state.colour[1] == -1


def test_a_value_outside_its_domain_is_not_packed() -> None:
    layout = Layout(Boxes, {"boxes": 2, "colours": 3})
    state = Boxes(layout.bounds)
    state.colour[1] = 3
    with pytest.raises(ModelError, match=r"colour\[1\] was set to 3, outside its domain -1\.\.2"):
        layout.pack(state)


@given(st.sampled_from(SYMMETRIC), st.data())
def test_renaming_by_the_identity_changes_nothing(model: Model, data: st.DataObject) -> None:
    words = data.draw(random_states(model))
    identity = {domain: tuple(range(domain.size(model.bounds))) for domain in symmetric_domains(model).values()}
    assert model.layout.renamed(words, identity) == words


@given(st.sampled_from(SYMMETRIC), st.data())
def test_renaming_twice_is_renaming_by_the_composition(model: Model, data: st.DataObject) -> None:
    words, first, second = data.draw(random_states(model)), data.draw(renaming(model)), data.draw(renaming(model))
    both = {domain: tuple(second[domain][m] for m in first[domain]) for domain in first}
    once = model.layout.renamed(words, first)
    assert model.layout.renamed(once, second) == model.layout.renamed(words, both)


@given(st.sampled_from(SYMMETRIC), st.data())
def test_the_inverse_renaming_takes_a_renaming_back(model: Model, data: st.DataObject) -> None:
    words, renamed = data.draw(random_states(model)), data.draw(renaming(model))
    inverse = {domain: tuple(p.index(m) for m in range(len(p))) for domain, p in renamed.items()}
    assert model.layout.renamed(model.layout.renamed(words, renamed), inverse) == words


def test_renaming_moves_elements_members_and_sets_alike() -> None:
    class Ring(State):
        next = per(Box, optional(Box))
        chosen = any_of(BoxSet)

    layout = Layout(Ring, {"boxes": 3})
    state = layout.blank()
    state.next[0], state.next[1], state.chosen = 1, -1, 0b011
    rotated = layout.unpack(layout.renamed(layout.pack(state), {Box: (1, 2, 0)}))
    assert rotated.values() == {"next": [-1, 2, -1], "chosen": 0b110}


class BoxSet(SubsetOf, of=Box):
    pass


def test_an_index_by_sets_is_renamed_member_by_member() -> None:
    class Votes(State):
        seen = per(BoxSet, flag())

    layout = Layout(Votes, {"boxes": 2})
    state = layout.blank()
    state.seen[0b01] = True
    swapped = layout.unpack(layout.renamed(layout.pack(state), {Box: (1, 0)}))
    assert swapped.values() == {"seen": [0, 0, 1, 0]}


def test_a_blank_state_is_packed_as_zero() -> None:
    layout = Layout(Boxes, {"boxes": 2, "colours": 3})
    assert SimpleNamespace(**layout.blank().values()) == SimpleNamespace(
        open=[0, 0], colour=[-1, -1], palette=0, used=0
    )
    assert layout.pack(layout.blank()) == (0,)
