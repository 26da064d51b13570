"""A model's settings as a release of the in-process transactions."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.core import Model
from neverlost.model.kafka.transactions.state import MarkerCheck, Protocol, Transactions

from ..adapter import AdapterError
from ..inprocess.transactions.release import MarkerEpochs, Release

MARKERS: Mapping[int, MarkerEpochs] = {
    MarkerCheck.NOT_OLDER: MarkerEpochs.NOT_OLDER,
    MarkerCheck.NEWER: MarkerEpochs.NEWER,
    MarkerCheck.NEWER_OR_REPEATED: MarkerEpochs.NEWER_OR_REPEATED,
}


def release_of(model: Model) -> Release:
    """Brokers and producers with the behaviour of the model's settings. Raises AdapterError for another model.

    In three rules they do as the model and not as Kafka, which refuses more or asks less: sequences that ask are not compared, the
    first sequence that a partition knows may be any, and from 3.6 to 3.9 too an open transaction of another epoch spares no question.
    """
    if model.profile.state is not Transactions:
        raise AdapterError(
            f"{model.profile.name} is not a model of transactions; choose kafka-transactions-0.11 or later"
        )
    settings = model.settings
    if settings["lost_markers"] and settings["coordinator_moves"]:
        raise AdapterError(
            "the model lets a partition that loses a marker forget all epochs of coordinators, and brokers know that of the marker"
            " before; leave out lost markers or moves of the coordinator"
        )

    def version(name: str) -> int:
        return 2 if settings[name] == Protocol.TV2 else 0

    return Release(
        name=model.profile.name,
        transaction_version=version("server"),
        client_version=version("client"),
        verifies=bool(settings["verification"]),
        asks_by_epoch=bool(settings["verification"]) or version("server") == 2,
        compares_first=bool(settings["compares_first"]),
        takes_any_first_sequence=True,
        fence_raises_twice=bool(settings["fence_bumps_twice"]),
        marker_epochs=MARKERS[MarkerCheck(settings["marker_check"])],
        markers_have_version=not settings["mixed_brokers"],
        producer_bumps=bool(settings["client_bumps"]),
        timeout_fences=bool(settings["timeout_fences"]),
        reads_above_stable=bool(settings["reads_above_stable"]),
    )
