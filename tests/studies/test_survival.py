"""What a deployment should survive, said by events: each is asked about by itself, and the verdict names those that it does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sampling import quick_one_in
from shell_blocks import ROOT

import neverlost as nl
from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.verdict import Verdict
from neverlost.reports.audit.wording import headline
from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment
from neverlost.spec.faults import Faults
from neverlost.studies.audit import examination
from neverlost.studies.audit.examination import Examination, examine, plan, tolerance_of

FILES = sorted((ROOT / "examples" / "audit" / "good").iterdir())
ASSUMED = (
    "no exchange is delayed, the controllers lose no decision and no producer sends memory of an expired batch that it has used"
    " again (KAFKA-19012)"
)


@pytest.fixture(scope="module")
def good() -> Deployment:
    return read_deployment([str(path) for path in FILES])


def crash(count: int) -> Faults:
    return Faults.of({"crashes": count})


def examined(
    good: Deployment, survive: str, monkeypatch: pytest.MonkeyPatch, verdicts: dict[Faults, Verdict]
) -> tuple[Examination, list[Faults]]:
    """An examination whose answers are given, by faults; the others hold. And what was asked about."""
    asked: list[Faults] = []

    def answers_to(_: object, questions: Sequence[tuple[Any, Any, Faults]]) -> list[Answer]:
        asked.extend(faults for _, _, faults in questions)
        return [
            Answer(
                verdict=verdicts.get(faults, Verdict.HOLDS), distinct=1, depth=1, complete=True, hidden=0, trace=None
            )
            for _, _, faults in questions
        ]

    monkeypatch.setattr(examination, "answers_to", answers_to)
    return examine(good, tolerance_of(None, survive), None), asked  # type: ignore[arg-type]


def test_each_event_is_asked_about_by_itself(good: Deployment) -> None:
    sets = {faults for found in plan(good, tolerance_of(None, "pod-kill,node-loss")).values() for faults in found}
    assert sets == {Faults(), crash(1), Faults.of({"power_losses": 1})}
    together = {
        faults for found in plan(good, tolerance_of("1 crash, 1 power loss", None)).values() for faults in found
    }
    assert Faults.of({"crashes": 1, "power_losses": 1}) in together


def test_what_holds_with_the_faults_of_an_event_is_not_asked_with_fewer(
    good: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, asked = examined(good, "pod-kill,rolling-restart", monkeypatch, {})
    whole = Faults.of({"leader_moves": 1, "shutdowns": 2})
    assert set(asked) == {crash(1), whole}
    assert found.exit_code == ExitCode.HOLDS
    assert headline(found).startswith("SAFE with pod-kill and rolling-restart")


CONTROLLERS = ROOT / "examples" / "audit" / "controllers" / "controller.properties"


@pytest.mark.parametrize("asked", quick_one_in(2, [{"survive": "rolling-restart"}, {"tolerate": "1 crash"}]))
def test_faults_of_brokers_are_no_question_about_controllers_alone(asked: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="this is asked of topics, and no file is of one"):
        nl.audit(CONTROLLERS, kafka_version="3.9.1", store=tmp_path, **asked)  # type: ignore[arg-type]
    assert not list(tmp_path.rglob("*.answer")), "it was refused after searches"


def test_a_section_says_with_which_named_faults_it_is_safe_or_not(store: Path) -> None:
    """Controllers with static voters survive two crashes, and not a lost disk."""
    for faults, said in (
        ("2 quorum crashes", "SAFE with 2 crashes"),
        ("1 quorum disk loss", "NOT SAFE with 1 disk loss"),
    ):
        found = nl.audit(CONTROLLERS, kafka_version="3.9.1", tolerate=faults, store=store)
        (section,) = found.to_dict()["sections"]
        assert f"\n{said}" in found.text()
        assert "any single fault" not in found.text()
        assert sum(section["tolerance"].values()) == int(faults[0])


def test_the_verdict_names_the_events_that_it_does_not_survive_and_those_that_it_does(
    good: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Faults.of({"leader_moves": 1, "shutdowns": 2})
    found, asked = examined(good, "pod-kill,rolling-restart", monkeypatch, {whole: Verdict.VIOLATED})
    assert Faults.of({"leader_moves": 1}) in asked
    assert found.exit_code == ExitCode.VIOLATED
    assert "NOT SAFE with rolling-restart: " in headline(found)
    assert f"It survives pod-kill, if {ASSUMED}." in headline(found)


def test_an_event_within_a_larger_one_that_holds_is_survived_too(
    good: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = "preferred-election,pod-kill,rolling-restart"
    found, asked = examined(good, events, monkeypatch, {crash(1): Verdict.VIOLATED})
    assert Faults.of({"leader_moves": 1}) not in asked
    assert f"It survives preferred-election and rolling-restart, if {ASSUMED}." in headline(found)


def test_an_event_that_is_undecided_is_not_survived(good: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Faults.of({"leader_moves": 1, "shutdowns": 2})
    found, _ = examined(good, "pod-kill,rolling-restart", monkeypatch, {whole: Verdict.UNDECIDED})
    assert found.exit_code == ExitCode.UNDECIDED
    assert "UNDECIDED" in headline(found)
    assert "It survives" not in headline(found)


def test_faults_and_events_do_not_go_together() -> None:
    with pytest.raises(ConfigurationError, match="say the same in two ways"):
        tolerance_of("1 crash", "pod-kill")
    assert tolerance_of(None, None) is None
