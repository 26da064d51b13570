"""What `pip install neverlost` alone is enough for, what needs an extra, and how quickly the command line is there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from packaging.requirements import Requirement
from started_commands import started_commands

from neverlost.cli.lazy import EXTRAS
from neverlost.cli.main import cli
from neverlost.explorer.stores.manifest import write_manifest

ROOT = Path(__file__).parents[2]
KIP_320 = ("published/kip-320", "--replicas=2", "--log-size=1", "--records=1", "--leader-epochs=2")
ONE_REPLICA = sorted(str(path) for path in (ROOT / "examples" / "audit" / "replication-factor-1").iterdir())
LOADED = """
import sys
from neverlost.cli.main import main
code = main(sys.argv[1:])
print(" ".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""
HEAVY = {"llvmlite", "numpy", "rich", *EXTRAS}


@dataclass(frozen=True)
class OnSpark:
    """The part of a manifest that says which engine's store it is."""

    identity: Mapping[str, str] = field(default_factory=lambda: {"engine": "spark"})


def ran(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


@pytest.fixture(scope="module")
def lean() -> Iterator[Path]:
    """The program `neverlost` where no extra is installed."""
    with started_commands(without=EXTRAS) as folder:
        yield folder / "neverlost"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["list"], 0),
        (["describe", *KIP_320], 0),
        (["check", *KIP_320], 0),
        (["check", "examples/water_jugs.py:WATER_JUGS"], 1),
        (["audit", "--quiet", "--kafka-version=4.1", "--tolerate=1 crash", "--search", "--store=@", *ONE_REPLICA], 0),
        (["validate", "examples/events/follows.ndjson"], 0),
        (["history", "examples/histories/lost.edn"], 1),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)  # fmt: skip
def test_it_works_without_any_extra(arguments: list[str], code: int, lean: Path, tmp_path: Path) -> None:
    found = ran(lean, *(a.replace("@", str(tmp_path)) for a in arguments))
    assert (found.returncode, "is not installed" in found.stderr) == (code, False), found.stderr


