"""A model's settings as the configuration of in-process brokers."""

from __future__ import annotations

from dataclasses import fields

from neverlost.model.core import Model
from neverlost.model.kafka.replication.state import (
    EVERY_SHRINK,
    KIP_101,
    KIP_279,
    NO_SHRINK,
    ON_FETCH,
    SHRINK_BY_CONTROLLER,
    TO_HIGH_WATERMARK,
    LostDecision,
    Partition,
    ProducerEpoch,
    Replica,
)

from ..adapter import AdapterError
from ..inprocess.protocol import EpochPerShrink, Protocol, TopicSettings, Truncation

TRUNCATIONS = {
    TO_HIGH_WATERMARK: Truncation.TO_HIGH_WATERMARK,
    KIP_101: Truncation.LAST_EPOCH,
    KIP_279: Truncation.SHARED_EPOCH,
    ON_FETCH: Truncation.ON_FETCH,
}

SHRINKS = {
    NO_SHRINK: EpochPerShrink.NONE,
    SHRINK_BY_CONTROLLER: EpochPerShrink.OF_THE_CONTROLLER,
    EVERY_SHRINK: EpochPerShrink.EVERY,
}

CALLED = {
    "fences_fetches": "fencing",
    "asks_for_isr": "isr_in_flight",
    "rechecks_high_watermark": "high_watermark_on_answer",
    "refuses_fenced_members": "isr_without_fenced",
    "checks_broker_epochs": "broker_epochs",
    "eligible_leaders": "elr",
    "guards_epoch_start": "epoch_start_guard",
}
"""The switches of the brokers that have another name in the model. All others have the same name in both."""

ALWAYS_SO = {"maximal_isr": True, "compacted": False, "fetch_from_followers": False}
"""Settings of the model for mistakes that the in-process brokers do not make, or for features that they lack."""


def protocol_of(model: Model) -> Protocol:
    """Brokers with the behaviour of the model's settings. Raises AdapterError for another model, or for settings that they lack."""
    if model.profile.state is not Partition:
        raise AdapterError(
            f"{model.profile.name} is not a model of a partition of Apache Kafka; choose kafka-0.8 or later"
        )
    if LostDecision.size(model.bounds):
        raise AdapterError("the in-process controller loses no decision; leave lost_decisions at 0")
    if ProducerEpoch.size(model.bounds) and Replica.size(model.bounds) == 1:
        raise AdapterError("the in-process brokers do not hear that there is no leader; choose more replicas")
    settings = model.settings
    for name, value in ALWAYS_SO.items():
        if bool(settings[name]) != value:
            raise AdapterError(f"the in-process brokers always have {name}={value}; leave this setting unchanged")
    names = {
        field.name: CALLED.get(field.name, field.name) for field in fields(Protocol) if isinstance(field.default, bool)
    }
    switches = {own: bool(settings[name]) for own, name in names.items() if name in settings}
    return Protocol(
        name=model.profile.name,
        truncation=TRUNCATIONS[settings["truncation"]],
        epoch_per_shrink=SHRINKS[settings["epoch_per_shrink"]],
        **switches,
    )


def topic_of(model: Model) -> TopicSettings:
    """The topic with the model's settings."""
    settings = model.settings
    return TopicSettings(
        min_isr=settings["min_isr"],
        unclean_election=bool(settings["unclean"]),
        flush_every_record=bool(settings["flush"]),
        replicas_of_first=1 if settings["lone_first_partition"] else None,
    )
