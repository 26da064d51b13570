"""What a system has beside what a suite is about: parts that have a model of their own, such as a timer, and an adapter for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from neverlost.explorer.loading import find_profile
from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model
from neverlost.spec import profiles

from ..adapter import AdapterError, MakeAdapter, Part
from .cases import suite_of
from .run import CasesRun, SuiteOutcome, conform

COVER = "transitions"
"""What the cases of a part cover: the graphs of parts are small."""


@dataclass(frozen=True, kw_only=True)
class PartOutcome:
    """The outcome of the suite of a part."""

    model: Model
    outcome: SuiteOutcome


def parts_of(make: MakeAdapter) -> tuple[Part, ...]:
    """The parts that an adapter names. Raises AdapterError if it names none."""
    parts: tuple[Part, ...] = getattr(make, "parts", ())
    if not parts:
        raise AdapterError(
            'the adapter names no parts; `parts = (Part(profile="kafka-timing-wheel", make=MyTimer),)` in its class says what drives'
            " its timer"
        )
    return parts


def conform_parts(
    parts: Iterable[Part],
    *,
    until: str = "first",
    seconds: float | None = None,
    watch: Watch[CasesRun] = UNWATCHED,
) -> Iterator[PartOutcome]:
    """Run the suite of the graph of each part. Raises UnknownNameError and BoundsError for a profile or bounds that there are not."""
    for part in parts:
        if watch.interrupted():
            return
        suite = suite_of(find_profile(part.profile, profiles()).bounded(**part.bounds), COVER)
        outcome = conform(suite.model, suite.cases, part.make, until=until, seconds=seconds, watch=watch)
        yield PartOutcome(model=suite.model, outcome=outcome)
