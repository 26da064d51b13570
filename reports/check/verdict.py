"""The verdict of a search in a sentence."""

from __future__ import annotations

from neverlost.explorer.result import Result
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted

from ..common import model_words

STOPPED_BY = {
    "states": "the limit of distinct states",
    "depth": "the limit of levels",
    "memory": "the limit of memory",
    "disk": "a full disk (NEVERLOST_CACHE names the folder)",
    "time": "the limit of time",
    "interrupt": "an interrupt",
    None: "its first findings",
}
"""What ended a search before it was complete."""


def verdict_sentence(result: Result, stopped_by: str | None = None, stories: int = 1) -> str:
    """What is decided, and by how many states. `stopped_by` is what ended the search, if the caller can say more than `STOPPED_BY`.

    `stories` is how many traces follow.
    """
    seen = f"{counted(result.distinct, 'distinct state')} at depth {result.depth}"
    whole = "" if result.complete else ", the search not complete"
    every = f"{'the' if result.distinct == 1 or result.leaves_out else 'all'} {seen}"
    violated = [f for f in result.findings.values() if f.asserted and f.verdict == Verdict.VIOLATED]
    if not any(f.asserted for f in result.findings.values()):
        return f"UNDECIDED: there is no property to decide ({seen}{whole})."
    if result.verdict == Verdict.HOLDS and result.complete:
        return f"every property holds, in {every}{result.model.proviso}.{_left_out(result)}{_ran_out(result)}"
    if result.verdict == Verdict.HOLDS:
        return f"every property asked for holds; the search could end early, with {seen}."
    if violated:
        names = " and ".join(f.property.name for f in violated)
        verb = "are" if len(violated) > 1 else "is"
        if all(f.property.seeks for f in violated):
            return f"{names} {verb} VIOLATED: there is no witness in {every}."
        shown = "" if result.shown is None or not stories else f" The story of {result.shown.property.name} follows."
        which = "" if len(violated) == 1 else " Their stories follow." if stories > 1 else shown
        return f"{names} {verb} VIOLATED ({seen}{whole}).{which}"
    levels, seen_states = counted(result.depth, "complete level"), counted(result.distinct, "distinct state")
    ended = stopped_by or STOPPED_BY[result.stopped_by]
    return f"UNDECIDED: stopped by {ended} after {levels} with {seen_states}; nothing is violated in these."


def headline_words(result: Result, stopped_by: str | None = None, stories: int = 1) -> str:
    """What the verdict is about, the verdict, and what it does not cover."""
    return f"{model_words(result.model)}: {verdict_sentence(result, stopped_by, stories)}{untried(result)}"


def untried(result: Result) -> str:
    """How many actions a verdict that holds says nothing about, because they never happened."""
    dead = len(result.dead_actions)
    actions = len(result.generated_by_action) - len(result.switched_off_actions)
    if not dead or result.verdict != Verdict.HOLDS or not result.complete:
        return ""
    if result.leaves_out:
        return f" {dead} of the {counted(actions, 'action')} never happened in the states that were expanded."
    return f" It says nothing about {dead} of the {counted(actions, 'action')}, which never happened."


def _left_out(result: Result) -> str:
    """How many states were not expanded, and why, as a sentence."""
    left_out = result.left_out
    if left_out is None or not left_out.states:
        return ""
    verb = "was" if left_out.states == 1 else "were"
    return f" {left_out.states:,} of them {verb} not expanded: {left_out.because}."


def _ran_out(result: Result) -> str:
    """In how many states the bounds left too little of something, as sentences."""
    out_of = (
        f" In {states:,} of them {what} ran out: what follows was not searched."
        for what, states in result.ran_out.items()
    )
    return "".join(out_of)
