"""The matrix: a family's question to versions, settings and sets of faults; or every combination of a profile's settings and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neverlost.explorer.answers.questions import Answers
from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.search import Limits
from neverlost.explorer.words import counted
from neverlost.model.core import BoundsError, Profile, UnknownNameError
from neverlost.reports.matrix.as_json import matrix_values
from neverlost.reports.matrix.as_text import matrix_text
from neverlost.reports.matrix.sweep_as_text import sweep_text
from neverlost.spec.families import with_a_matrix
from neverlost.spec.matrix import Matrix as AskedMatrix
from neverlost.studies.searched_matrix import SearchedMatrix, search_matrix
from neverlost.studies.study import Study
from neverlost.studies.sweep import SearchedSweep, sweep, sweep_of

from .arguments import ArgumentError, ensure_names
from .limits import sensible
from .models import profile
from .results import PropertyNotHeldError
from .shown import Judged, Shown

Word = bool | int | str


@dataclass(frozen=True, repr=False)
class Matrix(Judged, Shown):
    """What searches found in the cells of a matrix."""

    found: SearchedMatrix | SearchedSweep
    asked = ("decided", "assert_decided")

    def __repr__(self) -> str:
        verdicts = [cell["verdict"] for cell in self.cells]
        about = self.found.matrix.asks if isinstance(self.found, SearchedMatrix) else self.found.asked.profile.name
        said = [f"{verdicts.count(verdict):,} {verdict}" for verdict in dict.fromkeys(sorted(verdicts))]
        return f"<Matrix of {about}: {counted(len(verdicts), 'cell')}, {', '.join(said)}>"

    @property
    def decided(self) -> bool:
        """Whether every cell is decided."""
        return self.found.decided

    @property
    def cells(self) -> list[dict[str, Any]]:
        """Each cell as plain values, as `neverlost matrix --json` writes them."""
        return matrix_values(self.found)

    def assert_decided(self) -> None:
        """Raises PropertyNotHeldError with the tables unless every cell is decided."""
        if not self.decided:
            raise PropertyNotHeldError(self.text())

    def text(self) -> str:
        """The tables, as on the command line."""
        return sweep_text(self.found) if isinstance(self.found, SearchedSweep) else matrix_text(self.found)

    def show(self, format_name: str) -> str:
        """The matrix as `text` or `json`, and that of a family as `markdown` or as a page, `html`. Raises UnknownNameError."""
        from neverlost.reports.matrix.as_markdown import matrix_markdown
        from neverlost.reports.matrix.page import matrix_html

        found = self.found
        formats: dict[str, Callable[[], str]] = {"text": self.text, "json": lambda: json_text(self.cells)}
        if isinstance(found, SearchedMatrix):
            formats |= {"markdown": lambda: matrix_markdown(found), "html": lambda: matrix_html(found)}
        if format_name not in formats:
            raise UnknownNameError("format of this matrix", format_name, formats)
        return formats[format_name]()


def matrix(
    subject: str | Profile = "replication",
    values: Mapping[str, Word | Sequence[Word]] | None = None,
    *,
    versions: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    workers: int = 2,
    store: str | Path | None = None,
    limits: Limits | None = None,
) -> Matrix:
    """Ask a family's question in every cell of versions, settings that users choose, and small sets of faults.

    `subject` is the family: "replication", "groups", "transactions" or "quorum"; `versions` names some of its versions or releases, by
    default all. Or it is a profile, or its reference: then `properties` are asked, by default all that it asserts, in every
    combination of its settings and faults. `values` has bounds for all cells, and settings with the only value, or the only values,
    that they take: `{"replicas": 2, "min_isr": [1, 2]}`. `limits` are those of a search, of which `workers` run at a time.
    `store` keeps the answers about a family for later.

    Raises UnknownNameError, BoundsError, and ArgumentError for what does not go with the subject.

    >>> import neverlost as nl
    >>> small = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 2, "acks": "1", "min_isr": 1, "unclean": False}
    >>> found = nl.matrix("replication", small, versions=["3.9"])
    >>> found, found.decided
    (<Matrix of acked_never_lost: 10 cells, 10 violated>, True)
    >>> found.cells[0]["faults"], found.cells[0]["trace_length"]
    ({'crashes': 1, 'leader_moves': 0}, 5)
    """
    ensure_names(versions, "versions")
    ensure_names(properties, "properties")
    known = with_a_matrix()
    if isinstance(subject, str) and subject in known:
        if properties is not None:
            raise ArgumentError("properties only go with a profile; a family asks about its own property")
        family, asked = known[subject]
        bounds, words = _of_family(asked, values or {})
        study = Study(Answers(None if store is None else Path(store)), sensible(limits), workers)
        return Matrix(search_matrix(asked, asked.cells(words, family.versions_named(versions)), bounds, study))
    for name, given in {"versions": versions, "store": store}.items():
        if given:
            raise ArgumentError(f"{name} only goes with a family: {', '.join(known)}; leave it out")
    chosen = subject if isinstance(subject, Profile) else profile(subject)
    bounds, settings = _of_profile(chosen, values or {})
    names = [chosen.property_named(name).name for name in properties or ()] or [p.name for p in chosen.properties]
    swept = sweep_of(chosen, bounds, settings)
    found = list(sweep(swept, names, sensible(limits), workers))
    return Matrix(SearchedSweep(asked=swept, found=found, properties=names))


def _of_profile(
    asked: Profile, values: Mapping[str, Word | Sequence[Word]]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """The bounds for all cells, and the values of the settings that are given. Raises as `Profile.model` does."""
    bounds: dict[str, int] = {}
    settings: dict[str, list[int]] = {}
    for given, several in values.items():
        for word in several if isinstance(several, Sequence) and not isinstance(several, str) else [several]:
            ((name, value),) = asked.meant({given: word}).items()
            if name in bounds:
                raise BoundsError(f"{name} has several values; a bound is the same in every cell")
            if name in asked.bound_names:
                bounds[name] = value
            elif value not in settings.setdefault(name, []):
                settings[name].append(value)
    return bounds, settings


def _of_family(
    asked: AskedMatrix, values: Mapping[str, Word | Sequence[Word]]
) -> tuple[dict[str, int], dict[str, list[str]]]:
    """The bounds and settings of all cells, and of each axis the words that are chosen. Raises as `Profile.model` does."""
    version = asked.versions[0]
    bounds, settings = _of_profile(version, values)
    shown = {setting.name: setting.show for setting in version.state.settings}
    words: dict[str, list[str]] = {}
    for axis in asked.axes:
        of_value = {value: word for word, value in axis.values.items()}
        given = settings.pop(axis.setting, [])
        words[axis.setting] = [of_value.get(value, shown[axis.setting](value)) for value in given]
    for name, several in settings.items():
        if len(several) > 1:
            raise BoundsError(f"{name} has several values; it is the same in every cell")
        bounds[name] = several[0]
    return bounds, words
