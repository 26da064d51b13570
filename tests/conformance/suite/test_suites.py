"""Suites: they cover what they say, are the same when made again, pass on brokers that follow the model, and fail on others."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import wrong_brokers
from command_line import Run
from mutants.inprocess_mutation import mistake, planted
from mutants.missed_mutants import MISSED
from wrong_brokers import Forgetful

from neverlost.cli.main import main
from neverlost.conformance.adapter import AdapterError, How, NotPerformed
from neverlost.conformance.adapters import adapter_named
from neverlost.conformance.divergence import drive
from neverlost.conformance.exploring import UnfinishedGraphError
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.suite.cases import Suite, suite_of
from neverlost.conformance.suite.files import SuiteError, SuiteFiles, refuse_folder, write_suite
from neverlost.conformance.suite.run import SuiteOutcome, conform
from neverlost.conformance.timing_wheel.adapter import TimingWheelAdapter
from neverlost.explorer.search import Limits
from neverlost.explorer.traces.trace_json import read_trace
from neverlost.model.core import Model, Packed, Step
from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE
from neverlost.spec import profiles
from neverlost.spec.kafka.replication.versions import KAFKA_3_5
from neverlost.spec.published.profiles import REPLICATED_LOG

LOGS = REPLICATED_LOG.bounded()
BOUNDS = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 2}
KAFKA = KAFKA_3_5.bounded(acks=ACKS_ALL, min_isr=2, **BOUNDS, crashes=1)


def runs(suite: Suite) -> list[list[tuple[Packed, Step, Packed]]]:
    found = []
    for case in suite.cases:
        words, run = suite.model.initial_states()[0], []
        for step in case.steps:
            after = suite.model.apply(words, step)
            run.append((words, step, after))
            words = after
        found.append(run)
    return found


def transitions(model: Model) -> set[tuple[Packed, int, Packed]]:
    """Every step that changes something, by the interpreter."""
    waiting, found = list(model.initial_states()), set()
    seen = set(waiting)
    while waiting:
        words = waiting.pop()
        for number, after in model.successors(words):
            if after != words:
                found.add((words, number, after))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return found


@pytest.fixture(scope="module", params=[LOGS, KAFKA], ids=lambda model: model.profile.name)
def model(request: pytest.FixtureRequest) -> Model:
    return request.param


def test_every_transition_of_the_model_is_in_a_case(model: Model) -> None:
    suite = suite_of(model, "transitions")
    taken = {(before, model.steps.index(step), after) for run in runs(suite) for before, step, after in run}
    assert taken == transitions(model)
    assert suite.covered == suite.goals == len(taken)


def test_every_state_is_in_a_case_that_is_about_states() -> None:
    suite = suite_of(LOGS, "states")
    entered = {after for run in runs(suite) for _, _, after in run}
    assert entered == {after for _, _, after in transitions(LOGS)}


def test_every_two_transitions_in_a_row_are_in_a_case_that_is_about_pairs() -> None:
    suite = suite_of(LOGS, "pairs")
    taken = {(one, two) for run in runs(suite) for one, two in pairwise(run)}
    every = transitions(LOGS)
    possible = {((a, LOGS.steps[m], b), (b, LOGS.steps[n], d)) for a, m, b in every for c, n, d in every if b == c}
    assert taken == possible


def test_a_budget_takes_the_cases_that_add_most() -> None:
    whole, few = (suite_of(KAFKA, "transitions", budget=b) for b in (None, 10))
    cases = [case for case in few.cases if case.adds]
    adds = [case.adds for case in cases]
    assert len(adds) == 10
    assert adds == sorted(adds, reverse=True)
    assert adds[0] == max(len({(b, s, a) for b, s, a in run}) for run in runs(whole))
    assert few.covered == sum(adds) < whole.covered


def test_the_shortest_ways_to_losses_and_error_codes_come_first() -> None:
    """With acks=1: produce, crash, fail over, and the new leader lacks the record."""
    lossy = KAFKA_3_5.bounded(acks=ACKS_ONE, **BOUNDS, crashes=1)
    named = {case.name: case.steps for case in suite_of(lossy, "states").cases}
    assert next(iter(named)) == "violation-acked_never_lost"
    for name, length in (("violation-acked_never_lost", 4), ("witness-acknowledged", 1), ("witness-refused", 1)):
        kind, _, prop = name.partition("-")
        states = [lossy.initial_states()[0]]
        for step in named[name]:
            states.append(lossy.apply(states[-1], step))
        reached = [lossy.holds(lossy.profile.property_named(prop), words) for words in states]
        assert reached == [kind == "violation"] * length + [kind == "witness"]
    strict = suite_of(KAFKA_3_5.bounded(acks=ACKS_ALL, min_isr=2, **BOUNDS, lost_responses=1), "states").cases
    assert "witness-not_enough_replicas_after_append" in {case.name for case in strict}


def test_a_graph_that_is_too_large_is_refused() -> None:
    with pytest.raises(UnfinishedGraphError, match="lower bounds, fewer faults"):
        suite_of(KAFKA, "transitions", limits=Limits(states=20))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("suites") / "kafka"
    write_suite(suite_of(KAFKA, "transitions"), found)
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite that runs sooner: nothing crashes."""
    found = tmp_path_factory.mktemp("suites") / "small"
    write_suite(suite_of(KAFKA_3_5.bounded(acks=ACKS_ALL, min_isr=2, **BOUNDS), "transitions"), found)
    return found


