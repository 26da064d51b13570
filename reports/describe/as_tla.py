"""A model as a module of TLA+, for TLC: each function an operator on states, each action a step, the lemmas an invariant.

A state is a record of all fields. What follows a branch or a loop is an operator of its own, so that nothing is written twice. A
function with effects gives a record: whether the step may happen, and the state after it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import indent
from typing import Any

from neverlost.model.core import Field, Index, Model, NeverlostError, SubsetOf
from neverlost.model.core.domains import contains, is_subset
from neverlost.model.core.parameters import Parameters
from neverlost.model.core.reading import tree_of, trees_of
from neverlost.model.core.tree import (
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
    Extreme,
    Given,
    If,
    Junction,
    Local,
    Loop,
    Minus,
    Not,
    Number,
    Quantified,
    Range,
    Remainder,
    Require,
    Return,
    SetOperation,
    Size,
    Statement,
    Sum,
    Total,
    Tree,
    parts_of,
)

FLAG, SET, NUMBER = "flag", "set", "number"
"""The kinds of values, which TLA+ keeps apart and Python does not."""

HELPERS = {
    "contains": "({1} \\in {0})",
    "with_member": "({0} \\cup {{{1}}})",
    "without": "({0} \\ {{{1}}})",
    "is_subset": "({0} \\subseteq {1})",
    "only": "{{{0}}}",
}
RELATIONS = {"==": "=", "!=": "#"}
OWN_NAMES = (
    "Now",
    "Step",
    "Init",
    "Next",
    "Spec",
    "TypeOK",
    "Inductive",
    "Refused",
    "Start",
    "NONE",
    "Min",
    "Max",
    "vars",
)

Names = Mapping[str, str]
"""The text that stands for each state and local name."""
End = Callable[[Names], str]
"""What follows a block, with the names as they are at its end."""


class TlaError(NeverlostError):
    """What has no form in the module of TLA+."""


def tla_module(model: Model) -> str:
    """The model within its bounds, with its settings. Raises TlaError with the file and the line of what has no form."""
    return "\n".join(_Module(model).lines()) + "\n"


def module_name(model: Model) -> str:
    """The name of the module, and of its file without `.tla`."""
    return re.sub(r"\W", "_", re.split(r"[/:]", model.profile.name)[-1])


class _Module:
    """The module of one model."""

    def __init__(self, model: Model) -> None:
        self.model, self.profile = model, model.profile
        self.fields = self.profile.state.fields
        self.domains = list(dict.fromkeys(index.base() for index in self.profile.domains))
        self.claims: list[tuple[Callable[..., Any], str, Parameters]] = [
            *((p.function, p.statement, ()) for p in self.profile.properties if p.kind == "always"),
            *((each.function, each.reason, each.parameters) for each in self.profile.lemmas),
        ]
        functions = [self.profile.initial, *(a.function for a in self.profile.actions)]
        functions += [function for function, _, _ in self.claims]
        self.trees = list(trees_of(functions))
        self.names: dict[Any, str] = {}
        taken = [*OWN_NAMES, *self.model.bounds, *(f.name for f in (*self.fields, *self.profile.state.settings))]
        for domain in self.domains:
            taken += [domain.__name__, *self.members(domain)]
        for tree in self.trees:
            self.names[tree.function] = unused(tree.name, taken)
            taken.append(self.names[tree.function])
        for action in self.profile.actions:
            self.names[action] = unused("".join(map(str.capitalize, action.name.split("_"))), taken)
            taken.append(self.names[action])
        self.taken = tuple(taken)

    def lines(self) -> Iterator[str]:
        """The module, and before it what TLC needs to know."""
        name = module_name(self.model)
        yield comment(self.profile.statement)
        yield f"\\* Save it as {name}.tla, and these lines without their beginnings as {name}.cfg, for java tlc2.TLC -deadlock {name}"
        yield "\\*   SPECIFICATION Spec"
        yield from (f"\\*   INVARIANT {each}" for each in self._invariant_names())
        yield f"---- MODULE {name} ----"
        yield "EXTENDS Integers"
        yield from ("", *self._constants())
        yield from ("", f"VARIABLES {self._joined(', ', '{0}')}", f"vars == <<{self._joined(', ', '{0}')}>>")
        yield f"Now == [{self._joined(', ', '{0} |-> {0}')}]"
        yield from ("", "TypeOK ==", *(f"  /\\ {f.name} \\in {self._within(f, f.indexes)}" for f in self.fields))
        yield from ("", "Refused == [may |-> FALSE]")
        for tree in self.trees:
            yield from ("", *_Function(self, tree).definition())
        yield from self._behaviour()
        yield from self._inductive()
        yield "===="

    def _joined(self, separator: str, form: str) -> str:
        return separator.join(form.format(f.name) for f in self.fields)

    def _constants(self) -> Iterator[str]:
        for bound, value in self.model.bounds.items():
            yield f"{bound} == {value}"
        for declared in self.profile.state.settings:
            yield f"{declared.name} == {self._value(declared, self.model.settings[declared.name])}"
        for domain in self.domains:
            yield f"{domain.__name__} == 0..({self.size(domain)} - 1)"
            yield from (f"{name} == {value}" for name, value in self.members(domain).items())
        yield "NONE == -1"
        yield "Min(one, other) == IF one <= other THEN one ELSE other"
        yield "Max(one, other) == IF one >= other THEN one ELSE other"

    @staticmethod
    def members(domain: type[Index]) -> dict[str, int]:
        """The members of a domain that have names, by the names that they have in the module."""
        named = domain.constants() if domain.names else {}
        return {f"{domain.__name__}_{name}": value for name, value in named.items()}

    @staticmethod
    def _value(declared: Field, value: int) -> str:
        return str(bool(value)).upper() if declared.domain.index is None else str(value) if value >= 0 else f"({value})"

    def size(self, domain: type[Index]) -> str:
        """How many members a domain has."""
        if issubclass(domain, SubsetOf):
            return f"(2^{self.size(domain.of)})"
        return f"({domain.bound} + {domain.more})" if domain.bound and domain.more else domain.bound or str(domain.more)

    def set_of(self, domain: type[Index]) -> str:
        """The set of the members of a domain."""
        return f"(SUBSET {domain.of.__name__})" if issubclass(domain, SubsetOf) else domain.__name__

    def _within(self, declared: Field, indexes: Sequence[type[Index]]) -> str:
        """The set of the values of a field."""
        if indexes:
            return f"[{self.set_of(indexes[0])} -> {self._within(declared, indexes[1:])}]"
        domain, index = declared.domain, declared.domain.index
        if index is None:
            return "BOOLEAN"
        if domain.kind in ("up_to", "one_to"):
            return f"{domain.low}..{self.size(index)}"
        if domain.kind == "optional" and issubclass(index, SubsetOf):
            raise TlaError(
                f"{declared.name} may hold a set or none, which TLC cannot compare; let it be a set, and a flag"
            )
        return f"({self.set_of(index)} \\cup {{NONE}})" if domain.kind == "optional" else self.set_of(index)

    def _lowest(self, declared: Field, indexes: Sequence[type[Index]]) -> str:
        if indexes:
            return f"[each{len(indexes)} \\in {self.set_of(indexes[0])} |-> {self._lowest(declared, indexes[1:])}]"
        if kind_of(declared) == SET:
            return "{}"
        return self._value(declared, declared.domain.low)

    def _invariant_names(self) -> list[str]:
        return ["TypeOK", *(f"{self.names[function]}_holds" for function, _, _ in self.claims)]

    def _behaviour(self) -> Iterator[str]:
        lowest = ", ".join(f"{f.name} |-> {self._lowest(f, f.indexes)}" for f in self.fields)
        yield from ("", f"Start == {self.names[self.profile.initial]}([{lowest}])")
        yield from ("", "Init ==", "  /\\ Start.may", *(f"  /\\ {f.name} = Start.s.{f.name}" for f in self.fields))
        yield from (
            "",
            "Step(after) ==",
            "  /\\ after.may",
            *(f"  /\\ {f.name}' = after.s.{f.name}" for f in self.fields),
        )
        steps = []
        for action in self.profile.actions:
            names, bound = self._bound(action.parameters)
            step = operator(self.names[action], names)
            yield from ("", f"{step} == Step({operator(self.names[action.function], ['Now', *names])})")
            steps.append(f"  \\/ {quantified('E', bound)}{step}")
        yield from ("", "Next ==", *steps, "", "Spec == Init /\\ [][Next]_vars")

    def _bound(self, parameters: Parameters) -> tuple[list[str], str]:
        """Names for parameters, and the sets that they are taken from."""
        names = [f"{name}_0" for name, _ in parameters]
        pairs = zip(names, parameters, strict=True)
        return names, ", ".join(f"{name} \\in {self.set_of(domain)}" for name, (_, domain) in pairs)

    def _inductive(self) -> Iterator[str]:
        """Each property and lemma of the state now, and all of them together."""
        for function, said, parameters in self.claims:
            names, bound = self._bound(parameters)
            holds = quantified("A", bound) + operator(self.names[function], ["Now", *names])
            yield from ("", comment(said), f"{self.names[function]}_holds == {holds}")
        yield from ("", "Inductive ==", *(f"  /\\ {name}" for name in self._invariant_names()))


class _Function:
    """The operator of one function."""

    def __init__(self, module: _Module, tree: Tree) -> None:
        self.module, self.tree = module, tree
        self.taken = [*module.taken]
        self.kinds = {
            name: FLAG if domain is bool else SET if _is_set(domain) else NUMBER
            for name, domain in tree.parameters.items()
        }
        for part in tree.parts:
            match part:
                case Assign(target=Local(name=name), value=value):
                    self._note(part, name, self.kind(value))
                case Loop(name=name, over=Each(domain=domain)) | Quantified(name=name, over=Each(domain=domain)):
                    self._note(part, name, SET if _is_set(domain) else NUMBER)
                case Loop(name=name) | Total(name=name):
                    self._note(part, name, NUMBER)

    def _note(self, part: Any, name: str, kind: str) -> None:
        if self.kinds.setdefault(name, kind) != kind:
            raise self.refused(part, f"{name} is a {self.kinds[name]} and a {kind}")

    def refused(self, part: Any, why: str) -> TlaError:
        """The error for a part that has no form."""
        return TlaError(f"{self.tree.at(part)}: {self.tree.name} has no form in TLA+: {why}")

    def fresh(self, name: str) -> str:
        """A name that nothing around has: operators of TLA+ do not hide others."""
        self.taken.append(unused(name.strip("_") or "each", self.taken))
        return self.taken[-1]

    def definition(self) -> Iterator[str]:
        """The operator, with what the function says of itself."""
        names = {name: self.fresh(name) for name in self.tree.parameters}
        yield f"{self.module.names[self.tree.function]}({', '.join(names.values())}) =="
        yield indent(self.block(self.tree.body, names, self.done), "  ")

    def done(self, names: Names) -> str:
        """The end of a function with effects."""
        return f"[may |-> TRUE, s |-> {names[self.tree.states[0]]}]"

    def block(self, statements: Sequence[Statement], names: Names, end: End) -> str:
        """Some statements, then what follows them."""
        if not statements:
            return end(names)
        first, rest = statements[0], statements[1:]

        def then(after: Names) -> str:
            return self.block(rest, after, end)

        match first:
            case Require(condition=condition):
                return choice(self.truth(condition, names), then(names), "Refused")
            case Return(value=None):
                return self.done(names)
            case Return(value=value) if value is not None:
                return self.value(value, self.result_kind(self.tree), names)
            case Assign(target=target, value=value):
                return self.assigned(target, value, names, then)
            case Change(target=target, sign=sign, value=value):
                return self.assigned(target, Sum(target, sign, value, node=first.node), names, then)
            case Do(call=call):
                return self.done_by(call, names, then)
            case If(test=test, body=body, orelse=orelse):
                return self.branches(test, (body, orelse), rest, names, end)
            case Loop():
                return self.loop(first, rest, names, end)
        raise AssertionError(f"read, yet not printed: {first.text}")

    def assigned(self, target: Local | Element, value: Expression, names: Names, then: End) -> str:
        """An assignment, then the rest with what it changed."""
        if isinstance(target, Local):
            name, changed = self.fresh(target.name), self.value(value, self.kinds[target.name], names)
            return let(f"{name} == {changed}", then({**names, target.name: name}))
        name = self.fresh(target.state)
        places = "".join(f"[{self.text(index, names)}]" for index in target.indexes)
        written = self.value(value, self.kind(target), names)
        changed = f"[{names[target.state]} EXCEPT !.{target.field}{places} = {written}]"
        return let(f"{name} == {changed}", then({**names, target.state: name}))

    def done_by(self, call: Call, names: Names, then: End) -> str:
        """A call for its effects, then the rest if the step may happen."""
        outcome, state = self.fresh("after"), self.tree.states[0]
        return let(
            f"{outcome} == {self.called(call, names)}",
            choice(f"{outcome}.may", then({**names, state: f"{outcome}.s"}), outcome),
        )

    def shared(self, statements: Sequence[Statement], changed: Iterable[str], names: Names) -> list[str]:
        """The state, if it changes, and the local names that some statements need."""
        used = {part.name for part in parts_of(tuple(statements)) if isinstance(part, Local)}
        return [*self.tree.states, *sorted(used & {*names, *changed} - {*self.tree.states})]

    def branches(
        self, test: Expression, bodies: Sequence[Sequence[Statement]], rest: Sequence[Statement], names: Names, end: End
    ) -> str:
        """Two branches; what follows both is an operator."""
        condition = self.truth(test, names)
        if not rest:
            return choice(condition, *(self.block(body, names, end) for body in bodies))
        assigned = (
            part.target for body in bodies for part in parts_of(tuple(body)) if isinstance(part, Assign | Change)
        )
        changed = {target.name for target in assigned if isinstance(target, Local)}
        shared = self.shared(rest, changed, names)
        inner = {name: self.fresh(name) for name in shared}
        rest_name = self.fresh("rest")
        follows = self.block(rest, {**names, **inner}, end)
        taken = choice(
            condition,
            *(
                self.block(body, names, lambda at: operator(rest_name, [at.get(n, "0") for n in shared]))
                for body in bodies
            ),
        )
        return let(f"{operator(rest_name, list(inner.values()))} ==\n{indent(follows, '  ')}", taken)

    def loop(self, part: Loop, rest: Sequence[Statement], names: Names, end: End) -> str:
        """A loop is an operator that calls itself with the next member."""
        first, last = self.limits(part, names)
        shared = [name for name in self.shared((*part.body, *rest), (), names) if name != part.name]
        inner = {name: self.fresh(name) for name in shared}
        name, member = self.fresh("loop"), self.fresh(part.name)
        around = {**names, **inner}
        body = self.block(
            part.body,
            {**around, part.name: member},
            lambda at: operator(name, [f"{member} + 1", *(at[n] for n in shared)]),
        )
        said = choice(f"{member} < {last}", body, self.block(rest, around, end))
        head = operator(name, [member, *inner.values()])
        declared = f"RECURSIVE {operator(name, ['_'] * (1 + len(inner)))}\n  {head} ==\n{indent(said, '    ')}"
        return let(declared, operator(name, [first, *(names[n] for n in shared)]))

    def limits(self, part: Loop, names: Names) -> tuple[str, str]:
        """The number with which a loop begins, and the one that ends it."""
        if isinstance(part.over, Each):
            if _is_set(part.over.domain):
                raise self.refused(part, f"it loops over all sets of {part.over.domain.of.__name__} in their order")  # type: ignore[attr-defined]
            return "0", self.module.size(part.over.domain)
        assert isinstance(part.over, Range)
        limits = [self.text(limit, names) for limit in part.over.limits]
        return ("0", limits[0]) if len(limits) == 1 else (limits[0], limits[1])

    def kind(self, part: Expression) -> str:
        """Whether a value is yes or no, a set, or a number."""
        match part:
            case Number(name=name):
                return FLAG if _is_truth(part) else SET if name == "EMPTY" else NUMBER
            case Local(name=name):
                return self.kinds[name]
            case Element():
                declared = self.tree.field_of(part)
                assert declared is not None
                return kind_of(declared)
            case AllOf():
                return SET
            case Not() | Comparison() | Quantified():
                return FLAG
            case Junction(parts=parts):
                return self.common(part, [self.kind(one) for one in parts])
            case Choice(yes=yes, no=no):
                return self.common(part, [self.kind(yes), self.kind(no)])
            case SetOperation(helper=helper):
                return FLAG if helper in (contains, is_subset) else SET
            case Call(function=function):
                return self.result_kind(tree_of(function))
        return NUMBER

    def common(self, part: Expression, kinds: Sequence[str]) -> str:
        """The kind of a value that is one of several; yes and no are numbers among numbers."""
        if SET in kinds and set(kinds) != {SET}:
            raise self.refused(part, f"`{part.text}` is a set or a number")
        return kinds[0] if len(set(kinds)) == 1 else NUMBER

    def result_kind(self, tree: Tree) -> str:
        """What a function returns, by its annotation."""
        returned = tree.node.returns
        if returned is not None and getattr(returned, "id", "") in ("bool", "int"):
            return FLAG if getattr(returned, "id", "") == "bool" else NUMBER
        of = _Function(self.module, tree) if tree is not self.tree else self
        values = [part.value for part in tree.parts if isinstance(part, Return) and part.value is not None]
        return of.common(values[0], [of.kind(value) for value in values])

    def truth(self, part: Expression, names: Names) -> str:
        """An expression as a condition."""
        kind, text = self.kind(part), self.text(part, names)
        return text if kind == FLAG else f"({text} # {{}})" if kind == SET else f"({text} # 0)"

    def value(self, part: Expression, kind: str, names: Names) -> str:
        """An expression as a value of a kind."""
        own = self.kind(part)
        if own == kind:
            return self.text(part, names)
        if kind == FLAG:
            return self.truth(part, names)
        if kind == NUMBER and own == FLAG:
            return f"(IF {self.text(part, names)} THEN 1 ELSE 0)"
        raise self.refused(part, f"`{part.text}` is a {own}, used as a {kind}")

    def number(self, part: Expression, names: Names) -> str:
        return self.value(part, NUMBER, names)

    def text(self, part: Expression, names: Names) -> str:
        """An expression in TLA+, of its own kind."""
        match part:
            case Number():
                return self.constant(part)
            case Local(name=name):
                return names[name]
            case Element():
                return self.element(part, names)
            case Size(domain=domain):
                return self.module.size(domain)
            case AllOf(domain=domain):
                return domain.__name__
            case Not(operand=operand):
                return f"(~{self.truth(operand, names)})"
            case Minus(operand=operand):
                return f"(-{self.number(operand, names)})"
            case Sum(left=left, sign=sign, right=right):
                return f"({self.number(left, names)} {'+' if sign > 0 else '-'} {self.number(right, names)})"
            case Remainder(left=left, right=right):
                return f"({self.number(left, names)} % {self.number(right, names)})"
            case Comparison():
                return self.comparison(part, names)
            case Junction():
                return self.junction(part, names)
            case Choice(test=test, yes=yes, no=no):
                one, other = (self.value(each, self.kind(part), names) for each in (yes, no))
                return f"(IF {self.truth(test, names)} THEN {one} ELSE {other})"
            case Extreme(name=name, parts=parts):
                return self.extreme(name.capitalize(), [self.number(one, names) for one in parts])
            case SetOperation(helper=helper, parts=parts):
                return HELPERS[helper.__name__].format(*(self.text(one, names) for one in parts))
            case Quantified(every=every, name=name, over=over, condition=condition):
                member = self.fresh(name)
                holds = self.truth(condition, {**names, name: member})
                bound = f"{member} \\in {self.module.set_of(over.domain)}"
                return f"({quantified('A' if every else 'E', bound)}{holds})"
            case Total():
                return self.total(part, names)
            case Call():
                return self.called(part, names)
        raise AssertionError(f"read, yet not printed: {part.text}")

    def constant(self, part: Number) -> str:
        if self.kind(part) != NUMBER:
            return "{}" if part.name == "EMPTY" else str(bool(part.value)).upper()
        domain, _, member = (part.name or "").partition(".")
        if member and domain in [each.__name__ for each in self.module.domains]:
            return f"{domain}_{member}"
        return "NONE" if part.name == "NONE" else str(part.value) if part.value >= 0 else f"({part.value})"

    def element(self, part: Element, names: Names) -> str:
        if part.field in [declared.name for declared in self.module.profile.state.settings]:
            return part.field
        return f"{names[part.state]}.{part.field}" + "".join(f"[{self.text(index, names)}]" for index in part.indexes)

    def comparison(self, part: Comparison, names: Names) -> str:
        pairs = []
        for one, relation, other in part.pairs:
            kind = self.common(part, [self.kind(one), self.kind(other)]) if relation in RELATIONS else NUMBER
            left, right = (self.value(each, kind, names) for each in (one, other))
            pairs.append(f"({left} {RELATIONS.get(relation, relation)} {right})")
        together = " /\\ ".join(pairs)
        return together if len(pairs) == 1 else f"({together})"

    def junction(self, part: Junction, names: Names) -> str:
        kind, joined = self.kind(part), " /\\ " if part.every else " \\/ "
        if kind == FLAG:
            return f"({joined.join(self.truth(one, names) for one in part.parts)})"
        found = self.value(part.parts[-1], kind, names)
        for one in reversed(part.parts[:-1]):
            own = self.value(one, kind, names)
            yes, no = (found, own) if part.every else (own, found)
            found = f"(IF {self.truth(one, names)} THEN {yes} ELSE {no})"
        return found

    @staticmethod
    def extreme(name: str, parts: Sequence[str]) -> str:
        found = parts[0]
        for part in parts[1:]:
            found = f"{name}({found}, {part})"
        return found

    def total(self, part: Total, names: Names) -> str:
        name, member = self.fresh("total"), self.fresh(part.name)
        value = self.number(part.value, {**names, part.name: member})
        size = self.module.size(part.over.domain)
        more = f"IF {member} < {size} THEN {value} + {name}({member} + 1) ELSE 0"
        return f"(LET RECURSIVE {name}(_)\n  {name}({member}) == {more}\nIN {name}(0))"

    def called(self, part: Call, names: Names) -> str:
        function = tree_of(part.function)
        of = _Function(self.module, function)
        given = [
            names[each.state] if isinstance(each, Given) else self.value(each, of.kinds[name], names)
            for name, each in zip(function.parameters, part.arguments, strict=True)
        ]
        return operator(self.module.names[part.function], given)


def unused(name: str, taken: Iterable[str]) -> str:
    """The name, or with the first number that makes it another one than those taken."""
    found, number, known = name, 1, set(taken)
    while found in known:
        number += 1
        found = f"{name}_{number}"
    return found


def operator(name: str, arguments: Sequence[str]) -> str:
    """An operator with its arguments."""
    return f"{name}({', '.join(arguments)})" if arguments else name


def comment(text: str) -> str:
    """A text on a line that TLC passes over."""
    return f"\\* {' '.join(text.split())}"


def quantified(quantifier: str, bound: str) -> str:
    """The beginning of a formula about all members, `A`, or some, `E`."""
    return f"\\{quantifier} {bound} : " if bound else ""


def choice(condition: str, yes: str, no: str) -> str:
    """One of two texts of several lines."""
    return f"IF {condition}\nTHEN\n{indent(yes, '  ')}\nELSE\n{indent(no, '  ')}"


def let(definition: str, text: str) -> str:
    """A text after a definition."""
    return f"LET {definition}\nIN\n{text}"


def kind_of(declared: Field) -> str:
    """The kind of the values of a field or setting."""
    index = declared.domain.index
    return FLAG if index is None else SET if _is_set(index) and declared.domain.kind == "member" else NUMBER


def _is_set(domain: Any) -> bool:
    return isinstance(domain, type) and issubclass(domain, SubsetOf)


def _is_truth(part: Number) -> bool:
    return isinstance(part.node, ast.Constant) and isinstance(part.node.value, bool)
