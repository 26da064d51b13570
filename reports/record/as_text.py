"""Recorded runs, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.cluster.recording import RecordedRun
from neverlost.explorer.words import counted


def run_text(run: RecordedRun) -> str:
    """A run in a line: what it sent, and what failed."""
    faults = ", ".join(
        f"{one.action} of broker {one.broker}" for one in run.happened if one.action in ("crash", "pause")
    )
    about = f"run {run.number}: {counted(len(run.sent), 'value')} sent, {run.acknowledged} acknowledged"
    return about + (f", {counted(run.events, 'event')}" if run.events else "") + (f"; {faults}" if faults else "")


def totals_text(runs: Sequence[RecordedRun], *, with_events: bool) -> str:
    """What all runs together sent and, if it was written, logged."""
    sent, acknowledged = sum(len(run.sent) for run in runs), sum(run.acknowledged for run in runs)
    events = f", {counted(sum(run.events for run in runs), 'event')}" if with_events else ""
    return f"{counted(len(runs), 'run')}, {counted(sent, 'value')} sent, {acknowledged} acknowledged{events}"
