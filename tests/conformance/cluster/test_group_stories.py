"""Stories of consumer groups: what a search foretells of each, what is judged, and one that is played here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from played_runs import only

from neverlost.conformance.cluster.cluster import Cluster
from neverlost.conformance.cluster.gates import OFFSET_COMMIT, Frame, Gates
from neverlost.conformance.cluster.groups import heartbeats as heartbeats_module
from neverlost.conformance.cluster.groups import playing as playing_module
from neverlost.conformance.cluster.groups.members import BACK, Reader
from neverlost.conformance.cluster.groups.playing import REPEATED, SKIPPED, Play, Played
from neverlost.conformance.cluster.groups.stories import Planned, StoryRun, plan, play_stories, stories
from neverlost.conformance.cluster.releases import ClusterError
from neverlost.conformance.cluster.steered_clients import Call, SteeredClient
from neverlost.conformance.cluster.story_paths import NotDoneError, PlayedStep, StoryError

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "groups.md"
ROWS = [(story.name, on.where, place) for story in stories() for on in story.on for place in on.releases]


@cache
def planned_as(name: str, client: str, place: str) -> Planned:
    """A story with consumers of a release."""
    (found,) = plan([only(stories([name])[0], client, place)])
    return found


# What a search foretells


@pytest.mark.parametrize(("name", "client", "place"), ROWS)
def test_a_story_shows_its_property_at_its_end_and_a_control_never(name: str, client: str, place: str) -> None:
    planned = planned_as(name, client, place)
    assert (planned.length is None) is planned.on.control
    assert (planned.story.property in planned.expected) is not planned.on.control
    assert planned.done == len(planned.on.steps) or (planned.on.control and planned.path[-1].refusal)


def test_a_release_on_which_no_story_is_played_is_refused() -> None:
    with pytest.raises(StoryError, match=r"none of these stories of groups is played on 2\.8\.0"):
        plan(stories(), ["2.8.0"])


def test_a_run_must_do_what_the_model_does_and_show_what_it_shows() -> None:
    planned = planned_as("failed-record", "enable.auto.commit", "3.9.1")
    shown = tuple(PlayedStep(step=step, done=True, said="") for step in planned.on.steps)
    seen = {SKIPPED: (3, "nobody processes p1 at 0")}

    def came_out(**changed: Any) -> bool:
        run = Played(**{"steps": shown, "seen": seen, "processed": {"p1 at 0": 0}, "trouble": "", **changed})
        return StoryRun(planned=planned, runs=(run,)).as_expected

    assert came_out()
    assert not came_out(seen={})
    assert not came_out(seen={**seen, REPEATED: (3, "p1 at 0 is processed twice")})
    assert not came_out(seen={**seen, BACK: (3, "from 1 to 0")})
    assert not came_out(steps=shown[:-1])
    assert not came_out(trouble="it did not come")


def test_a_call_that_does_not_return_is_an_error() -> None:
    with pytest.raises(ClusterError, match=r"a call of the client did not return within 0\.01 s"):
        Call().wait(0.01)


def test_all_that_the_page_has_of_stories_is_as_the_model_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- known groups: begin -->")[2].partition("<!-- known groups: end -->")[0]
    shown = set()
    for line in table.strip().splitlines()[2:]:
        name, client, places, said, taken, outcome, runs = (cell.strip() for cell in line.strip("|").split("|"))
        for place in places.split(", "):
            planned = planned_as(name.strip("`"), client, place)
            assert (said, taken) == (planned.said, f"{planned.done} of {len(planned.on.steps)}"), line
            assert ("nobody processes" in outcome) is (SKIPPED in planned.expected), line
            assert ("processed twice" in outcome) is (REPEATED in planned.expected), line
            assert ("committed offset of" in outcome) is (BACK in planned.expected), line
            shown.add((name.strip("`"), client, place))
        as_expected, _, played = runs.partition(" of ")
        assert as_expected == played, line
    assert shown == set(ROWS)


# How it is played, by what is no broker


class Client:
    """Obeys as a test says, and remembers its commands."""

    def __init__(self, obey: Callable[[str], tuple[str, str] | None]) -> None:
        self.obey = obey
        self.calls: list[tuple[str, Call]] = []

    def call(self, command: str, *arguments: str) -> Call:
        call = Call()
        self.calls.append((command, call))
        if (answer := self.obey(command)) is not None:
            call.end(*answer)
        return call


def playing(name: str, client: str, place: str, obey: Callable[[str], tuple[str, str] | None], wire: object) -> Play:
    """One that plays a story with a single member, and with what takes the place of brokers."""
    planned = planned_as(name, client, place)
    cluster = SimpleNamespace(
        gates=Gates(), wire=wire, client_port={1: 0}, brokers=(1,), until=lambda look, seconds, what: look()
    )
    found = Play(planned.model, planned.path, cast(Cluster, cluster), "g")
    found.readers[0] = Reader(cast(SteeredClient, Client(obey)), done={0: 1}, position={0: 1})
    found.coordinator, found.partitions, found.committed = 1, 1, {0: 0}
    return found


def test_a_commit_that_fails_before_it_is_sent_is_sent_again() -> None:
    obeyed = Counter[str]()

    def obey(command: str) -> tuple[str, str] | None:
        obeyed[command] += 1
        if command != "send":
            return "", ""
        if obeyed[command] == 1:
            return "RetriableCommitFailedException", ""
        play.gates.gate(OFFSET_COMMIT, "m1", 1).requests.append(cast(Frame, arrived))
        return None

    arrived = SimpleNamespace()
    play = playing("late-commit", "commitAsync", "4.3.1", obey, wire=None)
    play._send(0, 0)
    assert obeyed["send"] == 2
    assert not play.sent[0].call.has_ended


def refused(*ends: int) -> Play:
    """One whose coordinator's log ends there before a commit, and behind its answer."""
    said = iter(ends)
    wire = SimpleNamespace(end_offset=lambda port, topic, replica: (0, next(said)))
    return playing("repeated-commit", "commitAsync, not repeated", "2.5.1", lambda _: None, wire)


