"""Model Python: the subset of Python that protocols and properties are written in, and the check that a function keeps to it.

Every engine takes the same functions: CPython runs them, the kernel generator and the Z3 translator read their trees. The
subset has one meaning for all of them; everything else is refused, with what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .domains import Index, SubsetOf, is_subset, only, with_member, without
from .parameters import hints_of
from .reading import tree_of
from .source import source_of
from .state import Field, Setting, State
from .tree import (
    AllOf,
    Assign,
    Call,
    Change,
    Choice,
    Comparison,
    Do,
    Each,
    Element,
    Expression,
    Given,
    If,
    Local,
    Loop,
    Part,
    Quantified,
    Require,
    Return,
    SetOperation,
    Statement,
    Sum,
    Target,
    Total,
    Tree,
    children,
)


def check_function(function: Callable[..., Any], schema: type[State], role: str) -> None:
    """Refuse a function outside Model Python, and every function that it calls.

    `role` is "effect" (it may require and write, and returns nothing) or "value" (it reads, and returns a value).
    Raises LanguageError with the file, the line, the construct, and what to write instead.
    """
    if schema not in _CHECKERS:
        _CHECKERS[schema] = _Checker(schema)
    _CHECKERS[schema].check(function, role)


_CHECKERS: dict[type[State], _Checker] = {}
"""What checks functions over a state: the versions of a protocol share most of theirs, and each is checked once."""


class _Checker:
    def __init__(self, schema: type[State]) -> None:
        self.fields: dict[str, Field] = {f.name: f for f in (*schema.fields, *schema.settings)}
        self.done: set[tuple[Callable[..., Any], str]] = set()
        self.open: list[Callable[..., Any]] = []

    def check(self, function: Callable[..., Any], role: str) -> None:
        if (function, role) in self.done:
            return
        source = source_of(function)
        if role == "effect" and [*source.states] != [*source.parameters][:1]:
            raise source.refuse(
                source.node, "no state as its first parameter, or several", "one, annotated: `s: MyState`"
            )
        tree = tree_of(function)
        self.open.append(function)
        try:
            _Scope(self, tree, role).block(tree.body)
        finally:
            self.open.pop()
        if role == "value" and not _always_returns(tree.body):
            raise source.refuse(source.node, "a path that returns nothing", "a `return` with a value on every path")
        self.done.add((function, role))


class _Scope:
    """The check of one function body."""

    def __init__(self, checker: _Checker, tree: Tree, role: str) -> None:
        self.checker, self.tree, self.role = checker, tree, role
        self.locals = set(tree.parameters)
        self.kinds: dict[str, type[Index] | None] = {name: _kind(hint) for name, hint in tree.parameters.items()}

    def refuse(self, part: Part, what: str, instead: str) -> None:
        raise source_of(self.tree.function).refuse(part.node, what, instead)

    def block(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, part: Statement) -> None:
        match part:
            case Assign(target=target, value=value):
                self.expression(value)
                self.target(target)
                if isinstance(target, Local):
                    self.name(target.name, self.kind(value))
                else:
                    self.fits(value, self.kind(target))
            case Change(target=target, value=value):
                self.expression(value)
                self.expression(target)
                self.target(target)
                self.counts(part, target, value)
            case If(test=test, body=body, orelse=orelse):
                self.expression(test)
                self.branches(body, orelse)
            case Loop(name=name, over=over, body=body):
                before = set(self.locals)
                self.name(name, over.domain if isinstance(over, Each) else None)
                self.locals.add(name)
                self.block(body)
                self.locals = before
            case Return(value=value):
                if (value is None) != (self.role == "effect"):
                    wanted = "a bare `return`" if self.role == "effect" else "a value after `return`"
                    self.refuse(part, "this `return`", wanted)
                if value is not None:
                    self.expression(value)
            case Require(condition=condition):
                if self.role == "value":
                    self.refuse(
                        part, "`require` in a function that returns a value", "it in an action, or return the condition"
                    )
                self.expression(condition)
            case Do(call=call):
                if self.role == "value":
                    self.refuse(call, f"the statement `{call.text}`", "an expression that uses the call's value")
                self.call(call, "effect")

    def branches(self, body: tuple[Statement, ...], orelse: tuple[Statement, ...]) -> None:
        """Check both; afterwards a name has a value if every branch that goes on has given it one."""
        before = set(self.locals)
        self.block(body)
        after_body, self.locals = self.locals, before
        self.block(orelse)
        if _always_returns(orelse):
            self.locals = after_body
        elif not _always_returns(body):
            self.locals &= after_body

    def target(self, part: Target) -> None:
        if isinstance(part, Local):
            self.locals.add(part.name)
            return
        if self.role == "value":
            self.refuse(
                part, "a write in a function that returns a value", "a function without a result, called as a statement"
            )
        if isinstance(self.checker.fields.get(part.field), Setting):
            self.refuse(
                part, f"an assignment to the setting {part.field!r}", "to a field: settings are constants of a run"
            )
        self.expression(part)

    def expression(self, part: Part) -> None:
        match part:
            case Local(name=name) if name not in self.locals:
                self.refuse(
                    part,
                    f"the local name {name!r} where it may have no value yet",
                    "an assignment to it before, on every path",
                )
            case Quantified(name=name, over=over) | Total(name=name, over=over):
                self.name(name, over.domain)
                self.of_members(part, name)
                return
            case Element():
                self.element(part)
            case Call():
                self.call(part, "value")
                return
            case SetOperation():
                self.set_operation(part)
            case Comparison():
                self.comparison(part)
            case Sum(left=left, right=right):
                self.counts(part, left, right)
        for inner in children(part):
            self.expression(inner)

    def of_members(self, part: Part, name: str) -> None:
        """What is asked of each member knows the member by a name, which has no other value meanwhile."""
        if name in self.locals or name in self.tree.states:
            self.refuse(part, f"the name {name!r}, which has a value already, for a member", "a name of its own")
        self.locals.add(name)
        for inner in children(part):
            self.expression(inner)
        self.locals.remove(name)

    def element(self, part: Element) -> None:
        name = part.field
        if name not in self.checker.fields:
            known = ", ".join(self.checker.fields)
            self.refuse(part, f"the unknown field {name!r}", f"one of {known}")
        wanted = len(self.checker.fields[name].indexes)
        if len(part.indexes) != wanted:
            self.refuse(part, f"{name} with {len(part.indexes)} indexes", f"it with {wanted}: one element at a time")
        for given, index in zip(part.indexes, self.checker.fields[name].indexes, strict=True):
            self.fits(given, index)

    def name(self, name: str, kind: type[Index] | None) -> None:
        """What a local name is from here on; nothing is known of one that is several things."""
        self.kinds[name] = kind if self.kinds.get(name, kind) is kind else None

    def kind(self, part: Expression) -> type[Index] | None:
        """The domain that a value is a member of, or a subclass of SubsetOf, if it is known to be a member or a set."""
        match part:
            case Local(name=name):
                return self.kinds.get(name)
            case Element(field=name):
                domain = self.checker.fields[name].domain
                return domain.index if domain.kind in ("member", "optional") else None
            case AllOf():
                return SubsetOf
            case SetOperation(helper=helper):
                return SubsetOf if helper in (with_member, without, only) else None
            case Choice(yes=yes, no=no):
                one, other = self.kind(yes), self.kind(no)
                return one if _is_set(one) == _is_set(other) else None
            case Call(function=function):
                return _kind(hints_of(function).get("return"))
        return None

    def fits(self, part: Expression, wanted: type[Index] | None) -> None:
        """Refuse a set as a member, and a member as a set: both are numbers, so that nothing else would show it."""
        given = self.kind(part)
        if given is None or wanted is None or _is_set(given) == _is_set(wanted):
            return
        text = part.text
        if _is_set(wanted):
            self.refuse(part, f"`{text}`, a member of {given.__name__}, as a set", f"`only({text})`")
        of = _members_of(given)
        self.refuse(
            part,
            f"`{text}`, a set, as a member",
            f"a member of it: a parameter `x: {of}` with `contains({text}, x)`, or `for x in s.each({of})`",
        )

    def set_operation(self, part: SetOperation) -> None:
        if part.helper is only:
            self.fits(part.parts[0], Index)
            return
        self.fits(part.parts[0], SubsetOf)
        self.fits(part.parts[1], SubsetOf if part.helper is is_subset else Index)

    def comparison(self, part: Comparison) -> None:
        """Refuse to compare a set with a member, and sets by their numbers."""
        for left, operator, right in part.pairs:
            kinds = [self.kind(left), self.kind(right)]
            text, other = left.text, right.text
            if operator not in ("==", "!=") and any(map(_is_set, kinds)):
                small, large = (text, other) if operator in ("<", "<=") else (other, text)
                instead = f"`is_subset({small}, {large})`"
                if not all(map(_is_set, kinds)):
                    group = text if _is_set(kinds[0]) else other
                    instead = f"`sum(1 for x in s.each(Domain) if contains({group}, x))` for how many members it has"
                self.refuse(part, f"`{part.text}`, which compares a set as a number", instead)
            if None not in kinds and _is_set(kinds[0]) != _is_set(kinds[1]):
                group, member = (text, other) if _is_set(kinds[0]) else (other, text)
                self.refuse(
                    part,
                    f"`{part.text}`, which compares a set with a member",
                    f"`contains({group}, {member})`, or `only({member})`",
                )

    def counts(self, part: Part, *operands: Expression) -> None:
        """Refuse to calculate with sets: they are numbers only inside."""
        for operand in operands:
            if _is_set(self.kind(operand)):
                self.refuse(
                    part,
                    f"`{part.text}`, which calculates with the set `{operand.text}`",
                    f"`with_member({operand.text}, member)` or `without({operand.text}, member)`",
                )

    def call(self, part: Call, role: str) -> None:
        function = part.function
        if function in self.checker.open:
            self.refuse(part, f"recursion through `{function.__name__}`", "a loop over a finite domain")
        for argument, hint in zip(part.arguments, source_of(function).parameters.values(), strict=True):
            if not isinstance(argument, Given):
                self.expression(argument)
                self.fits(argument, _kind(hint))
        if role == "value" and tree_of(function).has_effects:
            self.refuse(
                part,
                f"`{function.__name__}` inside an expression although it changes the state or requires",
                "it as a statement of its own",
            )
        self.checker.check(function, role)


def _kind(hint: object) -> type[Index] | None:
    """The domain that an annotation names, if any."""
    return hint if isinstance(hint, type) and issubclass(hint, Index) else None


def _is_set(kind: type[Index] | None) -> bool:
    return kind is not None and issubclass(kind, SubsetOf)


def _members_of(kind: type[Index]) -> str:
    """The name of the domain that the members of a set are of."""
    return kind.of.__name__ if issubclass(kind, SubsetOf) and kind is not SubsetOf else "Domain"


def _always_returns(statements: tuple[Statement, ...]) -> bool:
    last = statements[-1] if statements else None
    if isinstance(last, If):
        return _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, Return)
