"""The matrix: every cell of the page has its story, what a search answers is what the page says, and answers are kept."""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path

import pytest
from golden_text import expect_golden
from ledgers.claims_record import KEY_LENGTH, recorded

from neverlost.cli.main import main
from neverlost.explorer.answers import questions
from neverlost.explorer.answers.questions import Answers, Question
from neverlost.explorer.search import Limits, explore
from neverlost.model.core import BoundsError, Profile
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec.kafka.replication.matrix import MATRIX
from neverlost.spec.kafka.replication.versions import REPLICATING, VERSIONS, replicating_like, version_named
from neverlost.spec.matrix import Cell

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "matrix.md").read_text(encoding="utf-8")
UNSEEN = "†"
"""What marks a run in the README that needs a step which no broker was seen to do."""
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES = [version.name for version in REPLICATING]
Place = tuple[str, str, str, str, str, int]
PROPERTY = "acked_never_lost"
USUAL = MATRIX.cells()


def place(cell: Cell) -> Place:
    return (*cell.words, cell.version.name, *cell.column)


def said() -> dict[Place, str]:
    """What the page says of each cell, links included."""
    found: dict[Place, str] = {}
    for acks, min_isr, unclean, body in re.findall(
        r"^## acks=(\w+), min.insync.replicas=(\d), unclean election (on|off)\n(.*?)(?=^#)",
        PAGE,
        flags=re.MULTILINE | re.DOTALL,
    ):
        for line in re.findall(r"^\| (\d.*) \|$", body, flags=re.MULTILINE):
            versions, *texts = line.split(" | ")
            first, _, last = versions.partition(" to ")
            span = NAMES[NAMES.index(f"kafka-{first}") : NAMES.index(f"kafka-{last or first}") + 1]
            for version in span:
                for column, text in zip(MATRIX.columns, texts, strict=True):
                    found[(acks, min_isr, unclean, version, *column)] = text
    return found


SAID = said()
SAMPLE = [
    cell
    for cell in USUAL
    if cell.version.name in ("kafka-0.8", "kafka-4.1") and cell.column in (("1 crash", 0), ("1 power loss", 0))
]


def test_the_page_tells_of_every_cell() -> None:
    assert set(SAID) == {place(cell) for cell in USUAL}
    assert len(SAID) == 2080


