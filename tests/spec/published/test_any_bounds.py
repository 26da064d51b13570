"""What is stated beside the protocol for proofs for any bounds is what it stands for, by the interpreter."""

from __future__ import annotations

import random
from pathlib import Path

from lemma_properties import PREFIX, deciding_lemmas
from samples import elements, packed_from, reachable

from neverlost.explorer.search import explore
from neverlost.model.core import Model, ModelError, Packed, Refused
from neverlost.model.published.base import first_mismatch
from neverlost.spec.published.any_bounds import (
    ANY_BOUNDS,
    KIP_320_ANY_BOUNDS,
    TracedPartition,
    exposed_record_was_committed_in_its_commit_epoch,
    is_first_mismatch,
)
from neverlost.spec.published.lemmas import LEMMAS, exposed_record_was_committed_in_some_epoch
from neverlost.spec.published.profiles import KIP_320

BOUNDS = {"replicas": 3, "log_size": 3, "records": 2, "leader_epochs": 2}
TRACED = KIP_320_ANY_BOUNDS.traced


def any_state(model: Model, randomness: random.Random) -> TracedPartition:
    values = [randomness.randrange(low, low + size) for low, size in elements(model)]
    return model.state(packed_from(model, values))  # type: ignore[return-value]


def test_the_meaning_of_the_first_mismatch_is_true_of_what_it_finds_and_of_nothing_else() -> None:
    model, randomness, found = TRACED.bounded(**BOUNDS), random.Random(1), []
    for _ in range(400):
        state = any_state(model, randomness)
        for leader in range(3):
            for follower in range(3):
                ends = [end for end in range(4) if is_first_mismatch(state, leader, follower, end)]  # type: ignore[arg-type]
                assert ends == [first_mismatch(state, leader, follower)]  # type: ignore[arg-type]
                found += ends
    assert set(found) == {0, 1, 2, 3}


def without_ghosts(model: Model, plain: Model, words: Packed) -> Packed:
    values = {name: value for name, value in model.state(words).values().items() if name != "commit_epoch"}
    return plain.layout.pack(plain.profile.state.of(plain.bounds, values))


def outcome(model: Model, words: Packed, number: int) -> Packed | str:
    try:
        return model.apply(words, model.steps[number])
    except Refused:
        return "refused"
    except ModelError:
        return "flaw"


def test_with_the_ghost_the_same_steps_happen_and_do_the_same() -> None:
    traced, plain, randomness = TRACED.bounded(**BOUNDS), KIP_320.bounded(**BOUNDS), random.Random(2)
    assert [s.arguments for s in traced.steps] == [s.arguments for s in plain.steps]
    taken = set()
    for words in [*reachable(traced, 300), *(traced.layout.pack(any_state(traced, randomness)) for _ in range(60))]:
        for number in randomness.sample(range(len(traced.steps)), 12):
            with_ghost, without = (
                outcome(traced, words, number),
                outcome(plain, without_ghosts(traced, plain, words), number),
            )
            if isinstance(with_ghost, tuple):
                taken.add(traced.steps[number].action.name)
                with_ghost = without_ghosts(traced, plain, with_ghost)
            assert with_ghost == without, traced.steps[number].show(traced.bounds)
    assert {"traced_follower_fetch", "controller_shrink_isr"} <= taken


def test_the_lemma_about_the_ghost_is_true_in_every_reachable_state(tmp_path: Path) -> None:
    bounds = {"replicas": 2, "log_size": 2, "records": 2, "leader_epochs": 2}
    model = deciding_lemmas(TRACED, tmp_path).bounded(**bounds)
    result = explore(model, engine="interpreted", symmetry=["replica"], until="all")
    assert result.complete
    assert result.findings[PREFIX + exposed_record_was_committed_in_its_commit_epoch.name].verdict == "holds"


def test_for_any_bounds_only_the_lemma_with_some_epoch_is_another_one() -> None:
    same = [lemma for lemma in LEMMAS if lemma is not exposed_record_was_committed_in_some_epoch]
    assert TRACED.lemmas == (*same, exposed_record_was_committed_in_its_commit_epoch)
    assert exposed_record_was_committed_in_its_commit_epoch.reason == exposed_record_was_committed_in_some_epoch.reason


def test_the_profiles_for_any_bounds_are_named_by_the_profile_that_they_are_for() -> None:
    assert ANY_BOUNDS["published/kip-320"].profile is KIP_320
