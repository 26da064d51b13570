"""Conformance: does an implementation agree with the model? It needs the extra `conform`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neverlost.conformance.adapter import Adapter
from neverlost.explorer.search import Limits
from neverlost.explorer.words import counted
from neverlost.model.core import Model, UnknownNameError

from .arguments import ensure_kind, ensure_model, path_of
from .limits import sensible
from .models import profile_of_data
from .results import PropertyNotHeldError
from .shown import Judged
from .traces import Trace

if TYPE_CHECKING:
    from neverlost.conformance.suite.run import SuiteOutcome

COVERS = ("states", "transitions", "pairs")


@dataclass(frozen=True, repr=False)
class Conformance(Judged):
    """The outcome of a suite: how many cases ran, which did not pass, and what was never compared."""

    found: SuiteOutcome
    model: Model
    asked = ("passed", "assert_passed")

    def __repr__(self) -> str:
        return f"<Conformance: {counted(self.cases, 'case')}, {len(self.found.failures)} failed>"

    @property
    def cases(self) -> int:
        """How many cases ran."""
        return self.found.cases

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return not self.found.failures and self.found.complete

    @property
    def never_compared(self) -> tuple[str, ...]:
        """The fields of the model's state that no case compared, without budgets of faults. `passed` says nothing of them."""
        return self.found.never_compared(self.model)

    @property
    def failures(self) -> list[str]:
        """Each case that did not pass, with the step and what differs."""
        return [
            f"{f.case.name}: {f.fault}" if f.divergence is None else f"{f.case.name}\n{f.divergence.report()}"
            for f in self.found.failures
        ]

    def assert_passed(self) -> None:
        """Raises PropertyNotHeldError with the failures unless every case passed."""
        if not self.passed:
            raise PropertyNotHeldError("\n\n".join(self.failures))


def conform(
    suite_or_trace: str | Path | Trace,
    adapter: str | Callable[[Model], Adapter],
    *,
    until: str = "first",
    seconds_per_case: float | None = None,
    profile_reference: str | None = None,
) -> Conformance:
    """Drive an implementation along the cases of a suite, or along one trace, and compare it with the model after every step.

    A suite is a folder that `neverlost suite` wrote. `adapter` makes an adapter for a model: a class or a function of yours,
    "inprocess", or "path/to/file.py:NAME". `until` is "first" (stop at the first failure) or "all".
    A suite of a profile of your own needs its reference, `profile_reference`: a file is run only if you name it.
    Raises SuiteError for a folder that is not a suite, LoadingError for a suite of a profile in a file that you did not name.

    >>> import neverlost as nl
    >>> model = nl.profile("kafka-3.7").model(acks="1", leader_moves=1)
    >>> trace = nl.check(model, ["acked_never_lost"])["acked_never_lost"].trace
    >>> nl.conform(trace, "inprocess").passed
    True
    """
    from neverlost.conformance.adapters import adapter_named
    from neverlost.conformance.suite.cases import SuiteCase
    from neverlost.conformance.suite.files import SuiteFiles
    from neverlost.conformance.suite.run import conform as run

    make = adapter_named(adapter) if isinstance(adapter, str) else adapter
    if isinstance(suite_or_trace, Trace):
        steps = suite_or_trace.found.steps
        cases = [SuiteCase(name="the trace", steps=steps, adds=len(steps))]
        return Conformance(
            run(suite_or_trace.model, cases, make, until=until, seconds=seconds_per_case), suite_or_trace.model
        )
    holder = f"{suite_or_trace} is a suite"
    files = SuiteFiles(
        path_of(suite_or_trace, "suite_or_trace"), lambda name: profile_of_data(name, profile_reference, holder)
    )
    return Conformance(run(files.model, files.cases(), make, until=until, seconds=seconds_per_case), files.model)


def suite(
    model: Model,
    folder: str | Path,
    *,
    cover: str = "transitions",
    budget: int | None = None,
    limits: Limits | None = None,
) -> int:
    """Write test cases that cover the graph of a model into a new folder, for `conform`. Returns how many there are.

    `cover` is "states", "transitions" or "pairs"; with a `budget` only that many cases are written, those that cover most.
    Raises UnfinishedGraphError for a graph beyond the limits, 200,000 states if none are given, and SuiteError for a folder that is
    not empty.

    >>> import neverlost as nl
    >>> model = nl.profile("kafka-purgatory").model(operations=1, keys=1)
    >>> nl.suite(model, "cases") == nl.conform("cases", "purgatory").cases
    True
    """
    from neverlost.conformance.exploring import MOST
    from neverlost.conformance.suite.cases import suite_of
    from neverlost.conformance.suite.files import refuse_folder, write_suite

    ensure_model(model)
    if cover not in COVERS:
        raise UnknownNameError("cover", cover, COVERS)
    ensure_kind(budget, "budget", "100", int)
    into = path_of(folder, "folder")
    refuse_folder(into)
    written = suite_of(model, cover, budget=budget, limits=sensible(limits, MOST))
    write_suite(written, into)
    return len(written.cases)
