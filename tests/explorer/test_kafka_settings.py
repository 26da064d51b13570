"""Settings on the command line and in JSON: what `neverlost check kafka-4.1 --acks 1 --no-elr` means, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Run

from neverlost.explorer.search import explore
from neverlost.explorer.traces.commands import check_words, model_options
from neverlost.explorer.traces.trace import Trace, replay
from neverlost.explorer.traces.trace_json import TraceFileError, read_trace, trace_json
from neverlost.model.core import Model
from neverlost.spec import profiles
from neverlost.spec.kafka.replication.versions import version_named

TINY = ("--replicas", "2", "--log-size", "1", "--values", "1", "--leader-epochs", "2")
INTERPRETED = ("--engine", "interpreted", "--property", "one_leader_per_epoch", "--quiet", "--json", "-")


def settings_of(run: Run, *arguments: str) -> dict[str, Any]:
    """The settings in the JSON result of a check."""
    code, out, err = run("check", *arguments, *TINY, *INTERPRETED)
    assert code == 0, err
    settings: dict[str, Any] = json.loads(out)["settings"]
    return settings


def test_a_version_comes_with_its_own_settings(run: Run) -> None:
    old, new = settings_of(run, "kafka-0.8"), settings_of(run, "kafka-4.1")
    assert (old["acks"], old["unclean"], old["truncation"], old["fencing"], old["elr"]) == (
        "1",
        True,
        "high-watermark",
        False,
        False,
    )
    assert (new["acks"], new["unclean"], new["truncation"], new["fencing"], new["elr"]) == (
        "all",
        False,
        "on-fetch",
        True,
        True,
    )
    assert (new["min_isr"], new["crashes"], new["commit"]) == (1, 0, "none")


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        (("--acks", "1"), {"acks": "1"}),
        (("--acks=0",), {"acks": "0"}),
        (("--min-isr", "2", "--crashes", "1"), {"min_isr": 2, "crashes": 1}),
        (("--unclean",), {"unclean": True}),
        (("--unclean=no",), {}),
        (("--unclean", "--clean"), {}),
        (("--clean",), {}),
        (("--clean=no",), {"unclean": True}),
        (("--no-elr", "--no-strict-min-isr"), {"elr": False, "strict_min_isr": False}),
        (("--truncation", "kip-101"), {"truncation": "kip-101"}),
        (("--acks", "0", "--acks", "1"), {"acks": "1"}),
    ],
    ids=" ".join,
)
def test_settings_are_options(options: tuple[str, ...], changed: dict[str, Any], run: Run) -> None:
    assert settings_of(run, "kafka-4.1", *options) == {**settings_of(run, "kafka-4.1"), **changed}


def test_a_switch_takes_no_value_so_the_profile_may_follow_it(run: Run) -> None:
    assert settings_of(run, "--unclean", "kafka-4.1")["unclean"] is True
    assert settings_of(run, "--no-elr", "kafka-4.1")["elr"] is False


WRONG = {
    "a choice": (("--acks", "2"), "--acks takes one of 0, 1, all, but got '2'"),
    "an empty choice": (("--acks=",), "--acks takes one of 0, 1, all, but got ''"),
    "no choice": (("--acks",), "--acks takes one of 0, 1, all, but got nothing"),
    "a number too small": (("--min-isr", "0"), "--min-isr takes one of 1, 2, 3, 4, 5, 6, 7, but got '0'"),
    "no number": (("--min-isr", "x"), "--min-isr takes one of 1, 2, 3, 4, 5, 6, 7, but got 'x'"),
    "a budget too large": (("--crashes", "9"), "--crashes takes one of 0, 1, 2, 3, but got '9'"),
    "no yes or no": (("--elr=maybe",), "--elr takes one of no, yes, but got 'maybe'"),
    "a near name": (
        ("--min-irs", "2"),
        "--min-irs is neither an option nor a bound of kafka-4.1. Did you mean --min-isr?",
    ),
    "a near switch": (("--no-erl",), "Did you mean --no-elr?"),
    "an unknown name": (("--colour", "red"), "which `neverlost describe` lists."),
    "a switch that has a name of its own": (("--no-unclean",), "Did you mean --clean?"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_setting_is_refused_in_one_clear_message(name: str, run: Run) -> None:
    arguments, message = WRONG[name]
    code, out, err = run("check", "kafka-4.1", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_settings_of_kafka_are_none_of_a_published_protocol(run: Run) -> None:
    code, _, err = run("check", "published/kip-320", "--acks", "1")
    assert code == 2
    assert "--acks is neither an option nor a bound of published/kip-320" in " ".join(err.split())


def lossy() -> Model:
    return version_named("kafka-4.1").bounded(replicas=2, log_size=1, values=1, leader_epochs=2, acks=1, leader_moves=1)


@pytest.fixture(scope="module")
def loss() -> Trace:
    trace = explore(lossy(), engine="interpreted", properties=["acked_never_lost"]).findings["acked_never_lost"].trace
    assert trace is not None
    return trace


def profile_named(name: str) -> Any:
    return profiles()[name]


def test_only_settings_that_differ_from_the_version_are_repeated_in_a_command(loss: Trace) -> None:
    assert model_options(loss.model)[4:] == ["--acks 1", "--leader-moves 1"]
    other = version_named("kafka-4.1").bounded(elr=0, unclean=1)
    assert model_options(other)[4:] == ["--unclean", "--no-elr"]
    clean = version_named("kafka-0.8").bounded(unclean=0)
    assert check_words(clean, "log_matching").endswith(" --clean --property log_matching")


def test_a_trace_is_read_back_with_its_settings(loss: Trace) -> None:
    read = read_trace(trace_json(loss), "loss.json", profile_named)
    replay(read)
    assert (read.model.settings, read.states, read.steps) == (loss.model.settings, loss.states, loss.steps)
    written = json.loads(trace_json(loss))["settings"]
    assert (written["acks"], written["leader_moves"], written["elr"]) == ("1", 1, True)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"acks": 1}, "settings.acks is 1; it must be one of '0', '1', 'all'"),
        ({"acks": "some"}, "settings.acks is 'some'; it must be one of '0', '1', 'all'"),
        ({"crashes": "1"}, "settings.crashes is '1'; it must be one of 0, 1, 2, 3"),
        ({"crashes": 4}, "settings.crashes is 4; it must be one of 0, 1, 2, 3"),
        ({"min_isr": 0}, "settings.min_isr is 0; it must be one of 1, 2, 3"),
        ({"elr": "yes"}, "settings.elr is 'yes'; it must be one of False, True"),
        ({"elr": [True]}, r"settings.elr is [True]; it must be one of False, True"),
        ({"speed": 1}, "settings.speed is not a setting of kafka-4.1"),
    ],
)
def test_a_trace_with_a_wrong_setting_is_refused(loss: Trace, changed: dict[str, Any], message: str) -> None:
    values = json.loads(trace_json(loss))
    values["settings"] |= changed
    with pytest.raises(TraceFileError) as error:
        read_trace(json.dumps(values), "loss.json", profile_named)
    assert message in str(error.value)


def test_replay_shows_where_a_trace_is_none_of_the_settings(loss: Trace, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "loss.json"
    path.write_text(trace_json(loss), encoding="utf-8")
    code, out, _ = run("replay", str(path))
    assert (code, out.splitlines()[0]) == (
        0,
        f"{path} replays on kafka-4.1: 3 steps, every state as recorded.",
    )
    values = json.loads(trace_json(loss))
    values["settings"]["acks"] = "all"
    path.write_text(json.dumps(values), encoding="utf-8")
    code, out, _ = run("replay", str(path))
    assert code == 1
    produced = next(number for number, step in enumerate(loss.steps, start=1) if step.action.name == "produce")
    assert out.splitlines()[0] == f"{path} fails at step {produced} of 3."
    assert "leads to another state" in out
