"""The Spark engine: levels as Parquet, made by tasks in the driver or on Spark, and committed one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from neverlost.explorer.compile.cache import loaded_kernel
from neverlost.explorer.compile.generate import candidates_source, kernel_source, numbered_properties
from neverlost.explorer.compile.graph_kernel import GraphKernel
from neverlost.explorer.engines.compiled_graph import CompiledGraph, indexed
from neverlost.explorer.engines.engine import Stopped, Tally, Tick, at_depth
from neverlost.explorer.engines.graph import StateGraph
from neverlost.explorer.engines.hashing import MASK, state_hash
from neverlost.explorer.files.whole_file import write_whole
from neverlost.explorer.stores.identity import REMEDY, StoreError
from neverlost.explorer.stores.manifest import Tallied, digest_of, generated_by, kept_tallies, tallies_of
from neverlost.explorer.symmetry import Symmetry
from neverlost.model.core import Model, ModelError, Packed, Property

from .candidates import Counts, LevelWork, new_path, source_path
from .manifest import LevelRecord
from .runners import DriverRunner, LevelRun, SparkRunner, Watching
from .session import DEFAULT_MASTER, in_this_process
from .store import Store
from .tables import NO_PARENT, Words, Written, parent_columns, read_rows, word_columns, write_states

FRONTIER_WEIGHT = 57
"""Expanding a state and merging what it leads to costs about as much as reading so many known ones: 570 ns and 10 ns on two cores."""

LOCAL_WORK = 19_000_000
"""Levels with less work than this run in the driver: two cores do it in the 0.19 s that Spark takes to plan a level."""


class Runner(Protocol):
    """Runs the tasks of a level."""

    name: str
    workers: int

    def run(self, work: LevelWork, watching: Watching) -> LevelRun:
        """Make the next level."""


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """Where and how a search runs; no result depends on it.

    `local_work` bounds the levels that the driver does itself: known states, and 57 for each of the frontier. `by_files`
    says whether candidates go from task to task in files of the store, not through Spark; by default if all runs on one machine.
    `alone` says that this process uses Spark only for this search. `committed` is called with each complete level.
    """

    store: Path
    master: str = DEFAULT_MASTER
    local_work: int = LOCAL_WORK
    by_files: bool | None = None
    alone: bool = False
    committed: Callable[[LevelRecord, Store], None] = lambda level, store: None


class SparkEngine:
    """Explores with a store; levels in the store are not computed again. Raises ModelError as the compiled engine does."""

    name = "spark"

    def __init__(
        self,
        model: Model,
        properties: Sequence[Property],
        symmetry: Symmetry,
        store: Store,
        options: SparkOptions,
    ) -> None:
        self.model, self.symmetry, self.store, self.options = model, symmetry, store, options
        self.on_one_machine = in_this_process(options.master)
        self.by_files = self.on_one_machine if options.by_files is None else options.by_files
        self.state_properties = [p for p in properties if p.over_states]
        self.step_properties = [p for p in properties if p.over_steps]
        over_states, over_steps = numbered_properties(model)
        self.state_numbers = {over_states.index(p): p for p in self.state_properties}
        self.step_numbers = {over_steps.index(p): p for p in self.step_properties}
        self.texts = (kernel_source(model, symmetry), candidates_source(model.layout.words))
        self.edges_text = GraphKernel(model).text() if store.identity.keep_transitions else None
        texts = [*self.texts, *([self.edges_text] if self.edges_text is not None else [])]
        self.compile_seconds = sum(loaded_kernel(text)[1] for text in texts)
        for text in texts:
            write_whole(store.folder / source_path(text), text.encode())
        self.driver = DriverRunner()
        self.workers = self.driver.workers
        self.spark: SparkRunner | None = None
        self.spark_seconds = 0.0
        self.step_tallies = [Tally() for _ in self.step_properties]
        # The last level that the search has got: while it goes through a resumed store, the store has more.
        self.reached = -1

    @property
    def reported(self) -> Sequence[LevelRecord]:
        """The levels that the search has got."""
        return self.store.levels[: self.reached + 1]

    @property
    def digest(self) -> int:
        return digest_of(self.reported)

    @property
    def generated(self) -> list[int]:
        return generated_by(self.reported)

    def start(self, initial: Sequence[Packed]) -> int:
        if not self.store.levels:
            self._commit_initial(initial)
        self.reached = 0
        return self.store.levels[0].new

    def _commit_initial(self, initial: Sequence[Packed]) -> None:
        started = time.perf_counter()
        by_shard: dict[int, list[Packed]] = {}
        for words in initial:
            by_shard.setdefault(self.store.shard_of(words), []).append(words)
        files = []
        for shard, states in sorted(by_shard.items()):
            rows = np.array(states, np.int64)
            path = new_path("states", 0, shard)
            columns = np.concatenate([rows.T, np.full_like(rows.T, NO_PARENT)])
            files.append(write_states(self.store.folder, path, columns))
        rows = np.array(initial, np.int64)
        decided = Counts.none(_bits(self.state_numbers), self.model.layout.words)
        if self.state_numbers:
            self.kernel.evaluate(
                rows,
                0,
                len(rows),
                decided.counts,
                decided.least,
                decided.flaw,
                *self._settings,
                _bits(self.state_numbers),
            )
        if decided.flaw[0]:
            self._blame_level(0)
        self.store.commit(
            LevelRecord(
                level=0,
                ran=self.driver.name,
                frontier=0,
                candidates=len(initial),
                new=len(initial),
                digest=sum(state_hash(words) for words in initial) & MASK,
                generated=[0] * len(self.model.profile.actions),
                seconds=time.perf_counter() - started,
                shuffled_bytes=0,
                state_tallies=_tallied([decided.values()], self.state_numbers),
                step_tallies={},
                files=files,
            )
        )

    @property
    def kernel(self) -> Any:
        return loaded_kernel(self.texts[0])[0]

    @property
    def _settings(self) -> Packed:
        return self.model.layout.pack_settings()

    def expand(self, tick: Tick) -> int:
        level = self.reached
        self.step_tallies = [Tally() for _ in self.step_properties]
        distinct = sum(record.new for record in self.reported)
        if level + 1 == len(self.store.levels):
            frontier = self.store.levels[level].new
            tick(0, distinct, 0)
            record = self._made(level, lambda share: tick(int(share * frontier), distinct, 0))
            self.store.commit(record)
            self.options.committed(record, self.store)
        else:
            tick(0, distinct, 0)
        self.reached = level + 1
        record = self.store.levels[self.reached]
        self.step_tallies = tallies_of(self.step_properties, record.step_tallies)
        return record.new

    def _made(self, level: int, watching: Watching) -> LevelRecord:
        """Write the level after `level`. The files of an interrupted attempt are removed."""
        work = self.work(level)
        runner = self._runner(work)
        started = time.perf_counter()
        try:
            ran = runner.run(work, watching)
        except (Stopped, KeyboardInterrupt):
            self.store.remove_leftovers()
            raise
        finally:
            self.store.discard("exchange")
        expanded = [note for note in ran.notes if "generated" in note]
        merged = [note for note in ran.notes if "shard" in note]
        self._refuse_flaws(level, expanded, merged)
        files = [Written(**note["file"]) for note in merged if note["file"] is not None]
        steps = [Written(**file) for note in expanded for file in note["files"]]
        return LevelRecord(
            level=level + 1,
            ran=runner.name,
            frontier=self.store.levels[level].new,
            candidates=sum(note["candidates"] for note in expanded),
            new=sum(file.rows for file in files),
            digest=sum(note["digest"] for note in merged) & MASK,
            generated=[sum(counts) for counts in zip(*(note["generated"] for note in expanded), strict=True)],
            seconds=time.perf_counter() - started,
            shuffled_bytes=ran.shuffled_bytes,
            state_tallies=_tallied([note["state_tallies"] for note in merged], self.state_numbers),
            step_tallies=_tallied([note["step_tallies"] for note in expanded], self.step_numbers),
            files=sorted([*files, *steps], key=lambda file: file.path),
        )

    def _runner(self, work: LevelWork) -> Runner:
        known = sum(map(sum, work.rows))
        if known + FRONTIER_WEIGHT * sum(work.rows[work.level]) <= self.options.local_work:
            return self.driver
        if self.spark is None:
            self.spark = SparkRunner(self.options.master, self.by_files, self.options.alone, work)
            self.workers, self.spark_seconds = self.spark.workers, self.spark.seconds
            self.compile_seconds += self.spark_seconds
        return self.spark

    def work(self, level: int) -> LevelWork:
        """All that tasks need to make the level after `level`."""
        parts = [self.store.parts(record.level) for record in self.store.levels]
        return LevelWork(
            store=str(self.store.folder.resolve()),
            level=level,
            words=self.model.layout.words,
            shards=self.store.identity.shards,
            kernel_text=source_path(self.texts[0]),
            candidates_text=source_path(self.texts[1]),
            edges_text=None if self.edges_text is None else source_path(self.edges_text),
            actions=len(self.model.profile.actions),
            settings=self._settings,
            steps_wanted=_bits(self.step_numbers),
            states_wanted=_bits(self.state_numbers),
            rows=tuple(tuple(file.rows for file in files) for files in parts),
            paths=tuple(tuple(file.path for file in files) for files in parts),
            expected=self._expected(level),
        )

    def _expected(self, level: int) -> int:
        """How many candidates a shard may get from a level, estimated from the level before."""
        last = self.store.levels[level]
        return int(1.5 * last.new * max(1.0, last.candidates / max(1, last.frontier)) / self.store.identity.shards)

    def _refuse_flaws(self, level: int, expanded: Sequence[dict[str, Any]], merged: Sequence[dict[str, Any]]) -> None:
        """Raise the interpreter's error for a state in which a kernel found an index or a value outside its domain."""
        for shard, begin, end in (flaw for note in expanded for flaw in note["flaws"]):
            path = self.store.folder / self.store.parts(level)[shard].path
            for rows in read_rows(path, word_columns(self.model.layout.words), begin, end):
                self._interpret(rows, level)
            raise AssertionError(
                "the kernel reports an index or a value outside its domain; the interpreter finds none"
            )
        if any(note["flaw"] for note in merged):
            self._blame_level(level + 1)

    def _blame_level(self, level: int) -> None:
        for path in sorted(self.store.folder.glob(f"states/level={level}/shard=*/states.parquet")):
            for rows in read_rows(path, word_columns(self.model.layout.words)):
                self._interpret(rows, level)
        raise ModelError(
            "a property reads an index outside its domain, or grows beyond what the compiled kernel can hold"
        )

    def _interpret(self, rows: Words, depth: int) -> None:
        """Run every step and property on some states. Raises the interpreter's error."""
        for row in rows:
            words = tuple(int(word) for word in row)
            with at_depth(depth, words):
                for _, after in self.model.successors(words):
                    for prop in self.step_properties:
                        self.model.holds(prop, words, after)
                for prop in self.state_properties:
                    self.model.holds(prop, words)

    def evaluate(self, level: int) -> list[Tally]:
        kept = self.store.levels[level].state_tallies if level <= self.reached else {}
        return tallies_of(self.state_properties, kept)

    def whole(self, level: int) -> int | None:
        if not self.symmetry.keeps_start:
            return None
        if not self.symmetry.names:
            return self.store.levels[level].new
        found, words = np.zeros(len(self.symmetry.renamings) + 1, np.int64), self.model.layout.words
        for path in self.store.states_files(level):
            for rows in read_rows(path, word_columns(words)):
                self.kernel.renamings_keeping(np.ascontiguousarray(rows), 0, len(rows), found)
        return self.symmetry.states_of_classes(found)

    def has(self, level: int, target: Packed) -> bool:
        return len(self.store.block_with(level, target, ["word_0"])) == 1

    def predecessor(self, level: int, target: Packed) -> Packed:
        found = self.store.block_with(level + 1, target, parent_columns(self.model.layout.words))
        if not len(found):
            raise StoreError(f"{self.store.folder} has no state {target} on level {level + 1}. {REMEDY}")
        return tuple(int(word) for word in found[0])

    def states(self) -> list[npt.NDArray[np.int64]]:
        names = word_columns(self.model.layout.words)
        files = [path for level in self.reported for path in self.store.states_files(level.level)]
        return [rows for path in files for rows in read_rows(path, names)]

    def graph(self) -> StateGraph:
        """The graph of all states, held by the driver: some 25 bytes a state."""
        words = self.model.layout.words
        levels = [
            [rows for path in self.store.states_files(level.level) for rows in read_rows(path, word_columns(words))]
            for level in self.reported
        ]
        return CompiledGraph(self.model, [indexed(levels, words)], lambda work: work(0))


def _bits(numbers: Mapping[int, Property]) -> int:
    return sum(1 << number for number in numbers)


def _tallied(parts: Sequence[Mapping[str, Any]], numbers: Mapping[int, Property]) -> dict[str, Tallied]:
    """The tallies of all tasks together."""
    tallies = {number: Tally() for number in numbers}
    for part in parts:
        for number, (count, least) in part.items():
            tallies[int(number)].add(count, tuple(least))
    return kept_tallies(list(numbers.values()), list(tallies.values()))
