"""Each anomaly in the smallest history that has it, and next to it the history that nearly has it."""

from __future__ import annotations

from written_histories import assign, judged, op, poll, send, told


def test_a_log_that_is_read_as_it_was_written_is_clean() -> None:
    assert told(send(0, 5, 10, 0), send(0, 5, 11, 1), poll(1, 5, (0, 10), (1, 11))) == {}


def test_an_empty_reading_finds_nothing() -> None:
    assert told(send(0, 5, 10, 0)) == {}
    assert told(poll(1, 5)) == {}


def test_an_acknowledged_value_that_nobody_reads_though_a_later_offset_was_read_is_lost() -> None:
    found = told(send(0, 5, 10, 0), send(0, 5, 11, 1), send(0, 5, 12, 2), poll(1, 5, (0, 10), (2, 12)))
    assert found == {"lost": [("11", [3, 7])]}


def test_an_acknowledged_value_beyond_all_that_was_read_is_not_lost_yet() -> None:
    assert told(send(0, 5, 10, 0), send(0, 5, 11, 1), poll(1, 5, (0, 10))) == {}


def test_an_indeterminate_or_refused_value_that_nobody_reads_is_not_lost() -> None:
    after = (send(0, 5, 12, 2), poll(1, 5, (2, 12)))
    assert told(send(2, 5, 10, None, "info"), send(3, 5, 11, None, "fail"), *after) == {}


def test_a_send_that_is_never_answered_is_indeterminate() -> None:
    begun = [op("invoke", "send", 2, [["send", 5, 10]])]
    assert told(begun, poll(1, 5, (0, 10))) == {}
    assert told(begun, send(0, 5, 11, 1), poll(1, 5, (1, 11))) == {}


def test_a_value_acknowledged_without_an_offset_is_lost_if_one_that_was_sent_later_is_read() -> None:
    without = [*send(0, 5, 10, None)]
    found = told(without, send(0, 5, 11, 1), poll(1, 5, (1, 11)))
    assert found == {"lost": [("10", [1, 3])]}
    assert told(send(0, 5, 11, 1), without, poll(1, 5, (1, 11))) == {}


def test_partitions_are_judged_apart() -> None:
    assert told(send(0, 5, 10, 0), send(0, 6, 11, 1), poll(1, 6, (1, 11))) == {}


def test_a_value_that_lies_at_two_offsets_but_was_sent_once_is_duplicated() -> None:
    found = told(send(0, 5, 10, 0), poll(1, 5, (0, 10), (1, 10)))
    assert found == {"duplicated": [("10", [3, 3])]}


def test_a_value_that_was_sent_twice_may_lie_at_two_offsets() -> None:
    once = send(0, 5, 10, None, "info")
    assert told(once, send(2, 5, 10, 1), poll(1, 5, (0, 10), (1, 10))) == {}
    found = told(once, send(2, 5, 10, 1), poll(1, 5, (0, 10), (1, 10), (2, 10)))
    assert list(found) == ["duplicated"]


def test_a_refused_send_makes_no_second_copy_legal() -> None:
    found = told(send(0, 5, 10, None, "fail"), send(2, 5, 10, 0), poll(1, 5, (0, 10), (1, 10)))
    assert list(found) == ["duplicated"]


def test_two_values_at_one_offset_are_inconsistent() -> None:
    found = told(poll(1, 5, (3, 10)), poll(2, 5, (3, 11)), poll(1, 5, (4, 12)))
    assert found["inconsistent"] == [("10", [1, 3])]


def test_an_acknowledgement_counts_as_seeing_a_value_at_its_offset() -> None:
    found = told(send(0, 5, 10, 3), poll(1, 5, (3, 11)))
    assert found == {"lost": [("10", [1, 3])], "inconsistent": [("10", [1, 3])]}


def test_a_value_acknowledged_at_one_offset_and_read_at_another_is_inconsistent() -> None:
    found = told(send(0, 5, 10, 3), poll(1, 5, (4, 10)))
    assert found == {"inconsistent": [("10", [1, 3])]}


def test_values_that_change_places_are_out_of_order() -> None:
    first, second = send(0, 5, 10, None), send(0, 5, 11, None)
    found = told(first, second, poll(1, 5, (0, 11), (1, 10)))
    assert found == {"reordered": [("10", [1, 3])]}


def test_the_order_counts_across_producers_but_not_of_sends_that_overlap() -> None:
    read = poll(1, 5, (0, 11), (1, 10))
    assert list(told(send(0, 5, 10, None), send(2, 5, 11, None), read)) == ["reordered"]
    (begin, end), (other_begin, other_end) = send(0, 5, 10, None), send(2, 5, 11, None)
    assert told([begin, other_begin, end, other_end], read) == {}


