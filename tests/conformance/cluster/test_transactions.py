"""Transactions on real brokers: what is read of logs, what the searches foretell, what the page tells; and one story is played."""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import closing

import pytest
from page_options import asked
from transactions_page import PAGE, ROWS, verdicts

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from neverlost.conformance.cluster.gates import ADD_PARTITIONS, END_TXN, INIT_PRODUCER_ID, MARKERS, PRODUCE, Gates
from neverlost.conformance.cluster.processes import free_ports
from neverlost.conformance.cluster.releases import RunnableRelease, release_at
from neverlost.conformance.cluster.transactions.observing import Batch, Noted, batches_of, entry_of, visible_batches
from neverlost.conformance.cluster.transactions.stories import (
    JAVA,
    LIBRDKAFKA,
    MIXED,
    RAW,
    TV0,
    TV2,
    Planned,
    plan,
    play_stories,
    stories,
)
from neverlost.conformance.cluster.wire import HOST, read_exactly
from neverlost.model.kafka.transactions.state import Decision

LOG = bytes.fromhex(
    "00000000000000000000003a0000000002869d0e03001000000000000001a21b297e1b000001a21b297e1b00000000000000010000000000000000"
    "000110000000010474310000000000000000010000004200000000024773ee6e003000000000000001a21b297ee5000001a21b297ee50000000000"
    "0000010000ffffffff000000012000000008000000000c0000000000000000000000000000020000003a0000000002939475ed0010000000000000"
    "01a21b297fa3000001a21b297fa30000000000000001000000000001000000011000000001047432000000000000000003000000420000000002bb"
    "c93692003000000000000001a21b2997d1000001a21b2997d100000000000000010000ffffffff000000012000000008000000010c000000000000"
    "00"
)
"""What 3.5.2 wrote: t1, an abort, t2, a commit."""


def test_records_and_markers_are_read_from_the_bytes_of_a_log() -> None:
    assert list(batches_of(LOG)) == [
        Batch(0, 1, 0, (b"t1",)),
        Batch(1, 1, 0, (), commits=False),
        Batch(2, 1, 0, (b"t2",)),
        Batch(3, 1, 0, (), commits=True),
    ]


@pytest.mark.parametrize(
    ("aborted", "visible"),
    [([], [0, 2]), ([(1, 0)], [2]), ([(1, 2)], [0]), ([(1, 0), (1, 2)], []), ([(7, 0)], [0, 2])],
)
def test_a_reader_of_committed_records_skips_those_of_a_producer_from_an_abort_to_its_marker(
    aborted: list[tuple[int, int]], visible: list[int]
) -> None:
    assert list(visible_batches(list(batches_of(LOG)), aborted)) == visible


@pytest.mark.parametrize(
    ("written", "noted"),
    [
        # 3.5.2, version 0
        (
            "000000000000000000000000000927c000ffffffff000001a21b2972d9ffffffffffffffff",
            Noted(Decision.EMPTY, 0, frozenset()),
        ),
        (
            "000000000000000000000000000927c00300000001000d746661643363333533363435330000000100000000000001a21b297616000001a21b2973f7",
            Noted(Decision.PREPARE_ABORT, 0, frozenset({("tfad3c3536453", 0)})),
        ),
        # 4.1.1, version 1
        (
            "000100000000000000000000000927c001020e74643631366363333932376165020000000000000001a21b2c3b50000001a21b2c3b5000",
            Noted(Decision.ONGOING, 0, frozenset({("td616cc3927ae", 0)})),
        ),
        (
            "000100000000000000000000000927c00501000001a21b2c3c7e000001a21b2c3b5000",
            Noted(Decision.COMPLETE_ABORT, 0, frozenset()),
        ),
    ],
)
def test_what_a_coordinator_noted_is_read_from_its_log(written: str, noted: Noted) -> None:
    assert entry_of(bytes.fromhex(written)) == noted


@pytest.mark.parametrize(
    ("key", "client", "place"),
    [
        (0, "producer-p1", (PRODUCE, "p1", 1)),
        (22, "producer-p2", (INIT_PRODUCER_ID, "p2", 1)),
        (24, "producer-p1", (ADD_PARTITIONS, "p1", 1)),
        (24, "AddPartitionsManager-client-2", (ADD_PARTITIONS, 2, 1)),
        (26, "producer-p1", (END_TXN, "p1", 1)),
        (27, "broker-2-txn-marker-sender", (MARKERS, 2, 1)),
    ],
)
def test_requests_of_transactions_come_to_gates_of_their_own(
    key: int, client: str, place: tuple[str, object, object]
) -> None:
    (port, proxy) = free_ports(2)
    with socket.create_server((HOST, port)), closing(Gates()) as gates:
        gates.listen(1, proxy, port)
        gates.shut(*place)  # type: ignore[arg-type]
        with socket.create_connection((HOST, proxy)) as sender:
            sender.sendall(_request(key, client))
            assert gates.waiting(*place).place == place  # type: ignore[arg-type]


