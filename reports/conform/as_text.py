"""The outcome of a suite, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from neverlost.conformance.suite.cases import Mistake
from neverlost.conformance.suite.run import SuiteOutcome
from neverlost.explorer.words import counted
from neverlost.model.core import Model

from ..layout import wrapped
from ..quantities import show_seconds

MOST_MISTAKES = 3


def outcome_text(
    model: Model, cover: str, outcome: SuiteOutcome, trace_out: str | None, quiet: bool, seconds: float
) -> str:
    """The verdict and, unless `quiet`, the first case that failed, how the others did, and what says nothing.

    `cover` says what the cases cover, `trace_out` names the file of the first divergence.
    """
    lines = [_verdict(model.profile.name, cover, outcome, "" if quiet else f" ({show_seconds(seconds)})")]
    if not quiet:
        lines += [*(_failures(outcome, trace_out) if outcome.failures else ()), *_not_scheduled(outcome)]
    unseen = outcome.never_compared(model)
    lines += [wrapped(f"  never compared: {', '.join(unseen)}", "    ")] if unseen else []
    return "\n".join(lines)


def _verdict(name: str, cover: str, outcome: SuiteOutcome, took: str) -> str:
    ran = f"{counted(outcome.cases, 'case')} of {counted(outcome.steps, 'step')} and {counted(outcome.attempts, 'attempt')} together"
    if outcome.walks:
        ran += (
            f", and {counted(outcome.random_steps, 'random step')} in {counted(outcome.walks, 'walk')} from their ends"
        )
    if outcome.differs:
        return f"{name}: {counted(len(outcome.failures), 'case')} failed, of {ran}{took}"
    if outcome.failures:
        count = counted(len(outcome.failures), "case")
        return f"{name}: the adapter failed in {count}, which say nothing about the implementation, of {ran}{took}"
    how = "passed" if outcome.complete else "passed before the run was interrupted"
    return f"{name}: {ran}, {cover} covered: all {how}{took}"


def _failures(outcome: SuiteOutcome, trace_out: str | None) -> list[str]:
    """The first case that failed, and how many failed in which way."""
    first = outcome.failures[0]
    lines = ["", f"Case {first.case.name}", *_mistakes(first.mistakes)]
    if first.divergence is None:
        lines += [f"  The adapter failed, so this says nothing about the implementation: {first.fault}"]
    else:
        lines += ["  " + line for line in first.divergence.report(trace_out).splitlines()]
    if len(outcome.failures) > 1:
        lines += ["", "Cases that failed, by difference"]
        lines += [f"  {count:>7,}  {kind}" for kind, count in outcome.kinds.most_common()]
    return lines


def _mistakes(mistakes: Sequence[Mistake]) -> list[str]:
    """The mistakes that show at the step at which a case failed; of many the most particular ones."""
    if not mistakes:
        return []
    lines = [f"  {counted(len(mistakes), 'mistake')} in the rules would show here"]
    lines[0] += ", among them" if len(mistakes) > MOST_MISTAKES else ""
    return lines + [f"    {mistake.about} ({mistake.rules})" for mistake in mistakes[:MOST_MISTAKES]]


def _not_scheduled(outcome: SuiteOutcome) -> list[str]:
    """The cases that the system cannot be made to do, by reason."""
    if not outcome.not_scheduled:
        return []
    reasons = Counter(outcome.not_scheduled.values())
    lines = ["", f"{counted(len(outcome.not_scheduled), 'case')} cannot be scheduled, and say nothing"]
    return lines + [f"  {count:>7,}  {reason}" for reason, count in reasons.most_common()]
