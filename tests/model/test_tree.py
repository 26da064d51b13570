"""The tree of a model function says what its source says: written as Python again and read again, it is the same."""

from __future__ import annotations

import ast

import pytest
from sampling import quick_one_in
from written_trees import run_as

from neverlost.conformance.mutants.mutation import functions_of
from neverlost.model.core.reading import tree_of, trees_of
from neverlost.model.core.tree import Number, Sum
from neverlost.spec import profiles

PROFILES = profiles()


@pytest.mark.parametrize("name", quick_one_in(6, [*PROFILES]))
def test_a_function_read_written_and_read_again_is_the_same(name: str) -> None:
    for tree in trees_of(functions_of(PROFILES[name])):
        again = tree_of(run_as(tree, tree.body, lambda callee: callee, f"<{name}: {tree.name}>"))
        assert again.body == tree.body


def test_parts_are_equal_if_they_say_the_same_wherever_they_stand() -> None:
    here, there = ast.parse("1"), ast.parse("\n\nONE")
    one = Number(1, node=here)
    assert one == Number(1, "ONE", node=there)
    assert one != Number(2, node=here)
    assert Sum(one, 1, one, node=here) != Sum(one, -1, one, node=here)
