"""A mutant of a model or of an implementation, and what became of it in a search."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from neverlost.explorer.result import DecidedProperty, Result
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import ModelError

GUARD, PART, EFFECT, BOUNDARY = "guard", "part", "effect", "boundary"
BRANCH, VALUE, SWITCH, KEPT, CODE = "branch", "value", "switch", "kept", "code"
EXEMPT, LOOP, OTHER, DERIVED = "exempt", "loop", "other", "derived"
VIOLATED, ERROR, LOST = "violated", "error", "lost"
MUTANTS = "<mutants of "
"""What the place of a mutated function begins with, before the name of a module."""
PLACES: dict[str, str] = {}
"""The places of what mutated functions do, each with its place in the model: {"<mutants of jugs: 1>:7": "jugs.py:30"}."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One mistake: what is written in a place, what stands there instead, and the rules that it breaks."""

    name: str
    kind: str
    written: str
    instead: str
    place: str = ""
    rules: str = ""
    actions: frozenset[str] = frozenset()
    """Those of a model whose steps it can change."""
    switched: Mapping[str, int] = field(default_factory=dict, hash=False)
    """The settings that are others, if the mistake is to behave as another release does."""

    @property
    def function(self) -> str:
        """The function of a model that it is in: `kip_320.fenced_follower_fetch`."""
        return self.name.partition(":")[0]

    @property
    def label(self) -> str:
        """How people find it: `kip_320.fenced_follower_fetch: a < b`."""
        return f"{self.function}: {self.written}"

    @property
    def about(self) -> str:
        """What is wrong, for readers: `s.up[replica]` is taken for `True`."""
        if self.kind == SWITCH:
            return f"{self.written}, and not {self.instead}"
        if self.kind == KEPT:
            return f"`{self.instead}` sets `{self.written}` back to what it is at the start"
        if self.kind == EFFECT:
            return f"`{self.written}` does not happen"
        if self.kind == DERIVED:
            return f"`{self.instead}` leaves or loses what follows from the {self.written}"
        if self.kind == LOOP:
            return f"`{self.written}` happens for one member only"
        return f"`{self.written}` is taken for `{self.instead}`"


def ensure_stands_once(written: str, found: int, place: str) -> None:
    """Raises ValueError unless what a mistake replaces was found once in its place."""
    if found != 1:
        raise ValueError(f"{written!r} stands {found} times in {place}; write it as it stands now")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a mutant in a search: what killed it, after which steps; or what it reached instead of what the model does.

    `how` it was killed: a property is VIOLATED, an action leaves a domain (ERROR), or a witness of the model is LOST. Empty if it
    survived.
    `more` is how many states more there are than in the model. `decided_by` are the settings, budgets and bounds as which it cannot
    differ from the model.
    """

    mutant: Mutant
    how: str = ""
    by: str = ""
    steps: tuple[str, ...] = ()
    complete: bool = True
    more: int = 0
    same_states: bool = False
    same_steps: bool = False
    decided_by: tuple[str, ...] = ()

    @property
    def killed(self) -> bool:
        """Whether something is wrong with the mutant."""
        return self.how != ""


def outcome_of(mutant: Mutant, whole: Result, search: Callable[[], Result]) -> Outcome:
    """What a search with a mutant shows. `whole` is the complete search of the model, in which all holds."""
    try:
        found = search()
    except ModelError as error:
        said = re.sub(f"{MUTANTS}[^>]*>:\\d+", lambda place: PLACES[place[0]], str(error).splitlines()[0])
        return Outcome(mutant=mutant, how=ERROR, by=said)
    if found.verdict == Verdict.VIOLATED:
        if found.shown is None:
            missing = next(
                name for name, one in found.findings.items() if one.asserted and one.verdict == Verdict.VIOLATED
            )
            return Outcome(mutant=mutant, how=LOST, by=missing)
        return Outcome(mutant=mutant, how=VIOLATED, by=found.shown.property.name, steps=steps_to(found.shown))
    return Outcome(
        mutant=mutant,
        complete=found.complete and found.verdict != Verdict.UNDECIDED,
        more=found.distinct - whole.distinct,
        same_states=found.digest == whole.digest,
        same_steps=found.generated == whole.generated,
    )


def steps_to(found: DecidedProperty) -> tuple[str, ...]:
    """The steps that decide a property, as text."""
    assert found.trace is not None
    return tuple(step.show(found.trace.model.bounds) for step in found.trace.steps)
