"""What an audit asks of a partition: is a record lost, written twice, out of order, or skipped or repeated by the consumer?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import ClassVar

from neverlost.model.core import Model
from neverlost.model.kafka.replication.state import BROKER, Delay, LostDecision, Partition
from neverlost.spec.bugs import assumed_in
from neverlost.spec.configuration import Deployment
from neverlost.spec.configuration.clients import IN_FLIGHT, Client
from neverlost.spec.configuration.producer_rules import RENUMBERS_SINCE
from neverlost.spec.configuration.readings import CLIENT, OTHER_JAVA, Reading
from neverlost.spec.configuration.suspicions import MOST_REPLICAS
from neverlost.spec.configuration.versions import at_least, releases_of
from neverlost.spec.exposure import ConfigurationChange, Danger, Exposure
from neverlost.spec.faults import Faults, singles
from neverlost.spec.kafka.releases import RELEASES, ZOOKEEPER, span_of

from .versions import version_named

BOUNDS = {"log_size": 2, "values": 2, "leader_epochs": 4}
NUMBERING_ANEW = {"producer_epochs": 2}
"""One epoch changes the order. With two, a record that was written is written again after the one before it was given up: a log of
three records, which the other way needs, has far more states."""
LOST_RESPONSES, CONSUMER_CRASHES = "lost_responses", "consumer_crashes"
BROKER_FAULTS = tuple(fault.name for fault in Partition.faults if fault.whose == BROKER)
SEVERAL = (
    {"crashes": 2},
    {"crashes": 1, "leader_moves": 1},
    {"crashes": 1, "power_losses": 1},
    {"power_losses": 2},
    {"leader_moves": 2},
    {"leader_moves": 3},
    {"leader_moves": 1, "shutdowns": 2},
)
"""Several faults in one run: the most common combinations whose models are small enough for an audit, and everyday work.

Three leader moves are among them because nothing fails then, but released versions still lose acknowledged records.
"""
HEARS = ("become_leader", "become_follower")
CHOICES = {setting.name: setting.choices() for setting in Partition.settings}
"""The values of every setting, by their words."""

ALL = ConfigurationChange(key="acks", value="all", cost=2)
IDEMPOTENT = ConfigurationChange(key="enable.idempotence", value="true", cost=1)
ONE_REQUEST = ConfigurationChange(key=IN_FLIGHT, value="1", cost=4)

NONE_REFUSED = "no record is refused for good while an earlier one waits for its answer (KAFKA-14034)"
"""What an idempotent Java producer needs so that nothing is written twice: TransactionManager.handleFailedBatch begins a new epoch."""
NONE_GIVEN_UP = "no broker writes a request that its producer has given up"
SINCE_ALIKE = "3.2.0"
"""Java's clients have the same defaults from here on."""
NO_CONTROLLER = "no broker that crashes or loses power is the controller"


def _may_renumber(deployment: Deployment) -> bool:
    """Whether the producer may be one that gives records that are not answered new numbers, by any reading with the same answers."""
    settings = deployment.settings
    if not (settings["idempotence"] and settings["pipelined"] and settings["retries"]):
        return False
    return any(
        at_least(reading.java, RENUMBERS_SINCE) and _sends_as_java(reading.clients.get("producer"))
        for reading in (deployment.reading, *deployment.alike)
    )


def _numbers_anew(deployment: Deployment, danger: Danger) -> bool:
    """Whether the producer may begin further epochs, and the danger depends on them: they lose nothing."""
    return bool(deployment.settings.get("renumbers")) and danger.property in ("written_once", "written_in_order")


def _of_flushes(deployment: Deployment) -> Iterator[str]:
    """What a flush before each acknowledgement rests on: UnifiedLog.flush syncs the folder of a segment from 3.0 on."""
    if deployment.settings["flush"]:
        yield "no leader loses power after it was killed with an unflushed record that it alone had"
        yield "what was flushed is there after a power loss" + (
            ""
            if at_least(deployment.version, "3.0")
            else ", also in a new file, whose folder Kafka does not sync (KAFKA-3968)"
        )


def _of_producers(deployment: Deployment, danger: Danger) -> Iterator[str]:
    """What a verdict about duplicates or the order rests on: an idempotent Java producer may give records new numbers.

    A request that was given up may be written later, and only of an idempotent producer a partition refuses it then.
    """
    if danger.property == "written_once" and _may_renumber(deployment):
        yield NONE_REFUSED
    if danger.property == "written_in_order" and not deployment.settings["idempotence"]:
        yield NONE_GIVEN_UP


