"""A bound or setting that has the name of an option is refused: the command would take the number for itself."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from command_line import Run
from written_traces import COUNTER

from neverlost.cli.bounds import BoundedCommand, bounds_of
from neverlost.cli.main import cli
from neverlost.spec import profiles

CONTEXT = click.Context(cli)
TAKING_BOUNDS = [
    name for name in cli.list_commands(CONTEXT) if isinstance(cli.get_command(CONTEXT, name), BoundedCommand)
]


@pytest.mark.parametrize(
    ("bound", "given"), [("workers", ("--workers", "5")), ("json", ("--json", "2")), ("engine", ())]
)
def test_a_bound_with_the_name_of_an_option_is_refused_and_nothing_is_written(
    bound: str, given: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(
        COUNTER.replace('bound="counts"', f'bound="{bound}"').replace('"counts"', f'"{bound}"'), encoding="utf-8"
    )
    code, out, err = run("check", str(path), *given)
    assert (code, out) == (2, "")
    assert (
        f"--{bound} of {path}:COUNTER cannot be chosen here, because `neverlost check` has an option of that name"
        in err
    )
    assert [file.name for file in tmp_path.iterdir()] == ["mine.py"]


@pytest.mark.parametrize("name", TAKING_BOUNDS)
def test_no_model_of_neverlost_has_a_bound_with_the_name_of_an_option(name: str) -> None:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=CONTEXT)
    for profile in profiles().values():
        assert bounds_of([], profile, context) == {}


def described(run: Run, folder: Path, bound: str) -> str:
    path = folder / "mine.py"
    path.write_text(
        COUNTER.replace('bound="counts"', f'bound="{bound}"').replace('"counts"', f'"{bound}"'), encoding="utf-8"
    )
    code, out, _ = run("describe", str(path))
    assert code == 0
    return " ".join(out.split())


def test_describe_says_which_command_refuses_a_bound(run: Run, tmp_path: Path) -> None:
    said = (
        "neverlost prove refuses this model: --depth means something else there. Give the bound or setting another name"
    )
    assert said in described(run, tmp_path, "depth")
    assert "refuse" not in described(run, tmp_path, "height")


def test_describe_says_which_commands_refuse_a_bound_and_these_do(run: Run, tmp_path: Path) -> None:
    said = described(run, tmp_path, "workers")
    assert "neverlost check, neverlost prove refuse this model: --workers means something else there." in said
    code, _, err = run("prove", str(tmp_path / "mine.py"), "--property", "any")
    assert code == 2
    assert "--workers of" in err
