"""The step of no return: known by thought where the model is small, and by Kafka's rules where it is Kafka's."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import pytest

from neverlost.explorer import no_return
from neverlost.explorer.loading import find_profile
from neverlost.explorer.no_return import with_no_return
from neverlost.explorer.search import explore
from neverlost.explorer.traces.sentence import no_return_words
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import (
    Action,
    Index,
    Model,
    Profile,
    Property,
    State,
    action,
    always,
    any_of,
    budget,
    counter,
    eventually,
    require,
    sometimes,
    step_always,
    suffices,
    up_to,
)
from neverlost.spec import profiles


class Place(Index, names=("shelf", "edge", "air", "floor")):
    """Where the cup is."""


class Times(Index, members=3):
    """How often the cup is pushed."""


class Turn(Index, bound="turns"):
    """A turn of whoever is near."""


SHELF, EDGE, AIR, FLOOR = range(4)


class Cup(State):
    """A cup, which breaks on the floor."""

    pushes = budget(up_to(Times), singular="push", whose="the cat")
    place = any_of(Place)
    turn = any_of(Turn)
    pushes_left = counter(pushes)


def initial(s: Cup) -> None:
    """The cup is on the shelf."""
    s.pushes_left = s.pushes


@action("made up")
def push(s: Cup) -> None:
    """The cat pushes the cup to the edge."""
    require(s.pushes_left > 0)
    require(s.place == SHELF)

    s.pushes_left = s.pushes_left - 1
    s.place = EDGE


@action("made up")
def tip(s: Cup) -> None:
    """The cup tips over."""
    require(s.place == EDGE)

    s.place = AIR


@action("made up")
def fall(s: Cup) -> None:
    """The cup falls on the floor."""
    require(s.place == AIR)

    s.place = FLOOR


@action("made up")
def put_back(s: Cup) -> None:
    """Somebody puts the cup back."""
    require(s.place == EDGE)

    s.place = SHELF


@action("made up")
def catch(s: Cup) -> None:
    """Somebody catches the cup."""
    require(s.place == AIR)

    s.place = SHELF


@action("made up")
def wait(s: Cup) -> None:
    """A turn is over."""
    require(s.turn + 1 < s.size(Turn))

    s.turn = s.turn + 1


@action("made up")
def tip_in_turn(s: Cup) -> None:
    """The cup tips over, as long as there are turns."""
    require(s.place == EDGE)
    require(s.turn + 1 < s.size(Turn))

    s.place = AIR


@always("The cup is whole.")
def whole(s: Cup) -> bool:
    return s.place != FLOOR


@step_always("No step breaks the cup.")
def breaks_never(before: Cup, after: Cup) -> bool:
    return before.place == FLOOR or after.place != FLOOR


@sometimes("The cup is in the air.")
def in_the_air(s: Cup) -> bool:
    return s.place == AIR


def at_the_edge(s: Cup) -> bool:
    return s.place == EDGE


@eventually("A cup at the edge is on the shelf again.", after=at_the_edge)
def back(s: Cup) -> bool:
    return s.place == SHELF


@suffices("turns", "While the cup is at the edge, a turn is left.")
def turns_suffice(s: Cup) -> bool:
    return s.place != EDGE or s.turn + 1 < s.size(Turn)


@suffices("turns", "To wait needs turns, and nothing else does.")
def turns_are_only_for_waiting(s: Cup) -> bool:
    return s.turn < s.size(Turn)


def cup(*actions: Action, prop: Property = whole, about: tuple[Property, ...] = (), turns: int = 1) -> Model:
    return Profile(
        name="cup",
        statement="A cup.",
        state=Cup,
        initial=initial,
        actions=(push, *actions),
        properties=(prop,),
        probes=about,
        default_bounds={"turns": turns},
        settings={"pushes": 1},
    ).bounded()


def found(model: Model, name: str | None = None) -> Trace:
    """The trace of a violation, with its step of no return."""
    names = None if name is None else [name]
    shown = explore(model, engine="interpreted", properties=names, until="first").shown
    assert shown is not None
    assert shown.trace is not None
    return with_no_return(shown.trace)


def step_and_rescue(trace: Trace) -> tuple[int | None, list[str]]:
    assert trace.no_return is not None
    return trace.no_return.step, [step.show(trace.model.bounds) for step in trace.no_return.rescue]


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        # Who puts the cup back can do so at the edge, and nothing can be done in the air.
        ((tip, fall, put_back), (2, ["put_back()"])),
        # In the air it can still be caught; the fall is what counts.
        ((tip, fall, put_back, catch), (3, ["catch()"])),
        # If nobody is there, the cat has decided it.
        ((tip, fall), (1, [])),
    ],
)
@pytest.mark.parametrize("prop", [whole, breaks_never], ids=lambda prop: prop.kind)
def test_it_is_the_step_after_the_last_state_from_which_the_cup_can_be_saved(
    actions: tuple[Action, ...], expected: tuple[int, list[str]], prop: Property
) -> None:
    trace = found(cup(*actions, prop=prop))
    assert len(trace.steps) == 3
    assert step_and_rescue(trace) == expected


def test_a_rescue_leads_to_where_no_fault_free_run_goes_wrong_and_does_not_only_delay_it() -> None:
    """To wait keeps the cup whole for a while, and is no rescue."""
    waiting = cup(tip, fall, wait, about=(turns_are_only_for_waiting,), turns=3)
    assert step_and_rescue(found(waiting, "whole")) == (1, [])


def test_another_fault_is_no_rescue_and_does_no_more_harm() -> None:
    """The cat may push twice: a cup that was put back may be pushed again, and the rescue holds without another push."""
    assert step_and_rescue(found(replace_pushes(cup(tip, fall, put_back), 2))) == (2, ["put_back()"])


def replace_pushes(model: Model, pushes: int) -> Model:
    return model.profile.bounded(pushes=pushes)


def test_what_is_safe_only_because_the_bounds_ran_out_is_undecided() -> None:
    trace = found(cup(tip_in_turn, fall, wait, about=(turns_suffice,), turns=3), "whole")
    assert trace.no_return is not None
    assert (trace.no_return.step, trace.no_return.undecided) == (None, "turns ran out")
    assert no_return_words(trace) == "The step of no return is undecided: turns ran out. It is step 2 at the latest."


def test_a_search_that_is_cut_short_is_undecided_and_says_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(no_return, "MOST_STATES", 2)
    waiting = cup(tip, fall, wait, put_back, about=(turns_are_only_for_waiting,), turns=9)
    words = no_return_words(found(waiting, "whole"))
    assert words == "The step of no return is undecided: the search for it ended after 2 states."
    shown = explore(cup(tip, fall), engine="interpreted").shown
    assert shown is not None
    assert shown.trace is not None
    interrupted = with_no_return(shown.trace, interrupted=lambda: True)
    assert no_return_words(interrupted) == "The step of no return is undecided: it was interrupted."


def test_a_mistake_of_the_model_that_only_this_search_reaches_makes_it_undecided() -> None:
    @action("made up")
    def fly(s: Cup) -> None:
        """A turn beyond the last one."""
        require(s.place == AIR)
        require(s.pushes_left == 0)

        s.turn = s.turn + 1

    trace = explore(cup(tip, fall), engine="interpreted").shown
    assert trace is not None
    assert trace.trace is not None
    mistaken = replace(trace.trace, model=cup(tip, fall, fly))
    words = no_return_words(with_no_return(mistaken))
    assert words.startswith("The step of no return is undecided: the model has a mistake: fly(): ")


def test_where_nothing_helps_even_at_the_start_there_is_no_step() -> None:
    """A cup at the edge from the start on, which only waits to tip."""

    def at_edge(s: Cup) -> None:
        """The cup is at the edge."""
        s.place = EDGE
        s.pushes_left = s.pushes

    standing = replace(cup(tip, fall).profile, initial=at_edge).bounded(pushes=0)
    assert (
        no_return_words(found(standing))
        == "There is no step of no return: from the start on, no steps rule out that whole is violated."
    )


def test_where_a_bound_stops_a_run_and_the_model_does_not_say_in_which_states_it_is_undecided() -> None:
    """With two leader epochs the published protocol is safe after the last election, for there can be no other."""
    jugs = found(find_profile("examples/water_jugs.py:WATER_JUGS", profiles()).bounded())
    published = profiles()["published/truncate-to-high-watermark"]
    elected = found(published.bounded(replicas=2, log_size=1, records=1, leader_epochs=2), "weak_isr")
    for trace, condition in ((jugs, "s.small < s.size(SmallLitre)"), (elected, "s.next_epoch < s.size(Epoch)")):
        assert no_return_words(trace) == (
            f"The step of no return is undecided: a bound may stop a run (`{condition}`), and no `suffices` says where."
        )


def test_a_witness_and_a_violation_at_the_start_have_no_step() -> None:
    assert found(cup(tip, prop=in_the_air)).no_return is None

    @always("The cup is not on the shelf.")
    def elsewhere(s: Cup) -> bool:
        return s.place != SHELF

    assert no_return_words(found(cup(tip, prop=elsewhere))) == ""


def test_what_is_awaited_for_ever_has_a_step_only_if_it_cannot_happen_any_more() -> None:
    """Without anybody to catch the cup it is too late once it tips; while it stands at the edge it only never happens."""
    tipped = [trace for trace in (found(cup(put_back, prop=back)), found(fallen())) if trace.loop_start is not None]
    standing, broken = tipped
    assert no_return_words(standing) == "There is no step of no return: back can still become true after the last step."
    assert step_and_rescue(broken) == (2, ["put_back()"])
    assert no_return_words(broken) == (
        "Within these bounds, step 2 is the step of no return: after it, nothing makes back true without another fault."
        " Before it, this does: put_back()."
    )


def fallen() -> Model:
    """A cup that leaves the edge in the end, since both ways to leave it are fair; and the one that nobody takes is the rescue."""
    fair = replace(back, weak=("tip", "fall"))
    return cup(tip, fall, put_back, prop=fair)


KAFKA = {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4}


def kafka(version: str, prop: str = "acked_never_lost", **settings: int | str | bool) -> Trace:
    shown = explore(profiles()[version].model(**KAFKA, **settings), properties=[prop], symmetry=True).shown
    assert shown is not None
    assert shown.trace is not None
    return with_no_return(shown.trace)


def steps_of(trace: Trace) -> list[str]:
    return [step.action.name for step in trace.steps]


def test_a_leader_that_comes_back_before_it_is_replaced_saves_what_only_it_has() -> None:
    """With acks=1 only r1 has the record. In 3.7 a broker that is back before its session ends is still leader, with its log.

    Once the controller has chosen r2, r1 will follow it and cut its log.
    """
    trace = kafka("kafka-3.7", acks="1", crashes=1)
    assert steps_of(trace) == ["produce", "crash", "fail_over", "become_leader"]
    assert step_and_rescue(trace) == (3, ["restart(replica=r1)"])


def test_without_the_restart_the_crash_is_what_counts() -> None:
    trace = kafka("kafka-3.7", acks="1", crashes=1)
    model = trace.model
    without = model.profile.replacing("kafka-3.7", "No broker comes back.", restart=None)
    dead = Model(without, model.bounds, model.settings)
    assert step_and_rescue(with_no_return(replace(trace, model=dead))) == (2, [])


def test_power_that_takes_the_last_copy_in_the_isr_is_what_counts() -> None:
    """r1 alone is in the ISR and loses what was not flushed. r3 has the record, but a clean election chooses nobody outside the ISR."""
    trace = kafka("kafka-2.7", acks="all", min_isr=2, power_losses=1)
    step, rescue = step_and_rescue(trace)
    assert steps_of(trace)[(step or 0) - 1] == "power_loss"
    assert rescue == []
    assert steps_of(trace)[-1] == "become_leader"


def test_an_unclean_election_is_decided_by_the_crash_where_a_restart_begins_with_the_end_of_the_session() -> None:
    """r1 alone is in the ISR, and another broker is alive. From 4.0 on a broker that comes back registers anew.

    The controller then first ends its old session, and elects the other at once.
    """
    trace = kafka("kafka-4.1", acks="all", min_isr=1, unclean=True, crashes=2)
    step, rescue = step_and_rescue(trace)
    assert steps_of(trace)[(step or 0) - 1 :] == ["crash", "fail_over_unclean", "become_leader"]
    assert rescue == []


def test_a_producer_that_is_never_answered_has_lost_nothing() -> None:
    """Three leader moves: a record that no leader has is only lost once it is acknowledged; before, the producer may time out."""
    trace = kafka("kafka-4.1", acks="all", min_isr=2, leader_moves=3)
    assert step_and_rescue(trace) == (14, ["time_out(value=0)"])


def test_a_fault_that_has_no_counter_is_left_out_too() -> None:
    """The controllers have lost their decision once, and lose no other."""
    trace = kafka("kafka-4.1", acks="all", min_isr=2, lost_decisions=1)
    step, rescue = step_and_rescue(trace)
    assert step is not None
    assert step > steps_of(trace).index("lose_decision") + 1
    assert not any(text.startswith("lose_decision") for text in rescue)


def by_definition(trace: Trace) -> int | None:
    """The step, as decision 52 defines it: on the graph of steps that use up no fault, by what can be reached in it."""
    model, prop = trace.model, trace.model.profile.property_named(trace.property or "")
    graph, waiting = nx.DiGraph(), list(trace.states)
    graph.add_nodes_from(waiting)
    while waiting:
        here = waiting.pop()
        for _, words in model.successors(here):
            if faults_left(model, words) == faults_left(model, here):
                waiting += [words] if words not in graph else []
                graph.add_edge(here, words)
    bad = {words for words in graph if not model.holds(prop, words)}
    risky = bad.union(*(nx.ancestors(graph, words) for words in bad))
    good = graph.subgraph(set(graph) - bad)
    hopeful = [
        number
        for number, words in enumerate(trace.states)
        if words in good and {words, *nx.descendants(good, words)} - risky
    ]
    return max(hopeful) + 1 if hopeful else None


def faults_left(model: Model, words: tuple[int, ...]) -> list[int]:
    state = model.state(words)
    return [getattr(state, fault.counter) for fault in state.faults]


@pytest.mark.parametrize(
    ("version", "settings"),
    [
        ("kafka-3.7", {"acks": "1", "crashes": 1}),
        ("kafka-3.7", {"acks": "1", "leader_moves": 1}),
        ("kafka-2.0", {"acks": "1", "power_losses": 1}),
        ("kafka-4.1", {"acks": "all", "min_isr": 1, "unclean": True, "crashes": 1}),
        ("kafka-3.9-zk", {"acks": "all", "min_isr": 1, "power_losses": 1}),
    ],
)
def test_the_search_finds_what_the_definition_says_with_and_without_kernels(
    version: str, settings: dict[str, int | str | bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 4}
    shown = explore(profiles()[version].model(**small, **settings), properties=["acked_never_lost"]).shown
    assert shown is not None
    assert shown.trace is not None
    found_here = set()
    for interpreted in (0, 10, 1_000_000):
        monkeypatch.setattr(no_return, "INTERPRETED", interpreted)
        asked = with_no_return(shown.trace).no_return
        assert asked is not None
        found_here.add((asked.step, asked.rescue))
    ((step, _),) = found_here
    assert step == by_definition(shown.trace)


def test_steps_that_a_property_forbids_are_the_same_for_kernels_and_the_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting = cup(tip, fall, wait, put_back, prop=breaks_never, about=(turns_are_only_for_waiting,), turns=400)
    trace = found(waiting, "breaks_never")
    answers = set()
    for interpreted in (0, 64, 1_000_000):
        monkeypatch.setattr(no_return, "INTERPRETED", interpreted)
        answers.add(with_no_return(trace).no_return)
    assert [answer and answer.step for answer in answers] == [2]