def named(name: str) -> Any:
    return profiles()[name]


@pytest.fixture(scope="module")
def right(folder: Path) -> SuiteOutcome:
    """What comes of the suite on brokers that follow the model."""
    files = SuiteFiles(folder, named)
    return conform(files.model, files.cases(), InProcessAdapter)


def test_a_suite_made_again_is_the_same_file_by_file(folder: Path, tmp_path: Path) -> None:
    write_suite(suite_of(KAFKA, "transitions"), tmp_path / "again")
    for file in ("suite.json", "cases.ndjson"):
        assert (tmp_path / "again" / file).read_bytes() == (folder / file).read_bytes()


def test_the_in_process_brokers_pass(folder: Path, right: SuiteOutcome) -> None:
    assert (right.failures, right.complete) == ((), True)
    assert right.cases == SuiteFiles(folder, named).values["cases"]


class Raising(InProcessAdapter):
    """Has a mistake of its own."""

    def perform(self, step: Step) -> None:
        raise KeyError("broker-7")


class Waiting(InProcessAdapter):
    """Waits for what does not come."""

    def perform(self, step: Step) -> None:
        while True:
            pass


class Stubborn(InProcessAdapter):
    """Waits for what does not come, and goes on whatever happens."""

    def perform(self, step: Step) -> None:
        while True:
            with suppress(Exception):
                while True:
                    pass


class Leaving(InProcessAdapter):
    """Ends the process, as what reads command lines does."""

    def perform(self, step: Step) -> None:
        sys.exit(0)


class Overlooking(InProcessAdapter):
    """Raises where it should only look."""

    def observe(self) -> Any:
        raise NotPerformed("nobody answers")


class Unable(InProcessAdapter):
    """Cannot do what it should."""

    def perform(self, step: Step) -> None:
        raise AdapterError("no such broker")


class Blind(InProcessAdapter):
    """Sees nothing."""

    def observe(self) -> Any:
        return dict.fromkeys(super().observe())


class Undecided(InProcessAdapter):
    """Does not say whether it tried a step."""

    def attempt(self, step: Step) -> Any:
        super().attempt(step)


class Argumentless(InProcessAdapter):
    """Cannot be made for a model."""

    def __init__(self) -> None:
        raise NotImplementedError


class Misspelt(InProcessAdapter):
    """Calls something else what it has to do."""

    perform = None  # type: ignore[assignment]


class Claiming(InProcessAdapter):
    """Says what it can do, with one more name in a part of it."""

    part, name = "fields", "logend"

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        known = getattr(self.capabilities, self.part)
        more = {**known, self.name: How.FORCED} if isinstance(known, dict) else (*known, self.name)
        self.capabilities = replace(self.capabilities, **{self.part: more})


class ClaimingAnAction(Claiming):
    part, name = "actions", "do_something"


class ClaimingAnAttempt(Claiming):
    part, name = "attempts", "do_something"


class Withholding(InProcessAdapter):
    """Leaves out what it says that it sees."""

    def observe(self) -> Any:
        return {name: values for name, values in super().observe().items() if name != "controller_isr"}


class Veiled(InProcessAdapter):
    """Cannot see who leads, nor which epoch is the newest, and says so with Python's None."""

    def observe(self) -> Any:
        return {**super().observe(), "leader": [None] * self.count, "newest_epoch": None}


