"""What came of scenarios and schedules on real brokers, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.cluster.performances import Performed, ScheduleRun, steps_performed
from neverlost.conformance.cluster.scenarios import ScenarioRun, steps_played
from neverlost.conformance.cluster.schedules import Outcome
from neverlost.conformance.cluster.transactions.stories import StoryRun
from neverlost.conformance.cluster.transactions.stories import steps_played as steps_of_stories
from neverlost.explorer.words import counted

from ..table import table_text

WIDEST_STEP = 44
STORY_COLUMNS = ("story", "release", "client", "run of", "times", "outcome", "")
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


def story_table(found: Sequence[StoryRun]) -> str:
    """A table with a line for each story on a release with a client."""
    return table_text(STORY_COLUMNS, [_story_row(one) for one in found])


def _story_row(played: StoryRun) -> tuple[str, ...]:
    planned = played.planned
    said = f"{'' if played.as_expected else 'NOT '}as the model says"
    return (
        planned.story.name,
        played.release,
        planned.producer,
        planned.run_of,
        str(len(played.runs)),
        played.outcome,
        said,
    )


def story_verdict(found: Sequence[StoryRun], complete: bool) -> str:
    """How much was played, and whether it came out as the searches say."""
    runs, bad = sum(len(one.runs) for one in found), [one.as_expected for one in found].count(False)
    verdict = f"{bad} of {len(found)} NOT as the model says" if bad else "all as the model says"
    how = "" if complete else " before it was interrupted"
    return f"{counted(runs, 'run')} of {counted(steps_of_stories(found), 'step')} on real brokers{how}: {verdict}"


def story_text(played: StoryRun) -> str:
    """The last run of a story, step by step, and what came of it."""
    planned, run = played.planned, played.runs[-1]
    width = min(WIDEST_STEP, max(len(one.step) for one in run.steps))
    lines = [
        f"{planned.story.name} on Kafka {played.release}, {planned.producer}, the run of {planned.run_of}: {planned.story.about}"
    ]
    for one in run.steps:
        lines.append(f"  {one.step.ljust(width)}  {'' if one.done else 'not done: '}{one.said}")
        lines += [f"  {' ' * width}  the brokers differ: {one.differs}"] if one.differs else []
    reads = "; ".join(f"a{number}: {' '.join(read) or 'nothing'}" for number, read in enumerate(run.reads, 1))
    ending = run.story or ("it happens" if run.violated_at is not None else "it does not happen")
    return "\n".join([*lines, f"In the end consumers of committed records read {reads}. {ending}"])


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
