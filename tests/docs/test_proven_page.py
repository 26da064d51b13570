"""What the page of proofs and refutations says is what the golden table says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest

from neverlost.explorer.symbolic.proof import prove
from neverlost.model.core import Model, Profile
from neverlost.model.core.source import defined
from neverlost.model.kafka.replication.state import ACKS_ALL, Partition
from neverlost.spec.golden import GoldenFinding, golden_rows
from neverlost.spec.kafka.replication.assumptions import assumed
from neverlost.spec.kafka.replication.versions import VERSIONS, version_named

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "what-is-proven.md").read_text(encoding="utf-8")
BOUNDS = {"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": 3}
ROWS = re.findall(r"^\| `(published/[\w-]+)` \| ([\d,]+) \| (.+?) \| (.+?) \|$", PAGE, flags=re.MULTILINE)
HEADLINES = re.findall(
    r"^\| (?:no record acknowledged with acks=all is lost|the same), with `(--[\w -]+)`.* \| (`kafka-.+`) \| (.+) \|$",
    PAGE,
    flags=re.MULTILINE,
)
SETTINGS = {
    "--forgets-known-ends": "keeps_known_ends",
    "--no-counts-diverging-fetch": "counts_diverging_fetch",
    "--no-registers-unfenced": "registers_unfenced",
}
"""What each option of the rows sets to false."""
FAULTS = dict.fromkeys(("crashes", "leader_moves", "shutdowns", "pauses", "retries"), 2)
SIZES = re.compile(r"(\d) replicas, log size (\d), (\d) values?, (\d) leader epochs")
PROVEN = [
    (version, tuple(options.split()), tuple(map(int, sizes)))
    for options, versions, within in HEADLINES
    for version in re.findall(r"`(kafka-[\w.-]+)`", versions)
    for sizes in SIZES.findall(within)
]


def headline(version: Profile, options: tuple[str, ...], sizes: tuple[int, ...] = (3, 1, 1, 3)) -> Model:
    bounds = dict(zip(("replicas", "log_size", "values", "leader_epochs"), sizes, strict=True))
    off = {SETTINGS[option]: False for option in options}
    return version.bounded(**bounds, **FAULTS, acks=ACKS_ALL, min_isr=2, **off)


def may_be_proven(model: Model) -> bool:
    (start,) = model.initial_states()[:1]
    return assumed(cast(Partition, model.state(start)))


def said(finding: GoldenFinding) -> str:
    if finding.trace_length is None:
        return finding.verdict
    return f"refuted in {finding.trace_length - 1} steps"


@pytest.mark.parametrize(("profile", "distinct", "weak", "strong"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_of_the_page_is_a_golden_row(profile: str, distinct: str, weak: str, strong: str) -> None:
    (row,) = (r for r in golden_rows() if r.profile == profile and dict(r.bounds) == BOUNDS and not r.symmetry)
    assert int(distinct.replace(",", "")) == row.distinct
    assert (weak, strong) == (said(row.findings["weak_isr"]), said(row.findings["strong_isr"]))


def test_the_page_has_all_five_protocols() -> None:
    assert len(ROWS) == 5
    assert "all 4,093,531 states at 3 replicas, log size 3, 3 records, 3 leader epochs" in PAGE
    largest = {"replicas": 3, "log_size": 3, "records": 3, "leader_epochs": 3}
    (row,) = (r for r in golden_rows() if r.profile == "published/kip-320" and dict(r.bounds) == largest)
    assert row.distinct == 4_093_531
    assert {row.findings[name].verdict for name in ("weak_isr", "strong_isr")} == {"holds"}


@pytest.mark.thorough
def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL):
        defined(block, "what-is-proven.md", {})
    assert "11. become_leader" in capsys.readouterr().out


def test_every_version_with_lemmas_is_in_one_row_with_no_option_that_it_can_do_without() -> None:
    rows = {version: options for version, options, _ in PROVEN}
    named = [name for _, versions, _ in HEADLINES for name in re.findall(r"`(kafka-[\w.-]+)`", versions)]
    assert sorted(set(named)) == sorted(version.name for version in VERSIONS if version.lemmas)
    assert len(HEADLINES) == 4
    for name, options in rows.items():
        assert may_be_proven(headline(version_named(name), options)), name
        for left_out in options:
            fewer = tuple(option for option in options if option != left_out)
            assert not may_be_proven(headline(version_named(name), fewer)), (name, left_out)


@pytest.mark.thorough
@pytest.mark.parametrize(("version", "options", "sizes"), PROVEN, ids=str)
def test_what_a_row_says_is_proven(version: str, options: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    proof = prove(headline(version_named(version), options, sizes), "acked_never_lost")
    assert (proof.verdict, proof.method, proof.unknown) == ("proven", "induction", ())