def test_what_differs_is_reported_with_its_kind(folder: Path) -> None:
    files = SuiteFiles(folder, named)
    outcome = conform(files.model, files.cases(), Forgetful, until="all")
    assert outcome.cases == files.values["cases"]
    assert set(outcome.kinds) == {f"{action}: high_watermark" for action in ("fetch", "become_leader")}
    first = conform(files.model, files.cases(), Forgetful)
    assert len(first.failures) == 1
    assert first.failures[0].divergence is not None
    assert first.failures[0].divergence.differences[0].show() == "high_watermark[r1] is 0; the model says 1"


def test_an_attempt_that_has_an_effect_is_reported_with_the_guard_that_refuses_it(folder: Path, tmp_path: Path) -> None:
    adapter = f"{Path(wrong_brokers.__file__)}:Yielding"
    shown = tmp_path / "outcome.json"
    assert main(["conform", str(folder), "--adapter", adapter, "--json", str(shown), "--quiet"]) == 1
    (failure,) = json.loads(shown.read_text())["failures"]
    assert failure["kind"].endswith(": has an effect, though the model refuses it")
    assert failure["attempted"].startswith(failure["kind"].partition(":")[0] + "(")
    assert "require(" in failure["refused_by"]
    assert [difference["place"] for difference in failure["differences"]] == ["newest_epoch"]


@pytest.mark.parametrize(
    ("adapter", "fault"),
    [
        (Raising, "it raised KeyError: 'broker-7'"),
        (Blind, "the adapter saw nothing: observe() returned no value of any field"),
        (Undecided, "attempt() returned None; True says that the step was tried"),
        (Waiting, "it took longer than 0.2 s"),
        (Stubborn, "it took longer than 0.2 s"),
        (Leaving, "it raised SystemExit: 0"),
        (Overlooking, "it raised NotPerformed: nobody answers"),
        (Unable, "no such broker"),
        (Argumentless, "it raised TypeError: "),
        (Misspelt, "it raised TypeError: 'NoneType' object is not callable"),
        (
            Claiming,
            "the adapter's capabilities have 'logend' in fields, which is not a field of the model; it has up, ",
        ),
        (ClaimingAnAction, "have 'do_something' in actions, which is not an action of the model; it has "),
        (ClaimingAnAttempt, "have 'do_something' in attempts, which is not an action of the model"),
        (Withholding, "have 'controller_isr' in fields, but observe() leaves it out"),
    ],
)
def test_what_the_adapter_does_wrong_is_the_adapters_fault(
    folder: Path, adapter: Callable[[Model], Any], fault: str
) -> None:
    files = SuiteFiles(folder, named)
    seconds = 0.2 if adapter in (Waiting, Stubborn) else 60
    (failure,) = conform(files.model, files.cases(), adapter, seconds=seconds).failures
    assert failure.divergence is None
    assert failure.kind == "the adapter failed"
    assert fault in failure.fault


