"""The command line where its surroundings fail: no one reads it, disks are full, folders cannot be written, memory is short.

Whatever fails, there is one message, and no exit code that is a verdict unless the verdict was reached and printed.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from command_line import Run
from sampling import quick_one_in

from neverlost.cli.main import cli, main

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("neverlost")
FULL = Path("/dev/full")
GENEROUS_SECONDS = 120

BOUNDS = ("--replicas", "2", "--log-size", "1", "--records", "1", "--leader-epochs", "2")
SMALL = ("published/kip-320", *BOUNDS)
CHECK = ("check", *SMALL, "--quiet")
SUITE = ("suite", "kafka-3.5", "--acks", "all", "--min-isr", "2", "--crashes", "1", "--budget", "3", "--quiet")
SUITE = (*SUITE, "--replicas", "2", "--log-size", "1", "--values", "1", "--leader-epochs", "2")
ONE_REPLICA = sorted(str(path) for path in (ROOT / "examples" / "audit" / "replication-factor-1").iterdir())
REORDERED = str(ROOT / "examples" / "histories" / "reordered.json")
FOLLOWS = str(ROOT / "examples" / "events" / "follows.ndjson")

COMMANDS: Mapping[str, Sequence[str]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "check": CHECK,
    "prove": ("prove", *SMALL, "--property", "leader_in_isr", "--depth", "1", "--quiet"),
    "lemmas": ("lemmas", *SMALL, "--candidates", "1", "--literals", "1", "--time-limit", "1s", "--max-states", "10"),
    "audit": ("audit", *ONE_REPLICA, "--search", "--max-states", "1", "--store", "{made}/answers"),
    "matrix": ("matrix", "--version", "kafka-3.5", "--acks", "1", "--replicas", "2"),
    "claims": ("claims", "C-25"),
    "bugs": ("bugs",),
    "explore": ("explore", "--help"),
    "cluster": ("cluster", "--help"),
    "reproduce": ("reproduce", "--help"),
    "known": ("known", "--list"),
    "compare": ("compare", "--help"),
    "soak": ("soak", "--help"),
    "record": ("record", "--help"),
    "list": ("list", "profiles"),
    "describe": ("describe", *SMALL),
    "mutants": ("mutants", *SMALL, "--quiet"),
    "trace": ("trace", "{made}/trace.json"),
    "replay": ("replay", "{made}/trace.json"),
    "conform": ("conform", "{made}/suite", "--adapter", "inprocess", "--quiet"),
    "history": ("history", REORDERED),
    "suite": (*SUITE, "--out", "{own}/suite"),
    "validate": ("validate", FOLLOWS, "--quiet"),
    "schema": ("schema", "audit"),
    "graph": ("graph", "{made}/store", "levels"),
    "resume": ("resume", "{made}/store", "--quiet"),
}


BY_DEFAULT = ("--help", "check", "bugs", "replay", "history")
EACH_COMMAND = [pytest.param(n, marks=[] if n in BY_DEFAULT else [pytest.mark.thorough]) for n in COMMANDS]
"""Every command; by default one of each kind: without a search, with one, with a file, and the others with `--thorough`."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What commands take: a trace, a suite, and the store of a search."""
    folder = tmp_path_factory.mktemp("made")
    trace = ("--property", "a_record_is_committed", "--trace-out", f"{folder}/trace.json")
    assert main([*CHECK, *trace]) == 0
    assert main([*SUITE, "--out", f"{folder}/suite"]) == 0
    assert main([*CHECK, "--engine", "spark", "--store", f"{folder}/store"]) == 0
    return folder


