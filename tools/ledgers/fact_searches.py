"""The searches of the ledgers, of facts and of bugs: how they are run, and what is recorded of them."""

from __future__ import annotations

from typing import Any

from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import symmetric_domains
from neverlost.explorer.verdict import Verdict
from neverlost.spec.recorded_search import RecordedSearch

WITNESSES = ("acknowledged", "elected_after_acknowledgement", "faults_survived")
"""What must be seen to happen wherever a property holds, so that nothing holds because nothing happened."""

QUICK_FOR_THE_INTERPRETER = 3_000
"""The interpreted engine runs searches of fewer states than this."""

LARGE = 150_000
"""Searches of more states than this are left to `make golden`."""


def run(search: RecordedSearch, engine: str) -> Result:
    """Search until the property is decided, and what must be seen to happen beside it."""
    model = search.model()
    known = {prop.name for prop in model.profile.all_properties}
    return explore(
        model,
        engine=engine,
        properties=[search.property],
        report_only=[name for name in WITNESSES if name in known],
        symmetry=bool(symmetric_domains(model)),
    )


def figures(search: RecordedSearch, result: Result) -> dict[str, Any]:
    """What the file records of a search."""
    finding = result.findings[search.property]
    trace = finding.trace
    return {
        "verdict": finding.verdict,
        "distinct": result.distinct,
        "depth": result.depth,
        "steps": None if trace is None else [step.show(trace.model.bounds) for step in trace.steps],
    }


def recorded(search: RecordedSearch) -> dict[str, Any]:
    """The same as the file has it."""
    steps = None if search.steps is None else list(search.steps)
    return {"verdict": search.verdict, "distinct": search.distinct, "depth": search.depth, "steps": steps}


def unwitnessed(search: RecordedSearch, result: Result) -> list[str]:
    """What never happened although the search went through every state; nothing if a trace decides it."""
    if result.findings[search.property].trace is not None:
        return []
    return [name for name in WITNESSES if name in result.findings and result.findings[name].verdict != Verdict.HOLDS]


def engines_for(distinct: int) -> list[str]:
    """The engines that are to confirm a search of so many states."""
    return ["compiled", "interpreted"] if distinct < QUICK_FOR_THE_INTERPRETER else ["compiled"]
