from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from command_line import Run
from golden_text import expect_golden
from written_traces import COUNTER, loss_trace

from neverlost.cli.main import COMMANDS, cli
from neverlost.cli.progress import SearchStatus, interruptible, progress_line
from neverlost.cli.quantities import QuantityError, size_bytes, time_seconds
from neverlost.explorer.loading import load_module
from neverlost.explorer.process.memory import sensible_memory
from neverlost.explorer.search import Progress
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.reports.quantities import show_bytes, show_seconds

INTERPRETED = ("--engine", "interpreted")
LOSING = ("published/truncate-to-high-watermark", "--replicas", "2", "--log-size", "1", "--records", "1", *INTERPRETED)
HOLDING = ("published/kip-320", "--replicas", "2", "--log-size", "1", "--records", "1", *INTERPRETED)
FAULTLESS = ("kafka-4.1", "--replicas", "2", "--log-size", "1", "--values", "1", "--leader-epochs", "1", *INTERPRETED)


@pytest.fixture
def trace_file(tmp_path: Path) -> str:
    path = tmp_path / "trace.json"
    path.write_text(trace_json(loss_trace()), encoding="utf-8")
    return str(path)


@pytest.fixture
def counter(tmp_path: Path) -> str:
    path = tmp_path / "counter.py"
    path.write_text(COUNTER, encoding="utf-8")
    return f"{path}:COUNTER"


