"""The purgatory: operations complete exactly once, whatever happens when."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.conformance.inprocess.clock import VirtualClock
from neverlost.conformance.inprocess.purgatory import DelayedOperation, Purgatory
from neverlost.conformance.inprocess.timer import Timer


class Waiting(DelayedOperation):
    """Completes once `possible`; remembers what was done to it."""

    def __init__(self, delay_ms: int = 100, possible: bool = False) -> None:
        super().__init__(delay_ms)
        self.possible, self.tries, self.seen = possible, 0, []
        self.before_try: Callable[[], None] = lambda: None

    def try_complete(self) -> bool:
        self.tries += 1
        self.before_try()
        return self.possible and self.force_complete()

    def on_complete(self) -> None:
        self.seen.append("complete")

    def on_expiration(self) -> None:
        self.seen.append("expired")


class Place:
    def __init__(self, purge_interval: int = 1000) -> None:
        self.clock, self.timer = VirtualClock(), Timer()
        self.purgatory = Purgatory(self.clock, self.timer, purge_interval=purge_interval)

    def pass_time(self, duration_ms: int) -> None:
        self.clock.advance_to(self.clock.now_ms + duration_ms)
        self.timer.advance(self.clock.now_ms)


@pytest.mark.rule("R-DP-3")
def test_what_can_complete_at_once_is_neither_watched_nor_timed() -> None:
    place, operation = Place(), Waiting(possible=True)
    assert place.purgatory.try_complete_else_watch(operation, ["a", "b"])
    assert (operation.tries, place.purgatory.watched(), operation.timeout) == (1, 0, None)


@pytest.mark.rule("R-DP-3")
def test_what_cannot_complete_is_watched_under_every_key_and_tried_once_more() -> None:
    place, operation = Place(), Waiting()
    assert not place.purgatory.try_complete_else_watch(operation, ["a", "b"])
    assert (operation.tries, place.purgatory.watched()) == (2, 2)


@pytest.mark.rule("R-DP-3")
def test_an_event_between_the_first_try_and_the_watch_is_not_missed() -> None:
    place, operation = Place(), Waiting()

    def possible_after_first_try() -> None:
        operation.possible = operation.tries == 2

    operation.before_try = possible_after_first_try
    assert place.purgatory.try_complete_else_watch(operation, ["a"])
    assert operation.seen == ["complete"]
    place.pass_time(1_000)
    assert operation.seen == ["complete"]


@pytest.mark.rule("R-DP-3")
def test_an_event_during_the_second_try_finds_the_operation_watched() -> None:
    place, operation, found = Place(), Waiting(), []

    def look_from_elsewhere() -> None:
        if operation.tries == 2:
            found.append(place.purgatory.watched())

    operation.before_try = look_from_elsewhere
    place.purgatory.try_complete_else_watch(operation, ["a", "b", "c"])
    assert found == [3]


@pytest.mark.rule("R-DP-2")
def test_an_operation_completes_once_though_all_its_keys_and_its_deadline_come() -> None:
    place, operation = Place(), Waiting()
    place.purgatory.try_complete_else_watch(operation, ["a", "b"])
    operation.possible = True
    assert place.purgatory.check_and_complete("a") == 1
    assert place.purgatory.check_and_complete("b") == 0
    place.pass_time(1_000)
    assert operation.seen == ["complete"]


@pytest.mark.rule("R-DP-2")
def test_at_its_deadline_an_operation_completes_with_what_there_is() -> None:
    place, operation = Place(), Waiting(delay_ms=100)
    place.purgatory.try_complete_else_watch(operation, ["a"])
    place.pass_time(99)
    assert operation.seen == []
    place.pass_time(1)
    assert operation.seen == ["complete", "expired"]
    operation.possible = True
    assert place.purgatory.check_and_complete("a") == 0


@pytest.mark.rule("R-DP-3")
def test_only_what_watches_the_key_is_tried() -> None:
    place, one, other = Place(), Waiting(), Waiting()
    place.purgatory.try_complete_else_watch(one, ["a"])
    place.purgatory.try_complete_else_watch(other, ["b"])
    place.purgatory.check_and_complete("a")
    assert (one.tries, other.tries) == (3, 2)


@pytest.mark.rule("R-DP-2")
def test_what_completed_under_another_key_is_purged_now_and_then() -> None:
    place = Place(purge_interval=3)
    for _ in range(2):
        operation = Waiting(delay_ms=10)
        place.purgatory.try_complete_else_watch(operation, ["a"])
    place.pass_time(10)
    assert place.purgatory.watched() == 2
    place.purgatory.try_complete_else_watch(Waiting(), ["b"])
    assert place.purgatory.watched() == 1


@pytest.mark.rule("R-DP-2")
def test_completing_one_operation_may_complete_another_of_the_same_key() -> None:
    place, first, second = Place(), Waiting(), Waiting()
    for operation in (first, second):
        place.purgatory.try_complete_else_watch(operation, ["a"])

    def tell_the_key() -> None:
        second.possible = True
        place.purgatory.check_and_complete("a")

    first.on_complete = tell_the_key  # type: ignore[method-assign]
    first.possible = True
    place.purgatory.check_and_complete("a")
    assert (first.completed, second.seen, place.purgatory.waiting()) == (True, ["complete"], [])


def test_an_operation_without_a_key_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one key"):
        Place().purgatory.try_complete_else_watch(Waiting(), [])


@pytest.mark.rule("R-DP-2")
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.integers(0, 60), st.sets(st.sampled_from("abc"), min_size=1)),
            st.tuples(st.just("enable"), st.integers(0, 20), st.just({"a"})),
            st.tuples(st.just("event"), st.just(0), st.sets(st.sampled_from("abc"), min_size=1)),
            st.tuples(st.just("time"), st.integers(1, 40), st.just({"a"})),
        ),
        max_size=60,
    )
)
def test_whatever_happens_every_operation_completes_exactly_once_by_its_deadline(
    happenings: list[tuple[str, int, set[str]]],
) -> None:
    place = Place(purge_interval=5)
    operations: list[Waiting] = []
    for kind, number, keys in happenings:
        match kind:
            case "add":
                operations.append(Waiting(delay_ms=number))
                place.purgatory.try_complete_else_watch(operations[-1], sorted(keys))
            case "enable":
                for operation in operations[number : number + 1]:
                    operation.possible = True
            case "event":
                for key in sorted(keys):
                    place.purgatory.check_and_complete(key)
            case _:
                place.pass_time(number)
        assert all(operation.seen.count("complete") <= 1 for operation in operations)
    place.pass_time(100)
    assert all(operation.seen.count("complete") == 1 for operation in operations)
