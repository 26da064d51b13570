"""Why no run explains an event: for each step that it may be, the guard that refuses it, or the observation that differs."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Model, Packed, Step

from .event import Event
from .following import Interpreter, LogSearch, Outcome

MOST_STATES = 100
"""Reasons are collected in so many of the states that the model may be in."""


@dataclass(frozen=True, kw_only=True)
class ObservationMismatch:
    """An element of the state that differs between log and model."""

    place: str
    expected: str
    seen: str

    def show(self) -> str:
        return f"{self.place} would be {self.expected}, but the log saw {self.seen}"


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why the event is not one of these steps: a guard, or an observation after them. `hidden` names the hidden steps before."""

    steps: tuple[str, ...]
    guard: str
    mismatches: tuple[ObservationMismatch, ...]
    hidden: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The reason in words."""
        if self.guard:
            return f"refused by {self.guard}"
        return "; ".join(one.show() for one in self.mismatches)


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """The first event without an explanation: its number from 1, the states before it, and the reasons."""

    number: int
    event: Event
    states: tuple[Packed, ...]
    reasons: tuple[Reason, ...]
    gap_states: int


def refusal(following: LogSearch, outcome: Outcome) -> Refusal:
    """The refusal for a log that does not follow the model, or whose search ended early."""
    model = following.model
    event = following.events[outcome.explained]
    following.stopped_by = None
    following.looked = following.interpreter.work = 0
    found: dict[tuple[str, tuple[ObservationMismatch, ...]], list[str]] = {}
    hidden_of: dict[tuple[str, tuple[ObservationMismatch, ...]], tuple[str, ...]] = {}
    gap_states = 0
    for words in outcome.states[:MOST_STATES]:
        for hidden, before in following.gap(words, outcome.explained):
            gap_states += bool(hidden)
            for step in event.steps:
                if following.stopped(outcome.explained):
                    break
                key = _why(model, following.interpreter, before, step, event)
                shown = step.show(model.bounds)
                if not any(key) or (key[0] and hidden):
                    continue
                hidden_of.setdefault(key, tuple(one.show(model.bounds) for one in hidden))
                if shown not in found.setdefault(key, []):
                    found[key].append(shown)
    reasons = [
        Reason(steps=tuple(steps), guard=guard, mismatches=mismatches, hidden=hidden_of[guard, mismatches])
        for (guard, mismatches), steps in found.items()
    ]
    reasons.sort(key=lambda reason: (len(reason.hidden), bool(reason.guard), len(reason.mismatches)))
    return Refusal(
        number=outcome.explained + 1,
        event=event,
        states=outcome.states,
        reasons=tuple(reasons),
        gap_states=gap_states,
    )


def _why(
    model: Model, interpreter: Interpreter, before: Packed, step: Step, event: Event
) -> tuple[str, tuple[ObservationMismatch, ...]]:
    """The guard that refuses a step, or the observations after it that differ."""
    after = interpreter.after(before, step)
    if after is None:
        return interpreter.guard(before, step), ()
    return "", _mismatches(model, after, event)


def _mismatches(model: Model, after: Packed, event: Event) -> tuple[ObservationMismatch, ...]:
    found = []
    for seen in event.observation.differing(after):
        place = model.layout.places[seen.place.partition("[")[0]]
        expected = place.field.domain.show((after[seen.word] >> seen.shift & seen.mask) + place.low, model.bounds)
        found.append(ObservationMismatch(place=seen.place, expected=expected, seen=seen.shown))
    return tuple(found)
