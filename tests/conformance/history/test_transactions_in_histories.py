"""Each anomaly of transactions in the smallest history that has it, and next to it the history that nearly has it."""

from __future__ import annotations

import pytest
from transacting import consumed, poll_of, produced, send_to, step, txn
from written_histories import Op, as_json, assign, poll, recorded, send, shown

from neverlost.conformance.history import Judge
from neverlost.conformance.history.judged import judged as judged_history

OTHER = txn(90, send_to(7, 900, 0), poll_of())
"""Something else that says that the history has transactions."""


def both(kind: str = "info", first: int | None = None, second: int | None = None, function: str = "txn") -> list[Op]:
    return txn(0, send_to(5, 10, first), send_to(6, 20, second), kind=kind, function=function)


def test_a_transaction_that_is_read_as_a_whole_is_clean() -> None:
    assert shown(both("ok", 0, 0), poll(1, 5, (0, 10)), poll(1, 6, (0, 20))) == {}
    assert shown(both("info"), poll(1, 5, (0, 10)), poll(1, 6, (0, 20))) == {}


def test_one_that_is_not_read_at_all_is_lost_only_if_it_was_committed() -> None:
    after = [*send(2, 5, 11, 5), *send(2, 6, 21, 5), *poll(1, 5, (5, 11)), *poll(1, 6, (5, 21))]
    assert list(shown(both("ok", 0, 0), after)) == ["lost"]
    assert shown(both("info", 0, 0), after) == {}
    assert shown(both("fail", 0, 0), after) == {}


def test_of_one_that_is_read_the_other_record_is_missing_though_the_log_was_read_beyond_it() -> None:
    beyond = [*send(2, 6, 21, 5), *poll(1, 6, (5, 21))]
    assert shown(both("info", None, 3), poll(1, 5, (0, 10)), beyond) == {"torn": [("20", [0, 3, 7])]}
    assert list(shown(both("info", None, 4), poll(1, 5, (0, 10)), beyond)) == ["torn"]
    assert shown(both("info", None, 7), poll(1, 5, (0, 10)), beyond) == {}
    assert shown(both("info", None, 3), beyond) == {}
    assert list(shown(both("ok", 0, 3), poll(1, 5, (0, 10)), beyond)) == ["lost", "torn"]


def test_a_torn_transaction_is_found_without_offsets_by_what_was_sent_after_it_was_read() -> None:
    read, later = poll(1, 5, (0, 10)), [*send(2, 6, 21, 5), *poll(1, 6, (5, 21))]
    assert shown(both("info"), read, later) == {"torn": [("20", [0, 3, 5])]}
    sent, seen = later[:2], later[2:]
    assert shown(both("info"), sent, read, seen) == {}
    assert shown(both("info"), sent[:1], read, sent[1:], seen) == {}


def test_a_torn_transaction_is_found_without_offsets_by_its_own_order_in_a_partition() -> None:
    sent = txn(0, send_to(5, 10), send_to(5, 11), send_to(5, 12), kind="info", function="send")
    assert shown(OTHER, sent, poll(1, 5, (0, 10), (2, 12))) == {"torn": [("11", [2, 2, 5])]}
    assert shown(OTHER, sent, poll(1, 5, (0, 10), (1, 11))) == {}


def test_sends_of_one_operation_are_a_transaction_only_where_the_history_has_transactions() -> None:
    sent = both("info", None, 3, function="send")
    beyond = [*poll(1, 5, (0, 10)), *send(2, 6, 21, 5), *poll(1, 6, (5, 21))]
    assert shown(sent, beyond) == {}
    assert list(shown(OTHER, sent, beyond)) == ["torn"]
    assert judged_history(recorded(as_json(sent)), most=9, uncommitted=False, one_group=False).not_judged


def test_what_was_sent_twice_takes_no_part_in_transactions() -> None:
    beyond = [*poll(1, 5, (0, 10)), *send(2, 6, 21, 5), *poll(1, 6, (5, 21))]
    assert shown(both("info", None, 3), send(3, 6, 20, None, "info"), beyond) == {}
    assert shown(both("info", None, 3), send(3, 5, 10, None, "info"), beyond) == {}


def test_an_aborted_transaction_that_is_read_is_refused_yet_read() -> None:
    assert list(shown(both("fail", 0, 0), poll(1, 5, (0, 10)))) == ["refused-yet-read"]
    aborted = txn(1, poll_of(p5=[[0, 10]]), kind="fail")
    assert list(shown(both("fail", 0, 0), aborted)) == ["refused-yet-read"]


