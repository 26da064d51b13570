"""What the model misses: metadata with an ISR that the leader knows already takes back its next proposal, which may still be granted.

The step of this module stands for three of a KRaft broker from 3.3.0 on: the leader asks for a follower, it reads the metadata of the
ISR before (KAFKA-13790), and the controller grants the request. The leader ignores the answer.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from neverlost.explorer.search import explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import EMPTY, action, contains, require, with_member
from neverlost.model.kafka.controller import count, issues_to, record_isr
from neverlost.model.kafka.leader import acceptable, follows, has_caught_up
from neverlost.model.kafka.state import ACKS_ALL, Partition, Replica
from neverlost.spec.kafka.versions import version_named

SMALL = {
    **{"acks": ACKS_ALL, "min_isr": 2, "unclean": 0, "keeps_known_ends": 0},
    **{"log_size": 1, "values": 1, "leader_epochs": 4},
}


@action("R-ISR-2, KAFKA-13790")
def expand_isr_unheard(s: Partition, leader: Replica, follower: Replica) -> None:
    """The controller adds a follower that the leader asked for, and the leader no longer waits for that."""
    require(follows(s, follower, leader))
    require(not contains(s.isr[leader], follower))
    require(s.known_end[leader][follower] == s.log_end[follower])
    require(has_caught_up(s, leader, s.known_end[leader][follower]))
    require(s.proposed_isr[leader] == EMPTY)
    require(issues_to(s, leader))
    require(s.controller_isr == s.isr[leader])
    require(count(s, s.isr[leader]) > 1)
    require(acceptable(s, with_member(s.isr[leader], follower)))

    record_isr(s, with_member(s.isr[leader], follower))


@pytest.mark.parametrize(("faults", "steps"), [({"crashes": 1}, 10), ({"leader_moves": 1}, 9)], ids=["crash", "move"])
@pytest.mark.parametrize("name", ["kafka-3.6", "kafka-4.3"])
def test_a_proposal_that_is_taken_back_and_granted_loses_an_acknowledged_record(
    name: str, faults: Mapping[str, int], steps: int
) -> None:
    version = version_named(name)
    unheard = version.replacing(name, version.statement, actions=(*version.actions, expand_isr_unheard))
    without = explore(version.bounded(**SMALL, **faults), properties=["acked_never_lost"], symmetry=True)
    assert without.findings["acked_never_lost"].verdict == Verdict.HOLDS
    trace = (
        explore(unheard.bounded(**SMALL, **faults), properties=["acked_never_lost"], symmetry=True)
        .findings["acked_never_lost"]
        .trace
    )
    assert trace is not None
    assert len(trace.steps) == steps
