"""The value of every setting, and where it comes from: topic over brokers, at run time over their files, over the version's default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .configuration_file import ConfigEntry, ConfigurationFile
from .defaults import CONFIGURATION_KEYS, ConfigurationKey, configuration_key, deciding_keys
from .features import ELR_KEY
from .layers import BROKERS, brokers_in_sight, contradictions, remarks, removed_by_elr, set_by
from .notices import Notice
from .readings import Reading

ACKS = {"0": "0", "1": "1", "all": "all", "-1": "all"}


@dataclass(frozen=True, kw_only=True)
class SourcedValue:
    """A value as it is used, and where it comes from; without a file it is the version's default.

    `layer` is "topic", "producer", "consumer", "one broker" and "cluster" (set at run time for one broker, or for all), "broker" (its
    own file) or "default"; "client" for what a client sets by itself. `key` is how the file calls it.
    """

    value: str
    layer: str
    key: str
    file: str | None = None
    line: int | None = None

    @property
    def is_assumed(self) -> bool:
        """Is it a default of the version or the client, which no file says?"""
        return self.file is None

    @property
    def is_set(self) -> bool:
        """Does a file set it, or the client by itself?"""
        return self.file is not None or self.layer == "client"

    def notice(self, what: str, why: str = "", advice: str = "", *, decides: bool = False) -> Notice:
        """A notice about this value, at its place."""
        what = f"by default {what}" if self.is_assumed else what
        return Notice(what=what, why=why, advice=advice, key=self.key, file=self.file, line=self.line, decides=decides)


def find_sources(
    files: Sequence[ConfigurationFile], reading: Reading, problems: list[Notice]
) -> tuple[dict[str, SourcedValue], list[Notice]]:
    """The source of every setting that the reading's versions have, by key, and warnings.

    What is no value of its key goes to `problems`.
    """
    sources: dict[str, SourcedValue] = {}
    warnings: list[Notice] = []
    elr = _elr_is_on(files, reading)
    for setting in CONFIGURATION_KEYS:
        found = set_by(setting, files)
        problems += contradictions(found)
        if setting.key == "min.insync.replicas" and elr:
            found, removed = removed_by_elr(found)
            warnings += removed
        for one in found:
            wrong = value_problem(setting, one.entry)
            problems += [wrong] if wrong else []
        client = reading.clients.get(setting.role)
        sets = {} if client is None else client.sets.get(setting.role, {})
        defaults = {} if client is None else client.defaults.get(setting.role, {})
        default = _default(setting, reading)
        if found:
            entry = found[0].entry
            warnings += remarks(found)
            sources[setting.key] = SourcedValue(
                value=normal(setting, entry.value),
                layer=found[0].layer,
                key=entry.key,
                file=entry.file,
                line=entry.line,
            )
        elif setting.key in sets:
            sources[setting.key] = SourcedValue(value=sets[setting.key], layer="client", key=setting.key)
        elif default:
            value = defaults.get(setting.key, default)
            sources[setting.key] = SourcedValue(value=value, layer="default", key=setting.key)
    if not problems:
        _compare_with_brokers(sources["replication.factor"], files, problems, warnings)
    return sources, warnings


def _compare_with_brokers(
    replicas: SourcedValue, files: Sequence[ConfigurationFile], problems: list[Notice], warnings: list[Notice]
) -> None:
    """Refuse a default that no topic can have been created with, and doubt what a topic has: some of its brokers may be gone.

    ReplicationControlManager and AdminUtils.assignReplicasToBrokers throw InvalidReplicationFactorException.
    """
    brokers, are_all = brokers_in_sight(files)
    if brokers is None or int(replicas.value) <= brokers:
        return
    counted, are = ("1 broker", "is") if brokers == 1 else (f"{brokers} brokers", "are")
    what = f"{replicas.value} replicas, and {f'the cluster has {counted}' if are_all else f'only {counted} {are} described'}."
    if are_all and replicas.layer in BROKERS:
        why = "No topic is created with more replicas than there are brokers: those that exist have fewer."
        problems.append(replicas.notice(what, why, "Add what kafka-topics.sh --describe prints."))
    else:
        why = "The other replicas are on brokers that are not there, or not described."
        warnings.append(replicas.notice(what, why, "Describe all brokers, or look for the others.", decides=True))


def _default(setting: ConfigurationKey, reading: Reading) -> str | None:
    """What the reading's versions take if nothing is set; None if they do not have the key."""
    if setting.key == ELR_KEY and reading.elr is not None:
        return reading.elr
    return setting.default(reading.version_for(setting.role))


