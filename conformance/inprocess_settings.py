"""A model's settings as the configuration of in-process brokers."""

from __future__ import annotations

from neverlost.model.core import Model
from neverlost.model.kafka.state import KIP_101, KIP_279, ON_FETCH, TO_HIGH_WATERMARK, Partition

from .adapter import AdapterError
from .inprocess.protocol import Protocol, TopicSettings, Truncation

TRUNCATIONS = {
    TO_HIGH_WATERMARK: Truncation.TO_HIGH_WATERMARK,
    KIP_101: Truncation.LAST_EPOCH,
    KIP_279: Truncation.SHARED_EPOCH,
    ON_FETCH: Truncation.ON_FETCH,
}

ALWAYS_SO = {"maximal_isr": True, "epoch_start_guard": True, "keeps_known_ends": False}
"""Settings of the model that show mistakes which the in-process brokers do not make."""


def protocol_of(model: Model) -> Protocol:
    """Brokers that behave as the model's settings say. Raises AdapterError for another model, or settings that they lack."""
    if model.profile.state is not Partition:
        raise AdapterError(
            f"{model.profile.name} is no model of a partition of Apache Kafka; choose one of kafka-0.8 and later"
        )
    settings = model.settings
    for name, value in ALWAYS_SO.items():
        if bool(settings[name]) != value:
            raise AdapterError(f"the in-process brokers are always with {name}={value}; leave that setting as it is")
    return Protocol(
        name=model.profile.name,
        truncation=TRUNCATIONS[settings["truncation"]],
        fences_fetches=bool(settings["fencing"]),
        asks_for_isr=bool(settings["isr_in_flight"]),
        rechecks_high_watermark=bool(settings["high_watermark_on_answer"]),
        refuses_fenced_members=bool(settings["isr_without_fenced"]),
        checks_broker_epochs=bool(settings["broker_epochs"]),
        strict_min_isr=bool(settings["strict_min_isr"]),
        eligible_leaders=bool(settings["elr"]),
    )


def topic_of(model: Model) -> TopicSettings:
    """The topic as the model's settings say."""
    settings = model.settings
    return TopicSettings(
        min_isr=settings["min_isr"],
        unclean_election=bool(settings["unclean"]),
        flush_every_record=bool(settings["flush"]),
    )
