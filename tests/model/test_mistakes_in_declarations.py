"""A mistake in a declaration is refused where it is made, with what to write; and properties have parameters, as lemmas do."""

from __future__ import annotations

from pathlib import Path

import pytest
from written_models import imported

from neverlost.explorer.search import explore
from neverlost.model.core import BoundsError, ModelError, Profile
from neverlost.reports.trace.formats import FORMATS, render

PARTS = {
    "fields": "    term = per(Node, up_to(Term))\n    round = up_to(Term)\n",
    "properties": (
        '@always("Terms are within reach.")\ndef near(s: Ballot, one: Node, other: Node) -> bool:\n'
        "    return s.term[one] <= s.term[other] + 1\n\n"
        '@sometimes("Somebody is in the last term.")\ndef last(s: Ballot, node: Node) -> bool:\n'
        "    return s.term[node] == s.size(Term)\n"
    ),
    "sends": 'sends("node", "judge", "{node} in {term[node]} of {round}")',
    "more": "",
    "profile": "actions=(rise, fall), properties=(near, last), default_bounds={'nodes': 3, 'terms': 2}",
}
MODEL = """
from neverlost.modelling import *

class Node(Index, bound="nodes", prefix="n", first=1):
    "A node."

class Term(Index, bound="terms"):
    "A term."

class Falls(Index, members=2):
    "How often a node may fall."

class Ballot(State):
    "Terms of nodes."
    owners = {{"judge": ("round",)}}
    falls = budget(up_to(Falls), singular="fall", whose="a node")
    falls_left = counter(falls)
{fields}
def initial(s: Ballot) -> None:
    "All is at 0."
    s.falls_left = s.falls

@action("made up", {sends})
def rise(s: Ballot, node: Node) -> None:
    "A node goes on."
    require(s.term[node] < s.size(Term))

    s.term[node] += 1

@action("made up")
def fall(s: Ballot, node: Node) -> None:
    "A node goes back."
    require(s.falls_left > 0)

    s.falls_left -= 1
    s.term[node] = 0

{properties}
{more}
BALLOT = Profile(name="ballot", statement="Terms.", state=Ballot, initial=initial, {profile})
"""


def ballot(folder: Path, **parts: str) -> Profile:
    profile: Profile = imported(folder, MODEL.format(**{**PARTS, **parts})).BALLOT
    return profile


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_property_with_parameters_is_about_every_member_and_a_witness_about_some(engine: str, tmp_path: Path) -> None:
    model = ballot(tmp_path).bounded(terms=1)
    result = explore(model, engine=engine, until="all")
    assert (result.distinct, result.findings["near"].verdict, result.findings["last"].verdict) == (8, "holds", "holds")
    apart = explore(ballot(tmp_path).bounded(), properties=["near"], engine=engine)
    assert apart.findings["near"].verdict == "violated"
    trace = apart.findings["near"].trace
    assert trace is not None
    assert [step.action.name for step in trace.steps] == ["rise", "rise"]


def test_a_property_with_parameters_is_proven_with_its_lemmas(tmp_path: Path) -> None:
    from neverlost.explorer.symbolic.proof import prove

    assert prove(ballot(tmp_path).bounded(terms=1), "near").verdict == "proven"
    assert prove(ballot(tmp_path).bounded(terms=2), "near").verdict == "violated"


@pytest.mark.parametrize("name", FORMATS)
def test_a_message_may_carry_a_parameter_an_element_and_a_field_without_an_index(name: str, tmp_path: Path) -> None:
    trace = explore(ballot(tmp_path).bounded(), properties=["near"]).findings["near"].trace
    assert trace is not None
    said = render(trace, name)
    if name in ("svg", "html", "mermaid"):
        assert "n1 in 0 of 0" in said


