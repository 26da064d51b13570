"""What never happens within a model's bounds is not in its kernel, and the rest is as the interpreter does it."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from samples import elements, packed_from
from step_kernels import compiled_step, interpreted_step
from written_models import imported

from neverlost.explorer.compile.cache import BASELINE, loaded_kernel
from neverlost.explorer.compile.canonical import canonical_source
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.symmetry import Symmetry, symmetry_of
from neverlost.model.core import Model, Packed

HALL = """
from neverlost.model.core import *

class Extra(Index, bound="extras", optional=True):
    pass

class Guest(Index, bound="guests", symmetric=True):
    pass

class Seat(Index, bound="seats"):
    pass

class Hall(State):
    taken = per(Guest, Seat, flag())
    level = up_to(Seat)
    marked = per(Extra, flag())
    seen = per(Extra, Seat, flag())

def initial(s: Hall) -> None:
    '''All is empty.'''

def has_extras(s: Hall) -> bool:
    return s.size(Extra) > 0

def many(s: Hall) -> bool:
    return has_extras(s) and s.size(Extra) >= 2

def none_marked(s: Hall) -> bool:
    return all(not s.marked[extra] for extra in s.each(Extra))

def a_mark(s: Hall) -> bool:
    return any(s.marked[extra] for extra in s.each(Extra))

def marks(s: Hall) -> int:
    return sum(s.marked[extra] for extra in s.each(Extra))

def note(s: Hall) -> None:
    for extra in s.each(Extra):
        s.marked[extra] = True

def lit(s: Hall) -> int:
    return (s.level > 0) and 1

def dark(s: Hall) -> int:
    return (s.level > 0) or 0

def height(s: Hall) -> int:
    return s.level or 1

@action("test")
def take(s: Hall, guest: Guest, seat: Seat) -> None:
    require(not many(s) or s.level > 0)
    require(none_marked(s) or s.level < s.size(Seat))
    require(not s.taken[guest][seat])
    require(lit(s) <= dark(s) and height(s) > 0)
    note(s)
    s.taken[guest][seat] = True

@action("test")
def rise(s: Hall) -> None:
    require(s.size(Extra) < 3 and (s.level + marks(s) < s.size(Seat) or many(s)))
    if has_extras(s):
        s.level += 1
    elif a_mark(s):
        s.level = 0
    else:
        s.level = s.size(Seat) if s.size(Extra) > 0 else 1

@action("test")
def fall(s: Hall) -> None:
    require(has_extras(s))
    s.level = 0

@action("test")
def see(s: Hall, extra: Extra, seat: Seat) -> None:
    s.seen[extra][seat] = True

@action("test")
def light(s: Hall) -> None:
    s.level = lit(s)

@action("test")
def dim(s: Hall) -> None:
    s.level = 1 - dark(s)

@action("test")
def lift(s: Hall) -> None:
    s.level = height(s)

@always("No more marks than extras.")
def few_marks(s: Hall) -> bool:
    return marks(s) <= s.size(Extra) and (has_extras(s) or none_marked(s)) and not (a_mark(s) and not has_extras(s))

PROFILE = Profile(name="test/hall", statement="A hall.", state=Hall, initial=initial, actions=(take, rise, fall, see, light, dim, lift),
    properties=(few_marks,), default_bounds={"extras": 0, "guests": 3, "seats": 2})
"""


def hall(tmp_path: Path, **bounds: int) -> Model:
    model: Model = imported(tmp_path, HALL).PROFILE.bounded(**bounds)
    return model


def drawn(model: Model, randomness: random.Random) -> Packed:
    return packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])


@pytest.mark.parametrize("extras", range(4))
def test_steps_are_the_interpreters_whatever_is_certain_within_the_bounds(extras: int, tmp_path: Path) -> None:
    model, randomness = hall(tmp_path, extras=extras), random.Random(extras)
    for _ in range(60):
        words = drawn(model, randomness)
        for number in range(len(model.steps)):
            assert compiled_step(model, words, number) == interpreted_step(model, words, number)


def test_the_kernel_tries_no_action_that_never_happens_within_the_bounds(tmp_path: Path) -> None:
    tried = [f"_{name}(s_0" for name in ("take", "rise", "fall", "see")]
    for extras, expected in ((0, [True, True, False, False]), (1, [True] * 4)):
        text = kernel_source(hall(tmp_path, extras=extras), Symmetry(hall(tmp_path, extras=extras)))
        attempts = [line for line in text.split("\n") if "enabled, t_0" in line]
        assert [any(name in line for line in attempts) for name in tried] == expected
        assert "range(0)" not in text


@pytest.mark.parametrize("guests", [2, 3, 4])
@pytest.mark.parametrize("seats", [2, 40])
def test_the_least_of_all_renamed_states_is_chosen_where_a_field_crosses_the_first_word_or_not(
    guests: int, seats: int, tmp_path: Path
) -> None:
    """Many states at a time: most are their own representatives, and only the others are moved."""
    model, randomness = hall(tmp_path, guests=guests, seats=seats), random.Random(seats)
    symmetry = symmetry_of(model, True, [])
    crosses = guests * seats > 63
    assert ("def may_precede(s_0):\n    return True" in canonical_source(model, symmetry)) == crosses
    states = [symmetry.representative(one) if k % 3 else one for k in range(600) for one in [drawn(model, randomness)]]
    rows = np.array(states, np.int64)
    kernel, _ = loaded_kernel(BASELINE + kernel_source(model, symmetry))
    kernel.canonical(rows, 5, len(rows) - 5)
    expected = [*states[:5], *map(symmetry.representative, states[5:-5]), *states[-5:]]
    assert [tuple(map(int, row)) for row in rows] == expected


OPERANDS = ("s.level", "s.level > 1", "0", "1", "2", "True", "False", "not s.level", "2 - s.level", "s.size(Seat) > 2")


def junctions() -> list[str]:
    """Two operands in every order, and some of three."""
    pairs = [f"({one}) {word} ({other})" for one, other in product(OPERANDS, repeat=2) for word in ("and", "or")]
    triples = [f"({one}) {word} ({other})" for one, other in product(pairs, OPERANDS) for word in ("and", "or")]
    chosen = random.Random(3).sample(triples, 200)
    return [*pairs, *chosen, *(f"({one}) if {other} else 2" for one, other in zip(OPERANDS * 20, chosen, strict=True))]


def test_junctions_and_choices_of_what_is_certain_have_the_value_that_python_gives_them(tmp_path: Path) -> None:
    texts = junctions()
    actions = "".join(
        f'@action("test")\ndef a{k}(s: Hall) -> None:\n    s.level = {t}\n\n' for k, t in enumerate(texts)
    )
    names = ", ".join(f"a{number}" for number in range(len(texts)))
    text = HALL.replace("actions=(take, rise, fall, see, light, dim, lift)", f"actions=({names})")
    text = text.replace("PROFILE =", f"{actions}PROFILE =")
    model: Model = imported(tmp_path, text).PROFILE.bounded(extras=0, guests=2)
    for level in range(3):
        words = packed_from(model, [0, 0, 0, 0, level])
        for number in range(len(texts)):
            expected = int(eval(texts[number], {"s": SimpleNamespace(level=level, size=lambda _: 2), "Seat": None}))
            assert compiled_step(model, words, number) == packed_from(model, [0, 0, 0, 0, expected]), texts[number]
