"""The report of a check, for people: the verdict first, then the story of what goes wrong, then what the verdict rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from neverlost.explorer.result import DecidedProperty, LeftOut, Result
from neverlost.explorer.search import Limits
from neverlost.explorer.traces.trace import Trace
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Model

from ..layout import shell_lines, wrapped
from ..quantities import show_bytes, show_seconds
from ..styled import STYLES, titled
from ..trace.as_text import fairness_text, story_text, trace_text
from .verdict import STOPPED_BY, headline_words


@dataclass(frozen=True, kw_only=True)
class Check:
    """A search: its result, its limits, the words of its command, and the file of its trace.

    `memory` is the limit of memory as the user wrote it, None without one: the report repeats it word for word. `resume_command`
    resumes an interrupted search in a store; `showing` shows the trace of a property NAME from a store of the spark engine.
    `all_traces` says that every violated property is shown with its trace, `drawn` that a page is written, `goes_further` that
    there are larger models that were not asked for.
    """

    result: Result
    limits: Limits
    memory: str | None
    command: Sequence[str]
    trace_file: str | None
    resume_command: str | None = None
    showing: str | None = None
    all_traces: bool = False
    drawn: bool = False
    goes_further: bool = False

    @property
    def decisive(self) -> DecidedProperty | None:
        """The finding that the report shows in full."""
        return self.result.shown

    @property
    def traces(self) -> list[Trace]:
        """The traces to show: that of the decisive finding, or those of all asserted properties that are violated, shortest first."""
        first = [] if self.decisive is None else [self.decisive]
        if self.all_traces:
            violated = [f for f in self.result.findings.values() if f.asserted and f.verdict == Verdict.VIOLATED]
            first = sorted(violated, key=lambda finding: len(finding.trace or ())) or first
        return [finding.trace for finding in first if finding.trace is not None]

    @property
    def stopped_by(self) -> str:
        """What ended the search before it was complete."""
        limits = self.limits
        memory = self.memory or (show_bytes(limits.memory_bytes) if limits.memory_bytes else "")
        return {
            "states": f"the limit of {limits.states:,} distinct states (--max-states)" if limits.states else "",
            "depth": f"the limit of {counted(limits.depth, 'level')} (--max-depth)" if limits.depth else "",
            "memory": f"the limit of {memory} (--memory)",
            "time": f"the limit of {show_seconds(limits.seconds)} (--time-limit)" if limits.seconds else "",
            "disk": STOPPED_BY["disk"],
            "interrupt": STOPPED_BY["interrupt"],
            None: f"{STOPPED_BY[None]} (--until all continues)",
        }[self.result.stopped_by]


def headline(check: Check, stories: int) -> Text:
    """The verdict in one sentence; a second one says what it does not cover. `stories` is how many traces follow."""
    result = check.result
    text = headline_words(result, check.stopped_by, stories)
    return Text(wrapped(text, "  "), style=STYLES[result.verdict])


def summary(check: Check) -> Iterator[Text]:
    """The verdict; below it the dead actions and the wanted states that never occurred, if any."""
    yield headline(check, stories=0)
    for line, names in _never_happened(check.result).items():
        if names:
            yield Text(wrapped(f"  {line}: {', '.join(names)}", "    "), style="yellow")
    if check.resume_command is not None:
        yield Text(f"  To resume where it stopped: {check.resume_command}")


def report(check: Check) -> Iterator[Text]:
    """The whole report, part by part."""
    result = check.result
    yield headline(check, stories=len(check.traces))
    for trace in check.traces:
        yield Text()
        yield titled(trace_text(trace))
    yield Text()
    yield from _properties(result)
    yield Text()
    yield Text("Search", style="bold")
    for name, value in numbers(check).items():
        yield Text(f"  {name:14}{value}")
    yield Text()
    yield from _actions(result)
    yield Text()
    yield from _next(check)


def brief(check: Check) -> Iterator[Text]:
    """The verdict, the stories without the meanings of their words, the verdicts of all properties, and how to go on."""
    yield headline(check, stories=len(check.traces))
    for trace in check.traces:
        yield Text()
        yield titled(story_text(trace))
    yield Text()
    yield from _properties(check.result)
    yield Text()
    yield from _next(check)


def _properties(result: Result) -> Iterator[Text]:
    findings = list(result.findings.values())
    yield Text("Properties", style="bold")
    for finding in (f for f in findings if f.asserted):
        yield from _property(finding, result.model)
    probes = [f for f in findings if not f.asserted]
    if probes:
        yield Text()
        yield Text("Also reported, not asserted", style="bold")
    for finding in probes:
        yield from _property(finding, result.model)


def _property(finding: DecidedProperty, model: Model) -> Iterator[Text]:
    line = Text(f"  {finding.property.name + ' ':28}{finding.property.kind:13}")
    missing = finding.property.seeks and finding.verdict == Verdict.VIOLATED
    words = "no witness" if missing else str(finding.verdict)
    line.append(f"{words:11}", style=STYLES[finding.verdict] if finding.asserted else "dim")
    line.append(extent(finding, model))
    line.rstrip()
    yield line
    fair = f" {fairness_text(finding.property)}".rstrip()
    yield Text(wrapped(f"      {finding.property.statement}{fair}", "      "), style="dim")


def extent(finding: DecidedProperty, model: Model) -> str:
    """What a verdict rests on: where the property is first decided, and in how many states."""
    seeks, trace = finding.property.seeks, finding.trace
    if trace is None and finding.property.over_runs:
        if finding.verdict == Verdict.UNDECIDED:
            return "decided when all states are explored"
        return "true at the start: says nothing of later" if _true_at_the_start(finding, model) else ""
    if trace is None:
        undecided = f"{'no witness' if seeks else 'no violation'} so far"
        words = {Verdict.VIOLATED: "in any state", Verdict.UNDECIDED: undecided, Verdict.HOLDS: ""}
        return words[finding.verdict]
    if finding.property.over_runs:
        return f"false forever from step {trace.loop_start} on" if trace.loop_start else "false forever from the start"
    first = f"after {counted(len(trace) - 1, 'step')}" if len(trace) > 1 else "in the initial state"
    if seeks:
        return f"witnessed {first}"
    where = f"in {counted(finding.violating_states, 'state')}, " if finding.violating_states is not None else ""
    return f"false {where}first {first}"


def _true_at_the_start(finding: DecidedProperty, model: Model) -> bool:
    """Is an `eventually` that waits for nothing true before the first step?"""
    waits = finding.property.after is not None
    return not waits and all(finding.property.function(model.state(words)) for words in model.initial_states())


def numbers(check: Check) -> dict[str, str]:
    """What the search was: how far it went, how long it took, and on which engine."""
    result = check.result
    rate = f" ({result.distinct / result.seconds:,.0f} states/s)" if result.seconds >= 0.1 else ""
    compiled = f", and {show_seconds(result.compile_seconds)} to prepare the engine" if result.compile_seconds else ""
    symmetry = f", symmetric in {', '.join(result.symmetry)}" if result.symmetry else ""
    so_far = " (so far, complete levels)" if not result.complete else ""
    whole = (
        f", {result.distinct_without_symmetry:,} without symmetry" if result.symmetry and result.whole_levels else ""
    )
    left_out = {} if result.left_out is None else {"not expanded": _left_out(result.left_out)}
    return {
        "complete": "yes" if result.complete else f"no, stopped by {check.stopped_by}",
        "distinct": f"{counted(result.distinct, 'state')}{whole}{so_far}",
        **left_out,
        "generated": counted(result.generated, "state"),
        "depth": counted(result.depth, "level"),
        "widest level": counted(max(result.levels), "state"),
        "time": f"{show_seconds(result.seconds)}{rate}{compiled}",
        "memory": f"{show_bytes(result.peak_memory_bytes)} at its peak",
        "engine": f"{result.engine}, {counted(result.workers, 'worker')}{symmetry}",
        "digest": result.digest,
    }


def _left_out(left_out: LeftOut) -> str:
    """How many states were not expanded and why, or why all were."""
    if left_out.doubt is not None:
        return f"0 states; not proven harmless: {left_out.because}. The doubt: {left_out.doubt}"
    return f"{counted(left_out.states, 'state')}: {left_out.because} (--until all expands them)"


def _actions(result: Result) -> Iterator[Text]:
    yield Text("Actions, and how many states each generated", style="bold")
    for name, count in result.generated_by_action.items():
        yield Text(f"  {name:60}{count:>16,}", style="" if count else "yellow")
    for line, names in _never_happened(result).items():
        yield Text(wrapped(f"  {line}: {', '.join(names) or 'none'}", "    "))
    off = result.switched_off_actions
    if off:
        yield Text(wrapped(f"  switched off by the settings and bounds: {', '.join(off)}", "    "), style="dim")


def _never_happened(result: Result) -> dict[str, Sequence[str]]:
    """What may make a verdict hold for the wrong reason: the actions and the wanted states that never occurred."""
    so_far = "" if result.complete else " so far"
    so_far += " in the states that were expanded" if result.leaves_out else ""
    return {
        f"dead actions, which never happened{so_far}": result.dead_actions,
        f"sometimes-properties without a witness{so_far}": [
            f.property.name for f in result.findings.values() if f.property.seeks and f.trace is None
        ],
    }


def _next(check: Check) -> Iterator[Text]:
    if check.resume_command is not None:
        yield Text("To resume where it stopped", style="bold")
        yield Text(shell_lines([check.resume_command]))
        yield Text()
    yield Text("To run this again", style="bold")
    yield Text(shell_lines(check.command))
    # A store holds one search: another question is asked without it.
    another = [word for word in check.command if check.showing is not None or not word.startswith("--store ")]
    undecided = [f.property.name for f in check.result.findings.values() if f.verdict == Verdict.UNDECIDED]
    if undecided and check.result.verdict == Verdict.VIOLATED and check.result.stopped_by is None:
        yield Text()
        yield Text(wrapped(f"To decide the rest too: {', '.join(undecided)}", "  "), style="bold")
        yield Text(shell_lines([*another, "--until all"]))
    others = [
        f.property.name
        for f in check.result.findings.values()
        if f.trace is not None and f.trace not in check.traces and (f.trace.steps or f.property.over_runs)
    ]
    if others:
        words = [word for word in another if not word.startswith("--property")]
        yield Text()
        yield Text(wrapped(f"To see the trace of another finding: NAME is {' or '.join(others)}", ""), style="bold")
        yield Text(shell_lines([*words, "--property NAME"] if check.showing is None else [check.showing]))
    if check.trace_file is not None:
        yield Text()
        if check.decisive is not None:
            yield Text(f"The trace is in {check.trace_file}; neverlost trace and neverlost replay read it.")
        else:
            yield Text(f"There is no trace to write: {check.trace_file} was not changed.")
    if ways := list(_ways_on(check)):
        yield Text()
        yield Text(wrapped(f"{'; '.join(ways)}.", "  "))


def _ways_on(check: Check) -> Iterator[str]:
    """What to do after a verdict: look at the run, try larger bounds, prove."""
    result = check.result
    if check.traces and not check.drawn:
        yield "neverlost check ... --html FILE draws this run"
    if result.verdict != Verdict.HOLDS or not result.complete:
        return
    if check.goes_further:
        yield "neverlost check ... --thorough tries larger bounds"
    provable = [f.property.name for f in result.findings.values() if f.asserted and f.property.kind == "always"]
    if provable and result.model.profile.lemmas:
        name = provable[0] if len(provable) == 1 else "NAME"
        yield f"neverlost prove ... --property {name} asks for any number of steps"