@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [
        (["prove", *KIP_320, "--property=strong_isr"], "z3", "prove"),
        (["lemmas", *KIP_320], "z3", "prove"),
        (["suite", *KIP_320, "--out", "@/suite"], "networkx", "conform"),
        (["check", *KIP_320, "--engine", "spark", "--store", "@/store"], "pyarrow", "spark"),
        (["graph", "@", "levels"], "pyarrow", "spark"),
        (["resume", "@"], "pyarrow", "spark"),
        (["cluster", "up", "4.1.1"], "kafka", "brokers"),
        (["explore", "kafka-4.1"], "starlette", "explore"),
        (["audit", "--bootstrap-server", "127.0.0.1:1"], "confluent_kafka", "cluster"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_what_needs_an_extra_says_in_one_line_what_to_install(
    arguments: list[str], package: str, extra: str, lean: Path, tmp_path: Path
) -> None:
    write_manifest(tmp_path, OnSpark())
    found = ran(lean, *(a.replace("@", str(tmp_path)) for a in arguments))
    named = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    begins, ends = f"error: this needs {package}, which is not installed; pip install ", " installs it\n"
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith(begins)
    assert found.stderr.endswith(ends)
    said = shlex.split(found.stderr.removeprefix(begins).removesuffix(ends))
    assert {Requirement(one) for one in said} == {Requirement(one) for one in named[extra]}


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["--help"], HEAVY | {"neverlost.model.core", "neverlost.spec"}),
        (["list"], HEAVY - {"rich"}),
        (["check", "--help"], HEAVY - {"rich"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_nothing_is_imported_that_is_not_needed(arguments: list[str], unneeded: set[str]) -> None:
    found = ran(sys.executable, "-c", LOADED, *arguments)
    assert found.returncode == 0
    assert unneeded & set(found.stderr.split()) == set()


def completions(*words: str) -> list[tuple[str, str | None]]:
    """What a shell offers after these words, the last of which is being typed."""
    *arguments, incomplete = words
    offered = ShellComplete(cli, {}, "neverlost", "_NEVERLOST_COMPLETE").get_completions(arguments, incomplete)
    return [(item.value, item.help) for item in offered]


def test_completion_knows_the_commands_by_name_and_line() -> None:
    assert completions("gr") == [("graph", "Show the store of a search on Spark as tables.")]
    assert {name for name, _ in completions("")} == set(cli.list_commands(click.Context(cli)))
    assert "--max-states" in [name for name, _ in completions("check", "--max")]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("cla", {"claims"}),
        ("cluster un", {"unfence"}),
        ("check kafka-0.9", {"kafka-0.9.0.0", "kafka-0.9"}),
        ("check kafka-4.1 --property acked", {"acked_never_lost"}),
        ("check kafka-4.1 --leader", {"--leader-epochs", "--leader-moves"}),
        ("check kafka-4.1 --acks ", {"0", "1", "all"}),
        ("check kafka-4.1 --acks a", {"all"}),
        ("matrix tran", {"transactions"}),
        ("matrix --version kafka-4", {"kafka-4.0.0", "kafka-4.0", "kafka-4.1", "kafka-4.3"}),
        ("bugs kafka-1420", {"KAFKA-14205"}),
        ("bugs kip-9", {"KIP-903", "KIP-966"}),
        ("claims c-1", {f"C-{number}" for number in range(10, 20)}),
        ("audit --survive ro", {"rolling-restart"}),
        ("audit --survive node-loss,sl", {"node-loss,slow-broker"}),
        ("trace t.json --format m", {"mermaid"}),
        ("check kafka-4.1 --no-str", {"--no-strict-min-isr"}),
        ("check published/kip-320 --leader", {"--leader-epochs"}),
        ("check file.py:NAME --leader", set()),
        ("compare 3.9", {"3.9", "3.9.0", "3.9.1", "3.9.2"}),
        ("audit --assume unanswered=c", {"unanswered=closes"}),
        ("conform --adapter t", {"timing-wheel", "transactions"}),
    ],
)
def test_a_shell_completes_what_can_be_named(words: str, found: set[str]) -> None:
    assert {name for name, _ in completions(*words.split(" "))} == found


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        *((words, "file") for words in ("check leas", "audit ./eo/pro", "audit x y", "history svc-l", "trace mut")),
        *((words, "file") for words in ("replay mut", "conform hw", "validate ev", "matrix leas", "mutants leas")),
        *((f"check kafka-4.1 {option} ", "file") for option in ("--json", "--html", "--trace-out")),
        *((words, "file") for words in ("audit --baseline o", "reproduce leas", "conform x --adapter mine")),
        *((words, "dir") for words in ("resume s", "check kafka-4.1 --store s", "suite kafka-4.1 --out s")),
        ("cluster up 4.1.1 --folder s", "dir"),
    ],
)
def test_a_shell_completes_files_itself_where_a_command_takes_one(words: str, kind: str) -> None:
    *arguments, incomplete = words.split(" ")
    offered = ShellComplete(cli, {}, "neverlost", "_NEVERLOST_COMPLETE").get_completions(arguments, incomplete)
    assert [(item.value, item.type) for item in offered] == [(incomplete, kind)]


def test_python_files_stand_beside_the_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kafka-own.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {name for name, _ in completions("check", "kafka-o")}
    assert names == {"kafka-o"}
    assert {"kafka-own.py", "kafka-4.1"} <= {name for name, _ in completions("check", "kafka-")}


def test_every_command_is_where_the_table_says() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert (command.name, bool(command.help)) == (name, True)
    assert cli.get_command(context, "unknown") is None


def test_an_unknown_command_is_refused(lean: Path) -> None:
    found = ran(lean, "chekc")
    assert found.returncode == 2
    assert "no command is named 'chekc'. Did you mean 'check'?" in found.stderr


def test_the_version_is_printed_without_importing_a_command() -> None:
    found = ran(sys.executable, "-c", LOADED, "--version")
    assert found.stdout.startswith("neverlost, version ")
    assert set(found.stderr.split()) & HEAVY == set()


@pytest.mark.skipif(os.name == "nt", reason="it is about refusing it")
def test_windows_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from neverlost.cli.main import main

    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["list"]) == 2
    assert capsys.readouterr() == ("", "neverlost runs on Linux and macOS; on Windows, run it in WSL\n")
