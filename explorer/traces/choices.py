"""What may happen next in a state, what may not and why, and what holds there: all by the interpreter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neverlost.model.core import Model, ModelError, Packed, Property, Refused, Step
from neverlost.model.core.guards import guard_of, place_of


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A step that may happen, and the state that it leads to."""

    step: Step
    after: Packed


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Steps that cannot happen for one reason: the guard that refuses them, or how they leave a domain."""

    reason: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Every step of a model, in one state: those that may happen, and the others by the reason why they cannot."""

    possible: tuple[Choice, ...]
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A property in one state: whether it is as it should be. A `sometimes` is met or not met yet; both are as they should be.

    `holds` is None for a property that is not about single states or steps.
    """

    property: Property
    holds: bool | None
    seen: bool | None = None


def choices(model: Model, words: Packed) -> Choices:
    """What may happen in a state, and what may not. A step that leaves a domain has no state after it, and so does not happen."""
    state = model.passing(words)
    possible: list[Choice] = []
    refused: dict[str, list[Step]] = {}
    for step in model.steps:
        try:
            step.action.function(state, *step.arguments)
            possible.append(Choice(step=step, after=model.layout.pack_changes(words, state)))
        except Refused as error:
            refused.setdefault(str(guard_of(error)), []).append(step)
        except ModelError as error:
            left = f"a mistake in the model: {error}{place_of(error, step.action.function)}"
            refused.setdefault(left, []).append(step)
        finally:
            if state.journal:
                state.undo()
    return Choices(
        possible=tuple(possible),
        refused=tuple(Refusal(reason=reason, steps=tuple(steps)) for reason, steps in refused.items()),
    )


def judgements(model: Model, before: Packed | None, words: Packed, chosen: Iterable[Property]) -> list[Judgement]:
    """Each property in a state, or on the step that led to it from `before`; a step property needs a step."""
    # Unpacking takes longer than most properties, so each state is unpacked once for all of them.
    here = model.passing(words, other=True)
    earlier = None if before is None else model.passing(before)

    def holds(prop: Property) -> bool:
        try:
            return bool(prop.function(earlier, here) if prop.over_steps else prop.function(here))
        except ModelError:
            # Its error names the property.
            return model.holds(prop, *([before] if prop.over_steps and before is not None else []), words)

    found = []
    for prop in chosen:
        if prop.over_runs or (prop.over_steps and before is None):
            found.append(Judgement(property=prop, holds=None))
        elif prop.seeks:
            found.append(Judgement(property=prop, holds=True, seen=holds(prop)))
        else:
            found.append(Judgement(property=prop, holds=holds(prop)))
    return found
