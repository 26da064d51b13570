from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Run
from golden_text import expect_golden

from neverlost.cli.commands import validate
from neverlost.conformance.validation import event_log, following

ROOT = Path(__file__).parents[2]
FOLLOWS = str(ROOT / "examples" / "events" / "follows.ndjson")
REFUSED = str(ROOT / "examples" / "events" / "refused.ndjson")
JUGS = str(ROOT / "examples" / "water_jugs.py")


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., str]:
    def write(*lines: str) -> str:
        path = tmp_path / "events.ndjson"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    return write


def test_a_log_that_follows_exits_with_0(run: Run) -> None:
    code, out, _ = run("validate", FOLLOWS)
    assert code == 0
    assert "follows kafka-3.5: a run of the model explains 7 events" in out.replace("\n", " ")


def test_a_refused_log_shows_the_event_the_state_and_the_guards(
    run: Run, written: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(written('{"event": "produce"}', '{"event": "fetch"}', '{"event": "elect"}')).parent)
    code, out, _ = run(
        "validate", "events.ndjson", "--profile", "kafka-3.5", "--hidden", "crash", "--hidden-steps", "1"
    )
    expect_golden("validate_refused.txt", out)
    assert code == 1


def test_the_same_log_follows_another_version(run: Run, written: Callable[..., str]) -> None:
    leaderless = [
        '{"event": "power_loss", "parameters": {"replica": "r1"}}',
        '{"event": "fail_over_unclean", "parameters": {"leader": "r1", "successor": "r2"}}',
    ]
    path = written('{"event": "shrink_isr", "parameters": {"leader": "r1", "follower": "r2"}}', *leaderless)
    shown = ("--replicas", "2", "--acks", "1", "--hidden", "produce", "--hidden-steps", "1")
    assert run("validate", path, "--profile", "kafka-0.8", *shown)[0] == 0
    code, out, _ = run("validate", path, "--profile", "kafka-0.11", *shown)
    assert code == 1
    assert "require(elects_uncleanly(s))" in out
    assert run("validate", path, "--profile", "kafka-0.11", "--unclean", *shown)[0] == 0


def test_a_limit_ends_undecided_with_3(run: Run) -> None:
    code, out, _ = run("validate", FOLLOWS, "--max-states", "2")
    assert code == 3
    assert "UNDECIDED whether" in out
    assert "2 states were searched (--max-states)" in out.replace("\n", " ")
    assert "Why it cannot happen there" not in out


