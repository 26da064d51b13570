"""Model Python: what is outside it is refused with the file, the line, the construct, and what to write instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from written_models import FIRST_LINE, written

from neverlost.model.core import LanguageError, Profile
from neverlost.model.core.language import check_function
from neverlost.model.core.reading import trees_of

HELPERS = """
def fill(s: Boxes, box: Box) -> None:
    s.ball[box] = True

def demand(s: Boxes) -> None:
    require(s.count > 0)

def is_full(s: Boxes, box: Box) -> bool:
    return s.ball[box]

def again(s: Boxes, box: Box) -> bool:
    return again(s, box)

def deep(s: Boxes) -> int:
    return deeper(s)

def deeper(s: Boxes) -> int:
    return deep(s)

"""
LINE = FIRST_LINE + HELPERS.count("\n")


def refusal(folder: Path, text: str, role: str) -> str:
    """The text of the refusal of function `f`, after checking that it names the file."""
    module = written(folder, HELPERS + text)
    with pytest.raises(LanguageError) as error:
        check_function(module.f, module.Boxes, role)
    assert str(error.value).startswith(f"{module.__file__}:")
    return str(error.value).removeprefix(f"{module.__file__}:")


# (lines of the function's body, line of the construct from the `def` on, the construct, what to write instead)
EFFECTS = {
    "while": (["while s.count < 1:", "    s.count += 1"], 1, "`while`", "a `for` over a finite domain"),
    "try": (["try:", "    s.count = 1", "finally:", "    s.count = 2"], 1, "`try:`", "assignments, `if`, `for`"),
    "with": (["s.count = 1", "with open('x'):", "    s.count = 1"], 2, "`with open('x'):`", "assignments"),
    "pass": (["pass"], 1, "`pass`", "assignments, `if`, `for`, `return` and calls"),
    "break": (
        ["for b in s.each(Box):", "    break"],
        2,
        "`break`",
        "`return`, in a function of its own, or `any(... for x in s.each(Domain))`",
    ),
    "continue": (["for b in s.each(Box):", "    continue"], 2, "`continue`", "an `if` around the rest of the loop"),
    "import": (["import os", "s.count = 1"], 1, "`import os`", "assignments"),
    "assert": (["assert s.count"], 1, "`assert s.count`", "assignments"),
    "delete": (["del s.count"], 1, "`del s.count`", "assignments"),
    "two targets": (["s.count = s.picked = 1"], 1, "an assignment to several targets", "one plain assignment each"),
    "annotated": (["a: int = 1", "s.count = a"], 1, "an annotation", "one plain assignment each"),
    "unpacking": (["a, b = 1, 2"], 1, "`(1, 2)`", "integers, fields"),
    "product": (
        ["s.count = s.count * 2"],
        1,
        "the operator in `s.count * 2`",
        "`a + a` for twice `a`, or `sum(a for x in s.each(Domain))`",
    ),
    "quotient": (["s.count = s.count // 2"], 1, "the operator in `s.count // 2`", "`a + a > b` for `a > b // 2`"),
    "power": (
        ["s.count = s.count ** 2"],
        1,
        "the operator in `s.count ** 2`",
        "+, -, %, min, max, or a named set helper",
    ),
    "in-place product": (["s.count *= 2"], 1, "`s.count *= 2`", "`s.count += s.count` for twice as much"),
    "in-place union": (
        ["s.chosen |= only(box)"],
        1,
        "`s.chosen |= only(box)`",
        "`s.chosen = with_member(s.chosen, member)`, for each member",
    ),
    "in-place intersection": (
        ["s.chosen &= only(box)"],
        1,
        "`s.chosen &= only(box)`",
        "`s.chosen = without(s.chosen, member)`, for each member",
    ),
    "in-place quotient": (["s.count //= 2"], 1, "`s.count //= 2`", "`s.count = ...`, with +, -, %"),
    "adding to a set": (
        ["s.chosen.add(box)"],
        1,
        "a call of `s.chosen.add`",
        "`s.chosen = with_member(s.chosen, box)`",
    ),
    "discarding": (["s.chosen.discard(box)"], 1, "a call of `s.chosen.discard`", "`s.chosen = without(s.chosen, box)`"),
    "None": (["s.picked = None"], 1, "`None`", "`NONE`"),
    "is None": (["require(s.picked is None)"], 1, "`s.picked is None`", "`s.picked == NONE`"),
    "is not None": (["require(s.picked is not None)"], 1, "`s.picked is not None`", "`s.picked != NONE`"),
    "== None": (["require(s.picked == None)"], 1, "`None`", "`NONE`"),
    "two indexes at once": (["s.weight[box, box] = 1"], 1, "`s.weight[box, box]`", "`s.weight[box][box]`"),
    "remainder by a field": (["a = 1 % s.count"], 1, "`% s.count`", "`%` by a number above 0, or by `s.size(Domain)`"),
    "remainder by nothing": (["a = s.count % 0"], 1, "`% 0`", "`%` by a number above 0"),
    "any of a list": (["require(any([s.count]))"], 1, "`any([s.count])`", "`any(... for x in s.each(Domain))`"),
    "all of a row": (
        ["require(all(a for a in s.ball))"],
        1,
        "`all((a for a in s.ball))`",
        "`all(... for x in s.each(Domain))`",
    ),
    "two members at once": (
        ["require(any(a == b for a in s.each(Box) for b in s.each(Box)))"],
        1,
        "`any((a == b",
        "`any(any(a == b for b in s.each(Box)) for a in s.each(Box))`",
    ),
    "a member under a name that has a value": (
        ["require(any(s.ball[box] for box in s.each(Box)))"],
        1,
        "the name 'box', which has a value already, for a member",
        "a name of its own",
    ),
    "a member outside": (
        ["require(any(s.ball[a] for a in s.each(Box)))", "s.picked = a"],
        2,
        "the local name 'a' where it may have no value yet",
        "an assignment to it before",
    ),
    "no such member": (["s.colour = Colour.GREEN"], 1, "`Colour.GREEN`", "one of Colour.RED, Colour.DARK_BLUE"),
    "shift": (["s.chosen = 1 << s.count"], 1, "the operator in `1 << s.count`", "`only(member)` or `with_member("),
    "mask": (
        ["s.chosen = s.chosen & 1"],
        1,
        "the operator in `s.chosen & 1`",
        "`contains(set, member)` or `is_subset(",
    ),
    "list": (["a = [1]"], 1, "`[1]`", "integers, fields, comparisons"),
    "comprehension": (["a = [b for b in s.ball]"], 1, "`[b for b in s.ball]`", "integers, fields, comparisons"),
    "lambda": (["a = lambda: 1"], 1, "`lambda: 1`", "integers, fields, comparisons"),
    "text": (["a = 'x'"], 1, "`'x'`", "integers, fields, comparisons"),
    "float": (["s.count = 1.5"], 1, "`1.5`", "integers, fields, comparisons"),
    "walrus": (["if (a := s.count) > 0:", "    s.count = a"], 1, "`(a := s.count)`", "integers, fields"),
    "membership": (["require(box in s.chosen)"], 1, "`box in s.chosen`", "`contains(s.chosen, box)`"),
    "no membership": (["require(box not in s.chosen)"], 1, "`box not in s.chosen`", "`not contains(s.chosen, box)`"),
    "one of several": (
        ["require(s.colour in (Colour.RED, Colour.DARK_BLUE))"],
        1,
        "`s.colour in (Colour.RED",
        "`s.colour == Colour.RED or s.colour == Colour.DARK_BLUE`",
    ),
    "none of several": (["require(box not in [1, 2])"], 1, "`box not in [1, 2]`", "`box != 1 and box != 2`"),
    "identity": (["require(s.picked is NONE)"], 1, "`s.picked is NONE`", "`s.picked == NONE`"),
    "unknown field": (
        ["s.size_of = 1"],
        1,
        "the unknown field 'size_of'",
        "one of ball, weight, picked, chosen, count, colour",
    ),
    "whole row": (["a = s.ball"], 1, "ball with 0 indexes", "it with 1: one element at a time"),
    "half indexed": (["a = s.weight[box]"], 1, "weight with 1 indexes", "it with 2: one element at a time"),
    "over-indexed": (["s.count[0] = 1"], 1, "count with 1 indexes", "it with 0: one element at a time"),
    "assigning the state": (["s = 1"], 1, "an assignment to the state 's'", "assignments to its fields"),
    "the state as a value": (["a = s"], 1, "the state 's' as a value", "one of its fields"),
    "assigning elsewhere": (["TABLE[0] = 1"], 1, "an assignment to `TABLE[0]`", "to a local name or to a field"),
    "foreign name": (["s.count = TABLE"], 1, "the name 'TABLE'", "a module constant that is an integer"),
    "unbound name": (["s.count = missing"], 1, "the name 'missing'", "a parameter, a local name"),
    "loop over a row": (
        ["for a in s.ball:", "    s.count = 1"],
        1,
        "a loop over `s.ball`",
        "`for x in s.each(Domain)`",
    ),
    "loop to a variable": (
        ["for a in range(s.count):", "    s.count = 1"],
        1,
        "a loop over `range(s.count)`",
        "`range` of constants and `s.size(Domain)`",
    ),
    "else of a loop": (
        ["for a in range(2):", "    s.count = a", "else:", "    s.count = 1"],
        1,
        "`for a",
        "assignments",
    ),
    "returning a value": (["return 1"], 1, "this `return`", "a bare `return`"),
    "each outside a loop": (["a = s.each(Box)"], 1, "`each` outside a loop", "`for x in s.each(Domain)`"),
    "length": (["a = len(s.chosen)"], 1, "a call of `len`", "`s.size(Domain)` for a domain, `sum(1 for x in"),
    "absolute value": (["a = abs(s.count)"], 1, "a call of `abs`", "`max(a, -a)`"),
    "set": (["s.chosen = set()"], 1, "a call of `set`", "`EMPTY`, `only(member)` or `s.all_of(Domain)`"),
    "foreign call": (["a = repr(TABLE)"], 1, "a call of `repr`", "calls of model functions at module level"),
    "method of something else": (["TABLE.add(1)"], 1, "a call of `TABLE.add`", "calls of model functions at module"),
    "method call": (["a = s.undo()"], 1, "a call of `s.undo`", "calls of model functions at module level"),
    "min of one": (["a = min(s.count)"], 1, "`min(s.count)`", "`min(a, b)`"),
    "named arguments": (["fill(s, box=box)"], 1, "`fill(s, box=box)`", "its 2 arguments by position"),
    "too few arguments": (["fill(s)"], 1, "`fill(s)`", "its 2 arguments by position"),
    "no state given": (["fill(box, box)"], 1, "`box` as a state", "the state itself"),
    "an effect as a value": (
        ["a = fill(s, box)"],
        1,
        "`fill` inside an expression although it changes",
        "as a statement",
    ),
    "a guard as a value": (
        ["a = demand(s)"],
        1,
        "`demand` inside an expression although it",
        "as a statement of its own",
    ),
    "a name set in one branch": (
        ["if s.count > 0:", "    a = 1", "s.count = a"],
        3,
        "the local name 'a' where it may have no value yet",
        "an assignment to it before, on every path",
    ),
    "a name set in a loop": (["for b in range(0):", "    a = 1", "s.count = a"], 3, "the local name 'a'", "every path"),
    "the name of a loop after it": (
        ["for b in range(2):", "    a = b", "s.count = b"],
        3,
        "local name 'b'",
        "every path",
    ),
    "a constant made local": (
        ["if s.count > 0:", "    LIMIT = 1", "s.count = LIMIT"],
        3,
        "the local name 'LIMIT'",
        "every path",
    ),
    "counting up from nothing": (["a += 1"], 1, "the local name 'a'", "every path"),
    "a loop over no domain": (
        ["for b in s.each(TABLE):", "    s.count = 1"],
        1,
        "`TABLE` as a domain",
        "an Index class",
    ),
    "the size of a field": (["s.count = s.size(s.ball)"], 1, "`s.ball` as a domain", "the name of an Index class"),
    "the size of nothing": (["s.count = s.size()"], 1, "`s.size()`", "`s.size(Domain)`"),
    "a range over no domain": (
        ["for b in range(s.size(Boxes)):", "    s.count = 1"],
        1,
        "`Boxes` as a domain",
        "Index",
    ),
    "two conditions": (["require(True, False)"], 1, "this `require`", "`require(condition)`"),
    "recursion": (["s.ball[box] = again(s, box)"], None, "recursion through `again`", "a loop over a finite domain"),
    "mutual recursion": (["s.count = deep(s)"], None, "recursion through `deep`", "a loop over a finite domain"),
}


@pytest.mark.parametrize(("body", "line", "construct", "instead"), EFFECTS.values(), ids=EFFECTS)
def test_a_construct_outside_the_subset_is_refused_with_its_line_and_what_to_write(
    tmp_path: Path, body: list[str], line: int | None, construct: str, instead: str
) -> None:
    text = "def f(s: Boxes, box: Box) -> None:\n" + "".join(f"    {part}\n" for part in body)
    said = refusal(tmp_path, text, "effect")
    matched = re.fullmatch(r"(\d+): (\w+) uses (.*), which is outside Model Python; write (.*)", said)
    assert matched is not None, said
    assert construct in matched[3]
    assert instead in matched[4]
    if line is not None:
        assert (int(matched[1]), matched[2]) == (LINE + line, "f")


# What the function `f` does with a set `some` and a member `box`, the construct, and what to write instead.
SETS = {
    "a set as a member": (
        "contains(s.chosen, some)",
        "`some`, a set, as a member",
        "a member of it: a parameter `x: Box` with `contains(some, x)`, or `for x in s.each(Box)`",
    ),
    "a set as a member to add": ("with_member(s.chosen, some) == EMPTY", "`some`, a set, as a member", "`for x in"),
    "a set as a member to remove": (
        "without(s.chosen, s.chosen) == EMPTY",
        "`s.chosen`, a set, as",
        "`for x in s.each(Box)`",
    ),
    "the set of a set": ("only(some) == EMPTY", "`some`, a set, as a member", "a parameter `x: Box`"),
    "a set as an index": ("s.ball[some]", "`some`, a set, as a member", "a parameter `x: Box`"),
    "all members as an index": (
        "s.ball[s.all_of(Box)]",
        "`s.all_of(Box)`, a set, as a member",
        "`for x in s.each(Domain)`",
    ),
    "a set as an argument": ("is_full(s, some)", "`some`, a set, as a member", "a parameter `x: Box`"),
    "a member as an argument": ("is_within(s, box)", "`box`, a member of Box, as a set", "`only(box)`"),
    "a member as a set": ("contains(box, box)", "`box`, a member of Box, as a set", "`only(box)`"),
    "a field as a set": ("contains(s.picked, box)", "`s.picked`, a member of Box, as a set", "`only(s.picked)`"),
    "a member as a subset": ("is_subset(box, some)", "`box`, a member of Box, as a set", "`only(box)`"),
    "a member as the larger set": ("is_subset(some, box)", "`box`, a member of Box, as a set", "`only(box)`"),
    "a set and a member": (
        "s.chosen == box",
        "`s.chosen == box`, which compares a set with a member",
        "`contains(s.chosen, box)`, or `only(box)`",
    ),
    "sets by their numbers": ("some <= s.chosen", "which compares a set as a number", "`is_subset(some, s.chosen)`"),
    "how large a set is": (
        "s.chosen >= 2",
        "`s.chosen >= 2`, which compares a set as a number",
        "`sum(1 for x in s.each(Domain) if contains(s.chosen, x))` for how many members it has",
    ),
    "a set that a function returns": ("only(all_boxes(s)) == EMPTY", "`all_boxes(s)`, a set, as a member", "`x: Box`"),
    "sets by their numbers, the other way": (
        "some > s.chosen",
        "compares a set as a number",
        "`is_subset(s.chosen, some)`",
    ),
    "the difference of sets": (
        "s.chosen - some == EMPTY",
        "`s.chosen - some`, which calculates with the set `s.chosen`",
        "`with_member(s.chosen, member)` or `without(s.chosen, member)`",
    ),
    "a member of all sets": ("all(contains(a, a) for a in s.each(BoxSet))", "`a`, a set, as a member", "`x: Box`"),
    "one of two sets": ("only(some if s.count > 0 else s.chosen) == EMPTY", "else s.chosen`, a set, as", "`x: Box`"),
}


@pytest.mark.parametrize(("value", "construct", "instead"), SETS.values(), ids=SETS)
def test_a_set_is_no_member_and_a_member_no_set(tmp_path: Path, value: str, construct: str, instead: str) -> None:
    within = "def is_within(s: Boxes, some: BoxSet) -> bool:\n    return is_subset(some, s.chosen)\n\n"
    within += "def all_boxes(s: Boxes) -> BoxSet:\n    return s.all_of(Box)\n\n"
    said = refusal(tmp_path, f"{within}def f(s: Boxes, some: BoxSet, box: Box) -> bool:\n    return {value}\n", "value")
    assert said.startswith(f"{LINE + within.count(chr(10)) + 1}: f uses ")
    assert construct in said
    assert instead in said


WRITTEN_SETS = {
    "a set into a member": ("s.picked = some", "`some`, a set, as a member"),
    "a member into a set": ("s.chosen = box", "`box`, a member of Box, as a set"),
    "a set that has a name": ("rest = s.chosen\n    s.picked = rest", "`rest`, a set, as a member"),
    "a set that is counted up": ("s.chosen += 1", "which calculates with the set `s.chosen`"),
    "a count and a set": ("s.count -= some", "which calculates with the set `some`"),
    "a member of a loop": ("for b in s.each(Box):\n        s.chosen = b", "`b`, a member of Box, as a set"),
    "a set of a loop": ("for b in s.each(BoxSet):\n        s.picked = b", "`b`, a set, as a member"),
}


@pytest.mark.parametrize(("line", "construct"), WRITTEN_SETS.values(), ids=WRITTEN_SETS)
def test_no_set_is_written_where_a_member_is_wanted_or_the_other_way(tmp_path: Path, line: str, construct: str) -> None:
    text = f"def f(s: Boxes, some: BoxSet, box: Box) -> None:\n    {line}\n"
    assert construct in refusal(tmp_path, text, "effect")


def test_a_name_that_is_a_set_here_and_a_member_there_is_not_refused(tmp_path: Path) -> None:
    text = (
        "def f(s: Boxes, some: BoxSet, box: Box) -> None:\n    a = box\n    s.picked = a\n    a = some\n    s.chosen = a\n"
        "    for b in s.each(BoxSet):\n        s.chosen = b\n    for b in s.each(Box):\n        s.picked = b\n"
    )
    module = written(tmp_path, HELPERS + text)
    check_function(module.f, module.Boxes, "effect")


VALUES = {
    "a write": (
        ["s.count = 1", "return True"],
        1,
        "a write in a function that returns a value",
        "called as a statement",
    ),
    "a guard": (
        ["require(s.count > 0)", "return True"],
        1,
        "`require` in a function that returns a value",
        "return the",
    ),
    "a statement call": (["fill(s, box)", "return True"], 1, "the statement `fill(s, box)`", "an expression that uses"),
    "a bare return": (["return"], 1, "this `return`", "a value after `return`"),
    "no return": (["a = 1"], 0, "a path that returns nothing", "a `return` with a value on every path"),
    "a missing else": (["if s.count > 0:", "    return True"], 0, "a path that returns nothing", "on every path"),
    "a loop that may not return": (
        ["for b in s.each(Box):", "    return True"],
        0,
        "a path that returns",
        "every path",
    ),
}


@pytest.mark.parametrize(("body", "line", "construct", "instead"), VALUES.values(), ids=VALUES)
def test_a_function_that_returns_a_value_may_neither_write_nor_forget_to_return(
    tmp_path: Path, body: list[str], line: int, construct: str, instead: str
) -> None:
    text = "def f(s: Boxes, box: Box) -> bool:\n" + "".join(f"    {part}\n" for part in body)
    said = refusal(tmp_path, text, "value")
    assert said.startswith(f"{LINE + line}: f uses ")
    assert construct in said
    assert instead in said


SIGNATURES = {
    "default": "def f(s: Boxes, box: Box = 1) -> None:",
    "star": "def f(s: Boxes, *boxes: Box) -> None:",
    "double star": "def f(s: Boxes, **boxes: Box) -> None:",
    "keyword only": "def f(s: Boxes, *, box: Box) -> None:",
}


@pytest.mark.parametrize("signature", SIGNATURES.values(), ids=SIGNATURES)
def test_parameters_are_plain_and_positional(tmp_path: Path, signature: str) -> None:
    assert "write plain positional parameters" in refusal(tmp_path, f"{signature}\n    s.count = 1\n", "effect")


def test_a_function_that_uses_names_of_an_enclosing_function_is_refused(tmp_path: Path) -> None:
    text = "def outer(n):\n    def f(s: Boxes) -> None:\n        s.count = n\n    return f\n\nf = outer(1)\n"
    assert refusal(tmp_path, text, "effect").startswith(
        f"{LINE + 1}: f uses n of an enclosing function; define it at module level"
    )


def test_a_lambda_is_refused(tmp_path: Path) -> None:
    assert "is not a `def`" in refusal(tmp_path, "f = lambda s: True\n", "value")


def test_a_function_without_a_file_is_refused() -> None:
    names: dict[str, object] = {}
    exec("def f(s):\n    return True\n", names)
    with pytest.raises(LanguageError, match=r"the source of f cannot be read: .*; define it in a file"):
        check_function(names["f"], written_schema(), "value")  # type: ignore[arg-type]


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(LanguageError, match="is not a plain Python function"):
        check_function(len, written_schema(), "value")


def written_schema() -> type:
    from neverlost.model.published.id_sequence import Sequence

    return Sequence


ACCEPTED = """
def smallest(s: Boxes, box: Box) -> int:
    \"\"\"A value: locals, loops, early returns, chained comparisons, conditional expressions.\"\"\"
    least = LIMIT
    for other in s.each(Box):
        if is_full(s, other) and not s.ball[box] or 0 <= s.count < LIMIT:
            return -1
        least = min(least, s.weight[box][other], s.size(Box))
    for place in range(1, s.size(Box) + 1):
        least = max(least - place, s.count if s.picked == NONE else 0)
    if least > 0:
        half = 1
    else:
        half = 2
    if half > 1:
        rest = half
    elif half < 1:
        return 1
    else:
        rest = 0
    if rest + half > 0:
        return least
    else:
        return 0

