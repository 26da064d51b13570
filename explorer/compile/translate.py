"""Model Python to kernel text over packed words: every field access becomes a shift and a mask, every write a clear and an or.

A model function over a state `s` becomes a function over the words of the state, `s_0, s_1, ...`. A function with effects returns
whether it is enabled and the words after it; the others return their value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neverlost.model.core import Model
from neverlost.model.core.domains import MAX_MEMBERS, contains, is_subset
from neverlost.model.core.packing import SETTING_WORDS, Place
from neverlost.model.core.reading import trees_of
from neverlost.model.core.tree import (
    COMPARED,
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
    Remainder,
    Require,
    Return,
    SetOperation,
    Size,
    Statement,
    Sum,
    Total,
    Tree,
)

from .proven import proven_names

MEMBER_POSITIONS = {"contains": 1, "with_member": 1, "without": 1, "only": 0}
"""Which argument of a set helper is a member. It is a shift distance, so it must lie within a word."""

HELPERS = {
    "contains": "(({0} >> {1}) & 1 == 1)",
    "with_member": "({0} | (1 << {1}))",
    "without": "({0} & ~(1 << {1}))",
    "is_subset": "({0} & ~{1} == 0)",
    "only": "(1 << {0})",
}

TRUTHS = (contains, is_subset)
"""The set helpers whose result is a truth."""

REMAINDER = """def remainder(value, size):
    rest = value if value >= 0 else -value - 1
    rest = rest - size * number(u64(rest) // u64(size))
    return rest if value >= 0 else size - 1 - rest"""
"""Python's remainder, from the division of numbers that are not below 0."""

SETTINGS = ", ".join(f"settings_{word}" for word in range(SETTING_WORDS))
"""The words of the settings as a list of names: `settings_0, settings_1`."""

OUTSIDE, DECLARED = f"flaw, {SETTINGS}", f"flaw: vector, {SETTINGS}"
"""The further parameters of every function: where it reports a flaw, and the words of the settings."""


@dataclass(frozen=True)
class Code:
    """The text of an expression over packed words, and what is known of it."""

    text: str
    names: frozenset[str] = frozenset()
    """The words of states, parameters and translated functions in it."""
    flags: bool = False
    """Whether to evaluate it may report a flaw of the model: then it must not be evaluated before the guards above it."""
    is_truth: bool = False
    """Whether it is a truth. Names, fields and results of functions are numbers."""
    value: int | None = None
    """The number, if the text is one; 0 or 1 if it is a truth that is the same everywhere."""

    def __str__(self) -> str:
        return self.text


def code(text: str, *parts: Code, names: Sequence[str] = (), flags: bool = False, is_truth: bool = False) -> Code:
    """A text that is made of some parts."""
    together = frozenset(names).union(*(part.names for part in parts))
    return Code(text, together, flags or any(part.flags for part in parts), is_truth)


def inner_of(text: Code, member: str) -> Code:
    """What a text is outside the loop that gives `member` its values."""
    return replace(text, names=text.names - {member})


def constant(value: int) -> Code:
    """A number as an expression."""
    return Code(str(value), value=value)


def certain(value: bool) -> Code:
    """A truth that is the same in every state."""
    return Code(str(value), is_truth=True, value=int(value))


def number(text: Code) -> Code:
    """An expression as a number, to store, pass on or compute with. A truth becomes 0 or 1."""
    if text.is_truth and text.value is not None:
        return constant(text.value)
    return code(f"number({text})", text) if text.is_truth else text


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A model function being translated: the texts of its states and names, and which names are certain to lie in a domain."""

    tree: Tree
    states: Mapping[str, str]
    names: Mapping[str, Code]
    proven: Mapping[str, int]


class Translator:
    """Translates the functions of one model; those in `bound` are called with members of their parameters' domains only."""

    def __init__(
        self, model: Model, functions: Sequence[Callable[..., Any]], bound: Sequence[Callable[..., Any]]
    ) -> None:
        self.model, self.layout = model, model.layout
        self.trees = list(trees_of(functions))
        self.names = {tree.function: f"f{number}_{tree.name}" for number, tree in enumerate(self.trees)}
        self.proven = proven_names(model, self.trees, bound)
        self.definitions: dict[str, str] = {}  # callees first
        self.may_flag: set[Callable[..., Any]] = set()
        self.constants: dict[Callable[..., Any], int] = {}
        """The functions whose value is the same everywhere, and that value."""
        self.idle: set[Callable[..., Any]] = set()
        """The functions that change nothing, and refuse nothing."""
        for tree in self.trees:
            self.definitions[self.names[tree.function]] = self._function(tree)

    def words(self, prefix: str) -> str:
        """The words of a state as a list of names: `s_0, s_1`."""
        return ", ".join(self.named_words(prefix))

    def named_words(self, prefix: str) -> list[str]:
        """The names of the words of a state."""
        return [f"{prefix}_{k}" for k in range(self.layout.words)]

    def scope(self, tree: Tree) -> Scope:
        """The scope of a function's own body."""
        return Scope(tree=tree, states={s: s for s in tree.states}, names={}, proven=self.proven[tree.function])

    def _function(self, tree: Tree) -> str:
        parameters = [self.words(p) if p in tree.states else local(p) for p in tree.parameters]
        body = _KernelBody(self, self.scope(tree))
        lines = body.lines(tree.body, 1)
        if body.flags:
            self.may_flag.add(tree.function)
        if body.returned is not None and len(lines) == 1:
            self.constants[tree.function] = body.returned
        if not lines:
            self.idle.add(tree.function)
        if not tree.returns_value:
            lines.append(f"    return True, {self.words(tree.states[0])}")
        head = f"def {self.names[tree.function]}({', '.join(parameters)}, {DECLARED}):"
        return "\n".join([head, *lines])

    def number(self, part: Expression, scope: Scope) -> Code:
        """An expression over packed words, as a number."""
        return number(self.expression(part, scope))

    def expression(self, part: Expression, scope: Scope) -> Code:
        """An expression over packed words."""
        match part:
            case Element():
                return self._read(part, scope)
            case Number(value=bool() as value):
                return certain(value)
            case Number(value=value):
                return constant(value)
            case Local(name=name):
                return scope.names.get(name) or Code(local(name), frozenset({local(name)}))
            case Size(domain=domain):
                return constant(domain.size(self.model.bounds))
            case AllOf(domain=domain):
                return constant((1 << domain.size(self.model.bounds)) - 1)
            case Junction(every=every, parts=parts):
                return _junction(every, [self.expression(one, scope) for one in parts])
            case Not(operand=operand):
                text = self.expression(operand, scope)
                if text.value is not None:
                    return certain(not text.value)
                return code(f"(not {text})", text, is_truth=True)
            case Minus(operand=operand):
                text = self.number(operand, scope)
                return code(f"(-{text})", text)
            case Sum(left=left, sign=sign, right=right):
                return self._sum(left, sign, right, scope)
            case Comparison(left=left, operators=operators, others=others):
                texts = [self.number(one, scope) for one in (left, *others)]
                if (truth := _compared(texts, operators)) is not None:
                    return certain(truth)
                rest = (f" {operator} {text}" for operator, text in zip(operators, texts[1:], strict=True))
                return code(f"({texts[0]}{''.join(rest)})", *texts, is_truth=True)
            case Choice(test=test, yes=yes, no=no):
                condition = self.expression(test, scope)
                if condition.value is not None:
                    return self.expression(yes if condition.value else no, scope)
                one, other = _alike([self.expression(yes, scope), self.expression(no, scope)])
                return code(f"({one} if {condition} else {other})", one, condition, other, is_truth=one.is_truth)
            case Extreme(name=name, parts=parts):
                texts = [self.number(one, scope) for one in parts]
                return code(f"{name}({', '.join(map(str, texts))})", *texts)
            case Remainder(left=left, right=right):
                self.definitions["remainder"] = REMAINDER
                texts = [self.number(left, scope), self.number(right, scope)]
                return code(f"remainder({texts[0]}, {texts[1]})", *texts)
            case Quantified():
                return self._quantified(part, scope)
            case Total():
                return self._total(part, scope)
            case SetOperation(helper=helper, parts=parts):
                return self._set_operation(helper, parts, scope)
            case Call():
                return self.call(part, scope)
        raise AssertionError(f"{scope.tree.at(part)}: read, yet not translated: {part.text}")

    def _sum(self, left: Expression, sign: int, right: Expression, scope: Scope) -> Code:
        """A sum or difference. It is checked unless it is certain to stay small, because integers of the kernel have a limited size."""
        one, other = self.number(left, scope), self.number(right, scope)
        text = f"{one} {_SIGNS[sign]} {other}"
        if self._small(left, scope) and self._small(right, scope):
            return code(f"({text})", one, other)
        return code(f"bounded({text}, flaw)", one, other, flags=True)

    def _small(self, part: Expression, scope: Scope) -> bool:
        match part:
            case Number(name=None) | Size() | Element() | Remainder():
                return True
            case Choice(yes=yes, no=no):
                return self._small(yes, scope) and self._small(no, scope)
            case Local(name=name):
                return name in scope.proven
        return False

    def _set_operation(self, helper: Callable[..., Any], parts: Sequence[Expression], scope: Scope) -> Code:
        texts = [self.number(one, scope) for one in parts]
        at = MEMBER_POSITIONS.get(helper.__name__)
        if at is not None:
            texts[at] = self._within(parts[at], MAX_MEMBERS, scope)
        return code(HELPERS[helper.__name__].format(*texts), *texts, is_truth=helper in TRUTHS)

    def _quantified(self, part: Quantified, scope: Scope) -> Code:
        """A call of a function that looks at one member after the other."""
        if not part.over.domain.size(self.model.bounds):
            return certain(part.every)
        condition = self.expression(part.condition, self._with_member(part, scope))
        if condition.value is not None:
            return certain(bool(condition.value))
        decides = f"not {condition}" if part.every else str(condition)
        loop = [f"        if {decides}:", f"            return {int(not part.every)}", f"    return {int(part.every)}"]
        return self._over_members(part, [], loop, condition)

    def _total(self, part: Total, scope: Scope) -> Code:
        if not part.over.domain.size(self.model.bounds):
            return constant(0)
        inner = self._with_member(part, scope)
        value, small = self.number(part.value, inner), self._small(part.value, inner)
        more = f"total + {value}" if small else f"bounded(total + {value}, flaw)"
        found = self._over_members(part, ["    total = 0"], [f"        total = {more}", "    return total"], value)
        return found if small else code(found.text, found, flags=True)

    def _with_member(self, part: Quantified | Total, scope: Scope) -> Scope:
        """The scope of what is asked of each member."""
        name, size = local(part.name), part.over.domain.size(self.model.bounds)
        names = {**scope.names, part.name: Code(name, frozenset({name}))}
        return replace(scope, names=names, proven={**scope.proven, part.name: size})

    def _over_members(self, part: Quantified | Total, before: Sequence[str], loop: Sequence[str], inner: Code) -> Code:
        """A call of a function of its own with a loop over members; it is made once for all places that need the same."""
        member, size = local(part.name), part.over.domain.size(self.model.bounds)
        called = {*self.names.values(), *self.definitions}
        given = sorted(inner.names - {member} - called)
        body = "\n".join([*before, f"    for {member} in range({size}):", *loop])
        head = f"({', '.join([*given, DECLARED])}):\n{body}"
        name = next((known for known, text in self.definitions.items() if text == f"def {known}{head}"), None)
        if name is None:
            name = f"of_members_{len(self.definitions)}"
            self.definitions[name] = f"def {name}{head}"
        return code(f"{name}({', '.join([*given, OUTSIDE])})", inner_of(inner, member), names=[name])

    def call(self, part: Call, scope: Scope) -> Code:
        """A call of a translated function, or its value if that is the same everywhere."""
        texts = [self._argument(one, scope) for one in part.arguments]
        if part.function in self.constants and not any(text.flags for text in texts):
            return constant(self.constants[part.function])
        name = self.names[part.function]
        flags = part.function in self.may_flag
        return code(f"{name}({', '.join(map(str, texts))}, {OUTSIDE})", *texts, names=[name], flags=flags)

    def _argument(self, part: Expression, scope: Scope) -> Code:
        return self._words(scope.states[part.state]) if isinstance(part, Given) else self.number(part, scope)

    def _words(self, prefix: str) -> Code:
        return Code(self.words(prefix), frozenset(self.named_words(prefix)))

    def _read(self, part: Element, scope: Scope) -> Code:
        place = self.place(part.field)
        position = self.position(place, part.indexes, scope)
        low = f" + {place.low}" if place.low > 0 else f" - {-place.low}" if place.low < 0 else ""
        prefix = scope.states[part.state]
        if len(place.segments) > 1:
            words = self._words(prefix)
            return code(f"(read_{part.field}({words}, {position}){low})", words, position)
        segment = place.segments[0]
        of_settings = part.field in self.layout.settings
        word = f"{'settings' if of_settings else prefix}_{segment.word}"
        text = f"(({word} >> {_shift(segment.shift, position, place.width)} & {_mask(place)}){low})"
        return code(text, position, names=[] if of_settings else [word])

    def place(self, name: str) -> Place:
        """The place of a field or a setting."""
        return self.layout.places[name] if name in self.layout.places else self.layout.settings[name]

    def position(self, place: Place, indexes: Sequence[Expression], scope: Scope) -> Code:
        """The number of an element among those of its field."""
        found = Code("0", value=0)
        for part, extent in zip(indexes, place.shape, strict=True):
            index = self._within(part, extent, scope)
            found = index if found.value == 0 else code(f"({_times(found, extent)} + {index})", found, index)
        return found

    def _within(self, part: Expression, extent: int, scope: Scope) -> Code:
        """An expression that must lie in 0 .. extent - 1, checked unless this is certain."""
        text = self.number(part, scope)
        if text.value is not None and 0 <= text.value < extent:
            return text
        match part:
            case Local(name=name):
                sure = scope.proven.get(name, extent + 1) <= extent
            case Element(field=name):
                place = self.place(name)
                sure = place.low >= 0 and place.low + place.size <= extent
            case _:
                sure = False
        return text if sure else code(f"checked({text}, {extent}, flaw)", text, flags=True)

    def segmented(self) -> list[str]:
        """Readers and writers of fields that extend over several words."""
        texts = []
        for name, place in self.layout.places.items():
            if len(place.segments) > 1:
                texts += [self._segmented(name, place, writes=False), self._segmented(name, place, writes=True)]
        return texts

    def _segmented(self, name: str, place: Place, writes: bool) -> str:
        head = (
            f"write_{name}({self.words('s')}, position, value)"
            if writes
            else f"read_{name}({self.words('s')}, position)"
        )
        lines = [f"def {head}:"]
        for number, segment in enumerate(place.segments):
            last = number == len(place.segments) - 1
            word, shift = f"s_{segment.word}", f"{segment.shift} + (position - {segment.start}) * {place.width}"
            lines.append(
                "    else:" if last else f"    {'elif' if number else 'if'} position < {segment.start + segment.count}:"
            )
            if writes:
                lines.append(f"        {word} = {word} & ~({_mask(place)} << ({shift})) | value << ({shift})")
            else:
                lines.append(f"        return {word} >> ({shift}) & {_mask(place)}")
        if writes:
            lines.append(f"    return {self.words('s')}")
        return "\n".join(lines)


class _KernelBody:
    """The statements of one function, as lines over packed words."""

    def __init__(self, translator: Translator, scope: Scope) -> None:
        self.translator, self.scope, self.flags = translator, scope, False
        self.returned: int | None = None
        """The number that the last translated `return` gives, if it is the same everywhere."""

    def lines(self, statements: Sequence[Statement], depth: int) -> list[str]:
        """The lines of some statements; none of what never happens or makes no difference."""
        return [line for s in statements for line in self._statement(s, depth)]

    def _inner(self, head: str, statements: Sequence[Statement], depth: int) -> list[str]:
        return [head, *(self.lines(statements, depth + 1) or ["    " * (depth + 1) + "pass"])]

    def _statement(self, part: Statement, depth: int) -> list[str]:
        pad, value = "    " * depth, self._value
        match part:
            case Assign(target=Local(name=name), value=right):
                return [f"{pad}{local(name)} = {value(right)}"]
            case Assign(target=Element() as target, value=right):
                stored = self.translator.number(right, self.scope)
                fits = self._fits(right, stored, target)
                return [pad + line for line in self._write(target, self._used(stored), fits)]
            case Change(target=Local(name=name), sign=sign, value=right):
                self.flags = True
                return [f"{pad}{local(name)} = bounded({local(name)} {_SIGNS[sign]} {value(right)}, flaw)"]
            case Change(target=Element() as target, sign=sign, value=right):
                new = f"{value(target)} {_SIGNS[sign]} {value(right)}"
                return [pad + line for line in self._write(target, new, fits=False)]
            case If(test=test, body=body, orelse=orelse):
                condition = self._condition(test)
                if condition.value is not None:
                    return self.lines(body if condition.value else orelse, depth)
                lines = self._inner(f"{pad}if {condition}:", body, depth)
                return [*lines, *self._inner(f"{pad}else:", orelse, depth)] if orelse else lines
            case Loop():
                return self._loop(part, depth)
            case Return(value=None):
                return [f"{pad}return True, {self._words()}"]
            case Return(value=Expression() as result):
                found = self.translator.number(result, self.scope)
                self.returned = found.value
                return [f"{pad}return {self._used(found)}"]
            case Require(condition=required):
                condition = self._condition(required)
                if condition.value:
                    return []
                return [f"{pad}if not {condition}:", f"{pad}    return False, {self._words()}"]
            case Do(call=call):
                done = self.translator.call(call, self.scope)
                self._used(done)
                if call.function in self.translator.idle and not done.flags:
                    return []
                refused = f"{pad}    return False, {self._words()}"
                return [f"{pad}enabled, {self._words()} = {done}", f"{pad}if not enabled:", refused]
        raise AssertionError(f"{self.scope.tree.at(part)}: read, yet not translated: {part.text}")

    def _used(self, found: Code) -> str:
        """A text that stands in the function."""
        self.flags = self.flags or found.flags
        return found.text

    def _condition(self, part: Expression) -> Code:
        found = self.translator.expression(part, self.scope)
        self._used(found)
        return found

    def _value(self, part: Expression) -> str:
        return self._used(self.translator.number(part, self.scope))

    def _words(self) -> str:
        return self.translator.words(self.scope.tree.states[0])

    def _loop(self, part: Loop, depth: int) -> list[str]:
        if isinstance(part.over, Each):
            size = part.over.domain.size(self.translator.model.bounds)
            if not size:
                return []
            limits = str(size)
        else:
            limits = ", ".join(map(self._value, part.over.limits))
        return self._inner(f"{'    ' * depth}for {local(part.name)} in range({limits}):", part.body, depth)

    def _write(self, target: Element, value: str, fits: bool) -> list[str]:
        place = self.translator.layout.places[target.field]
        position = self.translator.position(place, target.indexes, self.scope)
        self._used(position)
        if not fits:
            self.flags = True
            value = f"in_domain({value}, {place.low}, {place.size}, flaw)"
        stored = f"({value}{f' - {place.low}' if place.low > 0 else f' + {-place.low}' if place.low < 0 else ''})"
        if len(place.segments) > 1:
            words = self.translator.words(target.state)
            return [f"{words} = write_{target.field}({words}, {position}, {stored})"]
        segment = place.segments[0]
        word, shift = f"{target.state}_{segment.word}", _shift(segment.shift, position, place.width)
        return [f"{word} = {word} & ~({_mask(place)} << {shift}) | {stored} << {shift}"]

    def _fits(self, part: Expression, stored: Code, target: Element) -> bool:
        """Whether the value certainly lies in the field's domain: a read of a field of this domain, a member, NONE, a constant."""
        place, proven = self.translator.layout.places[target.field], self.scope.proven
        match part:
            case Element(field=name):
                other = self.translator.place(name)
                return (other.low, other.size) == (place.low, place.size)
            case _ if stored.value is not None:
                return place.low <= stored.value < place.low + place.size
            case Local(name=name) if name in proven:
                return place.low <= 0 and proven[name] <= place.low + place.size
        return False


def _junction(every: bool, parts: Sequence[Code]) -> Code:
    """All of some conditions, or any: without those that change nothing, and up to the first that decides it."""
    texts: list[Code] = []
    decided, truths = False, all(text.is_truth for text in parts)
    for position, text in enumerate(parts):
        decided = text.value is not None and bool(text.value) != every
        # Of numbers, the last may be the value of the whole.
        if text.value is None or decided or (position == len(parts) - 1 and not truths):
            texts.append(text)
        if decided:
            break
    if not texts:
        return certain(every)
    # Of numbers, the first that is not 0 is the value of `or`, perhaps one before that which decides it.
    if len(texts) == 1 or (decided and (every or truths) and not any(text.flags for text in texts)):
        return texts[-1]
    alike = _alike(texts)
    return code(f"({(' and ' if every else ' or ').join(map(str, alike))})", *alike, is_truth=alike[0].is_truth)


def _compared(texts: Sequence[Code], operators: Sequence[str]) -> bool | None:
    """Whether numbers compare so; None unless all are known."""
    numbers = [text.value for text in texts if text.value is not None]
    if len(numbers) < len(texts):
        return None
    return all(
        COMPARED[operator](one, other) for one, operator, other in zip(numbers, operators, numbers[1:], strict=False)
    )


def _alike(texts: Sequence[Code]) -> list[Code]:
    """Truths if all are truths, else numbers."""
    return list(texts) if all(text.is_truth for text in texts) else [number(text) for text in texts]


def local(name: str) -> str:
    """The name in the kernel of a parameter or local name; the prefix keeps it apart from the kernel's other names."""
    return f"v_{name}"


_SIGNS = {1: "+", -1: "-"}


def _mask(place: Place) -> int:
    return (1 << place.width) - 1


def _times(text: Code, factor: int) -> str:
    return str(text) if factor == 1 else f"({text}) * {factor}"


def _shift(base: int, position: Code, width: int) -> str:
    if position.value is not None:
        return str(base + position.value * width)
    moved = f"({position})" if width == 1 else f"({position}) * {width}"
    return f"({moved})" if base == 0 else f"({base} + {moved})"
