"""The headline: what is acknowledged with acks=all is never lost, with clean election, while only processes die. Proven, and
violated with each assumption dropped. `--thorough` adds versions, and bounds at which no search ends in any time one would wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symbolic.clauses import Translation, as_lemma
from neverlost.explorer.symbolic.conditions import prove_for_all
from neverlost.explorer.symbolic.induction import Effort
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.symbolic.terms import Number
from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE
from neverlost.spec.families import family_of
from neverlost.spec.kafka.replication.versions import KAFKA_2_0, KAFKA_4_1, VERSIONS, version_named

FENCED = tuple(version for version in VERSIONS if version.lemmas)
PROPERTY = "acked_never_lost"
FIX = {"keeps_known_ends": False, "counts_diverging_fetch": False, "registers_unfenced": False}
"""What no release before 4.0, or none at all, has: without it the headline is violated, and the lemmas say nothing."""

HEADLINE = {
    **FIX,
    "acks": ACKS_ALL,
    "min_isr": 2,
    "unclean": False,
    "crashes": 2,
    "leader_moves": 2,
    "pauses": 2,
    "shutdowns": 2,
    "retries": 2,
}
IN_ITS_EPOCH = {
    "produces_know_epoch": True,
    "fetches_know_epoch": True,
    "responses_know_epoch": True,
    "responses_keep_bytes": True,
    "cuts_know_epoch": True,
    "takes_back_proposals": False,
}
"""What no release has together: what is said in a leader epoch counts in no other, however late it arrives."""
EVERY_DELAY = {"delays": 1, "every_delay": True}
DELAYED = (
    ("kafka-4.1", {**IN_ITS_EPOCH, **EVERY_DELAY}),
    ("kafka-4.1", {**IN_ITS_EPOCH, "delays": 1}),
    ("kafka-4.1", {**IN_ITS_EPOCH, **EVERY_DELAY, "delays": 2}),
    ("kafka-3.9-zk", {**IN_ITS_EPOCH, **EVERY_DELAY}),
    ("kafka-2.8", {**IN_ITS_EPOCH, **EVERY_DELAY}),
    ("kafka-2.7", {**IN_ITS_EPOCH, **EVERY_DELAY}),
    ("kafka-2.1", {**IN_ITS_EPOCH, **EVERY_DELAY}),
)
DELAYED_LARGE = (
    {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4, "delays": 1},
    {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4, "delays": 2},
    {"replicas": 3, "log_size": 3, "values": 3, "leader_epochs": 5, "delays": 1},
)

SMALL = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 3}
BEYOND_SEARCH = (
    {"replicas": 3, "log_size": 4, "values": 4, "leader_epochs": 6},
    {"replicas": 4, "log_size": 3, "values": 3, "leader_epochs": 5},
    {"replicas": 5, "log_size": 2, "values": 2, "leader_epochs": 5},
)


def _delayed_name(row: tuple[str, Mapping[str, int]]) -> str:
    version, chosen = row
    return f"{version} delays {chosen['delays']}{', every one' if 'every_delay' in chosen else ''}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "fenced_version" in metafunc.fixturenames:
        metafunc.parametrize("fenced_version", FENCED if everything else FENCED[-1:], ids=lambda v: v.name)
    if "bounds" in metafunc.fixturenames:
        metafunc.parametrize("bounds", [dict(KAFKA_4_1.default_bounds), *BEYOND_SEARCH], ids=str)
    if "small" in metafunc.fixturenames:
        larger = {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4}
        metafunc.parametrize("small", [SMALL, larger] if everything else [{**SMALL, "leader_epochs": 2}], ids=str)
    if "delayed" in metafunc.fixturenames:
        metafunc.parametrize("delayed", DELAYED, ids=_delayed_name)
    if "delayed_bounds" in metafunc.fixturenames:
        metafunc.parametrize("delayed_bounds", DELAYED_LARGE, ids=str)
    if "min_isr" in metafunc.fixturenames:
        metafunc.parametrize("min_isr", [1, 3])


def test_it_is_proven_for_every_version_with_fencing(fenced_version: Profile, small: Mapping[str, int]) -> None:
    proof = prove(fenced_version.bounded(**small, **HEADLINE), PROPERTY)
    assert (proof.verdict, proof.unknown) == ("proven", ())


COUNTED = ("retries_left", "crashes_left", "leader_moves_left", "pauses_left", "shutdowns_left")


@pytest.mark.parametrize(
    ("assumed", "counted"),
    [
        ({}, COUNTED),
        ({"flush": True, "power_losses": 1, "crashes": 0}, (*(set(COUNTED) - {"crashes_left"}), "power_losses_left")),
        ({**IN_ITS_EPOCH, **EVERY_DELAY}, COUNTED),
    ],
    ids=["crashes", "power losses of flushed logs", "delays"],
)
def test_no_lemma_asks_how_many_faults_are_left_so_that_any_number_may_happen(
    fenced_version: Profile, assumed: Mapping[str, int], counted: tuple[str, ...]
) -> None:
    translation = Translation(fenced_version.bounded(**{**SMALL, **HEADLINE, **assumed}))
    budgets = {v.term.get_id() for name in counted for v in translation.before.fields[name] if isinstance(v, Number)}
    assert len(budgets) == len(counted)
    claim = as_lemma(fenced_version.property_named(PROPERTY))
    for clause in translation.clauses([*fenced_version.lemmas, claim]):
        assert not clause.reads & budgets, clause.lemma.name


@pytest.mark.thorough
def test_it_is_proven_at_bounds_that_a_search_would_not_finish(bounds: Mapping[str, int]) -> None:
    proof = prove(KAFKA_4_1.bounded(**bounds, **HEADLINE), PROPERTY, effort=Effort(workers=2))
    assert (proof.verdict, proof.method, proof.unknown) == ("proven", "induction", ())
    assert proof.symmetric == ("replica",)


@pytest.mark.thorough
def test_the_search_does_not_finish_at_these_bounds() -> None:
    model = KAFKA_4_1.bounded(**HEADLINE)
    result = explore(model, properties=[PROPERTY], symmetry=True, limits=Limits(states=3_000_000))
    assert (result.verdict, result.stopped_by) == ("undecided", "states")


@pytest.mark.parametrize(
    ("version", "dropped", "steps"),
    [
        (KAFKA_4_1, {"acks": ACKS_ONE, "crashes": 1}, 4),
        pytest.param(version_named("kafka-4.0"), {"unclean": True, "crashes": 2}, 11, marks=pytest.mark.thorough),
        pytest.param(version_named("kafka-4.0"), {"power_losses": 1}, 13, marks=pytest.mark.thorough),
        pytest.param(version_named("kafka-4.0"), {"disk_losses": 2}, 13, marks=pytest.mark.thorough),
        (KAFKA_2_0, {"leader_moves": 3}, 10),
        (KAFKA_4_1, {"leader_moves": 3, "keeps_known_ends": True}, 14),
    ],
    ids=["acks=1", "unclean election", "a power loss", "disk losses", "no fencing", "as released"],
)
def test_without_one_of_the_assumptions_it_is_violated(
    version: Profile, dropped: Mapping[str, int], steps: int
) -> None:
    model = version.bounded(**{**FIX, "acks": ACKS_ALL, "min_isr": 2, "unclean": False, **dropped})
    proof = prove(model, PROPERTY)
    assert (proof.verdict, proof.method) == ("violated", "bounded")
    assert proof.trace is not None
    assert len(proof.trace.steps) == steps


@pytest.mark.thorough
def test_min_isr_is_no_assumption_while_only_processes_die(min_isr: int) -> None:
    proof = prove(KAFKA_4_1.bounded(**SMALL, **{**HEADLINE, "min_isr": min_isr}), PROPERTY)
    assert proof.verdict == "proven"


@pytest.mark.thorough
def test_it_is_proven_although_power_is_lost_if_all_is_flushed_and_no_process_is_killed() -> None:
    chosen = {**SMALL, **HEADLINE, "crashes": 0, "power_losses": 1, "flush": True}
    proof = prove(KAFKA_4_1.bounded(**chosen), PROPERTY)
    assert proof.verdict == "proven"


@pytest.mark.thorough
def test_for_all_settings_the_proof_says_what_the_matrix_says() -> None:
    """With unclean election no lemma says anything: what holds within the bounds of the matrix is not proven."""
    budgets = {"crashes": 1, "leader_moves": 1}
    proof = prove_for_all(
        KAFKA_4_1.bounded(**SMALL, **FIX, **budgets),
        PROPERTY,
        family_of(KAFKA_4_1).configured(),
        effort=Effort(workers=2),
        limits=Limits(states=200_000),
    )
    cases = {case.values: case for case in proof.cases}
    matrix = {}
    for acks, min_isr, unclean in product((ACKS_ONE, ACKS_ALL), (1, 2), (0, 1)):
        chosen = {"acks": acks, "min_isr": min_isr, "unclean": unclean}
        found = explore(KAFKA_4_1.bounded(**FIX, **chosen, **budgets), properties=[PROPERTY], symmetry=True)
        matrix[acks, min_isr, unclean] = found.verdict
    decided = {values: case.verdict for values, case in cases.items() if case.verdict != "undecided"}
    expected = {values: {"holds": "proven", "violated": "violated"}[verdict] for values, verdict in matrix.items()}
    open_case = (ACKS_ALL, 2, 1)
    assert {values: decided.get(values, "undecided") for values in matrix} == {**expected, open_case: "undecided"}
    assert matrix[open_case] == "holds"
    assert cases[open_case].complete


@pytest.mark.thorough
def test_it_is_proven_with_exchanges_that_last_over_a_change_of_leadership_if_they_count_in_no_other_epoch(
    delayed: tuple[str, Mapping[str, int]],
) -> None:
    version, chosen = delayed
    proof = prove(version_named(version).bounded(**{**SMALL, **HEADLINE, **chosen}), PROPERTY)
    assert (proof.verdict, proof.method, proof.unknown) == ("proven", "induction", ())
    assert proof.model.assumed == ()


@pytest.mark.thorough
def test_it_is_proven_with_such_exchanges_at_larger_bounds(delayed_bounds: Mapping[str, int]) -> None:
    model = KAFKA_4_1.bounded(**HEADLINE, **IN_ITS_EPOCH, **{**EVERY_DELAY, **delayed_bounds})
    proof = prove(model, PROPERTY, effort=Effort(workers=2))
    assert (proof.verdict, proof.method, proof.unknown) == ("proven", "induction", ())


@pytest.mark.thorough
def test_what_a_delayed_produce_knows_is_only_for_its_answer() -> None:
    chosen = {**SMALL, **HEADLINE, **IN_ITS_EPOCH, **EVERY_DELAY, "produces_know_epoch": False}
    proof = prove(KAFKA_4_1.bounded(**chosen), "isr_has_committed")
    assert (proof.verdict, proof.unknown) == ("proven", ())


LARGER = {"log_size": 2, "values": 4, "leader_epochs": 4, "leader_moves": 3}
MOVED_ONCE = {"log_size": 1, "values": 2, "leader_epochs": 2, "leader_moves": 1}
MOVED_TWICE = {"log_size": 1, "values": 2, "leader_epochs": 3, "leader_moves": 2}
MOVED_THRICE = {"log_size": 1, "values": 2, "leader_epochs": 4, "leader_moves": 3}


@pytest.mark.parametrize(
    ("version", "left_out", "within", "violated", "steps"),
    [
        pytest.param(
            "kafka-4.1", "produces_know_epoch", MOVED_ONCE, "acked_never_lost", 13, marks=pytest.mark.thorough
        ),
        ("kafka-4.1", "takes_back_proposals", {**MOVED_THRICE, "values": 1, "leader_moves": 1}, "acked_never_lost", 11),
        pytest.param(
            "kafka-4.1", "fetches_know_epoch", MOVED_TWICE, "isr_has_committed", 13, marks=pytest.mark.thorough
        ),
        pytest.param(
            "kafka-4.1", "fetches_know_epoch", MOVED_THRICE, "acked_never_lost", 18, marks=pytest.mark.thorough
        ),
        pytest.param(
            "kafka-4.1", "responses_know_epoch", MOVED_THRICE, "isr_has_committed", 15, marks=pytest.mark.thorough
        ),
        pytest.param("kafka-4.1", "cuts_know_epoch", MOVED_THRICE, "isr_has_committed", 15, marks=pytest.mark.thorough),
        pytest.param("kafka-2.1", "responses_keep_bytes", LARGER, "log_matching", 12, marks=pytest.mark.thorough),
        pytest.param("kafka-2.1", "responses_keep_bytes", LARGER, "acked_never_lost", 16, marks=pytest.mark.thorough),
    ],
)
def test_without_one_of_these_changes_it_is_violated(
    version: str, left_out: str, within: Mapping[str, int], violated: str, steps: int
) -> None:
    faultless = dict.fromkeys(("crashes", "pauses", "shutdowns", "retries"), 0)
    chosen = {**HEADLINE, **faultless, **IN_ITS_EPOCH, **EVERY_DELAY, "pipelined": True, **within}
    chosen[left_out] = not chosen[left_out]
    proof = prove(version_named(version).bounded(replicas=3, **chosen), violated, limits=Limits(states=40_000_000))
    assert (proof.verdict, proof.method) == ("violated", "bounded")
    assert proof.trace is not None
    assert len(proof.trace.steps) == steps
