"""`nl.matrix` and `nl.compare` find what the command line finds, and say it in the same words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run

import neverlost as nl
from neverlost.api.arguments import ArgumentError

SMALL = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 2}
LOCK = "examples/lock_service.py:LOCK_SERVICE"


def cells_and_text(run: Run, tmp_path: Path, *arguments: str) -> tuple[object, str]:
    path = tmp_path / "cells.json"
    code, out, err = run("matrix", *arguments, "--json", str(path))
    assert code == 0, err
    return json.loads(path.read_text(encoding="utf-8")), out.rstrip("\n")


def test_the_matrix_of_a_family_is_that_of_the_command_line(run: Run, tmp_path: Path) -> None:
    asked = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    asked += [
        "--acks",
        "1",
        "--min-isr",
        "1",
        "--min-isr",
        "2",
        "--unclean",
        "--version",
        "3.9",
        "--store",
        str(tmp_path),
    ]
    chosen = {**SMALL, "acks": "1", "min_isr": [1, 2], "unclean": True}
    found = nl.matrix("replication", chosen, versions=["3.9"], store=tmp_path)
    assert (found.cells, found.text()) == cells_and_text(run, tmp_path, *asked)
    assert {cell["settings"]["min_isr"] for cell in found.cells} == {1, 2}
    assert json.loads(found.show("json")) == found.cells
    assert found.show("html").startswith("<!doctype html>")
    assert found.show("markdown").startswith("# The matrix")


def test_the_matrix_of_a_profile_is_that_of_the_command_line(run: Run, tmp_path: Path) -> None:
    asked = ("--forgetful", "--service-crashes", "2", "--service-crashes", "0", "--pauses", "0", "--tokens", "1")
    chosen = {"forgetful": True, "service_crashes": [2, 0], "pauses": 0, "tokens": 1}
    found = nl.matrix(nl.profile(LOCK), chosen, properties=["one_writer_for_a_token"])
    alike = cells_and_text(run, tmp_path, LOCK, *asked, "--property", "one_writer_for_a_token")
    assert (found.cells, found.text()) == alike
    assert repr(found) == f"<Matrix of {LOCK}: 4 cells, 2 holds, 2 violated>"
    with pytest.raises(nl.NeverlostError, match="no format of this matrix is named 'html'"):
        found.show("html")


def test_a_cell_that_was_cut_short_is_undecided() -> None:
    found = nl.matrix(LOCK, {"pauses": 0, "forgetful": True}, limits=nl.Limits(states=2))
    assert not found.decided
    assert "undecided" in {cell["verdict"] for cell in found.cells}
    with pytest.raises(nl.PropertyNotHeldError, match="undecided"):
        found.assert_decided()
    with pytest.raises(ArgumentError, match=r"a Matrix is not true or false; write \.decided, or \.assert_decided"):
        bool(found)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"acks": "some"}, r"settings\.acks is 'some'"),
        ({"min_isr": 5}, "no min ISR is named '5'"),
        ({"crashes": 1}, "`crashes`: every cell has its own faults; leave it out"),
        ({"replicas": [2, 3]}, "replicas has several values; a bound is the same in every cell"),
        ({"elr": [False, True]}, "elr has several values; it is the same in every cell"),
        ({"min_irs": 2}, "Did you mean 'min_isr'"),
    ],
)
def test_values_that_a_family_does_not_take_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(nl.NeverlostError, match=said):
        nl.matrix("replication", values)  # type: ignore[arg-type]


def test_a_comparison_has_the_rules_and_losses_of_each_release_as_the_command_line_says_them(run: Run) -> None:
    found = nl.compare("3.9", "4.1")
    assert run("compare", "3.9", "4.1", "--rules")[1] == f"{found.text()}\n"
    assert "KIP-966" in found.losses["3.9.2"]
    assert any("stay eligible for leadership" in rule for rule in found.rules["4.1.2"])
    assert not any("stay eligible for leadership" in rule for rule in found.rules["3.9.2"])
    assert repr(found) == "<Comparison of 3.9.2 and 4.1.2: 12 rules and 16 known losses of one of them alone>"
    with pytest.raises(nl.NeverlostError, match=r"no mode of both 4\.0\.0 and 4\.1\.2 is named 'zookeeper'"):
        nl.compare("4.0.0", "4.1", mode="zookeeper")