def neverlost(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "import sys; from neverlost.cli.main import main; sys.exit(main())",
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


GOLDEN: dict[str, tuple[int, tuple[str, ...]]] = {
    "check_holds": (0, ("check", *HOLDING)),
    "check_violated": (1, ("check", *LOSING)),
    "check_all": (1, ("check", *LOSING, "--until", "all", "--symmetry")),
    "check_witness": (0, ("check", *HOLDING, "--property", "a_deposed_leader_goes_on")),
    "check_stopped": (3, ("check", *HOLDING, "--max-depth", "4")),
    "describe_atomic": (0, ("describe", "kafka-4.1", "--atomic")),
    "check_missing_witness": (
        1,
        ("check", "published/kip-320", "--replicas", "1", *INTERPRETED, "--property", "a_deposed_leader_goes_on"),
    ),
    "check_no_faults": (0, ("check", *FAULTLESS, "--quiet")),
    "check_quiet": (1, ("check", *LOSING, "--quiet")),
    "check_all_traces": (1, ("check", *LOSING, "--all-traces", "--brief")),
    "check_quiet_never": (3, ("check", *HOLDING, "--max-depth", "4", "--quiet")),
    "list": (0, ("list",)),
    "list_profiles": (0, ("list", "profiles")),
    "list_properties": (0, ("list", "properties")),
    "describe_kip_320": (0, ("describe", "published/kip-320", "--replicas", "5")),
    "describe_tla": (0, ("describe", "published/id-sequence", "--tla")),
    "describe_code": (0, ("describe", "published/id-sequence", "--code")),
    "help": (0, ("--help",)),
    "help_check": (0, ("check", "--help")),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_what_users_see(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    expected, arguments = GOLDEN[name]
    code, out, _ = run(*arguments)
    expect_golden(f"{name}.txt", out)
    assert code == expected
    assert "\x1b" not in out
    if name.startswith("check"):
        assert max(len(line) for line in out.splitlines()) <= 100


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "profile": (("check", "published/kip-32"), "Did you mean 'published/kip-320'? Known: published/kip-320"),
    "profile to describe": (("describe", "kip"), "no profile is named 'kip'"),
    "steps of no version of Kafka": (
        ("describe", "published/kip-320", "--atomic"),
        "no version of Kafka is named 'published/kip-320'",
    ),
    "property": (("check", "published/kip-320", "--property", "strong"), "Known: type_ok, weak_isr, strong_isr"),
    "bound": (
        ("check", "published/kip-320", "--replica", "3"),
        "Did you mean --replicas? Its bounds: --replicas, --log-size",
    ),
    "option": (("check", "published/kip-320", "--max-sates", "3"), "Did you mean --max-states?"),
    "bound of another": (("check", "published/id-sequence", "--replicas", "3"), "Its bounds: --ids"),
    "bound without a value": (("check", "published/kip-320", "--replicas"), "--replicas takes a whole number"),
    "bound before an option": (("check", "published/kip-320", "--replicas", "--quiet"), "but got nothing"),
    "bound as text": (("check", "published/kip-320", "--replicas", "three"), "but got 'three'"),
    "bound with two signs": (("check", "published/kip-320", "--replicas", "+-3"), "but got '+-3'"),
    "bound of 5,000 digits": (
        ("check", "published/kip-320", "--replicas", "9" * 5000),
        "of at most 18 digits, but got '999999999999999999999999'... (5,000 characters)",
    ),
    "bound of 18 digits": (("check", "published/kip-320", "--replicas", "9" * 18), "it must be at least 1"),
    "bound of 0": (("check", "published/kip-320", "--replicas=0"), "it must be at least 1"),
    "bound below 0": (("check", "published/kip-320", "--replicas", "-1"), "it must be at least 1"),
    "bound too large": (("check", "published/kip-320", "--replicas", "40"), "Lower one bound"),
    "engine": (("check", "published/kip-320", "--engine", "compild"), "Did you mean 'compiled'?"),
    "until": (("check", *HOLDING, "--until", "firs"), "Did you mean 'first'?"),
    "domain": (("check", *HOLDING, "--symmetric", "epoch"), "Known: replica"),
    "no symmetry": (("check", "published/id-sequence", *INTERPRETED, "--symmetry"), "has no symmetric domain"),
    "workers": (("check", "published/kip-320", "--workers", "0"), "--workers"),
    "workers of the interpreted engine": (
        ("check", *HOLDING, "--workers", "3"),
        "the interpreted engine has one worker; leave out --workers 3",
    ),
    "memory": (("check", *HOLDING, "--memory", "lots"), "'lots' is not a size above 0; write it like 4GiB"),
    "time": (("check", *HOLDING, "--time-limit", "1fortnight"), "is not a time above 0"),
    "json path": (
        ("check", *HOLDING, "--json", "/no/such/folder/x.json"),
        "--json /no/such/folder/x.json cannot be written",
    ),
    "trace path": (("check", *HOLDING, "--trace-out", "/"), "--trace-out / cannot be written: Is a directory"),
    "one output twice": (
        ("check", *LOSING, "--json", "-", "--trace-out", "-"),
        "--json and --trace-out would both write to -;",
    ),
    "one file twice": (
        ("check", *LOSING, "--json", "x.json", "--trace-out", "./x.json"),
        "--json and --trace-out would both write to ./x.json;",
    ),
    "no profile": (("check",), "Missing argument 'PROFILE'"),
    "two profiles": (("check", "published/kip-320", "published/kip-101"), "unexpected extra argument"),
    "command": (("chek",), "no command is named 'chek'. Did you mean 'check'?"),
    "list": (("list", "profile"), "Did you mean 'profiles'?"),
    "no file": (("check", "no/such.py:MODEL"), "there is no file no/such.py"),
    "trace file": (("replay", "no-such.json"), "no-such.json cannot be read: No such file"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_in_one_clear_message(name: str, run: Run) -> None:
    arguments, message = WRONG[name]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_exit_codes_of_the_process() -> None:
    assert neverlost("check", *HOLDING, "--quiet").returncode == 0
    assert neverlost("check", *LOSING, "--quiet").returncode == 1
    assert neverlost("check", "nothing").returncode == 2
    assert neverlost("check", *HOLDING, "--quiet", "--max-states", "10").returncode == 3
    assert neverlost().returncode == 2


def test_an_internal_error_is_no_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def explored(*_: Any, **__: Any) -> None:
        raise IndexError("beyond the end")

    monkeypatch.setattr("neverlost.cli.commands.check.explore", explored)
    code, out, err = run("check", *HOLDING)
    assert (code, out) == (70, "")
    assert "Traceback" in err
    assert err.splitlines()[-1] == "neverlost: internal error, this is a bug: IndexError: beyond the end"


MODULES = sorted({place.partition(":")[0] for topic in COMMANDS.values() for place, _ in topic.values()})


@pytest.mark.parametrize("module", MODULES)
def test_every_command_can_be_imported_by_itself(module: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", f"import neverlost.cli.commands.{module}"], capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (0, "")


RESULT_KEYS = [
    "schema", "profile", "bounds", "settings", "assumed", "no_faults",
    "symmetry", "symmetric_domains", "engine", "workers", "complete", "stopped_by", "verdict",
    "distinct", "distinct_without_symmetry", "generated", "depth", "levels", "digest", "seconds",
    "compile_seconds", "peak_memory_bytes", "actions",
    "dead_actions", "switched_off_actions", "ran_out", "left_out", "properties",
]  # fmt: skip


def test_the_json_result_has_the_published_shape(run: Run) -> None:
    code, out, err = run("check", *LOSING, "--until", "all", "--symmetry", "--json", "-")
    result = json.loads(out)
    assert code == 1
    assert "VIOLATED" in err
    assert list(result) == RESULT_KEYS
    assert (result["schema"], result["symmetry"], result["symmetric_domains"]) == (1, True, ["replica"])
    assert (result["complete"], result["stopped_by"], result["verdict"]) == (True, None, "violated")
    assert (result["distinct"], result["depth"]) == (sum(result["levels"]), len(result["levels"]))
    assert result["generated"] == 1 + sum(a["generated"] for a in result["actions"].values())
    weak = result["properties"]["weak_isr"]
    assert weak["trace_length"] == len(weak["trace"]["states"]) == len(weak["trace"]["steps"]) + 1
    assert (weak["kind"], weak["verdict"], weak["asserted"]) == ("always", "violated", True)
    assert weak["violating_states"] > 0
    probe = result["properties"]["leader_in_isr_as_published"]
    assert (probe["asserted"], probe["verdict"], probe["trace_length"]) == (False, "violated", 1)
    assert result["properties"]["type_ok"]["trace"] is None


@pytest.mark.parametrize(
    ("option", "value", "stopped_by"),
    [
        ("--max-states", "100", "states"),
        ("--max-depth", "3", "depth"),
        ("--memory", "1MB", "memory"),
        ("--time-limit", "0.001s", "time"),
    ],
)
def test_a_limit_ends_the_search_undecided_and_is_named(option: str, value: str, stopped_by: str, run: Run) -> None:
    code, out, err = run("check", *HOLDING, option, value, "--json", "-")
    result = json.loads(out)
    assert (code, result["complete"], result["stopped_by"], result["verdict"]) == (3, False, stopped_by, "undecided")
    assert result["properties"]["strong_isr"]["verdict"] == "undecided"
    assert f"({option})" in err
    assert "UNDECIDED" in err
    if option == "--memory":
        assert f"the limit of {value} (--memory)" in err


def test_a_json_file_and_a_trace_file_are_written(run: Run, tmp_path: Path) -> None:
    result, trace = tmp_path / "result.json", tmp_path / "trace.json"
    code, out, _ = run("check", *LOSING, "--json", str(result), "--trace-out", str(trace))
    assert code == 1
    assert f"The trace is in {trace}" in out
    assert json.loads(result.read_text())["properties"]["weak_isr"]["trace"] == json.loads(trace.read_text())
    code, out, _ = run("replay", str(trace))
    assert code == 0
    assert "8 steps, every state as recorded" in out


def test_a_trace_file_is_left_alone_when_there_is_nothing_to_tell(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    code, out, _ = run("check", *HOLDING, "--trace-out", str(path))
    assert code == 0
    assert "There is no trace to write" in out
    assert not path.exists()


def test_an_output_that_cannot_be_written_is_said_before_the_search_starts(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explored(*_: Any, **__: Any) -> None:
        raise AssertionError("the search began")

    monkeypatch.setattr("neverlost.cli.commands.check.explore", explored)
    assert run("check", *HOLDING, "--json", "/no/such/folder/x.json")[0] == 2


@pytest.mark.parametrize("name", ["json", "itf", "mermaid", "pytest", "text"])
def test_a_trace_is_shown_in_every_format(name: str, run: Run, trace_file: str, tmp_path: Path) -> None:
    out_file = tmp_path / "shown"
    assert run("trace", trace_file, "--format", name, "--out", str(out_file)) == (0, "", "")
    code, out, _ = run("trace", trace_file, "--format", name)
    assert (code, out) == (0, out_file.read_text())
    expect_golden(f"loss.{name}.txt", out)


def test_an_unknown_format_is_refused_before_anything_else(run: Run, trace_file: str) -> None:
    code, out, err = run("trace", trace_file, "--format", "mermade")
    assert (code, out) == (2, "")
    assert "Did you mean 'mermaid'? Known: text, json, itf, mermaid, pytest, html, svg." in err


def test_a_trace_that_does_not_replay_is_not_shown_and_replay_says_why(run: Run, trace_file: str) -> None:
    values = json.loads(Path(trace_file).read_text())
    values["states"][7]["high_watermark"][0] = 2
    Path(trace_file).write_text(json.dumps(values))
    code, out, err = run("trace", trace_file)
    assert (code, out) == (2, "")
    assert "does not replay, so it is not shown: step 7" in err
    code, out, err = run("replay", trace_file)
    assert (code, err) == (1, "")
    assert "fails at step 7 of 8" in out
    assert "high_watermark[r1] is 1, but was recorded as 2" in out


def test_a_binary_file_is_no_trace(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(b"\xff\xfe\x00")
    code, _, err = run("replay", str(path))
    assert code == 2
    assert "not text in UTF-8" in err


def test_a_profile_in_a_file_is_checked_and_its_trace_replayed(run: Run, counter: str, tmp_path: Path) -> None:
    trace = tmp_path / "counter.json"
    code, out, _ = run("check", counter, *INTERPRETED, "--trace-out", str(trace))
    assert code == 1
    assert "is VIOLATED" in out
    assert "by_one is violated after 1 step: The counter goes on by one." in out
    assert "count 0 -> 2" in out
    code, _, err = run("replay", str(trace))
    assert code == 2
    assert f"add --profile {counter} to run that file" in err
    assert run("replay", str(trace), "--profile", counter)[0] == 0


def test_one_state_is_not_many(run: Run, counter: str) -> None:
    alone = ("check", counter, "--counts", "1", *INTERPRETED, "--quiet", "--property")
    assert "every property holds, in the 1 distinct state at depth 1." in " ".join(run(*alone, "small")[1].split())
    assert "there is no witness in the 1 distinct state at depth 1." in " ".join(run(*alone, "even")[1].split())


def test_a_check_with_a_fault_is_not_called_one_without(run: Run) -> None:
    _, out, _ = run("check", *FAULTLESS, "--pauses", "1", "--quiet")
    assert ", with --pauses 1: every property holds" in " ".join(out.split())
    assert "no faults" not in out
    _, out, _ = run("check", *HOLDING, "--quiet")
    assert "no faults" not in out, "the published models have no faults to leave out"


def test_a_long_name_of_a_property_stands_apart_from_its_kind(run: Run) -> None:
    _, out, _ = run("check", *FAULTLESS)
    assert "\n  true_leader_isr_has_committed always       " in out


def test_without_properties_there_is_nothing_to_decide(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(COUNTER.replace("(by_one, small, even)", "()"), encoding="utf-8")
    code, out, _ = run("check", f"{path}:COUNTER", *INTERPRETED, "--quiet")
    assert code == 3
    assert "UNDECIDED: there is no property to decide (" in " ".join(out.split())
    assert "stopped by" not in out


def test_a_violation_that_leaves_others_undecided_says_how_to_decide_them(run: Run) -> None:
    _, out, _ = run("check", *LOSING)
    assert "To decide the rest too: type_ok, strong_isr, leader_in_isr\n" in out
    assert "--engine interpreted --until all\n" in out
    for decided in (("check", *LOSING, "--until", "all"), ("check", *LOSING, "--property", "weak_isr")):
        assert "To decide the rest" not in run(*decided)[1]
    assert "To decide the rest" not in run("check", *HOLDING, "--max-depth", "4")[1]


FILES: dict[str, tuple[str, str, str]] = {
    "no profile": ("X = 1\n", "", "defines no Profile"),
    "no name of several": (COUNTER + "OTHER = COUNTER\n", "", "needs the name of a profile:"),
    "unknown name": (COUNTER, ":COUNTR", "Did you mean 'COUNTER'?"),
    "syntax": ("def\n", ":COUNTER", "cannot be loaded: SyntaxError"),
    "failing": ("1 / 0\n", ":COUNTER", "cannot be loaded, at line 1: ZeroDivisionError"),
    "raising": ("raise BaseException('no')\n", ":COUNTER", "cannot be loaded, at line 1: BaseException: no"),
    "nothing imported": ("class Mine(State):\n    pass\n", ":MINE", "write `from neverlost.modelling import State`"),
    "leaving": ("raise SystemExit(0)\n", ":COUNTER", "cannot be loaded, at line 1: SystemExit"),
    "unknown argument": (COUNTER.replace("default_bounds=", "bounds="), ":COUNTER", "Did you mean 'default_bounds'?"),
    "outside the language": (COUNTER.replace("s.count += 2", "s.count *= 2"), ":COUNTER", "outside Model Python"),
}


def test_the_only_profile_of_a_file_needs_no_name(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(COUNTER, encoding="utf-8")
    code, out, _ = run("check", str(path), *INTERPRETED)
    assert code == 1
    assert f"{path}:COUNTER (counts 4)" in " ".join(out.split())


def test_actions_that_settings_switch_off_are_not_called_dead(run: Run) -> None:
    out = run("check", *FAULTLESS, "--until", "all", "--json", "-")[1]
    result = json.loads(out)
    assert "elect_unclean" in result["switched_off_actions"]
    assert "crash" in result["dead_actions"]
    assert not {*result["switched_off_actions"]} & {*result["dead_actions"]}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_defines_no_such_profile_is_refused(name: str, run: Run, tmp_path: Path) -> None:
    text, reference, message = FILES[name]
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    code, out, err = run("check", f"{path}{reference}", *INTERPRETED)
    assert (code, out) == (2, "")
    assert message in err


def test_ctrl_c_ends_a_search_with_what_was_found_so_far_and_progress_is_shown_on_a_terminal() -> None:
    screen, terminal = pty.openpty()
    command = [sys.executable, "-c", "import sys; from neverlost.cli.main import main; sys.exit(main())"]
    arguments = ["check", "published/kip-320", "--leader-epochs", "3", *INTERPRETED, "--json", "-"]
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=terminal, text=True, env=environment
    ) as child:
        os.close(terminal)
        shown = b""
        while b"states/s" not in shown:
            shown += os.read(screen, 4096)
        child.send_signal(signal.SIGINT)
        assert child.stdout is not None
        out = child.stdout.read()
    os.close(screen)
    result = json.loads(out)
    assert child.returncode == 3
    assert (result["stopped_by"], result["complete"], result["verdict"]) == ("interrupt", False, "undecided")
    assert result["distinct"] > 1


def test_the_first_interrupt_sets_a_flag_and_the_second_would_kill() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible() as interrupted:
        assert not interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupted()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is before


def progress(seconds: float, expanded: int = 500) -> Progress:
    return Progress(depth=7, frontier=1000, expanded=expanded, distinct=123456, seconds=seconds, memory_bytes=50 << 20)


def test_a_plain_progress_line_is_written_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    with SearchStatus(quiet=False) as status:
        for seconds in (0.1, 9.9, 10.1, 12.0, 20.2):
            status.search(progress(seconds))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("depth 7: 50% of 1,000, 10.0 s to go | 123,456 distinct | ")


def test_an_end_is_estimated_only_where_something_is_known() -> None:
    assert "to go" not in progress_line(progress(12.0, expanded=20), 5.0)
    assert "to go" not in progress_line(progress(12.0), 0.5)
    assert ", 5.0 s to go |" in progress_line(progress(12.0), 5.0)


@pytest.mark.parametrize(
    ("text", "count"), [("4GiB", 4 << 30), ("500MB", 500_000_000), ("1.5 kib", 1536), ("10", 10), ("2g", 2 << 30)]
)
def test_sizes_are_read_as_people_write_them(text: str, count: int) -> None:
    assert size_bytes(text) == count


@pytest.mark.parametrize(("text", "seconds"), [("30", 30), ("90s", 90), ("10m", 600), ("2h", 7200), ("0.5s", 0.5)])
def test_times_are_read_as_people_write_them(text: str, seconds: float) -> None:
    assert time_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1", "4 parsecs", "GiB", "1e3"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(QuantityError, match="write it like"):
        size_bytes(text)
    with pytest.raises(QuantityError, match="write it like"):
        time_seconds(text)


def test_quantities_are_shown_short() -> None:
    assert [show_bytes(n) for n in (12, 2048, 50 << 20, 3 << 29)] == ["12 bytes", "2.0 KiB", "50 MiB", "1.5 GiB"]
    assert [show_seconds(s) for s in (0.034, 12.34, 200, 7260)] == ["0.03 s", "12.3 s", "3 min 20 s", "2 h 1 min"]


def test_a_search_leaves_some_memory_to_others() -> None:
    memory = sensible_memory()
    assert memory is not None
    assert memory > 1 << 20


REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("command", cli.list_commands(click.Context(cli)))
def test_the_reference_names_every_option_of_every_command(command: str) -> None:
    text = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    assert f"## neverlost {command}" in text
    section = text.split(f"## neverlost {command}")[1].split("\n## ")[0]
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    for parameter in found.params:
        name = (
            parameter.opts[0]
            if parameter.opts[0].startswith("-")
            else parameter.make_metavar(click.Context(cli)).strip("[]")
        )
        assert f"`{name}" in section


def test_the_profiles_of_a_file_of_ones_own_are_listed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(COUNTER, encoding="utf-8")
    code, out, _ = run("list", str(path))
    text = " ".join(out.split())
    assert code == 0
    assert f"{path}:COUNTER" in text
    assert "even (sometimes" in text
    assert "kip-320" not in text


SWITCHES = """
from neverlost.modelling import Index, Profile, State, action, always, flag, per, require

class Switch(Index, bound="switches", symmetric=True):
    "A switch."

class Wall(State):
    on = per(Switch, flag())

def initial(s: Wall) -> None:
    "All are off."

@action("made up")
def flip(s: Wall, switch: Switch) -> None:
    "A switch is flipped."
    require(not s.on[switch])

    s.on[switch] = True

@always("Nothing is wrong.")
def fine(s: Wall) -> bool:
    return all(s.on[w] or not s.on[w] for w in s.each(Switch))

WALL = Profile(name="wall", statement="A wall.", state=Wall, initial=initial, actions=(flip,), properties=(fine,),
    default_bounds={"switches": 3})
"""
"""Each subset of the switches may be on: eight states of three, and sixteen of four."""


def test_a_thorough_check_of_ones_own_model_goes_one_bound_further(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(COUNTER.replace("by_one, small, even", "even,"), encoding="utf-8")
    code, out, _ = run("check", str(path), "--thorough", "--engine", "interpreted")
    assert code == 0
    assert "counts 5" in out
    assert "--thorough tries larger bounds" not in out


def test_a_thorough_check_compares_states_without_symmetry_though_larger_models_are_searched_with_it(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "switches.py"
    path.write_text(SWITCHES, encoding="utf-8")
    code, out, _ = run("check", str(path), "--thorough")
    assert code == 0
    assert "switches 4                   holds      16 states, 2.0 times as many" in out


def test_the_test_of_a_trace_of_ones_own_model_runs_in_any_folder_and_says_what_it_needs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("switches.py").write_text(SWITCHES.replace("s.on[w] or not s.on[w]", "not s.on[w]"), encoding="utf-8")
    assert run("check", "switches.py", "--trace-out", "on.json")[0] == 1
    asked = ("trace", "on.json", "--profile", "switches.py:WALL", "--format", "pytest", "--out", "test_on.py")
    assert run(*asked)[0] == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    written = load_module(tmp_path / "test_on.py")
    written.test_wall_fine()
    assert "This needs the model, which `profile_from_file` finds below" in str(written.__doc__)


def test_no_story_follows_where_only_the_verdict_is_shown(run: Run) -> None:
    for more in ([], ["--all-traces"]):
        _, out, _ = run("check", *LOSING, *more, "--until", "all", "--quiet")
        assert " and " in out
        assert "VIOLATED" in out
        assert "follow" not in out


def test_a_check_ends_with_what_to_do_next_and_only_with_what_fits(run: Run, tmp_path: Path) -> None:
    html, (_, out, _) = str(tmp_path / "page.html"), run("check", *LOSING)
    assert out.endswith("\nneverlost check ... --html FILE draws this run.\n")
    assert "--html FILE" not in run("check", *LOSING, "--html", html)[1]
    said = " ".join(run("check", *HOLDING)[1].split())
    assert said.endswith(
        "neverlost check ... --thorough tries larger bounds; neverlost prove ... --property NAME asks for any number of steps."
    )