def _of_bugs(deployment: Deployment, danger: Danger) -> tuple[str, ...]:
    """What a verdict assumes of bugs that the model does not have: of the brokers', and for duplicates of the Java client's."""
    package = __name__.rpartition(".")[0]
    readings = (deployment.reading, *deployment.alike)
    brokers = {release for reading in readings for release in span_of(reading.chosen.release, reading.chosen.until)}
    java = {
        release
        for reading in readings
        if _sends_as_java(reading.clients.get("producer"))
        for release in _java_releases(deployment, reading)
    }
    of_client = assumed_in(package, java, of_client=True) if danger.property == "written_once" else ()
    return (*assumed_in(package, brokers, about=danger.property), *of_client)


def _java_releases(deployment: Deployment, reading: Reading) -> Iterable[str]:
    """The releases that a reading's Java client may be of: what it has logged, or what is said of it.

    Else it may be of the brokers' release, or of any from 3.2 on: these do the same, so they are no readings of their own.
    """
    logged = {file.client_release for file in deployment.files if file.role == "producer" and file.client_release}
    others = OTHER_JAVA.get(reading.assumed.get(CLIENT, "") or reading.open.get(CLIENT, ""))
    if logged:
        return logged
    if others is not None:
        return span_of(releases_of(others[0][0])[0], releases_of(others[-1][0])[-1])
    client = reading.clients.get("producer")
    known = CLIENT in reading.assumed or (client is not None and client.java is not None)
    return {reading.java_release} if known else {reading.java_release, *span_of(SINCE_ALIKE, RELEASES[-1])}


def _sends_as_java(client: Client | None) -> bool:
    return client is None or client.java is not None or "producer" not in client.defaults


@lru_cache(maxsize=512)
def _bounded(version: str, values: frozenset[tuple[str, int]]) -> Model:
    """The model of a version. An audit asks about each several times: for several dangers, readings and remedies."""
    return version_named(version).bounded(**dict(values))


