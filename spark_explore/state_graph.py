"""The state graph of a store as Spark DataFrames, for a notebook or for `neverlost graph`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from neverlost.explorer.files.temporary import own_folder
from neverlost.explorer.result import dead_actions
from neverlost.explorer.stores.identity import StoreError, ensure_of, model_of
from neverlost.explorer.stores.manifest import generated_by
from neverlost.explorer.traces.trace import Trace
from neverlost.explorer.traces.trace_json import read_trace
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, Profile, UnknownNameError

from .manifest import read_manifest
from .paths import sampled_traces
from .session import DEFAULT_MASTER, SparkError, spark_session
from .store import Store
from .tables import word_columns
from .trimming import trimmed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WAY = {"step": pa.string(), "words": pa.list_(pa.int64())}
VIEWS = ("states", "transitions", "actions", "levels", "findings")
"""The tables of `sql`."""


class StateGraphTables:
    """The tables of a store. Each is computed on request; `model` is the model of the store.

    Raises StoreError if a file was changed, or if the store is about another model.
    """

    def __init__(self, folder: Path, model: Model, *, master: str = DEFAULT_MASTER) -> None:
        self.folder, self.model, self.master = folder, model, master
        self.store = Store.opened(folder)
        ensure_of(model, folder, self.store.identity, [level.generated for level in self.store.levels])
        self._registered = set[str]()

    @cached_property
    def session(self) -> SparkSession:
        """Spark, started for the first table."""
        return spark_session(self.master)

    @property
    def generated_by_action(self) -> Mapping[str, int]:
        """How many steps of each action could happen, in the order of the profile."""
        return dict(
            zip((action.name for action in self.model.profile.actions), generated_by(self.store.levels), strict=True)
        )

    @property
    def dead_actions(self) -> tuple[str, ...]:
        """The actions that could happen, and never did; so far, if the search is not complete."""
        return dead_actions(self.model, self.generated_by_action)

    @property
    def states(self) -> DataFrame:
        """Every state: its words, the words of its least predecessor (-1 for an initial state), level and shard."""
        return self._parquet("states")

    def _table(self, kinds: Mapping[str, pa.DataType], rows: Sequence[Sequence[Any]]) -> DataFrame:
        """Rows as a DataFrame, passed to Spark as one block."""
        columns: Sequence[Any] = list(zip(*rows, strict=True)) or [()] * len(kinds)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds.values(), strict=True)]
        return self.session.createDataFrame(pa.table(arrays, names=list(kinds)))

    def _parquet(self, table: str) -> DataFrame:
        """The files that the manifest names: files of an incomplete level are not part of the table."""
        files = [
            str(self.folder / file.path) for file in self.store.manifest.files if file.path.startswith(f"{table}/")
        ]
        return self.session.read.option("basePath", str(self.folder / table)).parquet(*files)

    @property
    def transitions(self) -> DataFrame:
        """Every step that changes something, if the search kept them: the states before and after, number and name of the step."""
        names = [
            (number, step.action.name, step.show(self.model.bounds)) for number, step in enumerate(self.model.steps)
        ]
        steps = self._table({"step": pa.int64(), "action": pa.string(), "shown": pa.string()}, names)
        return self._parquet("transitions").join(steps.hint("broadcast"), "step")

    @property
    def actions(self) -> DataFrame:
        """How many steps of each action could happen; a dead action never did."""
        dead = self.dead_actions
        rows = [(name, count, name in dead) for name, count in self.generated_by_action.items()]
        return self._table({"action": pa.string(), "generated": pa.int64(), "dead": pa.bool_()}, rows)

    @property
    def levels(self) -> DataFrame:
        """Every complete level: its states, candidates and generated states, where it ran, and its time."""
        rows = [
            (level.level, level.new, level.candidates, sum(level.generated), level.ran, level.seconds, level.bytes)
            for level in self.store.levels
        ]
        counts = dict.fromkeys(("states", "candidates", "generated"), pa.int64())
        kinds = {"level": pa.int32(), **counts, "ran": pa.string(), "seconds": pa.float64(), "bytes": pa.int64()}
        return self._table(kinds, rows)

    @property
    def findings(self) -> DataFrame:
        """Every property that was decided: verdict, violating states, and its trace as JSON."""
        return self._parquet("findings")

    @property
    def variables(self) -> DataFrame:
        """In how many states each element of each field has each value."""
        from pyspark.sql import functions as F

        counted = self.states.select(word_columns(self.model.layout.words)).mapInArrow(
            _counting(self.model), "variable string, value string, states long"
        )
        return counted.groupBy("variable", "value").agg(F.sum("states").alias("states"))

    def trace(self, name: str) -> Trace | None:
        """The trace that decides a property, if the search found one."""
        text = self._finding_of(name)["trace"]
        return None if text is None else read_trace(text, str(self.folder), lambda _: self.model.profile)

    def verdict(self, name: str) -> str:
        """The verdict on a property so far."""
        return str(self._finding_of(name)["verdict"])

    def _finding_of(self, name: str) -> dict[str, Any]:
        for row in self._findings():
            if row["property"] == name:
                return row
        raise UnknownNameError("property of this search", name, self.store.identity.decided)

    def _findings(self) -> list[dict[str, Any]]:
        if not self.store.manifest.tables:
            return [
                {"property": name, "trace": None, "verdict": Verdict.UNDECIDED} for name in self.store.identity.decided
            ]
        return list(pq.read_table(self.folder / "findings" / "findings.parquet").to_pylist())

    def witness(self, name: str) -> DataFrame:
        """The trace that decides a property, a step in each row, with the packed state that it leads to; no row without a trace."""
        trace = self.trace(name)
        steps = [] if trace is None else ["", *(step.show(self.model.bounds) for step in trace.steps)]
        states = [] if trace is None else trace.states
        rows = [(number, step, list(state)) for number, (step, state) in enumerate(zip(steps, states, strict=True))]
        return self._table({"number": pa.int32(), **WAY}, rows)

    def sample(self, count: int, seed: int = 0) -> list[Trace]:
        """Shortest traces to states chosen at random."""
        return sampled_traces(self.store, self.model, count, seed)

    def sampled(self, count: int, seed: int = 0) -> DataFrame:
        """The same, a step in each row."""
        rows = [
            (number, place, step.show(self.model.bounds), list(trace.states[place]))
            for number, trace in enumerate(self.sample(count, seed))
            for place, step in enumerate(trace.steps, start=1)
        ]
        return self._table({"trace": pa.int32(), "number": pa.int32(), **WAY}, rows)

    def trimmed(self, name: str) -> DataFrame:
        """The states in which a fair run may wait for an `eventually` forever, after trimming; if there are none, it holds."""
        if not self.store.manifest.complete:
            raise StoreError(f"{self.folder} does not have all states yet; first run `neverlost resume {self.folder}`")
        return trimmed(self.states, self.model, self.model.profile.property_named(name), own_folder() / "trimmed")

    def answer(self, query: str, most: int) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns and the first rows of the answer to a query. Raises SparkError if it cannot be run."""
        from pyspark.errors import PySparkException

        try:
            found = self.sql(query)
            return found.columns, [tuple(row) for row in found.limit(most).collect()]
        except PySparkException as error:
            raise SparkError(f"Spark cannot run this query: {str(error).strip().splitlines()[0]}") from error

    def sql(self, query: str) -> DataFrame:
        """The answer to a query; `states`, `actions`, `levels`, `findings` and, if they were kept, `transitions` are its tables.

        Raises PySparkException for a query that Spark cannot parse, StoreError for a statement that would change something.
        """
        from pyspark.errors import ParseException

        parser = self.session._jsparkSession.sessionState().sqlParser()
        parser.parsePlan(query)
        try:
            # Only a query may be in parentheses.
            parser.parsePlan(f"SELECT * FROM (\n{query}\n)")
        except ParseException:
            raise StoreError(
                "only queries are accepted, such as SELECT count(*) FROM states: nothing is written"
            ) from None
        named = set(VIEWS) & set(re.findall(r"\w+", query.lower()))
        for name in (named or set(VIEWS)) - self._registered:
            if (self.folder / name).exists() or name in ("actions", "levels"):
                getattr(self, name).createOrReplaceTempView(name)
                self._registered.add(name)
        return self.session.sql(query)


