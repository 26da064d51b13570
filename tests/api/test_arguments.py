"""Libraries name an argument as their caller has it: only the command line has options."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest

import neverlost as nl
from neverlost.cli.main import cli, main
from neverlost.model.arguments import argument, named_as_options

ROOT = Path(__file__).parents[2]
BELOW = ("model", "spec", "explorer", "studies", "conformance", "spark_explore", "reports")
COMMANDS_THEMSELVES = {
    "explorer/traces/commands.py": "writes the command that finds a trace again",
    "spec/configuration/forms/topic_commands.py": "reads kafka-topics.sh",
    "conformance/cluster/operating.py": "names the command that lets a request through",
    "conformance/suite/files.py": "names the command that writes a suite",
    "reports/audit/as_markdown.py": "only the command line writes it",
    "reports/audit/as_text.py": "the same",
    "reports/check/as_text.py": "the same",
    "reports/schemas.py": "names the commands that write each document",
}


def options() -> set[str]:
    commands = [cli.get_command(click.Context(cli), name) for name in cli.list_commands(click.Context(cli))]
    every = [command for command in commands if command is not None]
    every += [sub for command in every if isinstance(command, click.Group) for sub in command.commands.values()]
    return {
        option
        for command in every
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--")
    }


def texts(file: Path) -> list[str]:
    """The text literals of a module that are no docstrings; none where no text can have an option."""
    text = file.read_text(encoding="utf-8")
    if "--" not in text:
        return []
    tree = ast.parse(text)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone]
    return [node.value for node in found if isinstance(node.value, str)]


def test_no_library_names_an_option_of_the_command_line() -> None:
    known, named = options(), set()
    for folder in BELOW:
        for file in (ROOT / folder).rglob("*.py"):
            place = str(file.relative_to(ROOT))
            for text in texts(file):
                of_kafka = re.search(r"kafka-\w+\.sh|--skip-tests|--verbose", text) is not None
                if not of_kafka and known & set(re.findall(r"--[a-z][a-z-]+", text)):
                    named.add(place)
    assert named == set(COMMANDS_THEMSELVES)


def test_an_argument_is_named_as_the_caller_has_it() -> None:
    assert argument("kafka_version", "4.1") == 'kafka_version="4.1"'
    assert argument("limits", options=("max_states", "time_limit")) == "`limits`"
    with named_as_options():
        assert argument("kafka_version", "4.1") == "--kafka-version 4.1"
        assert argument("profile_reference", "a b.py:X", options=("profile",)) == "--profile 'a b.py:X'"
        assert argument("assume", "elr=on|off") == "--assume elr=on|off"
        assert argument("limits", options=("max_states", "time_limit")) == "--max-states or --time-limit"
    assert argument("survive") == "`survive`"


def test_the_api_and_the_command_line_say_the_same_in_their_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(ROOT / "examples" / "audit" / "good")
    with pytest.raises(nl.NeverlostError, match="`tolerate` and `survive` say the same in two ways"):
        nl.audit(folder, tolerate="1 crash", survive="node-loss")
    assert main(["audit", folder, "--tolerate", "1 crash", "--survive", "node-loss"]) == 2
    assert "--tolerate and --survive say the same in two ways" in capsys.readouterr().err
    with pytest.raises(nl.NeverlostError, match=r"^`survive`: 'x' is no event"):
        nl.audit(folder, survive="x")
