"""Random runs on real brokers, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.cluster.releases import RunnableRelease
from neverlost.conformance.cluster.soaking import SoakRun
from neverlost.explorer.words import counted


def soak_verdict(release: RunnableRelease, runs: int, steps: int, differing: Sequence[SoakRun]) -> str:
    """How much was done, and whether it was as the model says."""
    verdict = f"{counted(len(differing), 'run')} of them differ" if differing else "every step as the model"
    return f"Kafka {release}: {counted(runs, 'random run')} of {counted(steps, 'step')} together, {verdict}"


def difference_text(run: SoakRun) -> str:
    """A run that differs, step by step."""
    lines = ["", f"Run {run.number}"]
    for judged in run.judged:
        lines.append(f"{judged.number:4}. {judged.step.show(run.model.bounds)}")
        lines += [f"        {judged.refusal}"] if judged.refusal else []
        lines += [f"        {difference.show()}" for difference in judged.differences]
    return "\n".join([*lines, *([f"      {run.trouble}"] if run.trouble else [])])
