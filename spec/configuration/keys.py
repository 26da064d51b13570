"""Whether Kafka takes a key where it stands: unknown, misspelt, of another role, not yet or no longer there.

Kafka itself only warns of a key that it does not know, and goes on without it. So does the audit, except where the key decides
whether records are lost: there the user believes in a setting that is not made, which is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neverlost.model.arguments import argument

from .catalogue import FEATURES, OLD_NAMES, catalogue, slip_of
from .clients import FRAMEWORKS, LIBRDKAFKA
from .configuration_file import ConfigEntry, ConfigurationFile
from .defaults import CONFIGURATION_KEYS, all_keys_that_matter, deciding_keys, keys_that_matter
from .features import METADATA_KEY
from .forms.compose import FORM as COMPOSE
from .forms.foreign_keys import PLUG_INS, VENDORS, Program
from .notices import Notice
from .storage import about_storage, starts_a_broker
from .version_choice import TELLING
from .versions import known_versions

ALIKE = {setting.broker_key: setting.key for setting in CONFIGURATION_KEYS if setting.broker_key}
"""The broker's keys that give the defaults of a topic's."""
MOST_NAMED = 3
"""So many keys of others are named."""


@dataclass(frozen=True, kw_only=True)
class KeyNotice:
    """A notice about a key; `serious` if it must be fixed before an audit says anything."""

    notice: Notice
    serious: bool


def check_keys(file: ConfigurationFile, version: str) -> Iterator[KeyNotice]:
    """What is wrong with the keys that people wrote for Kafka; what a tool printed is taken as the cluster knows it."""
    for notice, serious in about_storage(file):
        yield KeyNotice(notice=notice, serious=serious)
    if file.printed or file.client is LIBRDKAFKA:
        return
    beside: dict[str, list[ConfigEntry]] = {}
    for entry in file.entries:
        if file.role == "broker" and (feature := _about_feature(entry)) is not None:
            yield feature
            continue
        if catalogue().has(file.role, entry.key, version) or _for_one_listener(file.role, entry.key):
            continue
        owner = _owner(file.role, entry.key)
        if owner is None:
            yield _key_notice(entry, file.role, version)
        else:
            beside.setdefault(owner.name, []).append(entry)
    for name, entries in beside.items():
        yield KeyNotice(notice=_of_others(name, entries), serious=False)


def _about_feature(entry: ConfigEntry) -> KeyNotice | None:
    """What is to be said of a feature's level that people wrote as a key: no broker reads it, so it says nothing of the cluster.

    Nothing where an operator applies it: its entry has the layer of what is set at run time.
    """
    advice = f"Add what kafka-features.sh describe prints, or say it with {argument('assume')}."
    if entry.key in FEATURES:
        what, why = "this is a feature of the cluster, and no key of a broker's.", "Kafka ignores it in a file."
        return KeyNotice(notice=entry.notice(what, why, advice), serious=True)
    if entry.key == METADATA_KEY and entry.layer is None:
        what = "this is a feature of the cluster: the file does not set it."
        why = "The cluster may have another level."
        return KeyNotice(notice=entry.notice(what, why, advice, decides=True), serious=False)
    return None


def _owner(role: str, key: str) -> Program | None:
    """Whose a key in a broker's file is that Kafka has in no version: a plug-in's or a vendor's."""
    if role != "broker" or catalogue().roles_of(key):
        return None
    return next((owner for owner in (PLUG_INS, VENDORS) if owner.has(key)), None)


def _of_others(name: str, entries: Sequence[ConfigEntry]) -> Notice:
    """One notice for all of them in a file."""
    some = ", ".join(entry.key for entry in entries[:MOST_NAMED])
    what = f"{len(entries)} keys are" if len(entries) > 1 else "1 key is"
    what += f" of {name}: {some}{', ...' if entries[MOST_NAMED:] else ''}."
    why = "Kafka does not have them." if name == PLUG_INS.name else "What they change is not known here."
    decides = name == VENDORS.name
    return Notice(what=what, why=why, file=entries[0].file, line=entries[0].line, decides=decides)


