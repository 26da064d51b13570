"""Each anomaly in the smallest history that has it, and next to it the history that nearly has it."""

from __future__ import annotations

import pytest
from written_histories import Op, assign, judged, op, poll, send, shown

from neverlost.conformance.history import HistoryError


def test_a_log_that_is_read_as_it_was_written_is_clean() -> None:
    assert shown(send(0, 5, 10, 0), send(0, 5, 11, 1), poll(1, 5, (0, 10), (1, 11))) == {}


def test_an_empty_reading_finds_nothing() -> None:
    assert shown(send(0, 5, 10, 0)) == {}
    assert shown(poll(1, 5)) == {}


def test_an_acknowledged_value_that_nobody_reads_though_a_later_offset_was_read_is_lost() -> None:
    found = shown(send(0, 5, 10, 0), send(0, 5, 11, 1), send(0, 5, 12, 2), poll(1, 5, (0, 10), (2, 12)))
    assert found == {"lost": [("11", [3, 7])]}


def test_an_acknowledged_value_beyond_all_that_was_read_is_not_lost_yet() -> None:
    assert shown(send(0, 5, 10, 0), send(0, 5, 11, 1), poll(1, 5, (0, 10))) == {}


def test_an_indeterminate_or_refused_value_that_nobody_reads_is_not_lost() -> None:
    after = (send(0, 5, 12, 2), poll(1, 5, (2, 12)))
    assert shown(send(2, 5, 10, None, "info"), send(3, 5, 11, None, "fail"), *after) == {}


def test_a_send_that_is_never_answered_is_indeterminate() -> None:
    begun = [op("invoke", "send", 2, [["send", 5, 10]])]
    assert shown(begun, poll(1, 5, (0, 10))) == {}
    assert shown(begun, send(0, 5, 11, 1), poll(1, 5, (1, 11))) == {}


def test_a_value_acknowledged_without_an_offset_is_lost_if_one_that_was_sent_later_is_read() -> None:
    without = [*send(0, 5, 10, None)]
    found = shown(without, send(0, 5, 11, 1), poll(1, 5, (1, 11)))
    assert found == {"lost": [("10", [1, 3])]}
    assert shown(send(0, 5, 11, 1), without, poll(1, 5, (1, 11))) == {}


def test_partitions_are_judged_apart() -> None:
    assert shown(send(0, 5, 10, 0), send(0, 6, 11, 1), poll(1, 6, (1, 11))) == {}


def test_a_value_that_lies_at_two_offsets_but_was_sent_once_is_duplicated() -> None:
    found = shown(send(0, 5, 10, 0), poll(1, 5, (0, 10), (1, 10)))
    assert found == {"duplicated": [("10", [3, 3])]}


def test_a_value_that_was_sent_twice_may_lie_at_two_offsets() -> None:
    once = send(0, 5, 10, None, "info")
    assert shown(once, send(2, 5, 10, 1), poll(1, 5, (0, 10), (1, 10))) == {}
    found = shown(once, send(2, 5, 10, 1), poll(1, 5, (0, 10), (1, 10), (2, 10)))
    assert list(found) == ["duplicated"]


def test_a_refused_send_makes_no_second_copy_legal() -> None:
    found = shown(send(0, 5, 10, None, "fail"), send(2, 5, 10, 0), poll(1, 5, (0, 10), (1, 10)))
    assert list(found) == ["duplicated"]


def test_two_values_at_one_offset_are_inconsistent() -> None:
    found = shown(poll(1, 5, (3, 10)), poll(2, 5, (3, 11)), poll(1, 5, (4, 12)))
    assert found["inconsistent"] == [("10", [1, 3])]


def test_an_acknowledgement_counts_as_seeing_a_value_at_its_offset() -> None:
    found = shown(send(0, 5, 10, 3), send(2, 5, 11, None, "info"), poll(1, 5, (3, 11)))
    assert found == {"lost": [("10", [1, 5])], "inconsistent": [("10", [1, 5])]}


