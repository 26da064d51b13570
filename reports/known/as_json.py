"""What came of scenarios and schedules on real brokers, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.conformance.cluster.performances import ScheduleRun
from neverlost.conformance.cluster.scenarios import ScenarioRun, steps_played
from neverlost.conformance.cluster.schedules import Outcome
from neverlost.conformance.cluster.transactions.stories import StoryRun

from .as_text import by_name


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
            for played in by_name(found)
        ],
    }


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


def story_values(found: Sequence[StoryRun]) -> list[dict[str, Any]]:
    """What came of stories of transactions, as plain values."""
    return [
        {
            "story": played.planned.story.name,
            "about": played.planned.story.about,
            "property": played.planned.story.property,
            "release": played.release,
            "client": played.planned.producer,
            "version": played.planned.version,
            "run_of": played.planned.run_of,
            "expected": played.planned.expected,
            "as_expected": played.as_expected,
            "runs": [
                {
                    "steps": [
                        {"step": one.step, "said": one.said, "done": one.done, "differs": one.differs}
                        for one in run.steps
                    ],
                    "violated_at": run.violated_at,
                    "story": run.story,
                    "late": list(run.late),
                    "reads": [list(read) for read in run.reads],
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
