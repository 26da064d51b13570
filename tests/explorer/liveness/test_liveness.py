"""`eventually` under fairness: textbook verdicts, an oracle that goes by the definition, and one answer from every engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fair_models import FAIR_PROFILES, OFFICE, VERDICTS, Office, answered_if_weak, first_waits, look_around, no_turning
from graph_models import Graph, random_graph, shortest_stem
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import small_model
from written_models import written

from neverlost.explorer.engines.compiled import CompiledEngine
from neverlost.explorer.engines.graph import StateGraph
from neverlost.explorer.engines.interpreted import InterpretedEngine
from neverlost.explorer.liveness import deciding as liveness
from neverlost.explorer.liveness.deciding import Lasso, find_lasso
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symmetry import Symmetry
from neverlost.model.core import (
    LanguageError,
    Model,
    ModelError,
    Packed,
    Profile,
    Property,
    SymmetryError,
    UnknownNameError,
    always,
    eventually,
)
from neverlost.model.published.base import Partition
from neverlost.model.published.replicated_log import Logs
from neverlost.spec.published.profiles import KIP_320, REPLICATED_LOG

TINY = {"replicas": 2, "log_size": 2, "records": 2, "leader_epochs": 2}
ENGINES = [("interpreted", 1), ("compiled", 1), ("compiled", 2), ("compiled", 3)]


def answers(result: Result) -> dict[str, object]:
    return {
        name: (f.verdict, f.trace and (f.trace.states, f.trace.steps, f.trace.loop_start))
        for name, f in result.findings.items()
    }


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
@pytest.mark.parametrize("profile", FAIR_PROFILES, ids=lambda p: p.name.split("/")[1])
def test_the_verdicts_are_those_of_the_textbooks(profile: Profile, engine: str, workers: int) -> None:
    result = explore(profile.bounded(), engine=engine, workers=workers, until="all")
    assert {name: finding.verdict for name, finding in result.findings.items()} == VERDICTS[profile.name]
    assert result.complete
    assert result.exit_code == 1
    assert answers(result) == answers(explore(profile.bounded(), engine="interpreted", until="all"))


@given(st.integers(0, 1 << 40))
@settings(max_examples=80)
def test_a_violation_is_found_exactly_where_the_definition_has_one_and_as_soon(number: int) -> None:
    graph = random_graph(number)
    findings = explore(graph.model(), engine="interpreted", until="all").findings
    for name, from_start in (("wait_ends", False), ("settled_at_some_time", True)):
        trace, expected = findings[name].trace, shortest_stem(graph, from_start)
        assert (None if trace is None else trace.loop_start) == expected
        assert findings[name].verdict == ("holds" if expected is None else "violated")


def test_the_random_graphs_are_of_every_sort() -> None:
    graphs = [random_graph(number) for number in range(200)]
    found = [explore(graph.model(), engine="interpreted", until="all").findings["wait_ends"] for graph in graphs]
    traces = [finding.trace for finding in found if finding.trace is not None]
    assert 20 < len(traces) < 180
    assert sum(len(trace.steps) - (trace.loop_start or 0) > 1 for trace in traces) > 10
    assert sum(len(trace.steps) == trace.loop_start for trace in traces) > 10


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_engine_finds_the_same_lasso(workers: int) -> None:
    for number in range(24):
        model = random_graph(number).model()
        expected = answers(explore(model, engine="interpreted", until="all"))
        assert answers(explore(model, workers=workers, until="all")) == expected, number


def test_strong_fairness_looks_again_at_what_is_left_of_a_component() -> None:
    """0, 1 and 2 are connected; from 1 a strongly fair step leads away, so a fair run leaves 1 alone: 0 and 2 are no loop."""
    ring = {("free", 0, 0): 1, ("free", 0, 1): 2, ("free", 0, 2): 0, ("strong", 0, 1): 3}
    apart = Graph(edges={**ring, ("weak", 0, 0): 1, ("weak", 0, 2): 0}, begins=frozenset({0}), settles=frozenset({3}))
    joined = Graph(
        edges={**apart.edges, ("weak", 0, 2): 0, ("free", 1, 0): 2}, begins=apart.begins, settles=apart.settles
    )
    assert explore(apart.model(), engine="interpreted").findings["wait_ends"].verdict == "holds"
    trace = explore(joined.model(), engine="interpreted", properties=["wait_ends"]).findings["wait_ends"].trace
    assert trace is not None
    assert [s["at"] for s in (state.values() for state in trace.unpacked())] == [0, 2, 0]


def all_states(graph: StateGraph) -> list[Packed]:
    return [tuple(map(int, row)) for row in graph.packed(np.arange(graph.count))]


def all_levels(graph: StateGraph) -> dict[Packed, int]:
    return dict(zip(all_states(graph), graph.levels(np.arange(graph.count)).tolist(), strict=True))


def all_edges(graph: StateGraph) -> set[tuple[Packed, int, Packed]]:
    """Every edge, in terms that do not depend on an engine's numbers."""
    edges, states = graph.edges(np.arange(graph.count)), all_states(graph)
    found = zip(edges.sources.tolist(), edges.steps.tolist(), edges.targets.tolist(), strict=True)
    return {(states[source], step, states[target]) for source, step, target in found}


@eventually("It is so.")
def true_of_partitions(s: Partition) -> bool:
    return True


