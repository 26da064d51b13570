"""The lemmas of Kafka are true in every reachable state, whatever the settings, and more follows from them than the headline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from lemma_properties import PREFIX, deciding_lemmas
from sampling import quick_one_in

from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.induction import Effort, Induction
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.symbolic.solving import QueryResult
from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import (
    ACKS_ALL,
    ACKS_ONE,
    COMMIT_AFTER,
    COMMIT_BEFORE,
    TO_HIGH_WATERMARK,
)
from neverlost.spec.kafka.replication.versions import KAFKA_2_1, KAFKA_3_5, KAFKA_4_1

SMALL = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 3}
FAULTS = {"crashes": 2, "leader_moves": 2, "pauses": 2, "shutdowns": 2, "retries": 2, "consumer_crashes": 2}
ALL = {"acks": ACKS_ALL, "min_isr": 2}
FIX = {"keeps_known_ends": False}
DELAYED = {"delays": 1, "every_delay": True}
IN_ITS_EPOCH = {
    "produces_know_epoch": True,
    "fetches_know_epoch": True,
    "responses_know_epoch": True,
    "responses_keep_bytes": True,
    "cuts_know_epoch": True,
    "takes_back_proposals": False,
}

SEARCHED = (
    (KAFKA_3_5, {**ALL, "replicas": 2, "log_size": 2, "crashes": 1, "leader_moves": 1}),
    (KAFKA_4_1, {**ALL, **FIX, "replicas": 2, "log_size": 1, "crashes": 1, "power_losses": 1, "flush": True}),
    (KAFKA_2_1, {"acks": ACKS_ONE, "replicas": 2, "log_size": 1, "crashes": 1, "commit": COMMIT_BEFORE}),
    (
        KAFKA_2_1,
        {
            "fencing": False,
            "truncation": TO_HIGH_WATERMARK,
            "unclean": True,
            "replicas": 2,
            "log_size": 1,
            "disk_losses": 1,
        },
    ),
    (KAFKA_4_1, {**ALL, **FIX, **DELAYED, **IN_ITS_EPOCH, "replicas": 3, "log_size": 1, "leader_moves": 1}),
    (KAFKA_4_1, {**ALL, **FIX, **DELAYED, **IN_ITS_EPOCH, "replicas": 2, "log_size": 2, "crashes": 1, "retries": 1}),
    (KAFKA_4_1, {**ALL, **FIX, **DELAYED, "replicas": 3, "log_size": 1, "leader_moves": 1}),
    (
        KAFKA_2_1,
        {**ALL, **FIX, **DELAYED, **IN_ITS_EPOCH, "replicas": 2, "log_size": 1, "crashes": 1, "leader_moves": 1},
    ),
    (KAFKA_2_1, {**ALL, **DELAYED, "replicas": 3, "log_size": 2, "leader_moves": 2}),
)
SEARCHED_LARGE = (
    (KAFKA_3_5, {**ALL, "replicas": 3, "log_size": 2, "crashes": 2, "leader_moves": 1, "retries": 1}),
    (
        KAFKA_4_1,
        {**ALL, **FIX, "replicas": 3, "log_size": 2, "crashes": 1, "leader_moves": 1, "retries": 1, "pauses": 1},
    ),
    (KAFKA_2_1, {**ALL, "replicas": 3, "log_size": 2, "crashes": 2, "leader_moves": 1, "retries": 1}),
    (KAFKA_4_1, {**ALL, **FIX, **DELAYED, **IN_ITS_EPOCH, "replicas": 3, "log_size": 2, "leader_moves": 2}),
    (KAFKA_4_1, {**ALL, **FIX, **DELAYED, "replicas": 3, "log_size": 2, "leader_moves": 2}),
    (
        KAFKA_2_1,
        {**ALL, **FIX, **DELAYED, **IN_ITS_EPOCH, "delays": 2, "replicas": 3, "log_size": 2, "leader_moves": 2},
    ),
)

AT_ONCE = 40
"""How many lemmas are asked at once, as properties: a search decides at most 64."""

FOLLOW = (
    "consistent_read",
    "leader_completeness",
    "log_matching",
    "one_leader_per_epoch",
    "high_watermark_within_log",
    "leader_in_isr",
    "no_duplicate",
    "in_order",
    "isr_has_committed",
    "true_leader_isr_has_committed",
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "searched" in metafunc.fixturenames:
        searches = SEARCHED + SEARCHED_LARGE if metafunc.config.getoption("--thorough") else SEARCHED[::6]
        metafunc.parametrize("searched", searches, ids=lambda row: f"{row[0].name} {row[1]}")


def test_each_lemma_is_true_in_every_reachable_state(
    searched: tuple[Profile, Mapping[str, int]], tmp_path: Path
) -> None:
    profile, chosen = searched
    for lemmas in (profile.lemmas[:AT_ONCE], profile.lemmas[AT_ONCE:]):
        deciding = deciding_lemmas(replace(profile, lemmas=lemmas), tmp_path)
        result = explore(deciding.bounded(**{"values": 1, "leader_epochs": 3, **chosen}), until="all")
        assert result.stopped_by is None
        assert {name: found.verdict for name, found in result.findings.items()} == {
            PREFIX + lemma.name: "holds" for lemma in lemmas
        }


@pytest.mark.parametrize("name", quick_one_in(8, FOLLOW))
def test_it_follows_from_the_lemmas(name: str) -> None:
    model = KAFKA_4_1.bounded(**{**SMALL, "log_size": 2, "values": 2}, **ALL, **FAULTS, **FIX)
    induction = Induction(model, model.profile.property_named(name), model.profile.lemmas, Effort())
    assert induction.sufficiency().result == QueryResult.HOLDS


@pytest.mark.parametrize(
    ("name", "commit"),
    [
        pytest.param("consumer_at_least_once", COMMIT_AFTER, marks=pytest.mark.thorough),
        pytest.param("consumer_at_most_once", COMMIT_BEFORE, marks=pytest.mark.thorough),
    ],
)
def test_what_a_consumer_is_promised_is_proven(name: str, commit: int) -> None:
    proof = prove(KAFKA_4_1.bounded(**SMALL, **ALL, **FAULTS, **FIX, commit=commit), name)
    assert (proof.verdict, proof.unknown) == ("proven", ())


@pytest.mark.thorough
def test_power_losses_take_nothing_that_was_flushed() -> None:
    proof = prove(KAFKA_4_1.bounded(**SMALL, **ALL, **FAULTS, **FIX, power_losses=2, flush=True), "acked_never_lost")
    assert (proof.verdict, proof.unknown) == ("proven", ())
