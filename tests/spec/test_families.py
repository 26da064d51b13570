"""A protocol family is a line in `neverlost.spec.families` and folders of its own: studies and commands go over all of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from command_line import Run
from looked_at import page_read
from started_commands import started_commands

from neverlost.spec.families import FAMILIES, exposures, family_of, known_bugs, known_claims, known_faults, profiles
from neverlost.spec.family import Family

BROKER = "zookeeper.connect=localhost:2181\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
PRODUCER = "bootstrap.servers=localhost:9092\nacks=all\nretries=0\n"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_profile_names_its_family_and_begins_as_the_family_says(family: Family) -> None:
    assert family.profiles()
    for profile in family.profiles():
        assert family_of(profile) is family
        assert profile.name.startswith(family.beginning)


def test_no_two_families_share_a_name_a_profile_a_bug_a_claim_or_a_fault() -> None:
    for names in (
        [family.name for family in FAMILIES],
        list(profiles()),
        [name for bug in known_bugs() for name in bug.jira],
        [claim.id for claim in known_claims()],
        [fault.name for exposure in exposures().values() for fault in exposure.faults],
    ):
        assert len(names) == len(set(names))
    assert len(known_faults()) == sum(len(exposure.faults) for exposure in exposures().values())


def test_a_profile_of_no_family_is_asked_nothing_more() -> None:
    family = family_of(profiles()["kafka-4.1"].replacing("own", "Of a user.", family=""))
    assert (family.matrix(), family.exposure(), family.atomicity(), family.time_line()) == (None, None, None, None)
    assert (family.claims(), family.versions(), family.mutant_configurations()) == ((), (), ())


def test_every_family_of_dangers_gives_each_event_faults_that_it_has() -> None:
    for exposure in exposures().values():
        for faults in exposure.events.values():
            assert set(faults) <= {fault.name for fault in exposure.faults}
        assert {danger.concerns for danger in exposure.dangers} == set(exposure.changes)


@pytest.fixture(scope="module")
def started_with_two_phase() -> Iterator[Path]:
    """The program `neverlost` with a family more, two-phase commit, that lies in folders of its own."""
    with started_commands("with_two_phase") as folder:
        yield folder / "neverlost"


@pytest.fixture
def with_two_phase(started_with_two_phase: Path, tmp_path: Path) -> Run:
    """Its command line."""

    def run(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run([started_with_two_phase, *arguments], cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run


def test_the_family_of_the_tests_is_no_part_of_neverlost() -> None:
    assert "two_phase" not in [family.name for family in FAMILIES]
    assert find_spec("neverlost.conformance.two_phase") is None


def test_a_new_family_is_listed_and_checked_under_the_names_of_its_releases(with_two_phase: Run) -> None:
    assert "two-phase-kraft" in with_two_phase("list", "profiles")[1]
    code, out, err = with_two_phase("check", "two-phase-1.0", "--gives-up", "--coordinator-crashes", "1", "--quiet")
    assert code == 1
    assert "two-phase-1.0 behaves as two-phase-0.11 does." in err
    assert "committed_on_both is VIOLATED" in out
    assert with_two_phase("check", "two-phase-0.10")[0] == 2


def test_the_page_of_its_matrix_shows_all_of_it_at_first(with_two_phase: Run, tmp_path: Path) -> None:
    page = tmp_path / "matrix.html"
    assert with_two_phase("matrix", "two_phase", "--html", str(page), "--store", str(tmp_path))[0] == 0
    shown = page_read(page.read_text(encoding="utf-8"))
    boxes = shown.all("input")
    assert [box.attributes["value"] for box in boxes] == ["off", "on"]
    assert all("checked" in box.attributes for box in boxes)
    assert [head.words for head in shown.all("table", "cells")[0].all("th", "mode")] == ["ZooKeeper", "KRaft"]
    heads = [head for head in shown.all("th") if head.attributes.get("scope") == "row"]
    labels = {text for head in heads for text in head.content if isinstance(text, str)}
    assert labels == {"no crash", "1 coordinator crash", "2 coordinator crashes"}


def test_a_new_family_has_a_matrix(with_two_phase: Run, tmp_path: Path) -> None:
    path = tmp_path / "cells.json"
    code, out, _ = with_two_phase("matrix", "two_phase", "--gives-up", "--json", str(path), "--store", str(tmp_path))
    assert code == 0
    assert "Is a record ever committed on one partition only?" in out
    cells = {(c["profile"], c["faults"]["coordinator_crashes"]): c["verdict"] for c in json.loads(path.read_text())}
    assert {key for key, verdict in cells.items() if verdict == "violated"} == {
        ("two-phase-0.11", 1),
        ("two-phase-0.11", 2),
    }
    assert with_two_phase("matrix", "two_phases")[0] == 2


def test_a_new_family_has_bugs_in_the_ledger(with_two_phase: Run) -> None:
    code, out, _ = with_two_phase("bugs", "TOY-1")
    assert code == 0
    assert "On two-phase-0.11, in 7 steps" in out
    assert "KAFKA-1028" in with_two_phase("bugs")[1]


def test_an_audit_asks_about_the_dangers_of_a_new_family_and_finds_the_release_that_ends_one(
    with_two_phase, tmp_path: Path
) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    (folder / "broker.properties").write_text(BROKER, encoding="utf-8")
    (folder / "producer.properties").write_text(PRODUCER, encoding="utf-8")
    asked = ("audit", str(folder), "--survive", "pod-kill", "--store", str(tmp_path / "answers"))
    code, out, _ = with_two_phase(*asked, "--kafka-version", "1.1.1")
    assert code == 1
    assert "NOT SAFE with pod-kill: a record is committed on one partition and aborted on the other." in out
    assert "Fix: Upgrade Kafka from 1.1 to 2.0.0" in out
    code, out, _ = with_two_phase(*asked, "--kafka-version", "2.0.1")
    assert code == 0
    words = " ".join(out.split())
    assert "It assumes that no exchange is delayed, the controllers lose no decision" in words
    assert "no partition forgets what it promised" in words.split("What may happen")[0]


def test_suites_of_a_new_family_judge_its_adapter(with_two_phase: Run, tmp_path: Path) -> None:
    suite, chosen = str(tmp_path / "suite"), ("--gives-up", "--coordinator-crashes", "1")
    assert with_two_phase("suite", "two-phase-2.0", *chosen, "--out", suite)[0] == 0
    code, out, _ = with_two_phase("conform", suite, "--adapter", "two-phase")
    assert code == 0
    assert "all passed" in out
