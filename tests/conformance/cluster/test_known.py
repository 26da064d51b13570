"""What is known of real brokers: every scenario has a run, the page shows what came of it, and one is played here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from neverlost.conformance.adapter import CannotSchedule
from neverlost.conformance.cluster.known import known
from neverlost.conformance.cluster.planning import plan_of
from neverlost.conformance.cluster.releases import RunnableRelease, release_named, runnable_releases
from neverlost.conformance.cluster.scenarios import play, scenarios
from neverlost.spec.kafka.replication.differences import TIME_LINE

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "real-brokers.md"
WRITTEN = [scenario for scenario in scenarios() if scenario.steps]


def places() -> list[tuple[str, str, str]]:
    """Every scenario with the releases that it names, and the version whose run is played there."""
    return [
        (scenario.name, place, version)
        for scenario in scenarios()
        for where in (scenario.shown, scenario.not_shown)
        for place, version in where.items()
    ]


@pytest.mark.parametrize("scenario", WRITTEN, ids=lambda scenario: scenario.name)
def test_a_run_that_is_written_down_is_one_of_its_model_and_can_be_scheduled(scenario: object) -> None:
    for version in {**scenario.shown, **scenario.not_shown}.values():  # type: ignore[attr-defined]
        trace = scenario.trace(version)  # type: ignore[attr-defined]
        plan_of(trace.model, trace.steps)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "version"), sorted({(name, version) for name, _, version in places()}))
def test_the_model_finds_the_run_of_every_scenario_and_it_can_be_scheduled(name: str, version: str) -> None:
    (scenario,) = scenarios([name])
    trace = scenario.trace(version)
    try:
        plan_of(trace.model, trace.steps)
    except CannotSchedule as error:
        pytest.fail(str(error))


def test_a_scenario_that_a_release_shows_is_the_run_of_the_version_that_speaks_for_it() -> None:
    for scenario in scenarios():
        for place, version in scenario.shown.items():
            number, _, mode = place.partition("/")
            release = release_named(number, mode or None)
            assert version == TIME_LINE.version_name(release.version, release.mode), (scenario.name, place)


def test_the_page_has_the_outcome_of_every_scenario_on_every_release_and_all_is_as_known() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("<!-- known: begin -->")[2].partition("<!-- known: end -->")[0]
    shown = set()
    for section in table.split("### ")[1:]:
        name = section.splitlines()[0]
        shown |= {(name, found) for found in re.findall(r"^\| (\S+ with \S+) \|", section, flags=re.MULTILINE)}
    wanted = {(name, str(release_named(*where(place)))) for name, place, _ in places()}
    assert shown == wanted
    assert "not as known" not in table


def where(place: str) -> tuple[str, str | None]:
    number, _, mode = place.partition("/")
    return number, mode or None


@pytest.mark.brokers
@pytest.mark.xdist_group("brokers")
def test_a_real_broker_loses_a_record_with_acks_one_as_the_model_says(
    runnable: Callable[..., RunnableRelease],
) -> None:
    runnable("0.10.2.2")
    (played,) = play(known(["acks-1"], ["0.10.2.2"])[0])
    (run,) = played.runs
    assert played.as_known, [step.refusal or step.differences for step in run.steps]
    assert run.lost == (0,)
    assert all(step.as_the_run for step in run.steps)
    assert run.final is not None
    assert run.final.logs == {1: (), 2: (), 3: ()}


DIFFERING = {
    "0.9.0.0 with ZooKeeper": "differs in run 1, 10",
    "2.5.1 with ZooKeeper": "differs in run 7, 10",
    "2.8.0 with ZooKeeper": "differs in run 2",
    "2.8.2 with ZooKeeper": "differs in run 5, 9",
    "3.1.2 with ZooKeeper": "differs in run 10",
    "3.3.2 with ZooKeeper": "differs in run 23",
    "3.6.2 with KRaft": "differs in run 4",
}
"""Runs of which the page says what they show."""


def test_the_page_has_a_row_for_every_release_and_mode_with_its_version_and_only_differences_that_it_speaks_of() -> (
    None
):
    table = PAGE.read_text(encoding="utf-8").split("<!-- versions: begin -->")[1].split("<!-- versions: end -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if " with " in line]
    wanted = {
        (f"{release} with {mode}", mode, release) for release, modes in runnable_releases().items() for mode in modes
    }
    assert {row[0] for row in rows} == {name for name, _, _ in wanted}
    versions = {row[0]: row[1].strip("`") for row in rows}
    assert versions == {name: TIME_LINE.version_name(release, mode) for name, mode, release in wanted}
    assert {row[0]: row[4] for row in rows} == {name: DIFFERING.get(name, "conforms") for name, _, _ in wanted}
    assert all(int(row[3].replace(",", "")) > 0 for row in rows)
