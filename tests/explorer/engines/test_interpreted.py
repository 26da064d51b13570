"""The search as such, on the engine that defines the truth: what it counts, where it stops, and what it then claims."""

from __future__ import annotations

from pathlib import Path

import pytest
from written_models import written

from neverlost.explorer.engines.hashing import digest_text, state_hash
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import Limits, Progress, explore
from neverlost.model.core import Model, Packed, Profile, UnknownNameError
from neverlost.spec.published.profiles import ID_SEQUENCE, KIP_320, TRUNCATE_TO_HIGH_WATERMARK

COUNTER = """
def initial(s: Boxes) -> None:
    s.count = 0

@action("a rule")
def up(s: Boxes) -> None:
    require(s.count < s.size(Box))

    s.count += 1

@action("a rule")
def stay(s: Boxes) -> None:
    s.count = s.count

@action("a rule")
def pick(s: Boxes, box: Box) -> None:
    require(s.count == s.size(Box))
    require(s.picked < 0)

    s.picked = box

@action("a rule")
def never(s: Boxes) -> None:
    require(s.count < 0)

    s.count = 0

@always("The count stays small.")
def small(s: Boxes) -> bool:
    return s.count < LIMIT

@always("Nothing is picked.")
def unpicked(s: Boxes) -> bool:
    return s.picked < 0

@sometimes("The count reaches its end.")
def full(s: Boxes) -> bool:
    return s.count == s.size(Box)

@sometimes("The count is negative.")
def negative(s: Boxes) -> bool:
    return s.count < 0

@step_always("The count never rises from one.")
def one_is_the_end(before: Boxes, after: Boxes) -> bool:
    return before.count != 1 or after.count == 1
"""


@pytest.fixture
def model(tmp_path: Path) -> Model:
    """Counts to 3, standing still at will, then picks one of 3 boxes: 7 states on 5 levels."""
    module = written(tmp_path, COUNTER)
    profile = Profile(
        name="counter",
        statement="",
        state=module.Boxes,
        initial=module.initial,
        actions=(module.up, module.stay, module.pick, module.never),
        properties=(module.small, module.unpicked, module.full, module.negative, module.one_is_the_end),
        default_bounds={"boxes": 3},
    )
    return profile.bounded()


def test_what_is_generated_counts_every_step_and_the_initial_state(model: Model) -> None:
    result = explore(model, engine="interpreted", until="all")
    assert (result.distinct, result.depth, result.levels) == (7, 5, (1, 1, 1, 1, 3))
    assert result.generated_by_action == {"up": 3, "stay": 7, "pick": 3, "never": 0}
    assert result.generated == 1 + 3 + 7 + 3


def test_an_action_that_never_happened_is_reported_as_dead(model: Model) -> None:
    assert explore(model, engine="interpreted", until="all").dead_actions == ("never",)


def test_every_kind_of_property_is_decided_with_the_shortest_trace(model: Model) -> None:
    findings = explore(model, engine="interpreted", until="all").findings
    found = {n: (f.verdict, f.violating_states, len(f.trace) if f.trace else None) for n, f in findings.items()}
    assert found == {
        "small": ("violated", 5, 3),
        "unpicked": ("violated", 3, 5),
        "full": ("holds", None, 4),
        "negative": ("violated", None, None),
        "one_is_the_end": ("violated", 1, 3),
    }


def test_the_trace_of_a_step_property_ends_with_the_step_that_breaks_it(model: Model) -> None:
    trace = explore(model, engine="interpreted", until="all").findings["one_is_the_end"].trace
    assert trace is not None
    assert [step.show(model.bounds) for step in trace.steps] == ["up()", "up()"]


def test_a_search_until_the_first_finding_leaves_the_rest_undecided(model: Model) -> None:
    result = explore(model, engine="interpreted", until="first")
    assert (result.complete, result.stopped_by) == (False, None)
    verdicts = {name: finding.verdict for name, finding in result.findings.items()}
    assert verdicts["one_is_the_end"] == "violated"
    assert verdicts["unpicked"] == verdicts["negative"] == "undecided"
    assert all(finding.violating_states is None for finding in result.findings.values())