IF_NOTHING_DECIDES = {
    "producer": "Write acks=... and enable.idempotence=... as the producer has them, even if these are its defaults.",
    "consumer": "Write enable.auto.commit=... as the consumer has it, even if this is its default.",
    "topic": "Write replication.factor=... and min.insync.replicas=..., or give what kafka-topics.sh --describe prints.",
    "broker": "Give what kafka-configs.sh --entity-type brokers --describe --all prints.",
}


def decides_nothing(file: ConfigurationFile) -> Iterator[Notice]:
    """That the file sets no key that decides, if it is so: an audit would then be of defaults alone, and look like one of the file.

    A framework is known to take its client's defaults, and its file has more in it than Kafka's keys; an image has its broker's. A file
    with what no broker starts without is the whole configuration of a broker, which takes the defaults for the rest.
    """
    deciding = deciding_keys(file.role)
    others = frozenset(OLD_NAMES.get(file.role, ())) | (frozenset(TELLING) if file.role == "broker" else frozenset())
    others |= frozenset(file.client.aliases) if file.client else frozenset()
    if (
        file.release is None
        and file.client not in FRAMEWORKS
        and file.form != COMPOSE
        and not (file.role == "broker" and starts_a_broker(file))
        and not any(entry.key in deciding | others for entry in file.entries)
    ):
        what = f"it sets none of the keys that decide for a {file.role}: {', '.join(sorted(deciding))}."
        advice = f"{IF_NOTHING_DECIDES[file.role]} Or leave the file out."
        yield Notice(what=what, why="Every value would be a default.", advice=advice, file=file.path)


def _key_notice(entry: ConfigEntry, role: str, version: str) -> KeyNotice:
    known = catalogue()
    if entry.key in known.keys[role]:
        return _of_another_version(entry, role, version)
    if known.roles_of(entry.key):
        return _of_another_role(entry, role)
    meant = slip_of(entry.key, all_keys_that_matter())
    if meant is not None:
        why = f"Kafka ignores it, so {meant} is not set."
        return KeyNotice(notice=entry.notice("there is no such key.", why, f"Did you mean {meant}?"), serious=True)
    near = known.nearest(role, entry.key)
    why = "Kafka ignores it, unless a plug-in of yours reads it."
    advice = f"Did you mean {near}?" if near else ""
    return KeyNotice(
        notice=entry.notice(f"no {role} of Kafka's has such a key.", why, advice, decides=True), serious=False
    )


def _of_another_version(entry: ConfigEntry, role: str, version: str) -> KeyNotice:
    span, order = catalogue().keys[role][entry.key], known_versions()
    new_name = OLD_NAMES.get(role, {}).get(entry.key)
    if order.index(version) < order.index(span.since):
        what, advice = f"Kafka {version} has no such key, which came with {span.since}.", "Leave it out."
    else:
        what = f"Kafka {version} has no such key any more; {span.until} was the last that had."
        advice = f"Write {new_name}." if new_name else "Leave it out."
    serious = entry.key in keys_that_matter(role) or new_name is not None
    why = "It has no effect." if not serious else "It has no effect, and what you want of it is not done."
    advice += f" Or say with {argument('kafka_version')} which version you run."
    return KeyNotice(notice=entry.notice(what, why, advice), serious=serious)


def _of_another_role(entry: ConfigEntry, role: str) -> KeyNotice:
    roles = catalogue().roles_of(entry.key)
    serious = any(entry.key in keys_that_matter(other) for other in roles)
    here = {topic: broker for broker, topic in ALIKE.items()} if role == "broker" else ALIKE if role == "topic" else {}
    advice = f"Move it to the configuration of the {' or the '.join(roles)}"
    advice += f", or write {here[entry.key]} here." if entry.key in here else "."
    what = f"this is no key of a {role}."
    return KeyNotice(notice=entry.notice(what, "It has no effect in this file.", advice), serious=serious)


def _for_one_listener(role: str, key: str) -> bool:
    return role == "broker" and key.startswith("listener.name.")
