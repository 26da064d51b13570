"""Messages are flags, or small numbers, by what is in them: up to four indexes, in every engine, renamed with their members."""

from __future__ import annotations

from pathlib import Path

import pytest
from written_models import imported

from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.proof import prove
from neverlost.model.core import Profile

MODEL = """
from neverlost.modelling import *

class Node(Index, bound="nodes", prefix="n", first=1, symmetric=True):
    "A node."

class Term(Index, bound="terms"):
    "A term."

class Copies(Index, members=2):
    "Equal messages."

class Net(State):
    "Votes on their way."
    term = per(Node, up_to(Term))
    votes = per(Node, Node, Term, {content})

def initial(s: Net) -> None:
    "Nothing was sent."

@action("made up")
def vote(s: Net, voter: Node, candidate: Node, term: Term) -> None:
    "A node votes once in a term."
    require(s.term[voter] == term)

    s.votes[voter][candidate][term] += 1
    s.term[voter] += 1

@action("made up")
def hear(s: Net, voter: Node, candidate: Node, term: Term) -> None:
    "The vote arrives."
    require(s.votes[voter][candidate][term] > 0)

    s.votes[voter][candidate][term] -= 1

@always("No two votes of one node in one term are on their way.")
def votes_once(s: Net, voter: Node, term: Term) -> bool:
    return sum(1 for other in s.each(Node) if s.votes[voter][other][term] > 0) <= 1

@lemma("A node that voted is in a later term.")
def voted_before(s: Net, voter: Node, candidate: Node, term: Term) -> bool:
    return s.votes[voter][candidate][term] == 0 or term < s.term[voter]

@lemma("A node votes once in a term.")
def one_candidate(s: Net, voter: Node, one: Node, other: Node, term: Term) -> bool:
    return one == other or s.votes[voter][one][term] == 0 or s.votes[voter][other][term] == 0

NET = Profile(name="net", statement="Votes.", state=Net, initial=initial, actions=(vote, hear), properties=(votes_once,),
    lemmas=(voted_before, one_candidate), default_bounds={{"nodes": 2, "terms": 2}})
"""


def states_by_hand(nodes: int, terms: int) -> int:
    """Each node is in a term, and each vote that it has cast, for one of the nodes, is on its way or has arrived."""
    return sum((1 + nodes) ** term for term in range(terms + 1)) ** nodes


@pytest.mark.parametrize("content", ["flag()", "up_to(Copies)"])
@pytest.mark.parametrize("bounds", [{"nodes": 2, "terms": 2}, {"nodes": 3, "terms": 1}], ids=str)
def test_every_engine_finds_the_states_of_a_network_of_messages_with_three_parts(
    content: str, bounds: dict[str, int], tmp_path: Path
) -> None:
    profile: Profile = imported(tmp_path, MODEL.format(content=content)).NET
    found = [explore(profile.bounded(**bounds), engine=engine, until="all") for engine in ("compiled", "interpreted")]
    assert [result.distinct for result in found] == [states_by_hand(**bounds)] * 2
    assert found[0].digest == found[1].digest
    folded = explore(profile.bounded(**bounds), symmetry=True, until="all")
    assert folded.distinct < found[0].distinct
    assert folded.findings["votes_once"].verdict == found[0].findings["votes_once"].verdict == "holds"


def test_what_is_on_its_way_is_proven_for_any_number_of_steps(tmp_path: Path) -> None:
    profile: Profile = imported(tmp_path, MODEL.format(content="up_to(Copies)")).NET
    assert prove(profile.bounded(nodes=3, terms=2), "votes_once").verdict == "proven"
