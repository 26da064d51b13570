"""What came of stories whose steps are written down: for people, as Markdown, and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from neverlost.conformance.cluster.story_paths import PathRun, steps_played
from neverlost.explorer.words import counted

from ..table import table_text

WIDEST_STEP = 44
Run = PathRun[Any, Any]


@dataclass(frozen=True)
class PathForms:
    """How the stories of a family are shown: what they are played on, and who does their steps."""

    where: str
    who: str

    def table(self, found: Sequence[Run]) -> str:
        """A table with a line for each story on a release."""
        columns = ("story", "release", self.where, "the model says", "times", "outcome", "")
        return table_text(columns, [_row(one) for one in found])

    def verdict(self, found: Sequence[Run], complete: bool) -> str:
        """How much was played, and whether it came out as the searches say."""
        runs, bad = sum(len(one.runs) for one in found), [one.as_expected for one in found].count(False)
        verdict = f"{bad} of {len(found)} NOT as the model says" if bad else "all as the model says"
        how = "" if complete else " before it was interrupted"
        return f"{counted(runs, 'run')} of {counted(steps_played(found), 'step')} on real {self.who}{how}: {verdict}"

    def markdown(self, found: Sequence[Run]) -> str:
        """What came of stories, as tables in Markdown, one for each story."""
        columns = (
            "release",
            self.where,
            "the search says",
            "of the steps, the model takes",
            self.who,
            "as the model says",
        )
        lines: list[str] = []
        for _, group in groupby(found, key=lambda played: played.planned.story.name):
            runs = list(group)
            about = runs[0].planned.story.about
            lines += [f"### {runs[0].planned.story.name}", "", f"{about[0].upper()}{about[1:]}.", ""]
            lines += [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
            lines += [_markdown_row(played) for played in runs]
            lines.append("")
        return "\n".join(lines)

    def values(self, found: Sequence[Run]) -> list[dict[str, Any]]:
        """What came of stories, as plain values."""
        return [
            {
                "story": played.planned.story.name,
                "about": played.planned.story.about,
                "property": played.planned.story.property,
                "release": played.release,
                self.where: played.planned.on.where,
                "control": played.planned.on.control,
                "version": played.planned.version,
                "length": played.planned.length,
                "taken": played.planned.done,
                "expected": sorted(played.planned.expected),
                "as_expected": played.as_expected,
                "runs": [
                    {
                        "steps": [{"step": one.step, "said": one.said, "done": one.done} for one in run.steps],
                        "seen": [
                            {"property": name, "step": step, "how": how}
                            for name, (step, how) in sorted(run.seen.items())
                        ],
                        **played.values(run),
                        "trouble": run.trouble,
                    }
                    for run in played.runs
                ],
            }
            for played in found
        ]


def story_text(played: Run) -> str:
    """The last run of a story, step by step, and what came of it."""
    planned, run = played.planned, played.runs[-1]
    width = min(WIDEST_STEP, max((len(one.step) for one in run.steps), default=0))
    lines = [f"{planned.story.name} on Kafka {played.release}, {planned.on.where}: {planned.story.about}"]
    lines += [f"  {one.step.ljust(width)}  {'' if one.done else 'not done: '}{one.said}" for one in run.steps]
    if run.done == len(planned.path) - 1 and not run.trouble:
        lines.append(f"  The model refuses step {len(planned.path)} too: {planned.path[-1].refusal}")
    lines += [f"After step {step}: {how}" for step, how in run.seen.values()]
    if run.trouble:
        return "\n".join([*lines, f"It did not go on: {run.trouble}"])
    return "\n".join([*lines, played.ending(run)])


def _row(played: Run) -> tuple[str, ...]:
    planned = played.planned
    said = f"{'' if played.as_expected else 'NOT '}as the model says"
    return (
        planned.story.name,
        played.release,
        planned.on.where,
        planned.said,
        str(len(played.runs)),
        played.outcome,
        said,
    )


def _markdown_row(played: Run) -> str:
    planned = played.planned
    good = sum(1 for run in played.runs if played.is_as_expected(run))
    return (
        f"| {played.release} | {planned.on.where} | {planned.said} | {planned.done} of {len(planned.on.steps)}"
        f" | {played.outcome} | {good} of {len(played.runs)} |"
    )
