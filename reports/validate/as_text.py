"""The result of a validation, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.validation.following import LogVerdict
from neverlost.conformance.validation.judged import Validation
from neverlost.conformance.validation.reasons import Reason, Refusal
from neverlost.explorer.traces.changes import by_owner, changes
from neverlost.explorer.words import counted
from neverlost.model.core import Model, Packed

from ..common import malformed_text
from ..layout import wrapped

SHOWN_STATES, SHOWN_REASONS, SHOWN_STEPS = 4, 12, 3


def validation_text(found: Validation) -> str:
    """The whole report."""
    parts = [_malformed_text(found), wrapped(_verdict(found))]
    if found.refusal is not None:
        parts += [_states_text(found.model, found.refusal.states), _reasons_text(found, found.refusal)]
    return "\n\n".join(part for part in parts if part) + "\n"


def verdict_text(found: Validation) -> str:
    """The verdict alone."""
    return wrapped(_verdict(found)) + "\n"


def _malformed_text(found: Validation) -> str:
    things = counted(found.malformed_count, "thing")
    title = f"{found.log.name}: {things} in it cannot be read. Missing parts count as unknown:"
    return malformed_text(title, found.malformed, found.malformed_count)


def _verdict(found: Validation) -> str:
    name, profile, outcome = found.log.name, found.model.profile.name, found.outcome
    events = counted(found.events, "event")
    hidden = counted(found.hidden_taken, "hidden step")
    if outcome.verdict == LogVerdict.ACCEPTED:
        rest = "The rest of it follows" if found.malformed_count else f"{name} follows"
        return f"{rest} {profile}: a run of the model explains {events}" + (
            f", with {hidden} between them." if found.hidden_taken else "."
        )
    assert found.refusal is not None
    event = f"line {found.refusal.event.line}, event {found.refusal.number:,} of {events.split()[0]}: {found.refusal.event.shown}"
    if outcome.verdict == LogVerdict.UNDECIDED:
        return (
            f"UNDECIDED whether {name} follows {profile}: {outcome.stopped_by}. The longest prefix that is explained so far"
            f" ends before {event}."
        )
    return f"{name} does NOT follow {profile}{found.model.proviso}. No run of the model explains {event}."


def _states_text(model: Model, states: Sequence[Packed]) -> str:
    """The first state by its differences from the start, the others by their differences from the first."""
    start = model.initial_states()[0]
    title = "Before that event, the model is in this state, which differs from the start in"
    if len(states) > 1:
        title = f"Before that event, the model may be in {len(states):,} states. The first differs from the start in"
    lines = [title, *_difference(model, start, states[0])]
    for number, words in enumerate(states[1:SHOWN_STATES], start=2):
        lines += [f"and state {number} from the first in", *_difference(model, states[0], words)]
    if len(states) > SHOWN_STATES:
        lines.append(f"and {len(states) - SHOWN_STATES:,} more.")
    return "\n".join(lines)


def _difference(model: Model, before: Packed, after: Packed) -> list[str]:
    lines = []
    for owner, owned in by_owner(changes(model.state(before), model.state(after))).items():
        start = f"  {owner}: " if owner else "  "
        lines.append(wrapped(start + "; ".join(change.show() for change in owned), " " * len(start)))
    return lines or ["  nothing"]


def _reasons_text(found: Validation, refused: Refusal) -> str:
    if not refused.reasons:
        return ""
    cut_short = found.outcome.verdict == LogVerdict.UNDECIDED
    lines = ["Why other steps do not explain that event" if cut_short else "Why it cannot happen there"]
    for reason in refused.reasons[:SHOWN_REASONS]:
        lines += _reason_lines(reason)
    if len(refused.reasons) > SHOWN_REASONS:
        lines.append(f"  and {counted(len(refused.reasons) - SHOWN_REASONS, 'more reason')}; the JSON has them all")
    if any(".size(" in reason.guard for reason in refused.reasons):
        bounds = " ".join(f"--{name.replace('_', '-')} N" for name in found.model.bounds)
        lines.append(
            wrapped(
                f"  A bound of the model, which real brokers do not have, refuses some steps: try larger bounds ({bounds}).",
                "    ",
            )
        )
    if found.hidden_steps and found.hidden:
        lines.append(
            wrapped(
                f"  Up to {counted(found.hidden_steps, 'hidden step')} of {', '.join(found.hidden)} before it do not help; they lead to"
                f" {counted(refused.gap_states, 'other state')}.",
                "    ",
            )
        )
    return "\n".join(lines)


def _reason_lines(reason: Reason) -> list[str]:
    shown = ", ".join(reason.steps[:SHOWN_STEPS])
    if len(reason.steps) > SHOWN_STEPS:
        shown += f", and {len(reason.steps) - SHOWN_STEPS:,} more"
    after = f" (after {', '.join(reason.hidden)})" if reason.hidden else ""
    return [wrapped(f"  {shown}{after}", "    "), wrapped(f"      {reason.words}", "        ")]