def answered(error: int) -> Frame:
    """A commit that is answered with an error."""
    return cast(Frame, SimpleNamespace(version=2, kind="", source="m1", reply=error.to_bytes(2, "big")))


def test_a_commit_that_is_answered_with_an_error_and_written_differs_from_one_that_is_not_written() -> None:
    assert refused(4, 5)._written_and_refused(answered(7)) == 7
    with pytest.raises(NotDoneError, match="answered with error 7, and not written"):
        refused(4, 4)._written_and_refused(answered(7))
    with pytest.raises(NotDoneError, match="a commit is accepted"):
        refused(4, 5)._written_and_refused(answered(0))


@pytest.mark.parametrize(
    ("name", "client", "waiting"),
    [
        ("cooperative-rebalance", "cooperative, enable.auto.commit", {0}),
        ("consumer-crash", "commitSync after processing", set()),
    ],
)
def test_a_member_that_polls_before_it_has_its_assignment_waits_for_that(
    name: str, client: str, waiting: set[int]
) -> None:
    play = playing(name, client, "4.3.1", lambda _: None, wire=None)
    assert play._polls_before_sync == waiting


class Wire:
    """Has a group in one state after the other, and its offset until the last of them, or for good."""

    def __init__(self, *states: str, stays: bool = False) -> None:
        self.states, self.stays, self.asked = states, stays, 0

    def group_state(self, port: int, group: str) -> str:
        self.asked = min(self.asked + 1, len(self.states))
        return self.states[self.asked - 1]

    def committed_offset(self, port: int, group: str, topic: str, partition: int) -> int:
        return 0 if self.stays or self.asked < len(self.states) else -1


REBALANCE = "offsets-that-expire-in-a-rebalance"


def expires(wire: Wire, client: str, place: str) -> str:
    """What is said of an offset that is to expire while the group has members."""
    play = playing(REBALANCE, client, place, lambda _: ("", ""), wire)
    (at,) = (at for at in play.path if at.step.action.name == "expire_early")
    return play._expire_early(at, 0)


