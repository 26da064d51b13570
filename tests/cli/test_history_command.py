from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from command_line import Run
from random_transactions import Simulation
from written_histories import Op, as_json, edn_lines, op, poll, send

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
    assert "UNDECIDED: nothing wrong was found, but 1 line cannot be read." in spaced(out)
    code, out, _ = run("history", str(path), "--json", "-")
    assert (code, json.loads(out)["verdict"]) == (2, "undecided")


def simple(function: str, process: str, value: object = None, **more: object) -> Op:
    """An operation of the simple form, without an invocation."""
    return op("ok", function, process, value, **more)


def test_a_skip_is_in_doubt_if_its_reader_may_be_in_the_group(run: Run, tmp_path: Path) -> None:
    """The audit's reads would hide the skip of b; with a line that says that it is in no group, it is found."""
    path = tmp_path / "run.json"
    workers = [
        simple("consume", "w1", "a", key="o", offset=0, group="billing"),
        *(
            simple("consume", "w2", value, key="o", offset=offset, group="billing")
            for value, offset in (("c", 2), ("d", 3))
        ),
    ]
    audit = [simple("consume", "audit", value, key="o", offset=offset) for offset, value in enumerate("abcd")]
    path.write_text(as_json([*workers, *audit]), encoding="utf-8")
    code, out, _ = run("history", str(path))
    assert (code, "UNDECIDED: nothing wrong was found, but a group may have skipped 1 record." in spaced(out)) == (
        3,
        True,
    )
    assert "1 record that a group went past, and that audit read" in spaced(out)
    path.write_text(as_json([*workers, simple("assign", "audit", ["o"]), *audit]), encoding="utf-8")
    code, out, _ = run("history", str(path))
    assert (code, "NOT clean: 1 skipped by a group." in spaced(out)) == (1, True)


def test_operations_of_unknown_name_leave_the_history_undecided(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(as_json([*CLEAN, simple("consumed", "c", "a", key="o", offset=0)]), encoding="utf-8")
    code, out, _ = run("history", str(path), "--quiet")
    assert (code, "1 operation of unknown name may be of a client." in spaced(out)) == (3, True)
    assert "anything: 1 operation of unknown name: consumed 1 (is consume meant?)" in spaced(out)


def test_two_commits_of_one_process_come_one_after_the_other_without_invocations(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    first, second = (simple("commit-offsets", "w1", {"o": offset}, group="g") for offset in (2, 1))
    path.write_text(as_json([first, second]), encoding="utf-8")
    assert "NOT clean: 1 committed offset gone back." in spaced(run("history", str(path))[1])
    path.write_text(as_json([first, {**second, "process": "w2"}]), encoding="utf-8")
    code, out, _ = run("history", str(path))
    assert (code, "1 committed offset may have gone back." in spaced(out)) == (3, True)
    path.write_text(as_json([second, {**first, "process": "w2"}]), encoding="utf-8")
    assert run("history", str(path))[0] == 0


def test_clean_says_of_what_unless_everything_in_the_history_was_judged(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(as_json(CLEAN), encoding="utf-8")
    assert "run.json: clean." in spaced(run("history", str(path))[1])
    path.write_text(as_json([*CLEAN, simple("consume", "c", 10, key="5", offset=0)]), encoding="utf-8")
    code, out, _ = run("history", str(path))
    assert (code, "clean of what was judged." in spaced(out)) == (0, True)
    assert "between polls of a client that did not assign itself its partitions" in spaced(out)


def test_a_value_that_was_sent_again_and_lies_twice_is_allowed_and_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    again = [*send(0, 5, 10, None, "info"), *send(0, 5, 10, 1), *poll(1, 5, (0, 10), (1, 10))]
    path.write_text(as_json(again), encoding="utf-8")
    code, out, _ = run("history", str(path))
    assert (code, "allowed 1 value at several offsets, sent as often" in spaced(out)) == (0, True)


def spaced(text: str) -> str:
    return " ".join(text.split())


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


def test_a_torn_transaction_is_found_unless_readers_may_see_it(run: Run) -> None:
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
    assert values["allowed"] == {"write-cycles": 0, "delivered-again": 1, "sent-again": 0}
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
