"""What else could have happened in each state of a trace, two steps far, and which guards refused the rest: as compact values."""

from __future__ import annotations

from typing import Any

from neverlost.explorer.traces.changes import owner_lines
from neverlost.explorer.traces.choices import Choices, choices, judgements
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Packed, Step

from .watched import watched


def beyond(trace: Trace) -> dict[str, Any]:
    """For each state of a trace the steps that could happen, and after each of them those that could happen next.

    `texts` are all texts. A state is `[possible, refused, taken]`: a possible step is `[step, changes, violated, next steps]`, its
    next steps are `[step, violated...]`, and a refused entry is `[guard, steps]`: all by the number of their text. `taken`
    is the step that the trace takes, -1 at its end.
    """
    looking = _Beyond(trace)
    taken = [looking.step(step) for step in trace.steps] + [-1]
    states = [[*looking.state(words), step] for words, step in zip(trace.states, taken, strict=True)]
    return {"states": states, "texts": list(looking.texts)}


class _Beyond:
    """What was found so far: neighbouring states share most of what may happen next, so each state is looked at once."""

    def __init__(self, trace: Trace) -> None:
        self.model, self.props = trace.model, watched(trace)
        self.texts: dict[str, int] = {}
        self.seen: dict[Packed, Choices] = {}
        self.judged: dict[tuple[Packed, Packed], list[int]] = {}

    def state(self, words: Packed) -> list[Any]:
        """A state as `[possible, refused]`."""
        here, state = self._choices(words), self.model.state(words)
        possible = [
            [
                self.step(choice.step),
                self._text(". ".join(owner_lines(state, self.model.passing(choice.after)))),
                self._violated(words, choice.after),
                [
                    [self.step(further.step), *self._violated(choice.after, further.after)]
                    for further in self._choices(choice.after).possible
                ],
            ]
            for choice in here.possible
        ]
        refused = [
            [self._text(refusal.reason), [self.step(step) for step in refusal.steps]] for refusal in here.refused
        ]
        return [possible, refused]

    def step(self, step: Step) -> int:
        return self._text(step.show(self.model.bounds))

    def _text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def _choices(self, words: Packed) -> Choices:
        if words not in self.seen:
            self.seen[words] = choices(self.model, words)
        return self.seen[words]

    def _violated(self, before: Packed, words: Packed) -> list[int]:
        if (before, words) not in self.judged:
            found = judgements(self.model, before, words, self.props)
            self.judged[before, words] = [self._text(j.property.name) for j in found if j.holds is False]
        return self.judged[before, words]
