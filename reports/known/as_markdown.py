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
    """What came of stories of transactions, as tables in Markdown, one for each story: a row for a release, a column for a client."""
    lines: list[str] = []
    clients = list(dict.fromkeys(played.planned.producer for played in found))
    for name in dict.fromkeys(played.planned.story.name for played in found):
        cells = {(one.release, one.planned.producer): one for one in found if one.planned.story.name == name}
        lines += _heading(next(iter(cells.values())).planned.story)
        lines += [f"| release | {' | '.join(clients)} |", f"|---|{'---|' * len(clients)}"]
        for release in dict.fromkeys(release for release, _ in cells):
            row = (_cell(cells.get((release, client))) for client in clients)
            lines.append(f"| {release} | {' | '.join(row)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(played: StoryRun | None) -> str:
    if played is None:
        return ""
    times = len(played.runs)
    seen = f"happens {played.happened} of {times}" if played.happened else f"refused {times} of {times}: {played.late}"
    return seen if played.as_expected else f"{seen} (**not as the model says**)"


def _heading(of: Scenario | Schedule | Story) -> list[str]:
    return [f"### {of.name}", "", f"{of.about[0].upper()}{of.about[1:]}.", ""]


def _came_out(played: ScenarioRun | ScheduleRun) -> str:
    known = "" if played.as_known else " (**not as known**)"
    return f"| {len(played.runs)} | {played.outcome}{known} |"
