from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from command_line import Run
from random_transactions import Simulation
from written_histories import as_json, edn_lines, poll, send

ROOT = Path(__file__).parents[2]
LOST, TORN, GROUP = (str(ROOT / "examples" / "histories" / name) for name in ("lost.edn", "torn.edn", "group.json"))

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


def test_what_a_history_does_not_tell_is_not_called_clean(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(as_json(CLEAN), encoding="utf-8")
    _, out, _ = run("history", str(path))
    assert "not judged transactions: no operation is one" in out
    assert "groups: no client says that it is in one" in out
    path.write_text(as_json(send(0, 5, 10, 0)), encoding="utf-8")
    assert "not judged records: nothing was read" in run("history", str(path))[1]


def test_a_torn_transaction_is_told_unless_readers_may_see_it(run: Run) -> None:
    code, out, _ = run("history", TORN)
    assert code == 1
    assert "Partition 6: 21 was sent at offset 2 in one transaction with 11, which was read" in out
    assert "3: 2 committed, 0 aborted, 1 indeterminate; readers: read_committed" in out
    code, out, _ = run("history", TORN, "--isolation-level", "read_uncommitted")
    assert code == 0
    assert "readers: read_uncommitted" in out
    assert "torn out of a transaction; read before the commit; read in a circle; refused, yet read" in " ".join(
        out.split()
    )


def test_a_finding_about_an_offset_has_no_value(run: Run) -> None:
    code, out, _ = run("history", GROUP, "--json", "-")
    values = json.loads(out)
    (finding,) = values["findings"]
    assert (code, finding["kind"], finding["value"], finding["offset"]) == (1, "offset-back", None, 1)
    assert values["groups"] == ["billing"]
    assert values["allowed"] == {"write-cycles": 0, "delivered-again": 1}
    assert {kind for one in values["not_judged"] for kind in one["kinds"]} >= {"torn", "lost", "unsent"}


def test_clients_that_subscribe_are_in_one_group_if_that_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.edn"
    found = set()
    for seed in range(20):
        path.write_text(edn_lines(Simulation(Random(seed), fault="shares").steps(200)), encoding="utf-8")
        code, out, _ = run("history", str(path))
        assert code == 0
        assert "processed by two at a time: no client says in which group it is" in " ".join(out.split())
        found.add(run("history", str(path), "--one-group", "--quiet")[0])
    assert found == {0, 1}
