"""Brokers of every era pass the suite of their own version, and fail that of the next exactly where the versions differ."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import cache, lru_cache
from typing import Any

import pytest
from sampling import spread

from neverlost.conformance.inprocess.protocol import Protocol
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.replication.settings import protocol_of
from neverlost.conformance.suite.cases import Suite, suite_of
from neverlost.conformance.suite.run import conform
from neverlost.model.core import Model
from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE
from neverlost.spec import profiles

BEFORE = {
    "kafka-0.11": "kafka-0.9",
    "kafka-2.0.0": "kafka-0.11",
    "kafka-2.1": "kafka-2.0",
    "kafka-0.9": "kafka-0.9.0.0",
    "kafka-2.0": "kafka-2.0.0",
    "kafka-2.7": "kafka-2.5.1",
    "kafka-2.8.0": "kafka-2.7",
    "kafka-2.8": "kafka-2.8.0",
    "kafka-3.1": "kafka-2.8",
    "kafka-3.3": "kafka-3.1-kraft",
    "kafka-3.5": "kafka-3.4.1-kraft",
    "kafka-3.6": "kafka-3.5",
    "kafka-4.1": "kafka-4.0",
}
"""The version before each whose brokers are held beside its suite."""
BOUNDS = {
    "replicas": 2,
    "log_size": 1,
    "values": 1,
    "leader_epochs": 3,
    "acks": ACKS_ALL,
    "crashes": 1,
    "leader_moves": 1,
}
LOGS_THAT_PART_TWICE = {
    **{"replicas": 2, "log_size": 2, "values": 2, "leader_epochs": 3, "acks": ACKS_ONE, "crashes": 2, "unclean": True},
}
"""KIP-279 shows only where a follower's last epoch is unknown to the leader, which knows an older and a newer one."""

LOGS_THAT_START_ANEW = {
    **{"replicas": 2, "log_size": 1, "values": 2, "leader_epochs": 2, "acks": ACKS_ONE, "crashes": 1, "unclean": True},
}
"""KAFKA-7415 shows only where a follower has a record that it exposed, and its leader none of that epoch or before."""

SUITES: dict[str, dict[str, int]] = {
    **dict.fromkeys(
        ("kafka-0.8", "kafka-0.9", "kafka-0.11", "kafka-2.1", "kafka-2.7", "kafka-2.8.0", "kafka-2.8", "kafka-3.1"),
        BOUNDS,
    ),
    **dict.fromkeys(("kafka-3.3", "kafka-3.5", "kafka-3.6", "kafka-4.1"), BOUNDS),
    "kafka-2.0": LOGS_THAT_START_ANEW,
    "kafka-2.0.0": LOGS_THAT_PART_TWICE,
    "kafka-4.1 with min ISR 2": {**BOUNDS, "min_isr": 2},
}
"""The bounds of each suite; its name begins with the preset."""