def _elr_is_on(files: Sequence[ConfigurationFile], reading: Reading) -> bool:
    setting = configuration_key("broker", ELR_KEY)
    found = set_by(setting, files)
    return (normal(setting, found[0].value) if found else _default(setting, reading)) == "1"


BLANKS = "".join(chr(code) for code in range(33))
"""What Java's trim() cuts off; other blanks stay, and Kafka refuses them."""


def value_problem(setting: ConfigurationKey, entry: ConfigEntry) -> Notice | None:
    """Why Kafka would refuse the value, if it would."""
    value = entry.value.strip(BLANKS)
    if re.search(r"\$\{.*\}", value):
        why = "What stands for it is filled in when the program starts, and cannot be seen here."
        return entry.notice(f"{value!r} is a reference.", why, "Write the value itself into a copy of the file.")
    if setting.kind == "acks" and value not in ACKS:
        why = "It is 0 (do not wait), 1 (the leader has it) or all (every in-sync replica has it; -1 is the same)."
        return entry.notice(f"{value!r} is no value of acks.", why, "Write acks=all.")
    if setting.kind == "bool" and value.lower() not in ("true", "false"):
        return entry.notice(f"{value!r} is neither true nor false.", "Kafka refuses it.", "Write true or false.")
    if setting.kind == "int":
        number = int(value) if re.fullmatch(r"[+-]?[0-9]{1,20}", value) else None
        if number is None or not setting.least <= number <= setting.most:
            limits = f"Write a whole number from {setting.least} to {setting.most}."
            return entry.notice(f"{value!r} is no value of it.", "Kafka refuses it.", limits)
    if setting.kind == "word" and not value:
        return entry.notice("it has no value.", "Kafka refuses it.", "Write a value, or leave the line out.")
    if setting.words and value not in setting.words:
        what = f"{value!r} is no value of it."
        return entry.notice(what, "Kafka refuses it.", f"Write {' or '.join(setting.words)}.")
    return None


def normal(setting: ConfigurationKey, value: str) -> str:
    """The value in its one spelling: `all` for -1, `true` for TRUE, `3` for +03."""
    plain = value.strip(BLANKS)
    if setting.kind == "acks":
        return ACKS.get(plain, plain)
    if setting.kind == "bool":
        return plain.lower()
    if setting.kind == "int" and re.fullmatch(r"[+-]?[0-9]{1,20}", plain):
        return str(int(plain))
    return plain


def halves(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """That of two files of one role, which people wrote, one sets a key that decides, and the other leaves it to its default.

    Two producers, topics or brokers would otherwise be taken for one that has the better of both.
    """
    written = [file for file in files if not file.printed]
    for role in dict.fromkeys(file.role for file in written):
        same = [file for file in written if file.role == role]
        for file in same:
            missing = next(
                (
                    (entry, other)
                    for other in same
                    for entry in other.entries
                    if other.canonical(entry.key) in deciding_keys(role)
                    and other.canonical(entry.key) not in {file.canonical(own.key) for own in file.entries}
                ),
                None,
            )
            if missing is not None:
                entry, _ = missing
                what = f"it does not set {entry.key}, and {entry.place} does: these are two {role}s, or halves of one."
                why = "Two would be taken for one that has the better of both."
                advice = f"Audit each {role} by itself, or write what is in force into one file."
                yield Notice(what=what, why=why, advice=advice, file=file.path)
                break


def assumed(sources: Mapping[str, SourcedValue]) -> dict[str, str]:
    """The values that no file sets, by key."""
    return {key: source.value for key, source in sources.items() if source.is_assumed}
