"""What `neverlost check --thorough` found beyond the given bounds: for people, and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.explorer.result import Result
from neverlost.explorer.result_json import left_out_values
from neverlost.explorer.traces.commands import check_words
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.studies.thorough import Further


def thorough_text(base: Result, found: Sequence[Further]) -> str:
    """The results of the larger models, and how far the search went beyond the given bounds."""
    held = sum(1 for further in found if further.result.verdict == Verdict.HOLDS)
    lines = ["Beyond these bounds", *(_line(further, base) for further in found)]
    return "\n".join([*lines, f"  {held} of {len(found)} larger models hold completely."])


def _line(further: Further, base: Result) -> str:
    """The verdict and the size, relative to the size of the original model: both without symmetry, if both are known."""
    result = further.result
    whole, before = result.distinct_without_symmetry, base.distinct_without_symmetry
    size = f"{counted(result.distinct, 'state')} with symmetry"
    if whole and before:
        size = f"{counted(whole, 'state')}, {whole / before:.1f} times as many"
    cut = "" if result.complete or result.verdict == Verdict.VIOLATED else f", cut short by {result.stopped_by}"
    line = f"  {further.label:28} {result.verdict:10} {size}{cut}"
    named = next((n for n, f in result.findings.items() if f.asserted and f.verdict == Verdict.VIOLATED), None)
    return line if named is None else f"{line}\n    {check_words(result.model, named)}"


def further_values(further: Further) -> dict[str, Any]:
    """The search of a larger model as plain values, ready for JSON."""
    result = further.result
    return {
        "label": further.label,
        "bounds": dict(result.model.bounds),
        "settings": result.model.plain_settings,
        "verdict": result.verdict,
        "complete": result.complete,
        "stopped_by": result.stopped_by,
        "distinct": result.distinct,
        "depth": result.depth,
        "left_out": left_out_values(result),
    }
