"""The state object that the interpreter runs on: it refuses what no engine could mean, and takes writes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import SMALL_MODELS, models, random_states, reachable

from neverlost.model.core import Index, ModelError, State, any_of, flag, per, up_to


class Room(Index, bound="rooms", prefix="room ", first=1):
    pass


class Bed(Index, bound="beds"):
    pass


class House(State):
    taken = per(Room, Bed, flag())
    guests = up_to(Bed)
    front = any_of(Room)


BOUNDS = {"rooms": 2, "beds": 3}


@pytest.fixture
def house() -> House:
    return House(BOUNDS)


@pytest.mark.parametrize("position", [-1, 2, 99])
def test_an_index_outside_its_domain_is_refused_when_read(house: House, position: int) -> None:
    with pytest.raises(ModelError, match=rf"taken\[{position}\] was used, but Room is 0\.\.1"):
        house.taken[position]


@pytest.mark.parametrize("position", [-1, 3])
def test_an_index_outside_its_domain_is_refused_when_written(house: House, position: int) -> None:
    with pytest.raises(ModelError, match=rf"taken\[1\]\[{position}\] was used, but Bed is 0\.\.2"):
        house.taken[1][position] = True


def test_a_value_that_is_no_integer_is_refused(house: House) -> None:
    with pytest.raises(ModelError, match="which is not an integer"):
        house.taken[0][0] = "yes"  # type: ignore[assignment]
    with pytest.raises(ModelError, match="takes an integer"):
        house.guests = None  # type: ignore[assignment]


def test_a_name_that_is_no_field_cannot_be_set(house: House) -> None:
    with pytest.raises(ModelError, match="guest was set to 1; only a declared field"):
        house.guest = 1  # type: ignore[attr-defined]


def test_an_indexed_field_cannot_be_set_as_a_whole(house: House) -> None:
    with pytest.raises(ModelError, match="element by element"):
        house.taken = 1  # type: ignore[assignment]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 3)), max_size=12))
def test_undo_takes_back_every_write_however_often_an_element_was_written(writes: list[tuple[int, int, int]]) -> None:
    house = House(BOUNDS)
    house.taken[1][2] = True
    house.guests = 2
    house.journal.clear()
    before = house.values()
    for room, bed, guests in writes:
        house.taken[room][bed] = not house.taken[room][bed]
        house.guests = guests
    house.undo()
    assert house.values() == before
    assert house.journal == []


def test_a_state_without_writes_has_every_field_at_its_lowest_value(house: House) -> None:
    assert house.values() == {"taken": [[0, 0, 0], [0, 0, 0]], "guests": 0, "front": 0}


@given(st.data())
def test_a_state_is_rebuilt_from_its_values(data: st.DataObject) -> None:
    model = data.draw(models)
    state = model.state(data.draw(random_states(model)))
    rebuilt = model.profile.state.of(model.bounds, state.values())
    assert rebuilt.values() == state.values()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"taken": [[0, 0, 0], [0, 0, 0]], "guests": 0}, "other fields than the profile: front"),
        ({"taken": [[0, 0, 0], [0, 0, 0]], "guests": 0, "front": 0, "back": 0}, "other fields than the profile: back"),
        ({"taken": [[0, 0, 0]], "guests": 0, "front": 0}, r"taken\[room 2\]\[0\] is None, outside 0\.\.1"),
        ({"taken": 5, "guests": 0, "front": 0}, r"taken\[room 1\]\[0\] is None"),
        ({"taken": [[0, 0, 0], [0, 2, 0]], "guests": 0, "front": 0}, r"taken\[room 2\]\[1\] is 2, outside 0\.\.1"),
        ({"taken": [[0, 0, 0], [0, 0, 0]], "guests": 4, "front": 0}, r"guests is 4, outside 0\.\.3"),
        ({"taken": [[0, 0, 0], [0, 0, 0]], "guests": "1", "front": 0}, r"guests is '1', outside 0\.\.3"),
    ],
)
def test_values_that_do_not_fit_the_schema_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        House.of(BOUNDS, values)


def test_a_subclass_keeps_the_fields_of_its_base_in_order() -> None:
    class Villa(House):
        pool = flag()

    assert [f.name for f in Villa.fields] == ["taken", "guests", "front", "pool"]
    assert [f.name for f in House.fields] == ["taken", "guests", "front"]


def test_computing_successors_leaves_no_trace_in_the_next_state() -> None:
    for model in SMALL_MODELS:
        alone = [model.successors(words) for words in reachable(model)[:40]]
        again = [model.successors(words) for words in reversed(reachable(model)[:40])]
        assert alone == again[::-1]
