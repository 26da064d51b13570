"""`neverlost mutants` says which property finds the lack of each condition, and which lack nothing finds."""

from __future__ import annotations

from pathlib import Path

from command_line import Run

DOOR = """
from neverlost.model.core import *

class Door(State):
    open = flag()
    locked = flag()
    painted = flag()

def initial(s: Door) -> None:
    "The door is closed."

@action("made up")
def opens(s: Door) -> None:
    "The door opens, if nobody locked it."
    require(not s.locked)

    s.open = True

@action("made up")
def locks(s: Door) -> None:
    "Somebody locks the closed door."
    require(not s.open and not s.locked)

    s.locked = True

@action("made up")
def paints(s: Door) -> None:
    "Somebody paints the closed door."
    require(not s.open)

    s.painted = True

@always("An open door is not locked.")
def not_both(s: Door) -> bool:
    return not (s.open and s.locked)

DOOR = Profile(name="door", statement="A door.", state=Door, initial=initial, actions=(opens, locks, paints),
    properties=(not_both,), default_bounds={})
"""

FINE = """
@always("A painted door is a door.")
def fine(s: Door) -> bool:
    return s.painted or not s.painted
"""


def written(folder: Path, text: str) -> str:
    path = folder / "door.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_what_finds_the_lack_of_each_condition_is_said(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("mutants", written(tmp_path, DOOR))
    said = dict(zip(*[iter(line.strip() for line in out.splitlines()[: 2 * 5])] * 2, strict=True))
    assert code == 1
    assert said == {
        "door.paints: not s.open": "SURVIVES: without it, there are as many states, but other steps, and every property holds",
        "door.locks: not s.locked": "SURVIVES: without it, there are as many states, but other steps, and every property holds",
        "door.opens: not s.locked": "without it, not_both is violated after 2 steps",
        "door.locks: not s.open and (not s.locked)": "without it, not_both is violated after 2 steps",
        "door.locks: not s.open": "without it, not_both is violated after 2 steps",
    }
    assert "finds the lack of 3 of 5 conditions" in " ".join(out.split())


def test_a_model_whose_conditions_are_all_found_ends_with_0(run: Run, tmp_path: Path) -> None:
    lean = DOOR.replace("    require(not s.open)\n\n", "").replace(" and not s.locked)", ")")
    code, out, _ = run("mutants", written(tmp_path, lean), "--quiet")
    assert code == 0
    assert "finds the lack of each of its 2 conditions" in " ".join(out.split())


def test_a_model_that_is_violated_as_it_is_has_no_mutants_but_for_the_properties_that_hold(
    run: Run, tmp_path: Path
) -> None:
    text = DOOR.replace("    require(not s.locked)\n\n", "").replace("(not_both,)", "(not_both, fine)")
    broken = written(tmp_path, text.replace("DOOR = ", FINE + "DOOR = "))
    code, _, err = run("mutants", broken)
    assert code == 2
    assert "is violated as it is: not_both. Name what holds with --property" in " ".join(err.split())
    code, out, _ = run("mutants", broken, "--property", "fine", "--quiet")
    assert code == 1
    assert "finds the lack of 0 of 4 conditions" in " ".join(out.split())


SETTLED = """
from neverlost.modelling import *

class Count(Index, members=2):
    "How many."

class Lamp(State):
    twice = setting(flag())
    cuts = budget(up_to(Count), singular="outage", whose="the grid")
    cuts_left = counter(cuts)
    lit = up_to(Count)
    dark = flag()

def initial(s: Lamp) -> None:
    "Off."
    s.cuts_left = s.cuts

@action("made up")
def light(s: Lamp) -> None:
    "The lamp is switched on."
    require(s.lit < 1 or s.twice)

    s.lit += 1

@action("made up")
def cut(s: Lamp) -> None:
    "The power fails."
    require(s.lit > 0)
    require(s.cuts_left > 0)

    s.cuts_left -= 1
    s.dark = True

@always("It shines once.")
def once(s: Lamp) -> bool:
    return s.lit < 2

@sometimes("It shines.")
def shines(s: Lamp) -> bool:
    return s.lit > 0

LAMP = Profile(name="lamp", statement="A lamp.", state=Lamp, initial=initial, actions=(light, cut),
    properties=(once, shines), default_bounds={})
"""


def test_a_condition_that_cannot_show_as_the_settings_are_is_no_survivor_and_its_reason_is_said(
    run: Run, tmp_path: Path
) -> None:
    code, out, _ = run("mutants", written(tmp_path, SETTLED))
    assert code == 0
    assert "door.light: s.twice\n      cannot show with --no-twice\n" in out
    assert "door.cut: s.lit > 0\n      cannot show: no run has an outage (--cuts 0)\n" in out
    assert "each of the 3 conditions that can show. 2 cannot show" in " ".join(out.split())
    code, out, _ = run("mutants", written(tmp_path, SETTLED), "--cuts", "1")
    assert code == 1
    assert "door.cut: s.lit > 0\n      SURVIVES: " in out


def test_a_witness_that_is_lost_is_named_and_a_domain_is_left_in_a_line_of_the_model(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, SETTLED)
    out = " ".join(run("mutants", path)[1].split())
    assert "door.light: s.lit < 1 without it, shines has no witness" in out
    (line,) = (n for n, text in enumerate(SETTLED.splitlines(), start=1) if "cuts_left -= 1" in text)
    assert f"cuts_left was set to -1, outside its domain 0..2 ({path}:{line})" in out


BY_KEYS = """
class Key(Index, members=2):
    "A key."

@always("True.")
def first(s: Door, key: Key) -> bool:
    return key < 2

@always("True.")
def second(s: Door, one: Key, other: Key) -> bool:
    return one + other < 3

DOOR = Profile"""


def test_a_model_whose_properties_have_parameters_has_mutants_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "doors.py"
    text = DOOR.replace("DOOR = Profile", BY_KEYS).replace("properties=(", "properties=(first, second, ")
    path.write_text(text, encoding="utf-8")
    code, out, err = run("mutants", str(path), "--property", "first", "--property", "second")
    assert code == 1, err
    assert "finds the lack of 0 of" in " ".join(out.split())
