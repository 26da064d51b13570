"""From functions with messages to functions without: each message becomes its fields, and a field of messages is read by indexes.

`Vote(term=t, voter=v) in s.votes` becomes `s.votes[t][v]`, a parameter `vote: Vote` the parameters `vote_term` and `vote_voter`, and a
loop over `s.votes` a loop over all that there may be, with a condition. Every engine, CPython too, gets only the functions without
messages. They keep the file and the lines of those that they are made from.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any, TypeVar

from .actions import Action, require
from .domains import Index
from .lemmas import Lemma
from .message import METHODS, Message, YesNo, fields_of, flat_name, is_kind
from .properties import Property
from .source import LOWERED, Source, source_of
from .state import Messages, State

Function = Callable[..., Any]
Node = TypeVar("Node", bound=ast.AST)

_LOWERED: dict[Function, Function] = {}
"""What was made of a function, so that it is made once: engines know functions by their identity."""

NAMES = "__lowered_names__"
"""The attribute of a lowered function with the global names that it has and its module has not."""


def lowered(function: Function) -> Function:
    """The function without messages, which calls such functions; itself, if there are none in it.

    Raises LanguageError for a message in a place where it has no meaning, with what to write instead.
    """
    if function in _LOWERED:
        return _LOWERED[function]
    if not inspect.isfunction(function) or hasattr(function, LOWERED) or function.__code__.co_freevars:
        return function
    _LOWERED[function] = function  # A recursive function is refused later, as others are.
    source = source_of(function)
    reader = _Lowering(source)
    node = reader.function()
    if not reader.changed:
        return function
    made = _made(function, source, node, reader.names)
    _LOWERED[function] = made
    return made


def _made(function: Function, source: Source, node: ast.FunctionDef, names: dict[str, Any]) -> Function:
    """A function with another definition, and with other meanings for some of its global names."""
    assert isinstance(function, FunctionType)
    space = {**function.__globals__, **names}
    module = ast.Module(body=[node], type_ignores=[])
    code = compile(module, source.file, "exec", flags=annotations.compiler_flag, dont_inherit=True)
    exec(code, space)
    made: FunctionType = space[node.name]
    made.__module__, made.__qualname__, made.__doc__ = function.__module__, function.__qualname__, function.__doc__
    setattr(made, LOWERED, node)
    setattr(made, NAMES, {**names, node.name: made})
    return made


class _Lowering:
    """Reads one function; `names` are the global names that the new one needs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.messages: dict[str, type[Message]] = {}
        self.names: dict[str, Any] = {}
        self.changed = False

    def function(self) -> ast.FunctionDef:
        node = copy.copy(self.source.node)
        node.args = copy.copy(node.args)
        node.args.args = [one for written in node.args.args for one in self.parameter(written)]
        kept = self.source.node.body[: len(self.source.node.body) - len(self.source.body)]
        node.body = [*kept, *self.block(self.source.body)]
        ast.fix_missing_locations(node)
        return node

    def parameter(self, written: ast.arg) -> Iterator[ast.arg]:
        kind = self.source.parameters[written.arg]
        if not is_kind(kind):
            yield written
            return
        self.bind(written, written.arg, kind)
        for field, domain in fields_of(kind).items():
            given = ast.arg(arg=flat_name(written.arg, field), annotation=self.domain(domain, written))
            yield ast.copy_location(given, written)

    def bind(self, node: ast.AST, name: str, kind: type[Message]) -> None:
        """From here on, a name is a message of a kind."""
        self.changed = True
        if self.messages.get(name, kind) is not kind:
            before = self.messages[name].__name__
            raise self.source.refuse(node, f"{name!r} for a {kind.__name__}, which is a {before} too", "another name")
        for field in fields_of(kind):
            if flat_name(name, field) in self.source.names:
                raise self.source.refuse(
                    node, f"the name {flat_name(name, field)!r}, which stands for `{name}.{field}`", "another name"
                )
        self.messages[name] = kind

    def domain(self, domain: type[Index], at: ast.AST) -> ast.expr:
        """A domain by a name that means it in the new function."""
        return self.named(domain.__name__, domain, at)

    def named(self, name: str, value: Any, at: ast.AST) -> ast.expr:
        """A name that means a value in the new function: this one, if it means nothing else."""
        while name in self.source.names or self.names.get(name, self.source.resolve(name)) not in (None, value):
            name += "_"
        self.names[name] = value
        return _at(ast.Name(id=name, ctx=ast.Load()), at)

    # Statements

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [one for statement in statements for one in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=field, attr=method)) as call) if (
                network := self.network(field)
            ):
                return self.told(node, call, field, network, method)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if kind := self.kind(value):
                return self.assigned(node, name, kind, value)
            case ast.For(target=ast.Name(id=name), iter=field, body=body, orelse=[]) if network := self.network(field):
                self.bind(node, name, network.of)
                held: ast.stmt = _at(
                    ast.If(test=self.held(field, network, name, node), body=self.block(body), orelse=[]), node
                )
                for each, domain in reversed(fields_of(network.of).items()):
                    held = _at(self.loop(field, flat_name(name, each), domain, held), node)
                return [held]
        return [self.inside(node)]

    def told(self, node: ast.Expr, call: ast.Call, field: ast.expr, network: Messages, method: str) -> list[ast.stmt]:
        """`send` and `take`."""
        element = self.element(field, network, self.argument(call, network, method, ("send", "take")), call)
        target = copy.deepcopy(element)
        assert isinstance(target, ast.Subscript | ast.Attribute)
        target.ctx = ast.Store()
        if network.is_bag:
            step = ast.Add() if method == "send" else ast.Sub()
            told: ast.stmt = ast.AugAssign(target=target, op=step, value=_at(ast.Constant(value=1), call))
        else:
            told = ast.Assign(targets=[target], value=_at(ast.Constant(value=method == "send"), call))
        if method == "send":
            return [_at(told, node)]
        guard = ast.Call(func=self.named("require", require, node), args=[self.some(element, network)], keywords=[])
        return [_at(ast.Expr(value=_at(guard, node)), node), _at(told, node)]

    def assigned(self, node: ast.stmt, name: str, kind: type[Message], value: ast.expr) -> list[ast.stmt]:
        fields = self.fields(value, kind)
        own = {flat_name(name, field) for field in fields_of(kind)}
        if any(isinstance(inner, ast.Name) and inner.id in own for one in fields for inner in ast.walk(one)):
            raise self.source.refuse(node, f"{name!r} in its own new value", "another name")
        self.bind(node, name, kind)
        return [
            _at(ast.Assign(targets=[_at(ast.Name(id=flat_name(name, field), ctx=ast.Store()), node)], value=one), node)
            for field, one in zip(fields_of(kind), fields, strict=True)
        ]

    def loop(self, field: ast.expr, name: str, domain: type[Index], inner: ast.stmt) -> ast.For:
        return ast.For(
            target=_at(ast.Name(id=name, ctx=ast.Store()), field),
            iter=self.each(field, domain),
            body=[inner],
            orelse=[],
        )

    def each(self, field: ast.expr, domain: type[Index]) -> ast.expr:
        """`s.each(Domain)` of the state that a field of messages is of."""
        assert isinstance(field, ast.Attribute)
        func = _at(ast.Attribute(value=field.value, attr="each", ctx=ast.Load()), field)
        return _at(ast.Call(func=func, args=[self.domain(domain, field)], keywords=[]), field)

    # Expressions

    def inside(self, node: Any) -> Any:
        """A copy of a node in which everything below it is lowered."""
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(made, name, self.expression(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(made, name, self.block(value))
            elif isinstance(value, list):
                setattr(made, name, [self.below(one) for one in value])
            elif isinstance(value, ast.AST):
                setattr(made, name, self.below(value))
        return made

    def below(self, node: Any) -> Any:
        if isinstance(node, ast.expr):
            return self.expression(node)
        return self.inside(node) if isinstance(node, ast.AST) else node

    def expression(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[field]) if (
                network := self.network(field)
            ):
                found = self.some(self.element(field, network, left, node), network)
                return _at(ast.UnaryOp(op=ast.Not(), operand=found), node) if isinstance(op, ast.NotIn) else found
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]) if self.kind(
                left
            ) or self.kind(right):
                return self.compared(node, left, op, right)
            case ast.Attribute(value=ast.Name(id=name), attr=field) if name in self.messages:
                return self.read(node, name, field)
            case ast.Call(func=ast.Attribute(value=field, attr=method)) if network := self.network(field):
                counted = self.element(field, network, self.argument(node, network, method, ("count",)), node)
                if network.is_bag:
                    return counted
                yes, no = _at(ast.Constant(value=1), node), _at(ast.Constant(value=0), node)
                return _at(ast.IfExp(test=counted, body=yes, orelse=no), node)
            case ast.Call(func=ast.Name(id="any" | "all" | "sum"), args=[ast.GeneratorExp() as members]):
                return self.over_members(node, members)
            case ast.Call(func=ast.Name(id=name)) if is_kind(self.source.resolve(name)):
                raise self.source.refuse(node, f"the message `{ast.unparse(node)}` as a value", _WHERE)
            case ast.Call(func=ast.Name(id=name)) if (callee := self.called(name)) is not None:
                return self.call(node, name, callee)
            case ast.Name(id=name) if name in self.messages:
                raise self.source.refuse(node, f"the message {name!r} as a value", f"`{name}.field`, or {_WHERE}")
        made: ast.expr = self.inside(node)
        return made

    def network(self, node: ast.expr) -> Messages | None:
        """The field of messages that an expression names: `s.votes`."""
        match node:
            case ast.Attribute(value=ast.Name(id=state), attr=name) if state in self.source.states:
                schema: type[State] = self.source.parameters[state]
                return next((f for f in schema.fields if f.name == name and isinstance(f, Messages)), None)
        return None

    def kind(self, node: ast.expr) -> type[Message] | None:
        """The kind of message that an expression is: a name of one, or one that is made."""
        match node:
            case ast.Name(id=name):
                return self.messages.get(name)
            case ast.Call(func=ast.Name(id=name)) if name not in self.source.names:
                found = self.source.resolve(name)
                return found if is_kind(found) else None
        return None

    def argument(self, call: ast.Call, network: Messages, method: str, known: Sequence[str]) -> ast.expr:
        """The message that a method of a field of messages takes."""
        if method not in METHODS:
            raise self.source.refuse(call, f"`{ast.unparse(call)}`", f"one of {', '.join(METHODS)}")
        if method not in known:
            place = "a condition or a value" if method == "count" else "a statement of its own"
            raise self.source.refuse(call, f"`{ast.unparse(call)}` here", f"`{method}` as {place}")
        if len(call.args) != 1 or call.keywords:
            raise self.source.refuse(call, f"`{ast.unparse(call)}`", f"`{method}` with one {network.of.__name__}")
        return call.args[0]

    def element(self, field: ast.expr, network: Messages, message: ast.expr, at: ast.AST) -> ast.expr:
        """The element of a field of messages that says whether a message is under way, or how many of it are."""
        if self.kind(message) is not network.of:
            raise self.source.refuse(
                at, f"`{ast.unparse(message)}` for `{ast.unparse(field)}`", f"a {_example(network.of)}"
            )
        self.changed = True
        return self.indexed(field, self.fields(message, network.of), at)

    def held(self, field: ast.expr, network: Messages, name: str, at: ast.AST) -> ast.expr:
        """The condition that the message which a name stands for is under way."""
        kind = fields_of(network.of)
        if not kind:
            raise self.source.refuse(
                at, f"a loop over `{ast.unparse(field)}`", f"`if {network.of.__name__}() in {ast.unparse(field)}`"
            )
        indexes = [_at(ast.Name(id=flat_name(name, each), ctx=ast.Load()), at) for each in kind]
        return self.some(self.indexed(field, indexes, at), network)

    @staticmethod
    def indexed(field: ast.expr, indexes: Sequence[ast.expr], at: ast.AST) -> ast.expr:
        found = _at(copy.copy(field), at)
        for index in indexes:
            found = _at(ast.Subscript(value=found, slice=index, ctx=ast.Load()), at)
        return found

    @staticmethod
    def some(element: ast.expr, network: Messages) -> ast.expr:
        """The condition that an element of a field of messages stands for at least one."""
        if not network.is_bag:
            return element
        return _at(
            ast.Compare(left=element, ops=[ast.Gt()], comparators=[_at(ast.Constant(value=0), element)]), element
        )

    def fields(self, message: ast.expr, kind: type[Message]) -> list[ast.expr]:
        """What is in a message, in order, as indexes."""
        known = fields_of(kind)
        if isinstance(message, ast.Name):
            return [_at(ast.Name(id=flat_name(message.id, field), ctx=ast.Load()), message) for field in known]
        assert isinstance(message, ast.Call)
        given = {one.arg: one.value for one in message.keywords if one.arg is not None}
        if message.args or len(given) != len(message.keywords) or set(given) != set(known):
            raise self.source.refuse(message, f"`{ast.unparse(message)}`", f"`{_example(kind)}`, all fields by name")
        self.changed = True
        return [self.index(given[field], domain) for field, domain in known.items()]

    def index(self, node: ast.expr, domain: type[Index]) -> ast.expr:
        """A value as an index: a truth is 1 or 0."""
        if self.kind(node):
            raise self.source.refuse(node, f"the message `{ast.unparse(node)}` in a message", "its fields")
        if domain is not YesNo:
            return self.expression(node)
        match node:
            case ast.Constant(value=bool() as value):
                return _at(ast.Constant(value=int(value)), node)
            case ast.Attribute(value=ast.Name(id=name), attr=field) if self.is_truth(name, field):
                return _at(ast.Name(id=flat_name(name, field), ctx=ast.Load()), node)
        yes, no = _at(ast.Constant(value=1), node), _at(ast.Constant(value=0), node)
        return _at(ast.IfExp(test=self.expression(node), body=yes, orelse=no), node)

    def is_truth(self, name: str, field: str) -> bool:
        """Whether a name is a message with such a `bool` in it."""
        return name in self.messages and fields_of(self.messages[name]).get(field) is YesNo

    def read(self, node: ast.Attribute, name: str, field: str) -> ast.expr:
        """A field of a message."""
        known = fields_of(self.messages[name])
        if field not in known:
            raise self.source.refuse(
                node, f"`{name}.{field}`", f"one of {', '.join(f'`{name}.{one}`' for one in known) or 'no fields'}"
            )
        found = _at(ast.Name(id=flat_name(name, field), ctx=ast.Load()), node)
        if known[field] is not YesNo:
            return found
        return _at(ast.Compare(left=found, ops=[ast.Eq()], comparators=[_at(ast.Constant(value=1), node)]), node)

    def compared(self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        """Two messages are equal if all that is in them is."""
        kind, other = self.kind(left), self.kind(right)
        if kind is None or kind is not other:
            raise self.source.refuse(node, f"`{ast.unparse(node)}`", "a comparison of two messages of one kind")
        pairs = zip(self.fields(left, kind), self.fields(right, kind), strict=True)
        parts: list[ast.expr] = [_at(ast.Compare(left=one, ops=[op], comparators=[two]), node) for one, two in pairs]
        junction = ast.And() if isinstance(op, ast.Eq) else ast.Or()
        if not parts:
            return _at(ast.Constant(value=isinstance(op, ast.Eq)), node)
        return parts[0] if len(parts) == 1 else _at(ast.BoolOp(op=junction, values=parts), node)

    def over_members(self, node: ast.Call, members: ast.GeneratorExp) -> ast.expr:
        """`any`, `all` or `sum` over the messages that are under way."""
        match members:
            case ast.GeneratorExp(generators=[ast.comprehension(target=ast.Name(id=name), iter=field, ifs=ifs)]) if (
                network := self.network(field)
            ):
                before = dict(self.messages)
                self.bind(node, name, network.of)
                found = self.expression(members.elt)
                conditions = [self.held(field, network, name, node), *map(self.expression, ifs)]
                self.messages = before
                for each, domain in reversed(fields_of(network.of).items()):
                    target = _at(ast.Name(id=flat_name(name, each), ctx=ast.Store()), node)
                    over = ast.comprehension(target=target, iter=self.each(field, domain), ifs=conditions, is_async=0)
                    inner = _at(ast.GeneratorExp(elt=found, generators=[over]), node)
                    found = _at(ast.Call(func=node.func, args=[inner], keywords=[]), node)
                    conditions = []
                return found
        made: ast.expr = self.inside(node)
        return made

    def called(self, name: str) -> Function | None:
        """The function of a model that a name means."""
        found = None if name in self.source.names else self.source.resolve(name)
        function = found.function if isinstance(found, Property | Lemma | Action) else found
        return function if inspect.isfunction(function) and _is_of_a_model(function) else None

    def call(self, node: ast.Call, name: str, callee: Function) -> ast.expr:
        """A call of a function of the model: a message is handed over field by field."""
        made = lowered(callee)
        if made is not callee:
            self.changed = True
            self.names[name] = made
        wanted = source_of(callee).parameters
        takes_messages = len(node.args) == len(wanted) and any(map(is_kind, wanted.values()))
        arguments: list[ast.expr] = []
        for number, given in enumerate(node.args):
            kind = self.kind(given)
            hint = list(wanted.values())[number] if number < len(wanted) else None
            if kind is None and not (takes_messages and is_kind(hint)):
                arguments.append(self.expression(given))
            elif kind is hint and kind is not None:
                arguments += self.fields(given, kind)
            else:
                what = f"a {_example(hint)}" if is_kind(hint) else "no message"
                raise self.source.refuse(node, f"`{ast.unparse(given)}` in `{ast.unparse(node)}`", what)
        return _at(ast.Call(func=node.func, args=arguments, keywords=[self.inside(k) for k in node.keywords]), node)


_WHERE = "a message in `... in s.field`, `send`, `take` or `count`, or handed to a function"


def _example(kind: Any) -> str:
    """How a message is written: `Vote(term=..., voter=...)`."""
    return f"{kind.__name__}({', '.join(f'{field}=...' for field in fields_of(kind))})"


def _at(made: Node, where: ast.AST) -> Node:
    """A new node at the place of another."""
    return ast.copy_location(made, where)


def _is_of_a_model(function: Function) -> bool:
    """Whether a function has a state: what the language has itself does not."""
    return bool(source_of(function).states)
