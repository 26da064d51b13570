"""What Kafka does in several steps and the model in one: the same searches, with the step split, come to the same verdicts.

Where they do not, the ledger of atomic steps says what the model misses.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

import pytest
from sampling import quick_one_in
from split_steps import ANSWERED_LATER, LOOKED_AT_LATER, MOVED_LATER, UNFENCED_LATER, split_versions

from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec.kafka.replication.versions import version_named

PACKAGE = "kafka_with_split_steps"
SMALL = {"acks": ACKS_ALL, "min_isr": 2, "unclean": 0, "log_size": 1, "values": 1, "leader_epochs": 3}
MOVES = {"leader_moves": 2, "values": 2, "pipelined": 1}


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Profile]]:
    yield split_versions(tmp_path_factory.mktemp("split"), PACKAGE)
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


def searched(version: Profile, **chosen: int) -> Result:
    """All states within small bounds, with every property decided."""
    found = explore(version.bounded(**{**SMALL, **chosen}), until="all", symmetry=True)
    assert found.complete
    return found


def verdicts(found: Result) -> dict[str, Verdict]:
    return {name: finding.verdict for name, finding in found.findings.items()}


def differing(one: Result, other: Result) -> dict[str, Verdict]:
    """The properties that the second search decides in another way, with its verdicts."""
    before = verdicts(one)
    return {name: verdict for name, verdict in verdicts(other).items() if verdict != before[name]}


@pytest.mark.parametrize(
    "name", quick_one_in(6, ["kafka-0.9", "kafka-1.1", "kafka-2.1", "kafka-2.8", "kafka-3.9-zk", "kafka-4.1"])
)
def test_an_exchange_that_ends_in_its_epoch_may_as_well_be_one_step(name: str) -> None:
    version = version_named(name)
    straddling = searched(version, leader_moves=2, delays=1)
    every = searched(version, leader_moves=2, delays=1, every_delay=1)
    assert every.distinct > straddling.distinct
    assert not differing(straddling, every)


@pytest.mark.parametrize("name", quick_one_in(6, ["kafka-0.9", "kafka-2.1", "kafka-3.6"]))
def test_delayed_produces_may_as_well_be_looked_at_later(name: str, versions: Mapping[str, Profile]) -> None:
    at_once = searched(versions[name], **MOVES)
    later = searched(versions[name], **MOVES, split=LOOKED_AT_LATER)
    assert later.generated_by_action["look_at_produces"] > 0
    assert not differing(at_once, later)


@pytest.mark.parametrize("name", quick_one_in(6, ["kafka-3.9-zk", "kafka-4.3"]))
def test_from_3_7_on_a_later_look_gives_one_more_error_and_no_other_verdict(
    name: str, versions: Mapping[str, Profile]
) -> None:
    found = differing(searched(versions[name], **MOVES), searched(versions[name], **MOVES, split=LOOKED_AT_LATER))
    assert found == {"not_enough_replicas_after_append": Verdict.HOLDS}


@pytest.mark.parametrize("name", quick_one_in(6, ["kafka-1.1", "kafka-2.1", "kafka-3.9-zk", "kafka-4.3"]))
def test_delayed_produces_may_as_well_be_answered_after_the_new_epoch(
    name: str, versions: Mapping[str, Profile]
) -> None:
    at_once = searched(versions[name], **MOVES)
    later = searched(versions[name], **MOVES, split=ANSWERED_LATER)
    assert later.generated_by_action["look_at_produces"] > 0
    assert not differing(at_once, later)


@pytest.mark.parametrize("name", quick_one_in(6, ["kafka-2.5.1", "kafka-2.8", "kafka-3.9-zk", "kafka-4.3"]))
def test_the_high_watermark_may_as_well_move_later(name: str, versions: Mapping[str, Profile]) -> None:
    at_once = searched(versions[name], leader_moves=2, values=2)
    later = searched(versions[name], leader_moves=2, values=2, split=MOVED_LATER)
    assert later.generated_by_action["move_high_watermark"] > 0
    assert not differing(at_once, later)


FAULTS = [{"crashes": 1, "leader_moves": 1}, {"crashes": 1, "power_losses": 1}]


@pytest.mark.parametrize("faults", FAULTS, ids=["crash", "power-loss"])
@pytest.mark.parametrize(
    "name", quick_one_in(6, ["kafka-0.9", "kafka-2.1", "kafka-3.9-zk", "kafka-3.1-kraft", "kafka-3.3", "kafka-4.3"])
)
def test_a_restarted_broker_may_as_well_be_unfenced_later(
    name: str, faults: Mapping[str, int], versions: Mapping[str, Profile]
) -> None:
    at_once = searched(versions[name], **faults)
    later = searched(versions[name], **faults, split=UNFENCED_LATER)
    assert later.generated_by_action["unfence"] > 0
    assert not differing(at_once, later)
