"""What several documents have; `common.schema.json` describes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .layout import wrapped

if TYPE_CHECKING:
    from neverlost.conformance.adapter import StateDifference
    from neverlost.conformance.malformed import MalformedLine
    from neverlost.conformance.validation.reasons import ObservationMismatch
    from neverlost.model.core import Model

SHOWN_MALFORMED = 20


def faultless(model: Model) -> str:
    """`, with no faults` where the profile has faults, but none may happen: a verdict then says nothing about brokers that fail."""
    faults = [model.settings[fault.name] for fault in model.profile.state.faults]
    faults += [model.bounds[index.bound] for index in model.profile.domains if index.whose]
    return ", with no faults" if faults and not any(faults) else ""


def malformed_text(title: str, malformed: Sequence[MalformedLine], count: int) -> str:
    """The first parts that cannot be read, and how many of the `count` are left; nothing if there is none."""
    if not count:
        return ""
    lines = [title, *(wrapped(f"  {one.show()}", "    ") for one in malformed[:SHOWN_MALFORMED])]
    more = count - len(lines) + 1
    return "\n".join([*lines, *([f"  and {more:,} more"] if more > 0 else [])])


def malformed_values(malformed: Sequence[MalformedLine]) -> list[dict[str, Any]]:
    """The parts that cannot be read, as plain values."""
    return [{"line": one.line, "what": one.what, "expected": one.expected} for one in malformed]


def differences_values(differences: Sequence[StateDifference | ObservationMismatch]) -> list[dict[str, Any]]:
    """Where an implementation is in another state than the model, as plain values."""
    return [{"place": one.place, "expected": one.expected, "seen": one.seen} for one in differences]