def test_a_failure_of_the_adapter_alone_is_wrong_input_and_no_difference(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter = tmp_path / "mine.py"
    adapter.write_text("class Mine:\n    pass\n", encoding="utf-8")
    assert main(["conform", str(folder), "--adapter", f"{adapter}:Mine", "--quiet"]) == 2
    assert "the adapter failed in 1 case, which say nothing about the implementation" in capsys.readouterr().out
    assert main(["conform", str(folder), "--adapter", f"{adapter}:Mine"]) == 2
    assert (
        "The adapter failed, so this says nothing about the implementation: it raised TypeError: Mine() takes no"
        in (capsys.readouterr().out)
    )


def test_fields_that_no_case_compared_are_named_after_all_passed(folder: Path, right: SuiteOutcome) -> None:
    """Budgets of faults are in no system. `committed` is what the model remembers."""
    files = SuiteFiles(folder, named)
    veiled = conform(files.model, files.cases(), Veiled)
    assert (right.failures, veiled.failures) == ((), ())
    assert set(veiled.never_compared(files.model)) - set(right.never_compared(files.model)) == {
        "leader",
        "newest_epoch",
    }
    assert "committed" in right.never_compared(files.model)
    assert "crashes_left" not in right.never_compared(files.model)


def test_the_last_line_and_the_json_name_the_fields_that_were_never_compared(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "outcome.json"
    adapter = f"{Path(wrong_brokers.__file__)}:Leaderless"
    assert main(["conform", str(small), "--adapter", adapter, "--json", str(out), "--quiet"]) == 0
    unseen = json.loads(out.read_text(encoding="utf-8"))["never_compared"]
    assert "leader" in unseen
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.endswith(f"all passed never compared: {', '.join(unseen)}")


RAISES = next(mutant for mutant in MISSED if mutant.name.endswith(", and raises"))


def test_brokers_that_raise_where_the_model_goes_on_are_refused(folder: Path) -> None:
    files = SuiteFiles(folder, named)
    with planted(RAISES):
        (failure,) = conform(files.model, files.cases(), InProcessAdapter).failures
    assert failure.divergence is not None
    assert re.fullmatch(r"it raised ValueError: min\(\) .*, in smallest_known_end\)", failure.divergence.refusal)
    assert failure.kind == "the start: not done"


def test_brokers_that_raise_in_a_step_or_when_a_refused_step_is_tried_differ_from_the_model_there() -> None:
    model = named("kafka-3.5").bounded(replicas=2, log_size=1, values=1, leader_epochs=3, leader_moves=1)
    in_step = mistake("r", "", "", "inprocess.isr_changes.IsrChanges.change", "replica.led()", "int('')")
    shrinks = [model.parse_step("produce(leader=r1, value=0, response=delivered)")]
    shrinks += [model.parse_step("shrink_isr(leader=r1, follower=r2)")]
    with planted(in_step):
        found = drive(InProcessAdapter(model), model, shrinks)
    assert found is not None
    assert (found.kind, found.refusal.partition("()")[0]) == (
        "shrink_isr: not done",
        "it raised ValueError: invalid literal for int",
    )
    trying = mistake("r", "", "", "inprocess.controller.Controller.move_leader", "self.records[partition]", "int('')")
    with planted(trying):
        found = drive(InProcessAdapter(model), model, [], attempts_after=[0])
    assert found is not None
    assert found.kind == "move_leader: raises an error, though the model refuses it"
    assert "move_leader(successor=r1) raises an error, which the model refuses by" in found.report()


def test_a_fault_of_an_adapter_is_reported_with_the_step(folder: Path) -> None:
    files = SuiteFiles(folder, named)
    (case, *_) = cases = list(files.cases())
    (failure,) = conform(files.model, cases, Unable).failures
    assert failure.fault.startswith(f"at step 1, {case.steps[0].show(files.model.bounds)}, ")
    (failure,) = conform(files.model, cases, Overlooking).failures
    assert failure.fault.startswith("at the start, ")
    (failure,) = conform(files.model, cases, Undecided).failures
    assert re.match(r"after step \d+, when \w+\(.*\) was tried, ", failure.fault)


def test_a_recorded_trace_is_run_as_a_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lost = str(tmp_path / "lost.json")
    small = [
        "--replicas",
        "2",
        "--log-size",
        "1",
        "--values",
        "1",
        "--leader-epochs",
        "3",
        "--acks",
        "1",
        "--crashes",
        "1",
    ]
    assert main(["check", "kafka-0.8", *small, "--property", "acked_never_lost", "--trace-out", lost, "--quiet"]) == 1
    capsys.readouterr()
    assert main(["conform", lost, "--adapter", "inprocess", "--quiet"]) == 0
    shown = capsys.readouterr().out
    verdict, unseen = shown.split("\n", 1)
    assert re.fullmatch(r"kafka-0.8: 1 case of \d+ steps and \d+ attempts together, trace covered: all passed", verdict)
    assert unseen.startswith("  never compared: ")
    again = str(tmp_path / "again.json")
    adapter = f"{Path(wrong_brokers.__file__)}:Yielding"
    assert main(["conform", lost, "--adapter", adapter, "--trace-out", again, "--quiet"]) == 1
    whole, part = (read_trace(Path(file).read_text(), file, named) for file in (lost, again))
    assert part.steps == whole.steps[: len(part.steps)]


def test_the_adapters_of_the_small_models_are_known_by_name(tmp_path: Path) -> None:
    small, cases = ["--operations", "1", "--keys", "1"], str(tmp_path / "cases")
    assert main(["suite", "kafka-purgatory", *small, "--out", cases, "--quiet"]) == 0
    assert main(["conform", cases, "--adapter", "purgatory", "--quiet"]) == 0
    assert adapter_named("timing-wheel") is TimingWheelAdapter


@pytest.mark.thorough
def test_one_command_runs_the_suites_of_the_parts_too(small: Path, tmp_path: Path) -> None:
    report = tmp_path / "outcome.json"
    with planted(next(mutant for mutant in MISSED if mutant.bench == "kafka-timing-wheel")):
        assert main(["conform", str(small), "--adapter", "inprocess", "--quiet"]) == 0
        command = ["conform", str(small), "--adapter", "inprocess", "--parts", "--json", str(report), "--quiet"]
        assert main(command) == 1
    found = json.loads(report.read_text())
    assert (found["failed"], [(part["profile"], part["failed"]) for part in found["parts"]]) == (
        0,
        [("kafka-purgatory", 0), ("kafka-timing-wheel", 1)],
    )


def test_parts_that_nobody_names_are_refused(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adapter = f"{Path(wrong_brokers.__file__)}:partless"
    assert main(["conform", str(small), "--adapter", adapter, "--parts", "--quiet"]) == 2
    assert "the adapter names no parts" in capsys.readouterr().err


def spoil(folder: Path, target: Path, change: Callable[[dict[str, Any]], None], file: str = "cases.ndjson") -> Path:
    target.mkdir()
    for name in ("suite.json", "cases.ndjson"):
        lines = (folder / name).read_text().splitlines()
        if name == file:
            text = lines[1] if file == "cases.ndjson" else "\n".join(lines)
            values = json.loads(text)
            change(values)
            lines = [lines[0], json.dumps(values), *lines[2:]] if file == "cases.ndjson" else [json.dumps(values)]
        (target / name).write_text("\n".join(lines) + "\n")
    return target


def test_a_file_where_a_folder_should_be_and_bytes_that_are_no_text_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SuiteError, match="file is not a folder"):
        refuse_folder(tmp_path / "file")
    spoiled = spoil(folder, tmp_path / "spoiled", lambda values: None)
    with (spoiled / "cases.ndjson").open("ab") as cases:
        cases.write(b"\xff\n")
    with pytest.raises(SuiteError, match="it is not text in UTF-8"):
        list(SuiteFiles(spoiled, named).cases())


DEEP = "[" * 3_000 + "]" * 3_000


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("expected", DEEP, "line 2 is not a case: it is nested more than 100 deep"),
        ("expected", "[" * 300 + "]" * 300, "line 2 is not a case: it is nested more than 100 deep"),
        ("covers", "Infinity", "line 2 is not a case: it holds Infinity, which is not a number in JSON"),
        ("covers", "1e999", "line 2 is not a case: it holds the number 1e999, which is too large"),
        ("covers", "NaN", "line 2 is not a case: it holds NaN"),
        ("covers", '"many"', "line 2 is not a case: \"covers\" is 'many', which is not a value of type int"),
        ("covers", "[1]", 'line 2 is not a case: "covers" is [1], which is not a value of type int'),
        ("case", "7", 'line 2 is not a case: "case" is 7, which is not a value of type str'),
        ("steps", '"fetch"', "line 2 is not a case: \"steps\" is 'fetch', which is not a value of type list"),
        ("steps", "[7]", "line 2 is not a case: "),
        ("attempts_after", "[NaN]", "line 2 is not a case: it holds NaN"),
        ("attempts_after", "[-1]", "line 2 is not a case: "),
    ],
)
def test_a_case_with_a_value_of_another_kind_is_refused_with_its_line_and_what_to_do(
    key: str, value: str, said: str, folder: Path, tmp_path: Path, run: Run
) -> None:
    spoiled = spoil(folder, tmp_path / "spoiled", lambda values: values.update({key: "HERE"}))
    cases = spoiled / "cases.ndjson"
    cases.write_text(cases.read_text().replace('"HERE"', value))
    code, out, err = run("conform", str(spoiled), "--adapter", "inprocess")
    assert (code, out) == (2, "")
    assert f"error: {cases}: {said}" in err
    assert err.endswith("; make the suite again\n")