def test_a_value_acknowledged_at_one_offset_and_read_at_another_is_inconsistent() -> None:
    found = shown(send(0, 5, 10, 3), poll(1, 5, (4, 10)))
    assert found == {"inconsistent": [("10", [1, 3])]}


def test_values_that_change_places_are_out_of_order() -> None:
    first, second = send(0, 5, 10, None), send(0, 5, 11, None)
    found = shown(first, second, poll(1, 5, (0, 11), (1, 10)))
    assert found == {"reordered": [("10", [1, 3])]}


def test_the_order_counts_across_producers_but_not_of_sends_that_overlap() -> None:
    read = poll(1, 5, (0, 11), (1, 10))
    assert list(shown(send(0, 5, 10, None), send(2, 5, 11, None), read)) == ["reordered"]
    (begin, end), (other_begin, other_end) = send(0, 5, 10, None), send(2, 5, 11, None)
    assert shown([begin, other_begin, end, other_end], read) == {}


def test_an_indeterminate_send_may_be_written_late_but_not_before_it_was_sent() -> None:
    read = poll(1, 5, (0, 11), (1, 10))
    assert shown(send(0, 5, 10, None, "info"), send(2, 5, 11, None), read) == {}
    assert list(shown(send(0, 5, 10, None), send(2, 5, 11, None, "info"), read)) == ["reordered"]


def test_sends_of_one_operation_keep_their_order() -> None:
    both = [
        op("invoke", "send", 0, [["send", 5, 10], ["send", 5, 11]]),
        op("ok", "send", 0, [["send", 5, [1, 10]], ["send", 5, [0, 11]]]),
    ]
    assert shown(both) == {"reordered": [("10", [1, 1])]}


@pytest.mark.parametrize("kind", ["ok", "info"])
def test_sends_of_one_operation_keep_their_order_however_it_ends(kind: str) -> None:
    parts = [["send", 5, 10], ["send", 6, 20], ["send", 5, 11], ["send", 5, 12]]
    sent = [op("invoke", "send", 0, parts), op(kind, "send", 0, parts)]
    assert list(shown(sent, poll(1, 5, (0, 11), (1, 10), (2, 12)), poll(1, 6, (0, 20)))) == ["reordered"]
    assert list(shown(sent[:1], poll(1, 5, (0, 12), (1, 10)))) == ["reordered"]
    assert shown(sent, poll(1, 5, (0, 10), (1, 11), (2, 12)), poll(1, 6, (0, 20))) == {}


def test_sends_of_two_operations_of_unknown_outcome_have_no_order() -> None:
    one, other = send(0, 5, 10, None, "info"), send(0, 5, 11, None, "info")
    assert shown(one, other, poll(1, 5, (1, 11), (2, 10))) == {}


def test_a_reader_that_goes_back_or_stays_is_out_of_order() -> None:
    found = shown(poll(1, 5, (0, 10), (1, 11)), poll(1, 5, (0, 10)))
    assert found == {"reordered": [("10", [1, 3])]}
    assert shown(poll(1, 5, (0, 10)), poll(1, 5, (0, 10))) == {"reordered": [("10", [1, 3])]}


def test_a_reader_that_is_assigned_anew_may_go_back() -> None:
    assert shown(poll(1, 5, (0, 10), (1, 11)), assign(1, 5), poll(1, 5, (0, 10))) == {}


def assigned(*partitions: int, **more: object) -> list[Op]:
    """A consumer assigns itself partitions; `more` are other keys of the operation."""
    return [op(kind, "assign", 1, list(partitions), **more) for kind in ("invoke", "ok")]