def test_every_loss_of_the_page_leads_to_its_story() -> None:
    stories = {
        int(number): text
        for number, text in re.findall(r"^## Story (\d+)\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
    }
    linked = set()
    for text in SAID.values():
        matched = re.fullmatch(r"ok\*?|\[(\d+)\]\(#story-(\d+)\)", text)
        assert matched is not None, text
        if matched[2] is not None:
            linked.add(int(matched[2]))
            steps = re.findall(r"^ *(\d+)\. ", stories[int(matched[2])], flags=re.MULTILINE)
            assert steps[-1] == matched[1]
            assert "was acknowledged" in stories[int(matched[2])]
    assert linked == set(stories)


def test_a_search_answers_what_the_page_says() -> None:
    questions = {Question(model=c.model(), property=PROPERTY).key: c for c in SAMPLE}
    asked = [Question(model=c.model(), property=PROPERTY) for c in SAMPLE]
    for question, answer in Answers(None).ask_all(asked):
        text = SAID[place(questions[question.key])]
        assert answer.complete or answer.trace is not None
        assert text == ("ok" if answer.trace is None else f"[{answer.steps}]({text.split('(')[-1]}")


def by_claims(**faults: int) -> dict[str, str]:
    """What the record of the claims has of every version under these faults, as the README writes it."""
    rows = {row["key"]: row for row in recorded()["answers"]}
    found = {}
    for version in REPLICATING:
        model = version.bounded(acks=ACKS_ALL, min_isr=2, unclean=0, **faults)
        row = rows.get(Question(model=model, property=PROPERTY).key[:KEY_LENGTH])
        if row is not None:
            steps = row["steps"]
            found[version.name] = str(len(steps)) if steps is not None else "holds*" if row["hidden"] else "holds"
    return found


def test_the_readme_says_what_the_page_and_the_record_of_the_claims_say() -> None:
    table = re.search(r"\| version \| 3 leader moves .*?\n\n", README, flags=re.DOTALL)
    assert table is not None
    columns = [("1 crash", 1), ("2 crashes", 0), ("1 power loss", 0), ("2 power losses", 0)]
    seen, moves, restarts = [], by_claims(leader_moves=3), by_claims(leader_moves=1, shutdowns=2)
    with_controller = by_claims(leader_moves=1, shutdowns=2, controller_changes=1)
    for line in table[0].splitlines()[2:-1]:
        names, by_moves, by_restarts, *texts, _, _ = line.replace(UNSEEN, "").strip("| ").split(" | ")
        first, *last = re.findall(r"kafka-[\d.]+(?:-\w+)?", names)
        versions = [version.name for version in VERSIONS]
        span = versions[versions.index(first) : versions.index((last or [first])[-1]) + 1]
        seen += span
        for version in [replicating_like(version_named(name)).name for name in span]:
            found = restarts[version]
            if found.startswith("holds") and version in with_controller:
                found = f"{with_controller[version]}‡"
            assert (moves[version], found) == (by_moves, by_restarts), version
            for column, text in zip(columns, texts, strict=True):
                cell = SAID[("all", "2", "off", version, *column)]
                assert re.sub(r"\[(\d+)\].*", r"\1", cell).replace("ok", "holds") == text, (version, column)
    assert seen == [version.name for version in VERSIONS]


def test_the_readme_says_in_how_many_steps_one_delay_loses_a_record() -> None:
    table = re.search(r"\| version \| 3 leader moves .*?\n\n", README, flags=re.DOTALL)
    assert table is not None
    for line in table[0].splitlines()[2:-1]:
        first = re.findall(r"kafka-[\d.]+(?:-\w+)?", line)[0]
        model = version_named(first).bounded(acks=ACKS_ALL, min_isr=2, unclean=0, leader_moves=1, delays=1)
        trace = explore(model, properties=[PROPERTY], symmetry=True).findings[PROPERTY].trace
        assert trace is not None
        assert line.strip("| ").split(" | ")[-2] == str(len(trace.steps)), first


def test_the_readme_says_in_how_many_steps_one_lost_decision_loses_a_record() -> None:
    table = re.search(r"\| version \| 3 leader moves .*?\n\n", README, flags=re.DOTALL)
    assert table is not None
    every = [version.name for version in VERSIONS]
    for line in table[0].splitlines()[2:-1]:
        names, *_, said = line.strip("| ").split(" | ")
        first, *last = re.findall(r"kafka-[\d.]+(?:-\w+)?", names)
        span = every[every.index(first) : every.index((last or [first])[-1]) + 1]
        losing = [name for name in span if may_lose_decisions(version_named(name))]
        if not losing:
            assert said == "-", names
            continue
        assert said.split()[0] == str(steps_to_loss_by_decision(losing[0])), names
        since = "" if losing == span else f" from {losing[0].removeprefix('kafka-')} on"
        assert (said.removeprefix(said.split()[0]), losing) == (since, span[-len(losing) :]), names


def test_with_eligible_leader_replicas_off_later_versions_are_as_the_row_of_4_0() -> None:
    """What the note of the matrix and the README say of clusters that were upgraded."""
    ignored = {"elr", "directory_moves_clear_elr"}
    before = version_named("kafka-4.0").default_settings
    for name in [version.name for version in REPLICATING][NAMES.index("kafka-4.1") :]:
        after = version_named(name).default_settings
        assert after["elr"]
        assert {key for key in after if after[key] != before[key]} <= ignored, name
    assert "these rows are of new clusters" in MATRIX.note


def may_lose_decisions(version: Profile) -> bool:
    """Does the version take the budget?"""
    try:
        version.bounded(lost_decisions=1)
    except BoundsError:
        return False
    return True


def steps_to_loss_by_decision(name: str) -> int:
    model = version_named(name).bounded(acks=ACKS_ALL, min_isr=2, unclean=0, lost_decisions=1)
    trace = explore(model, properties=[PROPERTY], symmetry=True).findings[PROPERTY].trace
    assert trace is not None
    return len(trace.steps)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("answers"))


