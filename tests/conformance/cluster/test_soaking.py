"""Random runs on real brokers that have found mistakes of the harness."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neverlost.conformance.cluster.releases import RunnableRelease, release_named, runnable_releases
from neverlost.conformance.cluster.soaking import Kind, soak

FIRST_OFFSET_NOT_AVAILABLE = (2, 2)
LIST_OFFSETS_WITH_IT = 5


def test_a_leader_is_asked_for_offsets_in_a_version_that_tells_it_from_who_does_not_lead() -> None:
    """KIP-207: a leader of a new epoch answers an older request with LEADER_NOT_AVAILABLE, as who does not lead."""
    for version, modes in runnable_releases().items():
        release = release_named(version, modes[0])
        asked = release.list_offsets >= LIST_OFFSETS_WITH_IT
        assert asked == (release.number >= FIRST_OFFSET_NOT_AVAILABLE), version


@pytest.mark.brokers
@pytest.mark.xdist_group("brokers")
@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        # Run 1: a leader asked for a follower by itself. 3: its request was stale. 5: a broker was elected as it came back.
        ("4.1.1", (1, 3, 5)),
        # A leader of a new epoch had not committed anything of it.
        ("2.5.1", (4,)),
    ],
)
def test_longer_runs_that_once_differed_go_as_the_model(
    version: str, numbers: tuple[int, ...], runnable: Callable[..., RunnableRelease]
) -> None:
    for run in soak(runnable(version), numbers, kind=Kind(longest=120)):
        assert run.difference is None, (run.number, run.difference)
        assert not run.trouble
        assert len(run.judged) == len(run.steps)