def test_an_assignment_that_still_has_the_partition_keeps_the_position() -> None:
    first = [*assigned(5), *poll(1, 5, (0, 10), (1, 11), (2, 12))]
    again = {"reordered": [("11", [3, 7])]}
    assert shown(first, assigned(5), poll(1, 5, (1, 11))) == again
    assert shown(first, assigned(6, 5), poll(1, 5, (1, 11), (2, 12))) == {"reordered": [("11", [3, 7])]}
    assert shown(first, assigned(6, 5), poll(1, 5, (3, 13))) == {}
    skipping = shown(first, assigned(5, 6), poll(1, 5, (4, 14)), poll(2, 5, (2, 12), (3, 13), (4, 14)))
    assert skipping == {"skipped": [("13", [3, 7, 9])]}


def test_an_assignment_that_leaves_the_partition_out_or_seeks_forgets_the_position() -> None:
    first = [*assigned(5), *poll(1, 5, (0, 10), (1, 11), (2, 12))]
    back = poll(1, 5, (0, 10))
    assert shown(first, assigned(6), assigned(5), back) == {}
    assert shown(first, assigned(5, **{"seek-to-beginning?": True}), back) == {}
    assert shown(first, assign(1, 5, "subscribe"), back) == {}
    assert shown(first, [op("ok", "assign", 1)], back) == {}
    assert shown(first, [op("invoke", "assign", 1, [5]), op("info", "assign", 1, [5])], back) == {}
    assert list(shown(first, assigned(5, **{"seek-to-beginning?": True}), back, assigned(5), back)) == ["reordered"]


def test_a_member_of_a_group_may_lose_the_partition_between_polls() -> None:
    begin = assign(1, 5, "subscribe")
    assert (
        shown(begin, poll(1, 5, (0, 10), (1, 11)), poll(1, 5, (0, 10)), poll(2, 5, (2, 12)), poll(1, 5, (3, 13))) == {}
    )
    assert list(shown(begin, poll(1, 5, (1, 11), (0, 10)))) == ["reordered"]


def test_a_record_that_was_read_and_that_a_later_reader_passes_by_has_vanished() -> None:
    found = shown(poll(1, 5, (0, 10), (1, 11), (2, 12)), poll(2, 5, (0, 10), (2, 12)))
    assert found == {"vanished": [("11", [1, 3, 3])]}


def test_a_reader_that_passes_by_a_record_which_another_one_gets_meanwhile_or_later_skips_it() -> None:
    begin, end = poll(2, 5, (0, 10), (2, 12))
    everything = poll(1, 5, (0, 10), (1, 11), (2, 12))
    assert shown([begin], everything, [end]) == {"skipped": [("11", [2, 3, 3])]}
    assert shown([begin, end], everything) == {"skipped": [("11", [1, 1, 3])]}


def test_a_reader_that_skips_a_record_within_one_operation_is_found_in_a_group_too() -> None:
    records = [*assign(1, 5, "subscribe"), *poll(1, 5, (0, 10), (2, 12))]
    assert list(shown(records, poll(2, 5, (0, 10), (1, 11), (2, 12)))) == ["skipped"]


def test_a_group_that_is_rebalanced_during_an_operation_may_go_anywhere_in_it() -> None:
    subscribed, everything = assign(1, 5, "subscribe"), poll(2, 5, (0, 10), (1, 11), (2, 12))
    parts = [["poll", {"5": [[0, 10]]}], ["poll", {"5": [[2, 12]]}]]
    polled = [op("invoke", "poll", 1, [["poll"], ["poll"]])]
    assert list(shown(subscribed, polled, [op("ok", "poll", 1, parts)], everything)) == ["skipped"]
    moved = op("ok", "poll", 1, parts, **{"rebalance-log": [{"keys": [5]}]})
    assert shown(subscribed, polled, [moved], everything) == {}
    assert list(shown(assign(1, 5), polled, [moved], everything)) == ["skipped"]


