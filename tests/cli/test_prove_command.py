"""`neverlost prove` as people and programs meet it: text, JSON, exit codes, and what it says of wrong input."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Run, running
from golden_text import FOLDER, expect_golden

from neverlost.cli.main import main
from neverlost.explorer.symbolic.induction import INITIATION, SUFFICIENCY, Query
from neverlost.explorer.symbolic.solving import QueryResult
from neverlost.reports.prove.as_text import counts, slowest

SUPPORT = Path(__file__).parents[1] / "support"
LAMP = "inductive_models.py"
SMALL = ("--replicas", "2", "--log-size", "1", "--records", "1", "--leader-epochs", "2", "--workers", "1")
ANY_BOUNDS = ("published/kip-320", "--property", "strong_isr", "--any-bounds")
EXAMPLES = Path(__file__).parents[2] / "examples"
QUEUE = f"{EXAMPLES / 'job_queue.py'}:JOB_QUEUE"
TWO_PHASE_COMMIT = (f"{EXAMPLES / 'two_phase_commit.py'}:TWO_PHASE_COMMIT", "--property", "all_agree", "--any-bounds")
KEYS = {
    "profile", "property", "bounds", "verdict", "method", "lemmas", "queries", "unknown", "seconds", "trace_length", "trace",
    "counterexample_to_induction",
}  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(SUPPORT)
    return running(capsys, "prove")


def steady(text: str) -> str:
    """The text without times, and which solver was quicker."""
    text = re.sub(r"\d+\.\d+ s(?! to)", "TIME", text)
    return re.sub(r"(?ms)^  slowest .*?(?=^  slowest|^\S|\Z)", "", text)


def test_a_proof_as_text(run: Run) -> None:
    code, out, err = run("published/kip-320", "--property", "strong_isr", *SMALL)
    assert (code, err) == (0, "")
    expect_golden("prove-proven.txt", steady(out), FOLDER)


def test_an_undecided_proof_shows_the_pair_of_states(run: Run) -> None:
    code, out, _ = run(f"{LAMP}:LAMP", "--property", "never_burnt", "--workers", "1")
    assert code == 3
    expect_golden("prove-undecided.txt", steady(out), FOLDER)


def test_an_undecided_proof_shows_every_lemma_that_fails_as_text_and_as_json(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    code, out, _ = run(f"{LAMP}:FALSE_TWICE", "--property", "never_burnt", "--workers", "1", "--json", str(path))
    assert code == 3
    expect_golden("prove-two-lemmas-fail.txt", steady(out), FOLDER)
    values = json.loads(path.read_text())
    (other,) = values["other_counterexamples"]
    assert (values["counterexample_to_induction"]["lemma"], other["lemma"]) == ("always_off", "switched_less")
    assert (other["before"]["switched"], other["after"]["switched"], other["before_is"]) == (1, 2, None)


def test_an_undecided_property_of_steps_shows_the_step(run: Run) -> None:
    code, out, _ = run(f"{LAMP}:LAMP", "--property", "stays_whole", "--workers", "1")
    assert code == 3
    expect_golden("prove-step-undecided.txt", steady(out), FOLDER)


def test_the_first_query_that_fails_ends_a_proof_if_asked_to(run: Run) -> None:
    code, out, _ = run(f"{LAMP}:FALSE_TWICE", "--property", "never_burnt", "--workers", "1", "--until", "first")
    assert code == 3
    assert "always_off() after switch() fails; no violation was found." in " ".join(out.split())


def test_a_violation_within_so_many_steps_as_text(run: Run) -> None:
    code, out, _ = run(f"{LAMP}:LAMP", "--property", "switched_once", "--depth", "4")
    assert code == 1
    expect_golden("prove-depth.txt", steady(out), FOLDER)


def test_the_json_of_a_proof(run: Run) -> None:
    code, out, err = run("published/kip-320", "--property", "strong_isr", *SMALL, "--json", "-", "--quiet")
    values = json.loads(out)
    assert code == 0
    assert values.keys() >= KEYS
    assert (values["verdict"], values["method"], values["unknown"]) == ("proven", "induction", 0)
    assert (values["trace"], values["trace_length"], values["counterexample_to_induction"]) == (None, None, None)
    assert "strong_isr is PROVEN" in err


def test_the_json_of_a_counterexample_to_induction(run: Run) -> None:
    code, out, _ = run(f"{LAMP}:LAMP", "--property", "never_burnt", "--json", "-")
    found = json.loads(out)["counterexample_to_induction"]
    assert code == 3
    assert (found["lemma"], found["step"]["step"], found["before_is"]) == ("never_burnt", "burn()", "unreachable")
    assert (found["before"]["mode"], found["after"]["mode"]) == (2, 3)


def test_the_json_of_suggestions(run: Run) -> None:
    _, out, _ = run(f"{LAMP}:LAMP", "--property", "never_burnt", "--json", "-", "--quiet")
    suggested = json.loads(out)["suggestions"]
    assert (suggested["tried"], suggested["states"], suggested["complete"]) == (True, 4, True)
    assert {"name": "suggested_2", "condition": "s.mode != Mode.HOT"}.items() <= suggested["lemmas"][1].items()


def test_the_trace_of_a_violation_is_written_and_replays(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    code, _, _ = run(
        f"{LAMP}:LAMP", "--property", "switched_once", "--trace-out", str(path), "--json", str(tmp_path / "p.json")
    )
    values = json.loads((tmp_path / "p.json").read_text())
    assert (code, values["verdict"], values["method"], values["trace_length"]) == (1, "violated", "bounded", 3)
    assert main(["replay", str(path), "--profile", f"{LAMP}:LAMP"]) == 0


def test_without_a_lemma_the_query_that_breaks_is_named(run: Run) -> None:
    code, out, _ = run(
        "published/kip-320",
        "--property",
        "strong_isr",
        *SMALL,
        "--without",
        "exposed_record_was_committed_in_some_epoch",
    )
    assert code == 3
    assert re.search(r"UNDECIDED:\s+strong_isr\(\) after \w+\(.*\) fails", " ".join(out.split()))


def test_a_lemma_that_is_false_at_the_start_is_reported_so(run: Run) -> None:
    code, out, _ = run(f"{LAMP}:FALSE_AT_THE_START", "--property", "never_burnt")
    assert code == 3
    assert "Counterexample: the start\n  always_on() is false in the initial state." in out


def test_and_one_that_is_false_soon_after_with_the_step_that_leads_there(run: Run) -> None:
    code, out, _ = run(f"{LAMP}:FALSE_SOON", "--property", "never_burnt", "-k", "2")
    assert code == 3
    assert "always_off 1 step from the start fails" in " ".join(out.split())
    assert "  1. switch()\n       mode off -> dim" in out


@pytest.mark.thorough
def test_for_all_settings_tells_the_cases(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    bounds = ("--replicas", "3", "--log-size", "1", "--values", "1", "--leader-epochs", "2", "--max-states", "20000")
    asked = ("kafka-3.5", "--property", "acked_never_lost", *bounds, "--for-all-settings")
    code, out, _ = run(*asked, "--quiet", "--json", str(path))
    shown = json.loads(path.read_text())
    assert {case["settings"]["acks"] for case in shown["cases"]} == {"0", "1", "all"}
    verdicts = {case["verdict"] for case in shown["cases"]}
    assert code == (3 if "undecided" in verdicts else 0)
    assert shown["open_settings"] == ["acks", "min_isr", "unclean"]
    assert {line.split()[0].lower() for line in out.splitlines()[2:]} == verdicts
    assert "Lemmas" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("published/kip-320", "--property", "a_record_is_committed"), "a_record_is_committed is sometimes: a proof is about"),
        (("kafka-3.5", "--property", "high_watermark_monotonic", "--depth", "3"), "is step_always: this is about"),
        (("kafka-3.5", "--property", "high_watermark_monotonic", "-k", "2"), "is step_always: this is about"),
        (("kafka-3.5", "--property", "high_watermark_monotonic", "--certify"), "but high_watermark_monotonic is over a step"),
        (("published/kip-320", "--property", "strong_isr", "--bits", "2"), "take lower bounds, or at least 3 bits"),
        (("published/kip-320", "--property", "strong_isr", "--without", "logs_mach"), "logs_mach"),
        (("published/kip-320", "--property", "strong_isr", "--depth", "3", "-k", "2"), "leave out -k and --without"),
        (("published/kip-320", "--property", "strong_isr", "--for-all-settings"), "which settings users of published/kip-320 choose"),
        (("kafka-3.5", "--property", "acked_never_lost", "--for-all-settings", "--acks", "all"), "leaves acks open; leave out --acks"),
        (("kafka-3.5", "--property", "acked_never_lost", "--for-all-settings", "--until", "all"), "leave out --until"),
        (("published/kip-320", "--property", "strong_isr", "--until", "last"), "last"),
        (("published/kip-320", "--property", "strong"), "strong_isr"),
        (("kafka-9", "--property", "strong_isr"), "kafka-9"),
        (("published/kip-320", "--property", "strong_isr", "--json", "/nowhere/x.json"), "--json /nowhere/x.json cannot be written"),
        ((*ANY_BOUNDS, "--replicas", "3", "--depth", "4"), "leave out --replicas, --depth"),
        ((*ANY_BOUNDS, "-k", "2", "--certify", "--bits", "8"), "leave out -k, --certify, --bits"),
        ((*ANY_BOUNDS, "--for-all-settings", "--max-states", "9"), "leave out --for-all-settings, --max-states"),
        ((*ANY_BOUNDS, "--trace-out", "x.json"), "leave out --trace-out"),
        ((*ANY_BOUNDS, "--until", "last"), "last"),
        ((*ANY_BOUNDS, "--without", "logs_mach"), "logs_mach"),
        ((*ANY_BOUNDS, "--json", "/nowhere/x.json"), "--json /nowhere/x.json cannot be written"),
        ((QUEUE, "--property", "within_the_limit", "--any-bounds"), "job_queue.py:215: finished_are_counted has no form for any"),
        ((QUEUE, "--property", "within_the_limit", "--any-bounds"), "leave out --any-bounds, and give bounds, to prove within these"),
        ((QUEUE, "--property", "within_the_limit", "--any-bounds", "--jobs", "3"), "leave out --jobs"),
        (("published/kip-320", "--property", "type_ok", "--any-bounds"), "type_ok has no form for any bounds"),
        (("published/kip-320", "--property", "a_record_is_committed", "--any-bounds"), "a_record_is_committed is sometimes"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused_with_what_to_do(run: Run, arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_proof_for_any_bounds_as_text(run: Run) -> None:
    code, out, err = run("published/replicated-log", "--property", "type_ok", "--any-bounds", "--workers", "1")
    assert (code, err) == (0, "")
    expect_golden("prove-any-bounds.txt", steady(out), FOLDER)


def test_the_json_of_a_proof_for_any_bounds(run: Run) -> None:
    code, out, err = run("published/replicated-log", "--property", "type_ok", "--any-bounds", "--json", "-", "--quiet")
    values = json.loads(out)
    assert code == 0
    assert values.keys() >= KEYS
    assert (values["bounds"], values["verdict"], values["method"]) == ("any", "proven", "induction")
    assert (values["unknown"], values["ghosts"], values["meanings"]) == (0, [], [])
    assert "type_ok is PROVEN" in err


def test_a_model_of_ones_own_is_proven_for_any_bounds_with_its_settings(run: Run) -> None:
    code, out, err = run(*TWO_PHASE_COMMIT, "--coordinator-crashes", "2", "--json", "-", "--quiet")
    values = json.loads(out)
    assert code == 0
    assert (values["bounds"], values["settings"]["coordinator_crashes"], len(values["lemmas"])) == ("any", 2, 6)
    assert "(any participants), with --coordinator-crashes 2: all_agree is PROVEN for any number" in " ".join(
        err.split()
    )


def test_and_not_with_a_setting_that_makes_it_false(run: Run) -> None:
    code, out, _ = run(*TWO_PHASE_COMMIT, "--hasty", "--quiet")
    assert code == 3
    assert "UNDECIDED: commit_was_decided_by_all" in " ".join(out.split())


@pytest.mark.thorough
def test_a_proof_for_any_bounds_that_stops_names_the_query_and_what_it_rests_on(run: Run) -> None:
    words = ("--property", "leader_in_isr_as_published", "--any-bounds", "--query-time", "1s", "--workers", "1")
    code, out, _ = run("published/kip-320", *words)
    said = " ".join(out.split())
    assert code == 3
    assert "(any replicas, any log_size, any records, any leader_epochs)" in said
    assert re.search(r"UNDECIDED: \S+ .*(fails|found no answer in time)\.", said)
    assert "Queries without a proof" in out
    assert "commit_epoch, a field that no guard reads: For a record below" in said
    assert "first_mismatch, by what it finds: Is `end` the offset after" in said


FUSE = """
from neverlost.modelling import *

