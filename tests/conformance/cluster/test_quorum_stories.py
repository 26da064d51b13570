"""Stories of the controllers' quorum: what a search foretells of each, what is judged, and one that is played here."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from played_runs import only

from neverlost.conformance.cluster.quorum.control import Batch, Quorum, QuorumControl, batches_of
from neverlost.conformance.cluster.quorum.observing import COMMITTED, COMPLETE, LOGS, ONE_LEADER, VOTER_AGAIN, Observer
from neverlost.conformance.cluster.quorum.playing import Played, is_granted
from neverlost.conformance.cluster.quorum.stories import (
    Planned,
    StoryRun,
    plan,
    play_stories,
    stories,
    with_pre_votes,
)
from neverlost.conformance.cluster.releases import ClusterError, RunnableRelease, release_named
from neverlost.conformance.cluster.story_paths import PlayedStep, StoryError
from neverlost.conformance.cluster.wire import METADATA_TOPIC, QuorumState, _quorum_state

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "quorum.md"
ROWS = [(story.name, on.where, place) for story in stories() for on in story.on for place in on.releases]


@cache
def planned_as(name: str, quorum: str, place: str) -> Planned:
    """A story in a quorum on a release."""
    (found,) = plan([only(stories([name])[0], quorum, place)])
    return found


# What a search foretells


@pytest.mark.parametrize(("name", "quorum", "place"), ROWS)
def test_a_story_goes_to_its_end_and_shows_its_property_and_a_control_does_neither(
    name: str, quorum: str, place: str
) -> None:
    planned = planned_as(name, quorum, place)
    at_the_end = planned.done == len(planned.on.steps)
    assert at_the_end is not planned.on.control
    assert (planned.story.property in planned.expected) is not planned.on.control
    if not at_the_end:
        assert planned.path[-1].refusal


def test_a_story_and_its_shortest_run_are_distinguished() -> None:
    planned = planned_as("wiped-voter", "static voters", "3.9.1")
    assert (planned.said, len(planned.on.steps)) == ("violated in 16 steps", 22)
    assert planned_as("wiped-voter", "directory ids", "3.9.1").said == "holds"
    assert planned_as("auto-join", "directory ids, no auto-join", "4.2.1").said == "never happens"


def test_a_voter_grants_a_pre_vote_before_it_votes() -> None:
    steps = ["stand(controller=c1)", "crash(controller=c3)", "vote(voter=c2, candidate=c1)"]
    assert with_pre_votes(steps) == [
        "ask_before(controller=c1)",
        "pre_vote(voter=c2, candidate=c1)",
        *steps,
    ]


def test_a_release_on_which_no_story_is_played_is_refused() -> None:
    with pytest.raises(StoryError, match=r"none of these stories of the quorum is played on 2\.8\.2"):
        plan(stories(), ["2.8.2"])


def test_a_run_must_do_what_the_model_does_and_show_what_it_shows() -> None:
    planned = planned_as("two-leaders", "static voters", "3.9.1")
    shown = tuple(PlayedStep(step=step, done=True, said="") for step in planned.on.steps)
    seen = {ONE_LEADER: (8, "both"), LOGS: (8, "they differ")}

    def came_out(**changed: Any) -> bool:
        run = Played(
            **{
                "steps": shown,
                "seen": seen,
                "read": (),
                "acknowledged": False,
                "voters": (),
                "trouble": "",
                **changed,
            }
        )
        return StoryRun(planned=planned, runs=(run,)).as_expected

    assert came_out()
    assert not came_out(seen={})
    assert not came_out(seen={**seen, COMMITTED: (8, "replaced")})
    assert not came_out(steps=shown[:-1])
    assert not came_out(trouble="it did not come")


def test_all_that_the_page_has_of_stories_is_as_the_model_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- known quorum: begin -->")[2].partition("<!-- known quorum: end -->")[0]
    shown = set()
    for line in table.strip().splitlines()[2:]:
        name, quorum, place, said, taken, outcome, runs = (cell.strip() for cell in line.strip("|").split("|"))
        name = name.strip("`")
        planned = planned_as(name, quorum, place)
        assert (said, taken) == (planned.said, f"{planned.done} of {len(planned.on.steps)}"), line
        assert outcome.startswith(f"{planned.done} steps"), line
        as_expected, _, played = runs.partition(" of ")
        assert as_expected == played, line
        shown.add((name, quorum, place))
    assert shown == set(ROWS)


# What is judged


class Controllers:
    """Controllers that answer and have logs as a test says."""

    def __init__(self, **logs: list[Batch]) -> None:
        self.logs = {int(name[1:]): log for name, log in logs.items()}
        self.controllers = tuple(self.logs)
        self.states: dict[int, QuorumState] = {}
        self.log_folder = lambda _: SimpleNamespace(is_dir=lambda: True)
        self.log = self.logs.__getitem__
        self.state_of = self.states.get
        self.named = lambda nodes: [f"c{node - 100}" for node in nodes]

    def leads(self, controller: int, *, epoch: int, high_watermark: int, directory: str = "a") -> None:
        voters = tuple((100 + c, directory if c == controller else "a") for c in self.controllers)
        self.states[controller] = QuorumState(
            leader=100 + controller, epoch=epoch, high_watermark=high_watermark, voters=voters, observers=()
        )


def batch(base: int, epoch: int, data: bytes = b"") -> Batch:
    return Batch(base=base, end=base + 1, epoch=epoch, data=data)


def observer(controllers: Controllers) -> Observer:
    control: Any = controllers
    return Observer(control=control)


def test_two_leaders_of_one_epoch_are_seen_and_of_two_epochs_are_none() -> None:
    controllers = Controllers(c1=[], c2=[])
    found = observer(controllers)
    controllers.leads(1, epoch=1, high_watermark=0)
    controllers.leads(2, epoch=2, high_watermark=0)
    found.look(1)
    assert not found.seen
    controllers.leads(2, epoch=1, high_watermark=0)
    found.look(2)
    assert found.seen == {ONE_LEADER: (2, "c1 and c2 both say that they lead epoch 1")}


def test_a_leader_that_lacks_what_was_committed_is_seen_before_it_replaces_it() -> None:
    controllers = Controllers(c1=[batch(0, 1), batch(1, 1)], c2=[batch(0, 1), batch(1, 2)])
    found = observer(controllers)
    controllers.leads(1, epoch=1, high_watermark=2)
    found.look(1)
    controllers.states.clear()
    controllers.leads(2, epoch=2, high_watermark=1)
    found.look(2)
    assert list(found.seen) == [COMPLETE]
    controllers.leads(2, epoch=2, high_watermark=2)
    found.look(3)
    assert {name: step for name, (step, _) in found.seen.items()} == {COMPLETE: 2, COMMITTED: 3}


def test_what_no_high_watermark_covers_may_be_replaced() -> None:
    controllers = Controllers(c1=[batch(0, 1), batch(1, 1)], c2=[batch(0, 1), batch(1, 2)])
    found = observer(controllers)
    controllers.leads(1, epoch=1, high_watermark=1)
    found.look(1)
    controllers.states.clear()
    controllers.leads(2, epoch=2, high_watermark=2)
    found.look(2)
    assert not found.seen


def test_two_records_of_one_epoch_at_one_offset_are_seen() -> None:
    found = observer(Controllers(c1=[batch(0, 1, b"x")], c2=[batch(0, 1, b"y")]))
    found.look(1)
    assert found.seen == {LOGS: (1, "c1 and c2 have different records of epoch 1 at offset 0")}


def test_a_voter_with_another_directory_is_seen() -> None:
    controllers = Controllers(c1=[], c2=[])
    found = observer(controllers)
    controllers.leads(1, epoch=1, high_watermark=0)
    found.look(1)
    assert not found.seen
    controllers.leads(1, epoch=1, high_watermark=0, directory="b")
    found.look(2)
    assert found.seen == {VOTER_AGAIN: (2, "c1 is a voter with another directory")}


# Bytes


def test_batches_are_read_up_to_one_that_is_cut_off() -> None:
    def raw(base: int, epoch: int, last: int) -> bytes:
        body = struct.pack(">i", epoch) + bytes(7) + struct.pack(">i", last) + bytes(34)
        return struct.pack(">qi", base, len(body)) + body

    whole = raw(5, 2, 3) + raw(9, 4, 0)
    found = batches_of(whole + raw(10, 4, 0)[:-1])
    assert [(one.base, one.end, one.epoch) for one in found] == [(5, 9, 2), (9, 10, 4)]
    assert b"".join(one.data for one in found) == whole


@pytest.mark.parametrize("granted", [True, False])
def test_an_answer_to_a_vote_is_read(granted: bool) -> None:
    topic = bytes([len(METADATA_TOPIC) + 1]) + METADATA_TOPIC.encode()
    body = (
        struct.pack(">h", 0) + bytes([2]) + topic + bytes([2]) + struct.pack(">ihii?", 0, 0, -1, 7, granted) + b"\0\0\0"
    )
    frame: Any = SimpleNamespace(reply=struct.pack(">i", 9) + b"\0" + body)
    assert is_granted(frame) is granted


@pytest.mark.parametrize("version", [0, 1, 2])
def test_an_answer_to_describe_quorum_is_read(version: int) -> None:
    topic = bytes([len(METADATA_TOPIC) + 1]) + METADATA_TOPIC.encode()
    directory = uuid.UUID(int=3)

    def replica(node: int) -> bytes:
        name = directory.bytes if version >= 2 else b""
        times = struct.pack(">qq", 1, 2) if version >= 1 else b""
        return struct.pack(">i", node) + name + struct.pack(">q", 40) + times + b"\0"

    message = b"\0" if version >= 2 else b""
    partition = struct.pack(">ih", 0, 0) + message + struct.pack(">iiq", 101, 6, 40)
    lists = bytes([3]) + replica(101) + replica(102) + bytes([2]) + replica(1)
    answer = struct.pack(">h", 0) + message + bytes([2]) + topic + bytes([2]) + partition + lists + b"\0\0\0"
    found = _quorum_state(answer, version)
    assert found is not None
    assert (found.leader, found.epoch, found.high_watermark) == (101, 6, 40)
    name = str(directory) if version >= 2 else ""
    assert found.voters == ((101, name), (102, name))
    assert found.observers == ((1, name),)
    refused = struct.pack(">h", 0) + message + bytes([2]) + topic + bytes([2]) + struct.pack(">ih", 0, 6) + message
    assert _quorum_state(refused + lists, version) is None


def test_a_release_without_directory_ids_has_no_such_quorum() -> None:
    cluster: Any = SimpleNamespace(release=release_named("3.7.2"))
    with pytest.raises(ClusterError, match=r"knows no directory ids of voters \(KIP-853, 3\.9\)"):
        QuorumControl(cluster, [], Quorum(controllers=3, kraft_version=1))


# Played here


@pytest.mark.thorough
@pytest.mark.xdist_group("brokers")
@pytest.mark.parametrize("quorum", ["static voters", "directory ids"])
def test_a_wiped_voter_loses_a_record_in_a_static_quorum_only(
    quorum: str, runnable: Callable[..., RunnableRelease]
) -> None:
    runnable("3.9.1")
    (played,) = play_stories([planned_as("wiped-voter", quorum, "3.9.1")])
    assert played.as_expected, played.outcome
