"""What is proven harmless is harmless: no step leads out of it, and the property is true there. What is not harmless is not proven."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from random_models import programs
from samples import packed_from
from sampling import quick_one_in
from written_models import imported, written

from neverlost.model.core import LanguageError, Model, ModelError, Packed, Refused, harmless
from neverlost.model.core.closed import doubt
from neverlost.model.core.possible import Escape, Possible
from neverlost.model.kafka.replication.state import (
    AFTER_APPEND,
    LATE_LOOK,
    LATE_PRODUCE,
    NEVER,
    REFUSED,
    UNKNOWN,
    UNSENT,
    WAITING,
    Delay,
    Partition,
    Value,
)
from neverlost.spec.kafka.replication.versions import KAFKA_2_1, KAFKA_4_1, VERSIONS

BALLS = """
def initial(s: Boxes) -> None:
    'Nothing is picked.'

@action("a")
def picks(s: Boxes, box: Box) -> None:
    require(not s.ball[box])
    s.picked = box

@action("b")
def fills(s: Boxes, box: Box) -> None:
    require(s.count < s.size(Box))
    paint(s, box, Colour.RED if s.colour == Colour.RED else Colour.DARK_BLUE)

def paint(s: Boxes, box: Box, colour: Colour) -> None:
    for other in s.each(Box):
        if other != box:
            s.weight[other][box] = 1
    s.ball[box] = True
    s.colour = colour

{harmless}
@always("Without a ball nothing is picked.", harmless=still)
def never_empty(s: Boxes) -> bool:
    return s.picked == NONE or not s.ball[s.picked] or s.count == 0

PROFILE = Profile(name="test/balls", statement="Balls.", state=Boxes, initial=initial,
    actions=(picks, fills), properties=(never_empty,), default_bounds={{"boxes": 3}})
