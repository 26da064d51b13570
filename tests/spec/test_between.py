"""What changed between two releases: as tickets and the ledger say it, not as the code under test does."""

from __future__ import annotations

import pytest

from neverlost.model.core import UnknownNameError
from neverlost.spec.between import Between, between, release_meant
from neverlost.spec.kafka.releases import RELEASES


def sources(found: Between, release: str) -> str:
    return " ".join(
        rule.source for of_family in found.rules.values() for having, rule in of_family if having == release
    )


def rules_of(found: Between) -> set[tuple[str, str, str]]:
    return {(name, having, rule.rule) for name, of_family in found.rules.items() for having, rule in of_family}


def names(found: Between, release: str) -> set[str]:
    return {bug.name for bug in found.losses[release]}


@pytest.mark.parametrize(
    ("name", "release"), [("3.9", "3.9.2"), ("3.9.0", "3.9.0"), ("0.8", "0.8.2.2"), ("4", "4.4.0")]
)
def test_a_line_is_its_newest_release(name: str, release: str) -> None:
    assert release_meant(name) == release


@pytest.mark.parametrize("name", ["", "3.", "9", "4.1.11", "kafka-4.1"])
def test_what_is_no_release_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError):
        release_meant(name)


def test_what_4_1_changed_since_3_9() -> None:
    found = between("3.9", "4.1")
    assert (found.first, found.second, found.mode) == ("3.9.2", "4.1.2", "KRaft")
    assert "KAFKA-18106" in sources(found, "3.9.2")
    for ticket in ("KIP-966", "KIP-996", "KIP-890, part 2"):
        assert ticket in sources(found, "4.1.2")
    assert "KAFKA-18991" not in sources(found, "3.9.2") + sources(found, "4.1.2")
    assert {"KIP-966", "KAFKA-18106", "KAFKA-17754"} <= names(found, "3.9.2")
    assert {"a-lost-commit", "a-moved-log-directory"} <= names(found, "4.1.2")
    assert "kept-known-ends" not in names(found, "3.9.2") | names(found, "4.1.2")


def test_the_fix_of_a_branch_is_found_where_one_release_lacks_it() -> None:
    assert "KAFKA-18991" in sources(between("3.9.0", "4.1"), "4.1.2")
    assert names(between("3.9.0", "3.9.1"), "3.9.0") >= {"KAFKA-18991", "KAFKA-18723"}


def test_the_order_does_not_matter_and_a_release_does_not_differ_from_itself() -> None:
    one, other = between("2.8", "4.1"), between("4.1", "2.8")
    assert rules_of(one) == rules_of(other)
    assert one.losses == other.losses
    assert "ZooKeeper" in one.mode
    for release in RELEASES:
        same = between(release, release)
        assert (same.rules, set(same.losses.values())) == ({}, {()})


def test_a_mode_that_one_does_not_have_is_refused() -> None:
    assert between("3.1", "3.9", "zookeeper").mode == "ZooKeeper"
    with pytest.raises(UnknownNameError, match=r"no mode of both 3\.9\.2 and 4\.1\.2 is named 'zookeeper'"):
        between("3.9", "4.1", "zookeeper")
