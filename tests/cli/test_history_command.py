from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Run
from written_histories import as_json, edn_lines, poll, send

ROOT = Path(__file__).parents[2]
LOST = str(ROOT / "examples" / "histories" / "lost.edn")

CLEAN = [*send(0, 5, 10, 0), *send(0, 5, 11, 1), *poll(1, 5, (0, 10))]


@pytest.mark.parametrize("write", [as_json, edn_lines])
def test_a_clean_history_exits_with_0_and_tells_what_is_open(
    write: Callable[..., str], run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    path.write_text(write(CLEAN), encoding="utf-8")
    code, out, err = run("history", str(path))
    assert (code, err) == (0, "")
    assert "clean." in out
    assert "2: 2 acknowledged, 0 refused, 0 indeterminate" in out
    assert "1 acknowledged value not read, and nothing beyond read either" in out


def test_an_anomaly_exits_with_1_and_names_its_operations(run: Run) -> None:
    code, out, _ = run("history", LOST)
    assert code == 1
    assert "Partition 5: 11 was acknowledged at offset 1, and nobody ever read it" in out
    assert "operation 3, process 0: 11 was acknowledged at offset 1" in out


def test_a_wrong_line_exits_with_2_and_the_rest_is_judged(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(as_json(CLEAN) + "{oops\n", encoding="utf-8")
    code, out, _ = run("history", str(path))
    assert code == 2
    assert "line 7: '{oops' is not JSON" in out
    assert "clean." in out


@pytest.mark.parametrize(("text", "said"), [("", "holds no operation"), ("hello", "'hello' is not a map")])
def test_a_file_that_is_no_history_is_refused(text: str, said: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.edn"
    path.write_text(text, encoding="utf-8")
    code, out, err = run("history", str(path))
    assert (code, out) == (2, "")
    assert said in err
    assert run("history", str(tmp_path / "none"))[0] == 2


def test_the_json_holds_the_findings(run: Run) -> None:
    code, out, err = run("history", LOST, "--json", "-")
    values = json.loads(out)
    assert code == 1
    assert "NOT clean" in err
    assert values["counts"]["lost"] == 1
    (finding,) = values["findings"]
    assert [one["index"] for one in finding["operations"]] == [3, 9]


def test_all_findings_are_counted_and_the_first_are_kept(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    lost = [one for value in range(20) for one in send(0, 5, value, value)]
    path.write_text(as_json([*lost, *send(0, 5, 99, 20), *poll(1, 5, (20, 99))]), encoding="utf-8")
    _, out, err = run("history", str(path), "--json", "-", "--most", "7")
    values = json.loads(out)
    assert (values["counts"]["lost"], len(values["findings"])) == (20, 7)
    assert "and 15 more" in err