def test_a_time_limit_leaves_no_alarm_behind(run: Run) -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert run("validate", FOLLOWS, "--time-limit", "1h")[0] == 0
    assert run("validate", FOLLOWS, "--time-limit", "0.000001s")[0] == 2
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_the_time_limit_holds_while_the_log_is_read(
    run: Run, written: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written('{"event": "fetch"}')
    monkeypatch.setattr(event_log, "read_json", lambda raw: time.sleep(5))
    code, out, err = run("validate", path, "--profile", "kafka-3.5", "--time-limit", "0.01s")
    assert (code, out) == (2, "")
    assert (
        err
        == f"error: {path} takes longer to read than 0.01 s (--time-limit), so nothing was searched: allow more time\n"
    )


def test_too_little_memory_ends_the_reading_with_2_and_the_search_with_3(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [1 << 50]
    monkeypatch.setattr(validate, "resident_bytes", lambda: held.pop() if len(held) > 1 else held[0])
    code, _, err = run("validate", FOLLOWS)
    assert code == 2
    assert "follows.ndjson takes more than " in err
    held.append(0)
    monkeypatch.setattr(following, "TICK", 1)
    code, out, _ = run("validate", FOLLOWS)
    assert code == 3
    assert "UNDECIDED whether" in out
    assert "and no more memory is free" in out.replace("\n", " ")


def test_all_that_is_malformed_is_counted_and_the_first_is_kept(run: Run, written: Callable[..., str]) -> None:
    path = written('{"event": "fetch"}', *["{oops"] * 600, *['{"event": "fetsh"}'] * 600)
    code, out, err = run("validate", path, "--profile", "kafka-3.5", "--max-states", "1", "--json", "-")
    found = json.loads(out)
    assert code == 2
    assert (found["malformed_count"], [one["line"] for one in found["malformed"]]) == (1_200, list(range(2, 1_002)))
    assert "1,200 things in it cannot be read" in err


def test_a_message_does_not_repeat_all_of_a_long_value(run: Run, written: Callable[..., str]) -> None:
    wide = json.dumps([0] * 100_000)
    events = [
        f'{{"event": "fetch", "observed": {{"log_end": {wide}}}}}',
        f'{{"event": "fetch", "parameters": {{"leader": {wide}}}}}',
    ]
    code, out, _ = run("validate", written(*events, f'{{"event": "{"x" * 100_000}"}}'), "--profile", "kafka-3.5")
    assert code == 2
    assert "line 1: log_end is {0, 0, 0" in out
    assert len(out) < 10_000


def test_a_line_that_is_too_long_is_reported_and_the_rest_is_judged(run: Run, written: Callable[..., str]) -> None:
    long = f'{{"event": "fetch", "note": "{"x" * 3_000_000}"}}'
    code, out, _ = run("validate", written('{"event": "fetch"}', long, '{"event": "fetch"}'), "--profile", "kafka-3.5")
    assert code == 2
    assert "1 thing in it cannot be read" in out
    assert "has more than 1,048,576 bytes; expected" in " ".join(out.split())
    assert "explains 3 events" in out.replace("\n", " ")


def test_a_bound_that_refuses_is_named_as_one(run: Run, written: Callable[..., str]) -> None:
    path = written(*['{"event": "move_leader"}'] * 6)
    shown = ("validate", path, "--profile", "kafka-3.5", "--hidden", "none", "--leader-epochs")
    code, out, _ = run(*shown, "4")
    assert code == 1
    assert "A bound of the model, which real brokers do not have, refuses some steps" in out.replace("\n", " ")
    assert run(*shown, "20")[0] == 0


def test_no_reason_is_given_why_a_step_that_explains_the_event_could_not(run: Run) -> None:
    reasons = json.loads(run("validate", FOLLOWS, "--max-states", "1", "--json", "-")[1])["refused"]["reasons"]
    assert all(reason["guard"] or reason["observed"] for reason in reasons)


def test_malformed_lines_exit_with_2_and_the_rest_is_judged(run: Run, written: Callable[..., str]) -> None:
    lines = Path(FOLLOWS).read_text(encoding="utf-8").splitlines()
    code, out, _ = run("validate", written(*lines[:3], "{oops", *lines[3:]))
    assert code == 2
    assert "line 4: '{oops' is not JSON" in out
    assert "The rest of it follows kafka-3.5" in out


def test_nothing_is_hidden_if_the_command_says_so(run: Run) -> None:
    code, out, _ = run("validate", FOLLOWS, "--hidden", "none")
    assert code == 1
    assert "line 7, event 6 of 7" in out.replace("\n", " ")
    assert "require(seems_dead(s, leader))" in out


def test_a_model_that_knows_no_kafka_judges_logs_too(run: Run, written: Callable[..., str]) -> None:
    path = written('{"event": "fill_large", "observed": {"large": 5}}', '{"event": "pour_large_into_small"}')
    code, out, err = run("validate", path, "--profile", f"{JUGS}:WATER_JUGS", "--hidden", "none")
    assert (code, err) == (0, "")
    assert "explains 2 events" in out.replace("\n", " ")


def test_the_json_holds_what_the_text_tells(run: Run) -> None:
    code, out, err = run("validate", REFUSED, "--json", "-")
    values = json.loads(out)
    assert code == 1
    assert "does NOT follow" in err
    assert (values["verdict"], values["events"], values["explained"]) == ("refused", 4, 3)
    assert values["refused"]["line"] == 5
    (reason,) = values["refused"]["reasons"]
    assert reason["observed"] == [{"place": "high_watermark[r1]", "expected": "0", "seen": "1"}]
    accepted = json.loads(run("validate", FOLLOWS, "--json", "-")[1])
    (hidden,) = accepted["hidden"]
    assert hidden["before_event"] == 6
    assert hidden["steps"][0]["parameters"]["replica"] == "r1"


WRONG = {
    "no file": (("no/such/file",), "no/such/file"),
    "no profile": (("PLAIN",), "has no header that names a profile; add --profile"),
    "an unknown profile": (("PLAIN", "--profile", "kafka-9.9"), "no profile is named 'kafka-9.9'"),
    "an unknown action": (("PLAIN", "--profile", "kafka-3.5", "--hidden", "crush"), "Did you mean 'crash'?"),
    "an unknown bound": (("PLAIN", "--profile", "kafka-3.5", "--replica", "3"), "Did you mean --replicas?"),
    "a bound of 0": (("PLAIN", "--profile", "kafka-3.5", "--replicas", "0"), "must be at least 1"),
    "a bound too large": (("PLAIN", "--profile", "kafka-3.5", "--replicas", "63"), "has sets of 63 members"),
    "a bound of a million": (
        ("PLAIN", "--profile", "kafka-3.5", "--values", "1000000"),
        "elements of the state and steps; the limit is 1,000,000. Lower one bound: values ",
    ),
    "no time to set up": (
        ("PLAIN", "--profile", "kafka-3.5", "--log-size", "9999", "--time-limit", "0.000001s"),
        "(--time-limit), so nothing was searched: ",
    ),
    "an unwritable path": (("PLAIN", "--profile", "kafka-3.5", "--json", "/no/such/x"), "--json /no/such/x cannot"),
    "a time that is none": (("PLAIN", "--profile", "kafka-3.5", "--time-limit", "x"), "is not a time above 0"),
    "a header that names a file": (("PROGRAM",), "add --profile evil.py:X to run that file"),
    "a header with an unknown setting": (("SETTING",), "Did you mean 'acks'?"),
    "a header with a wrong setting": (
        ("CHOICE",),
        "in the header, settings.acks is 'some'; it must be one of '0', '1', 'all'",
    ),
}
HEADERS = {
    "PROGRAM": '"profile": "evil.py:X"',
    "SETTING": '"profile": "kafka-3.5", "settings": {"ack": "all"}',
    "CHOICE": '"profile": "kafka-3.5", "settings": {"acks": "some"}',
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_with_what_to_do(name: str, run: Run, written: Callable[..., str]) -> None:
    (file, *options), said = WRONG[name]
    event = '{"event": "fetch"}'
    if file == "PLAIN":
        file = written(event)
    elif file in HEADERS:
        file = written(f'{{"neverlost": "events", "schema": 1, {HEADERS[file]}}}', event)
    code, out, err = run("validate", file, *options)
    assert (code, out) == (2, "")
    assert said in err


FAR = '{"event": "fetch", "parameters": {"follower": "r3", "leader": "r2", "response": "delivered"}}'


def test_a_log_that_needs_more_hidden_steps_than_anyone_allowed_is_undecided(
    run: Run, written: Callable[..., str]
) -> None:
    """Before the fetch the leader moves to r2, r2 hears of it, and r3 does."""
    path = written(FAR)
    shown = ("validate", path, "--profile", "kafka-3.5", "--replicas", "3", "--quiet")
    code, out, _ = run(*shown)
    assert code == 3
    assert "more than 2 hidden steps before an event were not tried (--hidden-steps)" in out.replace("\n", " ")
    assert run(*shown, "--hidden-steps", "2")[0] == 1
    assert run(*shown, "--hidden-steps", "3")[0] == 0


def test_a_header_may_say_how_many_hidden_steps_there_are(run: Run, written: Callable[..., str]) -> None:
    header = '{"neverlost": "events", "schema": 1, "profile": "kafka-3.5", "hidden_steps": 2}'
    assert run("validate", written(header, FAR), "--replicas", "3", "--quiet")[0] == 1


def test_hidden_steps_that_can_only_be_few_do_not_leave_a_log_undecided(run: Run, written: Callable[..., str]) -> None:
    path = written(FAR)
    shown = ("--profile", "kafka-3.5", "--replicas", "3", "--values", "2", "--hidden", "produce", "--quiet")
    assert run("validate", path, *shown)[0] == 1


@pytest.mark.parametrize("bounds", [(), ("--leader-epochs", "12")])
def test_a_bound_that_nobody_gives_has_room_for_every_event(
    run: Run, written: Callable[..., str], bounds: tuple[str, ...]
) -> None:
    moves = [f'{{"event": "move_leader", "parameters": {{"successor": "{to}"}}}}' for to in ("r2", "r1") * 4]
    shown = ("--profile", "kafka-3.5", "--replicas", "3", "--hidden", "none", "--quiet")
    assert run("validate", written(*moves), *shown, *bounds)[0] == 0
    assert run("validate", written(*moves), *shown, "--leader-epochs", "8")[0] == 1


def test_of_bounds_that_do_not_go_together_only_lost_decisions_stay_at_none(
    run: Run, written: Callable[..., str]
) -> None:
    changes = ['{"event": "set_min_isr", "parameters": {}}'] * 3
    code, out, _ = run("validate", written(*changes), "--profile", "kafka-4.3", "--hidden", "none", "--quiet")
    assert code == 0, out
    _, out, _ = run("validate", REFUSED, "--profile", "kafka-4.3", "--quiet")
    assert "does NOT follow kafka-4.3, if the controllers lose no decision." in " ".join(out.split())


TIMED_OUT = """{"neverlost": "events", "schema": 1, "profile": "kafka-transactions-4.2"}
{"event": "start", "parameters": {"producer": "p1", "way": "at-once"}}
{"event": "begin", "parameters": {"producer": "p1", "txn": "t1"}}
{"event": "produce", "parameters": {"producer": "p1", "txn": "t1", "partition": "a1", "way": "at-once"}}
{"event": "end", "parameters": {"producer": "p1", "txn": "t1", "result": "commit", "way": "at-once"}}
{"event": "time_out"}
"""
"""A timeout of a transaction that has been decided, which no hidden step makes possible."""


def test_a_hidden_step_that_goes_beyond_the_numbers_of_a_model_is_no_error(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.ndjson"
    log.write_text(TIMED_OUT, encoding="utf-8")
    code, out, err = run("validate", str(log), "--quiet", "--hidden", "move_coordinator", "--hidden-steps", "5")
    assert (code, err) == (3, "")
    assert "a hidden step that goes beyond the numbers of the model was not tried" in " ".join(out.split())


def test_a_bound_that_is_there_on_request_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.ndjson"
    log.write_text(TIMED_OUT, encoding="utf-8")
    asked = ("--hidden", "move_coordinator", "--hidden-steps", "1", "--coordinator-moves", "1")
    code, out, err = run("validate", str(log), "--quiet", *asked)
    assert (code, err) == (1, "")
    assert "No run of the model explains line 6" in " ".join(out.split())
