"""What came of schedules on real brokers: for people, as plain values, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from .performances import Performed, ScheduleRun
from .schedules import Outcome

WIDEST_STEP = 44


def schedule_rows(found: Sequence[ScheduleRun]) -> list[tuple[str, ...]]:
    """A row of the table of what is known for each schedule on a release."""
    return [
        (
            played.schedule.name,
            played.release,
            "its steps",
            str(len(played.runs)),
            played.outcome,
            "as known" if played.as_known else "NOT as known",
        )
        for played in found
    ]


def steps_text(played: ScheduleRun, run: Performed) -> str:
    """A run of a schedule, step by step, and what came of it."""
    width = min(WIDEST_STEP, max(len(step) for step in played.schedule.steps))
    lines = [f"{played.schedule.name} on Kafka {played.release}: {played.schedule.about}"]
    for step, seen in run.seen:
        first, *others = seen.split("; ") if len(step) <= width else ["", *seen.split("; ")]
        lines += [f"  {step.ljust(width)}  {first}".rstrip(), *(f"  {' ' * width}  {other}" for other in others)]
    if run.outcome is None:
        return "\n".join([*lines, f"It did not go on: {run.trouble}"])
    return "\n".join([*lines, "In the end", *(f"  {line}" for line in _ending(run.outcome))])


def _ending(outcome: Outcome) -> list[str]:
    lines = [f"{value} was {answer}" for value, answer in outcome.answers.items()]
    for partition, logs in outcome.logs.items():
        shown = ", ".join(f"r{broker} [{' '.join(log)}]" for broker, log in logs.items())
        lines.append(f"logs of {partition}: {shown}")
    return [*lines, outcome.in_words]


def schedule_values(found: Sequence[ScheduleRun]) -> list[dict[str, Any]]:
    """What came of schedules, as plain values."""
    return [
        {
            "schedule": played.schedule.name,
            "about": played.schedule.about,
            "control_of": played.schedule.control_of,
            "release": played.release,
            "as_known": played.as_known,
            "outcome": played.outcome,
            "known": _outcome_values(played.known),
            "runs": [
                {
                    "steps": [{"step": step, "seen": seen} for step, seen in run.seen],
                    "outcome": None if run.outcome is None else _outcome_values(run.outcome),
                    "trouble": run.trouble,
                }
                for run in played.runs
            ],
        }
        for played in found
    ]


def _outcome_values(outcome: Outcome) -> dict[str, Any]:
    return {
        "answers": [{"value": value, "answer": answer} for value, answer in outcome.answers.items()],
        "logs": [
            {"partition": partition, "broker": f"r{broker}", "values": list(log)}
            for partition, logs in outcome.logs.items()
            for broker, log in logs.items()
        ],
        "reads": [list(read) for read in outcome.reads],
        "lost": list(outcome.lost),
        "diverged": list(outcome.diverged),
    }


def schedules_markdown(found: Sequence[ScheduleRun]) -> str:
    """What came of schedules, as tables in Markdown, one for each schedule."""
    lines = []
    for _, group in groupby(found, key=lambda played: played.schedule.name):
        runs = list(group)
        schedule = runs[0].schedule
        lines += [f"### {schedule.name}", "", f"{schedule.about[0].upper()}{schedule.about[1:]}.", ""]
        lines += ["| release | times | outcome |", "|---|---|---|"]
        lines += [
            f"| {played.release} | {len(played.runs)} | {played.outcome}"
            f"{'' if played.as_known else ' (**not as known**)'} |"
            for played in runs
        ]
        lines.append("")
    return "\n".join(lines)
