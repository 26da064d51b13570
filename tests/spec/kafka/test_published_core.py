"""The core of the full model agrees with the published protocols: epoch for epoch, the same ISR properties hold or fail.

What is compared, and in what the two differ, stands in docs/decisions/0008-the-full-model-and-kip-320.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from neverlost.explorer.search import explore
from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE, KIP_101, KIP_279, TO_HIGH_WATERMARK
from neverlost.spec.golden import golden_rows
from neverlost.spec.kafka.replication.versions import version_named

CORE = {
    "published/truncate-to-high-watermark": {"truncation": TO_HIGH_WATERMARK, "fencing": 0, "epoch_start_guard": 0},
    "published/kip-101": {"truncation": KIP_101, "fencing": 0, "epoch_start_guard": 0},
    "published/kip-279": {"truncation": KIP_279, "fencing": 0, "epoch_start_guard": 0},
    "published/kip-320": {"truncation": KIP_279, "fencing": 1, "epoch_start_guard": 1},
}
SAME = {"isr_has_committed": "strong_isr", "true_leader_isr_has_committed": "weak_isr"}


def published(profile: str, leader_epochs: int) -> dict[str, str]:
    """The verdicts of the published protocol with 3 replicas and one record, which TLC confirmed."""
    bounds = {"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": leader_epochs}
    (row,) = (r for r in golden_rows() if (r.profile, dict(r.bounds), r.symmetry) == (profile, bounds, ()))
    assert "tlc" in row.confirmed_by
    return {ours: row.findings[theirs].verdict for ours, theirs in SAME.items()}


def of_the_full_model(profile: str, acks: int, faults: Mapping[str, int]) -> dict[str, str]:
    """The verdicts of kafka-2.1 with the switches of the published protocol."""
    model = version_named("kafka-2.1").bounded(acks=acks, **CORE[profile], **faults)
    results = {name: explore(model, properties=[name], symmetry=True) for name in SAME}
    return {name: result.findings[name].verdict for name, result in results.items()}


@pytest.mark.parametrize("acks", [ACKS_ONE, ACKS_ALL], ids=["acks=1", "acks=all"])
@pytest.mark.parametrize(
    "faults", [{}, {"leader_moves": 1}, {"leader_moves": 2}, {"leader_moves": 1, "pauses": 1}], ids=str
)
@pytest.mark.parametrize("profile", CORE)
def test_every_leader_epoch_shows_what_it_shows_in_the_published_protocol(
    profile: str, faults: dict[str, int], acks: int
) -> None:
    assert of_the_full_model(profile, acks, faults) == published(profile, 1 + sum(faults.values()))


def test_the_comparison_meets_every_combination_of_verdicts_that_there_is() -> None:
    met = {tuple(published(profile, epochs).values()) for profile in CORE for epochs in (1, 2, 3)}
    assert met == {("holds", "holds"), ("violated", "holds"), ("violated", "violated")}


def test_the_guard_of_kafka_7128_hides_what_the_published_protocols_show_with_two_epochs() -> None:
    guarded = {**CORE["published/kip-101"], "epoch_start_guard": 1}
    model = version_named("kafka-2.1").bounded(leader_moves=1, **guarded)
    result = explore(model, properties=["isr_has_committed"], symmetry=True)
    assert result.findings["isr_has_committed"].verdict == "holds"
    assert published("published/kip-101", 2)["isr_has_committed"] == "violated"