def test_an_indeterminate_send_may_be_written_late_but_not_before_it_was_sent() -> None:
    read = poll(1, 5, (0, 11), (1, 10))
    assert told(send(0, 5, 10, None, "info"), send(2, 5, 11, None), read) == {}
    assert list(told(send(0, 5, 10, None), send(2, 5, 11, None, "info"), read)) == ["reordered"]


def test_sends_of_one_operation_keep_their_order() -> None:
    both = [
        op("invoke", "send", 0, [["send", 5, 10], ["send", 5, 11]]),
        op("ok", "send", 0, [["send", 5, [1, 10]], ["send", 5, [0, 11]]]),
    ]
    assert told(both) == {"reordered": [("10", [1, 1])]}


def test_a_reader_that_goes_back_or_stays_is_out_of_order() -> None:
    found = told(poll(1, 5, (0, 10), (1, 11)), poll(1, 5, (0, 10)))
    assert found == {"reordered": [("10", [1, 3])]}
    assert told(poll(1, 5, (0, 10)), poll(1, 5, (0, 10))) == {"reordered": [("10", [1, 3])]}


def test_a_reader_that_is_assigned_anew_may_go_back() -> None:
    assert told(poll(1, 5, (0, 10), (1, 11)), assign(1, 5), poll(1, 5, (0, 10))) == {}


def test_a_member_of_a_group_may_lose_the_partition_between_polls() -> None:
    begin = assign(1, 5, "subscribe")
    assert (
        told(begin, poll(1, 5, (0, 10), (1, 11)), poll(1, 5, (0, 10)), poll(2, 5, (2, 12)), poll(1, 5, (3, 13))) == {}
    )
    assert list(told(begin, poll(1, 5, (1, 11), (0, 10)))) == ["reordered"]


def test_a_record_that_was_read_and_that_a_later_reader_passes_by_has_vanished() -> None:
    found = told(poll(1, 5, (0, 10), (1, 11), (2, 12)), poll(2, 5, (0, 10), (2, 12)))
    assert found == {"vanished": [("11", [1, 3, 3])]}


def test_a_reader_that_began_before_the_record_was_read_may_have_passed_it_by() -> None:
    begin, end = poll(2, 5, (0, 10), (2, 12))
    assert told([begin], poll(1, 5, (0, 10), (1, 11), (2, 12)), [end]) == {}


def test_a_gap_in_the_offsets_is_no_anomaly_by_itself() -> None:
    assert told(poll(1, 5, (0, 10), (2, 12)), poll(2, 5, (0, 10), (2, 12))) == {}


def test_a_record_that_was_read_and_then_replaced_has_vanished() -> None:
    found = told(poll(1, 5, (3, 10)), poll(2, 5, (3, 11)))
    assert found == {"vanished": [("10", [1, 3])], "inconsistent": [("10", [1, 3])]}


def test_a_refused_value_that_is_read_is_told() -> None:
    assert told(send(0, 5, 10, None, "fail"), poll(1, 5, (0, 10))) == {"refused-yet-read": [("10", [0, 3])]}
    assert told(send(0, 5, 10, None, "fail"), send(0, 5, 10, 0), poll(1, 5, (0, 10))) == {}


def test_the_simple_form_is_judged_alike() -> None:
    produced = [
        op("ok", "produce", "p", 10, key="orders-0", offset=0),
        op("ok", "produce", "p", 11, key="orders-0", offset=1),
        op("ok", "produce", "p", 12, key="orders-0", offset=2),
    ]
    consumed = [op("ok", "consume", "c", value, key="orders-0", offset=offset) for offset, value in ((0, 10), (2, 12))]
    assert told(produced, consumed) == {"lost": [("11", [1, 4])]}


def test_a_producer_that_tells_no_invocations_is_taken_to_wait_for_each_answer() -> None:
    produced = [op("ok", "produce", "p", value, key="a", offset=offset) for value, offset in ((10, 1), (11, 0))]
    assert list(told(produced)) == ["reordered"]


def test_a_finding_says_in_words_what_happened() -> None:
    (lost,) = judged(send(0, 5, 10, 0), send(0, 5, 11, 1), poll(1, 5, (1, 11)))["lost"]
    assert lost.what == "was acknowledged at offset 0, and nobody ever read it, though offset 1 was read"
    assert [mention.did for mention in lost.mentions] == ["10 was acknowledged at offset 0", "11 was read at offset 1"]


def test_offsets_as_large_as_any_are_told_apart_by_partition() -> None:
    last = (1 << 61) - 1
    sent = [send(0, partition, 10 * partition + late, last * late) for partition in range(17) for late in (0, 1)]
    got = [poll(1, partition, (0, 10 * partition), (last, 10 * partition + 1)) for partition in range(17)]
    assert told(*sent, *got) == {}
