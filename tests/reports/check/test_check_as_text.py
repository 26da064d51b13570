"""What a check says of the verdicts of its properties."""

from __future__ import annotations

from pathlib import Path

from written_models import imported

from neverlost.explorer.search import explore
from neverlost.reports.check.as_text import extent

LAMP = """
from neverlost.modelling import *

class Lamp(State):
    "A lamp."
    lit = flag()
    "Is it lit?"

def initial(s: Lamp) -> None:
    "It is dark."

@action("made up")
def light(s: Lamp) -> None:
    "It is lit."
    require(not s.lit)

    s.lit = True

def unlit(s: Lamp) -> bool:
    return not s.lit

@eventually("It is dark.", weak=(light,))
def dark(s: Lamp) -> bool:
    return not s.lit

@eventually("It is lit.", weak=(light,))
def lit(s: Lamp) -> bool:
    return s.lit

@eventually("Once it is dark, it is dark or lit.", after=unlit, weak=(light,))
def either(s: Lamp) -> bool:
    return s.lit or not s.lit

LAMP = Profile(name="lamp", statement="A lamp.", state=Lamp, initial=initial, actions=(light,), properties=(dark, lit, either),
    default_bounds={})
"""


def test_an_eventually_that_holds_as_it_is_true_at_the_start_says_so(tmp_path: Path) -> None:
    result = explore(imported(tmp_path, LAMP).LAMP.bounded(), until="all")
    assert {name: extent(finding, result.model) for name, finding in result.findings.items()} == {
        "dark": "true at the start: says nothing of later",
        "lit": "",
        "either": "",
    }
    assert {finding.verdict for finding in result.findings.values()} == {"holds"}
