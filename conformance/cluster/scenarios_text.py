"""What came of scenarios on real brokers: for people, as plain values, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from .scenarios import ScenarioRun, steps_played

COLUMNS = ("scenario", "release", "run of", "times", "outcome", "")


def _name(played: ScenarioRun) -> str:
    return played.scenario.name


def _by_name(found: Sequence[ScenarioRun]) -> list[ScenarioRun]:
    return sorted(found, key=_name)


def _rows(found: Sequence[ScenarioRun]) -> list[tuple[str, ...]]:
    return [
        (
            played.scenario.name,
            played.release,
            played.version,
            str(len(played.runs)),
            played.outcome,
            "as known" if played.as_known else "NOT as known",
        )
        for played in _by_name(found)
    ]


def scenario_table(found: Sequence[ScenarioRun], more: Sequence[tuple[str, ...]] = ()) -> str:
    """A table with a line for each scenario on a release, and more lines below."""
    rows = [COLUMNS, *_rows(found), *more]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def scenario_values(found: Sequence[ScenarioRun]) -> dict[str, Any]:
    """What came of scenarios, as plain values."""
    return {
        "schema": 1,
        "steps": steps_played(found),
        "scenarios": [
            {
                "scenario": played.scenario.name,
                "about": played.scenario.about,
                "release": played.release,
                "version": played.version,
                "shown": played.expected,
                "as_known": played.as_known,
                "outcome": played.outcome,
                "runs": [
                    {
                        "verdict": str(run.verdict),
                        "steps": len(run.steps),
                        "lost": list(run.lost),
                        "diverged": run.diverged,
                        "deliveries": list(run.answers),
                        "differs_at": None if run.first_difference is None else run.first_difference.number,
                    }
                    for run in played.runs
                ],
            }
            for played in _by_name(found)
        ],
    }


def scenarios_markdown(found: Sequence[ScenarioRun]) -> str:
    """What came of scenarios, as tables in Markdown, one for each scenario."""
    lines = []
    for _, group in groupby(_by_name(found), key=lambda played: played.scenario.name):
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
