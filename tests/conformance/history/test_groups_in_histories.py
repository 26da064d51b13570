"""Each anomaly of consumer groups in the smallest history that has it, and next to it the history that nearly has it."""

from __future__ import annotations

from transacting import committed, consumed, poll_of, step, txn
from written_histories import Op, as_json, assign, op, poll, recorded, shown

from neverlost.conformance.history import Judge

AUDITOR = [*step("assign", "audit", ["a"]), *(o for n in range(4) for o in consumed("audit", "a", n, n))]
"""Somebody outside of the group reads all there is."""


def member(process: str, *offsets: int, group: str = "g") -> list[Op]:
    return [one for n in offsets for one in consumed(process, "a", n, n, group=group)]


def one_group(*parts: list[Op]) -> dict[str, list[int | None]]:
    """What is found if all that subscribe are in one group."""
    history = recorded(as_json(one for part in parts for one in part))
    found = Judge(history, one_group=True).anomalies()
    return {kind: [one.value for one in anomalies] for kind, anomalies in found.items() if anomalies}


def test_a_group_that_goes_on_beyond_a_record_has_skipped_it() -> None:
    assert shown(AUDITOR, member("c", 0, 2)) == {"skipped-by-group": [("1", [5, 11, 13])]}
    assert shown(AUDITOR, member("c", 0), member("d", 2)) == {"skipped-by-group": [("1", [5, 11, 13])]}
    assert shown(AUDITOR, member("c", 0), member("d", 1), member("c", 2)) == {}
    assert shown(AUDITOR, member("c", 0, 2), member("d", 1)) == {}


def test_where_a_group_begins_and_how_far_it_is_yet_is_no_skip() -> None:
    assert shown(AUDITOR, member("c", 2, 3)) == {}
    assert shown(AUDITOR, member("c", 0, 1)) == {}
    assert shown(AUDITOR, member("c", 3), member("c", 0, 1)) == {}


def test_another_group_is_another_group() -> None:
    assert list(shown(AUDITOR, member("c", 0, 2), member("d", 1, group="h"))) == ["skipped-by-group"]
    assert shown(AUDITOR, member("c", 0), member("d", 2, group="h")) == {}


def test_who_says_nothing_may_be_in_the_group() -> None:
    assert shown(AUDITOR, member("c", 0, 2), consumed("d", "a", 1, 1)) == {}


def test_a_poll_without_an_answer_may_have_got_what_is_missing() -> None:
    unanswered = [op("invoke", "consume", "d", None, key="a", group="g")]
    assert shown(AUDITOR, member("c", 0), unanswered, member("c", 2)) == {}
    assert list(shown(AUDITOR, member("c", 0, 2), unanswered)) == ["skipped-by-group"]
    unknown = [op("invoke", "poll", "d", [["poll"]], group="g"), op("info", "poll", "d", [["poll"]], group="g")]
    assert shown(AUDITOR, member("c", 0), unknown, member("c", 2)) == {}
    history = recorded(as_json([*AUDITOR, *member("c", 0), *unanswered, *member("c", 2)]))
    assert [one.why for one in Judge(history).not_judged() if "skipped-by-group" in one.kinds] == [
        "after a poll without an answer, in group g"
    ]


def subscribed(process: int, *polls: list[Op]) -> list[Op]:
    return [*assign(process, 5, "subscribe"), *(one for part in polls for one in part)]


OUTSIDE = [*assign(9, 5), *poll(9, 5, *((n, n + 10) for n in range(4)))]


def test_of_clients_that_subscribe_one_must_show_the_skip_alone() -> None:
    assert list(shown(OUTSIDE, subscribed(1, poll(1, 5, (0, 10))), poll(1, 5, (2, 12)))) == ["skipped-by-group"]
    apart = [*subscribed(1, poll(1, 5, (0, 10))), *subscribed(2, poll(2, 5, (2, 12)))]
    assert shown(OUTSIDE, apart) == {}
    assert one_group(OUTSIDE, apart) == {"skipped-by-group": [11]}
    between = [*subscribed(1, poll(1, 5, (0, 10))), *subscribed(2, poll(2, 5, (1, 11))), *poll(1, 5, (2, 12))]
    assert shown(OUTSIDE, between) == one_group(OUTSIDE, between) == {}


def test_what_a_member_gave_back_must_be_given_again() -> None:
    begin = subscribed(1, poll(1, 5, (0, 10)))
    aborted = txn(1, poll_of(p5=[[1, 11]]), kind="fail")
    assert list(shown(OUTSIDE, begin, aborted, poll(1, 5, (2, 12)))) == ["skipped-by-group"]
    assert shown(OUTSIDE, begin, aborted, poll(1, 5, (1, 11), (2, 12))) == {}
    unknown = txn(1, poll_of(p5=[[1, 11]]), kind="info")
    assert shown(OUTSIDE, begin, unknown, poll(1, 5, (2, 12))) == {}