STEP = '@step_always("Terms rise.")\ndef rises({}) -> bool:\n    return True\n'
REFUSED = {
    "a step_always with a member": (
        {"more": STEP.format("before: Ballot, after: Ballot, node: Node")},
        r"\.py:\d+: rises takes 3 parameters; `step_always` takes the states before and after a step, and nothing else",
    ),
    "a step_always of one state": (
        {"more": STEP.format("s: Ballot")},
        "rises takes 1 parameter; `step_always` takes the states",
    ),
    "an eventually with a member": (
        {"more": '@eventually("In the end.")\ndef ends(s: Ballot, node: Node) -> bool:\n    return True\n'},
        "ends takes 2 parameters; `eventually` takes one state, and nothing else",
    ),
    "a member of no domain": (
        {"more": '@always("Small.")\ndef small(s: Ballot, number: int) -> bool:\n    return True\n'},
        "parameter 'number' of small has no finite domain",
    ),
    "a field named as a method": (
        {"fields": PARTS["fields"] + "    written = flag()\n"},
        "Ballot has a field 'written'; every state has",
    ),
    "a field named as a schema": (
        {"fields": PARTS["fields"] + "    fields = flag()\n"},
        "Ballot has a field 'fields'; every state has",
    ),
    "a field named as a slot": (
        {"fields": PARTS["fields"] + "    journal = flag()\n"},
        "Ballot has a field 'journal'; every state has",
    ),
    "a count that may be missing": (
        {"fields": PARTS["fields"] + "    last = optional(up_to(Term))\n"},
        r"optional\(\.\.\.\) takes an Index or a SubsetOf, not another domain; a value that may be missing is two fields",
    ),
    "a domain of no index": (
        {"fields": PARTS["fields"] + "    last = up_to(int)\n"},
        r"up_to\(int\) takes an Index or a SubsetOf, as a class",
    ),
    "a sender that is nobody": (
        {"sends": 'sends("nod", "judge", "x")'},
        "rise of ballot sends 'x' from 'nod' to 'judge', and 'nod' is neither",
    ),
    "an unknown field": (
        {"sends": 'sends("node", "judge", "{{terms[node]}}")'},
        r"and \{terms\[node\]\} is neither a parameter nor a field",
    ),
    "a field without its index": (
        {"sends": 'sends("node", "judge", "{{term}}")'},
        r"and \{term\} is neither a parameter nor a field",
    ),
    "a response lost by nothing": (
        {"sends": 'sends("node", "judge", "x", lost_by="response")'},
        "lost by 'response', which is no parameter",
    ),
    "a domain without members": (
        {
            "more": "class Nothing(Index):\n    pass\n\n@always('So.')\ndef so(s: Ballot, x: Nothing) -> bool:\n    return True\n",
            "profile": "actions=(rise, fall), properties=(so,), default_bounds={'nodes': 3, 'terms': 2}",
        },
        "profile ballot uses Nothing, which has no members; give it a bound",
    ),
    "an action without a text": (
        {"more": "@action\ndef idle(s: Ballot) -> None:\n    pass\n"},
        "`@action` before idle has no text",
    ),
    "a property without a text": (
        {"more": "@always\ndef fine(s: Ballot) -> bool:\n    return True\n"},
        "`@always` before fine has no text",
    ),
    "a story that is a text": (
        {"more": '@always("Fine.", story="all is well")\ndef fine(s: Ballot) -> bool:\n    return True\n'},
        "the story of a property is 'all is well'; it must be a function of the states of a trace",
    ),
    "one property, no tuple": (
        {"profile": "actions=(rise, fall), properties=near, default_bounds={'nodes': 3, 'terms': 2}"},
        r"properties of profile ballot is the property near; write a tuple, also of one: properties=\(name,\)",
    ),
    "a lemma among properties": (
        {
            "more": '@lemma("It is so.")\ndef so(s: Ballot) -> bool:\n    return True\n',
            "profile": "actions=(rise, fall), properties=(near, so), default_bounds={'nodes': 3, 'terms': 2}",
        },
        "properties of profile ballot has the lemma so, which is no property",
    ),
    "a function among actions": (
        {
            "more": "def helper(s: Ballot) -> None:\n    s.round = 0\n",
            "profile": "actions=(rise, fall, helper), properties=(near,), default_bounds={'nodes': 3, 'terms': 2}",
        },
        "actions of profile ballot has the function helper, without a decorator, which is no action",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_in_a_declaration_is_refused_with_what_is_wrong(case: str, tmp_path: Path) -> None:
    parts, said = REFUSED[case]
    with pytest.raises(ModelError, match=said):
        ballot(tmp_path, **parts)


def test_a_budget_that_no_action_spends_is_refused_above_0(tmp_path: Path) -> None:
    forgetful = ballot(tmp_path, profile="actions=(rise,), properties=(near,), default_bounds={'nodes': 3, 'terms': 1}")
    assert forgetful.bounded(falls=0).settings["falls"] == 0
    with pytest.raises(
        BoundsError, match="falls is 2, but no action of ballot counts falls_left down; is an action missing"
    ):
        forgetful.bounded(falls=2)
