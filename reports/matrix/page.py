"""The matrix as a page: for each configuration a time line of releases, coloured by how much it takes; a cell opens its story."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.traces.commands import check_words
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Budget, Model, Profile
from neverlost.model.core.profile import show_bounds
from neverlost.spec.families import family_of
from neverlost.spec.kafka.releases import EITHER, RELEASES, ReleaseSpan
from neverlost.spec.matrix import Cell, Matrix
from neverlost.studies.searched_matrix import SearchedMatrix

from ..pages.page import filled, whole_page
from ..trace.page import conditions, story_section, symbols
from .as_text import cell_text, cells_legend, counts

LEVELS = 5
"""How many colours there are for what takes few and what takes many steps."""

Words = tuple[str, ...]


@dataclass
class _Stories:
    """Every story once: cells that come to the same loss by the same states share it."""

    matrix: Matrix
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    written: list[dict[str, Any]] = field(default_factory=list)

    def number(self, cell: Cell, answer: Answer, model: Model) -> int:
        assert answer.trace is not None
        trace = answer.trace
        key = (tuple(step.show(model.bounds) for step in trace.steps), tuple(map(str, _shown(trace))))
        if key not in self.numbers:
            budgets = {budget.name: budget for budget in cell.version.budgets}
            self.numbers[key] = number = len(self.numbers) + 1
            self.written.append(
                {
                    "number": number,
                    "steps": answer.steps,
                    "sentence": sentence(trace),
                    "where": f"{_short(cell.version)}, {_label(self.matrix, cell.column, budgets)}",
                    "conditions": conditions(trace.model),
                    "section": story_section(trace, f"story-{number}-step", with_fields=False),
                    "command": check_words(model, self.matrix.asks),
                }
            )
        return self.numbers[key]


def _shown(trace: Any) -> list[Any]:
    """The states without what only counts what may still happen, so that cells with other budgets share a story."""
    return [
        [(name, value) for name, value in state.values().items() if name not in trace.model.profile.counters]
        for state in trace.unpacked()
    ]


@dataclass(frozen=True)
class _Shown:
    """What a cell shows: its text, its class, and the number of its story, if it has one."""

    text: str
    tone: str
    story: int | None


@dataclass(frozen=True)
class _Scale:
    """Which numbers of steps have which colour: ranges of one width, the darkest for the fewest steps."""

    fewest: int
    most: int

    @classmethod
    def of(cls, found: Mapping[Cell, Answer]) -> _Scale:
        steps = [answer.steps or 0 for answer in found.values() if answer.verdict == Verdict.VIOLATED]
        return cls(min(steps, default=0), max(steps, default=0))

    def level(self, steps: int) -> int:
        """From 1, which takes little, to LEVELS."""
        return 1 + (steps - self.fewest) * LEVELS // (self.most - self.fewest + 1)

    def ranges(self) -> dict[int, str]:
        """Each colour that some number of steps has, with its range in words."""
        numbers: dict[int, list[int]] = {}
        for steps in range(self.fewest, self.most + 1):
            numbers.setdefault(self.level(steps), []).append(steps)
        return {n: f"{of[0]}" if len(of) == 1 else f"{of[0]} to {of[-1]}" for n, of in numbers.items()}


def matrix_html(searched: SearchedMatrix) -> str:
    """The page: one file that needs no other."""
    matrix, found, models = searched.matrix, searched.found, searched.models
    stories, scale = _Stories(matrix), _Scale.of(found)
    shown = {cell: _cell(cell, answer, models[cell], stories, scale) for cell, answer in found.items()}
    versions = list({cell.version.name: cell.version for cell in found}.values())
    axes = [list(dict.fromkeys(cell.words[at] for cell in found)) for at in range(len(matrix.axes))]
    opens = [
        {value: axis.opens not in values or value == axis.opens for value in values}
        for axis, values in zip(matrix.axes, axes, strict=True)
    ]
    filters = [{"name": axis.label, "values": values} for axis, values in zip(matrix.axes, opens, strict=True)]
    body = filled(
        "matrix/matrix.html.j2",
        heading=matrix.question,
        bounds=show_bounds(next(iter(models.values())).bounds),
        summary=counts(found),
        legend=f"{cells_legend(matrix)} {matrix.meaning}".strip(),
        note=matrix.note,
        scale=scale.ranges() if stories.written else {},
        tones={one.tone: one.text for one in shown.values() if one.story is None},
        symbols=symbols(*models.values()),
        filters=filters,
        hides=not all(all(values.values()) for values in opens),
        modes=[(mode, len(list(same))) for mode, same in groupby(map(_mode, versions))],
        named_modes=not {*map(_mode, versions)} <= {"", EITHER},
        versions=[{"name": _short(one), "releases": _releases(one, versions)} for one in versions],
        blocks=_blocks(matrix, shown, versions),
        stories=stories.written,
    )
    return whole_page(
        matrix.question, body, scripts=["trace/story.js", "matrix/matrix.js"], styles=["matrix/matrix.css"]
    )


def _cell(cell: Cell, answer: Answer, model: Model, stories: _Stories, scale: _Scale) -> _Shown:
    if answer.verdict == Verdict.VIOLATED:
        return _Shown(cell_text(answer), f"heat-{scale.level(answer.steps or 0)}", stories.number(cell, answer, model))
    tones = {Verdict.HOLDS: "ok hidden" if answer.hidden else "ok", Verdict.UNDECIDED: "undecided"}
    return _Shown(cell_text(answer), tones[answer.verdict], None)


def _blocks(matrix: Matrix, shown: Mapping[Cell, _Shown], versions: Sequence[Profile]) -> list[dict[str, Any]]:
    """A table for each configuration; those that come out alike share one."""
    tables: dict[tuple[Any, ...], list[Words]] = {}
    titles = {cell.words: cell.title for cell in shown}
    for words in titles:
        of_words = {(cell.version.name, cell.column): one for cell, one in shown.items() if cell.words == words}
        tables.setdefault(tuple(_rows(matrix, of_words, versions).items()), []).append(words)
    modes = [_mode(version) for version in versions]
    return [
        {
            "words": json.dumps(alike),
            "titles": [titles[words] for words in alike],
            "rows": [
                {"labels": labels, "texts": json.dumps([one.text for one in cells]), "spans": _spans(cells, modes)}
                for cells, labels in rows
            ],
        }
        for rows, alike in tables.items()
    ]


def _rows(
    matrix: Matrix, of_words: Mapping[tuple[str, tuple[str, int]], _Shown], versions: Sequence[Profile]
) -> dict[tuple[_Shown, ...], tuple[str, ...]]:
    """The cells of each set of faults, version by version, with the names of all sets that come out alike."""
    budgets = {budget.name: budget for budget in versions[0].budgets}
    rows: dict[tuple[_Shown, ...], tuple[str, ...]] = {}
    for column in matrix.columns:
        cells = tuple(of_words[version.name, column] for version in versions)
        rows[cells] = (*rows.get(cells, ()), _label(matrix, column, budgets))
    return rows


def _label(matrix: Matrix, column: tuple[str, int], budgets: Mapping[str, Budget]) -> str:
    """A set of faults in words: `1 crash, 1 leader move`."""
    faults, count = column
    if not count:
        return faults
    beside = budgets[matrix.beside].words(count)
    return f"{faults}, {beside}" if matrix.faults[faults] else beside


def _spans(cells: Sequence[_Shown], modes: Sequence[str]) -> list[dict[str, Any]]:
    """Neighbours that are alike, as one cell; releases with ZooKeeper and with KRaft are no neighbours."""
    grouped = groupby(zip(cells, modes, strict=True))
    return [{"cell": cell, "width": len(list(same))} for (cell, _), same in grouped]


def _short(version: Profile) -> str:
    return version.name.removeprefix(family_of(version).beginning)


def _span(version: Profile) -> ReleaseSpan | None:
    time_line = family_of(version).time_line()
    return None if time_line is None else time_line.spans.get(version.name)


def _mode(version: Profile) -> str:
    """With what the releases run that a version stands for; empty if it stands for none."""
    span = _span(version)
    return "" if span is None else span.mode


def _releases(version: Profile, others: Sequence[Profile]) -> str:
    """The releases that a version stands for: its own, and those of versions that go the same ways and have no column."""
    family, shown = family_of(version), {other.name for other in others}
    alike = [one for one in family.versions() if one.name not in shown and family.like(one).name == version.name]
    spans = [span for one in (version, *alike) if (span := _span(one)) is not None and span.mode == _mode(version)]
    ranges: list[list[str]] = []
    for span in sorted(spans, key=lambda span: RELEASES.index(span.first)):
        if ranges and RELEASES.index(span.first) == RELEASES.index(ranges[-1][1]) + 1:
            ranges[-1][1] = span.last
        else:
            ranges.append([span.first, span.last])
    return ", ".join(first if first == last else f"{first} to {last}" for first, last in ranges)