def test_what_everybody_may_refuse_to_see_is_not_skipped() -> None:
    """A reader of uncommitted records shows a record that was aborted: the group passes by it, as it should."""
    refused = [op("fail", "produce", "p", 1, key="a")]
    assert "skipped-by-group" not in shown(refused, AUDITOR, member("c", 0, 2))


def moved(function: str, process: str, *keys: str, group: str = "g") -> list[Op]:
    return step(f"partitions-{function}", process, list(keys), group=group)


def test_two_members_that_read_a_partition_at_a_time_are_found() -> None:
    first = [*moved("assigned", "c", "a"), *member("c", 0)]
    second = [*moved("assigned", "d", "a"), *member("d", 1)]
    assert list(shown(first, second, member("c", 2))) == ["two-at-a-time"]
    assert shown(first, moved("revoked", "c", "a"), second) == {}
    assert shown(first, moved("lost", "c", "a"), second, member("d", 2)) == {}
    assert shown(first, second, moved("lost", "c", "a"), member("d", 2)) == {}
    assert list(shown(first, second, member("c", 2), moved("lost", "c", "a"))) == ["two-at-a-time"]


def test_two_members_with_a_partition_of_which_one_reads_nothing_more_do_no_harm() -> None:
    first = [*moved("assigned", "c", "a"), *member("c", 0)]
    assert shown(first, moved("assigned", "d", "a"), member("d", 1)) == {}
    assert shown(first, moved("assigned", "d", "a"), member("c", 1)) == {}
    assert shown(first, moved("assigned", "d", "b"), member("d", 1), member("c", 2)) == {}


def test_two_groups_may_read_a_partition_at_a_time() -> None:
    first = [*moved("assigned", "c", "a"), *member("c", 0)]
    other = [*moved("assigned", "d", "a", group="h"), *member("d", 0, group="h")]
    assert shown(first, other, member("c", 1)) == {}


def rebalanced(process: int, kind: str, *pairs: tuple[int, int]) -> list[Op]:
    """A poll during which the group gives a partition, or takes it, as Jepsen writes it."""
    begin, end = poll(process, 5, *pairs)
    return [begin, end | {"rebalance-log": [{"type": kind, "keys": [5]}]}]


def test_the_rebalance_log_tells_who_has_a_partition() -> None:
    first = [*assign(1, 5, "subscribe"), *rebalanced(1, "assigned", (0, 10))]
    second = [*assign(2, 5, "subscribe"), *rebalanced(2, "assigned", (1, 11))]
    assert one_group(first, second, poll(1, 5, (2, 12))) == {"two-at-a-time": [12]}
    assert shown(first, second, poll(1, 5, (2, 12))) == {}
    assert one_group(first, second, rebalanced(1, "lost", (2, 12))) == {}
    assert one_group(first, rebalanced(1, "revoked"), second) == {}


def test_a_member_that_subscribes_anew_has_nothing_until_it_is_assigned() -> None:
    first = [*assign(1, 5, "subscribe"), *rebalanced(1, "assigned", (0, 10)), *assign(1, 5, "subscribe")]
    second = [*assign(2, 5, "subscribe"), *rebalanced(2, "assigned", (1, 11))]
    assert one_group(first, second, poll(1, 5, (2, 12))) == {}


def test_a_lower_commit_that_is_begun_after_a_higher_one_was_acknowledged_goes_back() -> None:
    higher, lower = committed("c", "g", a=10), committed("d", "g", a=5)
    assert shown(higher, lower) == {"offset-back": [("None", [1, 3])]}
    assert shown(lower, higher) == {}
    assert shown(lower[:1], higher, lower[1:]) == {}
    assert shown(higher, committed("d", "g", b=5), committed("d", "h", a=5)) == {}
    assert shown(committed("c", "g", kind="info", a=10), lower) == {}
    assert shown(committed("c", "g", kind="fail", a=10), lower) == {}
    assert shown(higher, committed("d", "g", a=10)) == {}


def fetched(process: str, offset: int | None, group: str = "g") -> list[Op]:
    begin, end = step("fetch-offsets", process, {"a": offset}, group=group)
    return [begin | {"value": None}, end]


def test_a_commit_that_was_acknowledged_is_what_is_found_to_be_committed() -> None:
    higher = committed("c", "g", a=10)
    assert shown(higher, fetched("d", 10)) == {}
    assert list(shown(higher, fetched("d", 5))) == ["offset-back"]
    assert list(shown(higher, fetched("d", None))) == ["offset-back"]
    assert shown(higher, fetched("d", 12)) == {}
    assert shown(fetched("d", None), higher) == {}
    begin, end = fetched("d", None)
    assert shown([begin], higher, [end]) == {}
    assert shown(higher, fetched("d", 5, group="h")) == {}


