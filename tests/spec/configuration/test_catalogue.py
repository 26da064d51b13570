"""Kafka's keys by role and version, and what is taken for a slip of the pen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.spec.configuration.catalogue import OLD_NAMES, ROLES, catalogue, slip_of, slips
from neverlost.spec.configuration.defaults import CONFIGURATION_KEYS, keys_that_matter
from neverlost.spec.configuration.versions import at_least, known_versions


@pytest.mark.parametrize(
    ("role", "key", "since", "until"),
    [
        ("producer", "acks", "0.8.2", None),
        ("producer", "enable.idempotence", "0.11", None),
        ("producer", "delivery.timeout.ms", "2.1", None),
        ("producer", "block.on.buffer.full", "0.8.2", "0.10.2"),
        ("producer", "request.required.acks", "0.8.2", "1.1"),
        ("consumer", "group.id", "0.8.2", None),
        ("consumer", "isolation.level", "0.11", None),
        ("consumer", "group.protocol", "3.7", None),
        ("consumer", "auto.commit.enable", "0.8.2", "1.1"),
        ("broker", "process.roles", "2.8", None),
        ("broker", "zookeeper.connect", "0.8.2", "3.9"),
        ("broker", "inter.broker.protocol.version", "0.9", "3.9"),
        ("topic", "min.insync.replicas", "0.8.2", None),
        ("topic", "remote.storage.enable", "3.0", None),
        ("topic", "max.decompressed.message.bytes", "4.2", None),
        ("producer", "partitioner.rack.aware", "4.4", None),
        ("broker", "alter.config.policy.kraft.compatibility.enable", "3.9", "3.9"),
    ],
)
def test_a_key_is_there_from_one_version_to_another(role: str, key: str, since: str, until: str | None) -> None:
    found = [version for version in known_versions() if catalogue().has(role, key, version)]
    last = until or known_versions()[-1]
    assert found == [v for v in known_versions() if at_least(v, since) and at_least(last, v)]


def test_every_key_that_matters_is_in_the_catalogue_from_where_it_has_a_default() -> None:
    for setting in CONFIGURATION_KEYS:
        names = {setting.key, *(old for old, new in OLD_NAMES.get(setting.role, {}).items() if new == setting.key)}
        assert min(catalogue().keys[setting.role][name].since for name in names) == setting.defaults[0][0], setting.key
    for role in ROLES:
        assert keys_that_matter(role) | set(OLD_NAMES.get(role, ())) <= set(catalogue().keys[role])


def test_no_known_key_is_taken_for_a_slip_where_it_belongs() -> None:
    assert "acks" not in catalogue().keys["broker"]
    assert catalogue().nearest("producer", "linger") == "linger.ms"
    assert catalogue().nearest("producer", "zzz") is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ack", "acks"),
        ("ackss", "acks"),
        ("akcs", "acks"),
        ("ACKS", "acks"),
        ("asks", "acks"),
        ("tasks", None),
        ("acks", None),
    ],
)
def test_a_slip_of_the_pen_is_a_letter_or_two(written: str, meant: str | None) -> None:
    assert slip_of(written, ["acks"]) == meant


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_slips_are_a_distance(one: str, other: str) -> None:
    assert slips(one, other) == slips(other, one)
    assert (slips(one, other) == 0) is (one == other)
    assert abs(len(one) - len(other)) <= slips(one, other) <= max(len(one), len(other))