def _request(key: int, client: str, correlation: int = 7) -> bytes:
    request = struct.pack(">hhih", key, 0, correlation, len(client)) + client.encode()
    return struct.pack(">i", len(request)) + request


def test_a_request_that_is_held_up_arrives_behind_the_one_that_was_sent_again_though_its_sender_is_cut_off() -> None:
    (port, proxy) = free_ports(2)
    place = (END_TXN, "p1", 1)
    with socket.create_server((HOST, port)) as broker, closing(Gates()) as gates:
        broker.settimeout(10)
        gates.listen(1, proxy, port)
        gates.shut(*place)
        first = socket.create_connection((HOST, proxy))
        first.sendall(_request(26, "producer-p1", 1))
        held = gates.waiting(*place)
        gates.hold_up(held)
        assert first.recv(1) == b""
        gates.open(*place)
        with socket.create_connection((HOST, proxy)) as again:
            again.sendall(_request(26, "producer-p1", 2))
            ends = [broker.accept()[0], broker.accept()[0]]
            assert _answered(ends[1]) == 2
            assert len(read_exactly(again, 8)) == 8
        gates.release(held)
        assert _answered(ends[0]) == 1
        assert struct.unpack(">i", gates.answered(held))[0] == 1


def _answered(broker: socket.socket) -> int:
    """The number of the request that comes next, which is answered."""
    (size,) = struct.unpack(">i", read_exactly(broker, 4))
    (correlation,) = struct.unpack_from(">i", read_exactly(broker, size), 4)
    broker.sendall(struct.pack(">ii", 4, correlation))
    return int(correlation)


def planned(name: str, place: str, library: str = "raw") -> dict[str, Planned]:
    """A story on a release, by the transaction version of the clients."""
    return {one.client: one for one in plan(stories([name]), [place], [library])}


@pytest.mark.parametrize(
    ("name", "place", "predicted"),
    [
        ("late-end", "3.9.1", {"tv0": True}),
        ("late-end", "4.1.1", {"tv0": True, "tv2": False}),
        ("late-record-hangs", "3.5.2", {"tv0": True}),
        ("late-record-hangs", "3.6.2", {"tv0": False}),
        ("late-marker", "4.1.1", {"tv0": True, "tv2": True}),
        ("late-marker", "4.2.0", {"tv0": True, "tv2": False}),
        ("late-marker", "4.1.1+4.2.0", {"tv0": True, "tv2": True}),
        ("timed-out", "4.0.0", {"tv0": True, "tv2": True}),
        ("timed-out", "4.0.1", {"tv0": True, "tv2": False}),
        ("unacknowledged-end", "4.3.1", {"tv0": True, "tv2": True}),
        ("unacknowledged-abort-is-stuck", "4.0.0", {"tv0": True, "tv2": True}),
        ("unacknowledged-abort-is-stuck", "4.0.1", {"tv0": True, "tv2": False}),
    ],
)
def test_a_search_of_the_releases_own_version_foretells_what_comes_of_a_story(
    name: str, place: str, predicted: dict[str, bool]
) -> None:
    assert {client: one.expected for client, one in planned(name, place).items()} == predicted


def test_a_release_that_keeps_its_promise_plays_the_run_of_one_that_does_not() -> None:
    found = planned("late-marker", "4.2.0")["tv2"]
    assert (found.version, found.run_of) == ("kafka-transactions-4.2", "kafka-transactions-4.0, tv2")


def test_a_run_is_as_clients_do_it_and_still_one_of_the_model_that_violates_the_property() -> None:
    steps = [
        step.show(found.trace.model.bounds)
        for found in planned("timed-out", "3.9.1").values()
        for step in found.trace.steps
    ]
    assert [step.partition("(")[0] for step in steps] == [
        *("start", "begin", "add_partition", "produce", "time_out", "write_marker", "complete", "add_partition"),
    ]


def cells(block: str) -> dict[tuple[str, str, str], str]:
    """What a block of the page has of each story, release and client."""
    text = PAGE.partition(f"<!-- {block}: begin -->")[2].partition(f"<!-- {block}: end -->")[0]
    found: dict[tuple[str, str, str], str] = {}
    for section in text.split("### ")[1:]:
        name, rows = section.splitlines()[0], re.findall(r"^\| (.*) \|$", section, flags=re.MULTILINE)
        titles = [title.strip() for title in rows[0].split("|")]
        for row in rows[1:]:
            release, *outcomes = (cell.strip() for cell in row.split("|"))
            found |= {(name, release, client): cell for client, cell in zip(titles[1:], outcomes, strict=True) if cell}
    return found