def test_a_record_that_vanished_is_not_also_skipped() -> None:
    everything, without = poll(1, 5, (0, 10), (1, 11), (2, 12)), poll(2, 5, (0, 10), (2, 12))
    begin, end = poll(3, 5, (0, 10), (2, 12))
    assert list(shown([begin], everything, without, [end])) == ["vanished"]


def test_a_value_that_is_read_though_nobody_sent_it_is_unsent() -> None:
    found = judged(send(0, 5, 10, 0), poll(1, 5, (0, 10), (1, 11)))
    assert [one.what for one in found["unsent"]] == ["was read at offset 1, but nobody sent it"]


def test_a_history_of_readers_alone_says_nothing_of_what_was_sent() -> None:
    assert shown(poll(1, 5, (0, 10), (1, 11))) == {}


def test_a_value_that_is_read_from_another_partition_than_it_was_sent_to_is_unsent_there() -> None:
    found = judged(send(0, 5, 10, 0), send(0, 6, 11, 0), poll(1, 5, (0, 10), (1, 11)))
    assert [one.what for one in found["unsent"]] == ["was read at offset 1, but was sent to partition 6"]


def test_a_value_that_is_read_before_it_is_sent_is_unsent_until_then() -> None:
    read, sent = poll(1, 5, (0, 10)), send(0, 5, 10, 0)
    assert [one.what for one in judged(read, sent)["unsent"]] == ["was read at offset 0, before it was sent"]
    assert shown(sent[:1], read, sent[1:]) == {}


def test_an_acknowledged_copy_that_is_gone_is_found_though_another_copy_lies_elsewhere() -> None:
    copies = [*send(0, 5, 10, 0), *send(2, 5, 10, None, "info")]
    assert list(shown(copies, poll(1, 5, (1, 10)))) == ["inconsistent"]
    assert shown(copies, poll(1, 5, (0, 10), (1, 10))) == {}


def test_an_acknowledged_copy_beyond_all_that_was_read_may_still_come() -> None:
    copies = [*send(0, 5, 10, 4), *send(2, 5, 10, None, "info")]
    assert shown(copies, poll(1, 5, (1, 10))) == {}


def test_a_gap_in_the_offsets_is_no_anomaly_by_itself() -> None:
    assert shown(poll(1, 5, (0, 10), (2, 12)), poll(2, 5, (0, 10), (2, 12))) == {}


def test_a_record_that_was_read_and_then_replaced_has_vanished() -> None:
    found = shown(poll(1, 5, (3, 10)), poll(2, 5, (3, 11)))
    assert found == {"vanished": [("10", [1, 3])], "inconsistent": [("10", [1, 3])]}


def test_a_refused_value_that_is_read_is_found() -> None:
    assert shown(send(0, 5, 10, None, "fail"), poll(1, 5, (0, 10))) == {"refused-yet-read": [("10", [0, 3])]}
    assert shown(send(0, 5, 10, None, "fail"), send(0, 5, 10, 0), poll(1, 5, (0, 10))) == {}


def test_the_simple_form_is_judged_alike() -> None:
    produced = [
        op("ok", "produce", "p", 10, key="orders-0", offset=0),
        op("ok", "produce", "p", 11, key="orders-0", offset=1),
        op("ok", "produce", "p", 12, key="orders-0", offset=2),
    ]
    consumed = [op("ok", "consume", "c", value, key="orders-0", offset=offset) for offset, value in ((0, 10), (2, 12))]
    assert shown(produced, consumed) == {"lost": [("11", [1, 4])]}


def test_the_order_of_sends_is_judged_only_if_the_history_says_when_they_began() -> None:
    begun = [op("invoke", "produce", "p", 10, key="a"), op("ok", "produce", "p", 10, key="a", offset=1)]
    more = [op("invoke", "produce", "p", 11, key="a"), op("ok", "produce", "p", 11, key="a", offset=0)]
    assert list(shown(begun, more)) == ["reordered"]
    assert shown(begun[1:], more[1:]) == {}