@pytest.mark.parametrize("key", ["bounds", "settings", "cases", "of no meaning"])
def test_a_suite_that_is_nested_too_deep_is_refused_with_what_to_do(
    key: str, folder: Path, tmp_path: Path, run: Run
) -> None:
    spoiled = spoil(folder, tmp_path / "spoiled", lambda values: values.update({key: "HERE"}), "suite.json")
    path = spoiled / "suite.json"
    path.write_text(path.read_text().replace('"HERE"', DEEP))
    code, out, err = run("conform", str(spoiled), "--adapter", "inprocess")
    assert (code, out) == (2, "")
    assert f"error: {path} is nested more than 100 deep; `neverlost suite PROFILE --out {spoiled}` writes one" in err


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        (
            "cases.ndjson",
            lambda v: v.pop("steps"),
            'line 2 is not a case: "steps" is None, which is not a value of type list',
        ),
        ("cases.ndjson", lambda v: v["steps"].insert(0, "fech()"), "line 2 is not a case: .*fech"),
        ("cases.ndjson", lambda v: v["steps"].reverse(), "line 2: the steps are not a run of kafka-3.5"),
        ("cases.ndjson", lambda v: v["expected"][0].update(log_end=[9, 9]), "was made from another version"),
        ("suite.json", lambda v: v.update(neverlost="trace"), "is not a suite that this version reads"),
        ("suite.json", lambda v: v.update(profile="kafka-9"), "kafka-9"),
        ("suite.json", lambda v: v["settings"].update(acks="some"), "settings.acks is 'some'; it must be one of"),
        ("suite.json", lambda v: v.pop("cases"), '"cases" is None, which is not a value of type int'),
        ("suite.json", lambda v: v.update(cases=True), '"cases" is True, which is not a value of type int'),
        ("suite.json", lambda v: v.update(bounds=[1]), r'"bounds" is \[1\], which is not a value of type dict'),
        ("suite.json", lambda v: v.update(settings=5), '"settings" is 5, which is not a value of type dict'),
        (
            "cases.ndjson",
            lambda v: v.update(covers="x"),
            "line 2 is not a case: \"covers\" is 'x', which is not a value of type int",
        ),
        (
            "cases.ndjson",
            lambda v: v.update(covers=True),
            'line 2 is not a case: "covers" is True, which is not a value of type int',
        ),
        (
            "cases.ndjson",
            lambda v: v.update(covers=float("inf")),
            "line 2 is not a case: it holds Infinity, which is not a number",
        ),
        (
            "cases.ndjson",
            lambda v: v.update(steps=[["fetch()"]]),
            r"line 2 is not a case: \['fetch\(\)'\] is not a step",
        ),
        ("cases.ndjson", lambda v: v.update(attempts_after=[True]), 'line 2 is not a case: "attempts_after" has True'),
        (
            "cases.ndjson",
            lambda v: v.update(attempts_after=[10**400]),
            r'"attempts_after" has 1(0{59}), which are not numbers of',
        ),
        (
            "suite.json",
            lambda v: v.update(cases=v["cases"] + 1),
            "has .* cases, but suite.json says .* it is not complete",
        ),
    ],
)
def test_a_file_that_is_no_suite_is_refused_with_the_place(
    folder: Path, tmp_path: Path, file: str, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    spoiled = spoil(folder, tmp_path / "spoiled", change, file)
    with pytest.raises(Exception, match=said) as caught:
        list(SuiteFiles(spoiled, named).cases())
    assert isinstance(caught.value, SuiteError) or "kafka-9" in said


def test_the_command_line_writes_and_runs_a_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bounds = [text for name, value in BOUNDS.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    out, shown = str(tmp_path / "suite"), tmp_path / "outcome.json"
    asked = ["kafka-3.5", "--acks", "all", "--min-isr", "2", *bounds]
    assert main(["suite", *asked, "--out", out, "--quiet"]) == 0
    assert "transitions" in capsys.readouterr().out
    assert main(["conform", out, "--adapter", "inprocess", "--json", str(shown), "--quiet"]) == 0
    assert "all passed" in capsys.readouterr().out
    assert json.loads(shown.read_text())["failed"] == 0
    assert main(["conform", out, "--adapter", "outprocess"]) == 2
    assert "outprocess" in capsys.readouterr().err
    assert main(["suite", *asked, "--out", str(tmp_path)]) == 2
    assert "is not empty and holds no suite" in capsys.readouterr().err


def test_a_suite_of_a_profile_in_a_file_runs_that_file_only_if_the_user_names_it(
    small: Path, tmp_path: Path, run: Run
) -> None:
    ran, program = tmp_path / "ran", tmp_path / "mine.py"
    program.write_text(
        "from pathlib import Path\nfrom neverlost.spec.kafka.replication.versions import KAFKA_3_5 as MINE\n"
        f"Path({str(ran)!r}).touch()\n",
        encoding="utf-8",
    )
    reference = f"{program}:MINE"
    spoiled = spoil(small, tmp_path / "spoiled", lambda values: values.update(profile=reference), "suite.json")
    code, out, err = run("conform", str(spoiled), "--adapter", "inprocess")
    assert (code, out, ran.exists()) == (2, "", False)
    assert f"add --profile {reference} to run that file and load it" in err
    assert run("conform", str(spoiled), "--adapter", "inprocess", "--profile", reference, "--quiet")[0] == 0
    assert ran.exists()
