"""Suites from mutants are kept: the second time they are read, and anything that they depend on makes them anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neverlost.conformance.suite.kept_suites import KeptSuite, SuiteKey, keep_suite, read_suite
from neverlost.spec import profiles

KEY = SuiteKey(profile=profiles()["kafka-4.1"], adapter="inprocess", given={"replicas": 2}, most_states=100)
KEPT = KeptSuite(suite="{}", cases="", about="no case", kills="short", kills_in_full="long")


def test_a_kept_suite_is_read_as_it_was_kept(tmp_path: Path) -> None:
    assert read_suite(tmp_path, KEY) is None
    keep_suite(tmp_path, KEY, KEPT)
    assert read_suite(tmp_path, KEY) == KEPT


@pytest.mark.parametrize(
    "other",
    [
        replace(KEY, profile=profiles()["kafka-4.0"]),
        replace(KEY, adapter="kafka"),
        replace(KEY, given={"replicas": 3}),
        replace(KEY, most_states=101),
    ],
    ids=["version", "adapter", "bounds", "states"],
)
def test_another_question_has_another_suite(tmp_path: Path, other: SuiteKey) -> None:
    keep_suite(tmp_path, KEY, KEPT)
    assert read_suite(tmp_path, other) is None


def test_a_damaged_file_does_not_count(tmp_path: Path) -> None:
    keep_suite(tmp_path, KEY, KEPT)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert read_suite(tmp_path, KEY) is None


def test_what_depends_on_a_file_of_the_user_is_not_kept(tmp_path: Path) -> None:
    own = replace(KEY, adapter="broker.py:make")
    keep_suite(tmp_path, own, KEPT)
    assert read_suite(tmp_path, own) is None
    assert not list(tmp_path.iterdir())


def test_without_a_folder_nothing_is_kept() -> None:
    keep_suite(None, KEY, KEPT)
    assert read_suite(None, KEY) is None
