"""The dangers that an audit asks about, of every protocol family: each family says what it asks of a deployment."""

from __future__ import annotations

from itertools import chain

from neverlost.explorer.answers.questions import Question
from neverlost.model.core import Model
from neverlost.spec.configuration import Deployment
from neverlost.spec.exposure import Danger, Exposure
from neverlost.spec.families import exposures
from neverlost.spec.faults import Faults

_ASKED_BY = {danger: exposure for exposure in exposures().values() for danger in exposure.dangers}
DANGERS = tuple(_ASKED_BY)


def exposure_of(danger: Danger) -> Exposure:
    """What the family of a danger asks."""
    return _ASKED_BY[danger]


def dangers_of(deployment: Deployment) -> tuple[Danger, ...]:
    """The possible dangers."""
    return tuple(chain(*(exposure.dangers_of(deployment) for exposure in exposures().values())))


def promises_nothing(deployment: Deployment, danger: Danger) -> bool:
    """Whether a danger cannot happen only because nothing is ever acknowledged."""
    return exposure_of(danger).promises_nothing(deployment, danger)


def rests_on(deployment: Deployment, danger: Danger) -> tuple[str, ...]:
    """The clauses that a verdict rests on that holds for a danger."""
    return exposure_of(danger).rests_on(deployment, danger)


def that_matter(deployment: Deployment, danger: Danger, faults: Faults) -> Faults:
    """The faults without those that make no difference to a danger."""
    return exposure_of(danger).that_matter(deployment, danger, faults)


def model_of(deployment: Deployment, danger: Danger, faults: Faults) -> Model:
    """The deployment as a model with these faults."""
    return exposure_of(danger).model_of(deployment, danger, faults)


def question_of(deployment: Deployment, danger: Danger, faults: Faults) -> Question:
    """The question whether the danger cannot happen with these faults, and whether the bounds hide anything."""
    return Question(model=model_of(deployment, danger, faults), property=danger.property)
