"""Paths through a store: from states back to the start by their predecessors, level by level; each file is read once per level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from neverlost.explorer.search import way_through
from neverlost.explorer.symmetry import symmetry_of
from neverlost.explorer.traces.trace import Trace, replay
from neverlost.model.core import Model, Packed

from .store import Store
from .tables import parent_columns, read_columns, read_rows, word_columns


def parents(store: Store, level: int, states: Sequence[Packed]) -> dict[Packed, Packed]:
    """The least predecessor of each of some states of a level."""
    words = store.identity.words
    by_shard: dict[int, set[Packed]] = {}
    for state in states:
        by_shard.setdefault(store.shard_of(state), set()).add(state)
    found = {}
    for shard, wanted in sorted(by_shard.items()):
        firsts = np.array(sorted({state[0] for state in wanted}))
        path = store.folder / store.parts(level)[shard].path
        for columns in read_columns(path, [*word_columns(words), *parent_columns(words)]):
            here = np.isin(columns[0], firsts)
            for row in np.column_stack([column[here] for column in columns]).tolist():
                if tuple(row[:words]) in wanted:
                    found[tuple(row[:words])] = tuple(row[words:])
    return found


def ways_back(store: Store, ends: Mapping[int, Sequence[Packed]]) -> list[list[Packed]]:
    """From the start to each of some states, given by their levels: representatives, the initial one first."""
    ways: list[list[Packed]] = []
    for level in range(max(ends, default=0), -1, -1):
        ways += [[state] for state in ends.get(level, ())]
        if level > 0:
            before = parents(store, level, [way[0] for way in ways])
            ways = [[before[way[0]], *way] for way in ways]
    return ways


def sampled_traces(store: Store, model: Model, count: int, seed: int) -> list[Trace]:
    """Shortest traces to states chosen at random from the store with equal probability; the interpreter replays them."""
    symmetry = symmetry_of(model, store.identity.symmetry, [])
    traces = []
    for way in ways_back(store, _drawn(store, count, seed)):
        states, steps = way_through(model, symmetry, way)
        trace = Trace(model=model, states=tuple(states), steps=tuple(steps), symmetry=symmetry.names)
        replay(trace)
        traces.append(trace)
    return traces


def _drawn(store: Store, count: int, seed: int) -> dict[int, list[Packed]]:
    parts = [(level.level, part) for level in store.levels for part in store.parts(level.level) if part.rows]
    ends = np.cumsum([part.rows for _, part in parts])
    numbers = np.sort(np.random.default_rng(seed).integers(0, ends[-1], count))
    owners = np.searchsorted(ends, numbers, side="right")
    drawn: dict[int, list[Packed]] = {}
    for owner in np.unique(owners):
        level, part = parts[owner]
        for number in numbers[owners == owner] - (ends[owner] - part.rows):
            (rows,) = read_rows(
                store.folder / part.path, word_columns(store.identity.words), int(number), int(number) + 1
            )
            drawn.setdefault(level, []).append(tuple(int(word) for word in rows[0]))
    return drawn