def test_a_transaction_that_reads_what_it_sends_reads_before_its_commit() -> None:
    for kind in ("ok", "info"):
        own = txn(0, send_to(5, 10, 0), poll_of(p5=[[0, 10]]), kind=kind)
        assert shown(own) == {"precommitted": [("10", [1 if kind == "ok" else 0, 1])]}
    earlier = send(2, 5, 10, None, "info")
    assert shown(earlier, txn(0, send_to(5, 10, 1), poll_of(p5=[[0, 10]]))) == {}


def circle(*numbers: int) -> list[list[Op]]:
    """Transactions that each poll what the one before them sent."""
    found = []
    for position, number in enumerate(numbers):
        before = numbers[position - 1]
        sent, got = send_to(number, number * 10, 0), poll_of(**{f"p{before}": [[0, before * 10]]})
        found.append(txn(number, sent, got))
    return found


def test_transactions_that_read_of_each_other_go_in_a_circle() -> None:
    (begin, end), (other_begin, other_end) = circle(1, 2)
    assert shown([begin, other_begin, end, other_end]) == {"circular": [("10", [2, 3])]}
    found = circle(1, 2, 3)
    assert list(shown([one[0] for one in found], [one[1] for one in found])) == ["circular"]
    only = txn(2, send_to(2, 20, 0), poll_of(p1=[[0, 10]]))
    assert shown([begin], only[:1], [end], only[1:]) == {"circular": [("10", [2, 3])]}
    silent = txn(1, send_to(1, 10, 0), poll_of())
    assert shown(silent[:1], only[:1], silent[1:], only[1:]) == {}


def test_a_circle_over_the_time_of_a_reader_is_found() -> None:
    """c reads what a sent to b's reader, before a's own poll is begun that finds what was sent after it."""
    first = txn(1, send_to(1, 10, 0), poll_of(p3=[[0, 30]]))
    between = [*poll(8, 1, (0, 10)), *send(3, 3, 30, 0)]
    assert list(shown(first[:1], between, first[1:])) == []
    begun = step("begin", "p")
    inside = produced("p", "a", 10, 0)
    early = consumed("c", "a", 10, 0)
    assert list(shown(begun, inside, early, step("commit", "p"))) == ["precommitted"]
    assert shown(begun, inside, step("commit", "p"), early) == {}
    asked = step("commit", "p")
    assert shown(begun, inside, asked[:1], early, asked[1:]) == {}


def test_a_value_that_a_transaction_passes_on_must_not_be_seen_before_the_first_commit_was_asked_for() -> None:
    begun, asked = [*step("begin", "p"), *produced("p", "a", 10, 0)], step("commit", "p")
    passed_on = txn(1, poll_of(a=[[0, 10]]), send_to(6, 60, 0))
    passed_on[1]["value"][0][1] = {"a": [[0, 10]]}
    seen = poll(2, 6, (0, 60))
    assert list(shown(begun, passed_on[:1], seen, asked, passed_on[1:])) == ["precommitted"]
    assert shown(begun, passed_on[:1], asked, seen, passed_on[1:]) == {}


def test_writes_that_cross_are_counted_and_allowed() -> None:
    one = txn(0, send_to(5, 10, 0), send_to(6, 11, 1))
    other = txn(1, send_to(5, 20, 1), send_to(6, 21, 0))
    operations = [one[0], other[0], one[1], other[1]]
    assert shown(operations) == {}
    assert Judge(recorded(as_json(operations))).allowed()["write-cycles"] == 1
    straight = txn(1, send_to(5, 20, 1), send_to(6, 21, 2))
    assert Judge(recorded(as_json([*one, *straight]))).allowed()["write-cycles"] == 0


@pytest.mark.parametrize("anomaly", [both("fail", 0, 0), txn(0, send_to(5, 10, 0), poll_of(p5=[[0, 10]]))])
def test_readers_of_what_is_not_committed_may_see_all_this(anomaly: list[Op]) -> None:
    history = recorded(as_json([*anomaly, *poll(1, 5, (0, 10))]))
    assert any(Judge(history).anomalies().values())
    found = judged_history(history, most=9, uncommitted=True, one_group=False)
    assert not any(found.counts.values())
    assert "read" in " ".join(one.why for one in found.not_judged)


def test_what_was_aborted_and_sent_again_may_be_seen_twice_by_readers_of_what_is_not_committed() -> None:
    again = [*both("fail", 0, 0), *send(2, 5, 10, 4), *poll(1, 5, (0, 10), (4, 10))]
    assert list(shown(again)) == ["duplicated"]
    assert not any(Judge(recorded(as_json(again)), uncommitted=True).anomalies().values())


