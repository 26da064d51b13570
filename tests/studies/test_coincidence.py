"""What has to come together for a loss is read off the steps of its story."""

from __future__ import annotations

from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Profile
from neverlost.spec import profiles
from neverlost.studies.audit.coincidence import coincidences
from neverlost.studies.audit.dangers import DANGERS


def shortest(profile: Profile, **bounds: int) -> Trace:
    """The shortest loss of an acknowledged record."""
    trace = (
        explore(profile.bounded(**bounds), properties=["acked_never_lost"], symmetry=True)
        .findings["acked_never_lost"]
        .trace
    )
    assert trace is not None
    return trace


def test_a_rolling_restart_takes_late_news_of_a_leader_beside_its_faults() -> None:
    settings = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 4, "min_isr": 2, "acks": 2}
    trace = shortest(profiles()["kafka-4.1"], leader_moves=1, shutdowns=2, **settings)
    found = coincidences(DANGERS[0], trace)
    assert [one for one in found if one.startswith("a leader move")]
    assert len([one for one in found if one.startswith("a shutdown of ")]) == 2
    assert [one for one in found if "hears of epoch 1 after epoch 2 has begun" in one]


def test_a_power_loss_takes_that_the_leader_was_left_alone_in_the_isr() -> None:
    settings = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 3, "min_isr": 1, "acks": 2}
    found = coincidences(DANGERS[0], shortest(profiles()["kafka-4.1"], power_losses=1, **settings))
    assert [one.partition(" (step")[0] for one in found] == [
        "r2 falls out of the ISR",
        "r3 falls out of the ISR",
        "a power loss of r1",
    ]
