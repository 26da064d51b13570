"""A sweep: the properties of any profile in every combination of its settings and budgets, each with its shortest trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result import DecidedProperty, Result
from neverlost.explorer.search import Limits, decided_properties, explore
from neverlost.explorer.symmetry import symmetric_domains, symmetry_of
from neverlost.explorer.traces.commands import setting_option
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import BoundsError, Model, ModelError, Profile, Setting, SymmetryError
from neverlost.model.core.errors import MOST_SHOWN
from neverlost.model.core.profile import show_bounds

MOST_SEARCHES = 256
"""More combinations than this are refused: a reader would not look at the table."""

Values = Mapping[str, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sweep:
    """A profile within bounds, and what varies: settings are the rows of its table, and budgets the columns.

    Each has the values that it takes, by name; all else is as the profile has it.
    """

    profile: Profile
    bounds: Values
    rows: Mapping[str, Sequence[int]]
    columns: Mapping[str, Sequence[int]]

    @cached_property
    def settings(self) -> dict[str, Setting]:
        """The settings of the profile by name."""
        return {s.name: s for s in self.profile.state.settings}

    @property
    def heading(self) -> str:
        """The profile and the bounds of all cells."""
        within = show_bounds(self.model(self.every_row[0], self.every_column[0]).bounds)
        return f"{self.profile.name} ({within})" if within else self.profile.name

    @property
    def every_row(self) -> list[Values]:
        """The settings of each row, the last one fastest."""
        return combinations(self.rows)

    @property
    def every_column(self) -> list[Values]:
        """The budgets of each column, the last one fastest."""
        return combinations(self.columns)

    def model(self, row: Values, column: Values) -> Model:
        """The model of a cell. Raises BoundsError as `Profile.bounded` does."""
        return self.profile.bounded(**self.bounds, **row, **column)


@dataclass(frozen=True, kw_only=True, eq=False)
class Swept:
    """What the search of one combination found."""

    row: Values
    column: Values
    result: Result

    def finding(self, name: str) -> DecidedProperty:
        """What was found of a property."""
        return self.result.findings[name]

    @property
    def hidden(self) -> int | None:
        """In how many states the bounds ran out of something, so that they may hide what follows; None unless all were searched."""
        return sum(self.result.ran_out.values()) if self.result.complete else None


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchedSweep:
    """What the searches of a sweep found of some properties, combination by combination."""

    asked: Sweep
    found: Sequence[Swept]
    properties: Sequence[str]

    @property
    def decided(self) -> bool:
        """Whether every property is decided in every combination."""
        return all(one.finding(name).verdict != Verdict.UNDECIDED for one in self.found for name in self.properties)


def combinations(varied: Mapping[str, Sequence[int]]) -> list[Values]:
    """Every combination of values, the last name fastest."""
    return [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]


def sweep_of(profile: Profile, bounds: Values, chosen: Mapping[str, Sequence[int]]) -> Sweep:
    """What varies. Settings take the values that are `chosen`; else a yes-or-no has both, a budget of faults 0, 1 and its own.

    Raises BoundsError for more combinations than a table can show.
    """
    rows: dict[str, Sequence[int]] = {}
    columns: dict[str, Sequence[int]] = {}
    budgets = {budget.name: budget for budget in profile.budgets}
    for setting in profile.state.settings:
        own, values = profile.default_settings[setting.name], sorted(setting.choices().values())
        if setting.name in budgets:
            usual = sorted({*values[:2], own}) if budgets[setting.name].whose else [own]
            columns[setting.name] = chosen.get(setting.name, usual)
        elif setting.domain.index is None:
            rows[setting.name] = chosen.get(setting.name, [own, 1 - own])
        elif setting.name in chosen:
            rows[setting.name] = chosen[setting.name]
    count = prod(map(len, (*rows.values(), *columns.values())))
    if count > MOST_SEARCHES:
        varied = [name for name, values in {**rows, **columns}.items() if len(values) > 1]
        raise BoundsError(
            f"{profile.name} has {count:,} combinations of settings and budgets; a table shows at most {MOST_SEARCHES}."
            f" Give a value for some of these: {', '.join(varied[:MOST_SHOWN])}"
            + (f" and {len(varied) - MOST_SHOWN} more" if len(varied) > MOST_SHOWN else "")
        )
    return Sweep(profile=profile, bounds=bounds, rows=rows, columns=columns)


def sweep(
    asked: Sweep,
    properties: Sequence[str],
    limits: Limits,
    workers: int = 2,
    interrupted: Callable[[], bool] = lambda: False,
) -> Iterator[Swept]:
    """Search each combination for the properties, row by row, some at a time. What an interruption cuts short is undecided.

    Raises UnknownNameError for an unknown property, and ModelError, with the combination, if an action leaves a domain.
    """
    cells = [(row, column, asked.model(row, column)) for row in asked.every_row for column in asked.every_column]

    def searched(model: Model) -> Result:
        try:
            return explore(
                model,
                properties=list(properties),
                until="each",
                symmetry=_can_use_symmetry(model, properties),
                limits=limits,
                watch=Watch(interrupted=interrupted),
            )
        except ModelError as error:
            raise ModelError(f"{options_text(model)}: {error}") from error

    with ThreadPoolExecutor(workers) as pool:
        running: list[Future[Result]] = [pool.submit(searched, model) for _, _, model in cells]
        try:
            for (row, column, _), future in zip(cells, running, strict=True):
                yield Swept(row=row, column=column, result=future.result())
        finally:
            for future in running:
                future.cancel()


def options_text(model: Model) -> str:
    """All settings of a model as options."""
    return " ".join(setting_option(s, model.settings[s.name]) for s in model.profile.state.settings)


def _can_use_symmetry(model: Model, properties: Sequence[str]) -> bool:
    """Whether the profile and the properties distinguish no members of its symmetric domains: a search then takes less."""
    if not symmetric_domains(model):
        return False
    try:
        symmetry_of(model, True, decided_properties(model.profile, properties)[1])
    except SymmetryError:
        return False
    return True
