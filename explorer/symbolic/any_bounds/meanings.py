"""A meaning is proven from the function that it is of: by induction over the members that the function's loop goes through.

Before the loop the meaning has to be true of what is carried, as if the domain had no members; and if it is true with k members, one
round of the loop, for member k, has to make it true with one more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from neverlost.model.core import Meaning
from neverlost.model.core.reading import tree_of
from neverlost.model.core.tree import Assign, Each, Local, Loop, Return

from ..terms import Truth, UntranslatableError, Value, conjunction, negation
from .terms import substituted
from .translation import AnyTranslation


@dataclass(frozen=True, eq=False)
class MeaningStep:
    """What has to be shown of a meaning: the goal follows from what is given."""

    when: str
    given: Truth
    goal: Truth


def shown_of(translation: AnyTranslation, meaning: Meaning) -> list[MeaningStep]:
    """What has to be shown of a meaning: that it is true before the loop, and after each round of it.

    Raises UntranslatableError if the function is not a search: names get values, one loop over all members of `up_to` changes one of
    them, and that one is returned.
    """
    return _Search(translation, meaning).steps()


class _Search:
    """A function that carries one name through a loop, and returns it."""

    def __init__(self, translation: AnyTranslation, meaning: Meaning) -> None:
        self.translation, self.meaning, self.tree = translation, meaning, tree_of(meaning.function)
        self.loop, self.carried = self._form()
        self.parameters = translation.variables(meaning.parameters)

    def _form(self) -> tuple[Loop, str]:
        match self.tree.body:
            case (*before, Loop(over=Each(domain=domain)) as loop, Return(value=Local(name=name))) if (
                domain is self.meaning.up_to
                and domain.bound
                and all(isinstance(part, Assign) and isinstance(part.target, Local) for part in before)
            ):
                return loop, name
        raise self._refusal(
            f"give names their values, change one of them in one loop over {self.meaning.up_to.__name__}, and return it"
        )

    def _refusal(self, remedy: str) -> UntranslatableError:
        place = self.tree.at(self.tree.body[0])
        return UntranslatableError(f"{place}: the meaning of {self.tree.name} cannot be proven from it; {remedy}")

    def steps(self) -> list[MeaningStep]:
        vocabulary, within = self.translation.vocabulary, self.translation.within(self.parameters)
        names = dict(zip((p for p in self.tree.parameters if p not in self.tree.states), self.parameters, strict=True))
        started, start_flaw = self._run(self.tree.body[:-2], names)
        if self.carried not in started:
            raise self._refusal(f"give {self.carried} a value before the loop")
        member = vocabulary.variable(self.loop.name, self.meaning.up_to)
        carried = z3.Int(f"{self.carried}!{next(vocabulary.numbers)}")
        known = {**started, self.loop.name: member}
        after, flaw = self._run(self.loop.body, {**known, self.carried: carried})
        if any(after.get(name) is not value for name, value in known.items() if name != self.carried):
            raise self._refusal(f"let its loop change {self.carried} alone")
        given = conjunction((within, vocabulary.limits(member), self._true_of(carried, member)))
        return [
            MeaningStep(
                "before its loop",
                within,
                conjunction((negation(start_flaw), self._true_of(started[self.carried], z3.IntVal(0)))),
            ),
            MeaningStep(
                "after a round of its loop",
                given,
                conjunction((negation(flaw), self._true_of(after[self.carried], member + 1))),
            ),
        ]

    def _run(self, body: Sequence[Any], names: Mapping[str, Value]) -> tuple[Mapping[str, Value], Truth]:
        """Run statements on any state; return the names after them, and whether they leave a domain."""
        part = self.translation.executor.part(self.tree, body, self.translation.before, names)
        if part is None:
            raise self._refusal(
                "it may not refuse, return early, change the state, or call a function that has a meaning"
            )
        return part

    def _true_of(self, value: Value, size: Any) -> Truth:
        """The meaning of a value, if the domain had so many members."""
        number, bound = self.translation.executor.terms.number(value), self.meaning.up_to.bound
        self.translation.executor.given = []
        said, _ = self.translation.says(self.meaning.says, [*self.parameters, number], self.translation.before)
        if self.translation.executor.given:
            raise self._refusal(f"{self.meaning.says.__name__} may not call a function that has a meaning")
        constant = self.translation.vocabulary.sizes[bound]
        limited = substituted(said, constant, size - self.meaning.up_to.more)
        return conjunction((number >= 0, number <= size, limited))
