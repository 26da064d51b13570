"""The dangers that an audit asks about: what may happen to a record, and the question to the model that decides it."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.explorer.answers.questions import Question
from neverlost.model.core import Model
from neverlost.spec.configuration import Deployment
from neverlost.spec.configuration.suspicions import MOST_REPLICAS
from neverlost.spec.kafka.replication.versions import version_named

from .faults import BROKER_FAULTS, SEVERAL, Faults, singles

BOUNDS = {"log_size": 2, "values": 2, "leader_epochs": 4}
LOST_RESPONSES, CONSUMER_CRASHES = "lost_responses", "consumer_crashes"


@dataclass(frozen=True, kw_only=True)
class Danger:
    """What may happen to a record. `concerns` says whose settings decide it: the "log", the "producer", or the "consumer".

    `otherwise` says what helps if no setting does.
    """

    property: str
    name: str
    what: str
    concerns: str
    otherwise: str = ""

    def with_faults(self, faults: Faults) -> str:
        """What happens, and with which faults: `an acknowledged record is lost, with 1 crash`."""
        return f"{self.what}, with {faults}"


DANGERS = (
    Danger(
        property="acked_never_lost",
        name="acknowledged, then lost",
        what="an acknowledged record is lost",
        concerns="log",
    ),
    Danger(
        property="committed_never_lost",
        name="read, then lost",
        what="a record that consumers have read is lost again",
        concerns="log",
    ),
    Danger(property="written_once", name="duplicated", what="a record is written twice", concerns="producer"),
    Danger(property="written_in_order", name="out of order", what="records change their order", concerns="producer"),
    Danger(
        property="consumed_never_skipped",
        name="skipped by the consumer",
        what="the consumer skips a record",
        concerns="consumer",
    ),
    Danger(
        property="consumed_never_repeated",
        name="processed twice",
        what="the consumer processes a record twice",
        concerns="consumer",
        otherwise="Process so that a repetition does no harm, or store offsets together with results.",
    ),
)


def dangers_of(deployment: Deployment) -> tuple[Danger, ...]:
    """The possible dangers: those of a consumer only if its configuration is given, those of the log alone if brokers write."""
    concerned = {"log"} if deployment.internal else {"log", "producer"}
    concerned |= {"consumer"} if deployment.settings["commit"] != "none" else set()
    return tuple(danger for danger in DANGERS if danger.concerns in concerned)


def promises_nothing(deployment: Deployment, danger: Danger) -> bool:
    """Whether a danger cannot happen only because nothing is ever acknowledged."""
    return danger.property == "acked_never_lost" and deployment.settings["acks"] == "0"


def usual_faults(deployment: Deployment, danger: Danger) -> tuple[Faults, ...]:
    """The default sets of faults to ask about, smaller ones first."""
    if danger.concerns == "consumer":
        return singles([CONSUMER_CRASHES])
    lost = [LOST_RESPONSES] if deployment.settings["acks"] == "1" else []
    return singles([*BROKER_FAULTS, *lost]) + (SEVERAL if danger.concerns == "log" else ())


def that_matter(deployment: Deployment, danger: Danger, faults: Faults) -> Faults:
    """The faults without those that make no difference: a consumer's crash for the log, and lost responses except with acks=1."""
    irrelevant = set()
    if danger.concerns != "consumer":
        irrelevant.add(CONSUMER_CRASHES)
    if deployment.settings["acks"] != "1":
        irrelevant.add(LOST_RESPONSES)
    return Faults(tuple(pair for pair in faults.counts if pair[0] not in irrelevant))


def model_of(deployment: Deployment, danger: Danger, faults: Faults) -> Model:
    """The deployment as a model with these faults.

    The consumer is left out if only the log counts, on which it has no influence (`model.core.influence`). With several faults
    retries are left out, because the model would be too large for an audit: the losses found then need only the first attempt.
    """
    profile = version_named(deployment.profile)
    chosen = dict(deployment.settings)
    if danger.concerns == "consumer" or (danger.concerns == "log" and faults.total > 1):
        chosen["retries"] = 0
    if danger.concerns != "consumer":
        chosen["commit"] = "none"
    replicas = min(deployment.replication_factor, MOST_REPLICAS)
    chosen["min_isr"] = min(int(chosen["min_isr"]), replicas)
    choices = {setting.name: setting.choices() for setting in profile.state.settings}
    values = {n: choices[n][value] if isinstance(value, str) else int(value) for n, value in chosen.items()}
    budgets = dict(that_matter(deployment, danger, faults).counts)
    return profile.bounded(**BOUNDS, **values, **budgets, replicas=replicas)


def question_of(deployment: Deployment, danger: Danger, faults: Faults) -> Question:
    """The question whether the danger cannot happen with these faults, and whether the bounds hide anything."""
    return Question(model=model_of(deployment, danger, faults), property=danger.property)
