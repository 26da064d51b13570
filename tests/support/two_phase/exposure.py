"""What an audit asks about two-phase commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from neverlost.model.core import Model
from neverlost.spec.configuration import Deployment, SourcedValue
from neverlost.spec.configuration.version_choice import ChosenVersion
from neverlost.spec.exposure import ConfigurationChange, Danger, Exposure
from neverlost.spec.faults import Faults, singles

from .model import TwoPhaseCommit
from .versions import TIME_LINE, VERSIONS

CRASHES = "coordinator_crashes"


class TwoPhaseExposure(Exposure):
    """A record on one partition only."""

    dangers = (
        Danger(
            property="committed_on_both",
            name="committed by half",
            what="a record is committed on one partition and aborted on the other",
            concerns="coordinator",
            basic=True,
        ),
    )
    faults = TwoPhaseCommit.faults
    changes: ClassVar[Mapping[str, tuple[ConfigurationChange, ...]]] = {"coordinator": ()}
    upgrades = ("coordinator",)
    events: ClassVar[Mapping[str, Mapping[str, int]]] = {"pod-kill": {CRASHES: 1}}
    assumes = ("no partition forgets what it promised",)

    def settings(self, sources: Mapping[str, SourcedValue], chosen: ChosenVersion) -> Mapping[str, str | int | bool]:
        """A coordinator with other brokers to wait for may give up."""
        return {"gives_up": sources["replication.factor"].value != "1"}

    def usual_faults(self, deployment: Deployment, danger: Danger) -> tuple[Faults, ...]:
        return singles([CRASHES])

    def that_matter(self, deployment: Deployment, danger: Danger, faults: Faults) -> Faults:
        return Faults(tuple(pair for pair in faults.counts if pair[0] == CRASHES))

    def model_of(self, deployment: Deployment, danger: Danger, faults: Faults) -> Model:
        chosen = deployment.reading.chosen
        name = TIME_LINE.version_name(chosen.release, chosen.mode)
        version = next(version for version in VERSIONS if version.name == name)
        return version.bounded(gives_up=int(deployment.settings["gives_up"]), **dict(faults.counts))

    def searched(self, deployment: Deployment) -> str:
        return "two-phase commit over two partitions"


EXPOSURE = TwoPhaseExposure()
