"""What came of scenarios and schedules on real brokers, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from neverlost.conformance.cluster.performances import ScheduleRun
from neverlost.conformance.cluster.scenarios import ScenarioRun

from .as_text import by_name


def scenarios_markdown(found: Sequence[ScenarioRun]) -> str:
    """What came of scenarios, as tables in Markdown, one for each scenario."""
    lines = []
    for _, group in groupby(by_name(found), key=lambda played: played.scenario.name):
        runs = list(group)
        lines += [
            f"### {runs[0].scenario.name}",
            "",
            f"{runs[0].scenario.about[0].upper()}{runs[0].scenario.about[1:]}.",
            "",
        ]
        lines += ["| release | the run of | times | outcome |", "|---|---|---|---|"]
        lines += [
            f"| {played.release} | `{played.version}` | {len(played.runs)} | {played.outcome}"
            f"{'' if played.as_known else ' (**not as known**)'} |"
            for played in runs
        ]
        lines.append("")
    return "\n".join(lines)


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