def test_traces_stay_shortest_while_other_properties_are_open() -> None:
    model = TRUNCATE_TO_HIGH_WATERMARK.bounded(replicas=3, log_size=1, records=1, leader_epochs=2)
    alone = explore(model, engine="interpreted", properties=["strong_isr"]).findings["strong_isr"].trace
    beside = explore(model, engine="interpreted", properties=["type_ok", "strong_isr"]).findings["strong_isr"].trace
    assert alone is not None
    assert beside is not None
    assert len(alone) == len(beside) == 9


def test_only_the_properties_asked_for_are_decided(model: Model) -> None:
    result = explore(model, engine="interpreted", properties=["full", "full"], until="all")
    assert list(result.findings) == ["full"]
    assert result.verdict == "holds"
    assert result.exit_code == 0


def test_a_probe_is_decided_but_does_not_decide_the_check() -> None:
    result = explore(ID_SEQUENCE.bounded(ids=2), engine="interpreted", until="all")
    assert result.exit_code == 0
    model = KIP_320.bounded(replicas=2, log_size=1, records=1, leader_epochs=2)
    checked = explore(model, engine="interpreted", until="all")
    probe = checked.findings["leader_in_isr_as_published"]
    assert (probe.asserted, probe.verdict) == (False, "violated")
    assert (checked.verdict, checked.exit_code) == ("holds", 0)
    asked = explore(model, engine="interpreted", until="all", properties=["leader_in_isr_as_published"])
    assert (asked.verdict, asked.exit_code) == ("violated", 1)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(states=3), "states"),
        (Limits(depth=2), "depth"),
        (Limits(seconds=0.0), "time"),
        (Limits(memory_bytes=1), "memory"),
    ],
    ids=["states", "depth", "time", "memory"],
)
def test_a_search_that_reaches_a_limit_ends_undecided_and_says_which(model: Model, limits: Limits, reason: str) -> None:
    result = explore(model, engine="interpreted", properties=["unpicked", "negative"], limits=limits)
    assert (result.complete, result.stopped_by) == (False, reason)
    assert {finding.verdict for finding in result.findings.values()} == {"undecided"}
    assert result.exit_code == 3


def test_a_limit_that_is_not_reached_changes_nothing(model: Model) -> None:
    result = explore(model, engine="interpreted", until="all", limits=Limits(states=7, depth=6))
    assert (result.complete, result.stopped_by, result.distinct) == (True, None, 7)


def test_an_interrupted_search_keeps_its_complete_levels(model: Model) -> None:
    seen: list[Progress] = []
    result = explore(
        model,
        engine="interpreted",
        properties=["negative"],
        until="all",
        watch=Watch(progress=seen.append, interrupted=lambda: seen[-1].depth == 3),
    )
    assert (result.complete, result.stopped_by, result.levels) == (False, "interrupt", (1, 1, 1))
    assert result.findings["negative"].verdict == "undecided"


def test_progress_is_reported_at_the_start_of_every_level_and_never_goes_back(model: Model) -> None:
    seen: list[Progress] = []
    explore(model, engine="interpreted", until="all", watch=Watch(progress=seen.append))
    starts = [(p.depth, p.frontier, p.distinct) for p in seen if p.expanded == 0]
    assert starts == [(1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 1, 4), (5, 3, 7)]
    said = [(p.depth, p.expanded, p.distinct) for p in seen]
    assert said == sorted(said)


def test_the_digest_is_the_sum_of_the_hashes_of_the_reachable_states(model: Model) -> None:
    found: set[Packed] = set()
    rest = model.initial_states()
    while rest:
        words = rest.pop()
        if words not in found:
            found.add(words)
            rest += [after for _, after in model.successors(words)]
    result = explore(model, engine="interpreted", until="all")
    assert len(found) == result.distinct
    assert result.digest == digest_text(sum(map(state_hash, found)))


def test_the_hash_tells_neighbouring_states_apart() -> None:
    words = [(a, b) for a in range(-1, 40) for b in range(-1, 40)]
    assert len({state_hash(w) for w in words}) == len(words)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "compile"}, "Did you mean 'compiled'"),
        ({"engine": "interpreted", "until": "last"}, "Known: first, each, all"),
        ({"engine": "interpreted", "properties": ["ful"]}, "Did you mean 'full'"),
    ],
    ids=["engine", "until", "property"],
)
def test_an_unknown_name_is_refused_with_the_nearest(model: Model, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        explore(model, **arguments)  # type: ignore[arg-type]
