"""What else could have happened in each state of a trace, two steps far, and which guards refused the rest: as compact values."""

from __future__ import annotations

from typing import Any

from neverlost.model.core import Model, Packed, Property, Step

from ..changes import owner_lines
from ..choices import choices, judgements
from ..render_text import deciding_property
from ..trace import Trace


class Texts:
    """Texts that occur often, each kept once and named by its number."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))


def beyond(trace: Trace) -> dict[str, Any]:
    """For each state of a trace the steps that could happen, and after each of them those that could happen next.

    `texts` are all texts. A state is `[possible, refused, taken]`: a possible step is `[step, changes, violated, next steps]`, its
    next steps are `[step, violated]`, and a refused entry is `[guard, steps]`: all by the number of their text. `taken` is
    the step that the trace takes, -1 at its end.
    """
    texts = Texts()
    model, prop = trace.model, deciding_property(trace)
    props = [p for p in (prop, *model.profile.properties) if p is not None and not p.over_runs and not p.seeks]
    props = list(dict.fromkeys(props))
    states = [_state(model, words, props, texts) for words in trace.states]
    taken = [texts.number(step.show(model.bounds)) for step in trace.steps] + [-1]
    return {"states": [[*state, step] for state, step in zip(states, taken, strict=True)], "texts": list(texts.known)}


def _state(model: Model, words: Packed, props: list[Property], texts: Texts) -> list[Any]:
    here = choices(model, words)
    state = model.state(words)
    possible = []
    for choice in here.possible:
        after = [
            [_shown(further.step, model, texts), *_violated(model, choice.after, further.after, props, texts)]
            for further in choices(model, choice.after).possible
        ]
        possible.append(
            [
                _shown(choice.step, model, texts),
                texts.number(". ".join(owner_lines(state, model.state(choice.after)))),
                _violated(model, words, choice.after, props, texts),
                after,
            ]
        )
    refused = [
        [texts.number(str(refusal.guard)), [_shown(step, model, texts) for step in refusal.steps]]
        for refusal in here.refused
    ]
    return [possible, refused]


def _shown(step: Step, model: Model, texts: Texts) -> int:
    return texts.number(step.show(model.bounds))


def _violated(model: Model, before: Packed, words: Packed, props: list[Property], texts: Texts) -> list[int]:
    return [texts.number(j.property.name) for j in judgements(model, before, words, props) if j.holds is False]
