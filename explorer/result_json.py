"""The machine-readable result of a search."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .result import DecidedProperty, Result
from .traces.trace_json import trace_values

SCHEMA = 1


def result_values(result: Result) -> dict[str, Any]:
    """The result as plain values, ready for JSON."""
    return {
        "schema": SCHEMA,
        "profile": result.model.profile.name,
        "bounds": dict(result.model.bounds),
        "settings": result.model.plain_settings,
        "assumed": list(result.model.assumed),
        "no_faults": result.model.profile.has_no_faults(result.model.settings, result.model.bounds),
        "symmetry": bool(result.symmetry),
        "symmetric_domains": list(result.symmetry),
        "engine": result.engine,
        "workers": result.workers,
        "complete": result.complete,
        "stopped_by": result.stopped_by,
        "verdict": result.verdict.value,
        "distinct": result.distinct,
        "distinct_without_symmetry": result.distinct_without_symmetry,
        "generated": result.generated,
        "depth": result.depth,
        "levels": list(result.levels),
        "digest": result.digest,
        "seconds": result.seconds,
        "compile_seconds": result.compile_seconds,
        "peak_memory_bytes": result.peak_memory_bytes,
        "actions": {name: {"generated": count} for name, count in result.generated_by_action.items()},
        "dead_actions": list(result.dead_actions),
        "switched_off_actions": list(result.switched_off_actions),
        "ran_out": dict(result.ran_out),
        "left_out": left_out_values(result),
        "properties": {name: _finding_values(finding) for name, finding in result.findings.items()},
    }


def left_out_values(result: Result) -> dict[str, Any] | None:
    """What was not expanded, as plain values."""
    return None if result.left_out is None else asdict(result.left_out)


def _finding_values(finding: DecidedProperty) -> dict[str, Any]:
    return {
        "kind": finding.property.kind,
        "statement": finding.property.statement,
        "asserted": finding.asserted,
        "verdict": finding.verdict.value,
        "violating_states": finding.violating_states,
        "trace_length": None if finding.trace is None else len(finding.trace),
        "trace": None if finding.trace is None else trace_values(finding.trace),
    }