class Count(Index, members=2):
    "How often."

class Lamp(State):
    bright = setting(flag())
    cuts = budget(up_to(Count), singular="power cut", whose="the grid")
    cuts_left = counter(cuts)
    dark = flag()

def initial(s: Lamp) -> None:
    "The lamp burns."
    s.cuts_left = s.cuts

@action("made up")
def cut(s: Lamp) -> None:
    "The power fails."
    require(s.cuts_left > 0)

    s.cuts_left -= 1
    s.dark = True

@always("The lamp burns.")
def burns(s: Lamp) -> bool:
    return not s.dark

@step_always("What is dark stays so.")
def stays_dark(before: Lamp, after: Lamp) -> bool:
    return not before.dark or after.dark

@eventually("It is dark in the end.")
def goes_dark(s: Lamp) -> bool:
    return s.dark

@lemma("No step raises the counter.")
def cuts_are_counted(s: Lamp) -> bool:
    return s.cuts_left <= s.cuts

FUSE = Profile(name="fuse", statement="A lamp.", state=Lamp, initial=initial, actions=(cut,),
    properties=(burns, stays_dark, goes_dark), lemmas=(cuts_are_counted,), default_bounds={})
"""


@pytest.fixture
def fuse(tmp_path: Path) -> str:
    path = tmp_path / "fuse.py"
    path.write_text(FUSE, encoding="utf-8")
    return str(path)


def test_a_proof_needs_a_lemma_that_says_that_a_counter_is_within_its_budget(run: Run, fuse: str) -> None:
    code, out, _ = run(fuse, "--property", "burns", "--workers", "1", "--quiet")
    assert code == 0
    assert "FUSE, with no faults: burns is PROVEN for any number of steps, from 1 lemma." in " ".join(out.split())
    code, out, _ = run(fuse, "--property", "burns", "--workers", "1", "--without", "cuts_are_counted")
    assert code == 3
    assert re.search("cuts_left +0 -> [12]\n", out)


def test_the_verdict_of_a_proof_names_the_settings_that_are_not_the_profiles_own(run: Run, fuse: str) -> None:
    _, out, _ = run(fuse, "--property", "stays_dark", "--bright", "--cuts", "2", "--workers", "1", "--quiet")
    assert "FUSE, with --bright --cuts 2: stays_dark is PROVEN" in " ".join(out.split())


def test_what_cannot_be_proven_is_refused_with_what_can_be_properties_of_states_and_of_steps(
    run: Run, fuse: str
) -> None:
    code, _, err = run(fuse, "--property", "goes_dark")
    assert code == 2
    assert (
        "goes_dark is eventually: a proof is about a predicate over one state or one step that is always true,"
        " such as burns, stays_dark. `neverlost check` decides goes_dark within bounds"
    ) in " ".join(err.split())


def test_a_try_that_a_proof_does_not_rest_on_is_not_among_its_slowest_queries() -> None:
    """That the lemmas imply the property fails, and then it is proven with them, step by step: both would contradict each other."""
    tried = query(SUFFICIENCY, "", QueryResult.FAILS)
    held, alone = query(INITIATION, "writer_holds", QueryResult.HOLDS), query(INITIATION, "", QueryResult.HOLDS)
    assert [line.partition(": ")[2] for line in slowest([tried, held])] == [f"{held.text}, holds (general)"]
    how = "with the lemmas, step by step: they do not imply it by themselves"
    assert counts([tried, held], 0, 0)["proven"] == how
    for queries, failing in (([tried, held], 1), ([tried, alone], 0), ([held], 0)):
        assert counts(queries, failing, 0)["proven"] == ""


def query(kind: str, lemma: str, result: QueryResult) -> Query:
    return Query(
        kind=kind, lemma=lemma, instance=lemma, action="", step="", result=result, configuration="general", seconds=1.0
    )