def test_an_offset_expires_while_the_group_rebalances() -> None:
    wire = Wire("Empty", "PreparingRebalance", "PreparingRebalance", "PreparingRebalance")
    assert expires(wire, "commitSync, latest", "2.5.1").endswith("the group is PreparingRebalance")


@pytest.mark.parametrize("states", [("Empty", "Empty"), ("Empty", "PreparingRebalance"), ("Stable", "Empty")])
def test_an_offset_that_expires_in_a_group_without_members_is_no_such_story(states: tuple[str, ...]) -> None:
    with pytest.raises(ClusterError, match="the offset of p1 expires in a group without members"):
        expires(Wire(*states), "commitSync, latest", "2.5.1")


def test_an_offset_that_is_to_stay_stays_for_longer_than_it_may_be_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing_module, "STAYS_SECONDS", 0.01)
    with pytest.raises(NotDoneError, match=r"the offset of p1 is 0 for 0\.01 s"):
        expires(Wire("Stable", stays=True), "commitSync, latest, without KAFKA-13636", "2.8.2")


TAKEN, FAILS = "partition-taken-unseen", "group.protocol=consumer, commitSync after processing"
NONE_FAILS = f"{FAILS}, no heartbeat fails"


def taking(obey: Callable[[str], tuple[str, str] | None]) -> tuple[Play, str]:
    """What comes of the step in which no heartbeat fails, where the other member obeys so."""
    play = playing(TAKEN, NONE_FAILS, "4.3.1", lambda _: ("", ""), wire=None)
    play.committed[1] = 0
    ended = Call()
    ended.end()
    play.readers[0].taking = ended
    play.readers[1] = Reader(cast(SteeredClient, Client(obey)))
    (at,) = (at for at in play.path if at.step.action.name == "take_unseen")
    return play, play._take_unseen(at, 0, 1)


def test_a_partition_that_is_given_away_although_no_heartbeat_failed_is_not_as_the_model_says() -> None:
    play, said = taking(lambda command: ("", "1" if command == "assigned" else ""))
    assert said == "another member is given it, although no heartbeat has failed"
    assert play.readers[0].taking is None


def test_a_partition_that_is_being_taken_is_not_given_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats_module, "REFUSED_SECONDS", 0.01)
    with pytest.raises(NotDoneError, match=r"no other member is given p2 within 0\.01 s"):
        taking(lambda command: ("", "0" if command == "assigned" else ""))


def test_a_member_polls_until_it_is_given_a_partition() -> None:
    client = Client(lambda command: polled() if command == "poll" else None)

    def polled() -> tuple[str, str] | None:
        polls = [call for command, call in client.calls if command == "poll"]
        if len(polls) < 3:
            return "", ""
        next(call for command, call in client.calls if command == "hold").end(said="1")
        return None

    play = playing(TAKEN, FAILS, "4.3.1", lambda _: ("", ""), wire=None)
    play.readers[0] = Reader(cast(SteeredClient, client))
    (at,) = (at for at in play.path if at.step.show(play.model.bounds) == "heartbeat(member=m1)")
    assert play._heartbeat(at, 0) == "m1 is in onPartitionsAssigned, with p2"
    assert play.readers[0].taking is client.calls[-1][1]
    before = len(client.calls)
    play._poll_nothing(play.readers[0])
    assert len(client.calls) == before


# Some that are played


@pytest.mark.thorough
@pytest.mark.xdist_group("brokers")
def test_a_record_is_skipped_that_was_in_hand_when_the_consumer_was_closed() -> None:
    pairs = ("enable.auto.commit", "commitSync after processing")
    planned = [planned_as("failed-record", client, "3.9.1") for client in pairs]
    found = list(play_stories(planned))
    assert all(one.as_expected for one in found), [one.outcome for one in found]


@pytest.mark.thorough
@pytest.mark.xdist_group("brokers")
def test_a_partition_has_two_readers_where_a_heartbeat_fails_while_it_is_taken() -> None:
    found = list(play_stories([planned_as(TAKEN, client, "4.3.1") for client in (FAILS, NONE_FAILS)]))
    assert all(one.as_expected for one in found), [one.outcome for one in found]
