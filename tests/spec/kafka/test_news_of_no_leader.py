"""Brokers in KRaft mode hear that a partition has no leader, which is no step of the model: with that step, every verdict is the same.

Such a broker does nothing before it hears of the next leader, so it might as well have heard nothing. It forgets its followers, as in
an epoch with another leader, and what it still answers a producer is that nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from neverlost.conformance.cluster.leaderless import hear_of_no_leader, with_leaderless_news
from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.proof import prove
from neverlost.model.core import NONE, Model, lemma
from neverlost.model.kafka.replication.state import ACKS_ALL, Epoch, Partition, Replica
from neverlost.spec.kafka.replication.versions import version_named

SMALL = {"acks": ACKS_ALL, "min_isr": 2, "unclean": 0, "log_size": 1, "values": 1, "leader_epochs": 4}
FAULTS = [{"pauses": 2}]
MORE_FAULTS = [
    {"crashes": 2, "min_isr": 1},
    {"pauses": 2, "crashes": 1},
    {"pauses": 2, "power_losses": 1},
    {"shutdowns": 2, "crashes": 1},
    {"pauses": 2, "leader_moves": 1, "keeps_known_ends": 0},
    {"pauses": 2, "leader_moves": 2},
    {"pauses": 3, "min_isr": 1},
    {"shutdowns": 2, "disk_losses": 1},
    {"pauses": 2, "values": 2, "log_size": 2},
    {"pauses": 2, "drops_caught_up": 1},
    {"pauses": 2, "leader_moves": 1, "delays": 1, "pipelined": 1, "leader_epochs": 5},
]
NAMES = ["kafka-3.3", "kafka-3.9", "kafka-4.3"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "faults" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--thorough")
        metafunc.parametrize("faults", FAULTS + MORE_FAULTS if everything else FAULTS, ids=str)


def decided(model: Model) -> tuple[Result, dict[str, tuple[str, int | None]]]:
    """All states of a model, and for every property its verdict and the length of the shortest violation or example."""
    found = explore(model, until="all", symmetry=True)
    assert found.complete
    return found, {
        name: (one.verdict, None if one.trace is None else len(one.trace.steps)) for name, one in found.findings.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_no_verdict_changes_and_no_run_is_shorter_if_brokers_hear_that_nobody_leads(
    name: str, faults: Mapping[str, int]
) -> None:
    model = version_named(name).bounded(**{**SMALL, **faults})
    without, verdicts = decided(model)
    heard, with_news = decided(with_leaderless_news(model))
    assert heard.generated_by_action[hear_of_no_leader.name] > 0
    assert heard.distinct > without.distinct
    assert with_news == verdicts


def test_with_zookeeper_nobody_hears_so() -> None:
    model = version_named("kafka-3.9-zk").bounded(**SMALL)
    assert with_leaderless_news(model) is model


@lemma("A broker that has a leader is in an epoch; in an epoch without a leader it has none.")
def leader_comes_with_epoch(s: Partition, replica: Replica) -> bool:
    return s.leader[replica] < 0 or s.epoch[replica] >= 0


@lemma("Nothing is forgotten of an epoch that a broker may still hear of.")
def still_announced(s: Partition, replica: Replica, other: Replica, epoch: Epoch) -> bool:
    return (
        s.epoch[replica] == NONE
        or s.epoch[replica] >= epoch
        or s.epoch[other] != epoch
        or s.leader[other] == s.metadata_leader[epoch]
    )


@lemma("Who is in the newest epoch has the leader of the controller.")
def newest_has_its_leader(s: Partition, replica: Replica) -> bool:
    return s.epoch[replica] != s.newest_epoch or s.leader[replica] == s.controller_leader


FIXED = {"keeps_known_ends": 0, "counts_diverging_fetch": 0, "registers_unfenced": 0}
ANY_NUMBER = {"crashes": 2, "leader_moves": 2, "pauses": 2, "shutdowns": 2, "retries": 2}
DELAYED = {
    **{"produces_know_epoch": 1, "fetches_know_epoch": 1, "responses_know_epoch": 1, "responses_keep_bytes": 1},
    **{"delays": 1, "every_delay": 1},
}


@pytest.mark.parametrize(
    "assumed",
    [pytest.param({}, marks=pytest.mark.thorough), pytest.param(DELAYED, marks=pytest.mark.thorough)],
    ids=["no delays", "delays"],
)
def test_the_headline_is_proven_too_if_brokers_hear_that_nobody_leads(assumed: Mapping[str, int]) -> None:
    chosen = {**SMALL, "leader_epochs": 3, **FIXED, **ANY_NUMBER, **assumed}
    model = with_leaderless_news(version_named("kafka-4.3").bounded(**chosen))
    kept = [one for one in model.profile.lemmas if one.name != "epoch_comes_with_leader"]
    assert len(kept) == len(model.profile.lemmas) - 1
    lemmas = (*kept, leader_comes_with_epoch, still_announced, newest_has_its_leader)
    proof = prove(model, "acked_never_lost", lemmas=lemmas)
    assert (proof.verdict, proof.unknown) == ("proven", ())
