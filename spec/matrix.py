"""A matrix: one question to every version of a family, under the settings that users choose, with small sets of faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from neverlost.model.core import Model, Profile, UnknownNameError


def listed(words: Sequence[str]) -> str:
    """Several alternatives in words: `epochs, log size or directory ids`."""
    *others, last = words or [""]
    return f"{', '.join(others)} or {last}" if others else last


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A setting that users choose: its values by the words for them, and which of these are asked for unless others are named.

    `label` stands above its column, `title` in the heading of a section, with {} for the words. `opens` is the value that a page shows
    at first; all of them if there is none.
    """

    setting: str
    values: Mapping[str, int]
    usual: tuple[str, ...]
    label: str
    title: str
    opens: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """A family's question, the property that it `asks` about, and what it is asked of.

    A column is one of the `faults`, with each number in `times` of the budget `beside`; `short` are labels for narrow columns, and
    `other` is the label of those that have none, and `of_times` what is counted beside them. `violation` is what a violated cell has
    found; `legend` says what the columns mean, and `note` what else may be asked. `meaning` says of faults and
    settings what their names do not; a page shows it.
    """

    question: str
    asks: str
    violation: str
    versions: tuple[Profile, ...]
    axes: tuple[Axis, ...]
    faults: Mapping[str, Mapping[str, int]]
    short: Mapping[str, str]
    other: str
    beside: str
    times: tuple[int, ...]
    of_times: str
    legend: str
    note: str
    meaning: str = ""

    @property
    def ran_out(self) -> str:
        """What the bounds of a cell may run out of: `leader epochs`."""
        return listed([prop.runs_out or "" for prop in self.versions[0].about_bounds])

    @property
    def larger_bounds(self) -> tuple[str, ...]:
        """The bounds to raise where a cell ran out of something."""
        (version, *_) = self.versions
        names = [(prop.runs_out or "").replace(" ", "_") for prop in version.about_bounds]
        return tuple(name for name in names if name in version.bound_names)

    @property
    def columns(self) -> list[tuple[str, int]]:
        """Every set of faults, with every number of what comes beside it."""
        return [(faults, count) for faults in self.faults for count in self.times]

    def cells(
        self, chosen: Mapping[str, Sequence[str]] | None = None, versions: Sequence[Profile] | None = None
    ) -> tuple[Cell, ...]:
        """Every cell, row by row, for the values of settings that are chosen in words. Raises UnknownNameError for other words."""
        axes = [self._words(axis, (chosen or {}).get(axis.setting)) for axis in self.axes]
        every = product(product(*axes), versions or self.versions, self.columns)
        return tuple(
            Cell(matrix=self, words=words, version=version, faults=faults, count=count)
            for words, version, (faults, count) in every
        )

    @staticmethod
    def _words(axis: Axis, chosen: Sequence[str] | None) -> tuple[str, ...]:
        for word in chosen or ():
            if word not in axis.values:
                raise UnknownNameError(axis.label, word, axis.values)
        return tuple(dict.fromkeys(chosen)) if chosen else axis.usual


@dataclass(frozen=True, kw_only=True, eq=False)
class Cell:
    """One question of a matrix: a version, what is configured in words, and which faults happen at most."""

    matrix: Matrix
    words: tuple[str, ...]
    version: Profile
    faults: str
    count: int

    @property
    def column(self) -> tuple[str, int]:
        """Which faults happen at most."""
        return self.faults, self.count

    @property
    def budgets(self) -> dict[str, int]:
        """The budgets of faults by name."""
        return {**self.matrix.faults[self.faults], self.matrix.beside: self.count}

    @property
    def settings(self) -> dict[str, int]:
        """What is configured, by setting."""
        return {axis.setting: axis.values[word] for axis, word in zip(self.matrix.axes, self.words, strict=True)}

    @property
    def title(self) -> str:
        """What is configured, as the heading of a section."""
        return ", ".join(axis.title.format(word) for axis, word in zip(self.matrix.axes, self.words, strict=True))

    def model(self, **bounds: int) -> Model:
        """The model to search."""
        return self.version.bounded(**{**bounds, **self.settings, **self.budgets})
