"""What is left out of a function for a model makes no difference there, and what makes none is left out of the model's digest."""

from __future__ import annotations

import hashlib
import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import elements, packed_from
from written_trees import run_as

from neverlost.explorer.answers.model_digest import model_digest
from neverlost.model.core import Model, Packed, Profile, Refused, State
from neverlost.model.core.errors import ModelError
from neverlost.model.core.reading import tree_of
from neverlost.model.core.specialised import Circumstances, circumstances_of, specialised
from neverlost.spec.kafka.replication.versions import VERSIONS

SWITCHED = """\
from neverlost.model.core import *

class Box(Index, bound="boxes"):
    pass

class Chest(Index, bound="chests", optional=True):
    pass

class Boxes(State):
    heavy = setting(flag())
    open = per(Box, flag())
    locked = per(Chest, flag())
    shut = flag()

def initial(s: Boxes) -> None:
    "All is shut."

def unlock(s: Boxes) -> None:
    for chest in s.each(Chest):
        s.locked[chest] = False

def any_locked(s: Boxes) -> bool:
    for chest in s.each(Chest):
        if s.locked[chest]:
            return True
    return False

@action("a")
def opens(s: Boxes, box: Box) -> None:
    require(not s.open[box])
    require(not any_locked(s) or s.shut)

    unlock(s)
    if s.heavy:
        s.shut = True
    s.open[box] = True

@action("b")
def locks(s: Boxes, chest: Chest) -> None:
    s.locked[chest] = True

@action("c")
def shuts(s: Boxes, box: Box) -> None:
    require(s.heavy)

    s.open[box] = False

@always("Something.")
def something(s: Boxes) -> bool:
    return not s.shut or s.open[0]

PROFILE = Profile(name="boxes", statement="Boxes.", state=Boxes, initial=initial, actions=(opens, locks, shuts),
    properties=(something,), default_bounds={"boxes": 2, "chests": 0})
"""


def run_as_left(function: Callable[..., Any], known: Circumstances, made: dict[Any, Callable[..., Any]]) -> Any:
    """A function that does what is left of another, and calls what is left of others."""
    if function not in made:
        left = specialised(function, known)
        made[function] = run_as(left.tree, left.body, lambda callee: run_as_left(callee, known, made), "what is left")
    return made[function]


def outcome(model: Model, words: Packed, function: Callable[..., Any], arguments: tuple[int, ...]) -> object:
    """What a step leads to, or how it fails."""
    state: State = model.state(words)
    try:
        result = function(state, *arguments)
        return result, model.layout.pack(state)
    except Refused:
        return "refused"
    except (ModelError, IndexError, OverflowError) as error:
        return type(error).__name__


@settings(max_examples=settings.default.max_examples // 4)
@given(seed=st.integers(0, 2**32), version=st.sampled_from(VERSIONS), delays=st.integers(0, 1))
def test_what_is_left_of_kafkas_actions_does_the_same_in_any_state(seed: int, version: Profile, delays: int) -> None:
    chance = random.Random(seed)
    usual = version.bounded()
    chosen = {
        one.name: chance.randrange(one.domain.low, one.domain.low + one.domain.size(usual.bounds))
        for one in version.state.settings
        if chance.random() < 0.3
    }
    model = Model(version, {**usual.bounds, "log_size": 1, "delays": delays}, {**usual.settings, **chosen})
    known, made = circumstances_of(model), dict[Any, Callable[..., Any]]()
    words = packed_from(model, [chance.randrange(low, low + size) for low, size in elements(model)])
    for step in model.steps:
        function = step.action.function
        left = run_as_left(function, known, made)
        assert outcome(model, words, function, step.arguments) == outcome(model, words, left, step.arguments), step
        if specialised(function, known).refuses:
            assert outcome(model, words, function, step.arguments) == "refused"
    for prop in (*version.properties, *version.probes):
        if len(tree_of(prop.function).parameters) == 1:
            assert outcome(model, words, prop.function, ()) == outcome(
                model, words, run_as_left(prop.function, known, made), ()
            )


def digests(tmp_path: Path, text: str) -> tuple[str, str]:
    """The digests of the profile: with nothing switched on and no chest, and otherwise. The module has the same name each time."""
    file = tmp_path / f"{hashlib.sha256(text.encode()).hexdigest()}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("boxes", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["boxes"] = module
    spec.loader.exec_module(module)
    off, on = (module.PROFILE.bounded(**chosen) for chosen in ({}, {"heavy": 1, "chests": 1}))
    return tuple(model_digest(one, [one.profile.property_named("something")]) for one in (off, on))  # type: ignore[return-value]


CHANGES = {
    "a loop over what there is none of": ("s.locked[chest] = False", "s.locked[chest] = True"),
    "a step with what there is none of": ("    s.locked[chest] = True", "    s.locked[chest] = s.shut"),
    "a step that is switched off": ("    s.open[box] = False", "    s.open[box] = s.shut"),
    "a branch that is switched off": ("        s.shut = True", "        s.shut = not s.shut"),
    "one more setting that is off": (
        "    if s.heavy:",
        "    if s.heavy:\n        s.shut = False\n    if s.heavy and not s.shut:",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_is_switched_off_or_absent_leaves_the_digest(change: str, tmp_path: Path) -> None:
    assert SWITCHED.count(CHANGES[change][0]) == 1
    before, after = (digests(tmp_path, text) for text in (SWITCHED, SWITCHED.replace(*CHANGES[change])))
    assert before[0] == after[0]
    assert before[1] != after[1]


USED = {
    "a guard": ("require(not s.open[box])", "require(not s.shut)"),
    "an effect": ("    s.open[box] = True", "    s.open[box] = s.shut"),
    "the start": ('    "All is shut."', "    s.shut = True"),
    "the property": ("return not s.shut or s.open[0]", "return s.shut or s.open[0]"),
    "what a field may hold": ("open = per(Box, flag())", "open = per(Box, up_to(Box))"),
}


@pytest.mark.parametrize("change", USED)
def test_a_change_of_what_is_used_changes_the_digest(change: str, tmp_path: Path) -> None:
    assert SWITCHED.count(USED[change][0]) == 1
    before, after = (digests(tmp_path, text) for text in (SWITCHED, SWITCHED.replace(*USED[change])))
    assert before[0] != after[0]
    assert before[1] != after[1]
