"""A model's settings as a release of the in-process groups, and as what the application has set."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.core import Model
from neverlost.model.kafka.groups.state import Commit, Group, Protocol, Reset

from ..adapter import AdapterError
from ..inprocess.groups import consumer
from ..inprocess.groups.release import Expiry, Release

RESETS: Mapping[int, consumer.Reset] = {
    Reset.EARLIEST: consumer.Reset.EARLIEST,
    Reset.LATEST: consumer.Reset.LATEST,
    Reset.NONE: consumer.Reset.NONE,
}
AUTOMATIC = (Commit.AUTO, Commit.AUTO_THREADS)

TOO_SIMPLE: Mapping[tuple[str, str], str] = {
    ("truncations", "removals"): "the model does not have the epochs that retention removes (KAFKA-19902)",
    ("truncations", "rollbacks"): "the model has no epoch of the commit before the last",
    ("truncations", "coordinator_moves"): "the model has no epoch of the commit before the last",
    (
        "commit_failures",
        "rollbacks",
    ): "the model has one commit before the last, also where several were written and failed",
}
"""Budgets that do not go together here."""


def release_of(model: Model) -> Release:
    """A coordinator and consumers with the behaviour of the model's settings. Raises AdapterError for another model, or for settings in
    which the model is simpler than Kafka.

    In three rules they do as the model: a position has an epoch wherever it comes from, the first assignment comes with the second
    heartbeat, and a member's epoch stays while it gives up more.
    """
    if model.profile.state is not Group:
        raise AdapterError(f"{model.profile.name} is not a model of groups; choose kafka-groups-0.9.0.0 or later")
    settings = model.settings
    for (one, other), why in TOO_SIMPLE.items():
        if settings[one] and settings[other]:
            raise AdapterError(f"{why}; leave out {one} or {other}")
    if settings["truncations"] and settings["commit"] in AUTOMATIC and not settings["commits_epoch"]:
        raise AdapterError(
            "an automatic commit has an epoch; choose another way to commit, commits with epochs, or leave out truncations"
        )
    if settings["truncations"] and settings["checks_epoch"] and settings["reset"] == Reset.NONE:
        raise AdapterError(
            "a consumer that is not to reset its position fails when it notices a truncation, and in the model it only loses the"
            " partition; choose another reset, or leave out truncations"
        )
    if settings["reset"] == Reset.NONE and settings["protocol"] != Protocol.EAGER:
        raise AdapterError(
            "a partition without a place to begin is its member's all the same, which the model does not have; choose another reset"
        )
    expiry = Expiry.EMPTY
    if settings["expires_in_use"]:
        expiry = Expiry.BY_COMMIT
    elif settings["expires_in_rebalance"]:
        expiry = Expiry.EMPTY_OR_NOT_SUBSCRIBED
    return Release(
        name=model.profile.name,
        expiry=expiry,
        loads_first_part_only=bool(settings["loads_old"] or settings["loads_to_high_watermark"]),
        knows_every_epoch=True,
        replays_writes=bool(settings["counts_refused"]),
        checks_epochs=bool(settings["checks_epoch"]),
        names_generation=not settings["rejoins_quietly"],
        polls_in_rebalance=bool(settings["reads_in_rebalance"]),
        ignores_old_generations=bool(settings["ignores_old_claims"]),
        commits_before_revoking=not settings["reads_while_revoking"],
        epoch_of_partition=bool(settings["epoch_per_partition"]),
        resets_unfetched=bool(settings["resets_unfetched"]),
        raises_epoch_while_revoking=False,
        assigns_when_joining=False,
    )
