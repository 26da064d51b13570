"""Topics that brokers write to for another family: what of them a single fault may lose.

The coordinator of transactions and that of groups keep their decisions in such a topic. They count them as written as with acks=all,
unless offsets.commit.required.acks says otherwise, to 3.9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neverlost.model.core import Model
from neverlost.spec.configuration.suspicions import MOST_REPLICAS
from neverlost.spec.exposure import Danger
from neverlost.spec.inquiry import Ask, words_of

from .differences import TIME_LINE
from .exposure import BOUNDS, BROKER_FAULTS, ReplicationExposure
from .versions import version_named

LOST = "acked_never_lost"


@dataclass(frozen=True, kw_only=True)
class TopicBelow:
    """A topic of the brokers. `elr`: are eligible leader replicas on? None if the release has none. `acks`: as of a producer."""

    release: str
    mode: str
    replicas: int
    min_isr: int
    unclean: bool
    elr: bool | None = None
    acks: str = "all"

    def model(self, counts: Mapping[str, int]) -> Model:
        """The topic as the replication family has it, with these faults."""
        profile = version_named(TIME_LINE.version_name(self.release, self.mode))
        replicas = min(self.replicas, MOST_REPLICAS)
        settings = {setting.name: setting.choices() for setting in profile.state.settings}
        chosen = {
            "acks": settings["acks"][self.acks],
            "min_isr": min(self.min_isr, replicas),
            "unclean": int(self.unclean),
        }
        if self.elr is not None:
            chosen["elr"] = int(self.elr)
        return profile.bounded(**BOUNDS, **chosen, **counts, replicas=replicas)

    def asks(self, danger: Danger, *, usual: bool) -> tuple[Ask, ...]:
        """Whether any single fault of brokers loses what the topic has acknowledged."""
        singles = [{}, *({name: 1} for name in BROKER_FAULTS)]
        return tuple(
            Ask(
                danger=danger,
                model=self.model(counts),
                counts=counts,
                with_what=words_of(ReplicationExposure.faults, counts),
                usual=usual,
            )
            for counts in singles
        )
