"""Which release of Kafka is audited, and in which mode: as named, else as the files say, else an assumption, which is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.spec.kafka.releases import KRAFT, MODES, ZOOKEEPER, has_mode, version_name

from .catalogue import catalogue
from .clients import LIBRDKAFKA
from .configuration_file import ConfigEntry, ConfigurationFile
from .notices import ConfigurationError, Notice
from .versions import (
    ASSUMED_VERSION,
    at_least,
    checked_version,
    differing_releases,
    known_versions,
    release_named,
    releases_of,
    version_line,
)

TELLING = ("metadata.version", "inter.broker.protocol.version")
"""Keys of a broker whose value is a version of Kafka."""

OF_MODE = {
    "process.roles": KRAFT,
    "controller.quorum.voters": KRAFT,
    "controller.quorum.bootstrap.servers": KRAFT,
    "metadata.version": KRAFT,
    "zookeeper.connect": ZOOKEEPER,
    "inter.broker.protocol.version": ZOOKEEPER,
}
"""Keys of a broker with a value only in one mode. A broker that moves from the one to the other has both; the first found tells."""


@dataclass(frozen=True, kw_only=True)
class ChosenVersion:
    """The version line, the very release and the mode that are audited, its profile, and what is to be said of the choice."""

    version: str
    release: str
    mode: str
    profile: str
    warnings: tuple[Notice, ...] = ()


def choose_version(named: str | None, files: Sequence[ConfigurationFile]) -> ChosenVersion:
    """The release to audit, and its mode. Raises ConfigurationError for an unknown version, or one older than the brokers speak."""
    line, text, warnings = _line(named or _release_in(files), files)
    release = release_named(text, line)
    mode, of_mode = _mode(release, files)
    of_release = _of_release(text, line, release, mode)
    return ChosenVersion(
        version=line,
        release=release,
        mode=mode,
        profile=version_name(release, mode),
        warnings=(*warnings, *of_release, *of_mode),
    )


def _release_in(files: Sequence[ConfigurationFile]) -> str | None:
    """The release that a file names. Raises ConfigurationError for one that is not known."""
    found = next((file.release for file in files if file.release is not None), None)
    if found is not None and version_line(found.value) is None:
        raise ConfigurationError([_unknown(found)])
    return None if found is None else found.value


def _of_release(text: str, line: str, release: str, mode: str) -> tuple[Notice, ...]:
    """What is to be said where the releases of a line behave differently, and nobody told which it is."""
    firsts = differing_releases(line, mode)
    if len(firsts) == 1 or text.strip() in releases_of(line):
        return ()
    what = f"releases of Kafka {line} differ: {release} is audited, the first of them."
    why = f"From {' and '.join(firsts[1:])} on, brokers lose less."
    return (
        Notice(what=what, why=why, advice=f"Say which it is: --kafka-version {firsts[-1]}.", key="--kafka-version"),
    )


def _mode(release: str, files: Sequence[ConfigurationFile]) -> tuple[str, tuple[Notice, ...]]:
    """How the release is run: as it must be, as a broker's file tells, else in KRaft mode."""
    possible = [mode for mode in MODES if has_mode(release, mode)]
    if len(possible) == 1:
        return possible[0], ()
    told = [entry for file in files if file.role == "broker" for entry in file.entries]
    for key, mode in OF_MODE.items():
        if any(entry.key == key and entry.value.strip() for entry in told):
            return mode, ()
    what = f"no file tells whether Kafka {release} runs with ZooKeeper or in KRaft mode: KRaft is assumed."
    why = "It decides how brokers hear of new leaders, and when a broker that restarts leaves the ISR."
    advice = "Add the broker's file, with process.roles or zookeeper.connect."
    return KRAFT, (Notice(what=what, why=why, advice=advice, key="--kafka-version"),)


def _line(named: str | None, files: Sequence[ConfigurationFile]) -> tuple[str, str, tuple[Notice, ...]]:
    """The version line, the text that tells it, and what is to be said of it."""
    told = [file.release for file in files if file.release is not None]
    told += [entry for file in files for entry in file.entries if file.role == "broker" and entry.key in TELLING]
    lines = [(entry, version_line(entry.value)) for entry in told]
    problems = [_unknown(entry) for entry, line in lines if line is None]
    if problems:
        raise ConfigurationError(problems)
    spoken = [(entry, line) for entry, line in lines if line is not None]
    if named is not None:
        version = checked_version(named)
        return version, named, _compared(version, spoken)
    if spoken:
        line = spoken[0][1]
        return line, line, _compared(line, spoken[1:])
    return _assumed(files)


def _unknown(entry: ConfigEntry) -> Notice:
    advice = f"Write one of {', '.join(known_versions())}."
    return entry.notice(f"{entry.value!r} is not a version that can be audited.", advice=advice)


def _compared(version: str, spoken: Sequence[tuple[ConfigEntry, str]]) -> tuple[Notice, ...]:
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


def _assumed(files: Sequence[ConfigurationFile]) -> tuple[str, str, tuple[Notice, ...]]:
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
    return version, version, (notice,)


def _tells(file: ConfigurationFile, entry: ConfigEntry) -> bool:
    """Is the version one that has this key? A left-over of an older client tells nothing, nor does what nobody knows."""
    known = catalogue()
    if file.client is LIBRDKAFKA:
        return False
    return entry.key in known.keys[file.role] and (file.is_old_client or entry.key not in known.old[file.role])
