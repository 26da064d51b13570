"""What cannot influence a property is found from the source, and leaving it out changes no verdict."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from samples import elements, packed_from
from written_models import written

from neverlost.explorer.search import explore
from neverlost.model.core import Refused
from neverlost.model.core.influence import fields_of, without_influence
from neverlost.model.kafka.replication.state import ACKS_ONE, DELIVERED
from neverlost.spec.kafka.replication.versions import VERSIONS
from neverlost.studies.audit.dangers import DANGERS

CHAIN = """
def initial(s: Boxes) -> None:
    'Nothing is picked.'

def raise_count(s: Boxes) -> None:
    s.count += 1 if s.count < s.size(Box) else 0

@action("a")
def counts(s: Boxes, box: Box) -> None:
    require(s.picked == box)
    raise_count(s)

@action("b")
def picks(s: Boxes, box: Box) -> None:
    require(not s.ball[box])
    s.picked = box

@action("c")
def weighs(s: Boxes, box: Box) -> None:
    require(s.count > 0)
    s.weight[box][box] = s.count

@action("d")
def chooses(s: Boxes, box: Box) -> None:
    s.chosen = with_member(s.chosen, box)

@always("The count is low.")
def low(s: Boxes) -> bool:
    return s.count < 2

@always("Not all are chosen.")
def not_all(s: Boxes) -> bool:
    return s.chosen != s.all_of(Box)

PROFILE = Profile(name="test/chain", statement="A chain.", state=Boxes, initial=initial,
    actions=(counts, picks, weighs, chooses), properties=(low, not_all), default_bounds={"boxes": 2})
"""


def test_what_a_function_reads_and_writes_includes_what_it_calls(tmp_path: Path) -> None:
    module = written(tmp_path, CHAIN)
    assert fields_of(module.counts.function).read == {"picked", "count"}
    assert fields_of(module.counts.function).written == {"count"}
    assert fields_of(module.weighs.function).written == {"weight"}


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [(["low"], ["weighs", "chooses"]), (["not_all"], ["counts", "picks", "weighs"]), (["low", "not_all"], ["weighs"])],
)
def test_only_what_is_read_in_the_end_has_influence(asked: list[str], left_out: list[str], tmp_path: Path) -> None:
    profile = written(tmp_path, CHAIN).PROFILE
    found = without_influence(profile, [profile.property_named(name) for name in asked])
    assert [action.name for action in found] == left_out
    smaller = profile.replacing("test/smaller", "Less.", **dict.fromkeys(left_out))
    for name in asked:
        whole, less = (explore(p.bounded(), engine="interpreted", properties=[name]) for p in (profile, smaller))
        said = [(f.verdict, f.trace and len(f.trace)) for f in (whole.findings[name], less.findings[name])]
        assert said[0] == said[1]
        assert less.distinct <= whole.distinct


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_an_audit_leaves_the_consumer_out_only_where_it_has_no_influence(version: object) -> None:
    consumer = ["poll", "poll_follower", "poll_too_far", "process", "commit_offset", "crash_consumer"]
    for danger in DANGERS:
        properties = [version.property_named(name) for name in (danger.property, "epochs_suffice")]  # type: ignore[attr-defined]
        found = [action.name for action in without_influence(version, properties)]  # type: ignore[arg-type]
        assert (found == consumer) == (danger.concerns != "consumer"), danger.name


def test_responses_are_lost_with_acks_one_only() -> None:
    randomness, tried = random.Random(4), 0
    for version in VERSIONS:
        for acks in set(range(3)) - {ACKS_ONE}:
            model = version.bounded(acks=acks, lost_responses=2, retries=2)
            losing = [
                n
                for n, s in enumerate(model.steps)
                if s.action.name in ("produce", "retry") and s.arguments[-1] != DELIVERED
            ]
            for _ in range(25):
                words = packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])
                with pytest.raises(Refused):
                    model.apply(words, model.steps[randomness.choice(losing)])
                tried += 1
    assert tried > 1000


def test_the_cone_grows_with_what_is_asked(tmp_path: Path) -> None:
    profile = written(tmp_path, CHAIN).PROFILE
    alone = replace(profile, actions=profile.actions[:1], properties=profile.properties[:1])
    assert without_influence(alone, alone.properties) == ()
