"""What came of scenarios and schedules on real brokers, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.cluster.performances import Performed, ScheduleRun, steps_performed
from neverlost.conformance.cluster.scenarios import ScenarioRun, steps_played
from neverlost.conformance.cluster.schedules import Outcome
from neverlost.explorer.words import counted

from ..table import table_text

WIDEST_STEP = 44
COLUMNS = ("scenario", "release", "run of", "times", "outcome", "")


def by_name(found: Sequence[ScenarioRun]) -> list[ScenarioRun]:
    """The runs of each scenario together."""
    return sorted(found, key=lambda played: played.scenario.name)


def scenario_table(found: Sequence[ScenarioRun], more: Sequence[tuple[str, ...]] = ()) -> str:
    """A table with a line for each scenario on a release, and more lines below."""
    return table_text(COLUMNS, [*(_row(one.scenario.name, one.version, one) for one in by_name(found)), *more])


def schedule_rows(found: Sequence[ScheduleRun]) -> list[tuple[str, ...]]:
    """A row of the table of what is known for each schedule on a release."""
    return [_row(played.schedule.name, "its steps", played) for played in found]


def _row(name: str, of: str, played: ScenarioRun | ScheduleRun) -> tuple[str, ...]:
    known = "as known" if played.as_known else "NOT as known"
    return name, played.release, of, str(len(played.runs)), played.outcome, known


def known_verdict(found: Sequence[ScenarioRun], performed: Sequence[ScheduleRun], complete: bool) -> str:
    """How much was played, and whether it came out as known."""
    runs = sum(len(one.runs) for one in found) + sum(len(one.runs) for one in performed)
    steps = steps_played(found) + steps_performed(performed)
    bad = [one.as_known for one in found].count(False) + [one.as_known for one in performed].count(False)
    verdict = f"{counted(bad, 'scenario')} NOT as known" if bad else "all as known"
    how = "" if complete else " before it was interrupted"
    return f"{counted(runs, 'run')} of {counted(steps, 'step')} on real brokers{how}: {verdict}"


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