def test_a_reader_goes_on_where_it_was_after_an_abort_or_is_set_back_but_does_not_jump() -> None:
    everything = poll(2, 5, (0, 10), (1, 11), (2, 12), (3, 13), (4, 14))
    begin = [*assign(1, 5), *poll(1, 5, (0, 10))]
    aborted = txn(1, poll_of(p5=[[1, 11], [2, 12]]), kind="fail")
    assert shown(everything, begin, aborted, poll(1, 5, (1, 11))) == {}
    assert shown(everything, begin, aborted, poll(1, 5, (3, 13))) == {}
    assert list(shown(everything, begin, aborted, poll(1, 5, (4, 14)))) == ["vanished"]
    unknown = txn(1, poll_of(p5=[[1, 11], [2, 12]]), kind="info")
    assert shown(everything, begin, unknown, poll(1, 5, (4, 14))) == {}
    assert list(shown(everything, begin, txn(1, poll_of(p5=[[0, 10]]), kind="fail"))) == ["reordered"]


def test_what_only_an_aborted_transaction_read_is_not_lost() -> None:
    aborted = txn(1, poll_of(p5=[[0, 10], [1, 11]]), kind="fail")
    assert shown(send(0, 5, 10, 0), send(0, 5, 11, 1), aborted, poll(2, 5, (1, 11))) == {}


SENT = [*step("begin", "p"), *produced("p", "a", 10, 0), *produced("p", "b", 20, 0)]
READ_A = [*consumed("c", "a", 10, 0)]
BEYOND = [*produced("q", "b", 21, 4), *consumed("c", "b", 21, 4)]


@pytest.mark.parametrize(
    ("end", "kinds"),
    [
        (step("commit", "p"), ["lost", "torn"]),
        (step("commit", "p", kind="info"), ["torn"]),
        (step("commit", "p", kind="fail"), ["refused-yet-read"]),
        (step("abort", "p"), ["refused-yet-read"]),
        (step("abort", "p", kind="info"), ["refused-yet-read"]),
        ([*step("commit", "p", kind="fail"), *step("abort", "p")], ["refused-yet-read"]),
        ([*step("commit", "p", kind="fail"), *step("commit", "p")], ["lost", "torn"]),
        ([*step("commit", "p", kind="info"), *step("abort", "p")], ["torn"]),
        ([*step("commit", "p", kind="info"), *step("begin", "p")], ["torn"]),
        ([], ["torn", "precommitted"]),
    ],
)
def test_the_end_of_a_transaction_decides_of_what_was_done_in_it(end: list[Op], kinds: list[str]) -> None:
    assert list(shown(SENT, end, READ_A, BEYOND)) == kinds


def test_a_record_of_which_nobody_knows_may_be_missing_from_a_transaction() -> None:
    unknown = [*step("begin", "p"), *produced("p", "a", 10, 0), *produced("p", "b", 20, 0, "info")]
    for end in (step("commit", "p"), step("commit", "p", kind="info")):
        assert shown(unknown, end, READ_A, BEYOND) == {}
    assert list(shown(unknown, step("abort", "p"), READ_A, consumed("c", "b", 20, 0))) == ["refused-yet-read"]


def test_what_is_done_after_an_end_was_asked_for_is_done_outside() -> None:
    begun = [*step("begin", "p"), *produced("p", "a", 10, 0)]
    own = consumed("p", "a", 10, 0)
    assert list(shown(begun, own, step("commit", "p"))) == ["precommitted"]
    for kind in ("ok", "info"):
        assert shown(begun, step("commit", "p", kind=kind), own) == {}
    aborted = [*step("begin", "p"), *step("abort", "p", kind="info")]
    assert shown(aborted, produced("p", "a", 10, 0), own) == {}


def test_what_is_done_outside_of_a_transaction_does_not_depend_on_one() -> None:
    before, after = produced("p", "a", 10, 0), produced("p", "b", 20, 0)
    aborted = [*step("begin", "p"), *step("abort", "p")]
    assert shown(before, aborted, after, READ_A, consumed("c", "b", 20, 0)) == {}
    assert list(shown(before, aborted, after, READ_A, BEYOND)) == ["lost"]
    refused = step("begin", "p", kind="fail")
    assert list(shown(refused, produced("p", "b", 20, 0), BEYOND)) == ["lost"]


def test_without_invocations_nobody_knows_when_a_commit_was_asked_for() -> None:
    ended = [one for one in [*SENT, *READ_A, *step("commit", "p")] if one["type"] != "invoke"]
    assert shown(ended) == {}
    assert shown([one for one in [*SENT, *READ_A] if one["type"] != "invoke"]) == {}
