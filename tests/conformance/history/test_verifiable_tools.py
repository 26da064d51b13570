"""What Kafka's VerifiableProducer and VerifiableConsumer print is judged as the same history in the simple form."""

from __future__ import annotations

import json
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.conformance.history import History, Judge, Recorder, forms_of

PRINTED = Path(__file__).parents[3] / "examples" / "histories" / "verifiable-tools.json"
"""What the tools of Kafka 4.1.1 printed of six records on a real broker."""


def read(lines: list[Any]) -> History:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    recorder = Recorder()
    recorder.take(forms_of(BufferedReader(BytesIO(text.encode())), recorder.note))  # type: ignore[arg-type]
    return recorder.history("a history")


def found(history: History) -> dict[str, int]:
    judge = Judge(history)
    judge.anomalies()
    return {kind: count for kind, count in judge.counts.items() if count}


def printed() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PRINTED.read_text(encoding="utf-8").splitlines()]


def event(name: str, value: str = "", offset: int = 0, partition: int = 0, **more: Any) -> dict[str, Any]:
    record = {"key": None, "value": value, "offset": offset, "topic": "orders", "partition": partition}
    return {"timestamp": 1, "name": name, **(record if value else {}), **more}


def test_what_real_tools_printed_is_clean() -> None:
    history = read(printed())
    assert (len(history.sends), len(history.reads), found(history), history.malformed) == (6, 6, {}, ())
    assert (history.partitions, history.processes) == (("orders-0",), ("producer 1", "consumer 2"))


def test_an_acknowledged_record_that_is_passed_over_is_lost() -> None:
    lines = [one for one in printed() if not (one["name"] == "record_data" and one["value"] == "2")]
    for line in lines:
        for part in line.get("partitions", []):
            part.update(count=5) if "count" in part else None
    assert found(read(lines)) == {"lost": 1}


def test_without_verbose_nothing_is_called_clean() -> None:
    history = read([one for one in printed() if one["name"] != "record_data"])
    (wrong,) = history.malformed
    assert (wrong.what, wrong.expected) == (
        "6 records were read, and 0 of them are listed",
        "a line for each; run VerifiableConsumer with --verbose",
    )


def test_acknowledgements_that_are_missing_are_reported() -> None:
    lines = [one for one in printed() if not (one["name"] == "producer_send_success" and one["value"] == "3")]
    (wrong,) = read(lines).malformed
    assert wrong.what == "6 sends were acknowledged, and 5 lines say so"


def test_a_send_that_failed_may_have_been_written() -> None:
    failed = event("producer_send_error", exception="class TimeoutException", message="late", topic="orders", value="b")
    lines = [event("startup_complete"), event("producer_send_success", "a"), failed, event("record_data", "a")]
    assert found(read(lines)) == {}
    lines.append(event("record_data", "b", 1))
    history = read(lines)
    assert found(history) == {}
    assert len(history.sends) == 2


def test_the_order_of_the_tools_does_not_matter() -> None:
    failed = event("producer_send_error", topic="orders", value="b")
    lines = [event("startup_complete"), event("record_data", "a"), event("record_data", "b", 1)]
    lines += [event("startup_complete"), event("producer_send_success", "a"), failed]
    assert found(read(lines)) == {}


def test_an_acknowledgement_without_an_offset_is_one_and_with_acks_0_promises_nothing() -> None:
    start, last = event("startup_complete"), event("record_data", "z", 9)
    shown, without = event("producer_send_success", "a"), event("producer_send_success", "b", -1)
    known = [start, shown, without, event("producer_send_success", "z", 9), start, event("record_data", "a"), last]
    assert found(read(known)) == {"lost": 1}
    nothing = [start, without, event("producer_send_success", "z", -1), start, last]
    assert found(read(nothing)) == {}


def test_each_start_is_another_client() -> None:
    start = event("startup_complete")
    lines = [start, event("producer_send_success", "a"), start, event("producer_send_success", "b", 1)]
    assert len(read(lines).processes) == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"name": "sink_send_success"}, "{'name': 'sink_send_success'} is no event"),
        ({"timestamp": 1}, "{'timestamp': 1} is no event"),
        ({"name": ["record_data"]}, "{'name': ['record_data']} is no event"),
        ({"name": "record_data", "value": "a", "topic": "t", "partition": 0}, "offset is None"),
        ({"name": "record_data", "value": "a", "topic": "t", "partition": "0", "offset": 1}, "partition is '0'"),
        ({"name": "producer_send_success", "value": "a", "partition": 0, "offset": 1}, "topic is None"),
        ({"name": "tool_data", "sent": 1}, "acked is None"),
        ({"name": "records_consumed", "count": 1, "partitions": [{"count": True}]}, "count is True"),
        ('{"name": "record_data", "va', '\'{"name": "record_data", "va\''),
        ("WARN a line of a log", "'WARN a line of a log'"),
    ],
)
def test_a_line_that_is_not_understood_is_reported_with_its_number(line: Any, said: str) -> None:
    (wrong,) = read([event("startup_complete"), event("producer_send_success", "a"), line]).malformed
    assert (wrong.line, wrong.what[: len(said)]) == (3, said)


RECORDS = st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), max_size=12)


@given(records=RECORDS)
def test_the_tools_output_is_judged_as_the_same_history_in_the_simple_form(
    records: list[tuple[int, bool, bool]],
) -> None:
    ends = [0, 0, 0]
    tools, simple = [event("startup_complete")], []
    reads, simple_reads = [event("startup_complete")], []
    for number, (partition, acknowledged, was_read) in enumerate([(0, True, True), *records]):
        value, offset = str(number), ends[partition]
        ends[partition] += 1
        record = {"process": "p", "key": f"orders-{partition}", "value": value}
        if acknowledged:
            tools.append(event("producer_send_success", value, offset, partition))
            simple.append({"type": "ok", "f": "produce", **record, "offset": offset})
        elif was_read:
            tools.append(event("producer_send_error", topic="orders", value=value))
            simple.append({"type": "info", "f": "produce", **record})
        if was_read:
            reads.append(event("record_data", value, offset, partition))
            simple_reads.append({"type": "ok", "f": "consume", **record, "process": "c", "offset": offset})
    assert found(read([*tools, *reads])) == found(read([*simple, *simple_reads]))
