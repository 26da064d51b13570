"""The configurations in which mutants are looked for: small ones, so that each rule is reached in a short run."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.core import Model, Profile
from neverlost.model.kafka.state import ACKS_ALL, ACKS_ONE, COMMIT_AFTER, COMMIT_AUTO, COMMIT_BEFORE

BOUNDS = {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4}
"""What all configurations share, so that they share a kernel."""

ALL = {"acks": ACKS_ALL, "min_isr": 2, "unclean": 0}
ONE = {"acks": ACKS_ONE, "min_isr": 1, "unclean": 0}
ALONE = ALL | {"min_isr": 1}
CONSUMER = {"consumer_crashes": 1}

CONFIGURATIONS: tuple[Mapping[str, int], ...] = (
    ALL,
    ALL | {"leader_moves": 1},
    ALL | {"crashes": 1},
    ALL | {"pauses": 1},
    ALL | {"shutdowns": 1},
    ALL | {"power_losses": 1},
    ALL | {"disk_losses": 1},
    ONE | {"crashes": 1, "lost_responses": 1},
    ONE | {"leader_moves": 1, "crashes": 1},
    ONE | {"unclean": 1, "crashes": 1, "pauses": 1},
    ALL | {"unclean": 1, "crashes": 2},
    ALONE | {"power_losses": 1, "crashes": 1},
    ALONE | {"shutdowns": 1, "pauses": 1},
    ALONE | {"shutdowns": 2, "leader_moves": 1},
    ALONE | {"leader_moves": 2, "pauses": 1},
    ALONE | {"leader_moves": 2, "controller_changes": 1},
    ALONE | {"crashes": 2, "pauses": 1},
    ALL | {"retries": 1, "idempotence": 0},
    ALL | {"retries": 1, "idempotence": 1, "leader_moves": 1},
    ALL | {"idempotence": 1, "pipelined": 1, "retries": 1},
    ONE | {"acks": 0, "retries": 1},
    ALL | CONSUMER | {"commit": COMMIT_AFTER},
    ALL | CONSUMER | {"commit": COMMIT_BEFORE, "leader_moves": 1},
    ALL | CONSUMER | {"commit": COMMIT_AUTO},
    ALL | {"commit": COMMIT_BEFORE, "fetch_from_followers": 1, "leader_moves": 1},
    ALL | {"compacted": 1, "leader_moves": 1},
    ALL | {"power_losses": 1, "flush": 1},
)
"""For versions of Kafka, the smaller ones first by and large."""


def configurations_of(profile: Profile) -> tuple[Mapping[str, int], tuple[Mapping[str, int], ...]]:
    """The bounds and configurations for a profile: those above for a version of Kafka, the profile's defaults for another protocol."""
    known = {one.name for one in profile.state.settings}
    wanted = {name for chosen in CONFIGURATIONS for name in chosen}
    if wanted <= known and set(BOUNDS) <= set(profile.bound_names):
        return BOUNDS, CONFIGURATIONS
    return dict(profile.default_bounds), ({},)


def given_only(model: Model) -> tuple[Mapping[str, int], tuple[Mapping[str, int], ...]]:
    """The one configuration that a model is in."""
    return model.bounds, (dict(model.settings),)
