"""What the terms of a translation say of one packed state: the variables replaced by its values."""

from __future__ import annotations

from typing import Any

import z3

from neverlost.explorer.symbolic.clauses import Translation, as_term
from neverlost.explorer.symbolic.states import parts
from neverlost.model.core import Model, ModelError, Packed, Refused


def constants(translation: Translation, words: Packed) -> list[tuple[Any, Any]]:
    """Each variable of the state before a step with its value in a packed state."""
    state = translation.model.state(words)
    pairs = []
    for name, shape in translation.space.shapes.items():
        positions = shape.field.positions(translation.model.bounds)
        for position, value in zip(positions, translation.before.fields[name], strict=True):
            number = state.element(shape.field, position)
            for member, variable in enumerate(parts(value)):
                if z3.is_bv(variable):
                    pairs.append((variable, translation.terms.constant(number)))
                else:
                    pairs.append((variable, z3.BoolVal(bool(number >> member & 1))))
    return pairs


class Evaluated:
    """A translation, asked about one packed state."""

    def __init__(self, translation: Translation, words: Packed) -> None:
        self.translation, self.pairs, self.words = translation, constants(translation, words), words

    def is_true(self, truth: Any) -> bool:
        """The value of a truth value."""
        found = z3.simplify(z3.substitute(as_term(truth), *self.pairs))
        assert z3.is_true(found) or z3.is_false(found), found
        return bool(z3.is_true(found))

    def step(self, number: int) -> Packed | str | None:
        """The state after a step, None if the step is refused, "flaw" if it leaves a domain."""
        symbolic = self.translation.symbolic_step(self.translation.model.steps[number])
        if self.is_true(symbolic.flaw):
            return "flaw"
        if not self.is_true(symbolic.enabled):
            return None
        solver = z3.SimpleSolver()
        solver.add(*[variable == value for variable, value in self.pairs])
        assert solver.check() == z3.sat
        return self.translation.space.read(solver.model(), symbolic.after)


def interpreted(model: Model, words: Packed, number: int) -> Packed | str | None:
    """The same from the interpreter."""
    try:
        return model.apply(words, model.steps[number])
    except Refused:
        return None
    except ModelError:
        return "flaw"
