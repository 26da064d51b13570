"""Which releases of Kafka the files may be of, and in which modes: as named, else as the files say, else each that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neverlost.model.arguments import argument
from neverlost.spec.kafka.releases import KRAFT, MODES, ZOOKEEPER, has_mode
from neverlost.spec.kafka.replication.differences import TIME_LINE

from .catalogue import catalogue
from .configuration_file import ConfigEntry, ConfigurationFile, entries_of
from .notices import ConfigurationError, Notice
from .versions import at_least, checked_version, differing_releases, known_versions, releases_of, version_line

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
"""Keys of a broker with a value only in one mode. A broker that moves from the one to the other has both."""
ROLES, MIGRATES = "process.roles", "zookeeper.metadata.migration.enable"


@dataclass(frozen=True, kw_only=True)
class ChosenVersion:
    """The version line, the very release and the mode that are audited, and its profile.

    `until` is the last release after `release` that behaves as it does. `stands_for` is the release that was named, if it is newer than
    those that are known: this one is audited for it.
    """

    version: str
    release: str
    mode: str
    profile: str
    until: str
    stands_for: str | None = None


def chosen(release: str, mode: str) -> ChosenVersion:
    """A release in a mode; in KRaft mode if it has no other any more."""
    line = version_line(release)
    assert line is not None
    mode = mode if has_mode(release, mode) else KRAFT if has_mode(release, KRAFT) else ZOOKEEPER
    profile = TIME_LINE.version_name(release, mode)
    alike = [one for one in releases_of(line) if has_mode(one, mode) and TIME_LINE.version_name(one, mode) == profile]
    return ChosenVersion(version=line, release=release, mode=mode, profile=profile, until=alike[-1])


def possible_versions(named: str | None, files: Sequence[ConfigurationFile]) -> list[ChosenVersion]:
    """Each release and mode that the files may be of, newest first: one of each group that behaves alike within its version line.

    Raises ConfigurationError for an unknown version, or one older than the brokers speak.
    """
    text = named or _release_in(files)
    releases = list(_releases(text, files))
    said = _mode_in(files)
    found = [
        chosen(release, mode)
        for release in releases
        for mode in (KRAFT, ZOOKEEPER)
        if has_mode(release, mode) and said in (None, mode)
    ] or [chosen(release, KRAFT) for release in releases]
    different = {(one.version, one.profile, one.mode): one for one in found}.values()
    return [replace(one, stands_for=text.strip()) if text and _is_newer(text, one) else one for one in different]


def _is_newer(text: str, one: ChosenVersion) -> bool:
    """Is the release that was named not among those of its version that are known?"""
    return text.strip() not in releases_of(one.version) and text.strip().count(".") > one.version.count(".")


def _release_in(files: Sequence[ConfigurationFile]) -> str | None:
    """The release that a file names. Raises ConfigurationError for one that is not known."""
    found = next((file.release for file in files if file.release is not None), None)
    if found is not None and version_line(found.value) is None:
        raise ConfigurationError([_unknown(found)])
    return None if found is None else found.value


def _mode_in(files: Sequence[ConfigurationFile]) -> str | None:
    """How the brokers run, as a broker's file says it: None if it does not, or if they move from one mode to the other.

    `process.roles` alone decides where nothing moves (KafkaConfig.requiresZookeeper): keys of ZooKeeper are then left over.
    """
    given = [(entry.key, entry.value.strip()) for entry in entries_of(files, "broker") if entry.value.strip()]
    keys = {key for key, _ in given}
    if any(key == MIGRATES and value.lower() == "true" for key, value in given):
        return None
    said = {OF_MODE[ROLES]} if ROLES in keys else {mode for key, mode in OF_MODE.items() if key in keys}
    return said.pop() if len(said) == 1 else None


def _releases(named: str | None, files: Sequence[ConfigurationFile]) -> Iterator[str]:
    """The releases that a text names, or that files speak of, or else all that have every key in the files."""
    given = [file.release for file in files if file.release is not None]
    given += [entry for entry in entries_of(files, "broker") if entry.key in TELLING]
    lines = [(entry, version_line(entry.value)) for entry in given]
    problems = [_unknown(entry) for entry, line in lines if line is None]
    if problems:
        raise ConfigurationError(problems)
    spoken = [(entry, line) for entry, line in lines if line is not None]
    if named is not None:
        line = checked_version(named)
        _compared(line, spoken)
        return iter(_releases_named(named, line))
    lines_that_fit = _fitting(files)
    own = next((line for entry, line in spoken if entry.layer == "default"), None)
    if own is not None:  # a broker whose protocol nobody set speaks that of its own release
        return iter(_firsts(own))
    if spoken:
        least = max((line for _, line in spoken), key=known_versions().index)
        lines_that_fit = [line for line in lines_that_fit if at_least(line, least)] or [least]
    return (release for line in lines_that_fit for release in _firsts(line))


def _releases_named(text: str, line: str) -> list[str]:
    """The release that was named; of a version without a last number each that differs, of one that is not known yet its newest."""
    named, of_line = text.strip(), releases_of(line)
    if named in of_line:
        return [named]
    return [of_line[-1]] if named.count(".") > line.count(".") else _firsts(line)


def _firsts(line: str) -> list[str]:
    """The first release of a line for each behaviour that it has in some mode, newest first."""
    found = {release for mode in MODES for release in differing_releases(line, mode)}
    return [release for release in reversed(releases_of(line)) if release in found]


def _unknown(entry: ConfigEntry) -> Notice:
    advice = f"Write one of {', '.join(known_versions())}."
    return entry.notice(f"{entry.value!r} is not a version that can be audited.", advice=advice)


def _compared(version: str, spoken: Sequence[tuple[ConfigEntry, str]]) -> None:
    """Raise ConfigurationError for a protocol that brokers of this version do not speak yet."""
    for entry, line in spoken:
        if line != version and at_least(line, version):
            what = f"brokers of Kafka {version} do not speak the protocol of {line}."
            advice = f"Say {argument('kafka_version', line)}, or set it to {version} at most."
            raise ConfigurationError([entry.notice(what, "They do not start.", advice)])


def _fitting(files: Sequence[ConfigurationFile]) -> list[str]:
    """The version lines that have every key in the brokers' and topics' files, of those that some version has; newest first.

    A client may be older than the brokers, and newer: only the clients in Scala, which no longer exist, say something.
    """
    used = [(file.role, entry) for file in files for entry in file.entries if _tells(file, entry)]
    newest_first = list(reversed(known_versions()))
    fitting = [line for line in newest_first if all(catalogue().has(role, entry.key, line) for role, entry in used)]
    return fitting or newest_first


def _tells(file: ConfigurationFile, entry: ConfigEntry) -> bool:
    """Is the version one that has this key? A left-over of an older client says nothing, nor does what nobody knows."""
    known = catalogue()
    if file.role in ("producer", "consumer") and not file.is_old_client:
        return False
    return entry.key in known.keys[file.role] and (file.is_old_client or entry.key not in known.old[file.role])
