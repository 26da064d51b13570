"""The runs that kill mutants: an independent engine finds the same difference at their end, and none before; no run is shorter."""

from __future__ import annotations

from collections import deque

import pytest

from neverlost.conformance.mutants.killing import KillingRun, Kills, Sight, Survival, kill
from neverlost.conformance.mutants.mutant import Mutant
from neverlost.conformance.mutants.mutation import mutants_of, mutated, switches_of
from neverlost.explorer.loading import find_profile
from neverlost.model.core import Model, ModelError, Packed, Profile
from neverlost.spec import profiles
from neverlost.spec.mutant_configurations import Configuration

JUGS = find_profile("examples/water_jugs.py:WATER_JUGS", {})
KIP_320 = profiles()["published/kip-320"]
SMALL = {"replicas": 2, "log_size": 1, "records": 1, "leader_epochs": 2}


def everything(profile: Profile) -> Sight:
    return Sight(
        fields=[field.name for field in profile.state.fields], attempts=[action.name for action in profile.actions]
    )


def seen(model: Model, words: Packed, sight: Sight) -> dict[str, object]:
    values = model.state(words).values()
    return {name: values[name] for name in sight.fields}


def applied(model: Model, number: int, words: Packed) -> Packed | None:
    """The state after a step by the interpreter; None if it is refused."""
    if model.refusal(words, model.steps[number]):
        return None
    return model.apply(words, model.steps[number])


def shortest_difference(right: Model, wrong: Model, sight: Sight) -> int | None:
    """How many steps until the two can be distinguished, by a search of pairs with the interpreter; None if they cannot."""
    start = right.initial_states()[0], wrong.initial_states()[0]
    depths, waiting = {start: 0}, deque([start])
    while waiting:
        pair = waiting.popleft()
        for number in range(len(right.steps)):
            try:
                one, other = applied(right, number, pair[0]), applied(wrong, number, pair[1])
            except ModelError:
                continue
            if (one is None) != (other is None):
                return depths[pair] + 1
            if one is None or other is None:
                continue
            if seen(right, one, sight) != seen(wrong, other, sight):
                return depths[pair] + 1
            if (one, other) not in depths:
                depths[one, other] = depths[pair] + 1
                waiting.append((one, other))
    return None


def kills_in(profile: Profile, mutants: tuple[Mutant, ...], bounds: dict[str, int], sight: Sight) -> Kills:
    return kill(profile, mutants, [Configuration(bounds, {})], sight)


def length(run: KillingRun) -> int:
    return len(run.steps) + (run.attempted is not None)


@pytest.mark.parametrize(("profile", "bounds", "every"), [(JUGS, {}, 1), (KIP_320, SMALL, 15)], ids=["jugs", "kip-320"])
def test_no_run_is_longer_than_a_search_of_all_pairs_with_the_interpreter_finds(
    profile: Profile, bounds: dict[str, int], every: int
) -> None:
    bounds = {**profile.default_bounds, **bounds}
    sight, mutants = everything(profile), mutants_of(profile)[::every]
    found = kills_in(profile, mutants, bounds, sight)
    part = mutated(profile, mutants)
    right = part.bounded(**bounds)
    shortest = {
        mutant.name: shortest_difference(right, part.bounded(**bounds, mutant=number), sight)
        for number, mutant in enumerate(mutants, start=1)
    }
    assert {name: length(run) for name, run in found.runs.items()} == {
        name: steps for name, steps in shortest.items() if steps is not None
    }
    assert set(found.survivals) == {name for name, steps in shortest.items() if steps is None}
    assert found.runs


def test_a_difference_that_is_not_seen_at_once_is_followed_until_it_shows() -> None:
    profile = KIP_320
    bounds = {**profile.default_bounds, **SMALL}
    everywhere = kills_in(profile, mutants_of(profile), bounds, everything(profile))
    narrow = Sight(fields=["log_end"], attempts=())
    seen_later = kills_in(profile, mutants_of(profile), bounds, narrow)
    assert set(seen_later.runs) < set(everywhere.runs)
    later = [name for name, run in seen_later.runs.items() if length(run) > length(everywhere.runs[name])]
    assert later
    assert Survival.NOT_TRIED in seen_later.survivals.values()


def test_a_release_is_distinguished_from_its_neighbour_by_the_step_in_which_its_rule_shows() -> None:
    versions = profiles()
    profile = versions["kafka-0.11"]
    mutants = tuple(m for m in switches_of(profile, [versions["kafka-0.9"]]) if m.name.startswith("truncation"))
    bounds = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 3}
    configuration = Configuration(bounds, {"acks": 1, "min_isr": 1, "unclean": 0, "leader_moves": 1})
    sight = Sight(fields=("log_end",), attempts=())
    (run,) = kill(profile, mutants, [configuration], sight).runs.values()
    # A follower that has a record beyond its high watermark cuts it in 0.10, and keeps it in 0.11 if the new leader has it too.
    assert run.steps[-1].action.name == "become_follower"
    assert [step.action.name for step in run.steps].count("move_leader") == 1


def test_for_a_step_that_cannot_be_tried_there_is_a_run_to_where_the_mutant_does_it() -> None:
    """A broker that does not flush may keep everything in a power loss, or not: the run ends with one, and the system chooses."""
    profile = profiles()["kafka-4.1"]
    (careless,) = (m for m in mutants_of(profile) if m.name == "faults.power_loss:guard-4")
    bounds = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 2}
    settings = {"acks": 1, "min_isr": 1, "unclean": 0, "power_losses": 1, "flush": 1}
    sight = Sight(fields=("log_end",), attempts=("power_loss",))
    found = kill(profile, [careless], [Configuration(bounds, settings)], Sight(fields=("log_end",), attempts=()))
    assert found.survivals == {careless.name: Survival.NOT_TRIED}
    run = found.approaches[careless.name]
    assert not run.surely
    assert [step.action.name for step in run.steps] == ["produce", "power_loss"]
    assert kill(profile, [careless], [Configuration(bounds, settings)], sight).approaches == {}
