"""Lassos as traces: every form shows the loop, what is written is read back, and replay refuses one that refutes nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import fair_models
import pytest
from fair_models import OFFICE
from golden_text import expect_golden
from graph_models import random_graph
from looked_at import page_read
from written_traces import trace_of

from neverlost.cli.main import main
from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import ReplayError, Trace, replay
from neverlost.explorer.traces.trace_json import TraceFileError, read_trace, trace_json, trace_values
from neverlost.model.core import Profile
from neverlost.reports.trace.as_text import loop_lines
from neverlost.reports.trace.formats import FORMATS, render

OVERTAKEN = ("ask(client=c1)", "ask(client=c2)", "attend(client=c2)", "answer(client=c2)")
"""The second client is always faster; from step 2 on it goes round."""


def lasso(prop: str = "answered_if_weak", profile: Profile = OFFICE, start: int = 1) -> Trace:
    return replace(trace_of(profile.bounded(), OVERTAKEN, prop), loop_start=start)


def standing_still(prop: str) -> Trace:
    return replace(trace_of(OFFICE.bounded(), OVERTAKEN[:1], prop), loop_start=1)


def from_file() -> Profile:
    return profile_from_file(f"{Path(fair_models.__file__)}:OFFICE")


@pytest.mark.parametrize("trace", [lasso(), standing_still("answered_without_fairness")], ids=["round", "still"])
def test_a_lasso_replays_and_is_read_back_the_same(trace: Trace) -> None:
    replay(trace)
    again = read_trace(trace_json(trace), "trace.json", lambda _: OFFICE)
    assert replace(again, model=trace.model) == trace
    assert trace_values(trace)["loop_start"] == 1


def test_every_lasso_that_a_search_finds_is_read_back_and_replays() -> None:
    for number in range(100):
        model = random_graph(number).model()
        for finding in explore(model, engine="interpreted", until="all").findings.values():
            if finding.trace is not None:
                again = read_trace(trace_json(finding.trace), "trace.json", lambda _, profile=model.profile: profile)
                assert replace(again, model=model) == finding.trace
                replay(replace(again, model=model))


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"html", "svg"}))
def test_every_format_shows_where_the_loop_starts(name: str) -> None:
    expect_golden(f"lasso.{name}.txt", render(lasso(), name))


@pytest.mark.parametrize("name", ["html", "svg"])
def test_a_picture_says_what_repeats_forever(name: str) -> None:
    assert loop_lines(lasso())[0] in page_read(render(lasso(), name)).words
    assert "From here on, nothing more happens after step 1." in render(
        standing_still("answered_without_fairness"), name
    )


def test_what_does_nothing_any_more_says_so() -> None:
    still = standing_still("answered_without_fairness")
    assert "From here on, nothing more happens after step 1." in render(still, "text")
    assert "Note over state,c2: From here on, nothing more happens after step 1." in render(still, "mermaid")
    assert json.loads(render(still, "itf"))["loop"] == 1
    never = replace(trace_of(OFFICE.bounded(), [], "attended_at_some_time"), loop_start=0)
    replay(never)
    assert "awaited from the start while nothing ever happens" in render(never, "text")


def test_the_pytest_file_of_a_lasso_runs_and_fails_if_the_loop_does_not_close(tmp_path: Path) -> None:
    text = render(lasso(profile=from_file()), "pytest")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-rpf",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    changed = (text, text.replace("words == start", "words != start"), text.replace("assert not", "assert"))
    for number, content in enumerate(changed):
        (tmp_path / f"test_{number}.py").write_text(content, encoding="utf-8")
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    outcomes = re.findall(r"^(PASSED|FAILED) \S*test_(\d)\.py::", ran.stdout, flags=re.MULTILINE)
    assert sorted(outcomes) == [("FAILED", "1"), ("FAILED", "2"), ("PASSED", "0")], ran.stdout


MUTATED = {
    "the loop does not close": (
        lasso(start=0),
        r"the last state is not the state in which the loop starts, 0: waiting\[c1\]",
    ),
    "the loop starts beyond the end": (lasso(start=5), "the loop starts at state 5, but the states are 0 to 4"),
    "there is no loop": (replace(lasso(), loop_start=None), "answered_if_weak is about runs that never end"),
    "strongly unfair": (
        lasso("answered_if_strong"),
        r"not fair to attend\(client=c1\): it is strongly fair and can happen there",
    ),
    "weakly unfair": (
        standing_still("answered_if_weak"),
        r"not fair to attend\(client=c1\): it is weakly fair and can always",
    ),
    "true on the loop": (lasso("let_go"), "let_go is not violated: it is true on the loop"),
    "never awaited": (
        replace(trace_of(OFFICE.bounded(), ["ask(client=c2)"], "answered_without_fairness"), loop_start=1),
        "answered_without_fairness is not violated: it is true on the loop, or the wait for it never begins",
    ),
    "awaited no longer": (
        replace(trace_of(OFFICE.bounded(), [s.replace("c2", "c1") for s in OVERTAKEN[1:]], "let_go"), loop_start=3),
        "let_go is not violated",
    ),
    "no property of runs": (lasso("somebody_is_attended"), "somebody_is_attended is decided by the end of a trace"),
    "a step that cannot happen": (
        replace(lasso(), steps=(*lasso().steps[:3], lasso().model.parse_step("answer(client=c1)"))),
        r"step 4, answer\(client=c1\), cannot happen",
    ),
}


@pytest.mark.parametrize("name", MUTATED)
def test_replay_refuses_a_lasso_that_refutes_nothing(name: str) -> None:
    trace, message = MUTATED[name]
    with pytest.raises(ReplayError, match=message):
        replay(trace)


def test_a_plain_eventually_is_awaited_from_the_start_and_not_again_later() -> None:
    met = [*OVERTAKEN, "attend(client=c1)", "answer(client=c1)"]
    with pytest.raises(ReplayError, match="attended_at_some_time is not violated"):
        replay(replace(trace_of(OFFICE.bounded(), met, "attended_at_some_time"), loop_start=6))


@pytest.mark.parametrize("value", [-1, 5, True, "1", 1.0])
def test_a_loop_start_that_is_no_state_of_the_trace_is_refused(value: object) -> None:
    text = json.dumps({**trace_values(lasso()), "loop_start": value})
    with pytest.raises(
        TraceFileError, match=r"trace\.json: loop_start is .*, neither null nor the number of a state, 0 to 4"
    ):
        read_trace(text, "trace.json", lambda _: OFFICE)


def test_the_command_line_checks_shows_and_replays_a_lasso(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, file = from_file().name, str(tmp_path / "lasso.json")
    options = ["--property", "answered_if_weak", "--engine", "interpreted", "--trace-out", file]
    assert main(["check", name, *options, "--json", str(tmp_path / "result.json")]) == 1
    assert "answered_if_weak            eventually   violated   false forever from step 1 on" in capsys.readouterr().out
    finding = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["properties"]["answered_if_weak"]
    assert (finding["kind"], finding["trace_length"], finding["trace"]["loop_start"]) == ("eventually", 5, 1)
    assert main(["replay", file, "--profile", name]) == 0
    assert main(["trace", file, "--profile", name]) == 0
    assert "From here on, steps 2-4 repeat forever." in capsys.readouterr().out
    assert main(["check", name, "--max-depth", "2", "--engine", "interpreted"]) == 3
    assert "eventually   undecided  decided when all states are explored" in capsys.readouterr().out
    assert main(["describe", name]) == 0
    assert "Weakly fair: answer. Strongly fair: attend." in capsys.readouterr().out