ARGUMENTS = ("matrix", "--version", "kafka-2.1", "--acks", "all")


def test_what_users_see_and_what_programs_read(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    path = tmp_path / "cells.json"
    assert main([*ARGUMENTS, "--store", store, "--json", str(path)]) == 0
    expect_golden("matrix_2_1.txt", capsys.readouterr().out)
    values = json.loads(path.read_text(encoding="utf-8"))
    assert len(values) == 40
    keys = [
        "profile",
        "property",
        "settings",
        "faults",
        "verdict",
        "trace_length",
        "distinct",
        "complete",
        "ran_out",
        "command",
    ]
    assert all(list(cell) == keys for cell in values)
    lost = next(cell for cell in values if cell["verdict"] == "violated")
    assert lost["command"].endswith("--property acked_never_lost")
    # What was answered is not searched for again: an interrupted run goes on where it was.
    monkeypatch.setattr(questions, "ask", None)
    assert main([*ARGUMENTS, "--store", store]) == 0


def test_a_damaged_or_forged_answer_is_searched_for_again(store: str, tmp_path: Path) -> None:
    cell = next(c for c in USUAL if c.version.name == "kafka-2.1")
    question = Question(model=cell.model(), property=PROPERTY)
    kept = Answers(tmp_path)
    ((_, answer),) = kept.ask_all([question])
    (path,) = tmp_path.rglob("*.answer")
    for text in ("", "{}", path.read_text(encoding="utf-8").replace('"acknowledged"', '"x"').replace("r1", "r2")):
        path.write_text(text, encoding="utf-8")
        again = Answers(tmp_path)
        assert again.known(question) is None
        ((_, second),) = again.ask_all([question])
        assert second.trace is not None
        assert answer.trace is not None
        assert second.trace.steps == answer.trace.steps


def test_a_search_that_was_cut_short_is_undecided_and_not_kept(tmp_path: Path) -> None:
    cell = next(c for c in USUAL if c.version.name == "kafka-2.1" and c.words == ("all", "2", "off"))
    question = Question(model=cell.model(), property=PROPERTY)
    kept = Answers(tmp_path)
    ((_, answer),) = kept.ask_all([question], limits=Limits(depth=3))
    assert (answer.verdict, answer.complete) == ("undecided", False)
    assert not list(tmp_path.rglob("*.answer"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--acks", "2"), "no acks is named '2'"),
        (("--version", "kafka-5.0"), "no version is named 'kafka-5.0'"),
        (("--json", "-", "--markdown", "-"), "both write to -"),
        (("--json", "/nowhere/at/all.json"), "cannot be written"),
    ],
)
def test_wrong_input_is_refused(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matrix", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_versions_that_come_out_alike_are_neighbours() -> None:
    order = [cell.version.name for cell in USUAL]
    assert [name for name, _ in groupby(order)][: len(NAMES)] == NAMES


@pytest.mark.parametrize(
    ("said", "version"),
    [("3.9", "kafka-3.9"), ("3.8.1", "kafka-3.7"), ("kafka-4.2", "kafka-4.1"), ("3.8-zk", "kafka-3.7-zk")],
)
def test_a_version_may_be_named_by_a_release_of_it(
    said: str, version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cells.json"
    small = (
        "--replicas",
        "2",
        "--log-size",
        "1",
        "--values",
        "1",
        "--leader-epochs",
        "1",
        "--acks",
        "all",
        "--min-isr",
        "1",
    )
    assert main(["matrix", "--version", said, *small, "--json", str(path)]) == 0
    assert {cell["profile"] for cell in json.loads(path.read_text(encoding="utf-8"))} == {version}
    assert capsys.readouterr().err.count(f"behaves as {version} does") == (said != version.removeprefix("kafka-"))