CUT = "become_follower: log_end, record_value, record_epoch"
WHERE_THEY_DIFFER = {
    "kafka-0.11": {CUT: "KIP-101: cut to where the epochs part, not to the high watermark"},
    "kafka-2.0.0": {f"{CUT}, high_watermark": "KIP-279: cut to the last epoch that both have"},
    "kafka-2.1": {"fetch: has an effect, though the model refuses it": "KIP-320: fetches of another epoch are refused"},
    "kafka-0.9": {
        "fetch: log_end, record_value, record_epoch, high_watermark, known_end": "KAFKA-2143: out of range is asked about first",
        "fetch: log_end, record_value, record_epoch, known_end": "KAFKA-2143",
    },
    "kafka-2.0": {
        f"{CUT}, high_watermark": "KAFKA-7415: the leader knows where an epoch ends that it has no records of"
    },
    "kafka-2.7": {
        "expand_isr: isr, proposed_isr, controller_isr": "KIP-497: an ISR is proposed to the controller",
        "shrink_isr: proposed_isr": "KIP-497",
        "shrink_isr: isr, proposed_isr, controller_isr": "KIP-497",
        "shrink_isr: high_watermark, isr, proposed_isr, controller_isr": "KIP-497: the maximal ISR counts until it is decided",
        "shrink_isr: high_watermark, isr, proposed_isr, controller_isr, delivery, waiting_at, required_end": "KIP-497",
    },
    "kafka-2.8.0": {
        CUT: "KIP-595: logs are cut by fetches, not when a new leader is followed",
        "fetch: known_end": "KIP-595: who follows a leader that has yet to hear of it need not ask first where to cut",
        "fetch: high_watermark, known_end": "KIP-595",
        "expand_isr: proposed_isr": "KIP-595: such a follower may be let in",
    },
    "kafka-2.8": {"fetch: known_end": "KAFKA-13141: a fetch that diverges does not count"},
    "kafka-3.3": {
        "refuse_isr: isr, controller_isr": "KIP-841: a fenced broker is not let in",
        "grant_isr: has an effect, though the model refuses it": "KIP-841",
    },
    "kafka-3.5": {"restart: proposed_isr": "KIP-903: a restart voids what was asked for before it"},
    "kafka-3.1": {
        "learn_isr: high_watermark": "KAFKA-13091: the high watermark is looked at when the answer comes",
        "learn_isr: high_watermark, delivery, waiting_at, required_end": "KAFKA-13091",
    },
    "kafka-3.6": {
        "grant_isr: newest_epoch": "KAFKA-15021: a smaller ISR is no new leader epoch",
        "fence_follower: newest_epoch": "KAFKA-15021",
    },
    "kafka-4.1": {"lose_leader: controller_isr, eligible, last_leader": "KIP-966: the last leader is remembered"},
    "kafka-4.1 with min ISR 2": {
        "fail_over: eligible": "KIP-966: who leaves an ISR below the minimum stays eligible",
        "fence_follower: eligible": "KIP-966",
        "grant_isr: eligible": "KIP-966; that the high watermark stays then (KAFKA-15583) would only show after it",
    },
}
"""How brokers of the preset before that of a suite are otherwise than the suite says, and by which change of Kafka."""


@lru_cache(maxsize=1)
def suite(name: str) -> Suite:
    return suite_of(profiles()[preset_of(name)].bounded(**SUITES[name]), "transitions")


def preset_of(name: str) -> str:
    return name.partition(" ")[0]


def brokers_of(preset: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[Model], InProcessAdapter]:
    """Brokers of a version, whatever the model is that is held beside them."""

    @cache
    def own(*bounds: tuple[str, int]) -> Protocol:
        return protocol_of(profiles()[preset].bounded(**dict(bounds)))

    def make(model: Model) -> InProcessAdapter:
        protocol = own(*model.bounds.items())
        monkeypatch.setattr("neverlost.conformance.replication.adapter.protocol_of", lambda _: protocol)
        return InProcessAdapter(model)

    return make


def group(name: str) -> pytest.MarkDecorator:
    return pytest.mark.xdist_group(f"suite of {name}")


QUICK = {"kafka-2.1"}
"""By default brokers are tried with this suite, and pass that of min ISR 2; with all others only with `--thorough`."""


def grouped(names: Iterable[str], thorough: Container[str]) -> list[Any]:
    """The suites' names as parameters; some only with `--thorough`."""
    return [pytest.param(n, marks=[group(n), *([pytest.mark.thorough] if n in thorough else [])]) for n in names]


MOST_CASES = 25
"""So many cases of a suite are run, spread over all of it; with --thorough every case."""


@pytest.mark.parametrize("name", grouped(SUITES, SUITES.keys() - QUICK - {"kafka-4.1 with min ISR 2"}))
def test_brokers_pass_the_suite_of_their_version(name: str, thorough: bool) -> None:
    cases = suite(name).cases if thorough else spread(suite(name).cases, MOST_CASES)
    outcome = conform(suite(name).model, cases, InProcessAdapter)
    assert (outcome.failures, outcome.cases) == ((), len(cases))
    assert suite(name).covered == suite(name).goals
    assert outcome.attempts > 0


@pytest.mark.parametrize("name", grouped(WHERE_THEY_DIFFER, WHERE_THEY_DIFFER.keys() - QUICK))
def test_brokers_fail_the_next_suite_exactly_where_versions_differ(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    older = BEFORE[preset_of(name)]
    outcome = conform(suite(name).model, suite(name).cases, brokers_of(older, monkeypatch), until="all")
    assert set(outcome.kinds) == set(WHERE_THEY_DIFFER[name])
    assert len(outcome.failures) < outcome.cases
