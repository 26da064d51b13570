"""What a protocol family has an audit ask of a deployment: dangers, faults, the model that decides, and the changes that may help."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from neverlost.model.core import Budget, Model

from .configuration import Deployment, SourcedValue
from .configuration.version_choice import ChosenVersion
from .faults import Faults

VERSION = "version"
"""The key of a change to another release."""


@dataclass(frozen=True, kw_only=True)
class Danger:
    """What may happen. `concerns` says whose settings decide it, and so which changes may help.

    A danger that is `basic` is asked about with all faults together, and the others then with single ones where it happens.
    `otherwise` says what helps if no setting does.
    """

    property: str
    name: str
    what: str
    concerns: str
    basic: bool = False
    otherwise: str = ""

    def with_faults(self, faults: Faults) -> str:
        """What happens, and with which faults: `an acknowledged record is lost, with 1 crash`."""
        return f"{self.what}, with {faults}"


@dataclass(frozen=True, kw_only=True)
class ConfigurationChange:
    """One value to change; the key "version" is the version of Kafka. `cost` orders the changes: cheap ones come first.

    One that `helps` against a setting alone is tried only where it is on.
    """

    key: str
    value: str
    cost: int
    helps: str = ""


class Exposure(ABC):
    """What a family has an audit ask.

    `changes` are those to try, by what a danger concerns; another release is tried for those in `upgrades`. `together` are changes to
    try among them, before all pairs, of which one alone brings another danger. `events` are the faults of the events that operators
    name, `unusual` the faults that a deployment need not survive unless that is said. `assumes` are the clauses that every verdict that
    holds rests on.
    """

    dangers: ClassVar[tuple[Danger, ...]]
    faults: ClassVar[tuple[Budget, ...]]
    changes: ClassVar[Mapping[str, tuple[ConfigurationChange, ...]]]
    upgrades: ClassVar[tuple[str, ...]] = ()
    events: ClassVar[Mapping[str, Mapping[str, int]]] = {}
    unusual: ClassVar[tuple[str, ...]] = ()
    assumes: ClassVar[tuple[str, ...]]
    together: ClassVar[Mapping[str, tuple[tuple[ConfigurationChange, ...], ...]]] = {}

    def settings(self, sources: Mapping[str, SourcedValue], chosen: ChosenVersion) -> Mapping[str, str | int | bool]:
        """What of the files decides, beside the settings that every deployment has; under names that no other family has."""
        return {}

    def dangers_of(self, deployment: Deployment) -> tuple[Danger, ...]:
        """The dangers that are possible."""
        return self.dangers

    def promises_nothing(self, deployment: Deployment, danger: Danger) -> bool:
        """Whether a danger cannot happen only because nothing is ever acknowledged."""
        return False

    def rests_on(self, deployment: Deployment, danger: Danger) -> tuple[str, ...]:
        """The clauses that a verdict rests on that holds for this danger."""
        return self.assumes

    @abstractmethod
    def usual_faults(self, deployment: Deployment, danger: Danger) -> tuple[Faults, ...]:
        """The default sets of faults to ask about, smaller ones first."""

    @abstractmethod
    def that_matter(self, deployment: Deployment, danger: Danger, faults: Faults) -> Faults:
        """The faults of this family, without those that make no difference."""

    @abstractmethod
    def model_of(self, deployment: Deployment, danger: Danger, faults: Faults) -> Model:
        """The deployment as a model with these faults."""

    @abstractmethod
    def searched(self, deployment: Deployment) -> str:
        """Which model, within which bounds: `kafka-4.1 with 3 replicas, 2 records, 4 leader epochs`."""

    def coincidences(self, before: Any, after: Any, action: str, named: Mapping[str, str]) -> Iterator[str]:
        """What of a step, beside the fault that it is, has to come together for a story: a broker that cuts its log."""
        yield from ()
