"""Kernels that do one step at a time, so that each can be held against the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np

from neverlost.explorer.compile.cache import BASELINE, loaded_kernel
from neverlost.explorer.compile.emitter.machine import Kernel
from neverlost.explorer.compile.generate import ModelKernel
from neverlost.explorer.compile.translate import DECLARED, OUTSIDE
from neverlost.model.core import Model, ModelError, Packed, Refused


class StepKernel(ModelKernel):
    """Every action of a model, by its number."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, [a.function for a in model.profile.actions])

    def text(self) -> str:
        lines = [
            "@entry",
            f"def apply(states: rows, action, arguments: vector, out: rows, {DECLARED}):",
            self.load("s", "states", "0", "    ") + "    enabled = False",
        ]
        for number, action in enumerate(self.model.profile.actions):
            arguments = "".join(f", arguments[{k}]" for k in range(len(action.parameters)))
            call = f"{self.translator.names[action.function]}({self.words}{arguments}, {OUTSIDE})"
            lines += [f"    if action == {number}:", f"        enabled, {self.words} = {call}"]
        return self.assembled(
            "\n".join([*lines, *(f"    out[0, {k}] = s_{k}" for k in range(self.width)), "    return enabled"])
        )


OPTIMISED_SOON = 30_000
"""Longer texts are not optimised: that takes longer than the tests."""

_KERNELS: dict[tuple[Any, ...], Kernel] = {}


def _kernel(model: Model) -> Kernel:
    key = (model.profile.state, model.profile.actions, *model.bounds.items())
    if key not in _KERNELS:
        text = StepKernel(model).text()
        _KERNELS[key], _ = loaded_kernel(text if len(text) <= OPTIMISED_SOON else BASELINE + text)
    return _KERNELS[key]


def compiled_step(model: Model, words: Packed, number: int) -> Packed | str | None:
    """The state after a step, None if the step is refused, "flaw" if it leaves a domain."""
    step, rows = model.steps[number], np.array([words], np.int64)
    flaw, out = np.zeros(1, np.int64), np.zeros((1, len(words)), np.int64)
    action, arguments = model.profile.actions.index(step.action), np.array([*step.arguments, 0], np.int64)
    enabled = _kernel(model).apply(rows, action, arguments, out, flaw, *model.layout.pack_settings())
    return "flaw" if flaw[0] else tuple(map(int, out[0])) if enabled else None


def interpreted_step(model: Model, words: Packed, number: int) -> Packed | str | None:
    """The same by the interpreter."""
    try:
        return model.apply(words, model.steps[number])
    except Refused:
        return None
    except ModelError:
        return "flaw"