"""


def still(condition: str, before: str = "") -> str:
    return f'@harmless("it is still")\ndef still(s: Boxes) -> bool:\n{before}    return {condition}\n'


def doubt_of(folder: Path, text: str) -> str | None:
    profile = written(folder, BALLS.format(harmless=text)).PROFILE
    return doubt(profile.bounded(), profile.properties[0])


FULL = "all(s.ball[b] for b in s.each(Box))"


@pytest.mark.parametrize(
    "condition",
    [
        f"{FULL} and s.picked == NONE",
        f"s.picked == NONE and {FULL} and s.colour == Colour.DARK_BLUE",
        f"s.picked == NONE and {FULL} and (s.colour == Colour.RED or s.colour == Colour.DARK_BLUE)",
        f"s.picked == NONE and {FULL} and all(all(s.weight[a][b] <= 1 for b in s.each(Box)) for a in s.each(Box))",
        f"s.picked == NONE and {FULL} and s.count >= 0 and s.count != s.size(Box)",
    ],
)
def test_a_closed_set_of_states_without_a_violation_is_harmless(condition: str, tmp_path: Path) -> None:
    assert doubt_of(tmp_path, still(condition)) is None


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("s.picked == NONE", "picks may set picked so that the state is not harmless any more"),
        (f"{FULL} and s.picked == NONE and s.colour == Colour.RED and s.count < 2", None),
        (
            f"{FULL} and s.picked == NONE and all(all(s.weight[a][b] == 0 for b in s.each(Box)) for a in s.each(Box))",
            "weight",
        ),
        (FULL, "never_empty may be false in such a state"),
        ("s.ball[0] and s.picked == NONE", "is not about all elements of ball"),
        ("any(s.ball[b] for b in s.each(Box))", "does not compare one field with constants"),
        ("all(s.weight[b][b] == 1 for b in s.each(Box))", "is not about all elements of weight"),
        ("s.picked == s.colour", "does not compare one field with constants"),
        ("s.picked == NONE or s.count == 0", "does not compare one field with constants"),
        ("all(s.picked == b for b in s.each(Box))", "does not compare picked with constants"),
        ("contains(s.chosen, 0)", "does not compare chosen with constants"),
        ("s.size(Box) == 3", "does not compare one field with constants"),
    ],
)
def test_what_is_not_proven_is_doubted_with_the_reason(condition: str, said: str | None, tmp_path: Path) -> None:
    found = doubt_of(tmp_path, still(condition))
    assert found is None if said is None else said in str(found)


def test_only_a_returned_condition_is_read(tmp_path: Path) -> None:
    found = doubt_of(tmp_path, still("full", f"    full = {FULL}\n"))
    assert found == "still does more than return a condition"


def test_a_harmless_predicate_outside_the_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match="unknown field 'bal'"):
        written(tmp_path, BALLS.format(harmless=still("all(s.bal[b] for b in s.each(Box))")))


def test_a_domain_without_members_says_nothing() -> None:
    """Without delays no condition on them counts, with them all elements must keep to it."""

    def nothing_late(s: Partition) -> bool:
        return s.retries_left == 0 and all(
            all(s.delivery[value] >= REFUSED for value in s.each(Value)) and s.late_kind[delay] == LATE_LOOK
            for delay in s.each(Delay)
        )

    prop = replace(KAFKA_4_1.property_named("acked_never_lost"), harmless=harmless("nothing is late")(nothing_late))
    assert "acked_never_lost may be false" in str(doubt(KAFKA_4_1.bounded(acks=2), prop))
    assert "fetch may set delivery" in str(doubt(KAFKA_4_1.bounded(acks=2, delays=1), prop))


@pytest.mark.parametrize("version", quick_one_in(4, VERSIONS, lambda version: version.name))
@pytest.mark.parametrize("name", ["acked_never_lost", "consumer_at_least_once", "consumed_never_skipped"])
def test_kafkas_harmless_states_are_proven_harmless(version: object, name: str) -> None:
    for settings in (
        {},
        {"acks": 2, "min_isr": 2, "retries": 2, "idempotence": 1},
        {"acks": 1, "commit": 3, "compacted": 1},
    ):
        for bounds in ({}, {"delays": 2, "replicas": 5, "min_isr_changes": 1}):
            model = version.bounded(**settings, **bounds)  # type: ignore[attr-defined]
            assert doubt(model, model.profile.property_named(name)) is None


def without_retries(s: Partition) -> bool:
    return all(s.delivery[v] >= REFUSED for v in s.each(Value)) and all(s.waiting_at[v] < 0 for v in s.each(Value))


def without_waiting(s: Partition) -> bool:
    return s.retries_left == 0 and all(s.delivery[v] >= REFUSED for v in s.each(Value))


def with_exchanges(s: Partition) -> bool:
    return (
        s.retries_left == 0
        and all(s.delivery[v] >= REFUSED for v in s.each(Value))
        and all(s.waiting_at[v] < 0 for v in s.each(Value))
    )


def with_looks(s: Partition) -> bool:
    return (
        s.retries_left == 0
        and all(s.delivery[v] >= REFUSED for v in s.each(Value))
        and all(s.waiting_at[v] < 0 for v in s.each(Value))
        and all(s.late_kind[d] != LATE_PRODUCE for d in s.each(Delay))
    )


def with_unsent(s: Partition) -> bool:
    return (
        s.retries_left == 0
        and all(
            s.delivery[v] == REFUSED
            or s.delivery[v] == AFTER_APPEND
            or s.delivery[v] == UNKNOWN
            or s.delivery[v] == UNSENT
            for v in s.each(Value)
        )
        and all(s.waiting_at[v] < 0 for v in s.each(Value))
        and all(s.late_kind[d] != LATE_PRODUCE and s.late_kind[d] != LATE_LOOK for d in s.each(Delay))
    )


def with_acknowledged(s: Partition) -> bool:
    return (
        s.retries_left == 0
        and all(s.delivery[v] != UNSENT and s.delivery[v] != WAITING for v in s.each(Value))
        and all(s.waiting_at[v] < 0 for v in s.each(Value))
        and all(s.late_kind[d] != LATE_PRODUCE and s.late_kind[d] != LATE_LOOK for d in s.each(Delay))
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (without_retries, "retry may set delivery"),
        (without_waiting, "may set delivery"),
        (with_exchanges, "make_delayed_produce may set waiting_at"),
        (with_looks, "end_look may set"),
        (with_unsent, "produce may set"),
        (with_acknowledged, "acked_never_lost may be false"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_part_of_kafkas_predicate_is_needed(wrong: Callable[[Partition], bool], said: str) -> None:
    model = KAFKA_2_1.bounded(acks=2, min_isr=2, retries=1, delays=1)
    prop = model.profile.property_named("acked_never_lost")
    assert said in str(doubt(model, replace(prop, harmless=harmless("it is wrong")(wrong))))


def test_what_is_processed_by_chance_is_not_harmless() -> None:
    def one_processed(s: Partition) -> bool:
        return all(s.processed[v] == NEVER for v in s.each(Value))

    prop = KAFKA_2_1.property_named("consumed_never_skipped")
    found = doubt(KAFKA_2_1.bounded(commit=2), replace(prop, harmless=harmless("none is")(one_processed)))
    assert "process may set processed" in str(found)


FIELDS = {"chief": (-1, 3), "level": (0, 4), "follows": (-1, 3), "total": (0, 4), "seen": (0, 2), "group": (0, 8)}
"""The lowest value of each field of the random models, and how many values it has."""


@pytest.mark.parametrize("part", range(3))
def test_random_functions_do_only_what_is_possible(part: int, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Fields have random values, and random functions run on random states with these values."""
    many = 400 if pytestconfig.getoption("--thorough") else 20
    numbers = range(part * many, part * many + many)
    module = imported(tmp_path, programs(numbers))
    stays = tells = 0
    for number in numbers:
        model = getattr(module, f"PROFILE_{number}").bounded()
        chance = random.Random(number)
        for _ in range(6):
            known = {
                name: frozenset(v for v in range(low, low + size) if chance.random() < 0.5) or frozenset([low])
                for name, (low, size) in FIELDS.items()
                if chance.random() < 0.5
            }
            stay, returned = said_of(model, known)
            stays += stay
            tells += returned is not None and len(returned) == 1
            for _ in range(6):
                words = packed_from(model, values_in(model, known, chance))
                check_possible(model, known, words, stay, returned)
    assert stays > many // 10
    assert tells > many // 10