def release_names(place: str) -> str:
    """Releases as the page names them."""
    return " and ".join(str(release_at(one)) for one in place.split("+"))


LIBRARIES = (
    ((JAVA, LIBRDKAFKA), ("2.8.2", "3.9.1", "4.1.1", "4.2.0")),
    ((f"{JAVA}-3.9.1",), ("4.2.0",)),
)
"""Which libraries are played on which releases."""


@pytest.mark.parametrize(
    ("block", "played"),
    [("stories", (((RAW,), ()),)), pytest.param("libraries", LIBRARIES, marks=pytest.mark.thorough)],
)
def test_the_page_has_what_came_of_every_story_and_it_is_what_the_searches_say(
    block: str, played: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
) -> None:
    wanted = {
        (one.story.name, release_names(one.place), one.producer): one.expected
        for libraries, places in played
        for one in plan(stories(), places, libraries)
    }
    seen = cells(block)
    assert seen.keys() == wanted.keys()
    assert all(cell.startswith("happens 3 of 3") is wanted[place] for place, cell in seen.items())
    assert all(cell.startswith(("happens 3 of 3", "does not happen, 3 of 3")) for cell in seen.values())
    assert f": {3 * len(seen)} runs, all as predicted." in PAGE


def test_each_violation_of_the_tables_is_played_but_those_that_the_page_excepts() -> None:
    played = [
        (one.version, one.client, MIXED in one.place, one.story.property, one.story.settings)
        for one in plan(stories())
        if one.expected and not {"verification", "unanswered"} & one.story.settings.keys()
    ]
    left_out = set()
    for version, options, cells, _ in ROWS:
        settings = asked(options)
        client = settings.get("client", TV2 if version.startswith("4") else TV0)
        place = (f"kafka-transactions-{version}", client, "mixed_brokers" in settings)
        for prop, verdict in verdicts(cells).items():
            stories_of_it = [own for *here, breaks, own in played if (*here, breaks) == (*place, prop)]
            if verdict != "holds" and not any(is_within(own, settings) for own in stories_of_it):
                left_out.add((version if "expirations" in settings else "", *settings))
    forgotten = {("0.11", "expirations"), ("0.11", "delays", "expirations")}
    early, timeouts = ("", "early_reads"), ("", "timeouts")
    assert left_out == {("", "lost_markers"), ("", "delays", "server"), early, timeouts, *forgotten}


def is_within(story: Mapping[str, object], settings: Mapping[str, object]) -> bool:
    """Has a story no more of any fault?"""
    faults = {name: number for name, number in story.items() if type(number) is int}
    return all(isinstance(most := settings.get(name), int) and most >= n for name, n in faults.items())


@pytest.mark.brokers
@pytest.mark.xdist_group("brokers")
def test_a_late_marker_commits_what_nobody_asked_for_on_a_real_broker_of_4_1_and_is_refused_by_4_2(
    runnable: Callable[..., RunnableRelease],
) -> None:
    for place, happens in (("4.1.1", True), ("4.2.0", False)):
        runnable(place)
        wanted = [planned("late-marker-commits", place)["tv2"]]
        assert [one.expected for one in wanted] == [happens]
        (played,) = play_stories(wanted)
        (run,) = played.runs
        assert played.as_expected, (run.trouble, run.steps)
        assert run.reads == ((("t1", "t2") if happens else ("t1",)), ())


@pytest.mark.brokers
@pytest.mark.xdist_group("brokers")
def test_two_moves_of_the_coordinator_tear_a_transaction_on_real_brokers_lose_a_commit_and_leave_an_end_undone(
    runnable: Callable[..., RunnableRelease],
) -> None:
    runnable("4.1.1")
    wanted = [
        planned("unacknowledged-end", "4.1.1")["tv2"],
        planned("unacknowledged-abort", "4.1.1")["tv2"],
        planned("unacknowledged-abort-is-stuck", "4.1.1")["tv0"],
    ]
    found = list(play_stories(wanted))
    assert all(one.as_expected for one in found), [(one.runs[0].trouble, one.runs[0].steps) for one in found]
    assert [one.runs[0].reads for one in found] == [(("t1",), ()), ((), ()), ((), ())]
    # All gates are open by then, and the marker was refused.
    assert found[-1].runs[0].states[-1].state == Decision.PREPARE_ABORT
