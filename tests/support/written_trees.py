"""Trees of model functions as Python again, so that what is left of a function can be run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import indent
from typing import Any

from neverlost.model.core.source import defined
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
    Extreme,
    Given,
    If,
    Junction,
    Local,
    Loop,
    Minus,
    Not,
    Number,
    Part,
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


def run_as(tree: Tree, body: Sequence[Statement], other: Callable[[Callable[..., Any]], Any], place: str) -> Any:
    """A function that does what some statements say; where it calls a model function, it calls `other` of it."""
    names = {part.function.__name__: other(part.function) for part in parts_of(tuple(body)) if isinstance(part, Call)}
    kinds = {name: kind for name, kind in tree.parameters.items() if isinstance(kind, type)}
    parameters = (f"{name}: {kinds[name].__name__}" if name in kinds else name for name in tree.parameters)
    known = {kind.__name__: kind for kind in kinds.values()}
    text = f"def {tree.name}({', '.join(parameters)}):\n{_block(body)}"
    return defined(text, place, {**tree.function.__globals__, **names, **known})[tree.name]


def _block(body: Sequence[Statement]) -> str:
    return indent("\n".join(map(written, body)) or '"Nothing."', "    ")


def written(part: Part) -> str:
    """A part as Python. Numbers are written out, also those that have a name."""
    match part:
        case Assign(target=target, value=value):
            return f"{written(target)} = {written(value)}"
        case Change(target=target, sign=sign, value=value):
            return f"{written(target)} {'+' if sign > 0 else '-'}= {written(value)}"
        case If(test=test, body=body, orelse=orelse):
            return f"if {written(test)}:\n{_block(body)}" + (f"\nelse:\n{_block(orelse)}" if orelse else "")
        case Loop(name=name, over=Each(state=state, domain=domain), body=body):
            return f"for {name} in {state}.each({domain.__name__}):\n{_block(body)}"
        case Loop(name=name, over=Range(limits=limits), body=body):
            return f"for {name} in range({', '.join(map(written, limits))}):\n{_block(body)}"
        case Return(value=value):
            return "return" if value is None else f"return {written(value)}"
        case Require(condition=condition):
            return f"require({written(condition)})"
        case Do(call=call):
            return written(call)
        case Number(value=value):
            return part.name or f"({value})"
        case Local(name=name) | Given(state=name):
            return name
        case Element(state=state, field=field, indexes=indexes):
            return f"{state}.{field}{''.join(f'[{written(index)}]' for index in indexes)}"
        case Size(state=state, domain=domain):
            return f"{state}.size({domain.__name__})"
        case AllOf(state=state, domain=domain):
            return f"{state}.all_of({domain.__name__})"
        case Not(operand=operand):
            return f"(not {written(operand)})"
        case Minus(operand=operand):
            return f"(-{written(operand)})"
        case Sum(left=left, sign=sign, right=right):
            return f"({written(left)} {'+' if sign > 0 else '-'} {written(right)})"
        case Remainder(left=left, right=right):
            return f"({written(left)} % {written(right)})"
        case Comparison(left=left, operators=operators, others=others):
            rest = (f" {operator} {written(other)}" for operator, other in zip(operators, others, strict=True))
            return f"({written(left)}{''.join(rest)})"
        case Junction(every=every, parts=parts):
            return f"({(' and ' if every else ' or ').join(map(written, parts))})"
        case Choice(test=test, yes=yes, no=no):
            return f"({written(yes)} if {written(test)} else {written(no)})"
        case Extreme(name=name, parts=parts):
            return f"{name}({', '.join(map(written, parts))})"
        case SetOperation(helper=helper, parts=parts):
            return f"{helper.__name__}({', '.join(map(written, parts))})"
        case Quantified(every=every, name=name, over=over, condition=condition):
            return f"{'all' if every else 'any'}({written(condition)} for {name} in {written(over)})"
        case Total(name=name, over=over, value=value):
            return f"sum({written(value)} for {name} in {written(over)})"
        case Each(state=state, domain=domain):
            return f"{state}.each({domain.__name__})"
        case Call(function=function, arguments=arguments):
            return f"{function.__name__}({', '.join(map(written, arguments))})"
    raise ValueError(f"{part} has no form in Python")
