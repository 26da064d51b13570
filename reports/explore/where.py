"""`a state where ...`: an expression over fields, as a person writes it, made a property in Model Python.

    log_end[r1] == 0 and controller_leader == r2
    delivery[0] == acknowledged and r1 not in controller_isr

Names of members (`r1`), of choices (`acknowledged`), `none`, `yes` and `no` mean what the domain beside them says.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NoReturn

from neverlost.model.core import (
    NONE,
    Domain,
    Field,
    Model,
    NeverlostError,
    Property,
    State,
    SubsetOf,
    UnknownNameError,
    contains,
)
from neverlost.model.core.language import check_function
from neverlost.model.core.parsing import parsed_expression
from neverlost.model.core.source import defined

MOST_CHARACTERS = 1000
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
NAME = "wanted"
TRUTHS = {"yes": 1, "no": 0, "True": 1, "False": 0, "true": 1, "false": 0}


class WhereError(NeverlostError):
    """An expression is not about fields of the state."""


def state_where(model: Model, text: str) -> Property:
    """The property that a state is as `text` says: the name of a property of the profile, or an expression over fields.

    Of an `always` property of that name, a state is wanted that violates it. Raises WhereError that says what is wrong.
    """
    words = text.strip()
    named = {p.name: p for p in model.profile.all_properties}
    if words in named:
        return _named(named[words])
    if not words or len(words) > MOST_CHARACTERS:
        raise WhereError(
            f"write an expression over fields, of at most {MOST_CHARACTERS} characters: {example_where(model)}"
        )
    try:
        parsed = parsed_expression(words)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise WhereError(
            f"{words!r:.80} is not an expression: {type(error).__name__}; write one like {example_where(model)}"
        ) from error
    return _property(model.profile.state, ast.unparse(_Reader(model).truth(parsed)), words)


def example_where(model: Model) -> str:
    """What one could ask for in this model: that the first element of its first field is as at the lowest."""
    declared = model.profile.state.fields[0]
    place = declared.place((0,) * len(declared.indexes), model.bounds)
    return f"{place} == {declared.domain.show(declared.domain.low, model.bounds)}"


def _named(prop: Property) -> Property:
    if not prop.over_states:
        raise WhereError(f"{prop.name} is not about single states: it is {prop.kind}")
    return prop


def _property(state: type[State], body: str, words: str) -> Property:
    """A `sometimes` whose function has its source in no file, but where every engine looks for it."""
    text = f"def {NAME}(s: {state.__name__}) -> bool:\n    return {body}\n"
    names = {state.__name__: state, "contains": contains, "__name__": state.__module__}
    function = defined(text, f"<state where {body}>", names)[NAME]
    check_function(function, state, "value")
    return Property(name=NAME, kind="sometimes", statement=words, function=function)


class _Reader:
    """Turns what a person wrote into Model Python: only names of fields, whole numbers and operators are left."""

    def __init__(self, model: Model) -> None:
        self.model = model
        state = model.profile.state
        self.fields: Mapping[str, Field] = {f.name: f for f in (*state.fields, *state.settings)}

    def truth(self, node: ast.expr) -> ast.expr:
        why = "is not a comparison of fields; use and, or, not, ==, !=, <, <=, >, >=, in"
        match node:
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op=op, values=[self.truth(value) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ast.UnaryOp(op=ast.Not(), operand=self.truth(operand))
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
                return self._member(left, op, right)
            case ast.Compare(left=left, ops=ops, comparators=comparators) if all(
                isinstance(op, COMPARISONS) for op in ops
            ):
                return self._compared(left, ops, comparators)
            case ast.Name() | ast.Subscript():
                read, domain = self._read(node)
                if domain.index is None:
                    return read
                why = "is not yes or no; compare it with something"
        return self._refuse(node, why)

    def _compared(self, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr]) -> ast.expr:
        sides = [left, *comparators]
        domains = [self._read(side)[1] for side in sides if self._is_read(side)]
        if not domains:
            self._refuse(left, "is compared with no field")
        read = [self._read(side)[0] if self._is_read(side) else self._value(side, domains[0]) for side in sides]
        return ast.Compare(left=read[0], ops=ops, comparators=read[1:])

    def _member(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        if not self._is_read(right):
            self._refuse(right, "is no field; write like r1 in controller_isr")
        of, domain = self._read(right)
        if domain.index is None or not issubclass(domain.index, SubsetOf) or domain.kind == "up_to":
            self._refuse(right, "is not a set")
        member = self._read(left)[0] if self._is_read(left) else self._value(left, Domain("any_of", domain.index.of))
        inside = ast.Call(func=ast.Name("contains"), args=[of, member], keywords=[])
        return inside if isinstance(op, ast.In) else ast.UnaryOp(op=ast.Not(), operand=inside)

    def _is_read(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.fields

    def _read(self, node: ast.expr) -> tuple[ast.expr, Domain]:
        """A field, or an element of one, and its domain."""
        indexes: list[ast.expr] = []
        inner = node
        while isinstance(inner, ast.Subscript):
            indexes.insert(0, inner.slice)
            inner = inner.value
        if not isinstance(inner, ast.Name) or inner.id not in self.fields:
            if isinstance(inner, ast.Name):
                raise WhereError(str(UnknownNameError("field", inner.id, self.fields)))
            self._refuse(node, "is no field")
        declared = self.fields[inner.id]
        if len(indexes) != len(declared.indexes):
            wanted = "".join(f"[{index.__name__.lower()}]" for index in declared.indexes)
            self._refuse(node, f"must be {declared.name}{wanted}")
        read: ast.expr = ast.Attribute(value=ast.Name("s"), attr=declared.name)
        for written, index in zip(indexes, declared.indexes, strict=True):
            at = self._read(written)[0] if self._is_read(written) else self._value(written, Domain("any_of", index))
            read = ast.Subscript(value=read, slice=at)
        return read, declared.domain

    def _value(self, node: ast.expr, domain: Domain) -> ast.Constant:
        """A value as its number."""
        return ast.Constant(self._number(node, domain))

    def _number(self, node: ast.expr, domain: Domain) -> int:
        """The number of a whole number, of a name that the domain has, or of a set of members."""
        match node:
            case ast.Constant(value=bool() | str() as value):
                word = str(value)
            case ast.Constant(value=int(number)):
                return self._within(node, number, domain)
            case ast.Name(id=name):
                word = name
            case ast.Set(elts=members) if domain.index is not None and issubclass(domain.index, SubsetOf):
                base = Domain("any_of", domain.index.of)
                return sum({1 << self._number(member, base) for member in members})
            case _:
                self._refuse(node, "is neither a field nor a value of one")
        known = self._names(domain)
        if word not in known:
            raise WhereError(str(UnknownNameError("value here", word, known)))
        return known[word]

    def _within(self, node: ast.expr, number: int, domain: Domain) -> int:
        low, size = domain.low, domain.size(self.model.bounds)
        if not low <= number < low + size:
            self._refuse(node, f"is outside {low}..{low + size - 1}")
        return number

    def _names(self, domain: Domain) -> dict[str, int]:
        if domain.index is None:
            return TRUTHS
        bounds, index = self.model.bounds, domain.index
        named = {index.show(value, bounds): value for value in range(index.size(bounds))}
        return {"none": NONE, **named} if domain.low == NONE else named

    def _refuse(self, node: ast.expr, what: str) -> NoReturn:
        raise WhereError(f"{ast.unparse(node)!r:.80} {what}")
