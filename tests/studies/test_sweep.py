"""A sweep finds in every combination of settings and budgets what a search by hand finds there, and shows it as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from command_line import Run
from oracles import lock
from written_models import imported

from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import Limits
from neverlost.model.core import BoundsError, ModelError, Profile
from neverlost.studies.sweep import Swept, sweep, sweep_of

LOCK_FILE = f"{Path(__file__).parents[2]}/examples/lock_service.py"
LOCK = profile_from_file(LOCK_FILE)
ASKED = ("no_stale_write", "one_writer_for_a_token", "two_believe")


def steps(swept: Swept, name: str) -> int | None:
    trace = swept.finding(name).trace
    return None if trace is None else len(trace.steps)


@pytest.fixture(scope="module")
def found() -> list[Swept]:
    return list(sweep(sweep_of(LOCK, {}, {}), ASKED, Limits()))


def test_every_combination_has_the_lengths_of_a_search_by_hand(found: list[Swept]) -> None:
    expected = []
    for fenced, durable, pauses, crashes in product((True, False), (True, False), (0, 1), (0, 1)):
        by_hand = lock.search(2, 2, pauses, crashes, fenced=fenced, durable=durable)[2]
        expected.append((fenced, durable, pauses, crashes, *(by_hand.get(name) for name in ASKED[:2])))
    assert expected == [
        (*one.row.values(), *one.column.values(), *(steps(one, name) for name in ASKED[:2])) for one in found
    ]


def test_what_is_violated_nowhere_and_never_seen_is_decided_by_all_states(found: list[Swept]) -> None:
    for one in found:
        finding = one.finding("two_believe")
        assert (finding.verdict == "violated") == (one.column == {"pauses": 0, "service_crashes": 0})
        assert one.result.complete or finding.trace is not None


COUNTED = '''
from neverlost.modelling import *

class Number(Index, members=3):
    """A number."""

class Counter(State):
    """A counter."""
    limit = setting(up_to(Number))
    odd = setting(flag())
    slips = budget(up_to(Number), singular="slip", whose="a user")
    slips_left = counter(slips)
    calls = budget(up_to(Number), singular="call")
    calls_left = counter(calls)
    count = up_to(Number)

def initial(s: Counter) -> None:
    """Nothing is counted."""
    s.slips_left = s.slips
    s.calls_left = s.calls

@action("made up")
def call(s: Counter) -> None:
    """Count."""
    require(s.calls_left > 0)

    s.calls_left -= 1
    s.count += 1

@action("made up")
def slip(s: Counter) -> None:
    """Count again."""
    require(s.slips_left > 0)

    s.slips_left -= 1
    s.count += 1

@always("It is at most the limit.")
def low(s: Counter) -> bool:
    return s.count <= s.limit

COUNTER = Profile(name="counter", statement="Counts.", state=Counter, initial=initial, actions=(call, slip),
    properties=(low,), default_bounds={}, settings={"limit": 1, "calls": 1, "slips": 2})
'''


@pytest.fixture
def counter(tmp_path: Path) -> Profile:
    profile: Profile = imported(tmp_path, COUNTED).COUNTER
    return profile


def varied(profile: Profile, chosen: Mapping[str, list[int]]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    asked = sweep_of(profile, {}, chosen)
    return {k: list(v) for k, v in asked.rows.items()}, {k: list(v) for k, v in asked.columns.items()}


def test_yes_or_no_and_faults_vary_by_themselves_and_the_rest_when_it_is_chosen(counter: Profile) -> None:
    assert varied(counter, {}) == ({"odd": [0, 1]}, {"slips": [0, 1, 2], "calls": [1]})
    chosen = {"limit": [2, 0], "odd": [1], "calls": [0, 3]}
    assert varied(counter, chosen) == ({"limit": [2, 0], "odd": [1]}, {"slips": [0, 1, 2], "calls": [0, 3]})


def test_a_limit_ends_searches_undecided_and_no_cell_then_holds(counter: Profile) -> None:
    cells = list(sweep(sweep_of(counter, {}, {}), ["low"], Limits(states=1)))
    assert {one.finding("low").verdict for one in cells} == {"undecided"}
    assert {one.hidden for one in cells} == {None}


def test_a_step_that_leaves_a_domain_is_reported_with_its_combination(counter: Profile) -> None:
    with pytest.raises(
        ModelError, match=r"--limit 3 --no-odd --slips 1 --calls 3: .*count was set to 4, outside its domain"
    ):
        list(sweep(sweep_of(counter, {}, {"limit": [3], "odd": [0], "slips": [1], "calls": [3]}), ["low"], Limits()))


def test_too_many_combinations_are_refused_with_what_varies(counter: Profile) -> None:
    with pytest.raises(
        BoundsError, match=r"has 384 combinations .* at most 256\. Give a value for some of these: limit, odd"
    ):
        sweep_of(counter, {}, {"limit": [0, 1, 2, 3], "slips": [0, 1, 2, 3], "calls": [*range(4)] * 3})


TABLE = """
one_writer_for_a_token (always)
    With one token only one client writes.

                          --pauses      0    0    1    1
                 --service-crashes      0    1    0    1
  --checks-tokens  --keeps-counter    ok*  ok*  ok*  ok*
                   --forgetful        ok*    7  ok*    7
  --unfenced       --keeps-counter    ok*  ok*  ok*  ok*
                   --forgetful        ok*    7  ok*    7

