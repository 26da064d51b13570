"""The answers that ship with neverlost: a search finds the same, and the audit of a common configuration needs none."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Run

import neverlost as nl
from neverlost.explorer.answers.questions import Question, ask
from neverlost.explorer.answers.shipped import ShippedAnswers, read_shipped
from neverlost.explorer.search import Limits
from neverlost.spec.configuration import read_deployment
from neverlost.spec.kafka.replication.versions import VERSIONS, version_named
from neverlost.studies.audit import shipped
from neverlost.studies.audit.common import common_configurations, common_deployments

pytestmark = pytest.mark.xdist_group("shipped answers")

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "audit"
GOOD, ONE_REPLICA = (
    [str(path) for path in sorted((EXAMPLES / name).iterdir()) if path.name != "consumer.properties"]
    for name in ("good", "replication-factor-1")
)
SEARCHED, SEARCHED_BY_DEFAULT = 200, 24
MOST_STATES = 20_000
"""So many answers are searched for anew, spread over all that need at most so many states."""

Asked = list[tuple[Question, Mapping[str, Any]]]
HEAVY = {"llvmlite", "numpy", "z3", "neverlost.explorer.compile"}


@pytest.fixture(scope="module")
def kept() -> ShippedAnswers:
    return read_shipped(shipped.FILE)


@pytest.fixture(scope="module")
def asked(kept: ShippedAnswers, pytestconfig: pytest.Config) -> Asked:
    """Questions of the file, their models built anew, with what is written of their answers: of one search in six by default."""
    lines = list(dict.fromkeys(kept.searches.values()))
    some = frozenset(lines if pytestconfig.getoption("--thorough") else lines[::15])
    part = {key: line for key, line in kept.searches.items() if line in some}
    return list(replace(kept, searches=part).questions(version_named))


def test_shipped_answers_are_to_questions_about_the_model_as_it_is_now(asked: Asked) -> None:
    stale = [question.model.profile.name for question, found in asked if not question.key.startswith(found["key"])]
    assert stale == [], "the model has changed: run make answers"
    assert len({question.key for question, _ in asked}) == len(asked)


def test_shipped_answers_are_read_and_their_traces_replay(kept: ShippedAnswers, asked: Asked) -> None:
    found = [kept.answer(question) for question, _ in asked]
    assert all(answer is not None and answer.verdict != "undecided" for answer in found)
    assert len([answer for answer in found if answer and answer.trace]) > 100


def test_a_sample_searched_anew_gives_the_same_answers(
    kept: ShippedAnswers, asked: Asked, pytestconfig: pytest.Config
) -> None:
    small = [question for question, found in asked if found["distinct"] <= MOST_STATES]
    wanted = SEARCHED if pytestconfig.getoption("--thorough") else SEARCHED_BY_DEFAULT
    sample = small[:: len(small) // wanted]
    found = [ask(question, Limits()) for question in sample]
    assert found == [kept.answer(question) for question in sample]
    assert len(sample) >= wanted
    assert {answer.verdict for answer in found} == {"holds", "violated"}


def test_an_answer_is_not_used_for_a_model_that_has_changed(kept: ShippedAnswers, asked: Asked) -> None:
    question, _ = asked[0]
    model = question.model
    changed = model.profile.replacing(model.profile.name, model.profile.statement, restart=None)
    settings = {**model.bounds, **model.settings}
    assert kept.answer(replace(question, model=model.profile.bounded(**settings))) is not None
    assert kept.answer(replace(question, model=changed.bounded(**settings))) is None
    assert kept.answer(replace(question, model=model.profile.bounded(**{**settings, "log_size": 3}))) is None


def audited(path: Path, run: Run, *arguments: str) -> tuple[set[str], list[dict[str, Any]], str]:
    """Where the answers of an audit come from, what it finds without saying that, and what it says on standard error."""
    code, _, err = run("audit", *arguments, "--json", str(path))
    assert code in {0, 1}
    classes = json.loads(path.read_text(encoding="utf-8"))["classes"]
    findings = [finding for one in classes for finding in one["findings"]]
    origins = {finding.pop("from") for finding in findings}
    return origins, findings, err


def test_each_finding_says_where_it_comes_from_and_is_the_same_from_everywhere(tmp_path: Path, run: Run) -> None:
    place, common = tmp_path / "audit.json", ("--store", str(tmp_path), *ONE_REPLICA)
    shipped_ones, findings, _ = audited(place, run, *common)
    searched, same, _ = audited(place, run, *common, "--search")
    stored, again, _ = audited(place, run, *common, "--search")
    assert (shipped_ones, searched, stored) == ({"shipped"}, {"search"}, {"store"})
    assert findings == same == again


def test_a_damaged_file_costs_time_and_no_answer(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "answers.ndjson"
    damaged.write_bytes(shipped.FILE.read_bytes()[:-1])
    monkeypatch.setattr(shipped, "FILE", damaged)
    origins, _, err = audited(
        tmp_path / "audit.json", run, "--store", str(tmp_path), "--tolerate", "1 crash", *ONE_REPLICA
    )
    assert origins == {"search"}
    assert err.splitlines()[0] == (
        f"warning: {damaged} is not as it was written. Every question is searched, which takes longer. Install neverlost again."
    )


def test_from_python_the_same_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FILE", tmp_path / "none.ndjson")
    with pytest.warns(UserWarning, match=r"none\.ndjson is not there\. Every question is searched"):
        assert nl.audit(*ONE_REPLICA, tolerate="1 pause").verdict == "holds"


def test_python_audits_without_shipped_answers_if_asked() -> None:
    origins = [
        {finding["from"] for finding in nl.audit(*ONE_REPLICA, tolerate="1 pause", search=search).findings}
        for search in (False, True)
    ]
    assert origins == [{"shipped"}, {"search"}]


AUDITED = """
import sys
from neverlost.cli.main import main
code = main(sys.argv[1:])
print(" ".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def test_the_first_audit_of_a_common_configuration_searches_nothing_and_compiles_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "NEVERLOST_CACHE": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", AUDITED, "audit", *GOOD], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    assert "All answers came with neverlost;" in " ".join(ran.stdout.split())
    assert set(ran.stderr.split()) & HEAVY == set()
    assert not (tmp_path / "cache").exists()


def test_every_example_of_one_topic_is_common_but_the_oldest(run: Run, tmp_path: Path, thorough: bool) -> None:
    for folder in sorted(EXAMPLES.iterdir())[:: 1 if thorough else 4]:
        if folder.name not in ("version-with-a-hole", "many-topics", "consumer", "controllers", "exactly-once"):
            files = [str(path) for path in sorted(folder.iterdir()) if path.name != "consumer.properties"]
            origins, _, _ = audited(tmp_path / "audit.json", run, *files)
            assert origins == {"shipped"}, folder.name


def test_every_version_is_among_the_common_configurations(tmp_path: Path) -> None:
    first = {
        (found.release, found.mode): found
        for found in common_configurations()
        if not (found.consumer or found.producer.keys)
    }
    read = [
        read_deployment(configuration.written(tmp_path / str(number)), kafka_version=configuration.release)
        for number, configuration in enumerate(first.values())
    ]
    assert {deployment.profile for deployment in read} == {version.name for version in VERSIONS}


def test_the_tool_adds_what_a_configuration_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = tmp_path / "answers.ndjson"
    written.write_bytes(shipped.FILE.read_bytes())
    tool = runpy.run_path(str(ROOT / "tools" / "shipped_answers.py"))
    first = next(common_deployments(tmp_path))
    added = tool["add"].__globals__
    monkeypatch.setitem(added, "FILE", written)
    monkeypatch.setitem(added, "common_deployments", lambda _: iter([first]))
    monkeypatch.setitem(added, "still_known", lambda _: {})
    tool["add"]()
    kept = read_shipped(written)
    asked = {question.property for question, _ in kept.questions(version_named)}
    assert {"acked_never_lost", "written_once"} <= asked


def test_common_configurations_come_in_the_order_of_their_rank() -> None:
    ranks = [configuration.rank for configuration in common_configurations()]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0
