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


def test_a_model_that_is_violated_as_it_is_has_no_mutants(run: Run, tmp_path: Path) -> None:
    code, _, err = run("mutants", written(tmp_path, DOOR.replace("    require(not s.locked)\n\n", "")))
    assert code == 2
    assert "is violated as it is" in err
