"""Random kernel texts, and CPython as their judge: integers that wrap around, in the few types that kernels have."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

from neverlost.model.core.source import defined

NUMBER, U64, U32 = (64, True), (64, False), (32, False)
Kind = tuple[int, bool]
NAMES = {"number": NUMBER, "u64": U64, "u32": U32}


class Word:
    """An integer of so many bits, signed or not: sums wrap around, and a shift is taken modulo the width."""

    def __init__(self, value: int, kind: Kind) -> None:
        bits, signed = self.kind = kind
        value &= (1 << bits) - 1
        self.value = value - (1 << bits) if signed and value >> bits - 1 else value

    def _with(self, other: Any, work: Callable[[int, int], Any]) -> Any:
        if isinstance(other, Word):
            assert other.kind == self.kind
            other = other.value
        found = work(self.value, other)
        return found if isinstance(found, bool) else Word(found, self.kind)

    def _shift(self, other: Any, work: Callable[[int, int], int]) -> Word:
        distance = other.value if isinstance(other, Word) else other
        return Word(work(self.value, distance % self.kind[0]), self.kind)

    def __add__(self, other: Any) -> Any:
        return self._with(other, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, operator.sub)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, operator.mul)

    def __and__(self, other: Any) -> Any:
        return self._with(other, operator.and_)

    def __or__(self, other: Any) -> Any:
        return self._with(other, operator.or_)

    def __xor__(self, other: Any) -> Any:
        return self._with(other, operator.xor)

    def __lshift__(self, other: Any) -> Any:
        return self._shift(other, operator.lshift)

    def __rshift__(self, other: Any) -> Any:
        return self._shift(other, operator.rshift)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._with(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._with(other, operator.ge)

    def __eq__(self, other: Any) -> Any:
        return self._with(other, operator.eq)

    def __ne__(self, other: Any) -> Any:
        return self._with(other, operator.ne)

    def __neg__(self) -> Word:
        return Word(-self.value, self.kind)

    def __invert__(self) -> Word:
        return Word(~self.value, self.kind)

    def __bool__(self) -> bool:
        return self.value != 0

    def __hash__(self) -> int:
        return hash((self.value, self.kind))

    def __index__(self) -> int:
        return self.value


def converter(kind: Kind) -> Callable[[Any], Word]:
    """`number`, `u64` or `u32`."""
    return lambda value: Word(int(value) if isinstance(value, bool | int) else value.value, kind)


def by_python(text: str, name: str, *arguments: Any) -> Any:
    """What CPython makes of a function of a kernel text."""
    space: dict[str, Any] = {name: converter(kind) for name, kind in NAMES.items()}
    space |= {
        "entry": lambda f: f,
        "inlined": lambda f: f,
        "range": _range,
        "len": lambda v: Word(len(v), NUMBER),
        "vector": None,
    }
    return defined(text, "kernel", space)[name](*arguments)


def _range(*limits: Any) -> Any:
    return (Word(at, NUMBER) for at in range(*(limit.value if isinstance(limit, Word) else limit for limit in limits)))


class _Writer:
    """Writes one random function over numbers `a`, `b`, a u64 `c`, a u32 `d`, and a vector `v` of eight numbers."""

    def __init__(self, seed: random.Random, helpers: tuple[str, ...]) -> None:
        self.random, self.helpers = seed, helpers
        self.names = {"number": ["a", "b"], "u64": ["c"], "u32": ["d"], "truth": ["e"]}
        self.made = 0

    def value(self, kind: str, depth: int) -> str:
        choose = self.random.choice
        if depth == 0 or self.random.random() < 0.15:
            if kind == "truth":
                return choose(["True", "False", *self.names[kind]])
            literal = str(self.random.choice([0, 1, 2, 63, 64, 255, (1 << 31) - 1]))
            return choose([*self.names[kind], *self.names[kind], f"{kind}({literal})"])
        less = depth - 1
        if kind == "truth":
            of = choose(["number", "number", "u64", "u32"])
            one, other = self.value(of, less), self.value(of, less)
            return choose([
                f"({one} {choose(['==', '!=', '<', '<=', '>', '>='])} {other})",
                f"({one} < {other} <= {self.value(of, less)})",
                f"(not {self.value('truth', less)})",
                f"({self.value('truth', less)} {choose(['and', 'or'])} {self.value('truth', less)})",
            ])  # fmt: skip
        one, other = self.value(kind, less), self.value(kind, less)
        ways = [
            f"({one} {choose(['+', '-', '*', '&', '|', '^'])} {other})",
            f"({one} {choose(['<<', '>>'])} {choose([str(self.random.randrange(32)), self.value('number', less)])})",
            f"({choose(['-', '~'])}{one})",
            f"({one} if {self.condition(less)} else {other})",
            f"({one} {choose(['and', 'or'])} {other})",
            f"{choose(['min', 'max'])}({one}, {other})",
            f"{kind}({self.value(choose(['number', 'u64', 'u32', 'truth']), less)})",
        ]
        if kind == "number":
            ways += [f"v[{self.value('number', less)} & 7]", "len(v)"]
            ways += [f"{name}({self.value('number', less)}, {self.value('number', less)}, v)" for name in self.helpers]
        return choose(ways)

    def condition(self, depth: int) -> str:
        return self.value(self.random.choice(["truth", "truth", "number", "u64"]), depth)

    def block(self, depth: int, looping: bool) -> list[str]:
        before = {kind: list(names) for kind, names in self.names.items()}
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, looping)]
        self.names = before
        return [f"    {line}" for line in lines]

    def statement(self, depth: int, looping: bool) -> list[str]:
        kind = self.random.choice(["number", "number", "u64", "u32", "truth"])
        ways = ["assign", "change", "store"]
        ways += ["if", "for", "while"] if depth else []
        ways += ["break"] if looping else []
        match self.random.choice(ways):
            case "assign":
                line = f"x{self.made} = {self.value(kind, 2)}"
                self.names[kind].append(f"x{self.made}")
                self.made += 1
                return [line]
            case "change":
                name = self.random.choice(self.names[kind])
                if kind == "truth" or self.random.random() < 0.5:
                    return [f"{name} = {self.value(kind, 2)}"]
                return [f"{name} {self.random.choice(['+=', '-=', '|=', '^='])} {self.value(kind, 2)}"]
            case "store":
                way = self.random.choice(["=", "+=", "|="])
                return [f"v[{self.value('number', 1)} & 7] {way} {self.value('number', 2)}"]
            case "if":
                lines = [f"if {self.condition(2)}:", *self.block(depth - 1, looping)]
                return [*lines, "else:", *self.block(depth - 1, looping)] if self.random.random() < 0.4 else lines
            case "break":
                return [f"if {self.condition(2)}:", "    break"]
            case "for":
                return self.loop(depth)
        counter = f"w{self.made}"
        self.made += 1
        return [
            f"{counter} = 0",
            f"while {counter} < 3 and {self.condition(1)}:",
            f"    {counter} += 1",
            *self.block(depth - 1, True),
        ]

    def loop(self, depth: int) -> list[str]:
        name = f"x{self.made}"
        self.made += 1
        limits = self.random.choice(["3", "-1, 3", "0, 7, 2", "5, 0, -2", f"{self.value('number', 1)} & 3"])
        self.names["number"].append(name)
        lines = [f"for {name} in range({limits}):", *self.block(depth - 1, True)]
        self.names["number"].remove(name)
        return lines


def program(number: int) -> str:
    """A random kernel text with the entry `work(a, b, c, d, e, v)`, the last four a u64, a u32, a truth and a vector."""
    seed = random.Random(number)
    texts = []
    for name, helpers in (("helper", ()), ("body", ("helper",))):
        parameters = "a, b, v: vector" if name == "helper" else "a, b, c: u64, d: u32, e: truth, v: vector"
        writer = _Writer(seed, helpers)
        head = ["    c = u64(a)", "    d = u32(b)", "    e = a < b"] if name == "helper" else []
        lines = [line for _ in range(seed.randint(2, 5)) for line in writer.block(2, False)]
        result = writer.value("number", 2)
        if name == "body":
            result = f"{result}, {writer.value('u64', 2)}, {writer.value('u32', 2)}, {writer.value('truth', 2)}"
        decorator = ["@inlined"] if seed.random() < 0.5 else []
        texts.append("\n".join([*decorator, f"def {name}({parameters}):", *head, *lines, f"    return {result}"]))
    entry = "@entry\ndef work(a, b, v: vector):\n    p, q, r, s = body(a, b, u64(b), u32(a), a < b, v)\n    return p, q, r, s"
    return "\n\n\n".join([*texts, entry]) + "\n"
