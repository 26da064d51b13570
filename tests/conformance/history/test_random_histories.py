"""A log that works has no anomaly, however its clients overlap; one that is planted is found, and nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_histories import PLANTS, working_run
from written_histories import as_json, edn_lines, judged, recorded

from neverlost.conformance.history import Judge

RANDOM = st.randoms(use_true_random=False)


@given(RANDOM)
@settings(max_examples=30, deadline=None)
def test_a_log_that_works_has_no_anomaly(random: Random) -> None:
    assert judged(working_run(random).operations) == {}


@pytest.mark.parametrize("name", PLANTS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_a_planted_anomaly_is_found_and_nothing_else(name: str, seed: int) -> None:
    random = Random(seed)
    planted = PLANTS[name](working_run(random), random)
    assume(planted is not None)
    assert planted is not None
    run, expected = planted
    found = judged(run.operations)
    assert {kind: [one.value for one in findings] for kind, findings in found.items()} == expected


@given(RANDOM)
@settings(max_examples=20, deadline=None)
def test_edn_and_json_say_the_same(random: Random) -> None:
    operations = working_run(random).operations
    one, other = recorded(as_json(operations)), recorded(edn_lines(operations))
    assert other.malformed == ()
    for columns in ("sends", "reads"):
        for name in getattr(one, columns).__dataclass_fields__:
            expected, actual = (getattr(getattr(history, columns), name).tolist() for history in (one, other))
            assert actual == expected
    assert Judge(one).anomalies() == Judge(other).anomalies()
