"""Random model functions over a symmetric domain, good and bad: for the law that what is accepted tells no members apart."""

from __future__ import annotations

import random

HEADER = '''\
from neverlost.model.core import *
from neverlost.model.core import EMPTY, NONE

FIRST = 0

class Node(Index, bound="nodes", prefix="n", first=1, symmetric=True{distinguished}):
    pass

class NodeSet(SubsetOf, of=Node):
    pass

class Level(Index, bound="levels"):
    pass

class Cluster(State):
    chief = optional(Node)
    level = per(Node, up_to(Level))
    follows = per(Node, optional(Node))
    group = any_of(NodeSet)
    groups = per(Node, any_of(NodeSet))
    total = up_to(Level)
    seen = per(Node, Node, flag())

def initial(s: Cluster) -> None:
    """Nobody is chief."""

def number(s: Cluster, value: int) -> int:
    return value

'''

PROGRAM = """\
def helper_{number}(s: Cluster, a: Node, g: NodeSet) -> int:
{helper}
def effect_{number}(s: Cluster, a: Node, i: int) -> None:
{effect}
@action("test")
def act_{number}(s: Cluster, a: Node, b: Node, i: Level) -> None:
{body}
@always("Anything.")
def property_{number}(s: Cluster) -> bool:
{predicate}
PROFILE_{number} = Profile(name="test/random-{number}", statement="Anything.", state=Cluster, initial=initial,
    actions=(act_{number},), properties=(property_{number},), default_bounds={{"nodes": 3, "levels": 3}})

"""

MEMBER, SET, NUMBER, TRUTH = "member", "set", "number", "truth"
SHARED = {
    MEMBER: ("s.chief", "s.follows[{m}]", "NONE"),
    SET: ("s.group", "s.groups[{m}]", "s.all_of(Node)", "only({m})", "with_member({s}, {m})", "without({s}, {m})", "EMPTY"),
    NUMBER: ("s.total", "s.level[{m}]", "0", "1", "min({n}, {n})", "max({n}, 1)", "s.size(Level)", "({n} or {n})", "({n} and {n})",
             "{n} % 2", "({n} - 2) % s.size(Level)"),
    TRUTH: (
        "{m} == {m}", "{m} != {m}", "{m} >= 0", "{m} < s.size(Node)", "{s} == {s}", "contains({s}, {m})", "not {t}",
        "is_subset({s}, {s})", "{n} < {n}", "{n} < {n} <= {n}", "{n} == {n}",
        "s.seen[{m}][{m}]", "({t} and {t})", "{s} != EMPTY", "{m} == NONE",
    ),
}  # fmt: skip
ODD = {
    MEMBER: ("FIRST", "1"), SET: ("3", "1"), NUMBER: ("{m}", "{m} + 1", "number(s, {s})"),
    TRUTH: ("{m} < {m}", "{m} > 0", "number(s, {s}) > 0", "{m} == FIRST", "{m}", "number(s, {s}) < number(s, {s})"),
}  # fmt: skip


