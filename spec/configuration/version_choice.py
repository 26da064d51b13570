"""Which version of Kafka is audited: the one that was named, else what the files tell, else an assumption that is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .catalogue import catalogue
from .configuration_file import ConfigurationFile
from .notices import ConfigurationError, Notice
from .properties_file import Entry
from .versions import ASSUMED_VERSION, at_least, checked_version, known_versions, version_line

TELLING = ("metadata.version", "inter.broker.protocol.version")
"""Keys of a broker whose value is a version of Kafka."""


@dataclass(frozen=True, kw_only=True)
class ChosenVersion:
    """The version, the release as it was given (it may have a third number), and what is to be said of the choice."""

    version: str
    release: str
    warnings: tuple[Notice, ...] = ()


def choose_version(named: str | None, files: Sequence[ConfigurationFile]) -> ChosenVersion:
    """The version to audit. Raises ConfigurationError for an unknown version, and for one older than the brokers speak."""
    told = [entry for file in files for entry in file.entries if file.role == "broker" and entry.key in TELLING]
    lines = [(entry, version_line(entry.value)) for entry in told]
    problems = [_unknown(entry) for entry, line in lines if line is None]
    if problems:
        raise ConfigurationError(problems)
    spoken = [(entry, line) for entry, line in lines if line is not None]
    if named is not None:
        version = checked_version(named)
        return ChosenVersion(version=version, release=named.strip(), warnings=_compared(version, spoken))
    if spoken:
        line = spoken[0][1]
        return ChosenVersion(version=line, release=line, warnings=_compared(line, spoken[1:]))
    return _assumed(files)


def _unknown(entry: Entry) -> Notice:
    advice = f"Write one of {', '.join(known_versions())}."
    return entry.notice(f"{entry.value!r} is not a version that can be audited.", advice=advice)


def _compared(version: str, spoken: Sequence[tuple[Entry, str]]) -> tuple[Notice, ...]:
    warnings = []
    for entry, line in spoken:
        if line == version:
            continue
        if at_least(line, version):
            what = f"brokers of Kafka {version} do not speak the protocol of {line}."
            advice = f"Say --kafka-version {line}, or set it to {version} at most."
            raise ConfigurationError([entry.notice(what, "They do not start.", advice)])
        why = f"Between themselves they may still have the defects of {line}; the audit is of {version}."
        advice = f"Finish the upgrade, or audit with --kafka-version {line} too."
        warnings.append(entry.notice(f"brokers of Kafka {version} are held to the protocol of {line}.", why, advice))
    return tuple(warnings)


def _assumed(files: Sequence[ConfigurationFile]) -> ChosenVersion:
    """The newest version that has every key in the files, of those that some version has."""
    used = [(file.role, entry) for file in files for entry in file.entries if _tells(file, entry)]
    candidates = [version for version in reversed(known_versions()) if at_least(ASSUMED_VERSION, version)]
    fitting = [
        version for version in candidates if all(catalogue().has(role, entry.key, version) for role, entry in used)
    ]
    version = fitting[0] if fitting else ASSUMED_VERSION
    why = "It decides the defaults, and the protocol itself."
    if version == ASSUMED_VERSION:
        what = f"no file tells the version of Kafka: {version} is assumed."
        notice = Notice(what=what, why=why, advice="Say it: --kafka-version N.N.", key="--kafka-version")
    else:
        entry = next(entry for role, entry in used if not catalogue().has(role, entry.key, ASSUMED_VERSION))
        what = f"no file tells the version of Kafka: {version} is assumed, the newest that has every key used."
        notice = entry.notice(what, why, "Say it: --kafka-version N.N.")
    return ChosenVersion(version=version, release=version, warnings=(notice,))


def _tells(file: ConfigurationFile, entry: Entry) -> bool:
    """Is the version one that has this key? A left-over of an older client tells nothing, nor does what nobody knows."""
    known = catalogue()
    return entry.key in known.keys[file.role] and (file.is_old_client or entry.key not in known.old[file.role])
