"""What came of scenarios and schedules on real brokers, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from neverlost.conformance.cluster.performances import ScheduleRun
from neverlost.conformance.cluster.scenarios import Scenario, ScenarioRun
from neverlost.conformance.cluster.schedules import Schedule
from neverlost.conformance.cluster.transactions.stories import Story, StoryRun

from .as_text import by_name


def scenarios_markdown(found: Sequence[ScenarioRun]) -> str:
    """What came of scenarios, as tables in Markdown, one for each scenario."""
    lines: list[str] = []
    for _, group in groupby(by_name(found), key=lambda played: played.scenario.name):
        runs = list(group)
        lines += _heading(runs[0].scenario)
        lines += ["| release | the run of | times | outcome |", "|---|---|---|---|"]
        lines += [f"| {played.release} | `{played.version}` {_came_out(played)}" for played in runs]
        lines.append("")
    return "\n".join(lines)


def schedules_markdown(found: Sequence[ScheduleRun]) -> str:
    """What came of schedules, as tables in Markdown, one for each schedule."""
    lines: list[str] = []
    for _, group in groupby(found, key=lambda played: played.schedule.name):
        runs = list(group)
        lines += [*_heading(runs[0].schedule), "| release | times | outcome |", "|---|---|---|"]
        lines += [f"| {played.release} {_came_out(played)}" for played in runs]
        lines.append("")
    return "\n".join(lines)


def stories_markdown(found: Sequence[StoryRun]) -> str:
    """What came of stories of transactions, as tables in Markdown, one for each story."""
    lines: list[str] = []
    for _, group in groupby(_by_story(found), key=lambda played: played.planned.story.name):
        runs = list(group)
        lines += _heading(runs[0].planned.story)
        lines += [
            "| release | client | the model says | the run of | steps | on brokers | what came late |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [_story_row(played) for played in runs]
        lines.append("")
    return "\n".join(lines)


def _by_story(found: Sequence[StoryRun]) -> list[StoryRun]:
    return sorted(found, key=lambda played: played.planned.story.name)


def _story_row(played: StoryRun) -> str:
    planned = played.planned
    says = "happens" if planned.expected else "holds"
    seen = f"{played.happened if planned.expected else len(played.runs) - played.happened} of {len(played.runs)}"
    known = "" if played.as_expected else " (**not as the model says**)"
    return (
        f"| {played.release} | {planned.client} | {says} | `{planned.run_of}` | {len(planned.trace.steps)}"
        f" | {seen}{known} | {played.late} |"
    )


def _heading(of: Scenario | Schedule | Story) -> list[str]:
    return [f"### {of.name}", "", f"{of.about[0].upper()}{of.about[1:]}.", ""]


def _came_out(played: ScenarioRun | ScheduleRun) -> str:
    known = "" if played.as_known else " (**not as known**)"
    return f"| {len(played.runs)} | {played.outcome}{known} |"
