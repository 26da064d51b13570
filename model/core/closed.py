"""Are a property's harmless states harmless? A proof that no step leaves them, and that the property is true in all of them.

It follows which values fields may have there. It is about one model, with its bounds and settings, and takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .domains import Index
from .possible import Escape, Possible, range_of, truth
from .profile import Model
from .properties import Property
from .reading import tree_of
from .tree import Call, Each, Element, Expression, Function, Junction, Local, Quantified, Return, walk

TRUE = frozenset([1])


def doubt(model: Model, prop: Property) -> str | None:
    """Why a run from a harmless state might still violate the property, as a clause; None if no run can."""
    assert prop.harmless is not None
    try:
        possible = Possible(model, _Predicate(model, prop.harmless.function).known)
    except _Unread as unread:
        return str(unread)
    for action in model.profile.actions:
        if model.has_steps_of(action):
            try:
                possible.run(action.function, [None, *(possible.members(index) for _, index in action.parameters)])
            except Escape as escape:
                field, place = escape.args
                return f"{action.name} may set {field} so that the state is not harmless any more ({place})"
    returned, _ = possible.run(prop.function, [None])
    return None if returned == TRUE else f"{prop.name} may be false in such a state"


class _Unread(Exception):
    """What in a predicate does not say which values a field has, as a clause."""


class _Predicate:
    """A predicate as the values of fields: it is true if, and only if, all elements of the fields in `known` have such values.

    Raises _Unread for a predicate that says something else.
    """

    def __init__(self, model: Model, function: Function) -> None:
        self.model, self.function = model, function
        self.fields = {field.name: field for field in model.profile.state.fields}
        self.known: dict[str, frozenset[int]] = {}
        match tree_of(function).body:
            case (Return(value=Expression() as condition),):
                self._note(condition, {})
            case _:
                raise _Unread(f"{function.__name__} does more than return a condition")

    def _note(self, condition: Expression, over: Mapping[str, type[Index]]) -> None:
        """Note what a condition says if it is true for all these members."""
        match condition:
            case Junction(every=True, parts=parts):
                for part in parts:
                    self._note(part, over)
            case Quantified(every=True, name=name, over=Each(domain=domain), condition=inner):
                if domain.size(self.model.bounds):
                    self._note(inner, {**over, name: domain})
            case _:
                element = self._element(condition, over)
                values = self.known.get(element.field, range_of(self.fields[element.field], self.model))
                self.known[element.field] = frozenset(self._kept(condition, element, values))

    def _element(self, condition: Expression, over: Mapping[str, type[Index]]) -> Element:
        """The one element that a condition is about; all elements of its field are meant."""
        parts = [*walk(condition)]
        elements = {part for part in parts if isinstance(part, Element) and part.field in self.fields}
        if len(elements) != 1 or any(isinstance(part, Call | Quantified) for part in parts):
            raise _Unread(f"`{condition.text}` does not compare one field with constants")
        (element,) = elements
        names = [index.name for index in element.indexes if isinstance(index, Local)]
        indexes = [*self.fields[element.field].indexes]
        if len(set(names)) != len(indexes) or [over.get(name) for name in names] != indexes:
            raise _Unread(f"`{condition.text}` is not about all elements of {element.field}")
        return element

    def _kept(self, condition: Expression, element: Element, values: Iterable[int]) -> Iterable[int]:
        """The values of the element with which the condition is true. With the others it is false."""
        for value in values:
            said = truth(Possible(self.model, {element.field: frozenset([value])}).value_in(self.function, condition))
            if len(said) != 1:
                raise _Unread(f"`{condition.text}` does not compare {element.field} with constants")
            if said == TRUE:
                yield value
