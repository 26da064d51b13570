"""Proofs for any bounds of models of one's own: what they prove, and that they prove nothing false."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest
from finite_states import FiniteState, Stepping
from random_models import programs
from samples import elements, packed_from
from sampling import quick_one_in
from symbolic_steps import interpreted
from written_models import imported

from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.any_bounds.proof import AnyProof, prove_for_any_bounds
from neverlost.explorer.symbolic.any_bounds.translation import AnyTranslation
from neverlost.explorer.symbolic.clauses import as_term
from neverlost.explorer.symbolic.induction import Effort
from neverlost.explorer.symbolic.terms import UntranslatableError
from neverlost.model.core import Model, Packed, Profile, Unbounded

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_PHASE_COMMIT = profile_from_file(f"{EXAMPLES / 'two_phase_commit.py'}:TWO_PHASE_COMMIT")
PROGRAMS = range(700, 750)
LOCKERS = '''\
from neverlost.model.core import *
from neverlost.model.core import EMPTY, NONE

class Person(Index, bound="people", symmetric=True):
    pass

class Locker(Index, members=3):
    pass

class Lockers(State):
    taken = per(Locker, flag())
    own = per(Person, optional(Locker))
    called = flag()
    late = per(Person, flag())
    warned = per(Person, flag())

def initial(s: Lockers) -> None:
    """All are free."""

@action("test")
def take(s: Lockers, person: Person, locker: Locker) -> None:
    """A person takes a free locker."""
    require(not s.taken[locker])
    require(s.own[person] == NONE)

    s.taken[locker] = True
    s.own[person] = locker

@action("test")
def come_late(s: Lockers, person: Person) -> None:
    """A person is late."""
    s.late[person] = True

@always("Whoever has no locker finds a free one.")
def nobody_waits(s: Lockers) -> bool:
    return any(not s.taken[k] for k in s.each(Locker)) or all(s.own[p] >= 0 for p in s.each(Person))

@always("A locker that somebody has is taken.")
def owned_are_taken(s: Lockers) -> bool:
    return all(s.own[p] < 0 or s.taken[s.own[p]] for p in s.each(Person))

@always("After a call everybody is warned, or late.")
def warned_or_late(s: Lockers) -> bool:
    return not s.called or all(s.warned[p] or s.late[p] for p in s.each(Person))

def profile(*more: Action, properties=(nobody_waits, owned_are_taken, warned_or_late)) -> Profile:
    return Profile(name="test/lockers", statement="People take lockers.", state=Lockers, initial=initial,
        actions=(take, come_late, *more), properties=properties, default_bounds={"people": 2})
'''
CHECKS_UNTIL_ONE_IS_LATE = '''
def check_until_one_is_late(s: Lockers) -> None:
    for person in s.each(Person):
        if s.late[person]:
            return
        require(s.warned[person])

@action("test")
def call(s: Lockers) -> None:
    """Whoever is called after the first late one may be unwarned."""
    check_until_one_is_late(s)

    s.called = True

PROFILE = profile(call)
'''
CALLED_BY_THE_LATE = '''
class Called(Lockers):
    calls = setting(flag())

@action("test")
def call(s: Called) -> None:
    """Each of the late calls; nobody does if there are no calls."""
    require(s.calls > 0)

    for person in s.each(Person):
        if s.late[person]:
            s.called = True

PROFILE = Profile(name="test/called", statement="The late call.", state=Called, initial=initial,
    actions=(take, come_late, call), properties=(owned_are_taken, warned_or_late), default_bounds={"people": 2})
'''


def own(profile: Profile) -> Unbounded:
    return Unbounded(profile=profile, traced=profile)


def written(folder: Path, text: str) -> Profile:
    module: ModuleType = imported(folder, LOCKERS + text)
    profile: Profile = module.PROFILE
    return profile


def proof_of(profile: Profile, name: str, **settings: int) -> AnyProof:
    values = {**profile.default_settings, **settings}
    return prove_for_any_bounds(own(profile), name, settings=values, effort=Effort(rounds=(1.0,)), until="all")


@pytest.mark.parametrize("crashes", [0, 2])
def test_two_phase_commit_is_proven_for_any_number_of_participants(crashes: int) -> None:
    proof = proof_of(TWO_PHASE_COMMIT, "all_agree", coordinator_crashes=crashes)
    assert (proof.verdict, proof.failing, proof.unknown) == ("proven", (), ())
    assert {q.action for q in proof.queries if q.action} >= {"decide_commit", "obey_commit"}


@pytest.mark.parametrize("mistake", ["waits_for_all", "writes_first"])
def test_and_with_a_mistake_it_is_not(mistake: str) -> None:
    proof = proof_of(TWO_PHASE_COMMIT, "all_agree", **{mistake: 0}, coordinator_crashes=1)
    assert proof.verdict == "undecided"
    assert proof.failing


@pytest.mark.parametrize("lemma", quick_one_in(3, TWO_PHASE_COMMIT.lemmas, lambda lemma: lemma.name))
def test_every_lemma_of_it_is_needed(lemma: object) -> None:
    lemmas = [each for each in TWO_PHASE_COMMIT.lemmas if each is not lemma]
    proof = prove_for_any_bounds(own(TWO_PHASE_COMMIT), "all_agree", lemmas=lemmas, effort=Effort(rounds=(1.0,)))
    assert proof.verdict == "undecided"


def test_what_is_true_within_small_bounds_only_is_not_proven(tmp_path: Path) -> None:
    profile = written(tmp_path, "\nPROFILE = profile()\n")
    for people in (1, 2, 3):
        assert explore(profile.bounded(people=people), properties=["nobody_waits"]).verdict == "holds"
    assert explore(profile.bounded(people=4), properties=["nobody_waits"]).verdict == "violated"
    assert proof_of(profile, "nobody_waits").verdict == "undecided"
    assert proof_of(profile, "owned_are_taken").verdict == "proven"


def test_a_loop_that_requires_until_it_returns_is_refused(tmp_path: Path) -> None:
    profile = written(tmp_path, CHECKS_UNTIL_ONE_IS_LATE)
    assert explore(profile.bounded(people=2), properties=["warned_or_late"]).verdict == "violated"
    with pytest.raises(
        UntranslatableError, match=r"\.py:\d+: check_until_one_is_late .* returns early, so what it requires"
    ):
        proof_of(profile, "warned_or_late")


NUMBERED = """
class Step(Index, bound="called"):
    pass

