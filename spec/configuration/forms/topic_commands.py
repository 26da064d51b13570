"""The topics that the command of a container creates: `kafka-topics --create`, in a shell script or alone.

A script that does anything else which could change what is audited is not read. The options are those of TopicCommand of Kafka.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..configuration_file import ConfigEntry, ConfigurationFile
from .scripts import WAITING, CommandNotRead, Fill, calls, is_harmless, without_keywords
from .yaml_documents import Node

TOPICS = re.compile(r"(?:.*/)?kafka-topics(?:\.sh)?")
READING = ("--list", "--describe")
KEYS = {"--partitions": "partitions", "--replication-factor": "replication.factor"}
OTHERS = ("--bootstrap-server", "--zookeeper", "--command-config")
"""Options with a value that sets nothing of the topic."""
FLAGS = ("--create", "--if-not-exists", "--force")


def topics_created(command: Sequence[Node], fill: Fill, path: str, form: str) -> list[ConfigurationFile]:
    """The topics that the command of a container creates, or none if it only waits. Raises CommandNotRead if it may do more."""
    found: list[ConfigurationFile] = []
    waits = False
    for call, line in calls(command, fill):
        words = without_keywords(call)
        words = words[1:] if words[:1] == ["exec"] else words
        of_topics = bool(words) and TOPICS.fullmatch(words[0]) is not None
        if of_topics and "--create" in words:
            found.append(_topic(words[1:], path, line, form))
        elif words and not (any(word in READING for word in words) if of_topics else is_harmless(words)):
            raise CommandNotRead(f"What {words[0][:40]!r} does is not known.")
        waits |= bool(words) and words[0] in WAITING
    if not found and not waits:
        raise CommandNotRead("It creates no topic.")
    return found


def _topic(words: Sequence[str], path: str, line: int, form: str) -> ConfigurationFile:
    """The topic of one `kafka-topics --create`."""
    name = None
    entries: list[ConfigEntry] = []
    rest = [
        part for word in words for part in (word.split("=", 1) if word.startswith("--") and "=" in word else [word])
    ]
    while rest:
        option = rest.pop(0)
        if option in FLAGS:
            continue
        if not rest or option not in (*KEYS, *OTHERS, "--topic", "--config"):
            raise CommandNotRead(f"{option[:40]!r} of kafka-topics is not understood.")
        value = rest.pop(0)
        if option in OTHERS:
            continue
        if "$" in value or "`" in value:
            raise CommandNotRead(f"The value of {option} is a reference.")
        if option == "--topic":
            name = value
        elif option == "--config":
            key, _, value = value.partition("=")
            entries.append(ConfigEntry(key=key, value=value, file=path, line=line, separator=":"))
        else:
            entries.append(ConfigEntry(key=KEYS[option], value=value, file=path, line=line, separator=":"))
    if name is None:
        raise CommandNotRead("kafka-topics has no --topic.")
    return ConfigurationFile(path=path, form=form, role="topic", name=name, entries=tuple(entries))
