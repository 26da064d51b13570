"""What several documents have; `common.schema.json` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neverlost.explorer.traces.commands import settings_words
from neverlost.model.core.profile import show_bounds

from .layout import wrapped

if TYPE_CHECKING:
    from neverlost.conformance.adapter import StateDifference
    from neverlost.conformance.malformed import MalformedLine
    from neverlost.conformance.validation.reasons import ObservationMismatch
    from neverlost.model.core import Model, Profile

SHOWN_MALFORMED = 20


def faultless(profile: Profile, settings: Mapping[str, int], bounds: Mapping[str, int] | None) -> str:
    """`, with no faults` where the profile has faults, but none may happen: a verdict then says nothing about brokers that fail.

    `bounds` is None if they may be any.
    """
    return ", with no faults" if profile.has_no_faults(settings, bounds) else ""


def model_words(model: Model) -> str:
    """What a verdict is about: the profile with its bounds, the settings that are not its own, and that no faults happen if so."""
    bounds = f" ({show_bounds(model.bounds)})" if model.bounds else ""
    chosen = with_settings(model.profile, model.settings)
    return f"{model.profile.name}{bounds}{chosen}{faultless(model.profile, model.settings, model.bounds)}"


def with_settings(profile: Profile, settings: Mapping[str, int]) -> str:
    """`, with --acks all`; nothing if all settings are the profile's own."""
    words = settings_words(profile, settings)
    return f", with {words}" if words else ""


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