@eventually("It is so.")
def true_of_logs(s: Logs) -> bool:
    return True


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("profile", "prop"), [(KIP_320, true_of_partitions), (REPLICATED_LOG, true_of_logs)])
def test_the_kernel_makes_every_edge_that_the_interpreter_makes(profile: Profile, prop: Property, workers: int) -> None:
    changed = profile.replacing("test/live", "", properties=(prop,), probes=())
    model = changed.bounded(**TINY if profile is KIP_320 else small_model(profile).bounds)
    expected = InterpretedEngine(model, model.profile.properties, Symmetry(model))
    found = CompiledEngine(model, model.profile.properties, Symmetry(model), workers)
    for engine in (expected, found):
        engine.start(model.initial_states())
        while engine.expand(lambda *_: None):
            pass
    assert all_edges(found.graph()) == all_edges(expected.graph())
    assert all_levels(found.graph()) == all_levels(expected.graph())


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_what_a_cut_short_search_did_not_see_is_undecided(engine: str) -> None:
    result = explore(OFFICE.bounded(), engine=engine, until="all", limits=Limits(depth=2))
    assert {f.verdict for f in result.findings.values() if f.property.over_runs} == {"undecided"}


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_decision_that_is_interrupted_leaves_the_property_undecided(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def noted(graph: StateGraph, model: Model, prop: Property, tick: Callable[[int], None]) -> Lasso | None:
        begun.append(prop.name)
        return find_lasso(graph, model, prop, tick)

    monkeypatch.setattr(liveness, "find_lasso", noted)
    result = explore(OFFICE.bounded(), engine=engine, until="all", watch=Watch(interrupted=lambda: bool(begun)))
    assert (result.complete, result.stopped_by, result.distinct) == (True, "interrupt", 8)
    assert result.findings["answered_if_weak"].verdict == "undecided"
    assert result.findings["attends_to_one_who_waits"].verdict == "holds"


@always("Nobody waits.")
def nobody_waits(s: Office) -> bool:
    return not s.waiting[0]


def test_a_violation_that_ends_the_search_leaves_the_rest_undecided() -> None:
    model = OFFICE.replacing("test/stops", "", properties=(nobody_waits, answered_if_weak)).bounded()
    findings = explore(model, engine="interpreted").findings
    assert {n: f.verdict for n, f in findings.items()} == {"nobody_waits": "violated", "answered_if_weak": "undecided"}
    assert explore(model, engine="interpreted", until="all").findings["answered_if_weak"].verdict == "violated"


def test_symmetry_is_refused_where_fairness_is_about_each_member() -> None:
    alike = REPLICATED_LOG.replacing("test/live", "", probes=(true_of_logs,))
    with pytest.raises(
        SymmetryError, match="true_of_logs cannot be decided with symmetry: fairness is about each step"
    ):
        explore(alike.bounded(), symmetry=True)
    assert explore(alike.bounded(), symmetry=True, properties=["type_ok"], engine="interpreted").verdict == "holds"


def test_an_action_that_the_profile_does_not_have_cannot_be_fair() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no action of test/office, which answered_if_weak calls fair, is named 'answer'"
    ):
        OFFICE.replacing("test/office", "", answer=None, properties=(answered_if_weak,))


def test_actions_are_named_by_themselves_or_by_their_names_one_or_several() -> None:
    named = eventually("", weak="attend", strong=["answer", look_around, "answer"])(first_waits)
    assert (named.weak, named.strong) == (("attend",), ("answer", "look_around"))


def test_what_begins_the_wait_must_be_about_one_state() -> None:
    with pytest.raises(
        ModelError, match="`after` is no_turning, which is step_always; it must be a predicate over one"
    ):
        eventually("", after=no_turning)


BROKEN = """
def waits(s: Boxes) -> bool:
    return [box for box in TABLE] == []

@eventually("It ends.", after=waits)
def ends(s: Boxes) -> bool:
    return s.ball[0]
"""


def test_what_begins_the_wait_must_be_model_python_too(tmp_path: Path) -> None:
    module = written(tmp_path, "def initial(s: Boxes) -> None:\n    s.count = 0\n" + BROKEN)
    with pytest.raises(LanguageError, match="waits uses"):
        Profile(
            name="broken",
            statement="",
            state=module.Boxes,
            initial=module.initial,
            actions=(),
            properties=(module.ends,),
            default_bounds={"boxes": 2},
        )


PEEKING = """
def initial(s: Boxes) -> None:
    s.count = 0

@action("a rule")
def up(s: Boxes) -> None:
    require(s.count < s.size(Box))

    s.count += 1

def beyond(s: Boxes) -> bool:
    return s.ball[s.count]

@eventually("It ends.", after=beyond)
def ends(s: Boxes) -> bool:
    return False
"""


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_predicate_that_looks_outside_a_domain_is_named(engine: str, tmp_path: Path) -> None:
    module = written(tmp_path, PEEKING)
    profile = Profile(
        name="peeking",
        statement="",
        state=module.Boxes,
        initial=module.initial,
        actions=(module.up,),
        properties=(module.ends,),
        default_bounds={"boxes": 2},
    )
    with pytest.raises(ModelError, match=r"2 steps from the start: ball\[2\] was used, but Box is 0\.\.1"):
        explore(profile.bounded(), engine=engine)