class Writer:
    """Writes one function body: names in scope by type, few odd expressions, nothing outside Model Python."""

    def __init__(self, seed: random.Random, role: str, callees: tuple[str, ...], names: dict[str, str]) -> None:
        self.random, self.role, self.callees, self.names = seed, role, callees, dict(names)
        self.looping, self.made = 0, 0

    def expression(self, kind: str, depth: int = 2) -> str:
        own = [name for name, of in self.names.items() if of == kind]
        if own and self.random.random() < (0.7 if depth else 1):
            return self.random.choice(own)
        if depth and kind in (NUMBER, TRUTH) and self.random.random() < 0.12:
            return self.over_members(kind, depth)
        source = ODD if self.random.random() < 0.015 else SHARED
        choices = source[kind] if depth else source[kind][:1]
        text = self.random.choice(choices)
        for mark, of in (("{m}", MEMBER), ("{s}", SET), ("{n}", NUMBER), ("{t}", TRUTH)):
            while mark in text:
                text = text.replace(mark, self.expression(of, max(0, depth - 1)), 1)
        return text

    def over_members(self, kind: str, depth: int) -> str:
        """What is asked of every member of a domain."""
        over, of = self.random.choice((("Node", MEMBER), ("Node", MEMBER), ("Level", NUMBER)))
        self.made += 1
        name = f"v{self.made}"
        before, self.names = self.names, {**self.names, name: of}
        members = f"for {name} in s.each({over})"
        if self.random.random() < 0.3:
            members += f" if {self.expression(TRUTH, depth - 1)}"
        way = "sum" if kind == NUMBER else self.random.choice(("any", "all"))
        text = f"{way}({self.expression(kind, depth - 1)} {members})"
        self.names = before
        return text

    def block(self, depth: int) -> list[str]:
        before, lines = dict(self.names), []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth)
        self.names = before
        return ["    " + line for line in lines]

    def statement(self, depth: int) -> list[str]:
        ways = ["local", "update"]
        ways += ["if", "loop", "loop"] if depth else []
        ways += ["write", "write", "change", "require"] if self.role == "effect" else []
        ways += ["return"] if self.role == "value" and self.looping else []
        ways += ["call"] if self.callees else []
        return list(getattr(self, "write_" + self.random.choice(ways))(depth))

    def write_local(self, depth: int) -> list[str]:
        kind = self.random.choice((MEMBER, SET, NUMBER))
        self.made += 1
        name = f"x{self.made}"
        line = f"{name} = {self.expression(kind)}"
        self.names[name] = kind
        return [line]

    def write_update(self, depth: int) -> list[str]:
        local = [name for name in self.names if name.startswith("x")]
        if not local:
            return self.write_local(depth)
        return [self.update(name := self.random.choice(local), self.names[name])]

    def update(self, place: str, kind: str) -> str:
        value = self.expression(kind)
        if self.random.random() < 0.25:
            return f"{place} = {value}"
        if kind == SET:
            return f"{place} = {self.random.choice(('with_member', 'without'))}({place}, {self.expression(MEMBER)})"
        if kind == NUMBER:
            return self.random.choice(
                (f"{place} = min({place}, {value})", f"{place} = max({value}, {place})", f"{place} += {value}")
            )
        return f"{place} = {self.random.choice(('NONE', value))}"

    def write_if(self, depth: int) -> list[str]:
        lines = [f"if {self.expression(TRUTH)}:", *self.block(depth - 1)]
        return lines + (["else:", *self.block(depth - 1)] if self.random.random() < 0.2 else [])

    def write_loop(self, depth: int) -> list[str]:
        over, kind = self.random.choice((("Node", MEMBER),) * 4 + (("Level", NUMBER), ("NodeSet", SET)))
        self.made += 1
        taken = [name for name, of in self.names.items() if of == kind]
        variable = self.random.choice(taken) if taken and self.random.random() < 0.1 else f"v{self.made}"
        before, self.names = self.names, {**self.names, variable: kind}
        line = f"for {variable} in s.each({over}):"
        self.looping += 1
        lines = [line, *self.block(depth - 1)]
        self.looping -= 1
        self.names = before
        return lines

    def write_write(self, depth: int) -> list[str]:
        field, kind = self.random.choice(
            (("s.chief", MEMBER), ("s.group", SET), ("s.total", NUMBER), ("s.level[{m}]", NUMBER), ("s.follows[{m}]", MEMBER),
             ("s.groups[{m}]", SET), ("s.seen[{m}][{m}]", TRUTH))
        )  # fmt: skip
        place = field
        while "{m}" in place:
            place = place.replace("{m}", self.expression(MEMBER, 0), 1)
        if kind == TRUTH:
            return [f"{place} = {self.random.choice(('True', 'False', self.expression(TRUTH)))}"]
        return [self.update(place, kind)]

    write_change = write_write

    def write_require(self, depth: int) -> list[str]:
        return [f"require({self.expression(TRUTH)})"]

    def write_return(self, depth: int) -> list[str]:
        return [
            f"if {self.expression(TRUTH)}:",
            f"    return {self.random.choice(('1', '1', '1', self.expression(NUMBER)))}",
        ]

    def write_call(self, depth: int) -> list[str]:
        callee = self.random.choice(self.callees)
        if callee.startswith("effect"):
            return [f"{callee}(s, {self.expression(MEMBER)}, {self.expression(NUMBER)})"]
        self.made += 1
        name = f"x{self.made}"
        line = f"{name} = {callee}(s, {self.expression(MEMBER)}, {self.expression(SET)})"
        self.names[name] = NUMBER
        return [line]


def program(number: int) -> str:
    """The text of one random profile: an action, a property, and what they call."""
    seed = random.Random(number)
    value, effect = (f"helper_{number}",), (f"helper_{number}", f"effect_{number}")

    def body(role: str, callees: tuple[str, ...], names: dict[str, str], depth: int, end: str = "") -> str:
        writer = Writer(seed, role, callees, names)
        lines: list[str] = []
        for _ in range(seed.randint(1, 3)):
            lines += writer.statement(depth)
        if end:
            lines.append(f"return {writer.expression(end)}")
        return "".join(f"    {line}\n" for line in lines)

    return PROGRAM.format(
        number=number,
        helper=body("value", (), {"a": MEMBER, "g": SET}, 2, NUMBER),
        effect=body("effect", (), {"a": MEMBER, "i": NUMBER}, 1),
        body=body("effect", effect, {"a": MEMBER, "b": MEMBER, "i": NUMBER}, 2),
        predicate=body("value", value, {}, 2, TRUTH),
    )


def programs(numbers: range, distinguished: int = 0) -> str:
    """A module with a profile PROFILE_n for each number."""
    said = f", distinguished={distinguished}" if distinguished else ""
    return HEADER.format(distinguished=said) + "".join(program(number) for number in numbers)
