"""The tables of a store as DataFrames, against what the compiled engine and the interpreter say."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest
from command_line import Run
from fair_models import OFFICE
from pyspark.errors import PySparkException
from spark_searches import MASTER, kip_320, searched

from neverlost.explorer import Limits, Result, explore
from neverlost.explorer.stores import StoreError
from neverlost.explorer.traces.trace import replay
from neverlost.model.core import Model, NeverlostError, UnknownNameError
from neverlost.spark_explore import StateGraphTables

SMALL = kip_320(replicas=2)
OF_OFFICE = OFFICE.bounded()

pytestmark = pytest.mark.xdist_group("spark")


def tables_of(model: Model, folder: Path) -> tuple[StateGraphTables, Result]:
    searched(model, folder, until="all", keep_transitions=True)
    return StateGraphTables(folder, model, master=MASTER), explore(model, until="all")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[StateGraphTables, Result]:
    return tables_of(SMALL, tmp_path_factory.mktemp("small") / "store")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> tuple[StateGraphTables, Result]:
    return tables_of(OF_OFFICE, tmp_path_factory.mktemp("office") / "store")


def test_sql_counts_states_actions_levels_findings_and_transitions(small: tuple[StateGraphTables, Result]) -> None:
    tables, result = small
    levels = tables.sql("SELECT level, count(*) AS states FROM states GROUP BY level ORDER BY level").collect()
    assert [row.states for row in levels] == list(result.levels)
    assert {row.action: row.generated for row in tables.sql("SELECT * FROM actions").collect()} == dict(
        result.generated_by_action
    )
    verdicts = {row.property: row.verdict for row in tables.sql("SELECT property, verdict FROM findings").collect()}
    assert verdicts == {name: finding.verdict for name, finding in result.findings.items()}
    states = [tuple(row) for row in tables.sql("SELECT word_0 FROM states").collect()]
    actions = Counter(
        SMALL.steps[step].action.name for state in states for step, after in SMALL.successors(state) if after != state
    )
    kept = tables.sql("SELECT action, count(*) AS steps FROM transitions GROUP BY action").collect()
    assert {row.action: row.steps for row in kept} == actions


WRITING = [
    "CREATE TABLE kept AS SELECT * FROM states",
    "CREATE TEMPORARY VIEW states AS SELECT 1",
    "INSERT OVERWRITE DIRECTORY '{folder}/out' USING json SELECT * FROM states",
    "WITH s AS (SELECT 1) INSERT INTO levels SELECT * FROM s",
    "FROM levels INSERT OVERWRITE DIRECTORY '{folder}/out' USING json SELECT *",
    "DROP VIEW states",
    "SET spark.sql.shuffle.partitions = 1",
    "ADD JAR '{folder}/any.jar'",
    "SELECT 1; DROP VIEW states",
]


@pytest.mark.parametrize("statement", WRITING)
def test_sql_takes_queries_only_and_leaves_nothing_behind(
    small: tuple[StateGraphTables, Result], statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError if ";" not in statement else PySparkException):
        small[0].sql(statement.format(folder=tmp_path))
    assert small[0].sql("SELECT count(*) AS states FROM states -- all").collect()[0].states == small[1].distinct
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_is_for_the_search_and_not_for_spark(small: tuple[StateGraphTables, Result]) -> None:
    assert small[0].session is not None
    assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)


def test_a_query_that_is_none_is_refused_with_what_spark_says(run: Run, small: tuple[StateGraphTables, Result]) -> None:
    code, out, err = run("graph", str(small[0].folder), "sql", "SELEC 1")
    assert (code, out) == (2, "")
    assert "Spark cannot run this query: " in err
    assert "SELEC" in err


@pytest.mark.thorough
def test_variables_count_the_values_of_every_element(small: tuple[StateGraphTables, Result]) -> None:
    tables, _ = small
    states = [SMALL.state(tuple(row)) for row in tables.states.select("word_0").collect()]
    expected: Counter[tuple[str, str]] = Counter()
    for state in states:
        for declared in state.fields:
            for position in declared.positions(SMALL.bounds):
                value = declared.domain.show(state.element(declared, position), SMALL.bounds)
                expected[declared.place(position, SMALL.bounds), value] += 1
    assert {(row.variable, row.value): row.states for row in tables.variables.collect()} == expected


def test_a_witness_and_a_sample_come_as_rows_too(small: tuple[StateGraphTables, Result]) -> None:
    tables, result = small
    found = result.findings["a_record_is_committed"].trace
    assert found is not None
    rows = tables.witness("a_record_is_committed").orderBy("number").collect()
    assert [tuple(row.words) for row in rows] == list(found.states)
    assert [row.step for row in rows[1:]] == [step.show(SMALL.bounds) for step in found.steps]
    assert tables.witness("type_ok").collect() == []
    with pytest.raises(UnknownNameError, match="type_ok"):
        tables.witness("nonsense")
    traces = tables.sample(5, seed=3)
    assert tables.sampled(5, seed=3).count() == sum(len(trace.steps) for trace in traces)


def test_a_sample_is_shortest_traces(small: tuple[StateGraphTables, Result]) -> None:
    tables, _ = small
    levels = {(row.word_0,): row.level for row in tables.states.collect()}
    for trace in tables.sample(20, seed=5):
        replay(trace)
        assert levels[trace.states[-1]] == len(trace.steps)


@pytest.mark.thorough
def test_what_trimming_leaves_nothing_of_holds_and_a_lasso_is_never_trimmed_away(
    office: tuple[StateGraphTables, Result],
) -> None:
    tables, result = office
    words = [f"word_{k}" for k in range(OF_OFFICE.layout.words)]
    left = {}
    for name in ("attended_if_all_ask", "attended_at_some_time", "answered_if_weak"):
        left[name] = {tuple(row) for row in tables.trimmed(name).select(words).collect()}
        trace = result.findings[name].trace
        if trace is None:
            assert result.findings[name].verdict == "holds"
        else:
            assert set(trace.states[trace.loop_start :]) <= left[name]
    assert left["attended_if_all_ask"] == set()
    assert left["attended_at_some_time"]


def test_trimming_refuses_other_properties_and_half_a_search(
    office: tuple[StateGraphTables, Result], tmp_path: Path
) -> None:
    tables, _ = office
    with pytest.raises(NeverlostError, match="no_turning is no `eventually` property"):
        tables.trimmed("no_turning")
    searched(OF_OFFICE, tmp_path / "half", limits=Limits(depth=2))
    with pytest.raises(StoreError, match="does not have all states yet"):
        StateGraphTables(tmp_path / "half", OF_OFFICE).trimmed("let_go")