Ran = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(made: Path, tmp_path: Path, started: Path) -> Ran:
    """Runs the command; `limits` are those of the system, `closed` the streams that it does not have.

    It is the installed one where its start is what fails: without a stream, a cache or memory.
    """

    def run(
        *arguments: str, closed: int | None = None, limits: Mapping[int, int] | None = None, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        def prepare() -> None:
            for limit, value in (limits or {}).items():
                resource.setrlimit(limit, (value, value))
            if closed is not None:
                os.close(closed)

        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        words = [argument.format(made=made, own=tmp_path) for argument in arguments]
        starts = closed is not None or "env" in options or resource.RLIMIT_AS in (limits or {})
        program = SCRIPT if starts else started / SCRIPT.name
        return subprocess.run(
            [program, *words], preexec_fn=prepare, text=True, timeout=GENEROUS_SECONDS, check=False, **streams
        )

    return run


@contextmanager
def nobody_reading() -> Any:
    """A pipe whose other end is closed."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        yield writing
    finally:
        os.close(writing)


def test_every_command_is_in_the_table() -> None:
    assert set(cli.list_commands(click.Context(cli))) <= set(COMMANDS)


@pytest.mark.parametrize("name", EACH_COMMAND)
def test_a_reader_that_has_gone_is_no_verdict(name: str, command: Ran) -> None:
    with nobody_reading() as pipe:
        ran = command(*COMMANDS[name], stdout=pipe)
    assert ran.returncode == 141
    assert "rror" not in ran.stderr


FILES = {
    "check": (*CHECK, "--json", "{own}/a.json", "--html", "{own}/a.html"),
    "check with a trace": ("check", *SMALL, "--property", "a_record_is_committed", "--trace-out", "{own}/trace.json"),
    "bugs": ("bugs", "--json", "{own}/a.json", "--html", "{own}/a.html"),
    "audit": ("audit", *ONE_REPLICA, "--json", "{own}/a.json", "--html", "{own}/a.html"),
}
"""Commands that write files beside their text."""


@pytest.mark.parametrize("name", FILES)
def test_files_are_written_although_nobody_reads_the_text(name: str, command: Ran, tmp_path: Path) -> None:
    with nobody_reading() as pipe:
        ran = command(*FILES[name], stdout=pipe)
    assert (ran.returncode, ran.stderr) == (141, "")
    wanted = {word.removeprefix("{own}/") for word in FILES[name] if word.startswith("{own}/")}
    assert {file.name for file in tmp_path.iterdir()} == wanted
    assert all(file.read_text(encoding="utf-8").rstrip().endswith(("}", "]", "</html>")) for file in tmp_path.iterdir())


needs_full_device = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")


@needs_full_device
@pytest.mark.parametrize("name", EACH_COMMAND)
def test_a_full_standard_output_is_no_verdict(name: str, command: Ran) -> None:
    with FULL.open("w") as full:
        ran = command(*COMMANDS[name], stdout=full)
    assert ran.returncode == 2
    shown = [line for line in ran.stderr.splitlines() if "rror" in line]
    assert shown == ["error: standard output cannot be written: No space left on device"]


@pytest.mark.parametrize("name", EACH_COMMAND)
def test_without_standard_error_nothing_is_done(name: str, command: Ran, tmp_path: Path) -> None:
    ran = command(*COMMANDS[name], closed=2)
    assert ran.returncode == 2
    assert ran.stdout == "error: standard error is closed; redirect it to a file, or to /dev/null\n"
    assert list(tmp_path.iterdir()) == []


def test_without_standard_output_nothing_is_done(command: Ran) -> None:
    ran = command(*CHECK, closed=1)
    assert ran.returncode == 2
    assert ran.stderr == "error: standard output is closed; redirect it to a file, or to /dev/null\n"


@needs_full_device
def test_a_report_that_is_lost_on_standard_error_is_noted_behind_the_result(command: Ran) -> None:
    with FULL.open("w") as full:
        ran = command(*CHECK, "--json", "-", stderr=full)
    assert ran.returncode == 2
    result, message, rest = ran.stdout.partition("error: ")
    assert json.loads(result)["distinct"] == 277
    assert message + rest == "error: standard error cannot be written: No space left on device\n"


def test_a_reader_of_standard_error_that_has_gone_ends_the_command(command: Ran) -> None:
    with nobody_reading() as pipe:
        ran = command(*CHECK, "--json", "-", stderr=pipe)
    assert (ran.returncode, ran.stdout) == (141, "")


@pytest.mark.parametrize("name", ["history", "validate"])
def test_a_standard_input_that_is_closed_is_not_an_empty_one(name: str, command: Ran) -> None:
    ran = command(name, "-", closed=0)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "error: standard input cannot be read: it is closed\n"


def test_who_reads_no_input_does_without_it(command: Ran) -> None:
    assert command(*CHECK, closed=0).returncode == 0


def test_a_broken_pipe_to_another_program_is_no_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("neverlost.cli.commands.check.explore", broken)
    code, out, err = run(*CHECK)
    assert (code, out) == (70, "")
    assert "a pipe to another program broke" in err


# A cache or a store of answers is done without. The caches are empty here: every kernel is compiled.

NO_HOME = """
import os, pwd, sys
for name in ("HOME", "XDG_CACHE_HOME", "NEVERLOST_CACHE"):
    os.environ.pop(name, None)
def nobody(number):
    raise KeyError(number)
pwd.getpwuid = nobody
from neverlost.cli.main import main
sys.exit(main())
"""

ANSWERED = {"claims": "confirmed", "matrix": "violated, 0 undecided"}


@pytest.mark.parametrize("name", ANSWERED)
@pytest.mark.parametrize("condition", ["a file in its place", "no more room"])
def test_without_a_store_of_answers_the_verdict_is_the_same(
    condition: str, name: str, command: Ran, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    store = tmp_path / ("file" if condition == "a file in its place" else "new")
    limits = {} if condition == "a file in its place" else {resource.RLIMIT_FSIZE: 64}
    ran = command(*COMMANDS[name], "--store", str(store), limits=limits)
    assert ran.returncode == 0
    assert ANSWERED[name] in ran.stdout
    assert "rror" not in ran.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "file"]


@pytest.mark.parametrize("condition", ["a file in its place", "no more room", "a file system that takes no files"])
def test_without_a_cache_the_verdict_is_the_same(condition: str, command: Ran, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    caches = {"a file in its place": tmp_path / "file", "no more room": tmp_path / "new"}
    cache = caches.get(condition, Path("/proc/nowhere"))
    limits = {resource.RLIMIT_FSIZE: 64} if condition == "no more room" else {}
    ran = command(*CHECK, env={**os.environ, "NEVERLOST_CACHE": str(cache)}, limits=limits)
    assert (ran.returncode, "277 distinct states" in ran.stdout) == (0, True)
    assert "rror" not in ran.stderr


@pytest.mark.parametrize("name", quick_one_in(3, ["check", "claims", "search on Spark"]))
def test_without_a_home_the_verdict_is_the_same(name: str, tmp_path: Path) -> None:
    arguments = COMMANDS.get(name, (*CHECK, "--engine", "spark", "--store", str(tmp_path)))
    ran = subprocess.run([sys.executable, "-c", NO_HOME, *arguments], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert "rror" not in ran.stderr


# What takes more than there is.

LONG = "9" * 400
TOO_MUCH = [
    ("check", *SMALL, "--workers", "20000"),
    ("check", *SMALL, "--workers", "99999999999999"),
    ("check", *SMALL, "--workers", LONG),
    ("check", *SMALL, "--max-states", LONG),
    ("check", *SMALL, "--max-depth", LONG),
    ("check", *SMALL, "--memory", LONG),
    ("check", *SMALL, "--memory", f"{'9' * 18}TiB"),
    ("check", *SMALL, "--time-limit", LONG),
    ("check", *SMALL, "--time-limit", f"{'9' * 18}d"),
    ("check", *SMALL, "--replicas", LONG),
    ("check", *SMALL, "--engine", "spark", "--store", "new", "--shards", LONG),
    ("check", *SMALL, "--engine", "spark", "--store", "new", "--master", "local[20000]"),
    ("prove", *SMALL, "--property", "weak_isr", "--workers", "20000"),
    ("prove", *SMALL, "--property", "weak_isr", "--query-time", LONG),
    ("prove", *SMALL, "--property", "weak_isr", "--depth", LONG),
    ("lemmas", *SMALL, "--candidates", LONG),
    ("audit", *ONE_REPLICA, "--workers", "20000"),
    ("matrix", "--workers", "20000"),
    ("claims", "C-25", "--workers", "20000"),
    ("history", REORDERED, "--most", LONG),
    ("validate", FOLLOWS, "--hidden-steps", LONG),
    ("suite", *SMALL, "--out", "new", "--max-states", LONG),
    ("conform", "suite", "--adapter", "inprocess", "--case-time", LONG),
    ("graph", "store", "sample", "--seed", LONG),
    ("resume", "store", "--max-states", LONG),
]


@pytest.mark.parametrize("arguments", TOO_MUCH, ids=lambda words: " ".join(w[:20] for w in (words[0], *words[-2:])))
def test_what_no_machine_can_do_is_refused(
    arguments: Sequence[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].lower().startswith("error: ")
    assert list(tmp_path.iterdir()) == []


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
SCARCE = {
    "for the libraries": (100 * 2**20, ("history", REORDERED), "neverlost needs 512 MiB of address space"),
    "for the workers": (600 * 2**20, (*CHECK, "--workers", "100"), "because memory ran out: "),
}


@needs_linux
@pytest.mark.parametrize("name", SCARCE)
def test_where_memory_is_short_nothing_is_decided(name: str, command: Ran) -> None:
    most, arguments, words = SCARCE[name]
    ran = command(*arguments, limits={resource.RLIMIT_AS: most})
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.splitlines()[-1].startswith("error: undecided")
    assert words in ran.stderr


def test_a_worker_of_a_proof_that_is_killed_leaves_it_undecided(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("neverlost.explorer.symbolic.processes._work", killed)
    code, out, err = run("prove", *SMALL, "--property", "weak_isr", "--workers", "2", "--quiet")
    assert (code, out) == (3, "")
    assert "a worker process ended with status -9" in err


# Files that are written.

WRITERS = {
    "check --json": ((*CHECK, "--json"), "the old one"),
    "check --trace-out": ((*CHECK, "--property", "a_record_is_committed", "--trace-out"), "the old one"),
    "claims --markdown": (("claims", "C-25", "--markdown"), "the old one"),
    "trace --out": (("trace", "{made}/trace.json", "--out"), "the old one"),
    "history --json": (("history", REORDERED, "--json"), "the old one"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file_and_no_half_of_a_new_one(name: str, command: Ran, tmp_path: Path) -> None:
    arguments, old = WRITERS[name]
    path = tmp_path / "out"
    path.write_text(old)
    ran = command(*arguments, str(path), limits={resource.RLIMIT_FSIZE: 64})
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1] == f"error: {path} cannot be written: File too large"
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == old


def test_a_full_disk_leaves_the_old_suite(command: Ran, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    arguments = (*SUITE, "--out", str(suite))
    assert command(*arguments).returncode == 0
    before = {path.name: path.read_bytes() for path in suite.iterdir()}
    ran = command(*arguments, "--budget", "9", limits={resource.RLIMIT_FSIZE: 512})
    assert (ran.returncode, ran.stderr) == (2, f"error: {suite} cannot be written: File too large\n")
    assert {path.name: path.read_bytes() for path in suite.iterdir()} == before


def test_a_file_is_replaced_where_its_link_leads_and_keeps_its_permissions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "file").touch(mode=0o640)
    (tmp_path / "link").symlink_to("far/file")
    code, _, _ = run(*CHECK, "--json", str(tmp_path / "link"))
    assert (code, (tmp_path / "link").is_symlink()) == (0, True)
    assert json.loads((tmp_path / "far" / "file").read_text())["distinct"] == 277
    assert stat.S_IMODE((tmp_path / "far" / "file").stat().st_mode) == 0o640
    assert [path.name for path in (tmp_path / "far").iterdir()] == ["file"]


def test_a_device_is_written_to_and_not_replaced(run: Run) -> None:
    assert run(*CHECK, "--json", os.devnull)[0] == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize(("stream", "name"), [("stdout", "standard output"), ("stderr", "standard error")])
def test_a_result_is_not_written_over_what_a_stream_wrote_to_the_same_file(
    stream: str, name: str, command: Ran, tmp_path: Path
) -> None:
    path = tmp_path / "both"
    with path.open("w") as file:
        ran = command(*CHECK, "--json", str(path), **{stream: file})
    assert ran.returncode == 2
    shown = path.read_text() if stream == "stderr" else ran.stderr
    assert shown == f"error: --json {path} is where {name} goes; name another file\n"


# Pipes with a name: opening one waits for the other end.


READERS = {
    "validate": ("pipe", ("{pipe}",)),
    "history": ("pipe", ("{pipe}",)),
    "replay": ("pipe", ("{pipe}",)),
    "audit": ("pipe", ("broker:{pipe}",)),
    "conform": ("suite.json", ("{folder}", "--adapter", "inprocess")),
    "conform, the cases": ("cases.ndjson", ("{folder}", "--adapter", "inprocess")),
}


@pytest.mark.parametrize("name", quick_one_in(4, list(READERS)))
def test_waiting_for_who_writes_a_pipe_is_said(name: str, made: Path, started: Path, tmp_path: Path) -> None:
    file, arguments = READERS[name]
    if file == "cases.ndjson":
        shutil.copy(made / "suite" / "suite.json", tmp_path)
    pipe = tmp_path / file
    os.mkfifo(pipe)
    words = [word.format(pipe=pipe, folder=tmp_path) for word in arguments]
    process = subprocess.Popen(
        [started / SCRIPT.name, name.partition(",")[0], *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == f"waiting for the other end of {pipe}, which is a pipe\n"
        pipe.write_text("nonsense")
        out, err = process.communicate(timeout=GENEROUS_SECONDS)
    finally:
        process.kill()
    assert (process.returncode, out) == (2, "")
    assert str(pipe) in err


def test_waiting_for_who_reads_a_pipe_is_said_and_it_gets_the_result(started: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [started / SCRIPT.name, *CHECK, "--json", pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        said = list(iter(process.stderr.readline, f"waiting for the other end of {pipe}, which is a pipe\n"))
        assert "rror" not in "".join(said)
        assert json.loads(pipe.read_text())["distinct"] == 277
        process.communicate(timeout=GENEROUS_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0
    assert pipe.is_fifo()
