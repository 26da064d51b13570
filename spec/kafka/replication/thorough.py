"""How far a thorough check goes beyond the bounds that were asked for."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.core import Model
from neverlost.model.kafka.replication.state import Partition

LONGER = {"log_size": 3, "values": 3}
MORE_REPLICAS = {"replicas": 5, "log_size": 1, "values": 1}


def larger(model: Model) -> Mapping[str, Model]:
    """The models that a thorough check explores as well: a longer log, one fault more of each kind asked for, more replicas.

    None for a model whose state is not this protocol's.
    """
    if model.profile.state is not Partition:
        return {}
    asked = {**model.bounds, **model.settings}
    changed: dict[str, dict[str, int]] = {"log 3, 3 values": {k: max(v, asked[k]) for k, v in LONGER.items()}}
    for name in (fault.name for fault in Partition.faults):
        if 0 < asked[name] < 3:
            changed[f"one more of {name}: {asked[name] + 1}"] = {
                name: asked[name] + 1,
                "leader_epochs": asked["leader_epochs"] + 1,
            }
    changed["5 replicas, log 1, 1 value"] = MORE_REPLICAS
    return {label: model.profile.bounded(**{**asked, **changes}) for label, changes in changed.items()}