def f(s: Boxes, box: Box) -> None:
    require(contains(s.chosen, box) or is_subset(only(box), s.all_of(Box)))
    demand(s)
    require(any(s.ball[b] for b in s.each(Box) if b != box) or all(not s.ball[b] for b in s.each(Box)))
    require(sum(1 for b in s.each(Box) if s.ball[b]) % 2 < s.size(Box) % LIMIT + 2)
    s.colour = Colour.DARK_BLUE if s.colour == Colour.RED else Colour.RED
    if s.count > 1:
        return
    elif s.picked == box:
        s.picked = NONE
    s.chosen = without(with_member(s.chosen, box), box)
    s.count += smallest(s, box)
    s.weight[box][s.count - 1] -= 1
    fill(s, box)
"""


def test_everything_in_the_subset_is_accepted(tmp_path: Path) -> None:
    module = written(tmp_path, HELPERS + ACCEPTED)
    check_function(module.f, module.Boxes, "effect")
    check_function(module.smallest, module.Boxes, "value")
    assert [tree.name for tree in trees_of([module.f])] == ["demand", "is_full", "smallest", "fill", "f"]


def test_a_profile_with_a_function_outside_the_subset_is_not_built(tmp_path: Path) -> None:
    module = written(
        tmp_path,
        "def initial(s: Boxes) -> None:\n    s.count = 0\n\n"
        "@action('a rule')\ndef grow(s: Boxes) -> None:\n    while True:\n        s.count = 1\n",
    )
    with pytest.raises(LanguageError, match="grow uses `while`"):
        Profile(
            name="p",
            statement="",
            state=module.Boxes,
            initial=module.initial,
            actions=(module.grow,),
            properties=(),
            default_bounds={"boxes": 2},
        )
