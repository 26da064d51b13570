"""What is wrong without each condition of a model, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.mutants.mutant import ERROR, LOST, Outcome
from neverlost.explorer.traces.commands import option_name, setting_option
from neverlost.explorer.words import counted
from neverlost.model.core import Model
from neverlost.model.core.profile import show_bounds

from ..layout import wrapped


def conditions_text(model: Model, found: Sequence[Outcome]) -> str:
    """Every condition, and what is wrong without it: first those whose lack nothing finds, then those that cannot show."""
    lines = []
    for outcome in sorted(found, key=lambda outcome: (outcome.killed, bool(outcome.decided_by))):
        lines += [wrapped(f"  {outcome.mutant.label}", "    "), wrapped(f"      {_what(model, outcome)}", "      ")]
    return "\n".join(lines)


def _what(model: Model, outcome: Outcome) -> str:
    if outcome.how == ERROR:
        return f"without it, a step leaves a domain: {outcome.by}"
    if outcome.how == LOST:
        return f"without it, {outcome.by} has no witness"
    if outcome.killed:
        where = f"after {counted(len(outcome.steps), 'step')}" if outcome.steps else "in the initial state"
        return f"without it, {outcome.by} is violated {where}"
    if not outcome.complete:
        return "UNDECIDED: the search ended before its end"
    if outcome.decided_by:
        return f"cannot show{_why(model, outcome.decided_by)}"
    if outcome.same_states and outcome.same_steps:
        return "SURVIVES: without it, all states and steps are the same"
    states = "as many states, but other steps"
    if outcome.more:
        states = f"{counted(abs(outcome.more), 'state')} {'more' if outcome.more > 0 else 'fewer'}"
    return f"SURVIVES: without it, there are {states}, and every property holds"


def _why(model: Model, names: Sequence[str]) -> str:
    """As what a condition cannot show: ` with --no-twice: no run has a crash (--crashes 0)`."""
    state = model.profile.state
    budgets = [f"no run has {_a(b.singular)} ({option_name(b.name)} 0)" for b in state.budgets if b.name in names]
    others = [
        setting_option(s, model.settings[s.name]) for s in state.settings if s.name in names and s not in state.budgets
    ]
    others += [f"{option_name(name)} 0" for name in model.bounds if name in names]
    return f"{' with ' * bool(others)}{' '.join(others)}{': ' * bool(budgets)}{', '.join(budgets)}"


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def conditions_verdict(model: Model, found: Sequence[Outcome], complete: bool) -> str:
    """How many conditions something finds, in a sentence."""
    bounds = f" ({show_bounds(model.bounds)})" if model.bounds else ""
    killed, idle = sum(outcome.killed for outcome in found), sum(bool(outcome.decided_by) for outcome in found)
    left = len(found) - killed - idle
    can = f" {idle} cannot show as the settings and bounds are." if idle else ""
    ended = "" if complete else " The run ended before all were tried."
    finds = f"{model.profile.name}{bounds}: something finds the lack of"
    if not left:
        each = (
            f"each of the {counted(killed, 'condition')} that can show"
            if idle
            else f"each of its {counted(killed, 'condition')}"
        )
        return wrapped(f"{finds} {each}.{can}{ended}")
    return wrapped(
        f"{finds} {killed} of {counted(len(found), 'condition')}.{can} Nothing finds the lack of {left}: remove what has no effect, or"
        f" state a property that needs it.{ended}"
    )
