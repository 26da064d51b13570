"""`neverlost claims`: what users and programs see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden_text import expect_golden

from neverlost.cli.commands.claims import _wanted
from neverlost.cli.main import main
from neverlost.model.core import UnknownNameError


def test_a_claim_is_shown_in_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["claims", "c-25", "--store", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    expect_golden("claim_25.txt", out)
    assert max(len(line) for line in out.splitlines()) <= 100


def test_a_verdict_is_written_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "claims.md"
    assert main(["claims", "C-25", "--store", str(tmp_path), "--json", "-", "--markdown", str(page)]) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    (claim,) = result
    assert (claim["id"], claim["verdict"], claim["condition"]) == ("C-25", "confirmed", None)
    assert (claim["profile"], claim["settings"]) == ("kafka-routing", {"strategy": "sticky-until-refresh"})
    assert claim["trace_length"] is None
    assert [remark["answer"] for remark in claim["remarks"]] == [True, False, False]
    assert claim["cases"][0]["command"].startswith("neverlost check kafka-routing --partitions 3")
    assert "C-25: confirmed" in captured.err
    assert "| [C-25](#c-25) | confirmed |" in page.read_text(encoding="utf-8")


def test_a_search_that_is_cut_short_leaves_its_claim_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims", "C-25", "--store", str(tmp_path), "--time-limit", "0.000001s"]) == 3
    assert "C-25: undecided" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["C-72"], "Did you mean 'C-"),
        (["C-25", "--json", "-", "--markdown", "-"], "would both write to -"),
        (["C-25", "--json", "/no/such/folder/x.json"], "cannot be written"),
        (["C-25", "--workers", "0"], "--workers"),
    ],
)
def test_wrong_input_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("written", ["C-7", "c-07", "C7", "7"])
def test_a_claim_is_found_by_its_number_and_by_no_other_that_looks_alike(written: str) -> None:
    assert _wanted(written) == ["C-07"]


def test_an_unknown_claim_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no claim is named 'C-70'"):
        _wanted("C-70")
