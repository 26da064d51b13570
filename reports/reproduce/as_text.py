"""A counterexample, played on real brokers, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from neverlost.conformance.cluster.finding import Found, Tried
from neverlost.conformance.cluster.reproduction import Reproduction
from neverlost.explorer.traces.sentence import sentence

from ..quantities import show_seconds


def reproduction_text(found: Reproduction, file: str, quiet: bool, number: int | None) -> str:
    """How a run went. `file` is that of the trace; `number` counts the runs if there are several."""
    return "\n".join(_lines(found, file, quiet, number))


def found_text(found: Found, quiet: bool) -> str:
    """What was tried in the search for a run, and the run if one was found."""
    lines = list(_tried_lines(found.tried))
    if found.trace is not None:
        lines.append(
            f"{found.trace.model.profile.name}, {len(found.trace.steps)} steps: brokers can be made to do these"
        )
        if not quiet:
            bounds = found.trace.model.bounds
            lines += [f"{number:3}. {step.show(bounds)}" for number, step in enumerate(found.trace.steps, start=1)]
    return "\n".join(lines)


def _tried_lines(tried: Sequence[Tried]) -> Iterator[str]:
    """A line for each run; one for all lengths of which the same is said."""
    for (profile, why), group in groupby(tried, key=lambda one: (one.profile, one.why)):
        lengths = [one.length for one in group]
        if lengths[0] == lengths[-1]:
            yield str(Tried(profile=profile, length=lengths[0], why=why))
        else:
            yield f"{profile}, {lengths[0]} to {lengths[-1]} steps: {why}"


def _lines(found: Reproduction, file: str, quiet: bool, number: int | None) -> list[str]:
    model, verdict = found.trace.model, found.verdict
    run = "" if number is None else f", run {number}"
    lines = [f"{file} on Kafka {found.release}{run}: {verdict.upper()}. {_ending(found)}"]
    if quiet:
        return lines
    if found.trace.property is not None:
        lines += ["", f"The run shows: {sentence(found.trace)}", ""]
    width = max((len(step.step.show(model.bounds)) for step in found.steps), default=0)
    for step in found.steps:
        how = "as the run" if step.as_the_run else "as the model, but another way" if step.as_the_model else "OTHERWISE"
        lines.append(f"{step.number:3}. {step.step.show(model.bounds):{width}}  {how}  {show_seconds(step.seconds)}")
        lines += [f"       by itself: {hidden.show(model.bounds)}" for hidden in step.hidden]
        lines += [f"       not done: {step.refusal}"] if step.refusal else []
        lines += [f"       {difference.show()}" for difference in step.differences]
    if found.final is not None:
        lines += ["", "When everything flows again"]
        lines += [f"  r{found.final.leader} leads epoch {found.final.leader_epoch}"]
        for broker, log in found.final.logs.items():
            records = " ".join(value if epoch is None else f"{value}@{epoch}" for _, epoch, value in log)
            lines.append(f"  log of r{broker}: [{records}]")
        lines.append(f"  a consumer reads: {' '.join(found.final.consumer) or 'nothing'}")
        lines += [f"  note: {note}" for note in found.final.notes]
    return lines


def _ending(found: Reproduction) -> str:
    """What is left in the end, in a sentence."""
    if found.final is None:
        return f"The brokers did not come back together: {found.trouble}"
    said = []
    difference = found.first_difference
    if difference is not None:
        said.append(f"The brokers differ from the model at step {difference.number}.")
    if found.lost:
        values = ", ".join(f"v{value}" for value in found.lost)
        said.append(f"Acknowledged and gone: {values}; a consumer does not read it.")
    else:
        said.append("Every acknowledged record is there." if found.acknowledged else "Nothing was acknowledged.")
    if found.diverged:
        said.append("Logs have different records at one offset.")
    return " ".join(said)
