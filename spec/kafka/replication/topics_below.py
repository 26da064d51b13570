"""Topics that brokers write to for another family: what of them the faults of brokers may lose.

The coordinator of transactions and that of groups keep their decisions in such a topic. It is audited as any topic of a cluster's own
is: as files describe it, or else as brokers create it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from neverlost.spec.bugs import assumed_in
from neverlost.spec.configuration import (
    ConfigurationError,
    ConfigurationFile,
    Deployment,
    Notice,
    Reading,
    SourcedValue,
)
from neverlost.spec.configuration.configuration_file import ConfigEntry, entries_of
from neverlost.spec.configuration.controllers import controls_only
from neverlost.spec.configuration.defaults import configuration_key
from neverlost.spec.configuration.deployment import deployment_after, deployment_of
from neverlost.spec.configuration.features import ELR_KEY, rules_out
from neverlost.spec.configuration.forms.describe import FEATURES
from neverlost.spec.configuration.in_force import in_force
from neverlost.spec.configuration.readings import ELR, LEVELS, OFF, ON, ZONES
from neverlost.spec.configuration.tolerance import as_placed
from neverlost.spec.configuration.topics import TopicClass
from neverlost.spec.configuration.version_choice import ChosenVersion, chosen
from neverlost.spec.exposure import Danger
from neverlost.spec.faults import Faults, maximal, singles
from neverlost.spec.inquiry import Ask, Case, Named, OpenPoint, Read

from .differences import TIME_LINE
from .exposure import BROKER_FAULTS, EXPOSURE

LOST = "acked_never_lost"
REPLICATION_FACTOR, MIN_ISR = "replication.factor", "min.insync.replicas"


OF_ELR = OpenPoint(
    name=ELR,
    about="whether eligible leader replicas are on",
    ways={ON: "eligible leader replicas on", OFF: "eligible leader replicas off"},
)


def elr_levels(files: Sequence[ConfigurationFile], version: str) -> list[bool | None]:
    """Whether eligible leader replicas are on, the default first; None where the release does not have them."""
    level = in_force(configuration_key("broker", ELR_KEY), files, version)
    if level is None:
        return [None]
    if rules_out(ELR_KEY, entries_of(files, "broker")):
        return [False]
    if level.file is not None:
        return [level.value == LEVELS[ON]]
    return [level.value == LEVELS[ON], level.value != LEVELS[ON]]


@dataclass(frozen=True, kw_only=True)
class TopicBelow:
    """A topic of the brokers. `made` is what it amounts to, None if that cannot be audited. `unknown` says what is not known of it."""

    name: str
    made: Deployment | None
    unknown: str = ""

    @property
    def behaviour(self) -> object:
        """What decides: topics that are equal in it have the same answers."""
        return (
            self.unknown
            if self.made is None
            else (self.made.behaviour, *self.made.replicas_taken.values(), self.unknown)
        )

    @property
    def replicas(self) -> int:
        """How many replicas a partition has; 0 if that is not known."""
        return 0 if self.made is None else self.made.replication_factor

    @property
    def min_isr(self) -> int:
        """How many of them must be in sync."""
        return 0 if self.made is None else int(self.made.settings["min_isr"])

    @property
    def elr(self) -> bool | None:
        """Are eligible leader replicas on? None if the release has none."""
        source = None if self.made is None else self.made.sources.get(ELR_KEY)
        return None if source is None else source.value == LEVELS[ON]

    def after(self, changes: Mapping[str, str]) -> TopicBelow | None:
        """The topic with other values, by key; None if Kafka refuses them."""
        if self.made is None:
            return None
        try:
            return replace(self, made=deployment_after(self.made, changes, self.made.release))
        except ConfigurationError:
            return None

    def upgraded(self, release: str) -> TopicBelow | None:
        """The topic under another release; what is upgraded has no eligible leader replicas until they are turned on."""
        if self.made is None:
            return None
        before, later = self.made.reading, chosen(release, self.made.mode)
        level = LEVELS[ON if self.elr else OFF]
        reading = replace(before, chosen=later, java=later.version, java_release=later.release, elr=level)
        topics = TopicClass(names=self.made.topics, files=self.made.files)
        try:
            return replace(self, made=deployment_of(topics, reading, {}, upgrades=True))
        except ConfigurationError:
            return None

    def asks(self, danger: Danger, survived: Sequence[Named], *, usual: bool) -> tuple[Ask, ...]:
        """Whether a single fault of brokers loses what the topic has acknowledged, or what topics should survive does."""
        if self.made is None:
            return ()
        found = [self._ask(danger, faults, usual=usual) for faults in singles(BROKER_FAULTS)]
        names = self.several(danger, survived)
        largest = maximal(names.values()) if not self.unknown else []
        for faults in dict.fromkeys(largest):
            known = [name for name, own in names.items() if own == faults and name != str(faults)]
            ask = self._ask(danger, faults, usual=usual)
            words = f"{faults} ({', '.join(known)})" if known else str(faults)
            found.append(replace(ask, with_what=words, several=True))
        return tuple(found)

    def several(self, danger: Danger, survived: Sequence[Named]) -> dict[str, Faults]:
        """What topics should survive that is several faults of the brokers that have this one, by its name."""
        if self.made is None:
            return {}
        replicas = self.made.replicas_taken
        of_brokers = {
            name: EXPOSURE.that_matter(self.made, danger, as_placed(name, faults, replicas))
            for name, faults in survived
        }
        return {name: faults for name, faults in of_brokers.items() if faults.total > 1}

    def may_lose_its_tail(self, danger: Danger, survived: Sequence[Named]) -> bool:
        """May what is not acknowledged be read by the next leader, and lacking at the one after it, with these several faults?

        Of two replicas both have it, unless one loses what it has written.
        """
        lose = ("power_losses", "disk_losses")
        losing = any(
            dict(faults.counts).get(name, 0) for faults in self.several(danger, survived).values() for name in lose
        )
        return self.replicas > 2 or losing

    def assumed_of(self, danger: Danger) -> tuple[str, ...]:
        """What it rests on that nothing is lost, as one clause."""
        if self.made is None:
            return ()
        clauses = list(EXPOSURE.rests_on(self.made, danger))
        if TIME_LINE.settings_of(self.made.release, self.made.mode).get("cleans_uncommitted"):
            clauses.append("the cleaner removes nothing for a record that may still be lost (KAFKA-13194)")
        return (f"for {self.name} {' and '.join(clauses)}",) if clauses else ()

    def _ask(self, danger: Danger, faults: Faults, *, usual: bool) -> Ask:
        assert self.made is not None
        return Ask(
            danger=danger,
            model=EXPOSURE.model_of(self.made, danger, faults),
            counts=dict(faults.counts),
            with_what=str(faults),
            usual=usual,
        )


def topic_below(
    name: str, own: Mapping[str, SourcedValue], chosen: ChosenVersion, read: Read, *, elr: bool | None
) -> TopicBelow:
    """A topic as the files describe it. What they do not say of it is as its brokers create it: with `own`, by keys of topics."""
    brokers = [file for file in read.files if file.role == "broker" and not controls_only(file)]
    described = [file for file in read.files if file.role == "topic" and file.name == name]
    reading = Reading(
        chosen=chosen,
        clients={},
        java=chosen.version,
        java_release=chosen.release,
        elr=None if elr is None else LEVELS[ON if elr else OFF],
        assumed={ZONES: read.said[ZONES]} if ZONES in read.said else {},
    )
    topics = TopicClass(names=(name,), files=(*brokers, *described, *_created(name, own, described)))
    known = described or any(file.form != FEATURES for file in brokers)
    unknown = "" if known else f"no file says how brokers create {name}: add a broker's file"
    try:
        return TopicBelow(name=name, made=deployment_of(topics, reading, {}), unknown=unknown)
    except ConfigurationError as error:
        return TopicBelow(name=name, made=None, unknown=f"{name}: {error.problems[0].short}")


def assumed_of_clients(case: Case) -> tuple[str, ...]:
    """What a verdict about a Java producer rests on, whichever family asks, if it is of the brokers' release."""
    return assumed_in(__name__.rpartition(".")[0], case.releases, of_client=True)


def not_only_compacted(files: Sequence[ConfigurationFile], name: str) -> Iterator[Notice]:
    """Where a file describes a coordinator's topic so that brokers delete what is old: the next coordinator does not know it."""
    for entry in (entry for file in files if file.role == "topic" and file.name == name for entry in file.entries):
        if entry.key == "cleanup.policy" and entry.value.strip() != "compact":
            why = "Old segments are deleted: a coordinator that loads the log does not know what was in them."
            yield entry.notice(f"{name} is not only compacted.", why, "Set it to compact.", decides=True)


def _created(
    name: str, own: Mapping[str, SourcedValue], described: Sequence[ConfigurationFile]
) -> list[ConfigurationFile]:
    """What brokers give the topic when they create it, of what no file describes."""
    told = {entry.key for file in described for entry in file.entries}
    if REPLICATION_FACTOR in told:
        return []
    entries = tuple(
        ConfigEntry(key=key, value=source.value, file=source.file or name, line=source.line, layer="topic")
        for key, source in own.items()
        if key not in told
    )
    return [
        ConfigurationFile(path=name, form="created by brokers", role="topic", entries=entries, name=name, printed=True)
    ]