"""


def test_the_command_shows_a_table_for_each_property_that_fails_and_names_the_others(run: Run) -> None:
    code, out, _ = run("matrix", LOCK_FILE)
    assert code == 0
    assert TABLE in out
    assert "\nHold in every combination: two_tokens, never_back.\n" in out
    assert "--unfenced --pauses 0 --property no_stale_write" in " ".join(out.replace("\\\n", " ").split())


def test_what_is_given_is_the_only_value_and_may_be_given_several_times(run: Run) -> None:
    asked = ("--forgetful", "--service-crashes", "2", "--service-crashes", "0", "--pauses", "0", "--tokens", "1")
    code, out, _ = run("matrix", LOCK_FILE, *asked, "--unfenced", "--property", "one_writer_for_a_token")
    assert code == 0
    assert "LOCK_SERVICE (clients 2, tokens 1)" in out
    assert "  --unfenced  --forgetful      7  ok*\n" in out


def test_the_cells_as_json_name_property_settings_and_faults(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "cells.json"
    code, _, err = run("matrix", LOCK_FILE, "--checks-tokens", "--pauses", "0", "--json", str(file))
    assert code == 0, err
    cells = json.loads(file.read_text(encoding="utf-8"))
    assert code == 0
    assert len(cells) == 5 * 4
    (one,) = [c for c in cells if c["property"] == "one_writer_for_a_token" and c["verdict"] == "violated"]
    assert (one["settings"], one["faults"], one["trace_length"]) == (
        {"checks_tokens": True, "keeps_counter": False},
        {"pauses": 0, "service_crashes": 1},
        8,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((LOCK_FILE, "--store", "x", "--html", "y"), "--store, --html only goes with a family; leave it out"),
        (("--property", "acked_never_lost"), "--property only goes with a profile; leave it out"),
        ((LOCK_FILE, "--tokens", "1", "--tokens", "2"), "--tokens is given twice; a bound is the same in every cell"),
        ((LOCK_FILE, "--property", "none"), "no property of"),
        ((LOCK_FILE, "--clocks", "1"), "--clocks is neither an option nor a bound of"),
        (("replicatio",), "Did you mean 'replication'?"),
    ],
)
def test_what_does_not_go_with_a_sweep_is_refused(arguments: tuple[str, ...], said: str, run: Run) -> None:
    code, out, err = run("matrix", *arguments)
    assert (code, out) == (2, "")
    assert said in err
