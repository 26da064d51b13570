"""`neverlost suite --from-mutants` and `neverlost conform --random-steps`: what is written, kept, counted and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run, running

PURGATORY = ("kafka-purgatory", "--from-mutants", "--adapter", "purgatory")


@pytest.fixture
def suite(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys, "suite", *PURGATORY)


@pytest.fixture
def conform(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys, "conform")


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_second_time_the_suite_is_the_one_that_was_kept(suite: Run, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store"))
    first, second = (suite("--out", str(tmp_path / name), *store) for name in ("one", "two"))
    assert (first[0], second[0]) == (0, 0)
    assert "kept from an earlier run" not in first[1]
    assert "(kept from an earlier run)" in second[1]
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert first[1].split("\n\n")[1:] == second[1].split("\n\n")[1:]


def test_the_list_of_mistakes_is_kept_with_it(suite: Run, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store"))
    suite("--out", str(tmp_path / "suite"), "--quiet", *store)
    code, out, _ = suite("--list", *store)
    assert code == 0
    assert "kafka-purgatory: 14 cases" in out.splitlines()[0]
    assert "kept from an earlier run" in out.splitlines()[0]
    assert "Killed, with how many steps" in out


def test_a_store_needs_a_suite_from_mutants(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, error = running(capsys, "suite", "kafka-purgatory")("--out", str(tmp_path / "x"), "--store", str(tmp_path))
    assert code == 2
    assert "--store needs --from-mutants" in error


def test_random_steps_from_the_ends_of_cases_are_counted(suite: Run, conform: Run, tmp_path: Path) -> None:
    suite("--out", str(tmp_path / "suite"), "--quiet")
    outcome = tmp_path / "outcome.json"
    arguments = (str(tmp_path / "suite"), "--adapter", "purgatory", "--random-steps", "100", "--json", str(outcome))
    code, out, _ = conform(*arguments)
    values = json.loads(outcome.read_text(encoding="utf-8"))
    assert code == 0
    assert 80 < values["random_steps"] <= 100
    assert f"and {values['random_steps']} random steps in {values['walks']} walks from their ends" in out
    assert conform(*arguments, "--quiet")[1] == f"{out.rpartition(' (')[0]}\n"


def test_random_steps_are_not_for_real_brokers(suite: Run, conform: Run, tmp_path: Path) -> None:
    suite("--out", str(tmp_path / "suite"), "--quiet")
    code, _, error = conform(str(tmp_path / "suite"), "--adapter", "kafka", "--kafka", "4.1.1", "--random-steps", "10")
    assert code == 2
    assert "neverlost soak" in error


def test_a_suite_from_mutants_of_a_model_of_ones_own_asks_for_what_drives_its_system(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = Path(__file__).resolve().parents[2] / "examples" / "two_phase_commit.py"
    code, _, error = running(capsys, "suite")(str(own), "--from-mutants", "--out", str(tmp_path / "suite"))
    assert code == 2
    assert "or what drives another system by --adapter FILE.py:NAME" in " ".join(error.split())


def test_a_suite_from_mutants_that_drives_nothing_is_not_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The adapter can do nothing, so no run of it shows a mistake."""
    adapter = tmp_path / "idle.py"
    adapter.write_text(IDLE, encoding="utf-8")
    arguments = ("--adapter", f"{adapter}:Idle", "--store", str(tmp_path / "store"), "--out", str(tmp_path / "suite"))
    code, _, error = running(capsys, "suite")("kafka-purgatory", "--from-mutants", *arguments)
    assert code == 2
    assert "no mistake in kafka-purgatory shows in what" in " ".join(error.split())
    assert not (tmp_path / "suite").exists()


IDLE = """
from neverlost.conformance.adapter import Capabilities

class Idle:
    def __init__(self, model):
        self.capabilities = Capabilities(actions={}, fields=("phase",))

    def perform(self, step):
        raise NotImplementedError

    def attempt(self, step):
        return False

    def observe(self):
        return {"phase": None}
"""
