"""Whether a broker keeps its logs where they outlive a restart of the machine."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from .configuration_file import ConfigurationFile
from .forms.properties_file import FORM as PROPERTIES
from .notices import Notice

EMPTIED = ("/tmp", "/private/tmp", "/var/tmp", "/dev/shm", "/run", "/var/run")
"""Folders in memory, or that the system empties or cleans: Filesystem Hierarchy Standard 3.0, systemd's tmpfiles.d (tmp.conf)."""
LOG_DIRS, LOG_DIR = "log.dirs", "log.dir"
OF_LOGS = (LOG_DIRS, LOG_DIR, "metadata.log.dir")
DEFAULT = "/tmp/kafka-logs"
"""ServerLogConfigs.LOG_DIR_DEFAULT of Kafka, from 0.8 to 4.3; KafkaConfig takes log.dir only without log.dirs."""
OF_SERVERS = ("process.roles", "zookeeper.connect")
ADDRESSES = ("advertised.listeners", "listeners", "advertised.host.name", "host.name")
ADDRESS = re.compile(r"(?:[^:/]+://)?(?!0\.0\.0\.0|\[::\])(?P<host>\[[\da-fA-F:.]+\]|[\w.-]+)(?::(?P<port>\d+))?")
"""Where others reach a broker, the first that is set; and a host at which they can, with its port."""
OF_ITSELF = re.compile(r"localhost|127(?:\.\d+){3}|\[::1\]")
"""The machine itself."""
WHY = "An audit assumes that a broker which restarts still has its log."
ADVICE = f"Write {LOG_DIRS}=/var/lib/kafka/data, or wherever the disk is."


def about_storage(file: ConfigurationFile) -> Iterator[tuple[Notice, bool]]:
    """What is to be said of where a broker's logs lie, and whether it must be fixed before an audit says anything.

    What runs in a container may have a volume there, which only its own file shows: it is then in doubt.
    """
    if file.role != "broker":
        return
    set_here = {entry.key: entry for entry in file.entries if entry.key in OF_LOGS and entry.value.strip()}
    if LOG_DIRS in set_here:
        set_here.pop(LOG_DIR, None)
    is_written = file.form == PROPERTIES
    for entry in set_here.values():
        emptied = next((folder for folder in map(_emptied, entry.value.split(",")) if folder is not None), None)
        if emptied is not None:
            what = f"this lies in {emptied}, which is emptied when the machine starts, or cleaned of old files."
            advice = ADVICE if is_written else "Make sure that a disk is mounted there, or set another folder."
            yield entry.notice(what, WHY, advice, decides=not is_written), is_written
    if is_written and not {LOG_DIRS, LOG_DIR} & set(set_here) and starts_a_broker(file):
        what = f"it does not set {LOG_DIRS}, and Kafka's default is {DEFAULT}."
        yield Notice(what=what, why=WHY, advice=ADVICE, key=LOG_DIRS, file=file.path, decides=True), False


def _emptied(path: str) -> str | None:
    """Which of the folders a path lies in; None if in none of them."""
    plain = posixpath.normpath(path.strip())
    return next((folder for folder in EMPTIED if plain == folder or plain.startswith(f"{folder}/")), None)


def starts_a_broker(file: ConfigurationFile) -> bool:
    """Does it set one of the keys of which a broker needs one to start? Then it is the whole file that a broker reads."""
    return any(entry.key in OF_SERVERS and entry.value.strip() for entry in file.entries)


def replicas_on_one_machine(files: Sequence[ConfigurationFile], replicas: int) -> int:
    """How many of so many replicas of a partition the files show on one machine: one, if no two brokers share one."""
    brokers = [file for file in files if file.role == "broker"]
    places = [_places(file) for file in brokers]
    beside = max((sum(_is_one_machine(one, other) for other in places) for one in places), default=0)
    if beside == len(brokers) > 1:
        return replicas
    return max(1, min(replicas, max((beside, *(file.on_one_machine for file in brokers)))))


def _places(file: ConfigurationFile) -> frozenset[tuple[str, str]]:
    """The hosts and ports at which others reach a broker; none if they are not known."""
    given = {entry.key: entry.value for entry in file.entries if entry.key in ADDRESSES and entry.value.strip()}
    address = next((given[key] for key in ADDRESSES if key in given), "")
    found = [ADDRESS.fullmatch(one.strip()) for one in address.split(",")] if address else []
    named = [
        ("" if OF_ITSELF.fullmatch(one["host"]) else one["host"].lower(), one["port"] or "")
        for one in found
        if one is not None
    ]
    return frozenset(named) if len(named) == len(found) else frozenset()


def _is_one_machine(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> bool:
    """Are two brokers reached at the same hosts, and at different ports of them? Of the machine itself the ports do not matter."""
    hosts = {host for host, _ in one}
    same = bool(hosts) and hosts == {host for host, _ in other}
    return same and (one is other or hosts == {""} or not one & other)