Batches = Iterator[pa.RecordBatch]


def _counting(model: Model) -> Callable[[Batches], Batches]:
    """For `mapInArrow`: counts the values of every element in the states of a task."""
    places = [
        (declared.place(position, model.bounds), slot.word, slot.shift, slot.mask, slot.size)
        for declared in model.profile.state.fields
        for slot, position in zip(model.layout.slots[declared.name], declared.positions(model.bounds), strict=True)
    ]
    shown = [
        [declared.domain.show(slot.low + value, model.bounds) for value in range(slot.size)]
        for declared in model.profile.state.fields
        for slot in model.layout.slots[declared.name]
    ]

    def task(batches: Batches) -> Batches:
        counts = [np.zeros(size, np.int64) for *_, size in places]
        for batch in batches:
            words = [batch.column(k).to_numpy() for k in range(batch.num_columns)]
            for place, (_, word, shift, mask, size) in enumerate(places):
                counts[place] += np.bincount(words[word] >> shift & mask, minlength=size)
        rows = [
            (name, text, int(n))
            for (name, *_), texts, count in zip(places, shown, counts, strict=True)
            for text, n in zip(texts, count, strict=True)
            if n
        ]
        columns: Sequence[Any] = list(zip(*rows, strict=True)) or [(), (), ()]
        kinds = (pa.string(), pa.string(), pa.int64())
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=["variable", "value", "states"])

    return task


def open_tables(
    folder: Path, profile_named: Callable[[str], Profile], *, master: str = DEFAULT_MASTER
) -> StateGraphTables:
    """The tables of a store; `profile_named` finds the profile that the store names. Raises StoreError."""
    manifest = read_manifest(folder)
    if not manifest.levels:
        raise StoreError(f"{folder} has no level yet; neverlost resume {quote(str(folder))} continues the search")
    return StateGraphTables(folder, model_of(manifest.identity, folder, profile_named), master=master)