def said_of(model: Model, known: dict[str, frozenset[int]]) -> tuple[bool, frozenset[int] | None]:
    """Whether all steps keep the fields within their values, as far as is known, and what the property may be."""
    possible = Possible(model, known)
    (action,) = model.profile.actions
    try:
        possible.run(action.function, [None, *(possible.members(index) for _, index in action.parameters)])
        stay = True
    except Escape:
        stay = False
    return stay, possible.run(model.profile.properties[0].function, [None])[0]


def values_in(model: Model, known: dict[str, frozenset[int]], chance: random.Random) -> list[int]:
    values = []
    for declared in model.profile.state.fields:
        low = declared.domain.low
        every = sorted(known.get(declared.name, range(low, low + declared.domain.size(model.bounds))))
        values += [chance.choice(every) for _ in declared.positions(model.bounds)]
    return values


def check_possible(
    model: Model, known: dict[str, frozenset[int]], words: Packed, stay: bool, returned: frozenset[int] | None
) -> None:
    for step in model.steps if stay else ():
        try:
            after = model.state(model.apply(words, step))
        except (Refused, ModelError):
            continue
        for declared in model.profile.state.fields:
            for position in declared.positions(model.bounds) if declared.name in known else ():
                assert after.element(declared, position) in known[declared.name], (model.profile.name, step, known)
    try:
        value = model.profile.properties[0].function(model.state(words))
    except ModelError:
        return
    assert returned is None or int(value) in returned, (model.profile.name, known, value, returned)
