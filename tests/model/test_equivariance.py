"""Symmetry is refused unless the source proves that members are alike: by rule, by example, and for random functions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import asymmetric_models
import pytest
from asymmetric_models import ASYMMETRIC, UNEVEN_START
from fleet import ALIKE
from random_models import programs
from renaming import tells_apart
from samples import SMALL_MODELS
from written_models import imported

from neverlost.cli.main import main
from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import symmetric_domains, symmetry_of
from neverlost.model.core import Model, Profile, SymmetryError, check_equivariance
from neverlost.model.published import async_isr
from neverlost.spec.published.profiles import ASYNC_ISR

SOURCE = Path(asymmetric_models.__file__)
REASONS = {
    "prefer_the_lower": "uses `one < other`, which puts a member of Ship in an order, and renaming does not keep it; write `==`",
    "promote_the_flagship": "uses `FLAGSHIP`, the number 0, as a member of Ship, and renaming gives that number to another one",
    "unload_the_flagship": "or declare the first members of Ship `distinguished`; or leave symmetry off: the action unload_the",
    "avoid_the_flagship": "which compares a member of Ship with the number 0, and renaming changes only one of them",
    "follow_the_next": "uses `ship`, a member of Ship, as a number, and renaming gives it another one",
    "load_by_number": "uses `ship`, a member of Ship, as a number",
    "lead_by_cargo": "uses `barrel`, a number, as a member of Ship",
    "promote_the_first": "leaves the loop over Ship with what the first such member gives, and renaming changes who is first",
    "promote_the_last": "the loop over Ship changes 'lead' for other members too, so that their order shows",
    "hand_over": "uses `carried`, and the loop over Ship changes 'carried' for other members too",
    "take_over": "uses `s.cargo[giver]`, and the loop over Ship changes 'cargo' for other members too",
    "leave_and_join": "write one kind of update that takes any order (min, max, +=, with_member, without, one constant)",
    "repair_until_one_is_whole": "uses `return`, which leaves the loop over Ship with some members done and others not",
    "keep_the_last_name": "'ship', which has a value before, keeps the last member; write a name of its own",
    "repair_after_another": "uses `repair_after(s, ship, giver)`, and the loop over Ship changes 'damaged' for other members too",
    "avoid_the_first_number": "uses `ship > 0`, which puts a member of Ship in an order",
    "damage_the_first": "uses `count`, and the loop over Ship changes 'count' for other members too",
    "divert_all": "uses `divert(s, ship, ship, harbour)`, and the loop over Ship changes 'follows' for other members too",
    "numbers_are_small": "uses `ship`, a member of Ship, as a number",
    "flagship_is_in_port": "leave out symmetry, or the property flagship_is_in_port",
    "few_at_sea": "uses `ships_at_sea(s) < 3`, which puts a set of Ship in an order",
    "nobody_follows_a_lower": "uses `followed_ship < ship`, which puts a member of Ship in an order",
    "the_first_is_at_sea": "uses `return False`, which leaves the loop over Ship with what the first such member gives",
    "lead_is_true": "uses `s.lead`, a member of Ship, as a number",
    "the_last_damaged_is_empty": "uses `last = s.cargo[ship]`, and the loop over Ship changes 'last' for other members too",
    "a_choice_by_number": "which makes the value a member of Ship here and the number 0 elsewhere",
    "lead_is_small": "uses `s.lead`, a member of Ship, as a number",
    "nothing_is_left": "uses `total = min(total, s.cargo[ship])`, and the loop over Ship changes 'total'",
    "no_ship_is_a_set": "which compares a set of Ship with a member of Ship",
    "crowd_is_of_the_flagship": "compares a set of Ship with the number 1",
}


def prove(model: Model) -> None:
    """Ask for symmetry in every domain, and every property."""
    symmetry_of(model, True, model.profile.all_properties)


@pytest.mark.parametrize("name", ASYMMETRIC)
def test_what_tells_members_apart_is_refused_at_its_line_with_the_reason_and_a_way_out(name: str) -> None:
    with pytest.raises(SymmetryError) as refused:
        prove(ASYMMETRIC[name].bounded())
    message = str(refused.value)
    place = re.match(re.escape(str(SOURCE)) + r":(\d+): ", message)
    assert place is not None
    assert "# distinguishes" in SOURCE.read_text(encoding="utf-8").splitlines()[int(place[1]) - 1]
    assert REASONS[name] in message
    assert "symmetry" in message.rpartition("; or ")[2]


@pytest.mark.parametrize("name", ASYMMETRIC)
def test_what_is_refused_here_does_tell_members_apart(name: str) -> None:
    assert tells_apart(ASYMMETRIC[name].bounded(), samples=3000, seed=1)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_an_initial_state_may_tell_members_apart(engine: str) -> None:
    model = UNEVEN_START.bounded()
    prove(model)
    reduced, whole = (explore(model, engine=engine, until="all", symmetry=symmetry) for symmetry in (True, False))
    symmetry = symmetry_of(model, True, [])
    words = model.initial_states()
    seen = set(words)
    while words:
        words = [after for w in words for _, after in model.successors(w) if not (after in seen or seen.add(after))]
    assert reduced.distinct == len({symmetry.representative(w) for w in seen}) < whole.distinct == len(seen)
    assert {n: f.verdict for n, f in reduced.findings.items()} == {n: f.verdict for n, f in whole.findings.items()}


def test_rules_that_treat_all_members_alike_are_accepted_and_do() -> None:
    model = ALIKE.bounded()
    prove(model)
    assert not tells_apart(model, samples=3000, seed=1)


@pytest.mark.parametrize("model", SMALL_MODELS, ids=lambda model: str(model.profile.name))
def test_every_published_profile_is_proven_in_each_of_its_domains(model: Model) -> None:
    domains = symmetric_domains(model)
    for chosen in ([name] for name in domains):
        symmetry = symmetry_of(model, chosen, model.profile.all_properties)
        assert symmetry.names == tuple(chosen)
    if domains:
        prove(model)


def test_a_leader_that_is_named_must_be_distinguished(tmp_path: Path) -> None:
    text = Path(async_isr.__file__).read_text(encoding="utf-8")
    module = imported(tmp_path, text.replace(", distinguished=1", ""))
    profile = ASYNC_ISR.replacing("test/alike", "No replica leads.")
    names = [action.name for action in profile.actions]
    everyone = replace(
        profile,
        state=module.AsyncIsr,
        initial=module.initial,
        actions=tuple(getattr(module, name) for name in names),
        properties=(),
        probes=(),
    )
    with pytest.raises(
        SymmetryError, match=r"uses `replica != LEADER`.* or declare the first members of Replica `dist"
    ):
        prove(everyone.bounded())


def test_a_domain_that_is_not_renamed_may_be_counted_with() -> None:
    check_equivariance(ASYMMETRIC["numbers_are_small"].bounded(), [], ASYMMETRIC["numbers_are_small"].properties)


def test_a_property_that_tells_members_apart_bars_symmetry_only_when_it_is_asked_for() -> None:
    profile = ASYMMETRIC["flagship_is_in_port"].replacing("test/two", "Two properties.", properties=ALIKE.properties)
    both = profile.replacing("test/both", "Both.", probes=ASYMMETRIC["flagship_is_in_port"].properties).bounded(
        barrels=1
    )
    with pytest.raises(SymmetryError, match="flagship_is_in_port"):
        explore(both, engine="interpreted", symmetry=True)
    assert explore(both, engine="interpreted", symmetry=True, properties=["no_circle"], until="all").complete


@pytest.mark.parametrize("distinguished", [0, 1])
def test_random_functions_that_are_accepted_tell_no_members_apart(
    distinguished: int, tmp_path: Path, thorough: bool
) -> None:
    numbers = range(150 if thorough else 60)
    module = imported(tmp_path, programs(numbers, distinguished))
    accepted = broken = 0
    for number in numbers:
        profile: Profile = getattr(module, f"PROFILE_{number}")
        model = profile.bounded()
        apart = tells_apart(model, samples=40, seed=number)
        try:
            prove(model)
        except SymmetryError:
            broken += apart
        else:
            accepted += 1
            assert not apart, profile.name
    assert accepted > len(numbers) // 3
    assert broken > 0


def test_the_command_line_refuses_symmetry_that_the_source_does_not_prove(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", f"{SOURCE}:PREFERS_THE_LOWER", "--symmetry", "--engine", "interpreted"])
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    said = " ".join(captured.err.split())
    assert "prefer_the_lower uses `one < other`" in said
    assert "or leave symmetry off: the action prefer_the_lower needs this" in said
    assert "Traceback" not in said


def test_the_command_line_explores_the_same_profile_without_symmetry(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{SOURCE}:PREFERS_THE_LOWER", "--engine", "interpreted", "--quiet"]) == 1
    assert "Traceback" not in capsys.readouterr().err
