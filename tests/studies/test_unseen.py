"""Stories with a step that no broker was seen to do are marked, with the length of the shortest run without such a step."""

from __future__ import annotations

import pytest

from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import Trace
from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE
from neverlost.spec.kafka.replication.seen_losses import LOSS
from neverlost.spec.kafka.replication.versions import version_named
from neverlost.studies.audit.unseen import unseen_in

CAREFUL = {"acks": ACKS_ALL, "min_isr": 2, "power_losses": 1}


def story(version: str, prop: str = LOSS, **chosen: int) -> Trace:
    trace = explore(version_named(version).bounded(**chosen), properties=[prop], symmetry=True).findings[prop].trace
    assert trace is not None
    return trace


def test_a_broker_that_starts_again_before_it_is_fenced_was_not_seen() -> None:
    """docs/losses-on-brokers.md: `kafka-3.6` to `kafka-3.9`, min ISR 2, 1 power loss, 8 → 13."""
    trace = story("kafka-3.9", **CAREFUL)
    unseen = unseen_in(trace)
    assert unseen is not None
    assert unseen.step is not None
    assert trace.steps[unseen.step - 1].action.name == "restart"
    assert (len(trace.steps), unseen.without, unseen.once) == (8, "13 steps", False)
    assert unseen.seen.startswith("A broker starts again when it is fenced")
    assert unseen.command[:2] == ("neverlost check", "seen/kafka-3.9")


def test_lengths_are_of_a_producer_that_sends_once_and_it_is_said_where_the_audits_does_not() -> None:
    unseen = unseen_in(story("kafka-3.9", **CAREFUL, retries=1))
    assert unseen is not None
    assert (unseen.without, unseen.once) == ("13 steps", True)


@pytest.mark.parametrize("chosen", [{"flush": 1}, {"reads_past_high_watermark": 1}])
def test_the_record_tells_nothing_of_other_settings(chosen: dict[str, int]) -> None:
    from neverlost.spec.kafka.replication.seen_losses import recorded

    assert recorded(version_named("kafka-3.9").bounded(**CAREFUL)) is not None
    assert recorded(version_named("kafka-3.9").bounded(**CAREFUL, **chosen)) is None
    assert recorded(version_named("kafka-3.9").bounded(**{**CAREFUL, "acks": ACKS_ONE})) is None
    assert recorded(version_named("kafka-3.9").bounded(**CAREFUL, log_size=3, values=3)) is None


def test_a_story_that_brokers_tell_has_no_mark() -> None:
    assert unseen_in(story("kafka-3.9", acks=ACKS_ONE, leader_moves=1)) is None