def test_what_a_commit_of_unknown_outcome_may_have_done_is_legal() -> None:
    higher, lower = committed("c", "g", a=10), committed("c", "g", kind="info", a=5)
    assert shown(lower, higher, fetched("d", 5)) == {}
    assert shown(committed("c", "g", a=5), higher, fetched("d", 10)) == {}
    assert list(shown(committed("c", "g", a=5), higher, fetched("d", 5))) == ["offset-back"]
    early = committed("e", "g", a=5)
    assert shown(early[:1], higher, early[1:], fetched("d", 5)) == {}


def test_who_is_assigned_a_partition_begins_where_it_was_committed() -> None:
    before = [*member("c", 0, 1, 2), *committed("c", "g", a=3)]
    assert shown(before, moved("assigned", "d", "a"), member("d", 3)) == {}
    assert list(shown(before, moved("assigned", "d", "a"), member("d", 1, 2, 3))) == ["offset-back"]
    begin, end = committed("c", "g", a=3)
    assert shown(member("c", 0, 1, 2), [begin], moved("assigned", "d", "a"), [end], member("d", 1)) == {}


def test_of_clients_without_a_group_only_their_own_commits_are_compared() -> None:
    def unnamed(process: str, offset: int) -> list[Op]:
        return step("commit-offsets", process, {"a": offset})

    assert list(shown(unnamed("c", 10), unnamed("c", 5))) == ["offset-back"]
    assert shown(unnamed("c", 10), unnamed("d", 5)) == {}
    assert one_group(unnamed("c", 10), unnamed("d", 5)) == {"offset-back": [None]}


def test_offsets_in_a_transaction_are_committed_with_it() -> None:
    def within(end: list[Op]) -> list[Op]:
        return [*step("begin", "c"), *committed("c", "g", a=10), *end]

    after = committed("d", "g", a=5)
    assert list(shown(within(step("commit", "c")), after)) == ["offset-back"]
    assert shown(within(step("abort", "c")), after) == {}
    assert shown(within(step("commit", "c", kind="info")), after) == {}
    begun, end = within([]), step("commit", "c")
    assert shown(begun, after, end) == {}
    assert list(shown(within(end), fetched("d", 4))) == ["offset-back"]
    assert shown(within(step("abort", "c")), fetched("d", 4)) == {}


def test_records_that_a_group_is_given_again_are_counted_and_allowed() -> None:
    operations = [*member("c", 0, 1), *member("d", 1, 2)]
    assert shown(operations) == {}
    assert Judge(recorded(as_json(operations))).allowed()["delivered-again"] == 1


def test_a_group_that_was_seen_at_its_committed_offset_skips_what_comes_from_there_on() -> None:
    begun = committed("admin", "g", a=0)
    assert list(shown(AUDITOR, begun, member("c", 2))) == ["skipped-by-group"]
    assert shown(AUDITOR, committed("admin", "g", a=2), member("c", 2)) == {}
    assert shown(AUDITOR, member("c", 2), begun) == {}
    assert shown(AUDITOR, member("c", 2), begun, member("c", 3)) == {}
    assert shown(AUDITOR, committed("admin", "g", kind="info", a=0), member("c", 2)) == {}
    assert list(shown(AUDITOR, fetched("c", 1), member("c", 2))) == ["skipped-by-group"]
    assert shown(AUDITOR, fetched("c", None), member("c", 2)) == {}


def test_who_may_not_have_assigned_itself_a_partition_may_be_in_the_group() -> None:
    for kind in ("fail", "info"):
        unsure = [*step("assign", "x", ["a"], kind=kind), *consumed("x", "a", 1, 1)]
        assert shown(AUDITOR, unsure, member("c", 0, 2)) == {}
    sure = [*step("assign", "x", ["a"]), *consumed("x", "a", 1, 1)]
    assert list(shown(AUDITOR, sure, member("c", 0, 2))) == ["skipped-by-group"]


def test_a_partition_that_was_perhaps_not_given_is_not_had() -> None:
    second = [*moved("assigned", "d", "a"), *member("d", 1)]
    for kind in ("fail", "info"):
        first = [*step("partitions-assigned", "c", ["a"], kind=kind, group="g"), *member("c", 0)]
        assert shown(first, second, member("c", 2)) == {}
    first = [*moved("assigned", "c", "a"), *member("c", 0)]
    lost = step("partitions-lost", "c", ["a"], kind="info", group="g")
    assert shown(first, lost, second, member("c", 2)) == {}