class Stairs(Lockers):
    step = up_to(Step)

PROFILE = Profile(name="test/stairs", statement="Stairs.", state=Stairs, initial=initial, actions=(take,),
    properties=(owned_are_taken,), default_bounds={"people": 2, "called": 2})
"""
TWICE = """
Other = type("Person", (Index,), {}, bound="others", symmetric=True)

class Crowd(Lockers):
    met = per(Other, flag())

PROFILE = Profile(name="test/crowd", statement="A crowd.", state=Crowd, initial=initial, actions=(take,),
    properties=(owned_are_taken,), default_bounds={"people": 2, "others": 2})
"""
FIRST = """
class Queue(Lockers):
    next = any_of(Person)

PROFILE = Profile(name="test/queue", statement="A queue.", state=Queue, initial=initial, actions=(take,),
    properties=(owned_are_taken,), default_bounds={"people": 2})
"""
COUNTS = FIRST.replace("any_of", "up_to")
SUMS = """
@always("At most three lockers are taken.")
def three_are_taken(s: Lockers) -> bool:
    return sum(s.taken[k] for k in s.each(Locker)) <= 3

PROFILE = profile(properties=(three_are_taken, owned_are_taken))
"""


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (TWICE, "owned_are_taken", r"\.py:\d+: Crowd: a domain and another one are named Person;"),
        (FIRST, "owned_are_taken", r"\.py:\d+: Queue: next begins as the first Person, but for any bounds none is the first"),
        (COUNTS, "owned_are_taken", r"\.py:\d+: Queue: next counts members of Person, of which there may be any number"),
        (SUMS, "three_are_taken", r"\.py:\d+: three_are_taken has no form for any bounds: it adds up something of every member"),
    ],
    ids=["a domain called as another", "a first member", "a count of members", "a sum"],
)  # fmt: skip
def test_what_has_no_form_for_any_bounds_is_refused_with_its_place(
    text: str, name: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UntranslatableError, match=said):
        proof_of(written(tmp_path, text), name)


def test_a_field_and_a_bound_may_have_one_name(tmp_path: Path) -> None:
    assert proof_of(written(tmp_path, NUMBERED), "owned_are_taken").verdict == "proven"


def test_what_a_setting_rules_out_needs_no_form_and_elsewhere_it_does(tmp_path: Path) -> None:
    profile = written(tmp_path, CALLED_BY_THE_LATE)
    assert proof_of(profile, "owned_are_taken").verdict == "proven"
    assert explore(profile.bounded(people=2), properties=["warned_or_late"]).verdict == "holds"
    assert proof_of(profile, "warned_or_late").verdict == "proven"
    assert explore(profile.bounded(people=2, calls=1), properties=["warned_or_late"]).verdict == "violated"
    with pytest.raises(UntranslatableError, match=r"its loop changes called elsewhere than at its own member"):
        proof_of(profile, "warned_or_late", calls=1)


def test_a_number_stored_as_yes_or_no_must_be_one_of_them(tmp_path: Path) -> None:
    stores = '''
@action("test")
def call(s: Lockers, locker: Locker) -> None:
    """A call, by a number that may be 2."""
    s.called = locker

PROFILE = profile(call)
'''
    proof = proof_of(written(tmp_path, stores), "owned_are_taken")
    assert [q.text for q in proof.failing] == ["call(locker) keeps every field within its domain"]


def any_state(model: Model, randomness: random.Random) -> Packed:
    return packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])


def test_random_programs_do_as_formulas_what_they_do_in_the_interpreter(tmp_path: Path) -> None:
    module, outcomes, steps, properties = imported(tmp_path, programs(PROGRAMS)), set(), 0, 0
    for number in PROGRAMS:
        profile: Profile = getattr(module, f"PROFILE_{number}")
        model, randomness = profile.bounded(nodes=3, levels=2), random.Random(number)
        states = [any_state(model, randomness) for _ in range(6)]
        translation = AnyTranslation(own(profile), {})
        with suppress(UntranslatableError):
            stepping = Stepping(translation, translation.symbolic_step(profile.actions[0]))
            steps += 1
            for words in states:
                outcomes.add(agreed_outcome(stepping, model, words, randomness.randrange(len(model.steps))))
        with suppress(UntranslatableError):
            truth, flaw = translation.says(profile.properties[0].function, (), translation.before)
            properties += 1
            for words in states:
                state = FiniteState(translation.vocabulary, model, words, {})
                if not state.value(as_term(flaw)):
                    assert bool(state.value(as_term(truth))) == model.holds(profile.properties[0], words), profile.name
    assert outcomes == {"flaw", "taken", "refused"}
    assert min(steps, properties) >= 15


def agreed_outcome(stepping: Stepping, model: Model, words: Packed, number: int) -> str:
    """What becomes of a step, by the formulas and by the interpreter. Only a flaw may be one of the formulas alone: they find one where
    the interpreter looks for a member in a set of others.
    """
    found, step = stepping.taken(model, words, model.steps[number]), model.steps[number]
    assert found in ("flaw", interpreted(model, words, number)), step.show(model.bounds)
    return found if isinstance(found, str) else "taken" if found else "refused"