class ReplicationExposure(Exposure):
    """The dangers of the log, of the producer, and of the consumer."""

    dangers = (
        Danger(
            property="acked_never_lost",
            name="acknowledged, then lost",
            what="an acknowledged record is lost",
            concerns="log",
            basic=True,
        ),
        Danger(
            property="committed_never_lost",
            name="read, then lost",
            what="a record that consumers have read is lost again",
            concerns="log",
            basic=True,
        ),
        Danger(
            property="written_once",
            name="duplicated",
            what="a record is written twice",
            concerns="producer",
        ),
        Danger(
            property="written_in_order",
            name="out of order",
            what="records change their order",
            concerns="producer",
        ),
        Danger(
            property="consumed_never_skipped",
            name="skipped, no rebalance",
            what="the consumer skips a record",
            concerns="consumer",
        ),
        Danger(
            property="consumed_never_repeated",
            name="repeated, no rebalance",
            what="the consumer processes a record twice",
            concerns="consumer",
            otherwise="Process so that a repetition does no harm, or store offsets together with results.",
        ),
    )
    faults = Partition.faults
    changes: ClassVar[Mapping[str, tuple[ConfigurationChange, ...]]] = {
        "log": (
            ConfigurationChange(key="unclean.leader.election.enable", value="false", cost=1),
            ALL,
            ConfigurationChange(key=IN_FLIGHT, value="1", cost=2, helps="acks_earlier"),
            ConfigurationChange(key="eligible.leader.replicas.version", value="1", cost=3),
            ConfigurationChange(key="min.insync.replicas", value="2", cost=4),
            ConfigurationChange(key="replication.factor", value="3", cost=8),
            ConfigurationChange(key="flush.messages", value="1", cost=12),
        ),
        "producer": (
            IDEMPOTENT,
            ALL,
            ONE_REQUEST,
            ConfigurationChange(key="retries", value="0", cost=40),
        ),
        "consumer": (ConfigurationChange(key="enable.auto.commit", value="false", cost=1),),
    }
    together: ClassVar[Mapping[str, tuple[tuple[ConfigurationChange, ...], ...]]] = {
        "log": ((ALL, IDEMPOTENT), (ALL, ONE_REQUEST), (ALL, IDEMPOTENT, ONE_REQUEST)),
        "producer": ((IDEMPOTENT, ONE_REQUEST), (ALL, ONE_REQUEST), (ALL, IDEMPOTENT, ONE_REQUEST)),
    }
    upgrades = ("log", "producer")
    events: ClassVar[Mapping[str, Mapping[str, int]]] = {
        "pod-kill": {"crashes": 1},
        "node-loss": {"power_losses": 1},
        "disk-loss": {"disk_losses": 1},
        "az-loss": {"power_losses": 1},
        "slow-broker": {"pauses": 1},
        "preferred-election": {"leader_moves": 1},
        "planned-reassignment": {"leader_moves": 2},
        "rolling-restart": {"leader_moves": 1, "shutdowns": 2},
    }
    unusual = (CONSUMER_CRASHES,)
    assumes = (Delay.absent, LostDecision.absent)

    def dangers_of(self, deployment: Deployment) -> tuple[Danger, ...]:
        """Those of a consumer only if its configuration is given, those of the log alone if brokers write."""
        concerned = {"log"} if deployment.internal else {"log", "producer"}
        concerned |= {"consumer"} if deployment.settings["commit"] != "none" else set()
        return tuple(danger for danger in self.dangers if danger.concerns in concerned)

    def promises_nothing(self, deployment: Deployment, danger: Danger) -> bool:
        return danger.property == "acked_never_lost" and deployment.settings["acks"] == "0"

    def rests_on(self, deployment: Deployment, danger: Danger) -> tuple[str, ...]:
        """For duplicates and the order also that the producer does not do what the model's does not.

        With ZooKeeper the controller is one of the brokers: when it fails, what it had not sent yet is lost.
        """
        of_mode = (NO_CONTROLLER,) if deployment.mode == ZOOKEEPER else ()
        of_bugs = _of_bugs(deployment, danger)
        return (*self.assumes, *of_mode, *_of_flushes(deployment), *_of_producers(deployment, danger), *of_bugs)

    def usual_faults(self, deployment: Deployment, danger: Danger) -> tuple[Faults, ...]:
        if danger.concerns == "consumer":
            return singles([CONSUMER_CRASHES])
        lost = [LOST_RESPONSES] if deployment.settings["acks"] == "1" else []
        several = map(Faults.of, SEVERAL if danger.concerns == "log" else ())
        return (*singles([*BROKER_FAULTS, *lost]), *several)

    def that_matter(self, deployment: Deployment, danger: Danger, faults: Faults) -> Faults:
        """Without a consumer's crash for the log, and without lost responses except with acks=1."""
        relevant = {fault.name for fault in self.faults}
        if danger.concerns != "consumer":
            relevant.discard(CONSUMER_CRASHES)
        if deployment.settings["acks"] != "1":
            relevant.discard(LOST_RESPONSES)
        return Faults(tuple(pair for pair in faults.counts if pair[0] in relevant))

    def model_of(self, deployment: Deployment, danger: Danger, faults: Faults) -> Model:
        """The deployment as a model with these faults.

        The consumer is left out if only the log counts, on which it has no influence (`model.core.influence`). With several faults
        retries are left out, because the model would be too large for an audit: the losses found then need only the first attempt.
        With ZooKeeper the controller is one of the brokers, so a rolling restart ends it too.
        """
        chosen = dict(deployment.settings)
        if danger.concerns == "consumer" or (danger.concerns == "log" and faults.total > 1):
            chosen["retries"] = 0
        if danger.concerns != "consumer":
            chosen["commit"] = "none"
        anew = NUMBERING_ANEW if _numbers_anew(deployment, danger) else {}
        replicas = min(deployment.replication_factor, MOST_REPLICAS)
        chosen["min_isr"] = min(int(chosen["min_isr"]), replicas)
        values = {
            name: CHOICES[name][value] if isinstance(value, str) else int(value)
            for name, value in chosen.items()
            if name in CHOICES
        }
        budgets = dict(self.that_matter(deployment, danger, faults).counts)
        if deployment.mode == ZOOKEEPER and budgets.get("shutdowns", 0) > 1:
            budgets["controller_changes"] = 1
        return _bounded(
            deployment.profile, frozenset({**BOUNDS, **anew, **values, **budgets, "replicas": replicas}.items())
        )

    def searched(self, deployment: Deployment) -> str:
        replicas = min(deployment.replication_factor, MOST_REPLICAS)
        bounds = f"{BOUNDS['values']} records, {BOUNDS['leader_epochs']} leader epochs"
        retries = ", one retry (none where several faults may lose records)" if deployment.settings["retries"] else ""
        return (
            f"{deployment.profile} with {replicas} replica{'' if replicas == 1 else 's'}, {bounds}{retries}, which may do more than"
            " brokers were seen to do"
        )

    def coincidences(self, before: Partition, after: Partition, action: str, named: Mapping[str, str]) -> Iterator[str]:
        """Each fault, each broker that hears of an epoch late, leaves the ISR, or cuts its log."""
        for fault in self.faults:
            if getattr(after, fault.counter, 0) < getattr(before, fault.counter, 0):
                whose = named.get("replica") or (named.get("leader") if fault.name != "leader_moves" else None)
                to = f" to {named['successor']}" if fault.name == "leader_moves" and "successor" in named else ""
                yield f"a {fault.singular}{f' of {whose}' if whose else ''}{to}"
        if action in HEARS and int(named["epoch"]) < before.newest_epoch:
            yield f"{named['replica']} hears of epoch {named['epoch']} after epoch {before.newest_epoch} has begun"
        if action == "shrink_isr":
            yield f"{named['follower']} falls out of the ISR"
        if action in ("fetch", *HEARS):
            for replica, (old, new) in enumerate(zip(before.log_end, after.log_end, strict=True), start=1):
                if new < old:
                    yield f"r{replica} cuts its log"


EXPOSURE = ReplicationExposure()