def test_answers_of_a_producer_that_does_not_wait_may_come_in_any_order() -> None:
    begun = [op("invoke", "produce", "p", value, key="a") for value in (10, 11)]
    answers = [op("ok", "produce", "p", value, key="a", offset=offset) for value, offset in ((11, 1), (10, 0))]
    assert shown(begun, answers) == {}
    later = [op("invoke", "produce", "p", 12, key="a"), op("ok", "produce", "p", 12, key="a", offset=0)]
    assert "reordered" in shown(begun, answers[:1], later, answers[1:])


def consumed(process: str, *records: tuple[int, int]) -> list[Op]:
    return [op("ok", "consume", process, value, key="a", offset=offset) for offset, value in records]


def test_a_consumer_of_a_group_may_get_records_again_or_go_on_where_another_one_was() -> None:
    assert shown(consumed("c", (0, 10), (1, 11), (0, 10), (1, 11))) == {}
    assert shown(consumed("c", (0, 10)), consumed("d", (1, 11)), consumed("c", (2, 12))) == {}


def test_a_consumer_that_assigned_itself_its_partitions_reads_in_order() -> None:
    assigned = [op("ok", "assign", "c", ["a"])]
    assert list(shown(assigned, consumed("c", (0, 10), (1, 11), (0, 10)))) == ["reordered"]
    assert list(shown(assigned, consumed("d", (1, 11)), consumed("c", (0, 10), (2, 12)))) == ["vanished"]


def test_numbers_that_are_read_as_text_are_distinguished_from_losses() -> None:
    sent, read = send(0, 5, 10, 0), poll(1, 5, (0, "10"))
    with pytest.raises(HistoryError, match='10 was sent as a number, and "10" was read as text'):
        judged(sent, read)
    with pytest.raises(HistoryError, match='"10" was sent as text, and 10 was read as a number'):
        judged(send(0, 5, "10", 0), poll(1, 5, (0, 10)))
    assert shown(send(0, 5, 10, 0), send(0, 5, "11", 1), poll(1, 5, (0, 10), (1, "11"))) == {}


@pytest.mark.parametrize(
    ("sent", "read", "said"),
    [
        (-5, "-5", '-5 was sent as a number, and "-5" was read as text'),
        (1.0, 1, "1.0 was sent as a number with a decimal point, and 1 was read as a number"),
        ("7.50", 7.5, '"7.50" was sent as text, and 7.5 was read as a number with a decimal point'),
        (True, "true", 'True was sent as true or false, and "true" was read as text'),
        ("+3", 3, '"+3" was sent as text, and 3 was read as a number'),
    ],
)
def test_a_value_that_is_read_as_another_type_is_no_loss(sent: object, read: object, said: str) -> None:
    with pytest.raises(HistoryError) as caught:
        judged(send(0, 5, sent, 0), poll(1, 5, (0, read)))
    assert said in str(caught.value)


def test_values_of_two_types_that_were_both_sent_are_two_values() -> None:
    assert list(shown(send(0, 5, 10, 0), send(0, 5, "10", 1), poll(1, 5, (1, "10")))) == ["lost"]


def test_a_finding_says_in_words_what_happened() -> None:
    (lost,) = judged(send(0, 5, 10, 0), send(0, 5, 11, 1), poll(1, 5, (1, 11)))["lost"]
    assert lost.what == "was acknowledged at offset 0, and nobody ever read it, though offset 1 was read"
    assert [mention.did for mention in lost.mentions] == ["10 was acknowledged at offset 0", "11 was read at offset 1"]


def test_offsets_as_large_as_any_are_distinguished_by_partition() -> None:
    last = (1 << 61) - 1
    sent = [send(0, partition, 10 * partition + late, last * late) for partition in range(17) for late in (0, 1)]
    got = [poll(1, partition, (0, 10 * partition), (last, 10 * partition + 1)) for partition in range(17)]
    assert shown(*sent, *got) == {}
