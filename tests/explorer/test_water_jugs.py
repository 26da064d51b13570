"""The explorer checks a model that knows no Kafka: a puzzle whose answer is found here in another way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import explore
from neverlost.model.core import Profile

EXAMPLE = Path(__file__).parents[2] / "examples" / "water_jugs.py"


@pytest.fixture(scope="module")
def water_jugs() -> Profile:
    return profile_from_file(f"{EXAMPLE}:WATER_JUGS")


def moves(small: int, large: int, sizes: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The puzzle without any model: every other state that one move leads to."""
    into_large, into_small = min(small, sizes[1] - large), min(large, sizes[0] - small)
    candidates = [(sizes[0], large), (small, sizes[1]), (0, large), (small, 0)]
    candidates += [(small - into_large, large + into_large), (small + into_small, large - into_small)]
    yield from (after for after in candidates if after != (small, large))


def levels(sizes: tuple[int, int]) -> list[set[tuple[int, int]]]:
    found, frontier = set(), {(0, 0)}
    result = []
    while frontier:
        result.append(frontier)
        found |= frontier
        frontier = {after for before in frontier for after in moves(*before, sizes)} - found
    return result


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_both_engines_measure_four_litres_in_six_steps(water_jugs: Profile, engine: str) -> None:
    result = explore(water_jugs.bounded(), engine=engine, until="all")
    finding = result.findings["never_four_litres"]
    expected = levels((3, 5))
    assert result.levels == tuple(len(level) for level in expected)
    assert finding.verdict == "violated"
    assert finding.violating_states == sum(4 in state for level in expected for state in level)
    assert finding.trace is not None
    assert len(finding.trace) - 1 == next(n for n, level in enumerate(expected) if any(4 in s for s in level)) == 6


@pytest.mark.parametrize("sizes", [(1, 4), (2, 6), (3, 6), (4, 7), (5, 5), (6, 9)])
def test_four_litres_can_be_measured_exactly_when_the_puzzle_allows_it(
    water_jugs: Profile, sizes: tuple[int, int]
) -> None:
    model = water_jugs.bounded(small_jug=sizes[0], large_jug=sizes[1])
    result = explore(model, engine="interpreted", until="all")
    expected = levels(sizes)
    assert result.levels == tuple(len(level) for level in expected)
    possible = any(4 in state for level in expected for state in level)
    assert result.findings["never_four_litres"].verdict == ("violated" if possible else "holds")
    assert result.findings["both_jugs_are_full"].verdict == "holds"


def test_the_story_of_the_puzzle_says_where_the_four_litres_are(water_jugs: Profile) -> None:
    finding = explore(water_jugs.bounded(), engine="interpreted").findings["never_four_litres"]
    assert finding.trace is not None
    assert finding.property.story is not None
    assert finding.property.story(finding.trace.unpacked()) == "Step 6 leaves exactly 4 litres in the large jug."
